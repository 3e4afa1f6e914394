/// Closest features of points, segments and triangles, in double.
#include "geometry/closest.h"

static Dvec minus(Vec3 a, Vec3 b)
{
    return (Dvec){(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
}
static double dot(Dvec a, Dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static Dvec cross(Dvec a, Dvec b)
{
    return (Dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double clamp01(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; // NaN gives 0
}

static int feature_of(const double weight[3])
{
    return (weight[0] > 0 ? 1 : 0) | (weight[1] > 0 ? 2 : 0) | (weight[2] > 0 ? 4 : 0);
}

static double squared_at(Vec3 p, const double w[3], Vec3 a, Vec3 b, Vec3 c)
{
    double x = (double)p.x - (w[0] * (double)a.x + w[1] * (double)b.x + w[2] * (double)c.x);
    double y = (double)p.y - (w[0] * (double)a.y + w[1] * (double)b.y + w[2] * (double)c.y);
    double z = (double)p.z - (w[0] * (double)a.z + w[1] * (double)b.z + w[2] * (double)c.z);
    return x * x + y * y + z * z;
}

static double on_edge(Dvec from_start, Dvec edge)
{
    double length2 = dot(edge, edge);
    return length2 > 0 ? clamp01(dot(from_start, edge) / length2) : 0;
}

/// A triangle without an inside: the best of its three edges.
static void weights_on_edges(Vec3 p, const Vec3 v[3], double weight[3])
{
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        double w[3] = {0, 0, 0}, t = on_edge(minus(p, v[k]), minus(v[l], v[k]));
        w[k] = 1 - t, w[l] = t;
        double d = squared_at(p, w, v[0], v[1], v[2]);
        if (!(d < best))
            continue;
        best = d;
        for (int i = 0; i < 3; i++)
            weight[i] = w[i];
    }
}

/// By the Voronoi region of the triangle's features that p lies in: two corners and an edge are decided by signs of dot
/// products, what is left is the face, whose weights are the areas va, vb, vc opposite the corners.
PeltiClosest pelti_closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    PeltiClosest out = {.weight = {1, 0, 0}};
    Dvec ab = minus(b, a), ac = minus(c, a), ap = minus(p, a), bp = minus(p, b), cp = minus(p, c);
    double a1 = dot(ab, ap), a2 = dot(ac, ap), b1 = dot(ab, bp), b2 = dot(ac, bp), c1 = dot(ab, cp), c2 = dot(ac, cp);
    double vc = a1 * b2 - b1 * a2, vb = c1 * a2 - a1 * c2, va = b1 * c2 - c1 * b2;
    double v = 0, w = 0;
    if (a1 <= 0 && a2 <= 0) {
    } else if (b1 >= 0 && b2 <= b1) {
        v = 1;
    } else if (vc <= 0 && a1 >= 0 && b1 <= 0 && a1 > b1) {
        v = a1 / (a1 - b1);
    } else if (c2 >= 0 && c1 <= c2) {
        w = 1;
    } else if (vb <= 0 && a2 >= 0 && c2 <= 0 && a2 > c2) {
        w = a2 / (a2 - c2);
    } else if (va <= 0 && b2 - b1 >= 0 && c1 - c2 >= 0 && (b2 - b1) + (c1 - c2) > 0) {
        w = (b2 - b1) / ((b2 - b1) + (c1 - c2));
        v = 1 - w;
    } else {
        double sum = va + vb + vc;
        if (sum > 0 && va >= 0 && vb >= 0 && vc >= 0) {
            v = vb / sum, w = vc / sum;
        } else {
            weights_on_edges(p, (Vec3[3]){a, b, c}, out.weight);
            v = out.weight[1], w = out.weight[2];
        }
    }
    out.weight[0] = fmax(0, 1 - v - w), out.weight[1] = v, out.weight[2] = w;
    if (v + w >= 1)
        out.weight[0] = 0;
    out.feature = feature_of(out.weight);
    out.point = pelti_closest_barycentric(out.weight, a, b, c);
    out.squared = squared_at(p, out.weight, a, b, c);
    return out;
}

static double segment_squared(Dvec r, Dvec d1, Dvec d2, double s, double t)
{
    Dvec e = {r.x + s * d1.x - t * d2.x, r.y + s * d1.y - t * d2.y, r.z + s * d1.z - t * d2.z};
    return dot(e, e);
}

/// The distance is a convex quadratic of (s,t) on the unit square: its minimum is the free one if that lies inside, else it
/// lies on the border, where one parameter is fixed and the other is a clamped projection.
PeltiClosestSegments pelti_closest_segments(Vec3 p0, Vec3 p1, Vec3 q0, Vec3 q1)
{
    Dvec d1 = minus(p1, p0), d2 = minus(q1, q0), r = minus(p0, q0);
    double a = dot(d1, d1), e = dot(d2, d2), b = dot(d1, d2), c = dot(d1, r), f = dot(d2, r);
    double denominator = a * e - b * b;
    PeltiClosestSegments out = {.squared = INFINITY};
    if (denominator > 1e-12 * a * e) { // sin^2 of the angle; below it the border finds the same distance
        double s = (b * f - c * e) / denominator, t = (a * f - b * c) / denominator;
        if (s > 0 && s < 1 && t > 0 && t < 1)
            out.s = s, out.t = t, out.squared = segment_squared(r, d1, d2, s, t);
    }
    if (!(out.squared < INFINITY)) {
        double border[4][2] = {{0, e > 0 ? clamp01(f / e) : 0},
                               {1, e > 0 ? clamp01((f + b) / e) : 0},
                               {a > 0 ? clamp01(-c / a) : 0, 0},
                               {a > 0 ? clamp01((b - c) / a) : 0, 1}};
        for (int k = 0; k < 4; k++) {
            double d = segment_squared(r, d1, d2, border[k][0], border[k][1]);
            if (d < out.squared)
                out.s = border[k][0], out.t = border[k][1], out.squared = d;
        }
    }
    out.feature_p = (out.s < 1 ? 1 : 0) | (out.s > 0 ? 2 : 0);
    out.feature_q = (out.t < 1 ? 1 : 0) | (out.t > 0 ? 2 : 0);
    return out;
}

bool pelti_segment_pierces(const Vec3 p[2], const Vec3 triangle[3], double *t, double weight[3])
{
    Vec3 p0 = p[0], p1 = p[1], a = triangle[0], b = triangle[1], c = triangle[2];
    Dvec n = cross(minus(b, a), minus(c, a));
    double h0 = dot(n, minus(p0, a)), h1 = dot(n, minus(p1, a));
    if (h0 * h1 > 0 || h0 == h1)
        return false;
    Dvec d = minus(p1, p0), pa = minus(a, p0), pb = minus(b, p0), pc = minus(c, p0);
    double u = dot(d, cross(pb, pc)), v = dot(d, cross(pc, pa)), w = dot(d, cross(pa, pb)); // volumes with each edge
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)))
        return false;
    double sum = u + v + w;
    if (sum == 0)
        return false;
    *t = h0 / (h0 - h1);
    weight[0] = u / sum, weight[1] = v / sum, weight[2] = w / sum;
    return true;
}

