/// Hermite radial basis functions: a smooth signed distance d through points with normals, d = 0 and grad d = n at each.
#ifndef PELTI_FIELD_HRBF_H
#define PELTI_FIELD_HRBF_H

#include "core/memory.h"
#include "math/vec.h"

/// d(x) = sum_k lambda_k phi(x - v_k) - beta_k . grad phi(x - v_k), phi(x) = |x|^3 [Vaillant2013]. Negative inside.
typedef struct PeltiHrbf {
    int count;
    double origin[3], scale; ///< the fit works on (x - origin) * scale, a box of about unit size
    double (*centre)[3];     ///< [count] scaled
    double (*weight)[4];     ///< [count] lambda, beta
} PeltiHrbf;

/// Fits into `pool` (temporary work through its allocator). The 4n x 4n system is symmetric with this sign of beta.
/// PELT_FAILED where samples coincide or are not finite. Unit normals.
PeltStatus pelti_hrbf_fit(PeltiPool *pool, int count, const Vec3 *points, const Vec3 *normals, PeltiHrbf *out, PeltError *err);

/// Value (in units of length) and gradient at `count` points.
void pelti_hrbf_eval(const PeltiHrbf *h, int count, const Vec3 *x, float *value, Vec3 *gradient);

#endif
