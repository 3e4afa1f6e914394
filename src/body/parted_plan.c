/// Plans how skin that passes through itself is parted along a plane.
/// All skin of one side near it, whatever its piece, is pressed together towards that side: a map that is monotonous along the
/// normal and fades out across it, so layers over one another keep their order.
#include "body/constants.def"
#include "body/parted_parts.h"

#include <string.h>

static const float SIDE_UNKNOWN = 2;

typedef PeltiPartedPlane Plane;

static float side_sign(int side)
{
    return side ? -1.0f : 1.0f;
}

/// Height over the plane and the kernel there.
static float kernel_at(const Plane *plane, Vec3 x, float *height)
{
    Vec3 off = vec3_sub(x, plane->at);
    *height = vec3_dot(off, plane->normal);
    Vec3 across = vec3_mad(off, plane->normal, -*height);
    float r = vec3_dot(across, across) / (plane->wide * plane->wide);
    return r < 1 ? (1 - r) * (1 - r) : 0;
}

static const int *corners(const PeltiParted *l, int member, int side)
{
    return l->mesh->triangles[l->pair[l->island.member[member]].triangle[side]];
}

/// Where the pairs are, their mean way, and as far as they reach. Triangles may be larger than the island: their corners on the
/// wrong side are what moves.
static bool find_plane(const PeltiParted *l, Plane *plane)
{
    const float count = (float)l->island.count;
    *plane = (Plane){.radius = PARTED_LEAST_RADIUS * l->mesh->diagonal};
    for (int i = 0; i < l->island.count; i++) {
        plane->at = vec3_mad(plane->at, l->pair[l->island.member[i]].at, 1 / count);
        plane->normal = vec3_mad(plane->normal, l->pair[l->island.member[i]].way, 1 / count);
    }
    float length = vec3_length(plane->normal);
    if (!(length > PARTED_AGREED))
        return false;
    plane->normal = vec3_scale(plane->normal, 1 / length);
    for (int i = 0; i < l->island.count; i++) {
        plane->radius = fmaxf(plane->radius, vec3_distance(plane->at, l->pair[l->island.member[i]].at));
        for (int k = 0; k < 6; k++) {
            Vec3 off = vec3_sub(l->x[corners(l, i, k / 3)[k % 3]], plane->at);
            float h = vec3_dot(off, plane->normal), below = -h * side_sign(k / 3);
            if (below > 0 && below < PARTED_FARTHEST * l->mesh->diagonal)
                plane->radius = fmaxf(plane->radius, PARTED_CORNERS * vec3_length(vec3_mad(off, plane->normal, -h)));
        }
    }
    plane->wide = PARTED_WIDE * plane->radius;
    return true;
}

/// How far a side goes through the plane, over the kernel: a walk from the triangles that cross, over what is on the wrong side.
static float find_depth(PeltiParted *l, const Plane *plane, int side)
{
    const PeltiMesh *mesh = l->mesh;
    int head = 0, tail = 0;
    float deep = 0;
    memset(l->scratch.seen, 0, (size_t)mesh->vertex_count * sizeof *l->scratch.seen);
    for (int i = 0; i < 3 * l->island.count; i++) {
        int v = corners(l, i / 3, side)[i % 3];
        if (!l->scratch.seen[v])
            l->scratch.queue[tail++] = v;
        l->scratch.seen[v] = true;
    }
    while (head < tail) {
        int v = l->scratch.queue[head++];
        float h, kernel = kernel_at(plane, l->x[v], &h);
        h *= side_sign(side);
        if (h >= 0 || kernel < PARTED_LEAST_KERNEL)
            continue;
        deep = fmaxf(deep, -h / kernel);
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
            int n = mesh->ring[i];
            if (!l->scratch.seen[n] && !l->hidden[n])
                l->scratch.queue[tail++] = n;
            l->scratch.seen[n] |= !l->hidden[n];
        }
    }
    return deep;
}

static void add_mark(PeltiParted *l, int side, int what, Vec3 at)
{
    if (l->island.marked[side][what] == l->island.number)
        return;
    l->island.marked[side][what] = l->island.number;
    l->island.mark[side][l->island.mark_count[side]++] = at;
}