static bool find_crossing(const Vec3 a[3], const Vec3 b[3], PeltiClosestTriangles *out)
{
    for (int side = 0; side < 2; side++) {
        const Vec3 *edges = side ? b : a, *face = side ? a : b;
        for (int k = 0; k < 3; k++) {
            double t, w[3], edge_weight[3] = {0, 0, 0};
            if (!pelti_segment_pierces((const Vec3[2]){edges[k], edges[(k + 1) % 3]}, face, &t, w))
                continue;
            edge_weight[k] = 1 - t, edge_weight[(k + 1) % 3] = t;
            for (int i = 0; i < 3; i++) {
                out->weight_a[i] = side ? w[i] : edge_weight[i];
                out->weight_b[i] = side ? edge_weight[i] : w[i];
            }
            out->crossing = true;
            out->squared = 0;
            return true;
        }
    }
    return false;
}

/// Two triangles that do not cross are nearest at two edges or at a corner and a face.
PeltiClosestTriangles pelti_closest_triangles(const Vec3 a[3], const Vec3 b[3])
{
    PeltiClosestTriangles out = {.squared = INFINITY, .weight_a = {1, 0, 0}, .weight_b = {1, 0, 0}};
    if (!find_crossing(a, b, &out)) {
        for (int i = 0; i < 3; i++) {
            PeltiClosest on_b = pelti_closest_on_triangle(a[i], b[0], b[1], b[2]);
            PeltiClosest on_a = pelti_closest_on_triangle(b[i], a[0], a[1], a[2]);
            for (int side = 0; side < 2; side++) {
                const PeltiClosest *on = side ? &on_a : &on_b;
                if (!(on->squared < out.squared))
                    continue;
                out.squared = on->squared;
                for (int k = 0; k < 3; k++) {
                    out.weight_a[k] = side ? on->weight[k] : (k == i ? 1 : 0);
                    out.weight_b[k] = side ? (k == i ? 1 : 0) : on->weight[k];
                }
            }
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                int i1 = (i + 1) % 3, j1 = (j + 1) % 3;
                PeltiClosestSegments on = pelti_closest_segments(a[i], a[i1], b[j], b[j1]);
                if (!(on.squared < out.squared))
                    continue;
                out.squared = on.squared;
                for (int k = 0; k < 3; k++) {
                    out.weight_a[k] = k == i ? 1 - on.s : k == i1 ? on.s : 0;
                    out.weight_b[k] = k == j ? 1 - on.t : k == j1 ? on.t : 0;
                }
            }
        }
    }
    out.feature_a = feature_of(out.weight_a);
    out.feature_b = feature_of(out.weight_b);
    return out;
}
