/// Finds automatic weights by bone heat [Baran2007 sec. 4].
/// For every bone b solve (-Laplacian + H) w = H p over the welded surface, where H = c/d^2 at vertices that see their nearest
/// bone from inside. With lumped areas A the system is (L + A H) w = A H p, L the cotangent matrix with its negative weights
/// lifted: an M-matrix, so weights are never negative, sum to 1, and solving in float loses no digits to cancellation. We depart
/// from the paper where it gives up: a vertex takes its nearest *visible* bone, not the nearest one alone, and rays see only the
/// vertex' own component, so that clothes do not hide bones and eyes find theirs.
#include "character/constants.def"
#include "character/skeleton.h"
#include "character/weights.h"
#include "geometry/ray.h"
#include "math/sparse.h"

#include <string.h>

enum {
    TRIES = 16,  // nearest bones asked for visibility, per vertex: the size of a list on the stack
    SHARERS = 8, // equally near bones that share a vertex
    GRAIN = 256, // vertices per job
    COLUMNS = 3, // right-hand sides per solve, see math/sparse.h
};
static const float EQUALLY_NEAR = 1.001f; // ratio of distances, for rounding: bones that meet at a joint are equally near

typedef struct HeatSource { // what heats one vertex
    float h;                // 1/d^2, 0: sees none
    int count;
    int bones[SHARERS];
} HeatSource;

typedef struct NearBone {
    int bone;
    float squared; // distance^2
    Vec3 at;       // nearest point of the bone
} NearBone;

typedef struct Heat {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiBoxTree *tree; // of the rest mesh
    Vec3 *normals;
    int *triangle_component;
    bool *dead;          // [bone_count] joints that carry no flesh
    bool *open;          // [component_count]
    bool *unseen;        // [component_count] no vertex of it sees a bone
    bool *alone;         // [vertex_count] nothing to solve: unused, or its instance has one bone or none
    HeatSource *sources; // [vertex_count]
    float *area, *edge_weight;
    float least_distance;
} Heat;

// ---- who heats a vertex ----

typedef struct Flesh {    // around a joint, of the bone above and the leaf below it
    double along, beyond; // distance of the skin beside the bone's last half; from the joint, of the skin beyond it
    int along_count, beyond_count;
} Flesh;

/// The nearest bone of all, ties by order.
static int nearest_of_all(const PeltiCharacter *who, int vertex)
{
    return pelti_weights_nearest(who, who->mesh->vertex_instance[vertex], who->mesh->rest[vertex]);
}

static void add_flesh(const PeltiCharacter *who, const bool *leaf, int v, Flesh *flesh)
{
    int near = nearest_of_all(who, v);
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        if (!leaf[b] || (near != b && near != parent))
            continue;
        float t, d = sqrtf(pelti_skeleton_segment_distance2(who->mesh->rest[v], who->bones[parent].head, who->bones[b].head, &t));
        if (t >= 1) {
            flesh[b].beyond += (double)d;
            flesh[b].beyond_count++;
        } else if (t > 0.5f) {
            flesh[b].along += (double)d;
            flesh[b].along_count++;
        }
    }
}

/// Whether a clip of the file turns the node; without clips it may be turned.
static bool is_turned(const PeltiCharacter *who, int node)
{
    for (int i = 0; i < who->clip_count; i++)
        for (int k = 0; k < who->clips[i].channel_count; k++) {
            const PeltiChannel *c = &who->clips[i].channels[k];
            int values = c->key_count * c->width * (c->interpolation == PELTI_CHANNEL_CUBIC ? 3 : 1);
            for (int v = 0; c->node == node && c->path == PELTI_CHANNEL_ROTATION && v < values; v++)
                if (fabsf(c->values[v] - c->values[v % c->width]) > HEAT_STILL)
                    return true;
        }
    return who->clip_count == 0;
}

/// Leaves that only mark where their parent ends (fingertips): short, and the flesh beyond their joint is a cap, no farther from
/// it than the bone's own skin is from the bone. A paw or a foot reaches farther, and clips turn it.
static void find_end_markers(Heat *heat, const int *children, Flesh *flesh)
{
    const PeltiCharacter *who = heat->who;
    int leaves = 0;
    for (int b = 0; b < who->bone_count; b++) {
        const PeltiBone *bone = &who->bones[b];
        const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first];
        if (bone->parent < 0 || children[b] || children[bone->parent] != 1)
            continue;
        heat->dead[b] =
            vec3_distance(segment->a, segment->b) < HEAT_END * vec3_distance(bone->head, who->bones[bone->parent].head);
        leaves += heat->dead[b];
    }
    for (int v = 0; leaves && v < who->mesh->vertex_count; v++)
        add_flesh(who, heat->dead, v, flesh);
    for (int b = 0; b < who->bone_count; b++) {
        const Flesh *f = &flesh[b];
        if (heat->dead[b] && f->beyond * f->along_count > (double)HEAT_CAP * f->along * f->beyond_count)
            heat->dead[b] = !is_turned(who, who->bones[b].node);
    }
}

