/// Makes pieces to wear of parts: shells lifted off the skin, lathes, ribbons.
#include "builtin/pieces.h"
#include "math/elementary.h"

#include <string.h>

void pelti_wear_init(PeltiWear *s, const PeltiFigure *body, const PeltiRemeshSurface *skin, const PeltiInfluences *influences)
{
    *s = (PeltiWear){.body = body, .skin = skin, .influences = influences};
    pelti_array_init(&s->points, &skin->allocator, sizeof(PeltiWearPoint));
    pelti_array_init(&s->triangles, &skin->allocator, sizeof(int[3]));
}

void pelti_wear_release(PeltiWear *s)
{
    pelti_array_release(&s->points);
    pelti_array_release(&s->triangles);
}

void pelti_wear_begin(PeltiWear *s, const char *name, const char *material, const float colour[3])
{
    PELT_ASSERT(s->piece_count < PELTI_WEAR_PIECES);
    PeltiWearPiece *piece = &s->pieces[s->piece_count];
    *piece = (PeltiWearPiece){
        .name = name, .material = material, .first_point = (int)s->points.count, .first_triangle = (int)s->triangles.count};
    memcpy(piece->colour, colour, sizeof piece->colour);
}

void pelti_wear_end(PeltiWear *s)
{
    PeltiWearPiece *piece = &s->pieces[s->piece_count];
    piece->point_count = (int)s->points.count - piece->first_point;
    piece->triangle_count = (int)s->triangles.count - piece->first_triangle;
    s->piece_count += piece->triangle_count > 0;
}

static int add_point(PeltiWear *s, Vec3 p, const PeltiInfluences *owners, const PeltiInfluences *weights)
{
    PeltiWearPoint point = {.position = p, .owners = *owners, .weights = *weights};
    pelti_array_push(&s->points, &point);
    return (int)s->points.count - 1;
}

static void add_triangle(PeltiWear *s, int a, int b, int c)
{
    if (a != b && b != c && c != a)
        pelti_array_push(&s->triangles, (int[3]){a, b, c});
}

static void add_part(PeltiWear *s, int first_point, bool rigid, bool sunk, Vec3 anchor)
{
    PELT_ASSERT(s->part_count < PELTI_WEAR_PARTS);
    if ((int)s->points.count > first_point)
        s->parts[s->part_count++] =
            (PeltiWearPart){s->piece_count, first_point, (int)s->points.count - first_point, rigid, sunk, anchor};
}

PeltiInfluences pelti_wear_bone(int bone)
{
    return (PeltiInfluences){{bone < 0 ? 0 : bone}, {1}};
}

PeltiInfluences pelti_wear_beneath(const PeltiWear *s, Vec3 p)
{
    int nearest = 0;
    float least = INFINITY;
    for (int v = 0; v < s->skin->vertex_count; v++) {
        Vec3 d = vec3_sub(s->skin->position[v], p);
        if (vec3_dot(d, d) < least) {
            least = vec3_dot(d, d);
            nearest = v;
        }
    }
    return s->influences[nearest];
}

/// Newton's steps, kept short: the values are distances near the surface only.
Vec3 pelti_wear_lift(const PeltiSolid *shape, Vec3 p, float level)
{
    for (int i = 0; i < 24; i++) {
        float away = pelti_solid_distance(shape, p) - level;
        if (fabsf(away) < 0.02f * fabsf(level))
            break;
        Vec3 g = pelti_solid_gradient(shape, p, 0.1f * level);
        float step = fminf(fmaxf(away / fmaxf(vec3_length(g), 0.5f), -0.25f * level), 0.25f * level);
        p = vec3_mad(p, vec3_normalize_or(g, vec3(0, 1, 0)), -step);
    }
    return p;
}

bool pelti_wear_meet(const PeltiSolid *shape, Vec3 from, Vec3 direction, float level, float reach, Vec3 *out)
{
    Vec3 d = vec3_normalize_or(direction, vec3(0, 1, 0));
    for (float t = 0; t < reach;) {
        Vec3 p = vec3_mad(from, d, t);
        float away = pelti_solid_distance(shape, p) - level;
        if (away < 0.02f * level) {
            *out = p;
            return true;
        }
        t += fmaxf(0.5f * away, 0.01f * level); // lofts are steeper than distances
    }
    return false;
}

// ---- shells: the skin's own triangles, lifted and cut along the hems ----

typedef struct Shell {
    PeltiWear *pieces;
    float *cover; // [vertex] zero: on the hem
    Vec3 *lifted; // [vertex]
    int *number;  // [vertex] point; -1: none yet
    int *cut;     // [half edge] point where the hem cuts it; -1: none yet
} Shell;

/// A hem that passes close to a vertex passes through it: no slivers.
static void snap_hems(Shell *s)
{
    const PeltiRemeshSurface *skin = s->pieces->skin;
    for (int h = 0; h < 3 * skin->triangle_count; h++) {
        int a = skin->corner[h], b = skin->corner[pelti_remesh_next(h)];
        float u = s->cover[a], v = s->cover[b];
        if (!(u * v < 0))
            continue;
        float t = u / (u - v);
        if (t < 0.2f)
            s->cover[a] = 0;
        else if (t > 0.8f)
            s->cover[b] = 0;
    }
}

static int vertex_point(Shell *s, int v)
{
    const PeltiInfluences *w = &s->pieces->influences[v];
    if (s->number[v] < 0)
        s->number[v] = add_point(s->pieces, s->lifted[v], w, w);
    return s->number[v];
}

