/// Batched rotations are those of the reference, follow a motion when warm, and stay proper where matrices are degenerate.
#include "check.h"
#include "core/clock.h"
#include "math/polar.h"

enum { BLOCKS = 256, LANES = PELTI_POLAR_LANES };
static PeltiMat3Block matrices[BLOCKS], rotations[BLOCKS];
static PeltiQuatBlock warm[BLOCKS];

static uint32_t seed = 11;
static float random_unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}
static Mat3 lane_of(const PeltiMat3Block *b, int lane)
{
    Mat3 a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] = b->m[i][j][lane];
    return a;
}
static void set_lane(PeltiMat3Block *b, int lane, Mat3 a)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b->m[i][j][lane] = a.m[i][j];
}
static float agreement(Mat3 r, Mat3 a)
{
    float sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += r.m[i][j] * a.m[i][j];
    return sum;
}

/// Every rotation is proper and agrees with its matrix as well as the scalar reference does; where the reference is well
/// determined (no reflection, rank three) the rotations themselves are equal.
static void compare_with_reference(float tolerance)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int lane = 0; lane < LANES; lane++) {
            Mat3 a = lane_of(&matrices[b], lane), r = lane_of(&rotations[b], lane), reference = mat3_polar(a, NULL);
            Mat3 unit = mat3_mul(mat3_transpose(r), r);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    CHECK_NEAR(unit.m[i][j], i == j, 3e-6);
            CHECK_NEAR(mat3_det(r), 1, 3e-6);
            float size = sqrtf(agreement(a, a));
            CHECK_NEAR(agreement(r, a), agreement(reference, a), 2e-6f * size + 1e-35f);
            if (mat3_det(a) > 0.05f * size * size * size)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        CHECK_NEAR(r.m[i][j], reference.m[i][j], tolerance);
        }
}

static void fill_random(void)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int lane = 0; lane < LANES; lane++)
                    matrices[b].m[i][j][lane] = random_unit();
}

static void cold_random_matrices_match_the_reference(void **state)
{
    (void)state;
    fill_random(); // half of them inverted
    pelti_polar_reset(warm, BLOCKS);
    pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    compare_with_reference(2e-5f);
}

static void warm_starts_follow_a_motion(void **state)
{
    (void)state;
    fill_random();
    pelti_polar_reset(warm, BLOCKS);
    for (int step = 0; step < 10; step++) {
        for (int b = 0; b < BLOCKS; b++)
            for (int lane = 0; lane < LANES; lane++) {
                Mat3 a = lane_of(&matrices[b], lane);
                Mat3 turn = quat_to_mat3(quat_axis_angle(vec3(0.6f, 0, 0.8f), 0.1f * (float)(b % 7)));
                set_lane(&matrices[b], lane, mat3_mul(turn, a));
            }
        pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    }
    compare_with_reference(2e-5f);
}

static void degenerate_matrices_give_proper_rotations(void **state)
{
    (void)state;
    for (int b = 0; b < BLOCKS; b++)
        for (int lane = 0; lane < LANES; lane++) {
            float scale = powf(10.0f, 3 * (float)(b % 9) - 16);
            Vec3 u = vec3(random_unit(), random_unit(), random_unit()), v = vec3(random_unit(), random_unit(), random_unit());
            Mat3 a = {{{0}}};
            if (lane == 1)
                a = mat3_scale(mat3_identity(), -scale); // three equal stretches, reflected
            if (lane == 2)
                a = (Mat3){{{scale, 0, 0}, {0, scale, 0}, {0, 0, -scale}}};
            if (lane == 3) // rank one
                a = (Mat3){
                    {{u.x * v.x, u.x * v.y, u.x * v.z}, {u.y * v.x, u.y * v.y, u.y * v.z}, {u.z * v.x, u.z * v.y, u.z * v.z}}};
            if (lane == 4) // rank two
                a = (Mat3){{{u.x, u.y, u.z}, {v.x, v.y, v.z}, {u.x + v.x, u.y + v.y, u.z + v.z}}};
            if (lane == 5) // half a turn away from the warm start
                a = quat_to_mat3(quat_axis_angle(vec3_normalize_or(u, v), 3.14159265f));
            if (lane == 6)
                a = mat3_scale(quat_to_mat3(quat_axis_angle(vec3_normalize_or(u, v), 3)), scale);
            if (lane == 7)
                a = (Mat3){{{scale, 0, 0}, {0, 1e-6f * scale, 0}, {0, 0, -1e-6f * scale}}};
            set_lane(&matrices[b], lane, a);
        }
    pelti_polar_reset(warm, BLOCKS);
    for (int again = 0; again < 3; again++) {
        pelti_polar_batch(matrices, warm, rotations, BLOCKS);
        compare_with_reference(1e-4f);
    }
}

static void lanes_that_are_not_finite_keep_their_rotation(void **state)
{
    (void)state;
    fill_random();
    pelti_polar_reset(warm, BLOCKS);
    pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    Mat3 before = lane_of(&rotations[0], 3);
    matrices[0].m[1][1][3] = NAN;
    pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(rotations[0].m[i][j][3], before.m[i][j], 1e-6);
    matrices[0].m[1][1][3] = 1;
    pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    compare_with_reference(2e-5f);
}

static void time_is_printed(void **state)
{
    (void)state;
    fill_random();
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < 3; i++)
            for (int lane = 0; lane < LANES; lane++)
                matrices[b].m[i][i][lane] += 2.5f; // as tissue: near a rotation
    pelti_polar_reset(warm, BLOCKS);
    pelti_polar_batch(matrices, warm, rotations, BLOCKS);
    double best = 1e9;
    for (int round = 0; round < 40; round++) {
        for (int b = 0; b < BLOCKS; b++)
            for (int lane = 0; lane < LANES; lane++)
                matrices[b].m[0][1][lane] += round & 1 ? 0.05f : -0.05f;
        double start = pelti_clock_ms();
        for (int again = 0; again < 4; again++)
            pelti_polar_batch(matrices, warm, rotations, BLOCKS);
        double ms = pelti_clock_ms() - start;
        best = ms < best ? ms : best;
    }
    printf("polar: %.1f ns a matrix, warm\n", best * 1e6 / (4.0 * BLOCKS * LANES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_random_matrices_match_the_reference),
        cmocka_unit_test(warm_starts_follow_a_motion),
        cmocka_unit_test(degenerate_matrices_give_proper_rotations),
        cmocka_unit_test(lanes_that_are_not_finite_keep_their_rotation),
        cmocka_unit_test(time_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
