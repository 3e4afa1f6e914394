/// The local step: a rotation for every element, and what it pulls at the skin [Komaritzan2018] sec. 4.1 and 6.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include "math/polar_wide.h"

enum { BLOCK_GRAIN = 48 };

typedef struct Local {
    const ProjTissue *tissue;
    const ProjRow *x;
    ProjFrame *frames;
    PeltiQuatBlock *warm;
    ProjRow *rows;
    ProjSwell *swell;
    float amount;
} Local;

PELTI_WIDE void add_outer(FloatW f[3][3], const FloatW x[3], const float pull[3][PROJ_LANES])
{
    PELTI_UNROLL
    for (int j = 0; j < 3; j++) {
        FloatW g = load_w(pull[j]);
        PELTI_UNROLL
        for (int i = 0; i < 3; i++)
            f[i][j] = mad_w(x[i], g, f[i][j]);
    }
}

PELTI_WIDE void load_from(FloatW x[3], const ProjRow *rows, const int index[PROJ_LANES], FloatW from[3])
{
    load_rows_w(x, rows, index);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        x[i] = sub_w(x[i], from[i]);
}

PELTI_CLONES static void frame_blocks(const Local *l, int begin, int end)
{
    for (int b = begin; b < end; b++) {
        const ProjBlock *block = &l->tissue->look[b];
        FloatW f[3][3], x[3], from[3];
        load_rows_w(from, l->x, block->corner[0]);
        PELTI_UNROLL
        for (int i = 0; i < 3; i++)
            PELTI_UNROLL
        for (int j = 0; j < 3; j++)
            f[i][j] = splat_w(0);
        PELTI_UNROLL
        for (int c = 1; c < 3; c++) {
            load_from(x, l->x, block->corner[c], from);
            add_outer(f, x, block->base[c]);
        }
        PELTI_UNROLL
        for (int i = 0; i < 3; i++) {
            store_w(l->frames[b].from[i], from[i]);
            PELTI_UNROLL
            for (int j = 0; j < 3; j++)
                store_w(l->frames[b].f[i][j], f[i][j]);
        }
    }
}

/// F of eight elements.
PELTI_WIDE void element_gradients(const Local *l, int b, FloatW f[3][3])
{
    const ProjBlock *block = &l->tissue->look[b];
    FloatW x[3], from[3], over_volume = load_w(block->over_volume);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++) {
        from[i] = load_w(l->frames[b].from[i]);
        PELTI_UNROLL
        for (int j = 0; j < 3; j++)
            f[i][j] = load_w(l->frames[b].f[i][j]);
    }
    PELTI_UNROLL
    for (int c = 0; c < 3; c++) {
        load_from(x, l->x, block->corner[c], from);
        add_outer(f, x, block->pull[c]);
    }
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        f[i][j] = mul_w(f[i][j], over_volume);
}

PELTI_CLONES static void swell_blocks(const Local *l, int begin, int end)
{
    FloatW one = splat_w(1), most = splat_w(SWELL_MOST), relax = splat_w(SWELL_RELAX), amount = splat_w(l->amount);
    for (int b = begin; b < end; b++) {
        FloatW f[3][3], s = load_w(l->swell[b].s);
        element_gradients(l, b, f);
        FloatW det = mul_w(f[0][0], sub_w(mul_w(f[1][1], f[2][2]), mul_w(f[1][2], f[2][1])));
        det = mad_w(f[0][1], sub_w(mul_w(f[1][2], f[2][0]), mul_w(f[1][0], f[2][2])), det);
        det = mad_w(f[0][2], sub_w(mul_w(f[1][0], f[2][1]), mul_w(f[1][1], f[2][0])), det);
        FloatW goal = min_w(max_w(mad_w(amount, sub_w(one, det), one), one), most);
        store_w(l->swell[b].s, mad_w(relax, sub_w(goal, s), s));
    }
}