static int cut_point(Shell *s, int h)
{
    const PeltiRemeshSurface *skin = s->pieces->skin;
    int twin = skin->opposite[h], edge = h < twin ? h : twin;
    if (s->cut[edge] < 0) {
        int a = skin->corner[edge], b = skin->corner[pelti_remesh_next(edge)];
        float t = s->cover[a] / (s->cover[a] - s->cover[b]);
        PeltiInfluences w = pelti_influences_between(&s->pieces->influences[a], &s->pieces->influences[b]);
        s->cut[edge] = add_point(s->pieces, vec3_lerp(s->lifted[a], s->lifted[b], t), &w, &w);
    }
    return s->cut[edge];
}

static void cut_triangle(Shell *s, int t)
{
    const int *corner = &s->pieces->skin->corner[3 * t];
    int polygon[4], count = 0;
    if (fmaxf(s->cover[corner[0]], fmaxf(s->cover[corner[1]], s->cover[corner[2]])) <= 0)
        return;
    for (int i = 0; i < 3; i++) {
        float u = s->cover[corner[i]], v = s->cover[corner[(i + 1) % 3]];
        if (u >= 0)
            polygon[count++] = vertex_point(s, corner[i]);
        if (u * v < 0)
            polygon[count++] = cut_point(s, 3 * t + i);
    }
    if (s->pieces->points.failed)
        return;
    const PeltiWearPoint *p = (const PeltiWearPoint *)(void *)s->pieces->points.data;
    int first = count == 4 && vec3_distance(p[polygon[1]].position, p[polygon[3]].position) <
                                  vec3_distance(p[polygon[0]].position, p[polygon[2]].position);
    for (int i = 2; i < count; i++)
        add_triangle(s->pieces, polygon[first], polygon[(first + i - 1) % count], polygon[(first + i) % count]);
}

PeltStatus pelti_wear_shell(PeltiWear *s, float lift, const float *cover, PeltError *err)
{
    const PeltiRemeshSurface *skin = s->skin;
    PeltiPool pool;
    pelti_pool_init(&pool, &skin->allocator);
    int n = skin->vertex_count, halves = 3 * skin->triangle_count, first = (int)s->points.count;
    Shell shell = {s, PELTI_NEW(&pool, float, n), PELTI_NEW(&pool, Vec3, n), PELTI_NEW(&pool, int, n),
                   PELTI_NEW(&pool, int, halves)};
    if (pool.failed) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, (size_t)halves * sizeof(int));
    }
    memset(shell.number, -1, (size_t)n * sizeof(int));
    memset(shell.cut, -1, (size_t)halves * sizeof(int));
    memcpy(shell.cover, cover, (size_t)n * sizeof(float));
    snap_hems(&shell);
    for (int t = 0; t < skin->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            int v = skin->corner[3 * t + i];
            if (shell.cover[v] >= 0 || shell.cover[skin->corner[3 * t + (i + 1) % 3]] > 0 ||
                shell.cover[skin->corner[3 * t + (i + 2) % 3]] > 0)
                if (vec3_length(shell.lifted[v]) == 0)
                    shell.lifted[v] = pelti_wear_lift(s->body->shape, skin->position[v], lift);
        }
    for (int t = 0; t < skin->triangle_count; t++)
        cut_triangle(&shell, t);
    add_part(s, first, false, false, vec3(0, 0, 0));
    pelti_pool_release(&pool);
    return s->points.failed || s->triangles.failed ? pelti_no_memory(err, s->points.count * s->points.size) : PELT_OK;
}

// ---- solids and ribbons ----

void pelti_wear_lathe(PeltiWear *s, const PeltiWearLathe *l)
{
    Vec3 y = vec3_normalize_or(l->axis, vec3(0, 1, 0));
    Vec3 z = vec3_normalize_or(vec3_mad(l->front, y, -vec3_dot(l->front, y)), vec3_orthogonal(y)), x = vec3_cross(y, z);
    int first = (int)s->points.count, before = first, before_count = 1;
    for (int i = 0; i < l->count; i++) {
        float radius = l->profile[i][0];
        int ring = (int)s->points.count, count = radius > 0 ? l->sides : 1;
        for (int k = 0; k < count; k++) {
            float angle = 6.2831853f * (float)k / (float)l->sides;
            Vec3 p = vec3_mad(l->origin, y, l->profile[i][1]);
            p = vec3_mad(vec3_mad(p, z, radius * pelti_cosf(angle)), x, radius * pelti_sinf(angle));
            add_point(s, p, &l->weights, &l->weights);
        }
        for (int k = 0; k < l->sides && i > 0; k++) { // heights rise along the profile: seen from outside, k runs to the right
            int a = before + k % before_count, b = before + (k + 1) % before_count, c = ring + k % count,
                d = ring + (k + 1) % count;
            add_triangle(s, a, b, d);
            add_triangle(s, a, d, c);
        }
        before = ring;
        before_count = count;
    }
    add_part(s, first, true, l->sunk, l->origin);
}

void pelti_wear_ribbon(PeltiWear *s, int count, const Vec3 *points, const Vec3 *across, const PeltiInfluences *weights)
{
    int first = (int)s->points.count;
    for (int i = 0; i < count; i++) {
        PeltiInfluences beneath = pelti_wear_beneath(s, points[i]);
        for (int side = 0; side < 2; side++)
            add_point(s, vec3_mad(points[i], across[i], side ? -1 : 1), &beneath, weights ? weights : &beneath);
        if (i > 0) {
            int a = first + 2 * i - 2;
            add_triangle(s, a, a + 1, a + 3);
            add_triangle(s, a, a + 3, a + 2);
        }
    }
    add_part(s, first, false, false, vec3(0, 0, 0));
}
