/// Rays through the box tree [Woop2013].
/// The ray becomes the z axis by a shear, and a triangle is met where the origin lies within its shadow on the plane across.
#include "geometry/ray.h"

enum { STACK = 96 };

/// Slack of the box tests. A product or difference of floats is off by 6e-8 of itself; boxes may only be kept in vain.
static const float SLACK = 1.000001f, SIZE_SLACK = 2.5e-7f;

typedef struct ShearedRay {
    double origin[3], shear_x, shear_y, along; // along: the direction's largest part
    int x, y, z;                               // axes: z is the largest part's
    float near, start[3], end[3], inverse[3];  // the slabs: origins moved so that boxes are a little larger, 1 / direction
    int first[3], last[3];                     // numbers of a box that are met first and last: low.x is 0, high.z is 5
} ShearedRay;

static float part(Vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static float largest_part(Vec3 p, const PeltiBox *box)
{
    float most = 0;
    for (int k = 0; k < 3; k++)
        most = fmaxf(most, fmaxf(fabsf(part(p, k)), fmaxf(fabsf(part(box->low, k)), fabsf(part(box->high, k)))));
    return most < INFINITY ? most : 0; // an empty tree
}

static bool take_aim(const PeltiBoxTree *tree, const PeltiBoxRay *ray, ShearedRay *aim)
{
    Vec3 d = ray->direction;
    aim->near = ray->near > 0 ? ray->near : 0;
    if (!tree->node_count || !vec3_finite(ray->origin) || !vec3_finite(d) || (d.x == 0 && d.y == 0 && d.z == 0) ||
        !(ray->far >= aim->near))
        return false;
    aim->z = fabsf(d.x) >= fabsf(d.y) ? (fabsf(d.x) >= fabsf(d.z) ? 0 : 2) : fabsf(d.y) >= fabsf(d.z) ? 1 : 2;
    aim->x = (aim->z + 1) % 3;
    aim->y = (aim->z + 2) % 3;
    aim->along = (double)part(d, aim->z);
    aim->shear_x = (double)part(d, aim->x) / aim->along;
    aim->shear_y = (double)part(d, aim->y) / aim->along;
    float slack = SIZE_SLACK * largest_part(ray->origin, &tree->nodes[0].box);
    for (int k = 0; k < 3; k++) {
        float o = part(ray->origin, k), step = part(d, k);
        aim->origin[k] = (double)o;
        bool back = signbit(step) != 0;
        aim->first[k] = back ? k + 3 : k;
        aim->last[k] = back ? k : k + 3;
        aim->inverse[k] = 1 / step;
        aim->start[k] = back ? o - slack : o + slack;
        aim->end[k] = back ? o + slack : o - slack;
    }
    return true;
}

/// Where the ray enters the box, INFINITY: it does not before `far`. A ray along a face gives 0 * INFINITY there: NaN, which
/// loses every comparison, so that this face decides nothing.
static inline float entry(const ShearedRay *aim, const PeltiBox *box, float far)
{
    const float *side = &box->low.x;
    float in = aim->near, out = far;
    for (int k = 0; k < 3; k++) {
        float a = (side[aim->first[k]] - aim->start[k]) * aim->inverse[k];
        float b = (side[aim->last[k]] - aim->end[k]) * aim->inverse[k];
        in = a > in ? a : in;
        out = b < out ? b : out;
    }
    return in <= out * SLACK ? in : INFINITY;
}

typedef struct Meeting {
    double distance, u, v;
} Meeting;

/// Twice the areas between the origin and the edges of the shadow. Rounding is monotone, so the sign of a difference of two
/// rounded products is never wrong, at worst 0; this and counting 0 as inside make it watertight. It needs products that are
/// not fused into the difference: this file is compiled so.
static bool meets(const ShearedRay *aim, const int triangle[3], const Vec3 *points, Meeting *out)
{
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        Vec3 p = points[triangle[i]];
        z[i] = (double)part(p, aim->z) - aim->origin[aim->z];
        x[i] = (double)part(p, aim->x) - aim->origin[aim->x] - aim->shear_x * z[i];
        y[i] = (double)part(p, aim->y) - aim->origin[aim->y] - aim->shear_y * z[i];
    }
    double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    double sum = u + v + w;
    if (sum == 0)
        return false;
    out->distance = (u * z[0] + v * z[1] + w * z[2]) / (sum * aim->along);
    out->u = v / sum;
    out->v = w / sum;
    return true;
}

typedef struct RaySearch {
    const PeltiBoxTree *tree;
    const int (*triangles)[3];
    const Vec3 *points;
    bool any; // the first met will do
    PeltiTriangleFilter filter;
    void *context;
    double far;
    int triangle; // -1: none yet
    Meeting at;
} RaySearch;

static void try_triangle(RaySearch *s, const ShearedRay *aim, int triangle)
{
    Meeting m;
    if (!meets(aim, s->triangles[triangle], s->points, &m) || !(m.distance >= (double)aim->near && m.distance <= s->far))
        return;
    if (m.distance == s->far && s->triangle >= 0 && s->triangle < triangle)
        return;
    if (s->filter && !s->filter(s->context, triangle))
        return;
    s->far = m.distance;
    s->triangle = triangle;
    s->at = m;
}

/// The nearer of two children first, so that what it meets spares the other.
static void walk(RaySearch *s, const ShearedRay *aim)
{
    struct {
        int node;
        float entry;
    } stack[STACK];
    const PeltiBoxNode *nodes = s->tree->nodes;
    int top = 1;
    stack[0].node = 0;
    stack[0].entry = entry(aim, &nodes[0].box, (float)s->far);
    while (top) {
        top--;
        float far = (float)s->far * SLACK;
        if (!(stack[top].entry <= far) || stack[top].entry == INFINITY)
            continue;
        int n = stack[top].node;
        const PeltiBoxNode *node = &nodes[n];
        if (node->right >= 0) {
            float left = entry(aim, &nodes[n + 1].box, far), right = entry(aim, &nodes[node->right].box, far);
            bool left_first = left <= right;
            float later = left_first ? right : left;
            stack[top].node = left_first ? node->right : n + 1;
            stack[top].entry = later;
            top += later < INFINITY;
            stack[top].node = left_first ? n + 1 : node->right;
            stack[top].entry = left_first ? left : right;
            top++;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            if (entry(aim, &s->tree->boxes[i], far) < INFINITY)
                try_triangle(s, aim, s->tree->items[i]);
        if (s->any && s->triangle >= 0)
            return;
    }
}

bool pelti_box_tree_first_hit(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const PeltiBoxRay *ray,
                              PeltiBoxHit *hit)
{
    ShearedRay aim;
    RaySearch s = {.tree = tree, .triangles = triangles, .points = points, .far = (double)ray->far, .triangle = -1};
    *hit = (PeltiBoxHit){.triangle = -1, .distance = ray->far};
    if (!take_aim(tree, ray, &aim))
        return false;
    walk(&s, &aim);
    if (s.triangle >= 0)
        *hit = (PeltiBoxHit){s.triangle, (float)s.at.distance, (float)s.at.u, (float)s.at.v};
    return s.triangle >= 0;
}

bool pelti_box_tree_blocked(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const PeltiBoxRay *ray,
                            PeltiTriangleFilter filter, void *context)
{
    ShearedRay aim;
    RaySearch s = {.tree = tree, .triangles = triangles, .points = points, .far = (double)ray->far, .triangle = -1};
    s.any = true;
    s.filter = filter;
    s.context = context;
    if (!take_aim(tree, ray, &aim))
        return false;
    walk(&s, &aim);
    return s.triangle >= 0;
}
