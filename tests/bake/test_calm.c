/// Skin that trembles comes to rest while a pose is held, follows bones that creep, and is the method's own while they move.
#include "check.h"

#include "bake/calm.h"
#include "builtin/builtin.h"

static const float DT = 1.0f / 30;

typedef struct Calming {
    PeltiCharacter *who;
    PeltiCalm *calm;
    Mat34 bones[2];
    Vec3 *x, *before;
} Calming;

static Calming begin(void)
{
    Calming c = {.bones = {mat34_identity(), mat34_identity()}};
    PeltiBuiltinOptions options = {.vertices = 500};
    assert_int_equal(pelti_builtin_make("cylinder", &options, NULL, NULL, &c.who, NULL), PELT_OK);
    PeltiWeights *weights = PELTI_NEW(&c.who->pool, PeltiWeights, 1);
    int count = c.who->mesh->vertex_count, *bone = PELTI_NEW(&c.who->pool, int, count);
    float *one = PELTI_NEW(&c.who->pool, float, count);
    for (int v = 0; v < count; v++)
        one[v] = 1;
    *weights = (PeltiWeights){1, bone, one}; // all on the first bone
    assert_int_equal(pelti_calm_create(c.who, weights, 0.5f, &c.who->pool, &c.calm, NULL), PELT_OK);
    c.x = PELTI_NEW(&c.who->pool, Vec3, count);
    c.before = PELTI_NEW(&c.who->pool, Vec3, count);
    return c;
}

/// The method trembles: rest, carried by its bone, and a share of the size to and fro.
static void step(Calming *c, int frame, bool touched)
{
    float by = (frame % 2 ? 0.01f : -0.01f) * c->who->mesh->diagonal;
    for (int v = 0; v < c->who->mesh->vertex_count; v++) {
        c->before[v] = c->x[v];
        c->x[v] = vec3_add(mat34_apply(c->bones[0], c->who->mesh->rest[v]), vec3(by, 0, 0));
    }
    pelti_calm_apply(c->calm, &(PeltiCalmStep){c->bones, DT, frame == 0, touched}, c->x);
}

static float moved(const Calming *c)
{
    return vec3_distance(c->x[7], c->before[7]) / c->who->mesh->diagonal;
}

static void a_held_pose_comes_to_rest(void **state)
{
    (void)state;
    Calming c = begin();
    for (int frame = 0; frame <= 60; frame++) {
        step(&c, frame, false);
        if (frame > 1 && frame <= 14) // half a second of it is the method's own
            CHECK_NEAR(moved(&c), 0.02f, 1e-6);
    }
    assert_true(moved(&c) * 30 < 1e-4f);
    assert_true(fabsf(c.x[7].x - c.who->mesh->rest[7].x) <= 0.0101f * c.who->mesh->diagonal);
    pelti_character_destroy(c.who);
}

static void bones_that_creep_take_it_along(void **state)
{
    (void)state;
    Calming c = begin();
    float creep = 1e-5f * c.who->mesh->diagonal;
    for (int frame = 0; frame <= 80; frame++) {
        step(&c, frame, false);
        if (frame > 60) // 30 creeps since it was first called held: less than a pose
            CHECK_NEAR((c.x[7].y - c.before[7].y) / creep, 1, 0.1);
        c.bones[0].m[1][3] += creep;
    }
    pelti_character_destroy(c.who);
}

static void a_pose_that_moves_is_the_methods(void **state)
{
    (void)state;
    Calming c = begin();
    float way = 0.01f * c.who->mesh->diagonal, size = c.who->mesh->diagonal;
    int frame = 0;
    for (; frame <= 40; frame++) // after a rest
        step(&c, frame, false);
    for (; frame <= 90; frame++) {
        c.bones[0].m[1][3] += way;
        step(&c, frame, false);
        if (frame == 41)
            assert_true(moved(&c) < 0.025f); // no jump
    }
    Vec3 own = vec3_add(mat34_apply(c.bones[0], c.who->mesh->rest[7]), vec3(-0.01f * size, 0, 0));
    assert_memory_equal(&c.x[7], &own, sizeof own);
    pelti_character_destroy(c.who);
}

static void what_objects_touch_is_left_alone(void **state)
{
    (void)state;
    Calming c = begin();
    for (int frame = 0; frame <= 60; frame++)
        step(&c, frame, true);
    CHECK_NEAR(moved(&c), 0.02f, 1e-6);
    pelti_character_destroy(c.who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_pose_comes_to_rest),
        cmocka_unit_test(bones_that_creep_take_it_along),
        cmocka_unit_test(a_pose_that_moves_is_the_methods),
        cmocka_unit_test(what_objects_touch_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
