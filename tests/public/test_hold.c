/// Objects of a world moved from outside: led along a path, thrown, pushing others.
#include "check.h"

#include <pelt/tools.h>

#include <math.h>
#include <string.h>

typedef struct Stage {
    PeltCharacter *who;
    PeltSkin *skin;
    PeltPose *pose;
    PeltWorld *world;
    PeltSceneObject objects[3];
    PeltScene scene;
} Stage;

enum { BALL, WALL, JELLY };
static const float DT = 1.0f / 60;

/// A tube, far above it a ball, a fixed wall and a soft box, without gravity.
static void set_up(Stage *s)
{
    PeltError err = {0};
    PeltMakeDef make = pelt_make_def_default();
    make.name = "cylinder";
    make.vertices = 500;
    assert_int_equal(pelt_make_character(&make, &s->who, &err), PELT_OK);
    PeltSkinDef skin = pelt_skin_def_default();
    skin.method = "lbs";
    assert_int_equal(pelt_skin_create(&skin, s->who, &s->skin, &err), PELT_OK);
    assert_int_equal(pelt_pose_create(s->who, &s->pose, &err), PELT_OK);
    s->scene = pelt_scene_default();
    memset(s->scene.gravity, 0, sizeof s->scene.gravity);
    static const char *const names[] = {"ball", "wall", "jelly"};
    for (int k = 0; k < 3; k++) {
        PeltSceneObject *o = &s->objects[k];
        *o = pelt_scene_object_default();
        o->name = names[k];
        o->kind = k == BALL ? PELT_OBJECT_RIGID : k == WALL ? PELT_OBJECT_FIXED : PELT_OBJECT_SOFT;
        o->shape = k == BALL ? PELT_SHAPE_SPHERE : PELT_SHAPE_BOX;
        o->size[0] = o->size[1] = o->size[2] = 0.2f;
        o->position[0] = 2.0f * (float)k;
        o->position[1] = 10;
    }
    s->scene.objects = s->objects;
    s->scene.object_count = 3;
    PeltWorldDef def = pelt_world_def_default();
    def.scene = &s->scene;
    def.skins = &s->skin;
    def.skin_count = 1;
    if (pelt_world_create(&def, &s->world, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(pelt_world_object_find(s->world, "wall"), WALL);
    assert_int_equal(pelt_world_object_find(s->world, "roof"), -1);
}

static void tear_down(Stage *s)
{
    pelt_world_destroy(s->world);
    pelt_pose_destroy(s->pose);
    pelt_skin_destroy(s->skin);
    pelt_character_destroy(s->who);
}

static void step(Stage *s)
{
    const PeltPose *poses[1] = {s->pose};
    pelt_world_step(s->world, poses, DT, NULL);
}

static PeltTransform place(float x, float y, float z, float turn_rad)
{
    return (PeltTransform){{x, y, z}, {0, 0, sinf(turn_rad / 2), cosf(turn_rad / 2)}, {1, 1, 1}};
}

static void a_held_object_goes_where_it_is_led_and_flies_on_when_let_go(void **state)
{
    (void)state;
    Stage s = {0};
    PeltError err = {0};
    set_up(&s);
    step(&s);
    for (int k = 1; k <= 10; k++) {
        PeltTransform goal = place(0, 10 + 0.1f * (float)k, 0, 0.3f * (float)k);
        assert_int_equal(pelt_world_hold(s.world, BALL, &goal, &err), PELT_OK);
        step(&s);
        PeltWorldObject o = pelt_world_object(s.world, BALL);
        assert_float_equal(o.origin[1], goal.translation[1], 1e-5f);
        assert_float_equal(o.axes[1][0], sinf(0.3f * (float)k), 1e-5f); // own x, turned about z
    }
    pelt_world_let_go(s.world, BALL);
    PeltWorldObject before = pelt_world_object(s.world, BALL);
    assert_float_equal(before.velocity[1], 0.1f / DT, 1e-3f);
    assert_float_equal(before.spin[2], 0.3f / DT, 1e-2f);
    for (int k = 0; k < 10; k++)
        step(&s);
    PeltWorldObject after = pelt_world_object(s.world, BALL);
    assert_float_equal(after.origin[1] - before.origin[1], 1, 1e-4f); // ten steps of a tenth: nothing slows it
    tear_down(&s);
}

static void a_moved_wall_pushes_and_a_held_ball_is_not_pushed(void **state)
{
    (void)state;
    Stage s = {0};
    PeltError err = {0};
    set_up(&s);
    step(&s);
    for (int k = 1; k <= 40; k++) { // the wall comes from x = 2 through where the ball is
        PeltTransform goal = place(2 - 0.06f * (float)k, 10, 0, 0);
        assert_int_equal(pelt_world_hold(s.world, WALL, &goal, &err), PELT_OK);
        step(&s);
    }
    PeltWorldObject ball = pelt_world_object(s.world, BALL), wall = pelt_world_object(s.world, WALL);
    assert_float_equal(wall.origin[0], 2 - 0.06f * 40, 1e-4f);
    assert_true(ball.origin[0] < wall.origin[0] - 0.1f - 0.19f); // pushed ahead: half a wall and its radius
    float y = ball.origin[1];
    for (int k = 0; k < 20; k++) { // now the ball is held where it is, and the wall comes on
        PeltTransform stay = place(ball.origin[0], y, 0, 0), goal = place(wall.origin[0] - 0.02f * (float)k, 10, 0, 0);
        assert_int_equal(pelt_world_hold(s.world, BALL, &stay, &err), PELT_OK);
        assert_int_equal(pelt_world_hold(s.world, WALL, &goal, &err), PELT_OK);
        step(&s);
    }
    assert_float_equal(pelt_world_object(s.world, BALL).origin[0], ball.origin[0], 1e-5f);
    tear_down(&s);
}

static void a_soft_one_is_led_by_its_centre_and_thrown(void **state)
{
    (void)state;
    Stage s = {0};
    PeltError err = {0};
    set_up(&s);
    step(&s);
    PeltWorldObject was = pelt_world_object(s.world, JELLY);
    float corner = was.positions[0] - was.centre[0];
    for (int k = 1; k <= 30; k++) { // upwards and aside
        PeltTransform goal = place(4 + 0.02f * (float)k, 10 + 0.05f * (float)k, 0, 0);
        assert_int_equal(pelt_world_hold(s.world, JELLY, &goal, &err), PELT_OK);
        step(&s);
        PeltWorldObject now = pelt_world_object(s.world, JELLY);
        assert_float_equal(now.centre[0], goal.translation[0], 1e-4f);
        assert_float_equal(now.centre[1], goal.translation[1], 1e-4f);
    }
    PeltWorldObject led = pelt_world_object(s.world, JELLY);
    assert_float_equal(led.positions[0] - led.centre[0], corner, 0.01f); // it is not torn, and does not spin
    assert_float_equal(led.velocity[1], 0.05f / DT, 0.02f);
    pelt_world_let_go(s.world, JELLY);
    float up = led.centre[1];
    for (int k = 0; k < 20; k++)
        step(&s);
    assert_float_equal(pelt_world_object(s.world, JELLY).centre[1] - up, 20 * 0.05f, 0.01f);
    for (int k = 0; k < 40; k++) { // led into the wall, which stands where the hand wants it: it dents and stays out
        PeltTransform goal = place(2.05f, 10, 0, 0);
        goal.translation[0] += fmaxf(0, 0.5f - 0.05f * (float)k);
        assert_int_equal(pelt_world_hold(s.world, JELLY, &goal, &err), PELT_OK);
        step(&s);
    }
    PeltWorldObject pressed = pelt_world_object(s.world, JELLY);
    assert_true(pressed.centre[0] > 2.13f && pressed.centre[0] < 2.2f); // the hand gives way: a dent, and not through the wall
    PeltTransform goal = place(2.05f, 10, 0, 0);
    for (int k = 0; k < 3; k++) { // and it does not tremble there
        float before = pelt_world_object(s.world, JELLY).centre[0];
        assert_int_equal(pelt_world_hold(s.world, JELLY, &goal, &err), PELT_OK);
        step(&s);
        assert_float_equal(pelt_world_object(s.world, JELLY).centre[0], before, 2e-3f);
    }
    tear_down(&s);
}

static void what_cannot_be_held_is_refused(void **state)
{
    (void)state;
    Stage s = {0};
    PeltError err = {0};
    set_up(&s);
    PeltTransform goal = place(0, 10, 0, 0);
    assert_int_equal(pelt_world_hold(s.world, 3, &goal, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelt_world_hold(s.world, -1, &goal, &err), PELT_BAD_ARGUMENT);
    goal.translation[1] = NAN;
    assert_int_equal(pelt_world_hold(s.world, BALL, &goal, &err), PELT_BAD_ARGUMENT);
    goal = place(0, 10, 0, 0);
    goal.scale[1] = 2;
    assert_int_equal(pelt_world_hold(s.world, BALL, &goal, &err), PELT_BAD_ARGUMENT);
    goal = (PeltTransform){.scale = {1, 1, 1}};
    assert_int_equal(pelt_world_hold(s.world, BALL, &goal, &err), PELT_BAD_ARGUMENT);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_object_goes_where_it_is_led_and_flies_on_when_let_go),
        cmocka_unit_test(a_moved_wall_pushes_and_a_held_ball_is_not_pushed),
        cmocka_unit_test(a_soft_one_is_led_by_its_centre_and_thrown),
        cmocka_unit_test(what_cannot_be_held_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
