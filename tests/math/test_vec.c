/// Rotations and transforms: inverses undo, matrices and quaternions agree, degenerate ones still rotate; and orders of numbers.
#include "check.h"
#include "math/order.h"
#include "math/vec.h"

#include <limits.h>
#include <stdlib.h>

static uint32_t seed = 7;
static float random_unit(void) // in [-1, 1)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}
static Mat3 random_matrix(void)
{
    Mat3 a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] = random_unit();
    return a;
}
static Quat random_quat(void)
{
    return quat_normalize((Quat){random_unit(), random_unit(), random_unit(), random_unit()});
}
static void check_matrix(Mat3 a, Mat3 b, float tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(a.m[i][j], b.m[i][j], tolerance);
}
static void check_rotation(Mat3 r)
{
    check_matrix(mat3_mul(mat3_transpose(r), r), mat3_identity(), 2e-6f);
    CHECK_NEAR(mat3_det(r), 1, 2e-6);
}
static float agreement(Mat3 r, Mat3 a) // tr(R^T A), what the polar rotation maximises
{
    Mat3 b = mat3_mul(mat3_transpose(r), a);
    return b.m[0][0] + b.m[1][1] + b.m[2][2];
}

static void polar_is_proper_and_no_rotation_agrees_better(void **state)
{
    (void)state;
    for (int n = 0; n < 300; n++) {
        Mat3 a = random_matrix(), stretch;
        if (n % 3 == 1)
            for (int j = 0; j < 3; j++)
                a.m[2][j] = 0.5f * a.m[0][j] - a.m[1][j]; // rank two
        if (n % 3 == 2 && mat3_det(a) > 0)
            a = mat3_scale(a, -1); // inverted
        Mat3 r = mat3_polar(a, &stretch);
        check_rotation(r);
        check_matrix(mat3_mul(r, stretch), a, 3e-6f);
        check_matrix(stretch, mat3_transpose(stretch), 3e-6f);
        for (int k = 0; k < 20; k++)
            assert_true(agreement(quat_to_mat3(random_quat()), a) <= agreement(r, a) + 1e-5f);
    }
}

static void polar_of_degenerate_matrices_is_a_rotation(void **state)
{
    (void)state;
    Mat3 zero = {{{0}}}, one = {{{0, 0, 0}, {0, 0, 2}, {0, 0, 0}}}, mirror = {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
    Mat3 minus = mat3_scale(mat3_identity(), -1), tiny = mat3_scale(mat3_identity(), 1e-30f);
    check_matrix(mat3_polar(zero, NULL), mat3_identity(), 0);
    check_matrix(mat3_polar(tiny, NULL), mat3_identity(), 1e-6f);
    check_rotation(mat3_polar(one, NULL));
    CHECK_NEAR(agreement(mat3_polar(one, NULL), one), 2, 1e-6);
    check_rotation(mat3_polar(mirror, NULL));
    CHECK_NEAR(agreement(mat3_polar(mirror, NULL), mirror), 1, 1e-5);
    check_rotation(mat3_polar(minus, NULL));
    CHECK_NEAR(agreement(mat3_polar(minus, NULL), minus), 1, 1e-5);
}

static void quaternions_and_matrices_agree(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n++) {
        Quat a = random_quat(), b = random_quat();
        Vec3 v = vec3(random_unit(), random_unit(), random_unit());
        check_matrix(quat_to_mat3(quat_mul(a, b)), mat3_mul(quat_to_mat3(a), quat_to_mat3(b)), 2e-6f);
        CHECK_NEAR(vec3_distance(quat_rotate(a, v), mat3_apply(quat_to_mat3(a), v)), 0, 2e-6);
        CHECK_NEAR(fabsf(quat_dot(quat_from_mat3(quat_to_mat3(a)), a)), 1, 1e-6);
    }
    for (int axis = 0; axis < 3; axis++) { // half turns: the branches of quat_from_mat3
        Vec3 u = vec3(axis == 0, axis == 1, axis == 2);
        Quat half = quat_axis_angle(u, 3.14159265f);
        CHECK_NEAR(fabsf(quat_dot(quat_from_mat3(quat_to_mat3(half)), half)), 1, 1e-6);
    }
}

static void slerp_turns_at_constant_speed_the_short_way(void **state)
{
    (void)state;
    Quat a = quat_axis_angle(vec3(0, 0, 1), 0.2f), b = quat_axis_angle(vec3(0, 0, 1), 2.2f);
    for (int i = 0; i <= 10; i++) {
        Quat q = quat_slerp(a, b, (float)i / 10);
        CHECK_NEAR(quat_angle(q), 0.2f + 0.2f * (float)i, 2e-6);
    }
    Quat other = {-b.x, -b.y, -b.z, -b.w};
    CHECK_NEAR(quat_angle(quat_slerp(a, other, 0.5f)), 1.2f, 2e-6);
    CHECK_NEAR(quat_angle(quat_slerp(a, a, 0.3f)), 0.2f, 1e-6);
}