static void find_marks(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    l->island.number++;
    l->island.mark_count[0] = l->island.mark_count[1] = 0;
    for (int i = 0; i < 2 * l->island.count; i++) {
        int side = i % 2;
        const int *t = corners(l, i / 2, side);
        for (int k = 0; k < 3; k++)
            add_mark(l, side, t[k], mesh->rest[t[k]]);
        add_mark(l, side, mesh->vertex_count + l->pair[l->island.member[i / 2]].triangle[side],
                 pelti_triangle_centre(mesh->rest, t));
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        l->island.side[v] = SIDE_UNKNOWN;
}

static float nearest_mark(const PeltiParted *l, int side, Vec3 rest)
{
    float nearest = INFINITY;
    for (int i = 0; i < l->island.mark_count[side]; i++) {
        Vec3 off = vec3_sub(l->island.mark[side][i], rest);
        float square = vec3_dot(off, off);
        nearest = square < nearest ? square : nearest;
    }
    return sqrtf(nearest);
}

/// 1: at rest nearer to the triangles of the first side, -1: of the second; between them it fades.
static float side_of(PeltiParted *l, int v)
{
    if (l->island.side[v] == SIDE_UNKNOWN) {
        float a = nearest_mark(l, 0, l->mesh->rest[v]), b = nearest_mark(l, 1, l->mesh->rest[v]);
        float fade = PARTED_SIDE_SLOPE * (b - a) / fmaxf(a + b, 1e-20f);
        l->island.side[v] = fminf(fmaxf(fade, -1), 1);
    }
    return l->island.side[v];
}

/// A rigid side stays: the plane goes beyond it, and the other takes all of the way.
static void spare_rigid(const PeltiParted *l, Plane *plane)
{
    for (int side = 0; side < 2; side++) {
        if (!pelti_parted_rigid(l, corners(l, 0, side)[0]))
            continue;
        plane->at = vec3_mad(plane->at, plane->normal, -side_sign(side) * plane->deep[side]);
        plane->deep[1 - side] += plane->deep[side];
        plane->deep[side] = -1;
    }
}

/// With d the depth here and H = 3 D the height above which nothing moves, h -> h + d (H - h) / (H + d).
static float pressed(float h, float deep, float most)
{
    float high = 3 * most;
    return h < high ? deep * (high - h) / (high + deep) : 0;
}

bool pelti_parted_aim(PeltiParted *l)
{
    Plane *plane = &l->island.plane;
    if (!find_plane(l, plane))
        return false;
    for (int side = 0; side < 2; side++)
        plane->deep[side] = find_depth(l, plane, side);
    if (plane->deep[0] + plane->deep[1] > PARTED_HOPELESS * l->mesh->diagonal)
        return false;
    spare_rigid(l, plane);
    find_marks(l);
    return true;
}

bool pelti_parted_plan(PeltiParted *l, float share)
{
    const PeltiMesh *mesh = l->mesh;
    float gap = PARTED_GAP * mesh->diagonal, farthest = PARTED_FARTHEST * mesh->diagonal;
    Plane plane = l->island.plane;
    l->attempt.push_count = 0;
    for (int side = 0; side < 2; side++)
        plane.deep[side] = plane.deep[side] < 0 ? 0 : share * fminf(plane.deep[side] + gap, farthest);
    plane.wide = fmaxf(plane.wide, PARTED_SLOPE * fmaxf(plane.deep[0], plane.deep[1]));
    for (int v = 0; v < mesh->vertex_count; v++) {
        float h, kernel = kernel_at(&plane, l->x[v], &h);
        if (!(kernel > 0) || fabsf(h) > PARTED_BEHIND * farthest || pelti_parted_rigid(l, v))
            continue;
        float side = side_of(l, v), sign = side < 0 ? -1.0f : 1.0f, most = plane.deep[side < 0];
        if (!(most > 0) || sign * h < -PARTED_DEEPER * most - gap) // deeper: not what crosses here
            continue;
        float way = pressed(sign * h, most * kernel, most) * fabsf(side);
        if (way > PARTED_NOTHING * mesh->diagonal)
            l->attempt.push[l->attempt.push_count++] = (PeltiPartedPush){v, vec3_scale(plane.normal, sign * way), l->x[v]};
    }
    return l->attempt.push_count > 0;
}
