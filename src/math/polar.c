/// Rotations nearest to many 3x3 matrices, eight at a time.
#include "math/polar_wide.h"

enum { POLAR_STEPS = 8 }; // a warm start needs one or two; a turn of 180 degrees about five

void pelti_polar_reset(PeltiQuatBlock *warm, int block_count)
{
    for (int b = 0; b < block_count; b++)
        for (int k = 0; k < PELT_W; k++) {
            warm[b].q[0][k] = warm[b].q[1][k] = warm[b].q[2][k] = 0;
            warm[b].q[3][k] = 1;
        }
}

/// The scalar reference for one lane that did not converge.
static void finish_lane(const float a[3][3][PELT_W], float q[4][PELT_W], float r[3][3][PELT_W], int lane)
{
    Mat3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!isfinite(a[i][j][lane]))
                return;
            m.m[i][j] = a[i][j][lane];
        }
    Mat3 rotation = mat3_polar(m, NULL);
    Quat quat = quat_from_mat3(rotation);
    q[0][lane] = quat.x;
    q[1][lane] = quat.y;
    q[2][lane] = quat.z;
    q[3][lane] = quat.w;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j][lane] = rotation.m[i][j];
}

/// Out of line, in memory: rare. Lanes that were not finite go back to the warm quaternion.
static __attribute__((noinline)) void finish_block(const PeltiMat3Block *matrices, const int32_t bad[PELT_W], PeltiQuatBlock *q,
                                                   PeltiMat3Block *rotations, const PeltiQuatBlock *warm)
{
    for (int lane = 0; lane < PELT_W; lane++) {
        if (!bad[lane])
            continue;
        Quat old = {warm->q[0][lane], warm->q[1][lane], warm->q[2][lane], warm->q[3][lane]};
        Mat3 keep = quat_to_mat3(old);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                rotations->m[i][j][lane] = keep.m[i][j];
        for (int i = 0; i < 4; i++)
            q->q[i][lane] = warm->q[i][lane];
        finish_lane(matrices->m, q->q, rotations->m, lane);
    }
}

PELTI_WIDE void store_rotation(const RotationW *r, PeltiQuatBlock *q, PeltiMat3Block *m)
{
    PELTI_UNROLL
    for (int i = 0; i < 4; i++)
        store_w(q->q[i], r->q[i]);
    PELTI_UNROLL
    for (int i = 0; m && i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        store_w(m->m[i][j], r->m[i][j]);
}

PELTI_WIDE void polar_block(const PeltiMat3Block *matrix, PeltiQuatBlock *warm, PeltiMat3Block *out)
{
    FloatW a[3][3], turn2 = splat_w(0);
    RotationW r;
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        a[i][j] = load_w(matrix->m[i][j]);
    PELTI_UNROLL
    for (int i = 0; i < 4; i++)
        r.q[i] = load_w(warm->q[i]);
    normalize_w(a);
    FloatW size = matrix_size_w(a), done = splat_w(1e-6f); // a step of 1e-3 rad leaves an error of its square
    rotation_matrix_w(&r);
    for (int step = 0; step < POLAR_STEPS; step++) {
        turn2 = rotation_newton_w(&r, a, size);
        if (all_w(less_w(turn2, done)))
            break;
    }
    MaskW good = less_w(turn2, done);
    if (all_w(good)) {
        store_rotation(&r, warm, out);
        return;
    }
    int32_t bad[PELT_W];
    for (int lane = 0; lane < PELT_W; lane++)
        bad[lane] = !lane_is(good, lane);
    PeltiQuatBlock q;
    PeltiMat3Block m;
    store_rotation(&r, &q, &m);
    finish_block(matrix, bad, &q, &m, warm);
    *warm = q;
    if (out)
        *out = m;
}

PELTI_CLONES static void polar_blocks(const PeltiMat3Block *matrices, PeltiQuatBlock *warm, PeltiMat3Block *rotations,
                                      int block_count)
{
    for (int b = 0; b < block_count; b++)
        polar_block(&matrices[b], &warm[b], rotations ? &rotations[b] : NULL);
}

void pelti_polar_batch(const PeltiMat3Block *matrices, PeltiQuatBlock *warm, PeltiMat3Block *rotations, int block_count)
{
    polar_blocks(matrices, warm, rotations, block_count); // clones stay static: gcc exports a cloned function's symbol
}
