/// Lifts pieces off the skin and off each other until nothing crosses at rest.
#include "builtin/pieces.h"
#include "geometry/box_tree.h"
#include "geometry/exact.h"

#include <string.h>

/// Skin and pieces as one soup: points of the skin, then of the pieces; triangles likewise.
typedef struct Soup {
    PeltiWear *pieces;
    int skin_points, skin_triangles, point_count, triangle_count;
    Vec3 *position;   // [point_count]
    int (*corner)[3]; // [triangle_count]
    short *part;      // [point_count] -1: skin
    Vec3 *push;       // [point_count]
    bool *crossed;    // [part_count]
} Soup;

static PeltiWearPoint *points_of(const PeltiWear *s)
{
    return (PeltiWearPoint *)(void *)s->points.data;
}

static int (*triangles_of(const PeltiWear *s))[3]
{
    return (int(*)[3])(void *)s->triangles.data;
}

static PeltStatus make_soup(Soup *soup, PeltiWear *s, PeltiPool *pool, PeltError *err)
{
    *soup = (Soup){s, s->skin->vertex_count, s->skin->triangle_count, 0, 0, NULL, NULL, NULL, NULL, NULL};
    soup->point_count = soup->skin_points + (int)s->points.count;
    soup->triangle_count = soup->skin_triangles + (int)s->triangles.count;
    soup->position = PELTI_NEW(pool, Vec3, soup->point_count);
    soup->push = PELTI_NEW(pool, Vec3, soup->point_count);
    soup->part = PELTI_NEW(pool, short, soup->point_count);
    soup->corner = pelti_pool_take(pool, (size_t)soup->triangle_count, sizeof *soup->corner);
    soup->crossed = PELTI_NEW(pool, bool, PELTI_WEAR_PARTS);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)soup->triangle_count * sizeof *soup->corner);
    memcpy(soup->position, s->skin->position, (size_t)soup->skin_points * sizeof *soup->position);
    memcpy(soup->corner, s->skin->corner, (size_t)soup->skin_triangles * sizeof *soup->corner);
    memset(soup->part, -1, (size_t)soup->point_count * sizeof *soup->part);
    for (int p = 0; p < (int)s->points.count; p++)
        soup->position[soup->skin_points + p] = points_of(s)[p].position;
    for (int i = 0; i < s->part_count; i++)
        for (int p = 0; p < s->parts[i].point_count; p++)
            soup->part[soup->skin_points + s->parts[i].first_point + p] = (short)i;
    for (int t = 0; t < (int)s->triangles.count; t++)
        for (int i = 0; i < 3; i++)
            soup->corner[soup->skin_triangles + t][i] = soup->skin_points + triangles_of(s)[t][i];
    return PELT_OK;
}

/// Triangles of different parts that cross; parts that are meant to sink in do so.
static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const Soup *s = context;
    const int *p = s->corner[a], *q = s->corner[b];
    int i = s->part[p[0]], j = s->part[q[0]];
    if (i == j || (i >= 0 && j >= 0 && s->pieces->parts[i].piece == s->pieces->parts[j].piece) ||
        (i >= 0 && s->pieces->parts[i].sunk) || (j >= 0 && s->pieces->parts[j].sunk))
        return 0;
    Vec3 u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = s->position[p[k]];
        v[k] = s->position[q[k]];
    }
    return (int)pelti_triangles_meet(u, v);
}

/// The outer part of a pair goes along the normal of the inner one's triangle.
static void push_pair(Soup *s, int a, int b, float step)
{
    if (s->part[s->corner[a][0]] > s->part[s->corner[b][0]]) {
        int swap = a;
        a = b;
        b = swap;
    }
    const int *c = s->corner[a];
    Vec3 n = vec3_cross(vec3_sub(s->position[c[1]], s->position[c[0]]), vec3_sub(s->position[c[2]], s->position[c[0]]));
    n = vec3_normalize_or(n, vec3(0, 1, 0));
    int part = s->part[s->corner[b][0]];
    s->crossed[part] = true;
    for (int i = 0; i < 3; i++)
        s->push[s->corner[b][i]] = vec3_mad(s->push[s->corner[b][i]], n, step);
}

static void move_parts(Soup *s, float step)
{
    for (int i = 0; i < s->pieces->part_count; i++) {
        const PeltiWearPart *part = &s->pieces->parts[i];
        Vec3 *push = s->push + s->skin_points + part->first_point, sum = {0, 0, 0};
        for (int p = 0; p < part->point_count; p++)
            sum = vec3_add(sum, push[p]);
        for (int p = 0; p < part->point_count; p++) {
            Vec3 all = part->rigid ? sum : push[p], *x = &s->position[s->skin_points + part->first_point + p];
            if (vec3_length(all) > 0) // however many pairs push, one step
                *x = vec3_mad(*x, vec3_normalize_or(all, vec3(0, 1, 0)), step);
            push[p] = vec3(0, 0, 0);
        }
    }
}

