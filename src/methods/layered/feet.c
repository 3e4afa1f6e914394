/// Finds where the projection segments end, on the bones [Deul2013 sec. 3], in balls inside the skin [Ma2012].
/// A segment that leaves the part it starts in puts the layers of a finger into its neighbour and those of an ear into the head:
/// every foot is kept in the largest ball inside the skin that touches it at the segment's vertex, which is as wide as the part
/// is thick there.
#include "character/skeleton.h"
#include "geometry/ray.h"
#include "geometry/triangles.h"
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

#include <string.h>

/// Nearest point to p on a bone's segments.
static Vec3 nearest_on_bone(const PeltiCharacter *who, int bone, Vec3 p)
{
    Vec3 at = who->bones[bone].head;
    float best = INFINITY;
    for (int s = 0; s < who->bones[bone].segment_count; s++) {
        const PeltiSkeletonSegment *segment = &who->segments[who->bones[bone].segment_first + s];
        float t, d = pelti_skeleton_segment_distance2(p, segment->a, segment->b, &t);
        if (d < best) {
            best = d;
            at = vec3_lerp(segment->a, segment->b, t);
        }
    }
    return at;
}

/// The paper takes the bone "depending on the skinning weights"; the weighted mean of the nearest points of all influences is the
/// same away from joints and does not tear the inner layers where the bone changes.
Vec3 pelti_layered_feet_on_bones(const PeltiFlesh *flesh, int slot, Vec3 p)
{
    Vec3 sum = {0, 0, 0};
    float total = 0;
    for (int k = 0; k < flesh->weights.influences; k++) {
        size_t i = (size_t)slot * (size_t)flesh->weights.influences + (size_t)k;
        if (!(flesh->weights.weight[i] > 0))
            continue;
        sum = vec3_mad(sum, nearest_on_bone(flesh->who, flesh->weights.bone[i], p), flesh->weights.weight[i]);
        total += flesh->weights.weight[i];
    }
    return total > 0 ? vec3_scale(sum, 1 / total) : p;
}

// ---- the ball inside ----

typedef struct Balls {
    const PeltiMesh *mesh;
    const PeltiBoxTree *tree;
    const Vec3 *normals;
    Vec3 *centre;  // [vertex]
    float *radius; // [vertex] INFINITY: open
} Balls;

typedef struct Wall {
    const Balls *balls;
    Vec3 normal; // of the vertex
} Wall;

/// The other side of the part faces away. What does not is the vertex' own side: at a ridge it meets every ball.
static bool faces_away(void *context, int triangle)
{
    const Wall *wall = context;
    const int *v = wall->balls->mesh->triangles[triangle];
    const Vec3 *p = wall->balls->mesh->rest;
    return vec3_dot(pelti_triangle_normal(p, v), wall->normal) < 0;
}

/// The ball starts as wide as half the way through the flesh along the normal and shrinks until no wall is in it ([Ma2012]).
static void fit_ball(void *context, int begin, int end, int worker)
{
    Balls *b = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Vec3 p = b->mesh->rest[v], n = b->normals[v];
        PeltiBoxRay ray = {p, BALL_START * b->mesh->diagonal, vec3_scale(n, -1), INFINITY};
        PeltiBoxHit hit;
        PeltiNearest wall;
        Wall other = {b, n};
        float r = INFINITY;
        if (pelti_box_tree_first_hit(b->tree, b->mesh->triangles, b->mesh->rest, &ray, &hit))
            r = 0.5f * hit.distance;
        for (int k = 0; k < BALL_ROUNDS && r < INFINITY; k++) {
            Vec3 c = vec3_mad(p, n, -r);
            PeltiNearestQuery query = {.triangles = b->mesh->triangles,
                                       .points = b->mesh->rest,
                                       .point = c,
                                       .max_distance = r * (1 - BALL_NEAR),
                                       .filter = faces_away,
                                       .context = &other};
            if (!pelti_box_tree_nearest(b->tree, &query, &wall))
                break;
            Vec3 way = vec3_sub(p, wall.closest.point);
            float narrower = vec3_dot(way, way) / (2 * vec3_dot(n, way));
            if (!(narrower > 0 && narrower < r))
                break;
            r = narrower;
        }
        b->radius[v] = r;
        b->centre[v] = vec3_mad(p, n, r < INFINITY ? -r : 0);
    }
}

static Vec3 keep_in_ball(const Balls *balls, int v, float share, Vec3 foot)
{
    Vec3 off = vec3_sub(foot, balls->centre[v]);
    float d = vec3_length(off), most = share * balls->radius[v];
    return d > most ? vec3_mad(balls->centre[v], off, most / d) : foot;
}

/// Mean over the ring, several times: `value` is left smoothed, `other` is scratch.
static void smooth_points(const PeltiMesh *mesh, Vec3 *value, Vec3 *other, int passes)
{
    for (int pass = 0; pass < passes; pass++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            Vec3 sum = value[v];
            int first = mesh->ring_start[v], last = mesh->ring_start[v + 1];
            for (int r = first; r < last; r++)
                sum = vec3_add(sum, value[mesh->ring[r]]);
            other[v] = vec3_scale(sum, 1 / (float)(last - first + 1));
        }
        memcpy(value, other, sizeof *value * (size_t)mesh->vertex_count);
    }
}

/// Bones may run anywhere in the inner half of the ball; the change that brings others there is smoothed, so that layers do not
/// tear, and what that carries too far is brought back.
static void place_feet(const PeltiFlesh *flesh, const Balls *balls, Vec3 *moved, Vec3 *scratch, Vec3 *feet)
{
    for (int v = 0; v < flesh->n; v++) {
        feet[v] = pelti_layered_feet_on_bones(flesh, flesh->paths.slot[v], flesh->mesh->rest[v]);
        moved[v] = vec3_sub(keep_in_ball(balls, v, FOOT_INNER, feet[v]), feet[v]);
    }
    smooth_points(flesh->mesh, moved, scratch, FOOT_PASSES);
    for (int v = 0; v < flesh->n; v++)
        feet[v] = keep_in_ball(balls, v, FOOT_MOST, vec3_add(feet[v], moved[v]));
}

PeltStatus pelti_layered_feet_find(const PeltiFlesh *flesh, PeltiPool *work, Vec3 *feet, PeltError *err)
{
    enum { GRAIN = 128 };
    const PeltiMesh *mesh = flesh->mesh;
    size_t n = (size_t)mesh->vertex_count;
    Vec3 *normals = PELTI_NEW(work, Vec3, n), *moved = PELTI_NEW(work, Vec3, n), *scratch = PELTI_NEW(work, Vec3, n);
    Balls balls = {.mesh = mesh, .normals = normals, .centre = PELTI_NEW(work, Vec3, n), .radius = PELTI_NEW(work, float, n)};
    PeltiBoxTree *tree = NULL;
    if (work->failed)
        return pelti_no_memory(err, sizeof(Vec3) * 4 * n);
    PELT_TRY(pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &tree, err));
    pelti_mesh_normals(mesh, mesh->rest, normals);
    balls.tree = tree;
    pelti_parallel_for(flesh->jobs, mesh->vertex_count, GRAIN, fit_ball, &balls);
    place_feet(flesh, &balls, moved, scratch, feet);
    return PELT_OK;
}
