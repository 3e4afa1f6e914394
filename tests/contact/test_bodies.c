/// Objects alone: slopes, stacks, collisions, soft bodies. Closed forms of school mechanics.
#include "check.h"
#include "contact/corrector.h"

#include <string.h>

static PeltiCorrector *scene_new(const PeltScene *scene, bool final)
{
    PeltiCorrector *c = NULL;
    PeltError err = {0};
    if (pelti_corrector_create(&(PeltiCorrectorDef){.scene = scene, .settings = {.final = final}}, NULL, &c, &err) != PELT_OK)
        fail_msg("%s", err.text);
    pelti_corrector_step(c, NULL, 0, NULL, NULL);
    return c;
}

static PeltSceneObject object(const char *name, PeltShape shape, float a, float b, float c)
{
    PeltSceneObject o = pelt_scene_object_default();
    o.name = name, o.shape = shape, o.size[0] = a, o.size[1] = b, o.size[2] = c;
    return o;
}

/// A block laid on a slope of `degrees`; how far it slid down after `time`.
static double slide(float degrees, float mu, double time, double *speed)
{
    double angle = (double)degrees * 3.14159265358979 / 180;
    PeltSceneObject objects[2] = {object("slope", PELT_SHAPE_SLOPE, 20, 4, degrees),
                                  object("block", PELT_SHAPE_BOX, 0.4f, 0.2f, 0.4f)};
    objects[0].kind = PELT_OBJECT_FIXED;
    PeltSceneObject *block = &objects[1];
    block->position[0] = (float)(-0.1 * sin(angle)), block->position[1] = (float)(0.1 * cos(angle)); // on the face
    block->rotation[2] = (float)sin(angle / 2), block->rotation[3] = (float)cos(angle / 2);
    PeltScene scene = pelt_scene_default();
    scene.objects = objects, scene.object_count = 2, scene.friction = mu, scene.alarm_distance = 0.01f;
    PeltiCorrector *c = scene_new(&scene, false);
    PeltiCorrectorView before = pelti_corrector_object(c, 1);
    for (int i = 0; i < (int)(time * 60 + 0.5); i++)
        pelti_corrector_step(c, NULL, 1.0 / 60, NULL, NULL);
    PeltiCorrectorView after = pelti_corrector_object(c, 1);
    *speed = sqrt(after.velocity[0] * after.velocity[0] + after.velocity[1] * after.velocity[1] +
                  after.velocity[2] * after.velocity[2]);
    double dx = after.centre[0] - before.centre[0], dy = after.centre[1] - before.centre[1];
    pelti_corrector_destroy(c);
    return -(dx * cos(angle) + dy * sin(angle));
}

static void a_block_sticks_below_and_slides_above_the_friction_angle(void **state)
{
    (void)state;
    float mu = 0.5f;
    double critical = atan(0.5) * 180 / 3.14159265358979, speed;
    double stuck = slide((float)(critical * 0.995), mu, 1, &speed);
    if (!(fabs(stuck) < 2e-4 && speed < 1e-3))
        fail_msg("slid %g m at %g m/s below the angle", stuck, speed);
    double slid = slide((float)(critical * 1.01), mu, 1, &speed);
    if (!(slid > 0.005))
        fail_msg("slid only %g m above the angle", slid);
}

static void a_sliding_block_accelerates_as_it_should(void **state)
{
    (void)state;
    double angle = 35 * 3.14159265358979 / 180, a = 9.81 * (sin(angle) - 0.3 * cos(angle)), speed;
    double slid = slide(35, 0.3f, 1, &speed);
    CHECK_NEAR(speed, a, 0.02 * a);
    CHECK_NEAR(slid, a / 2, 0.03 * a / 2); // Euler's steps add half a step's worth
}

