/// Fits Hermite radial basis functions and evaluates them [Vaillant2013].
#include "field/hrbf.h"

#include "field/constants.def"
#include "math/dense.h"
#include "math/wide.h"

#include <math.h>

enum { LANES = 4 };

// One 4x4 block of the system: rows are d and grad d at a point, columns lambda and beta of a centre, x = point - centre.
//   d      :  phi        -grad phi^T          phi = r^3, grad phi = 3 r x
//   grad d :  grad phi   -H                   H   = 3 (r I + x x^T / r)
static void fill_block(double *a, int n, int row, int column, const double x[3])
{
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double *top = a + (size_t)(4 * row) * (size_t)n + 4 * column;
    top[0] = r * r * r;
    for (int i = 0; i < 3; i++) {
        double *line = top + (size_t)(i + 1) * (size_t)n;
        top[i + 1] = -3 * r * x[i];
        line[0] = 3 * r * x[i];
        for (int j = 0; j < 3; j++)
            line[j + 1] = r > 0 ? -3 * (x[i] * x[j] / r + (i == j ? r : 0)) : 0;
    }
}

static void set_frame(PeltiHrbf *h, int count, const Vec3 *points)
{
    Vec3 low = points[0], high = points[0];
    for (int k = 1; k < count; k++) {
        low = vec3_min(low, points[k]);
        high = vec3_max(high, points[k]);
    }
    double size = (double)vec3_distance(low, high);
    h->scale = size > 0 ? 1 / size : 1;
    h->origin[0] = 0.5 * ((double)low.x + (double)high.x);
    h->origin[1] = 0.5 * ((double)low.y + (double)high.y);
    h->origin[2] = 0.5 * ((double)low.z + (double)high.z);
}

PeltStatus pelti_hrbf_fit(PeltiPool *pool, int count, const Vec3 *points, const Vec3 *normals, PeltiHrbf *out, PeltError *err)
{
    PELT_ASSERT(count > 0);
    int n = 4 * count;
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    double *a = PELTI_NEW(&work, double, (size_t)n *(size_t)n), *b = PELTI_NEW(&work, double, n);
    *out = (PeltiHrbf){.count = count};
    out->centre = pelti_pool_take(pool, (size_t)count, sizeof(double[3]));
    out->weight = pelti_pool_take(pool, (size_t)count, sizeof(double[4]));
    if (pool->failed || work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)n * (size_t)n * sizeof(double));
    }
    set_frame(out, count, points);
    for (int k = 0; k < count; k++) {
        const float p[3] = {points[k].x, points[k].y, points[k].z}, m[3] = {normals[k].x, normals[k].y, normals[k].z};
        for (int i = 0; i < 3; i++) {
            out->centre[k][i] = ((double)p[i] - out->origin[i]) * out->scale;
            b[4 * k + 1 + i] = (double)m[i];
        }
    }
    for (int row = 0; row < count; row++)
        for (int column = 0; column < count; column++) {
            double x[3];
            for (int i = 0; i < 3; i++)
                x[i] = out->centre[row][i] - out->centre[column][i];
            fill_block(a, n, row, column, x);
        }
    double rcond = 0;
    PeltiDenseSystem system = {.n = n, .a = a, .rhs_count = 1, .b = b};
    PeltStatus status = pelti_dense_solve_symmetric(&pool->allocator, &system, &rcond, err);
    if (status == PELT_OK && !(rcond > LEAST_CONDITION))
        status = PELT_FAIL(err, PELT_FAILED, "field samples coincide (condition %.1e)", 1 / rcond);
    for (int k = 0; k < count && status == PELT_OK; k++)
        for (int i = 0; i < 4; i++)
            out->weight[k][i] = b[4 * k + i];
    pelti_pool_release(&work);
    return status;
}

#ifndef PELT_NO_SIMD
// Four points at once: d = sum r^3 l - 3 r (x.b);  grad d = sum 3 r x l - 3 (r b + x (x.b) / r)
PELTI_WIDE void eval_four(const PeltiHrbf *h, const double (*q)[LANES], double value[LANES], double gradient[3][LANES])
{
    PeltiDouble4 px, py, pz, d = {0}, gx = d, gy = d, gz = d;
    memcpy(&px, q[0], sizeof px);
    memcpy(&py, q[1], sizeof py);
    memcpy(&pz, q[2], sizeof pz);
    for (int k = 0; k < h->count; k++) {
        const double *c = h->centre[k], *w = h->weight[k];
        PeltiDouble4 x = px - c[0], y = py - c[1], z = pz - c[2], r2 = x * x + y * y + z * z + 1e-30, r;
        for (int i = 0; i < LANES; i++)
            r[i] = sqrt(r2[i]);
        PeltiDouble4 xb = x * w[1] + y * w[2] + z * w[3], s = 3 * (r * w[0] - xb / r);
        d += r * (r2 * w[0] - 3 * xb);
        gx += s * x - 3 * r * w[1];
        gy += s * y - 3 * r * w[2];
        gz += s * z - 3 * r * w[3];
    }
    memcpy(value, &d, sizeof d);
    memcpy(gradient[0], &gx, sizeof gx);
    memcpy(gradient[1], &gy, sizeof gy);
    memcpy(gradient[2], &gz, sizeof gz);
}
#else
static void eval_four(const PeltiHrbf *h, const double (*q)[LANES], double value[LANES], double gradient[3][LANES])
{
    for (int i = 0; i < LANES; i++) {
        double d = 0, g[3] = {0};
        for (int k = 0; k < h->count; k++) {
            const double *c = h->centre[k], *w = h->weight[k];
            double x[3] = {q[0][i] - c[0], q[1][i] - c[1], q[2][i] - c[2]};
            double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 1e-30, r = sqrt(r2);
            double xb = x[0] * w[1] + x[1] * w[2] + x[2] * w[3], s = 3 * (r * w[0] - xb / r);
            d += r * (r2 * w[0] - 3 * xb);
            for (int j = 0; j < 3; j++)
                g[j] += s * x[j] - 3 * r * w[j + 1];
        }
        value[i] = d;
        for (int j = 0; j < 3; j++)
            gradient[j][i] = g[j];
    }
}
#endif

PELTI_CLONES static void eval_batch(const PeltiHrbf *h, int count, const Vec3 *x, float *value, Vec3 *gradient)
{
    for (int first = 0; first < count; first += LANES) {
        double q[3][LANES], d[LANES], g[3][LANES];
        for (int i = 0; i < LANES; i++) {
            Vec3 p = x[first + i < count ? first + i : count - 1];
            q[0][i] = ((double)p.x - h->origin[0]) * h->scale;
            q[1][i] = ((double)p.y - h->origin[1]) * h->scale;
            q[2][i] = ((double)p.z - h->origin[2]) * h->scale;
        }
        eval_four(h, (const double(*)[LANES])q, d, g);
        for (int i = 0; i < LANES && first + i < count; i++) {
            value[first + i] = (float)(d[i] / h->scale); // the gradient of a length by a length needs no scaling
            gradient[first + i] = vec3((float)g[0][i], (float)g[1][i], (float)g[2][i]);
        }
    }
}

void pelti_hrbf_eval(const PeltiHrbf *h, int count, const Vec3 *x, float *value, Vec3 *gradient)
{
    eval_batch(h, count, x, value, gradient); // clones stay static: gcc exports the symbol of a cloned function
}
