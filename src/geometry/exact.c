/// Gives orientation signs that rounding cannot turn [Shewchuk1997], and crossings of triangles by them [Guigue2003].
#include "geometry/exact.h"

/// Adds x to the non-overlapping expansion h[0..n) (components of rising magnitude), without any rounding; zero components
/// are dropped. Returns the new length. Knuth's two-sum makes each step exact.
static int grow_expansion(double *h, int n, double x)
{
    int m = 0;
    double carry = x;
    for (int i = 0; i < n; i++) {
        double sum = carry + h[i], b = sum - carry, error = (carry - (sum - b)) + (h[i] - b);
        carry = sum;
        if (error != 0)
            h[m++] = error;
    }
    if (carry != 0)
        h[m++] = carry;
    return m;
}

/// Adds sign * x*y*z for float x, y, z. x*y has 48 bits and is exact in double; cut into two halves of 26 and fewer bits
/// (Veltkamp), each times z is exact again.
static int add_product(double *h, int n, double sign, float x, float y, float z)
{
    double p = sign * ((double)x * (double)y), c = 134217729.0 * p, high = c - (c - p), low = p - high;
    n = grow_expansion(h, n, high * (double)z);
    return low != 0 ? grow_expansion(h, n, low * (double)z) : n;
}

static int add_minor(double *h, int n, double sign, Vec3 a, Vec3 b, Vec3 c) // sign * det(a, b, c)
{
    n = add_product(h, n, sign, a.x, b.y, c.z);
    n = add_product(h, n, -sign, a.x, b.z, c.y);
    n = add_product(h, n, sign, a.y, b.z, c.x);
    n = add_product(h, n, -sign, a.y, b.x, c.z);
    n = add_product(h, n, sign, a.z, b.x, c.y);
    return add_product(h, n, -sign, a.z, b.y, c.x);
}

/// Four points with one coordinate in common, as sides of boxes have: the determinant is 0 without a sum.
static bool level(float a, float b, float c, float d)
{
    return a == d && b == d && c == d;
}

/// det(a-d, b-d, c-d) = det(a,b,c) - det(d,b,c) - det(a,d,c) - det(a,b,d): 24 products of float coordinates, summed exactly.
static int exact_orient(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    if (level(a.x, b.x, c.x, d.x) || level(a.y, b.y, c.y, d.y) || level(a.z, b.z, c.z, d.z))
        return 0;
    double h[64];
    int n = add_minor(h, 0, 1, a, b, c);
    n = add_minor(h, n, -1, d, b, c);
    n = add_minor(h, n, -1, a, d, c);
    n = add_minor(h, n, -1, a, b, d);
    return n == 0 ? 0 : h[n - 1] > 0 ? 1 : -1; // the largest component has the sign of the sum
}

int pelti_triangles_orient(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    double ax = (double)a.x - (double)d.x, ay = (double)a.y - (double)d.y, az = (double)a.z - (double)d.z;
    double bx = (double)b.x - (double)d.x, by = (double)b.y - (double)d.y, bz = (double)b.z - (double)d.z;
    double cx = (double)c.x - (double)d.x, cy = (double)c.y - (double)d.y, cz = (double)c.z - (double)d.z;
    double bc = bx * cy, cb = cx * by, ca = cx * ay, ac = ax * cy, ab = ax * by, ba = bx * ay;
    double det = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    double size = (fabs(bc) + fabs(cb)) * fabs(az) + (fabs(ca) + fabs(ac)) * fabs(bz) + (fabs(ab) + fabs(ba)) * fabs(cz);
    double bound = 1e-15 * size; // > (7 + 56 u) u, u = 2^-53: the bound of [Shewchuk1997] for this expression
    if (det > bound)
        return 1;
    if (det < -bound)
        return -1;
    return exact_orient(a, b, c, d);
}

/// pelti_triangles_orient(t[0], t[1], t[2], p[k]) of three points: the plane is made once. The expression is that of
/// pelti_triangles_orient with the corners in other roles, so its bound holds.
static void sides_of_plane(const Vec3 t[3], const Vec3 p[3], int side[3])
{
    double ox = (double)t[0].x, oy = (double)t[0].y, oz = (double)t[0].z;
    double bx = (double)t[1].x - ox, by = (double)t[1].y - oy, bz = (double)t[1].z - oz;
    double cx = (double)t[2].x - ox, cy = (double)t[2].y - oy, cz = (double)t[2].z - oz;
    double yz = by * cz, zy = bz * cy, zx = bz * cx, xz = bx * cz, xy = bx * cy, yx = by * cx;
    double nx = yz - zy, ny = zx - xz, nz = xy - yx;
    double mx = fabs(yz) + fabs(zy), my = fabs(zx) + fabs(xz), mz = fabs(xy) + fabs(yx);
    for (int k = 0; k < 3; k++) {
        double x = (double)p[k].x - ox, y = (double)p[k].y - oy, z = (double)p[k].z - oz;
        double det = nx * x + ny * y + nz * z, bound = 1e-15 * (mx * fabs(x) + my * fabs(y) + mz * fabs(z));
        side[k] = det > bound ? -1 : det < -bound ? 1 : exact_orient(t[0], t[1], t[2], p[k]);
    }
}