/// Rounds of small steps until nothing crosses; what still does is marked in `crossed`.
static PeltStatus part_soup(Soup *s, float step, PeltiPool *pool, PeltiJobs *jobs, PeltError *err)
{
    enum { ROUNDS = 40, PAIRS = 4096 };
    PeltiBoxTree *tree;
    PeltiPairs pairs = {0};
    PELT_TRY(pelti_box_tree_build_triangles(pool, s->triangle_count, (const int(*)[3])s->corner, s->position, &tree, err));
    PELT_TRY(pelti_pairs_create(pool, PAIRS, tree, &pairs, err));
    for (int round = 0; round < ROUNDS; round++) {
        pelti_box_tree_refit_triangles(tree, jobs, (const int(*)[3])s->corner, s->position, NULL);
        pelti_box_tree_self_pairs(tree, 0, meet, s, jobs, &pairs);
        memset(s->crossed, 0, PELTI_WEAR_PARTS * sizeof *s->crossed);
        for (int i = 0; i < pairs.count; i++)
            push_pair(s, pairs.pairs[i].a, pairs.pairs[i].b, step);
        if (pairs.count == 0)
            break;
        if (round + 1 < ROUNDS)
            move_parts(s, step);
    }
    return PELT_OK;
}

/// Takes out the parts that are marked, with their points and triangles.
static void drop_parts(PeltiWear *s, const Soup *soup)
{
    int number = 0, parts = 0, triangles = 0, pieces = 0;
    PeltiWearPoint *points = points_of(s);
    int(*corner)[3] = triangles_of(s);
    int *to = (int *)(void *)soup->push; // [point] its new number; the pushes are done with
    const short *part_of = soup->part + soup->skin_points;
    for (int p = 0; p < (int)s->points.count; p++) {
        to[p] = soup->crossed[part_of[p]] ? -1 : number;
        if (to[p] >= 0)
            points[number++] = points[p];
    }
    for (int i = 0; i < s->piece_count; i++) {
        PeltiWearPiece piece = s->pieces[i];
        int first = triangles, first_point = -1, count = 0;
        for (int t = piece.first_triangle; t < piece.first_triangle + piece.triangle_count; t++)
            if (to[corner[t][0]] >= 0) {
                for (int k = 0; k < 3; k++)
                    corner[triangles][k] = to[corner[t][k]];
                triangles++;
            }
        for (int p = piece.first_point; p < piece.first_point + piece.point_count; p++)
            if (to[p] >= 0) {
                first_point = first_point < 0 ? to[p] : first_point;
                count++;
            }
        piece.first_triangle = first;
        piece.triangle_count = triangles - first;
        piece.first_point = first_point;
        piece.point_count = count;
        if (count > 0)
            s->pieces[pieces++] = piece;
    }
    for (int i = 0; i < s->part_count; i++)
        if (!soup->crossed[i])
            s->parts[parts++] = s->parts[i];
    s->part_count = parts; // from here on parts say how many there are, not where
    s->piece_count = pieces;
    s->points.count = (size_t)number;
    s->triangles.count = (size_t)triangles;
}

static void make_normals(PeltiWear *s)
{
    PeltiWearPoint *p = points_of(s);
    for (int t = 0; t < (int)s->triangles.count; t++) {
        const int *c = triangles_of(s)[t];
        Vec3 a = p[c[0]].position, n = vec3_cross(vec3_sub(p[c[1]].position, a), vec3_sub(p[c[2]].position, a));
        for (int i = 0; i < 3; i++)
            p[c[i]].normal = vec3_add(p[c[i]].normal, n);
    }
    for (int i = 0; i < (int)s->points.count; i++)
        p[i].normal = vec3_normalize_or(p[i].normal, vec3(0, 1, 0));
}

/// Cloth and hair point by point; what is rigid as a whole, by the place where it is fixed.
static void carry_parts(PeltiWear *s, const PeltiVary *variation)
{
    for (int i = 0; i < s->part_count; i++) {
        const PeltiWearPart *part = &s->parts[i];
        PeltiWearPoint *points = points_of(s) + part->first_point;
        Vec3 moved = vec3_sub(pelti_vary_point(variation, &points[0].owners, part->anchor), part->anchor);
        for (int p = 0; p < part->point_count; p++)
            points[p].position = part->rigid ? vec3_add(points[p].position, moved)
                                             : pelti_vary_point(variation, &points[p].owners, points[p].position);
    }
}

PeltStatus pelti_wear_settle(PeltiWear *s, const PeltiVary *variation, PeltiJobs *jobs, PeltError *err)
{
    if (s->points.failed || s->triangles.failed)
        return pelti_no_memory(err, s->points.count * s->points.size);
    if (s->piece_count == 0)
        return PELT_OK;
    PeltiPool pool;
    Soup soup;
    pelti_pool_init(&pool, &s->skin->allocator);
    PeltiWearPoint *points = points_of(s);
    if (variation)
        carry_parts(s, variation);
    PeltStatus status = make_soup(&soup, s, &pool, err);
    Vec3 low = s->skin->position[0], high = low;
    for (int v = 0; v < s->skin->vertex_count; v++) {
        low = vec3_min(low, s->skin->position[v]);
        high = vec3_max(high, s->skin->position[v]);
    }
    if (status == PELT_OK)
        status = part_soup(&soup, 1e-3f * vec3_distance(low, high), &pool, jobs, err);
    if (status == PELT_OK) {
        for (int p = 0; p < (int)s->points.count; p++)
            points[p].position = soup.position[soup.skin_points + p];
        drop_parts(s, &soup);
        make_normals(s);
    }
    pelti_pool_release(&pool);
    return status;
}
