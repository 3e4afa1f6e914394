#include "chain.h"

#include "character/motion.h"

static void chain_keeps_its_length_on_the_way(void **state)
{
    (void)state;
    Vec3 p[1] = {{0, 0, 0}};
    int points[] = {1}, none[1][3] = {{0, 0, 0}};
    PeltiCharacter *who = make_chain(4, 1, 2, 1, points, 1, p, 0, (const int(*)[3])none);
    PeltiArena arena = {.base = pelti_pool_take(&who->pool, 1 << 14, 1)};
    PeltiMotion motion = pelti_motion_in(&arena, who);
    pelti_motion_order(&motion);
    // each joint bent by 1 rad about z against its parent, the root moved
    Mat34 to[4], at[4];
    Quat bend = quat_axis_angle(vec3(0, 0, 1), 1);
    for (int b = 0; b < 4; b++) {
        Vec3 head = who->bones[b].head;
        Mat3 r = quat_to_mat3(bend);
        Mat34 turn = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
        to[b] = b ? mat34_mul(to[b - 1], turn) : mat34_mul(mat34_from(mat3_identity(), vec3(3, 4, 5)), turn);
    }
    pelti_motion_set(&motion, NULL, to);
    CHECK_NEAR(pelti_motion_largest_turn(&motion), 1, 1e-5);
    for (int i = 0; i <= 10; i++) {
        float t = (float)i / 10;
        pelti_motion_at(&motion, t, at);
        for (int b = 0; b < 3; b++)
            CHECK_NEAR(vec3_distance(mat34_apply(at[b], who->bones[b].head), mat34_apply(at[b + 1], who->bones[b + 1].head)), 2,
                       1e-5);
        for (int b = 0; b < 4; b++) // the turns about one axis add up
            CHECK_NEAR(quat_angle(quat_from_mat3(mat34_linear(at[b]))),
                       fminf(t * (float)(b + 1), 6.2831853f - t * (float)(b + 1)), 1e-4);
        CHECK_NEAR(mat34_apply(at[0], who->bones[0].head).x, 1 + 3 * t, 1e-5);
    }
    pelti_motion_at(&motion, 1, at);
    assert_memory_equal(at, to, sizeof at);
    // a parent without an inverse: the child goes straight, nothing breaks
    Mat34 flat[4];
    memcpy(flat, to, sizeof flat);
    flat[1] = (Mat34){{{0}}};
    pelti_motion_set(&motion, to, flat);
    pelti_motion_at(&motion, 0.5f, at);
    for (int b = 0; b < 4; b++)
        assert_true(vec3_finite(mat34_apply(at[b], vec3(1, 2, 3))));
    CHECK_NEAR(vec3_distance(mat34_apply(at[2], vec3(1, 2, 3)), mat34_apply(to[2], vec3(1, 2, 3))), 0, 1e-4);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain_keeps_its_length_on_the_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