/// Newton from the last rotation. The steps are few and fixed: an element that has not arrived goes on in the next
/// iteration, and no step lowers its agreement by more than rounding.
PELTI_CLONES static void local_blocks(const Local *l, int begin, int end)
{
    FloatW done = splat_w(LOCAL_STILL);
    for (int b = begin; b < end; b++) {
        const ProjBlock *block = &l->tissue->blocks[b];
        FloatW f[3][3];
        RotationW r;
        element_gradients(l, b, f);
        PELTI_UNROLL
        for (int i = 0; i < 4; i++)
            r.q[i] = load_w(l->warm[b].q[i]);
        rotation_matrix_w(&r);
        FloatW size = matrix_size_w(f);
        for (int step = 0; step < LOCAL_STEPS; step++)
            if (all_w(less_w(rotation_newton_w(&r, f, size), done)))
                break;
        PELTI_UNROLL
        for (int i = 0; i < 4; i++)
            store_w(l->warm[b].q[i], r.q[i]);
        FloatW swell = load_w(l->swell[b].s);
        PELTI_UNROLL
        for (int c = 0; c < 3; c++) {
            FloatW g[3], out[3];
            PELTI_UNROLL
            for (int j = 0; j < 3; j++)
                g[j] = mul_w(load_w(block->pull[c][j]), swell);
            PELTI_UNROLL
            for (int i = 0; i < 3; i++)
                out[i] = mad_w(r.m[i][0], g[0], mad_w(r.m[i][1], g[1], mul_w(r.m[i][2], g[2])));
            store_rows_w(&l->rows[(b * 3 + c) * PROJ_LANES], out[0], out[1], out[2]);
        }
    }
}

static void frame_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    frame_blocks(context, begin, end);
}

static void swell_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    swell_blocks(context, begin, end);
}

static void local_job(void *context, int begin, int end, int worker)
{
    (void)worker;
    local_blocks(context, begin, end);
}

void pelti_proj_frames(const ProjTissue *tissue, PeltiJobs *jobs, const ProjRow *q, ProjFrame *out)
{
    Local l = {.tissue = tissue, .x = q, .frames = out};
    pelti_parallel_for(jobs, tissue->block_count, BLOCK_GRAIN, frame_job, &l);
}

void pelti_proj_swell(const ProjTissue *tissue, PeltiJobs *jobs, const ProjRow *x, const ProjFrame *frames, float amount,
                      ProjSwell *swell)
{
    Local l = {.tissue = tissue, .x = x, .frames = (ProjFrame *)frames, .swell = swell, .amount = amount};
    pelti_parallel_for(jobs, tissue->block_count, BLOCK_GRAIN, swell_job, &l);
}

static Local local_of(const ProjTissue *tissue, const ProjPulls *pulls)
{
    return (Local){.tissue = tissue,
                   .x = pulls->x,
                   .frames = (ProjFrame *)pulls->frames,
                   .warm = pulls->warm,
                   .rows = pulls->rows,
                   .swell = (ProjSwell *)pulls->swell};
}

void pelti_proj_local(const ProjTissue *tissue, PeltiJobs *jobs, const ProjPulls *pulls)
{
    Local l = local_of(tissue, pulls);
    pelti_parallel_for(jobs, tissue->block_count, BLOCK_GRAIN, local_job, &l);
}

void pelti_proj_local_range(const ProjTissue *tissue, int range, const ProjPulls *pulls)
{
    Local l = local_of(tissue, pulls);
    local_blocks(&l, tissue->block_first[range], tissue->block_first[range + 1]);
}

double pelti_proj_energy(const ProjTissue *tissue, const ProjRow *x, const ProjRow *q, const PeltiQuatBlock *warm,
                         const ProjSwell *swell)
{
    double sum = 0;
    for (int t = 0; t < tissue->tet_count; t++) {
        const ProjTet *tet = &tissue->tets[t];
        const PeltiQuatBlock *block = &warm[tet->element / PROJ_LANES];
        int lane = tet->element % PROJ_LANES;
        Mat3 r = quat_to_mat3((Quat){block->q[0][lane], block->q[1][lane], block->q[2][lane], block->q[3][lane]});
        double f[3][3] = {{0}};
        for (int k = 0; k < 4; k++) {
            const float *p = tet->corner[k] < 0 ? q[~tet->corner[k]] : x[tet->corner[k]];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    f[i][j] += (double)p[i] * (double)tet->grad[k][j];
        }
        double square = 0, s = (double)swell[tet->element / PROJ_LANES].s[lane];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                square += (f[i][j] - s * (double)r.m[i][j]) * (f[i][j] - s * (double)r.m[i][j]);
        sum += 0.5 * (double)tet->volume * square;
    }
    return sum;
}