static void a_stack_of_five_boxes_stands(void **state)
{
    (void)state;
    PeltSceneObject boxes[5];
    char names[5][16];
    for (int i = 0; i < 5; i++) {
        snprintf(names[i], sizeof names[i], "box%d", i);
        boxes[i] = object(names[i], PELT_SHAPE_BOX, 0.3f, 0.3f, 0.3f);
        boxes[i].position[1] = 0.15f + 0.3f * (float)i;
        boxes[i].position[0] = 0.01f * (float)(i % 2);
    }
    PeltScene scene = pelt_scene_default();
    scene.objects = boxes, scene.object_count = 5, scene.has_ground = true, scene.alarm_distance = 0.005f;
    PeltiCorrector *c = scene_new(&scene, false);
    PeltiContactReport report;
    double force = 0;
    for (int i = 0; i < 600; i++)
        pelti_corrector_step(c, NULL, 1.0 / 60, NULL, &report);
    for (int i = 0; i < pelti_corrector_contact_count(c); i++) {
        PeltiContactPoint p = pelti_corrector_contact(c, i);
        if (strcmp(p.b, "ground") == 0)
            force += (double)p.force.y;
    }
    CHECK_NEAR(force, 5 * 27 * 9.81, 0.01 * 5 * 27 * 9.81); // the ground carries five boxes of 27 kg
    for (int i = 0; i < 5; i++) {
        PeltiCorrectorView v = pelti_corrector_object(c, i);
        CHECK_NEAR(v.centre[0], 0.01 * (i % 2), 2e-3);
        CHECK_NEAR(v.centre[1], 0.15 + 0.3 * i, 2e-3);
        CHECK_NEAR(v.centre[2], 0, 2e-3);
    }
    pelti_corrector_destroy(c);
}

/// Linear and angular momentum about the origin of all rigid objects.
static void momentum(const PeltiCorrector *c, double out[6], double *scale)
{
    memset(out, 0, 6 * sizeof(double));
    *scale = 0;
    for (int i = 0; i < pelti_corrector_object_count(c); i++) {
        PeltiCorrectorView v = pelti_corrector_object(c, i);
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k] += v.mass * v.velocity[k];
            out[3 + k] += v.momentum[k] + v.mass * (v.centre[a] * v.velocity[b] - v.centre[b] * v.velocity[a]);
            *scale += v.mass * fabs(v.velocity[k]);
        }
    }
}

static void a_free_collision_keeps_momentum(void **state)
{
    (void)state;
    PeltSceneObject o[2] = {object("box", PELT_SHAPE_BOX, 0.3f, 0.2f, 0.4f), object("ball", PELT_SHAPE_SPHERE, 0.15f, 0, 0)};
    o[0].velocity[0] = 1, o[0].angular_velocity[1] = 2, o[0].angular_velocity[2] = 1;
    o[1].position[0] = 0.6f, o[1].position[1] = 0.08f, o[1].position[2] = 0.05f, o[1].velocity[0] = -2, o[1].density = 300;
    PeltScene scene = pelt_scene_default();
    scene.objects = o, scene.object_count = 2, scene.gravity[1] = 0, scene.restitution = 0.5f;
    PeltiCorrector *c = scene_new(&scene, true);
    double before[6], after[6], scale;
    momentum(c, before, &scale);
    for (int i = 0; i < 60; i++)
        pelti_corrector_step(c, NULL, 1.0 / 120, NULL, NULL);
    momentum(c, after, &scale);
    assert_true(pelti_corrector_object(c, 1).velocity[0] > -1.5); // they did meet
    for (int k = 0; k < 6; k++)
        CHECK_NEAR(after[k], before[k], 1e-5 * scale);
    pelti_corrector_destroy(c);
}

static void a_bouncing_ball_keeps_its_share_of_speed(void **state)
{
    (void)state;
    PeltSceneObject ball = object("ball", PELT_SHAPE_SPHERE, 0.1f, 0, 0);
    ball.position[1] = 0.5f, ball.restitution = 0.8f;
    PeltScene scene = pelt_scene_default();
    scene.objects = &ball, scene.object_count = 1, scene.has_ground = true;
    PeltiCorrector *c = scene_new(&scene, false);
    double top = 0, fallen = 0;
    for (int i = 0; i < 120; i++) {
        pelti_corrector_step(c, NULL, 1.0 / 120, NULL, NULL);
        PeltiCorrectorView v = pelti_corrector_object(c, 0);
        fallen = fmin(fallen, v.velocity[1]);
        if (fallen < 0 && v.velocity[1] > 0)
            top = fmax(top, v.velocity[1]);
    }
    CHECK_NEAR(top, -0.8 * fallen, 0.05 * -fallen);
    pelti_corrector_destroy(c);
}

