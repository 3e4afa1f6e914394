/// The batched rotation kernel, for inlining into other wide kernels; only .c files include it. See polar.h.
#ifndef PELTI_MATH_POLAR_WIDE_H
#define PELTI_MATH_POLAR_WIDE_H

#include "math/polar.h"
#include "math/wide.h"

typedef struct RotationW {
    FloatW q[4];    // unit quaternion x y z w
    FloatW m[3][3]; // the same as a matrix
} RotationW;

/// The matrix of a quaternion that need not be of unit length; `twice` is 2 / |q|^2.
PELTI_WIDE void rotation_matrix_of_w(const FloatW q[4], FloatW twice, FloatW m[3][3])
{
    FloatW x = q[0], y = q[1], z = q[2], w = q[3], one = splat_w(1);
    FloatW x2 = mul_w(x, twice), y2 = mul_w(y, twice), z2 = mul_w(z, twice);
    FloatW xx = mul_w(x, x2), yy = mul_w(y, y2), zz = mul_w(z, z2), xy = mul_w(x, y2), xz = mul_w(x, z2), yz = mul_w(y, z2);
    FloatW wx = mul_w(w, x2), wy = mul_w(w, y2), wz = mul_w(w, z2);
    m[0][0] = sub_w(one, add_w(yy, zz));
    m[0][1] = sub_w(xy, wz);
    m[0][2] = add_w(xz, wy);
    m[1][0] = add_w(xy, wz);
    m[1][1] = sub_w(one, add_w(xx, zz));
    m[1][2] = sub_w(yz, wx);
    m[2][0] = sub_w(xz, wy);
    m[2][1] = add_w(yz, wx);
    m[2][2] = sub_w(one, add_w(xx, yy));
}
PELTI_WIDE void rotation_matrix_w(RotationW *r)
{
    rotation_matrix_of_w(r->q, splat_w(2), r->m);
}