/// Joints that carry no flesh: those the artist gave nothing, where there are painted weights; else leaves that only mark the
/// end of their parent (fingertips, toe ends). Where that leaves an instance no bone, its bones are all alive.
static void find_dead(Heat *heat, int *children, Flesh *flesh)
{
    const PeltiCharacter *who = heat->who;
    const PeltiWeights *painted = &who->file_weights;
    for (int b = 0; b < who->bone_count; b++) {
        heat->dead[b] = who->file_weights_sane;
        if (who->bones[b].parent >= 0)
            children[who->bones[b].parent]++;
    }
    for (size_t i = 0; who->file_weights_sane && i < (size_t)who->point_count * (size_t)painted->influences; i++)
        if (painted->weight[i] > 0)
            heat->dead[painted->bone[i]] = false;
    if (!who->file_weights_sane)
        find_end_markers(heat, children, flesh);
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *shown = &who->instances[i];
        int alive = 0;
        for (int k = 0; k < shown->bone_count; k++)
            alive += !heat->dead[shown->bones[k]];
        for (int k = 0; k < shown->bone_count && alive == 0; k++)
            heat->dead[shown->bones[k]] = false;
    }
}

/// The instance's bones nearest to p, ascending, at most TRIES; ties by skin order.
static int nearest_bones(const Heat *heat, const PeltiInstance *shown, Vec3 p, NearBone *list)
{
    const PeltiCharacter *who = heat->who;
    int count = 0;
    for (int k = 0; k < shown->bone_count; k++) {
        const PeltiBone *bone = &who->bones[shown->bones[k]];
        if (heat->dead[shown->bones[k]])
            continue;
        NearBone c = {shown->bones[k], INFINITY, {0, 0, 0}};
        for (int s = 0; s < bone->segment_count; s++) {
            const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + s];
            float t, d = pelti_skeleton_segment_distance2(p, segment->a, segment->b, &t);
            if (d < c.squared) {
                c.squared = d;
                c.at = vec3_lerp(segment->a, segment->b, t);
            }
        }
        if (!(c.squared < INFINITY) || (count == TRIES && c.squared >= list[TRIES - 1].squared))
            continue;
        int at = count < TRIES ? count++ : TRIES - 1;
        for (; at > 0 && list[at - 1].squared > c.squared; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
    return count;
}

typedef struct Within {
    const int *triangle_component;
    int component;
} Within;

static bool in_component(void *context, int triangle)
{
    const Within *within = context;
    return within->triangle_component[triangle] == within->component;
}

/// The way from a vertex to the bone leads inward and meets no triangle of the vertex' component.
static bool sees(const Heat *heat, int v, const NearBone *c)
{
    Vec3 p = heat->mesh->rest[v], to = vec3_sub(c->at, p);
    float length = sqrtf(c->squared);
    int component = heat->mesh->component[v];
    if (length <= heat->least_distance)
        return true;
    if (!heat->open[component] && vec3_dot(to, heat->normals[v]) > -HEAT_INWARD * length)
        return false;
    // the ray starts past the triangles at the vertex and ends before the bone, which may lie in the surface
    PeltiBoxRay ray = {p, fmaxf(1e-3f, heat->least_distance / length), to, 0.999f};
    return !pelti_box_tree_blocked(heat->tree, heat->mesh->triangles, heat->mesh->rest, &ray, in_component,
                                   &(Within){heat->triangle_component, component});
}

static void find_source(const Heat *heat, int v, bool visible_only, HeatSource *out)
{
    NearBone list[TRIES];
    const PeltiInstance *shown = &heat->who->instances[heat->mesh->vertex_instance[v]];
    int count = nearest_bones(heat, shown, heat->mesh->rest[v], list);
    float limit = INFINITY;
    *out = (HeatSource){0};
    for (int i = 0; i < count && out->count < SHARERS; i++) {
        float d = fmaxf(sqrtf(list[i].squared), heat->least_distance);
        if (d > limit)
            break;
        if (visible_only && !sees(heat, v, &list[i]))
            continue;
        if (out->count == 0) {
            limit = d * EQUALLY_NEAR;
            out->h = HEAT_STRENGTH / (d * d);
        }
        out->bones[out->count++] = list[i].bone;
    }
}

static void find_visible(void *context, int begin, int end, int worker)
{
    Heat *heat = context;
    (void)worker;
    for (int v = begin; v < end; v++)
        if (!heat->alone[v])
            find_source(heat, v, true, &heat->sources[v]);
}

static void find_any(void *context, int begin, int end, int worker)
{
    Heat *heat = context;
    (void)worker;
    for (int v = begin; v < end; v++)
        if (!heat->alone[v] && heat->unseen[heat->mesh->component[v]])
            find_source(heat, v, false, &heat->sources[v]);
}

static const char *shown_name(const PeltiCharacter *who, int instance)
{
    return who->nodes[who->instances[instance].node].name;
}

/// Components in which no vertex sees a bone: all of theirs take the nearest bones unseen; said once each.
static void find_sources(Heat *heat, PeltiJobs *jobs, PeltiLog *log, int *seen, int *size, int *first)
{
    const PeltiMesh *mesh = heat->mesh;
    pelti_parallel_for(jobs, mesh->vertex_count, GRAIN, find_visible, heat);
    for (int v = mesh->vertex_count - 1; v >= 0; v--) {
        int c = mesh->component[v];
        seen[c] += heat->alone[v] || heat->sources[v].h > 0;
        size[c]++;
        first[c] = v;
    }
    bool any = false;
    for (int c = 0; c < mesh->component_count; c++) {
        heat->unseen[c] = seen[c] == 0;
        any = any || heat->unseen[c];
        if (heat->unseen[c])
            pelti_warn(log, "weights-component-unseen",
                       "component %d (%d vertices of \"%s\") sees no bone from inside: its nearest bones are used", c, size[c],
                       shown_name(heat->who, mesh->vertex_instance[first[c]]));
    }
    if (any)
        pelti_parallel_for(jobs, mesh->vertex_count, GRAIN, find_any, heat);
}

// ---- the system ----

static void measure_components(Heat *heat, int *edges, int *borders)
{
    const PeltiMesh *mesh = heat->mesh;
    for (int e = 0; e < mesh->edge_count; e++) {
        edges[mesh->component[mesh->edges[e][0]]]++;
        borders[mesh->component[mesh->edges[e][0]]] += mesh->edge_use[e] == 1;
    }
    for (int c = 0; c < mesh->component_count; c++)
        heat->open[c] = (float)borders[c] > HEAT_OPEN * (float)edges[c];
    for (int t = 0; t < mesh->triangle_count; t++)
        heat->triangle_component[t] = mesh->component[mesh->triangles[t][0]];
}

/// L + A H over the unknowns. Weights and areas have floors, so that slivers and zero-area triangles still conduct.
static PeltStatus factor(const Heat *heat, PeltiPool *work, const int *unknown, int count, PeltiSparse **out, PeltError *err)
{
    const PeltiMesh *mesh = heat->mesh;
    PeltiSparseEntry *entries = PELTI_NEW(work, PeltiSparseEntry, (size_t)mesh->edge_count * 3 + (size_t)count);
    if (!entries)
        return pelti_no_memory(err, sizeof(PeltiSparseEntry) * (size_t)mesh->edge_count * 3);
    int n = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        int a = unknown[mesh->edges[e][0]], b = unknown[mesh->edges[e][1]];
        double w = (double)heat->edge_weight[e];
        if (a < 0 || b < 0)
            continue;
        entries[n++] = (PeltiSparseEntry){a, b, -w};
        entries[n++] = (PeltiSparseEntry){a, a, w};
        entries[n++] = (PeltiSparseEntry){b, b, w};
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        if (unknown[v] >= 0)
            entries[n++] = (PeltiSparseEntry){unknown[v], unknown[v], (double)heat->area[v] * (double)heat->sources[v].h};
    PeltiSparseEntries matrix = {.n = count, .count = n, .list = entries};
    return pelti_sparse_create(&work->allocator, &matrix, PELTI_ORDER_BEST, out, err);
}

static float share_of(const HeatSource *source, int bone)
{
    for (int k = 0; k < source->count; k++)
        if (source->bones[k] == bone)
            return 1.0f / (float)source->count;
    return 0;
}

typedef struct HeatColumns {
    const Heat *heat;
    const PeltiSparse *factor;
    const int *unknown, *active;
    int active_count;
    float (*x)[4];
    float *solve_scratch; // of the factor
    int *bones;
    float *weights;
} HeatColumns;

/// Solves for `many` active bones at once and sorts the result into every vertex' list.
static void solve_columns(HeatColumns *c, PeltiJobs *jobs, int first, int many)
{
    const PeltiMesh *mesh = c->heat->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int u = c->unknown[v];
        const HeatSource *source = &c->heat->sources[v];
        for (int k = 0; u >= 0 && k < 4; k++)
            c->x[u][k] = k < many ? c->heat->area[v] * source->h * share_of(source, c->active[first + k]) : 0;
    }
    pelti_sparse_solve_rows(c->factor, jobs, (const float(*)[4])c->x, c->x, c->solve_scratch);
    for (int v = 0; v < mesh->vertex_count; v++) {
        int u = c->unknown[v];
        size_t at = (size_t)v * PELTI_WEIGHTS_INFLUENCES;
        for (int k = 0; u >= 0 && k < many; k++)
            if (c->x[u][k] > 1e-4f && isfinite(c->x[u][k])) // less shows nowhere, and costs an influence
                pelti_weights_insert(PELTI_WEIGHTS_INFLUENCES, c->bones + at, c->weights + at, c->active[first + k], c->x[u][k]);
    }
}

