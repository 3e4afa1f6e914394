/// Generalised winding numbers of triangle soups [Jacobson2013], [Barill2018], by solid angles [VanOosterom1983].
#include "body/winding.h"

#include "body/constants.def"
#include "geometry/dipole.h"
#include "math/elementary.h"

#include <math.h>

struct PeltiWinding {
    PeltiBoxTree *tree;
    const int (*triangles)[3];
    const Vec3 *points;
    PeltiMeshDipole *dipoles; // [node_count]
};

static const float FOUR_PI = 12.5663706f;

static Vec3 corner(const PeltiWinding *w, int triangle, int k)
{
    return w->points[w->triangles[triangle][k]];
}

static void add_triangle(const PeltiWinding *w, int t, Vec3 *weighted, Vec3 *area, float *total)
{
    Vec3 a = corner(w, t, 0), b = corner(w, t, 1), c = corner(w, t, 2);
    Vec3 n = vec3_scale(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), 0.5f);
    float size = vec3_length(n);
    *weighted = vec3_mad(*weighted, vec3_add(a, vec3_add(b, c)), size / 3);
    *area = vec3_add(*area, n);
    *total += size;
}

static void fill_dipole(PeltiWinding *w, int node)
{
    const PeltiBoxNode *at = &w->tree->nodes[node];
    Vec3 weighted = {0, 0, 0}, area = {0, 0, 0};
    float total = 0, radius2 = 0;
    for (int s = at->first; s < at->first + at->count; s++)
        add_triangle(w, w->tree->items[s], &weighted, &area, &total);
    Vec3 centre = total > 0 ? vec3_scale(weighted, 1 / total) : vec3_lerp(at->box.low, at->box.high, 0.5f);
    for (int s = at->first; s < at->first + at->count; s++)
        for (int k = 0; k < 3; k++) {
            Vec3 d = vec3_sub(corner(w, w->tree->items[s], k), centre);
            radius2 = fmaxf(radius2, vec3_dot(d, d));
        }
    w->dipoles[node] = (PeltiMeshDipole){centre, area, sqrtf(radius2)};
}

PeltStatus pelti_winding_create(PeltiPool *pool, int count, const int (*triangles)[3], const Vec3 *points, PeltiWinding **out,
                                PeltError *err)
{
    PeltiWinding *w = PELTI_NEW(pool, PeltiWinding, 1);
    if (!w)
        return pelti_no_memory(err, sizeof *w);
    w->triangles = triangles;
    w->points = points;
    PELT_TRY(pelti_box_tree_build_triangles(pool, count, triangles, points, &w->tree, err));
    w->dipoles = PELTI_NEW(pool, PeltiMeshDipole, w->tree->node_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)w->tree->node_count * sizeof(PeltiMeshDipole));
    for (int node = 0; node < w->tree->node_count; node++)
        fill_dipole(w, node);
    *out = w;
    return PELT_OK;
}

/// Solid angle of a triangle [VanOosterom1983], as a share of the sphere.
static float solid_angle(Vec3 a, Vec3 b, Vec3 c)
{
    float la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    float triple = vec3_dot(a, vec3_cross(b, c));
    float below = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return 2 * pelti_atan2f(triple, below) / FOUR_PI;
}

float pelti_winding_at(const PeltiWinding *w, Vec3 at)
{
    float sum = 0;
    int stack[64], depth = 0;
    if (w->tree->item_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        int node = stack[--depth];
        const PeltiBoxNode *n = &w->tree->nodes[node];
        const PeltiMeshDipole *d = &w->dipoles[node];
        Vec3 to = vec3_sub(d->centre, at);
        float distance = vec3_length(to);
        if (distance > WINDING_FAR * d->radius) {
            sum += vec3_dot(to, d->area) / (FOUR_PI * distance * distance * distance);
        } else if (n->right < 0) {
            for (int s = n->first; s < n->first + n->count; s++) {
                int t = w->tree->items[s];
                sum += solid_angle(vec3_sub(corner(w, t, 0), at), vec3_sub(corner(w, t, 1), at), vec3_sub(corner(w, t, 2), at));
            }
        } else {
            stack[depth++] = n->right;
            stack[depth++] = node + 1;
        }
    }
    return sum;
}

// ---- a cube of points ----