static void from_to_carries_one_direction_to_the_other(void **state)
{
    (void)state;
    for (int n = 0; n < 100; n++) {
        Vec3 a = vec3_normalize_or(vec3(random_unit(), random_unit(), random_unit()), vec3(1, 0, 0));
        Vec3 b = n % 5 ? vec3_normalize_or(vec3(random_unit(), random_unit(), random_unit()), vec3(1, 0, 0)) : vec3_scale(a, -1);
        CHECK_NEAR(vec3_distance(quat_rotate(quat_from_to(a, b), a), b), 0, 1e-5);
    }
}

static void inverses_undo(void **state)
{
    (void)state;
    for (int n = 0; n < 100; n++) {
        Mat3 a = mat3_add(random_matrix(), mat3_scale(mat3_identity(), 2)), inverse;
        assert_true(mat3_inverse(a, &inverse));
        check_matrix(mat3_mul(a, inverse), mat3_identity(), 1e-5f);
        Mat34 m = mat34_from(a, vec3(random_unit(), random_unit(), random_unit())), back;
        assert_true(mat34_inverse(m, &back));
        Vec3 v = vec3(random_unit(), random_unit(), random_unit());
        CHECK_NEAR(vec3_distance(mat34_apply(back, mat34_apply(m, v)), v), 0, 1e-5);
    }
    Mat3 flat = {{{1, 2, 3}, {2, 4, 6}, {0, 1, 0}}}, untouched = mat3_identity();
    assert_false(mat3_inverse(flat, &untouched));
    check_matrix(untouched, mat3_identity(), 0);
}

static void transforms_come_back_from_matrices(void **state)
{
    (void)state;
    for (int n = 0; n < 100; n++) {
        Trs t = {vec3(random_unit(), random_unit(), random_unit()), random_quat(),
                 vec3(1.5f + random_unit(), 1.5f + random_unit(), 1.5f + random_unit())};
        Trs back = trs_from_mat34(mat34_from_trs(t));
        CHECK_NEAR(vec3_distance(t.translation, back.translation), 0, 1e-6);
        CHECK_NEAR(vec3_distance(t.scale, back.scale), 0, 1e-5);
        CHECK_NEAR(fabsf(quat_dot(t.rotation, back.rotation)), 1, 1e-6);
    }
}

static void bad_quaternions_become_the_identity(void **state)
{
    (void)state;
    CHECK_NEAR(quat_normalize((Quat){0, 0, 0, 0}).w, 1, 0);
    CHECK_NEAR(quat_normalize((Quat){NAN, 0, 0, 1}).w, 1, 0);
    CHECK_NEAR(fabsf(vec3_dot(vec3_orthogonal(vec3(3, -1, 2)), vec3(3, -1, 2))), 0, 1e-6);
    CHECK_NEAR(vec3_length(vec3_orthogonal(vec3(0, 0, 5))), 1, 1e-6);
}

static void numbers_are_ordered_and_rise_as_told(void **state)
{
    (void)state;
    assert_true(lesser(1, 2) == 1 && larger(1, 2) == 2 && lesser(2, 1) == 1 && larger(2, 1) == 2);
    assert_true(lesser(NAN, 2) == 2 && larger(NAN, 2) == 2 && isnan(lesser(2, NAN)) && isnan(larger(2, NAN))); // b
    assert_true(smooth_step(0) == 0 && smooth_step(0.5f) == 0.5f && smooth_step(1) == 1);
    assert_true(smooth_rise(-3) == 0 && smooth_rise(0.25f) == smooth_step(0.25f) && smooth_rise(3) == 1);
    double d[3] = {2, -1, 0.5};
    float f[3] = {2, -1, 0.5f};
    int i[3] = {2, INT_MIN, INT_MAX}; // a difference would overflow
    int64_t l[3] = {2, INT64_MIN, INT64_MAX};
    qsort(d, 3, sizeof *d, pelti_double_order);
    qsort(f, 3, sizeof *f, pelti_float_order);
    qsort(i, 3, sizeof *i, pelti_int_order);
    qsort(l, 3, sizeof *l, pelti_int64_order);
    assert_true(d[0] == -1 && d[1] == 0.5 && d[2] == 2 && f[0] == -1 && f[1] == 0.5f && f[2] == 2);
    assert_true(i[0] == INT_MIN && i[1] == 2 && i[2] == INT_MAX && l[0] == INT64_MIN && l[1] == 2 && l[2] == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polar_is_proper_and_no_rotation_agrees_better),
        cmocka_unit_test(polar_of_degenerate_matrices_is_a_rotation),
        cmocka_unit_test(quaternions_and_matrices_agree),
        cmocka_unit_test(slerp_turns_at_constant_speed_the_short_way),
        cmocka_unit_test(from_to_carries_one_direction_to_the_other),
        cmocka_unit_test(inverses_undo),
        cmocka_unit_test(transforms_come_back_from_matrices),
        cmocka_unit_test(bad_quaternions_become_the_identity),
        cmocka_unit_test(numbers_are_ordered_and_rise_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