static PeltStatus solve(const Heat *heat, PeltiPool *work, PeltiJobs *jobs, int *bones, float *weights, PeltError *err)
{
    const PeltiMesh *mesh = heat->mesh;
    int count = 0;
    int *unknown = PELTI_NEW(work, int, mesh->vertex_count), *active = PELTI_NEW(work, int, heat->who->bone_count);
    bool *used = PELTI_NEW(work, bool, heat->who->bone_count);
    if (work->failed)
        return pelti_no_memory(err, sizeof(int) * (size_t)mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        unknown[v] = heat->alone[v] ? -1 : count++;
        for (int k = 0; k < heat->sources[v].count; k++)
            used[heat->sources[v].bones[k]] = true;
    }
    if (count == 0)
        return PELT_OK;
    HeatColumns c = {heat, NULL, unknown, active, 0, NULL, NULL, bones, weights};
    for (int b = 0; b < heat->who->bone_count; b++)
        if (used[b])
            active[c.active_count++] = b;
    PeltiSparse *sparse = NULL;
    PELT_TRY(factor(heat, work, unknown, count, &sparse, err));
    c.factor = sparse;
    c.x = pelti_pool_take(work, (size_t)count, 4 * sizeof(float));
    c.solve_scratch = PELTI_NEW(work, float, pelti_sparse_row_work(sparse));
    if (!work->failed)
        for (int first = 0; first < c.active_count; first += COLUMNS)
            solve_columns(&c, jobs, first, c.active_count - first < COLUMNS ? c.active_count - first : COLUMNS);
    pelti_sparse_destroy(sparse);
    return work->failed ? pelti_no_memory(err, sizeof(float) * 4 * (size_t)count) : PELT_OK;
}

