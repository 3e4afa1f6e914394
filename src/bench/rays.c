/// Rays through the box tree beside Embree's, and what they make of automatic weights and of layered's prepare.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "character/skeleton.h"
#include "character/weights.h"
#include "geometry/ray.h"
#include "methods/method.h"
#include "render/rays.h"

#include <math.h>
#include <stdio.h>

enum {
    BONES_ASKED = 16, // nearest bones of a vertex that are asked for visibility, as in character/heat.c
};

/// A biped's rays and what both say of them.
typedef struct RayBench {
    const PeltiCharacter *who;
    const PeltiMesh *mesh; ///< its
    PeltiJobs *jobs;       ///< one thread, so that shares of the time add up
    PeltiPool pool;
    PeltiBoxTree *tree;
    PeltiRays *embree;
    PeltiBoxRay *ray;
    int count;
    PeltiBoxHit *hit, *embree_hit;     ///< [count]
    uint8_t *blocked, *embree_blocked; ///< [count]
} RayBench;

/// As automatic weights ask it: the triangles of the vertex' own component alone, here all of them.
static bool of_component(void *context, int triangle)
{
    const RayBench *b = context;
    return b->mesh->component[b->mesh->triangles[triangle][0]] == 0;
}

static bool tree_blocked(RayBench *b, const PeltiBoxRay *ray)
{
    return pelti_box_tree_blocked(b->tree, b->mesh->triangles, b->mesh->rest, ray, of_component, b);
}

/// The nearest point of each bone, nearest bone first, at most BONES_ASKED. Returns how many.
static int nearest_bones(const PeltiCharacter *who, Vec3 p, Vec3 *at)
{
    float squared[BONES_ASKED];
    int count = 0;
    for (int b = 0; b < who->bone_count; b++) {
        float best = INFINITY;
        Vec3 place = p;
        for (int s = 0; s < who->bones[b].segment_count; s++) {
            const PeltiSkeletonSegment *segment = &who->segments[who->bones[b].segment_first + s];
            float t, d = pelti_skeleton_segment_distance2(p, segment->a, segment->b, &t);
            if (d < best) {
                best = d;
                place = vec3_lerp(segment->a, segment->b, t);
            }
        }
        if (!(best < INFINITY) || (count == BONES_ASKED && best >= squared[count - 1]))
            continue;
        int k = count < BONES_ASKED ? count++ : count - 1;
        for (; k > 0 && squared[k - 1] > best; k--) {
            squared[k] = squared[k - 1];
            at[k] = at[k - 1];
        }
        squared[k] = best;
        at[k] = place;
    }
    return count;
}

/// From each vertex towards its nearest bones until one is seen: what character/heat.c casts, but that it leaves out bones which
/// only mark the end of a limb, and asks a bone more where two are equally near.
static void rays_to_bones(RayBench *b, const PeltiCharacter *who, const Vec3 *normals)
{
    Vec3 at[BONES_ASKED];
    b->count = 0;
    for (int v = 0; v < b->mesh->vertex_count; v++) {
        Vec3 p = b->mesh->rest[v];
        bool seen = false;
        for (int k = 0, count = nearest_bones(who, p, at); k < count && !seen; k++) {
            Vec3 to = vec3_sub(at[k], p);
            if (vec3_dot(to, normals[v]) > -0.02f * vec3_length(to))
                continue;
            PeltiBoxRay *ray = &b->ray[b->count++];
            *ray = (PeltiBoxRay){p, 1e-3f, to, 0.999f};
            seen = !tree_blocked(b, ray);
        }
    }
}

/// From each vertex straight into the flesh, to the other side: what methods/layered/feet.c casts.
static void rays_inwards(RayBench *b, const Vec3 *normals)
{
    b->count = b->mesh->vertex_count;
    for (int v = 0; v < b->count; v++)
        b->ray[v] = (PeltiBoxRay){b->mesh->rest[v], 1e-4f * b->mesh->diagonal, vec3_scale(normals[v], -1), INFINITY};
}

static void cast_tree_blocked(void *context)
{
    RayBench *b = context;
    for (int i = 0; i < b->count; i++)
        b->blocked[i] = tree_blocked(b, &b->ray[i]);
}

static void cast_embree_blocked(void *context)
{
    RayBench *b = context;
    pelti_rays_blocked(b->embree, b->count, b->ray, b->embree_blocked);
}

static void cast_tree_hits(void *context)
{
    RayBench *b = context;
    for (int i = 0; i < b->count; i++)
        if (!pelti_box_tree_first_hit(b->tree, b->mesh->triangles, b->mesh->rest, &b->ray[i], &b->hit[i]))
            b->hit[i] = (PeltiBoxHit){.triangle = -1, .distance = b->ray[i].far};
}

static void cast_embree_hits(void *context)
{
    RayBench *b = context;
    pelti_rays_closest(b->embree, b->count, b->ray, b->embree_hit);
}

/// Whether two first hits say the same: none, or a place within a millionth of the size. Which of two triangles that share it is
/// told may differ.
static bool same_hit(const RayBench *b, int i)
{
    if (b->hit[i].triangle < 0 || b->embree_hit[i].triangle < 0)
        return b->hit[i].triangle < 0 && b->embree_hit[i].triangle < 0;
    return fabsf(b->hit[i].distance - b->embree_hit[i].distance) <= 1e-6f * b->mesh->diagonal;
}

/// Both build what they cast by, each time anew: what was there before stays until the end.
static void build_tree(void *context)
{
    RayBench *b = context;
    PeltiBoxTree *tree = NULL;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    pelti_box_tree_build_triangles(&pool, b->mesh->triangle_count, b->mesh->triangles, b->mesh->rest, &tree, NULL);
    pelti_pool_release(&pool);
}

