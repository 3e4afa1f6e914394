/// Principal components by the eigenvectors of the rows' products.
#include "math/principal.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 512 };

/// Column j of u made orthogonal to those before it, twice for rounding, and unit; false: nothing is left of it.
static bool orthonormalize(double *u, int rows, int stride, int j)
{
    double before = 0, after = 0;
    for (int f = 0; f < rows; f++)
        before += u[(size_t)f * stride + j] * u[(size_t)f * stride + j];
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < j; k++) {
            double dot = 0;
            for (int f = 0; f < rows; f++)
                dot += u[(size_t)f * stride + k] * u[(size_t)f * stride + j];
            for (int f = 0; f < rows; f++)
                u[(size_t)f * stride + j] -= dot * u[(size_t)f * stride + k];
        }
    for (int f = 0; f < rows; f++)
        after += u[(size_t)f * stride + j] * u[(size_t)f * stride + j];
    if (!(after > 1e-12 * before) || !(after > 0))
        return false;
    for (int f = 0; f < rows; f++)
        u[(size_t)f * stride + j] /= sqrt(after);
    return true;
}

/// Row of the i-th of `count` kept ones.
static int kept_row(int i, int count, int rows)
{
    return count > 1 ? (int)((int64_t)i * (rows - 1) / (count - 1)) : 0;
}

/// u = C v for the strongest eigenvectors v of the kept rows' Gram matrix, made orthonormal; C = offsets x kept offsets.
static PeltStatus modes_of(const PeltiPrincipal *of, const double *offsets, PeltiPool *scratch, PeltiPool *pool,
                           PeltiPrincipalModes *out, PeltError *err)
{
    int frames = of->rows, kept = frames < MOST_ROWS ? frames : MOST_ROWS, width = of->points * 3;
    double *gram = PELTI_NEW(scratch, double, (size_t)kept *kept), *values = PELTI_NEW(scratch, double, kept);
    double *cross = PELTI_NEW(scratch, double, (size_t)frames *kept);
    double *few = kept < frames ? PELTI_NEW(scratch, double, (size_t)kept *width) : NULL;
    if (scratch->failed)
        return pelti_no_memory(err, (size_t)frames * kept * sizeof(double));
    for (int i = 0; kept < frames && i < kept; i++)
        memcpy(few + (size_t)i * width, offsets + (size_t)kept_row(i, kept, frames) * width, (size_t)width * sizeof *few);
    pelti_dense_add_products(frames, kept, width, offsets, few ? few : offsets, cross);
    for (int i = 0; i < kept; i++)
        memcpy(gram + (size_t)i * kept, cross + (size_t)kept_row(i, kept, frames) * kept, (size_t)kept * sizeof *gram);
    PELT_TRY(pelti_eigen_symmetric(&scratch->allocator, kept, gram, values, err));
    int most = of->most < kept - 1 ? of->most : kept - 1;
    double left = 0;
    for (int i = 0; i < kept; i++)
        left += values[i] > 0 ? values[i] : 0;
    out->u = PELTI_NEW(pool, double, (size_t)frames *most);
    out->rms = PELTI_NEW(pool, double, most + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)frames * most * sizeof(double));
    double per = 1.0 / ((double)kept * (of->points > 0 ? of->points : 1));
    out->rms[0] = sqrt(left * per);
    for (out->count = 0; out->count < most && values[out->count] > 1e-14 * values[0]; out->count++) {
        int j = out->count;
        for (int f = 0; f < frames; f++) {
            double sum = 0;
            for (int i = 0; i < kept; i++)
                sum += cross[(size_t)f * kept + i] * gram[(size_t)j * kept + i];
            out->u[(size_t)f * most + j] = sum;
        }
        if (!orthonormalize(out->u, frames, most, j))
            break;
        left -= values[j];
        out->rms[j + 1] = sqrt((left > 0 ? left : 0) * per);
    }
    for (int f = 1; f < frames; f++) // close the gaps of modes that were not found
        memmove(out->u + (size_t)f * out->count, out->u + (size_t)f * most, (size_t)out->count * sizeof *out->u);
    return PELT_OK;
}

PeltStatus pelti_principal_modes(const PeltiPrincipal *of, const double *offsets, PeltiPool *pool, PeltiPrincipalModes *out,
                                 PeltError *err)
{
    *out = (PeltiPrincipalModes){0};
    PeltiPool scratch;
    pelti_pool_init(&scratch, &pool->allocator);
    PeltStatus status = modes_of(of, offsets, &scratch, pool, out, err);
    pelti_pool_release(&scratch);
    return status;
}