/// One Newton step on the rotation group. With B = R^T A and R' = R exp([o]) the objective tr(R'^T A) is, to second order,
/// tr B + g.o - o.H o / 2 with g = (B21 - B12, B02 - B20, B10 - B01) and H = tr(B) I - sym(B): o = H^-1 g where H is
/// positive definite, else a gradient step of safe length. The function has no false maximum on the group, so what
/// converges is right, reflections included. `size` is matrix_size_w's. Returns |o|^2, or 1 where H was not positive definite:
/// there a vanishing gradient may be a saddle. A zero matrix counts as converged.
PELTI_WIDE FloatW rotation_newton_w(RotationW *r, FloatW a[3][3], FloatW size)
{
    FloatW b[3][3];
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        b[i][j] = mad_w(r->m[0][i], a[0][j], mad_w(r->m[1][i], a[1][j], mul_w(r->m[2][i], a[2][j])));
    FloatW g0 = sub_w(b[2][1], b[1][2]), g1 = sub_w(b[0][2], b[2][0]), g2 = sub_w(b[1][0], b[0][1]);
    FloatW nudge = mul_w(size, splat_w(1e-5f)), half = splat_w(-0.5f); // nudge: H is singular where A leaves R open
    FloatW h00 = add_w(add_w(b[1][1], b[2][2]), nudge), h11 = add_w(add_w(b[0][0], b[2][2]), nudge);
    FloatW h22 = add_w(add_w(b[0][0], b[1][1]), nudge);
    FloatW h01 = mul_w(add_w(b[0][1], b[1][0]), half), h02 = mul_w(add_w(b[0][2], b[2][0]), half);
    FloatW h12 = mul_w(add_w(b[1][2], b[2][1]), half);
    // o = adj(H) g / det(H); the leading minors say whether H is positive definite
    FloatW c00 = sub_w(mul_w(h11, h22), mul_w(h12, h12)), c01 = sub_w(mul_w(h02, h12), mul_w(h01, h22));
    FloatW c02 = sub_w(mul_w(h01, h12), mul_w(h02, h11)), c11 = sub_w(mul_w(h00, h22), mul_w(h02, h02));
    FloatW c12 = sub_w(mul_w(h01, h02), mul_w(h00, h12)), c22 = sub_w(mul_w(h00, h11), mul_w(h01, h01));
    FloatW det = mad_w(h00, c00, mad_w(h01, c01, mul_w(h02, c02)));
    FloatW size2 = mul_w(size, size), least = splat_w(1e-6f);
    MaskW good = and_w(less_w(mul_w(size, least), h00),
                       and_w(less_w(mul_w(size2, least), c22), less_w(mul_w(mul_w(size2, size), least), det)));
    FloatW f = div_w(splat_w(1), select_w(good, det, add_w(size, splat_w(1e-37f))));
    FloatW o0 = select_w(good, mad_w(c00, g0, mad_w(c01, g1, mul_w(c02, g2))), g0);
    FloatW o1 = select_w(good, mad_w(c01, g0, mad_w(c11, g1, mul_w(c12, g2))), g1);
    FloatW o2 = select_w(good, mad_w(c02, g0, mad_w(c12, g1, mul_w(c22, g2))), g2);
    o0 = mul_w(o0, f);
    o1 = mul_w(o1, f);
    o2 = mul_w(o2, f);
    FloatW turn2 = mad_w(o0, o0, mad_w(o1, o1, mul_w(o2, o2)));
    // q' = q (o/2, 1), normalised: the Cayley map, right to third order and never more than half a turn
    FloatW p5 = splat_w(0.5f), x = mul_w(o0, p5), y = mul_w(o1, p5), z = mul_w(o2, p5);
    FloatW qx = r->q[0], qy = r->q[1], qz = r->q[2], qw = r->q[3];
    FloatW n[4] = {
        add_w(qx, sub_w(mad_w(qw, x, mul_w(qy, z)), mul_w(qz, y))), add_w(qy, sub_w(mad_w(qw, y, mul_w(qz, x)), mul_w(qx, z))),
        add_w(qz, sub_w(mad_w(qw, z, mul_w(qx, y)), mul_w(qy, x))), sub_w(qw, mad_w(qx, x, mad_w(qy, y, mul_w(qz, z))))};
    FloatW length2 = add_w(mad_w(n[0], n[0], mul_w(n[1], n[1])), mad_w(n[2], n[2], mul_w(n[3], n[3])));
    // what follows waits for the matrix, so that takes a division and not the root, which takes three times as long
    rotation_matrix_of_w(n, div_w(splat_w(2), length2), r->m);
    FloatW s = rsqrt_w(length2);
    PELTI_UNROLL
    for (int i = 0; i < 4; i++)
        r->q[i] = mul_w(n[i], s);
    return select_w(or_w(good, less_w(size, splat_w(1.1e-15f))), turn2, splat_w(1));
}

/// How large a matrix is, exact for multiples of the identity: |A|_F to within a factor of 1.8; zero gives 1e-15. A sum of
/// magnitudes, since Newton's first step waits for it and a root would take longer than the rest of its way. Entries should be
/// neither below 1e-10 nor above 1e10: see normalize_w.
PELTI_WIDE FloatW matrix_size_w(FloatW a[3][3])
{
    FloatW row[3];
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        row[i] = add_w(add_w(abs_w(a[i][0]), abs_w(a[i][1])), abs_w(a[i][2]));
    return mad_w(add_w(add_w(row[0], row[1]), row[2]), splat_w(0.57735027f), splat_w(1e-15f));
}

/// Divides by the largest entry, which changes no rotation: powers of up to four of a tiny or huge entry leave a float's range.
PELTI_WIDE void normalize_w(FloatW a[3][3])
{
    FloatW most = splat_w(1e-30f);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        most = max_w(abs_w(a[i][j]), most);
    FloatW scale = div_w(splat_w(1), most);
    PELTI_UNROLL
    for (int i = 0; i < 3; i++)
        PELTI_UNROLL
    for (int j = 0; j < 3; j++)
        a[i][j] = mul_w(a[i][j], scale);
}

#endif