static void build_embree(void *context)
{
    RayBench *b = context;
    PeltiRays *rays = NULL;
    pelti_rays_create(b->mesh->vertex_count, b->mesh->rest, b->mesh->triangle_count, b->mesh->triangles, &rays, NULL);
    pelti_rays_destroy(rays);
}

// ---- what the rays are cast for ----

static void make_weights(void *context)
{
    const RayBench *b = context;
    PeltiWeights weights;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    pelti_weights_automatic(b->who, &pool, b->jobs, NULL, &weights, NULL);
    pelti_pool_release(&pool);
}

static void prepare_layered(void *context)
{
    const RayBench *b = context;
    const PeltiMethod *layered = pelti_method_find("layered");
    PeltiOptions options;
    void *state = NULL;
    pelti_options_init(&options, layered->options);
    PeltiMethodPrepare in = {.who = b->who,
                             .options = &options,
                             .weights = &b->who->file_weights,
                             .point_weights = &b->who->file_weights,
                             .jobs = b->jobs};
    if (layered->prepare(&in, &state, NULL) == PELT_OK)
        layered->destroy(state);
}

/// What casts a set of rays, and what they are for.
typedef struct RayUse {
    const char *name;
    void (*tree)(void *context), (*embree)(void *context), (*whole)(void *context);
    bool hits; ///< first hits; else whether something is met
} RayUse;

/// Two rows: the box tree's time over Embree's for the rays at hand, and what that makes of the whole they are cast for: as it
/// is, over itself with the tree's part exchanged for Embree's.
static void tell(PeltiBench *bench, RayBench *b, const RayUse *use)
{
    int repeats = pelti_bench_quick(bench) ? 3 : 10, others = 0, met = 0;
    double tree_ms = pelti_bench_best_ms(use->tree, b, repeats, 1), embree_ms = pelti_bench_best_ms(use->embree, b, repeats, 1);
    double built_ms = pelti_bench_best_ms(build_tree, b, repeats, 1), other_ms = pelti_bench_best_ms(build_embree, b, repeats, 1);
    double whole_ms = pelti_bench_best_ms(use->whole, b, 3, 1),
           exchanged_ms = whole_ms - tree_ms - built_ms + embree_ms + other_ms;
    for (int i = 0; i < b->count; i++) {
        others += use->hits ? !same_hit(b, i) : b->blocked[i] != b->embree_blocked[i];
        met += use->hits ? b->hit[i].triangle >= 0 : b->blocked[i];
    }
    char name[72];
    snprintf(name, sizeof name, "rays of %s", use->name);
    pelti_bench_row(
        bench, name, (PeltiBenchFigure){.value = tree_ms / embree_ms, .unit = "times Embree"},
        "%d rays, %d meet something, %d answered otherwise; %.1f ms by the box tree, %.1f by Embree; built in %.1f and %.1f",
        b->count, met, others, tree_ms, embree_ms, built_ms, other_ms);
    pelti_bench_row(bench, use->name, (PeltiBenchFigure){.value = whole_ms / exchanged_ms, .unit = "times Embree", .limit = 1.3},
                    "%.0f ms; with Embree's rays and tree in place of ours %.0f", whole_ms, exchanged_ms);
}

static void time_rays(PeltiBench *bench, RayBench *b)
{
    static const RayUse weights = {"automatic weights, biped", cast_tree_blocked, cast_embree_blocked, make_weights, false};
    static const RayUse layered = {"layered's prepare, biped", cast_tree_hits, cast_embree_hits, prepare_layered, true};
    const PeltiMesh *mesh = b->mesh;
    PeltError err = {0};
    size_t most = (size_t)mesh->vertex_count * BONES_ASKED;
    Vec3 *normals = PELTI_NEW(&b->pool, Vec3, mesh->vertex_count);
    b->ray = PELTI_NEW(&b->pool, PeltiBoxRay, most);
    b->hit = PELTI_NEW(&b->pool, PeltiBoxHit, most);
    b->embree_hit = PELTI_NEW(&b->pool, PeltiBoxHit, most);
    b->blocked = PELTI_NEW(&b->pool, uint8_t, most);
    b->embree_blocked = PELTI_NEW(&b->pool, uint8_t, most);
    if (b->pool.failed ||
        pelti_box_tree_build_triangles(&b->pool, mesh->triangle_count, mesh->triangles, mesh->rest, &b->tree, &err) != PELT_OK ||
        pelti_rays_create(mesh->vertex_count, mesh->rest, mesh->triangle_count, mesh->triangles, &b->embree, &err) != PELT_OK) {
        pelti_bench_skip(bench, weights.name, err.text);
        return;
    }
    pelti_mesh_normals(mesh, mesh->rest, normals);
    rays_to_bones(b, b->who, normals);
    tell(bench, b, &weights);
    rays_inwards(b, normals);
    tell(bench, b, &layered);
}

void pelti_bench_rays(PeltiBench *bench);
void pelti_bench_rays(PeltiBench *bench)
{
    PeltiBuiltinOptions options = {.vertices = pelti_bench_quick(bench) ? 3000 : 13300};
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    RayBench b = {.jobs = pelti_jobs_create(1)};
    pelti_pool_init(&b.pool, NULL);
    if (pelti_builtin_make("biped", &options, b.jobs, NULL, &who, &err) == PELT_OK) {
        b.who = who;
        b.mesh = who->mesh;
        time_rays(bench, &b);
    } else {
        pelti_bench_skip(bench, "automatic weights, biped", err.text);
    }
    pelti_rays_destroy(b.embree);
    pelti_pool_release(&b.pool);
    pelti_character_destroy(who);
    pelti_jobs_destroy(b.jobs);
}
