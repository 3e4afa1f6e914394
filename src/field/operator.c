/// Tables of composition operators: gradient-based and biharmonic [Vaillant2014 sec. 4].
#include "field/operator_fetch.h"
#include "math/elementary.h"

#include <string.h>

enum { N = PELTI_OPERATOR_NODES, LAST = N - 1, HALF_BAND = 2 * N, SAMPLES = 512 };

/// One slice as a linear system. By symmetry only nodes i >= j are unknown; a node is known (border, curve) or numbered.
typedef struct Slice {
    double g[N][N];
    bool known[N][N];
    int number[N][N]; ///< of unknown nodes, -1 else
    int count;
    double *a;   ///< [count x (HALF_BAND + 1)] lower band by rows: a[row][HALF_BAND - (row - column)]
    double *rhs; ///< [count]
} Slice;

static void know(Slice *s, int i, int j, double value)
{
    s->g[i][j] = s->g[j][i] = value;
    s->known[i][j] = s->known[j][i] = true;
}

/// g(f, 0) = f, g(f, 1) = 1 and mirrored: eq. (1).
static void set_borders(Slice *s)
{
    for (int i = 0; i < N; i++) {
        know(s, i, 0, (double)i / LAST);
        know(s, LAST, i, 1);
    }
}

static double segment_distance(ProfilePoint a, ProfilePoint b, double x, double y, double *side)
{
    double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y, px = x - (double)a.x, py = y - (double)a.y;
    double length2 = ux * ux + uy * uy, t = length2 > 0 ? (px * ux + py * uy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double dx = px - t * ux, dy = py - t * uy;
    *side = px * uy - py * ux; // positive to the right of the way up: inside
    return sqrt(dx * dx + dy * dy);
}

/// Distance to the branch, positive inside, for a node with f1 >= f2.
static double signed_distance(const ProfilePoint *curve, int count, double x, double y)
{
    double best = 10, sign = 1;
    for (int k = 0; k + 1 < count; k++) {
        double side, d = segment_distance(curve[k], curve[k + 1], x, y, &side);
        if (d < best - 1e-12) {
            best = d;
            sign = side >= 0 ? 1 : -1;
        }
    }
    return sign * best;
}

/// g = 0.5 on the branch: on the nodes of a grid line it runs along, else the corners of the cells it crosses get the
/// signed distance to it.
static void set_branch(Slice *s, const PeltiProfile *profile, float d)
{
    ProfilePoint curve[SAMPLES + 1];
    bool on_line = true;
    for (int k = 0; k <= SAMPLES; k++) {
        curve[k] = pelti_profile_at(profile, d, (float)k / SAMPLES);
        on_line = on_line && fabsf(curve[k].x - 0.5f) < 1e-5f;
    }
    if (on_line) {
        int top = (int)floorf(curve[SAMPLES].y * LAST + 1e-3f);
        for (int j = 0; j <= top; j++)
            know(s, LAST / 2, j, 0.5);
        return;
    }
    for (int k = 0; k <= SAMPLES; k++) {
        int ci = (int)(curve[k].x * LAST), cj = (int)(curve[k].y * LAST);
        for (int corner = 0; corner < 4; corner++) {
            int i = ci + (corner & 1), j = cj + (corner >> 1);
            if (i < 1 || j < 1 || i >= LAST || j > i)
                continue;
            know(s, i, j, 0.5 + signed_distance(curve, SAMPLES + 1, (double)i / LAST, (double)j / LAST));
        }
    }
}

/// The contact line. It may not touch the border where g = 1: it is scaled to end LINE_ENDS before.
static void set_line(Slice *s, const PeltiProfile *profile, float d)
{
    float from, to;
    pelti_profile_line(profile, d, &from, &to);
    if (!(to > from))
        return;
    float most = 1 - LINE_ENDS / LAST;
    to = from + (to - from) * (most - from) / (1 - from);
    for (int i = (int)ceilf(from * LAST - 1e-3f); i <= (int)floorf(to * LAST + 1e-3f); i++)
        know(s, i, i, 0.5);
}

static void number_unknowns(Slice *s)
{
    s->count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s->number[i][j] = -1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            if (!s->known[i][j])
                s->number[i][j] = s->number[j][i] = s->count++;
}

/// Adds the square of one row  sum c_k g_k  to the normal equations.
static void add_square(Slice *s, int count, const int (*node)[2], const double *c)
{
    for (int p = 0; p < count; p++) {
        int row = s->number[node[p][0]][node[p][1]];
        if (row < 0)
            continue;
        for (int q = 0; q < count; q++) {
            int column = s->number[node[q][0]][node[q][1]];
            if (column < 0)
                s->rhs[row] -= c[p] * c[q] * s->g[node[q][0]][node[q][1]];
            else if (column <= row)
                s->a[(size_t)row * (HALF_BAND + 1) + (size_t)(HALF_BAND - (row - column))] += c[p] * c[q];
        }
    }
}

/// Minimises the sum of squared Laplacians over all nodes but the far borders: its normal equations are the discrete
/// bi-Laplacian. On the two axes the ghost node mirrors its partner, which is the zero normal derivative.
static void assemble(Slice *s)
{
    for (int i = 0; i < LAST; i++)
        for (int j = 0; j < LAST; j++) {
            int node[5][2] = {{i, j}, {i ? i - 1 : 1, j}, {i + 1, j}, {i, j ? j - 1 : 1}, {i, j + 1}};
            double c[5] = {-4, 1, 1, 1, 1};
            add_square(s, 5, (const int(*)[2])node, c);
        }
}

static double dot(const double *a, const double *b, int count)
{
    double sum[4] = {0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += a[k + l] * b[k + l];
    for (; k < count; k++)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Banded Cholesky in place, then both substitutions on the right-hand side. False: not positive definite.
static bool solve_band(int n, double *a, double *b)
{
    enum { W = HALF_BAND + 1 };
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * W;
        int first = i > HALF_BAND ? i - HALF_BAND : 0;
        while (first < i && row[HALF_BAND - (i - first)] == 0) // nothing fills in before the first entry of a row
            first++;
        for (int j = first; j <= i; j++) {
            double *other = a + (size_t)j * W;
            int from = j > HALF_BAND ? j - HALF_BAND : 0;
            from = from > first ? from : first;
            double sum = row[HALF_BAND - (i - j)] - dot(row + HALF_BAND - (i - from), other + HALF_BAND - (j - from), j - from);
            if (j < i)
                row[HALF_BAND - (i - j)] = sum / other[HALF_BAND];
            else if (!(sum > 0))
                return false;
            else
                row[HALF_BAND] = sqrt(sum);
        }
        b[i] = (b[i] - dot(row + HALF_BAND - (i - first), b + first, i - first)) / row[HALF_BAND];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = a + (size_t)i * W;
        b[i] /= row[HALF_BAND];
        int first = i > HALF_BAND ? i - HALF_BAND : 0;
        for (int j = first; j < i; j++)
            b[j] -= row[HALF_BAND - (i - j)] * b[i];
    }
    return true;
}

PeltStatus pelti_operator_slice(const PeltiProfile *profile, float d, const PeltAllocator *allocator, double *g, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, allocator);
    Slice *s = PELTI_NEW(&work, Slice, 1);
    PeltStatus status = PELT_OK;
    if (s) {
        set_borders(s);
        set_branch(s, profile, d);
        set_line(s, profile, d);
        number_unknowns(s);
        s->a = PELTI_NEW(&work, double, (size_t)s->count *(HALF_BAND + 1));
        s->rhs = PELTI_NEW(&work, double, s->count);
    }
    if (work.failed)
        status = pelti_no_memory(err, sizeof(double) * N * N * HALF_BAND);
    if (status == PELT_OK) {
        assemble(s);
        if (!solve_band(s->count, s->a, s->rhs))
            status =
                PELT_FAIL(err, PELT_BAD_INPUT, "operator %s: its profile leaves no solution at d = %g", profile->name, (double)d);
    }
    if (status == PELT_OK) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                g[i * N + j] = s->number[i][j] < 0 ? s->g[i][j] : s->rhs[s->number[i][j]];
    }
    pelti_pool_release(&work);
    return status;
}

