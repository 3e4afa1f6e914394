/// Between two poses a chain of bones turns about its joints and keeps its length.
#include "chain.h"

#include "character/motion.h"

static void chain_keeps_its_length_on_the_way(void **state)
{
    (void)state;
    Vec3 p[1] = {{0, 0, 0}};
    int points[] = {1}, none[1][3] = {{0, 0, 0}};
    PeltiCharacter *who = make_chain((ChainBones){4, 1, 2}, 1, points, (ChainSkin){1, p, 0, (const int(*)[3])none});
    PeltiArena arena = {.base = pelti_pool_take(&who->pool, 1 << 14, 1)};
    PeltiMotion motion = pelti_motion_in(&arena, who);
    pelti_motion_start(&motion);
    // each joint bent by 1 rad about z against its parent, the root moved
    Mat34 to[4], at[4];
    PeltiJoint joints[4];
    Quat bend = quat_axis_angle(vec3(0, 0, 1), 1);
    for (int b = 0; b < 4; b++) {
        Vec3 head = who->bones[b].head;
        Mat3 r = quat_to_mat3(bend);
        Mat34 turn = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
        to[b] = b ? mat34_mul(to[b - 1], turn) : mat34_mul(mat34_from(mat3_identity(), vec3(3, 4, 5)), turn);
        joints[b] = (PeltiJoint){bend, b ? head : vec3_add(head, vec3(3, 4, 5)), mat3_identity()};
    }
    pelti_motion_to(&motion, to, joints);
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
    // a bone that is scaled away, and with it what hangs on it: half way all is half as large, and nothing breaks
    Mat34 flat[4];
    PeltiJoint gone[4];
    memcpy(gone, joints, sizeof gone);
    gone[1].stretch = (Mat3){{{0}}};
    for (int b = 0; b < 4; b++) {
        Vec3 head = mat34_apply(to[b], who->bones[b].head);
        flat[b] = b ? mat34_from((Mat3){{{0}}}, mat34_apply(to[1], who->bones[1].head)) : to[0];
        assert_true(b > 1 || vec3_distance(mat34_apply(flat[b], who->bones[b].head), head) < 1e-5f);
    }
    pelti_motion_arrive(&motion);
    pelti_motion_to(&motion, flat, gone);
    pelti_motion_at(&motion, 0.5f, at);
    Vec3 joint = mat34_apply(to[1], who->bones[1].head);
    for (int b = 1; b < 4; b++) {
        Vec3 whole = vec3_sub(mat34_apply(to[b], vec3(1, 2, 3)), joint),
             half = vec3_sub(mat34_apply(at[b], vec3(1, 2, 3)), joint);
        CHECK_NEAR(vec3_distance(half, vec3_scale(whole, 0.5f)), 0, 1e-5);
    }
    pelti_motion_reset(&motion);
    CHECK_NEAR(pelti_motion_largest_turn(&motion), 0, 1e-6);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain_keeps_its_length_on_the_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