// ---- all of it ----

static PeltStatus prepare(Heat *heat, PeltiPool *work, PeltiJobs *jobs, PeltiLog *log, PeltError *err)
{
    const PeltiMesh *mesh = heat->mesh;
    int components = mesh->component_count;
    heat->normals = PELTI_NEW(work, Vec3, mesh->vertex_count);
    heat->triangle_component = PELTI_NEW(work, int, mesh->triangle_count);
    heat->dead = PELTI_NEW(work, bool, heat->who->bone_count);
    heat->open = PELTI_NEW(work, bool, components);
    heat->unseen = PELTI_NEW(work, bool, components);
    heat->alone = PELTI_NEW(work, bool, mesh->vertex_count);
    heat->sources = PELTI_NEW(work, HeatSource, mesh->vertex_count);
    heat->area = PELTI_NEW(work, float, mesh->vertex_count);
    heat->edge_weight = PELTI_NEW(work, float, mesh->edge_count);
    int *counts = PELTI_NEW(work, int, (size_t)components * 3), *edges = PELTI_NEW(work, int, (size_t)components * 2);
    int *children = PELTI_NEW(work, int, heat->who->bone_count);
    Flesh *flesh = PELTI_NEW(work, Flesh, heat->who->bone_count);
    if (work->failed)
        return pelti_no_memory(err, sizeof(HeatSource) * (size_t)mesh->vertex_count);
    heat->least_distance = 1e-4f * mesh->diagonal;
    pelti_mesh_normals(mesh, mesh->rest, heat->normals);
    pelti_mesh_cotangents(mesh, mesh->rest, HEAT_COTANGENT, heat->edge_weight, heat->area);
    find_dead(heat, children, flesh);
    measure_components(heat, edges, edges + components);
    double sum = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        heat->alone[v] =
            mesh->fan_start[v] == mesh->fan_start[v + 1] || heat->who->instances[mesh->vertex_instance[v]].bone_count < 2;
        sum += (double)heat->area[v];
    }
    float mean = (float)(sum / fmax(1, mesh->vertex_count));
    float floor_area = mean > 0 ? 1e-4f * mean : fmaxf(heat->least_distance * heat->least_distance, 1e-30f);
    for (int v = 0; v < mesh->vertex_count; v++)
        heat->area[v] = fmaxf(heat->area[v], floor_area);
    PELT_TRY(pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &heat->tree, err));
    find_sources(heat, jobs, log, counts, counts + components, counts + 2 * (size_t)components);
    return PELT_OK;
}