/// Central differences, one-sided on the far borders; 0 across the axes by the mirror condition.
static double difference(const double *g, int i, int j, bool first)
{
    int k = first ? i : j, step = first ? N : 1;
    const double *at = g + i * N + j;
    if (k == 0)
        return 0;
    if (k == LAST)
        return (at[0] - at[-step]) * LAST;
    return (at[step] - at[-step]) * 0.5 * LAST;
}

typedef struct SlicesBuild {
    PeltiOperatorTables *op;
    double *g; ///< [slices x N x N]
    PeltStatus status[PELTI_OPERATOR_SLICES];
    PeltError error[PELTI_OPERATOR_SLICES];
} SlicesBuild;

static void build_slices(void *context, int begin, int end, int worker)
{
    SlicesBuild *b = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        double *g = b->g + (size_t)k * N * N;
        float d = (float)k / (PELTI_OPERATOR_SLICES - 1);
        b->status[k] = pelti_operator_slice(&b->op->profile, d, NULL, g, &b->error[k]);
        if (b->status[k] != PELT_OK)
            continue;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                float *node = b->op->table[((size_t)k * N + (size_t)i) * N + (size_t)j];
                node[0] = (float)g[i * N + j];
                node[1] = (float)difference(g, i, j, true);
                node[2] = (float)difference(g, i, j, false);
            }
    }
}