/// The plane of the triangle lies strictly between p and q, and the segment meets the closed triangle.
static bool segment_crosses(Vec3 p, Vec3 q, int side_p, int side_q, const Vec3 t[3])
{
    if (side_p * side_q >= 0)
        return false;
    int x = pelti_triangles_orient(p, q, t[0], t[1]), y = pelti_triangles_orient(p, q, t[1], t[2]),
        z = pelti_triangles_orient(p, q, t[2], t[0]);
    if (x == 0 && y == 0 && z == 0)
        return false; // a triangle without area
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

typedef struct Flat { // a point of the common plane, its two widest coordinates
    double u, v;
} Flat;

static int side(Flat a, Flat b, Flat c) // differences and products of floats of like size are exact in double
{
    double left = (b.u - a.u) * (c.v - a.v), right = (b.v - a.v) * (c.u - a.u);
    return left > right ? 1 : left < right ? -1 : 0;
}

static Flat flatten(Vec3 p, int dropped)
{
    return dropped == 0   ? (Flat){(double)p.y, (double)p.z}
           : dropped == 1 ? (Flat){(double)p.x, (double)p.z}
                          : (Flat){(double)p.x, (double)p.y};
}

static bool strictly_inside(const Flat t[3], Flat p)
{
    int x = side(t[0], t[1], p), y = side(t[1], t[2], p), z = side(t[2], t[0], p);
    return x != 0 && x == y && y == z;
}

static bool coplanar_overlap(const Vec3 a[3], const Vec3 b[3])
{
    double ux = (double)a[1].x - (double)a[0].x, uy = (double)a[1].y - (double)a[0].y, uz = (double)a[1].z - (double)a[0].z;
    double vx = (double)a[2].x - (double)a[0].x, vy = (double)a[2].y - (double)a[0].y, vz = (double)a[2].z - (double)a[0].z;
    double nx = fabs(uy * vz - uz * vy), ny = fabs(uz * vx - ux * vz), nz = fabs(ux * vy - uy * vx);
    if (nx + ny + nz == 0)
        return false;
    int dropped = nx >= ny && nx >= nz ? 0 : ny >= nz ? 1 : 2;
    Flat p[3], q[3];
    for (int k = 0; k < 3; k++)
        p[k] = flatten(a[k], dropped), q[k] = flatten(b[k], dropped);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Flat p0 = p[i], p1 = p[(i + 1) % 3], q0 = q[j], q1 = q[(j + 1) % 3];
            if (side(p0, p1, q0) * side(p0, p1, q1) < 0 && side(q0, q1, p0) * side(q0, q1, p1) < 0)
                return true;
        }
    return strictly_inside(p, q[0]) || strictly_inside(q, p[0]);
}

static bool one_side(const int s[3])
{
    return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

/// The corner that the plane of the other triangle parts from the two others.
static int lone_corner(const int s[3])
{
    return s[1] == s[2] ? 0 : s[0] == s[2] ? 1 : 2;
}

/// Of two triangles that each have corners on both sides of the other's plane, and none in it: whether the pieces they cut from
/// the common line of the planes meet, ends counting. Two signs in place of three for each edge [Guigue2003].
static bool pieces_meet(const Vec3 a[3], const int side_a[3], const Vec3 b[3], const int side_b[3])
{
    int i = lone_corner(side_a), j = lone_corner(side_b);
    bool turn_a = side_b[j] < 0, turn_b = side_a[i] < 0; // as if both lone corners lay on the outer sides
    Vec3 a1 = a[(i + (turn_a ? 2 : 1)) % 3], a2 = a[(i + (turn_a ? 1 : 2)) % 3];
    Vec3 b1 = b[(j + (turn_b ? 2 : 1)) % 3], b2 = b[(j + (turn_b ? 1 : 2)) % 3];
    return pelti_triangles_orient(a[i], a1, b[j], b1) <= 0 && pelti_triangles_orient(a[i], a2, b2, b[j]) <= 0;
}

static bool none_in_plane(const int s[3])
{
    return s[0] && s[1] && s[2];
}

PeltiTrianglesMeet pelti_triangles_meet(const Vec3 a[3], const Vec3 b[3])
{
    int side_a[3], side_b[3];
    sides_of_plane(a, b, side_b);
    if (one_side(side_b))
        return PELTI_TRIANGLES_APART;
    sides_of_plane(b, a, side_a);
    if (one_side(side_a))
        return PELTI_TRIANGLES_APART;
    if (!side_b[0] && !side_b[1] && !side_b[2] && !side_a[0] && !side_a[1] && !side_a[2])
        return coplanar_overlap(a, b) ? PELTI_TRIANGLES_COPLANAR : PELTI_TRIANGLES_APART;
    if (none_in_plane(side_a) && none_in_plane(side_b))
        return pieces_meet(a, side_a, b, side_b) ? PELTI_TRIANGLES_CROSSING : PELTI_TRIANGLES_APART;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        if (segment_crosses(b[k], b[l], side_b[k], side_b[l], a) || segment_crosses(a[k], a[l], side_a[k], side_a[l], b))
            return PELTI_TRIANGLES_CROSSING;
    }
    return PELTI_TRIANGLES_APART;
}