/// What heat left out goes to the nearest bone; bones that own nothing are named.
static void finish(const Heat *heat, PeltiLog *log, bool *reached, int *bones, float *weights)
{
    const PeltiMesh *mesh = heat->mesh;
    int lost = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int *b = bones + (size_t)v * PELTI_WEIGHTS_INFLUENCES;
        float *w = weights + (size_t)v * PELTI_WEIGHTS_INFLUENCES;
        if (!pelti_weights_normalise(PELTI_WEIGHTS_INFLUENCES, b, w)) {
            int nearest = pelti_weights_nearest(heat->who, mesh->vertex_instance[v], mesh->rest[v]);
            for (int k = 0; k < PELTI_WEIGHTS_INFLUENCES; k++) {
                b[k] = nearest;
                w[k] = k == 0;
            }
            lost += !heat->alone[v];
        }
        for (int k = 0; k < PELTI_WEIGHTS_INFLUENCES; k++)
            if (w[k] > 0 && b[k] < heat->who->bone_count)
                reached[b[k]] = true;
    }
    if (lost)
        pelti_warn(log, "weights-heat-lost", "%d vertices got no heat: each follows its nearest bone rigidly", lost);
    if (mesh->unused_vertex_count)
        pelti_warn(log, "weights-vertex-unused", "%d vertices belong to no triangle: each follows its nearest bone rigidly",
                   mesh->unused_vertex_count);
    pelti_skeleton_moves(heat->who, reached);
    for (int b = 0; b < heat->who->bone_count; b++)
        if (!reached[b])
            pelti_warn(log, "weights-bone-unreached", "bone \"%s\" moves no vertex",
                       heat->who->nodes[heat->who->bones[b].node].name);
    for (int i = 0; i < heat->who->instance_count; i++)
        if (heat->who->instances[i].bone_count == 0)
            pelti_warn(log, "weights-no-bones", "\"%s\" has no bones: it does not move", shown_name(heat->who, i));
}

PeltStatus pelti_weights_automatic(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiWeights *out,
                                   PeltError *err)
{
    PeltiWeightRows rows;
    PELT_TRY(pelti_weights_new(who, pool, PELTI_WEIGHTS_INFLUENCES, &rows, out, err));
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    Heat heat = {.who = who, .mesh = who->mesh};
    bool *reached = PELTI_NEW(&work, bool, who->bone_count);
    PeltStatus status = reached ? prepare(&heat, &work, jobs, log, err) : pelti_no_memory(err, (size_t)who->bone_count);
    if (status == PELT_OK) {
        PeltError story = {0};
        status = solve(&heat, &work, jobs, rows.bone, rows.weight, &story);
        if (status != PELT_OK && !work.failed) { // a surface no factorisation takes is no reason to give up
            pelti_warn(log, "weights-heat-failed", "%.200s: all vertices follow their nearest bones", story.text);
            status = PELT_OK;
        } else if (status != PELT_OK && err) {
            *err = story;
        }
    }
    if (status == PELT_OK)
        finish(&heat, log, reached, rows.bone, rows.weight);
    pelti_pool_release(&work);
    return status;
}