PeltStatus pelti_operator_build(PeltiPool *pool, PeltiJobs *jobs, const PeltiProfile *profile, float depth_scale,
                                PeltiOperatorTables *out, PeltError *err)
{
    const char *problem = pelti_profile_problem(profile);
    if (problem)
        return PELT_FAIL(err, PELT_BAD_INPUT, "operator %s: %s", profile->name, problem);
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    out->profile = *profile;
    out->table = pelti_pool_take(pool, (size_t)PELTI_OPERATOR_SLICES * N * N, sizeof(float[4]));
    SlicesBuild *b = PELTI_NEW(&work, SlicesBuild, 1);
    double *g = PELTI_NEW(&work, double, PELTI_OPERATOR_SLICES *N *N);
    if (pool->failed || work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, sizeof(float[4]) * PELTI_OPERATOR_SLICES * N * N);
    }
    *b = (SlicesBuild){.op = out, .g = g};
    pelti_parallel_for(jobs, PELTI_OPERATOR_SLICES, 1, build_slices, b);
    PeltStatus status = PELT_OK;
    for (int k = 0; k < PELTI_OPERATOR_SLICES && status == PELT_OK; k++) {
        status = b->status[k];
        if (status != PELT_OK && err)
            *err = b->error[k];
    }
    for (int k = 0; k <= PELTI_OPERATOR_ANGLES; k++) {
        double c = fmin(1, 2.0 * k / (PELTI_OPERATOR_ANGLES - 1) - 1);
        float d = fminf(1, depth_scale * pelti_profile_depth(profile, (float)(pelti_acos(c) * (180 / 3.14159265358979))));
        out->depth_of_cos[k] = d * (PELTI_OPERATOR_SLICES - 1);
        // In a fold the angle between the gradients equals the joint's bend in the middle only and falls to nothing where the
        // fold meets the flanks of the limb. Taken alone it would leave the contact surface hanging inside, away from the skin.
        float fold = (float)((pelti_acos(c) * (180 / 3.14159265358979) - APART_FROM) / (APART_TO - APART_FROM));
        fold = fminf(1, fmaxf(0, fold));
        out->fold_of_cos[k] = smooth_step(fold);
    }
    pelti_pool_release(&work);
    return status;
}