/// Points of a cube, what dipoles add up to at each, and the halves of the solid angles there: an angle of `turns` whole turns
/// and that of the complex number re + i im. Products of complex numbers add angles, so one arcus tangent a point is enough.
typedef struct Cube {
    Vec3 middle;
    float radius; // of a ball round it that holds the points
    float x[PELTI_WINDING_CUBE], y[PELTI_WINDING_CUBE], z[PELTI_WINDING_CUBE];
    float dipoles[PELTI_WINDING_CUBE], re[PELTI_WINDING_CUBE], im[PELTI_WINDING_CUBE], turns[PELTI_WINDING_CUBE];
} Cube;

static void place_cube(Cube *c, Vec3 low, float edge)
{
    const float half = 0.5f * (PELTI_WINDING_SIDE - 1);
    c->middle = vec3_add(low, vec3_scale(vec3(1, 1, 1), half * edge));
    c->radius = half * edge * 1.7320508f;
    for (int i = 0; i < PELTI_WINDING_CUBE; i++) {
        int row = i / PELTI_WINDING_SIDE, layer = row / PELTI_WINDING_SIDE;
        c->x[i] = low.x + edge * (float)(i % PELTI_WINDING_SIDE);
        c->y[i] = low.y + edge * (float)(row % PELTI_WINDING_SIDE);
        c->z[i] = low.z + edge * (float)layer;
        c->dipoles[i] = c->im[i] = c->turns[i] = 0;
        c->re[i] = 1;
    }
}

static void add_dipole(Cube *c, const PeltiMeshDipole *d)
{
    for (int i = 0; i < PELTI_WINDING_CUBE; i++) {
        float x = d->centre.x - c->x[i], y = d->centre.y - c->y[i], z = d->centre.z - c->z[i];
        float squared = x * x + y * y + z * z;
        c->dipoles[i] += (x * d->area.x + y * d->area.y + z * d->area.z) / (FOUR_PI * squared * sqrtf(squared));
    }
}

/// Half the solid angle of a triangle is that of below + i triple, as in solid_angle.
static void add_angle(Cube *c, Vec3 p, Vec3 q, Vec3 r)
{
    for (int i = 0; i < PELTI_WINDING_CUBE; i++) {
        float ax = p.x - c->x[i], ay = p.y - c->y[i], az = p.z - c->z[i];
        float bx = q.x - c->x[i], by = q.y - c->y[i], bz = q.z - c->z[i];
        float cx = r.x - c->x[i], cy = r.y - c->y[i], cz = r.z - c->z[i];
        float la = sqrtf(ax * ax + ay * ay + az * az), lb = sqrtf(bx * bx + by * by + bz * bz);
        float lc = sqrtf(cx * cx + cy * cy + cz * cz);
        float triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
        float below = la * lb * lc + (ax * bx + ay * by + az * bz) * lc + (bx * cx + by * cy + bz * cz) * la +
                      (cx * ax + cy * ay + cz * az) * lb;
        float re = c->re[i] * below - c->im[i] * triple, im = c->re[i] * triple + c->im[i] * below;
        // past half a turn: the sum of two angles is one turn more
        float up = ((c->im[i] > 0) & (triple > 0) & (im < 0)) ? 1.0f : 0.0f;
        float down = ((c->im[i] < 0) & (triple < 0) & (im > 0)) ? 1.0f : 0.0f;
        float scale = 1 / (fabsf(re) + fabsf(im) + 1e-30f);
        c->turns[i] += up - down;
        c->re[i] = re * scale;
        c->im[i] = im * scale;
    }
}

void pelti_winding_cube(const PeltiWinding *w, Vec3 low, float edge, float out[PELTI_WINDING_CUBE])
{
    Cube c;
    int stack[64], depth = 0;
    place_cube(&c, low, edge);
    if (w->tree->item_count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        int node = stack[--depth];
        const PeltiBoxNode *n = &w->tree->nodes[node];
        const PeltiMeshDipole *d = &w->dipoles[node];
        if (vec3_distance(d->centre, c.middle) - c.radius > WINDING_FAR * d->radius) {
            add_dipole(&c, d);
        } else if (n->right < 0) {
            for (int s = n->first; s < n->first + n->count; s++) {
                int t = w->tree->items[s];
                add_angle(&c, corner(w, t, 0), corner(w, t, 1), corner(w, t, 2));
            }
        } else {
            stack[depth++] = n->right;
            stack[depth++] = node + 1;
        }
    }
    for (int i = 0; i < PELTI_WINDING_CUBE; i++)
        out[i] = c.dipoles[i] + c.turns[i] + 2 * pelti_atan2f(c.im[i], c.re[i]) / FOUR_PI;
}