static void a_deep_start_is_pushed_out_slowly(void **state)
{
    (void)state;
    PeltSceneObject box = object("box", PELT_SHAPE_BOX, 0.3f, 0.3f, 0.3f);
    box.position[1] = 0.05f; // a third of it in the ground
    PeltScene scene = pelt_scene_default();
    scene.objects = &box, scene.object_count = 1, scene.has_ground = true;
    PeltiCorrector *c = scene_new(&scene, false);
    double fastest = 0;
    for (int i = 0; i < 240; i++) {
        pelti_corrector_step(c, NULL, 1.0 / 60, NULL, NULL);
        fastest = fmax(fastest, fabs(pelti_corrector_object(c, 0).velocity[1]));
    }
    CHECK_NEAR(pelti_corrector_object(c, 0).centre[1], 0.15, 3e-3);
    assert_true(fastest < 0.5);
    pelti_corrector_destroy(c);
}

static void a_soft_box_sags_as_its_stiffness_says(void **state)
{
    (void)state;
    PeltSceneObject box = object("jelly", PELT_SHAPE_BOX, 0.2f, 0.2f, 0.2f);
    box.kind = PELT_OBJECT_SOFT, box.detail = 4, box.young_modulus_pa = 20000, box.position[1] = 0.12f, box.velocity[0] = 0.3f;
    PeltScene scene = pelt_scene_default();
    scene.objects = &box, scene.object_count = 1, scene.has_ground = true, scene.alarm_distance = 0.004f, scene.friction = 0.5f;
    PeltiCorrector *c = scene_new(&scene, false);
    PeltiContactReport report;
    for (int i = 0; i < 240; i++)
        pelti_corrector_step(c, NULL, 1.0 / 60, NULL, &report);
    double weight = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < pelti_corrector_contact_count(c); i++)
        weight += (double)pelti_corrector_contact(c, i).force.y;
    PeltiCorrectorView v = pelti_corrector_object(c, 0);
    for (int i = 0; i < v.vertex_count; i++)
        low = fmin(low, (double)v.x[i].y), high = fmax(high, (double)v.x[i].y);
    CHECK_NEAR(weight, 8 * 9.81, 0.02 * 8 * 9.81); // 8 kg of jelly
    CHECK_NEAR(low, 0, 1e-3);
    // a column under its own weight shortens by rho g H^2 / (2 E) = 0.0098; wider where it stands, held by friction
    if (!(0.2 - (high - low) > 0.005 && 0.2 - (high - low) < 0.012))
        fail_msg("sagged by %g", 0.2 - (high - low));
    pelti_corrector_destroy(c);
}

/// Four soft cubes fall on each other. A host that must answer in time bounds a step's work; what is left waits for the next one,
/// and the heap stays a heap. Each linearisation ends with a sweep over all contacts, which may go beyond.
static void a_heap_of_soft_cubes_takes_no_more_work_than_it_may(void **state)
{
    (void)state;
    enum { CUBES = 4, WORK = 20000, FRAMES = 60 };
    static const char *const names[CUBES] = {"a", "b", "c", "d"};
    PeltSceneObject cubes[CUBES];
    for (int i = 0; i < CUBES; i++) {
        cubes[i] = object(names[i], PELT_SHAPE_BOX, 0.18f, 0.18f, 0.18f);
        cubes[i].kind = PELT_OBJECT_SOFT, cubes[i].detail = 4, cubes[i].density = 200, cubes[i].young_modulus_pa = 2e4f;
        memcpy(cubes[i].position, (float[3]){0.01f * (float)(i % 2), 0.1f + 0.2f * (float)i, 0}, sizeof cubes[i].position);
    }
    PeltScene scene = pelt_scene_default();
    scene.objects = cubes, scene.object_count = CUBES, scene.has_ground = true;
    PeltiCorrector *c = NULL;
    PeltError err = {0};
    assert_int_equal(pelti_corrector_create(&(PeltiCorrectorDef){.scene = &scene, .settings = {.work = WORK}}, NULL, &c, &err),
                     PELT_OK);
    pelti_corrector_step(c, NULL, 0, NULL, NULL);
    long most = 0;
    for (int f = 0; f < FRAMES; f++) {
        PeltiContactReport report;
        pelti_corrector_step(c, NULL, 1.0 / 30, NULL, &report);
        most = report.work > most ? report.work : most;
        if (!(report.work <= WORK + 8L * report.linearisations * (report.contacts + 500)))
            fail_msg("frame %d: %ld visits, %d contacts, %d linearisations", f, report.work, report.contacts,
                     report.linearisations);
    }
    assert_true(most > WORK / 2); // it is a bound that matters
    for (int i = 0; i < CUBES; i++) {
        PeltiCorrectorView cube = pelti_corrector_object(c, i);
        if (!(cube.centre[1] > 0.06 && cube.centre[1] < 0.8))
            fail_msg("cube %d ends at a height of %g", i, cube.centre[1]);
    }
    pelti_corrector_destroy(c);
}

static void bad_scenes_say_what_is_wrong(void **state)
{
    (void)state;
    PeltScene scene = pelt_scene_default();
    PeltSceneObject o = pelt_scene_object_default();
    scene.objects = &o, scene.object_count = 1;
    PeltiCorrector *c = NULL;
    PeltError err;
    const float triangle[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int face[1][3] = {{0, 1, 2}}, beyond[1][3] = {{0, 1, 7}};
    for (int k = 0; k < 7; k++) {
        o = pelt_scene_object_default();
        err.text[0] = 0;
        if (k == 0)
            o.mass_kg = -1;
        else if (k == 1)
            o.position[1] = NAN;
        else if (k == 2)
            o.size[1] = 0;
        else if (k == 3)
            o.shape = PELT_SHAPE_MESH; // no mesh
        else if (k >= 4) {
            o.shape = PELT_SHAPE_MESH, o.vertices = triangle, o.vertex_count = 3, o.triangles = k == 4 ? beyond : face,
            o.triangle_count = 1;
            o.kind = k == 5 ? PELT_OBJECT_SOFT : PELT_OBJECT_RIGID; // open: refused as soft, a box as rigid
        }
        PeltStatus status = pelti_corrector_create(&(PeltiCorrectorDef){.scene = &scene}, NULL, &c, &err);
        if (k == 6) {
            assert_int_equal(status, PELT_OK);
            pelti_corrector_destroy(c);
        } else {
            assert_int_equal(status, PELT_BAD_INPUT);
            assert_non_null(strstr(err.text, "object"));
        }
    }
    PeltSceneObject *many = calloc(10000, sizeof *many);
    scene.objects = many, scene.object_count = 10000;
    assert_int_equal(pelti_corrector_create(&(PeltiCorrectorDef){.scene = &scene}, NULL, &c, &err), PELT_UNSUPPORTED);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_block_sticks_below_and_slides_above_the_friction_angle),
                                       cmocka_unit_test(a_sliding_block_accelerates_as_it_should),
                                       cmocka_unit_test(a_stack_of_five_boxes_stands),
                                       cmocka_unit_test(a_free_collision_keeps_momentum),
                                       cmocka_unit_test(a_bouncing_ball_keeps_its_share_of_speed),
                                       cmocka_unit_test(a_deep_start_is_pushed_out_slowly),
                                       cmocka_unit_test(a_soft_box_sags_as_its_stiffness_says),
                                       cmocka_unit_test(a_heap_of_soft_cubes_takes_no_more_work_than_it_may),
                                       cmocka_unit_test(bad_scenes_say_what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
