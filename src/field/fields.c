/// Builds all fields of a character: samples, fits, grids, operators, order.
#include "field/fields.h"

#include "character/skeleton.h"
#include "field/constants.def"
#include "field/spindle.h"

#include <string.h>

PeltiFieldOptions pelti_field_options_default(void)
{
    return (PeltiFieldOptions){.samples = 50, .fold_depth = 1, .join_still = true, .most_nodes = GRID_NODES};
}

typedef struct FieldsBuild {
    PeltiPool *pool, *work; ///< what stays, and what is gone when the fields are built
    const PeltiCharacter *who;
    const PeltiFieldOptions *options;
    PeltiPartition partition;
    PeltiFields *fields;
    PeltiPartSamples *samples; ///< [part_count]
    PeltStatus *status;        ///< [part_count]
    bool *fell_back;           ///< [part_count]
    PeltError *error;
} FieldsBuild;

/// Skeleton order, but a part that composes into another comes before it: by bone number where nothing is bulged, else
/// chains from the tip inwards.
static PeltStatus order_parts(const FieldsBuild *b, const int *target, int *order, PeltError *err)
{
    int n = b->partition.part_count, bones = b->who->bone_count, count = 0;
    int *depth = PELTI_NEW(b->work, int, bones), *by_depth = PELTI_NEW(b->work, int, bones), deepest = -1;
    bool *chain = PELTI_NEW(b->work, bool, n);
    if (b->work->failed)
        return pelti_no_memory(err, (size_t)bones * sizeof *depth);
    PELT_TRY(pelti_skeleton_by_depth(b->who, b->work, depth, by_depth, err));
    for (int p = 0; p < n; p++)
        if (target[p] >= 0)
            chain[p] = chain[target[p]] = true;
    for (int p = 0; p < n; p++) {
        int d = depth[b->partition.part_bone[p]];
        deepest = chain[p] && d > deepest ? d : deepest;
    }
    for (int d = deepest; d >= 0; d--) // parts of chains, deepest first
        for (int p = 0; p < n; p++)
            if (chain[p] && depth[b->partition.part_bone[p]] == d)
                order[count++] = p;
    for (int p = 0; p < n; p++) // then the rest
        if (!chain[p])
            order[count++] = p;
    return PELT_OK;
}

static void lay_out_grid(FieldsBuild *b, int part)
{
    PeltiPart *p = &b->fields->parts[part];
    const PeltiPartSamples *s = &b->samples[part];
    Vec3 z = s->axis, x = vec3_orthogonal(z), y = vec3_cross(z, x);
    Mat34 frame = {{{x.x, x.y, x.z, 0}, {y.x, y.y, y.z, 0}, {z.x, z.y, z.z, 0}}};
    Vec3 low = mat34_apply(frame, s->point[0]), high = low;
    for (int k = 1; k < s->count; k++) {
        Vec3 q = mat34_apply(frame, s->point[k]);
        low = vec3_min(low, q);
        high = vec3_max(high, q);
    }
    float cell = s->radius / RADIUS_CELLS, margin = s->radius + 2 * cell;
    low = vec3_sub(low, vec3(margin, margin, margin));
    high = vec3_add(high, vec3(margin, margin, margin));
    pelti_grid_layout(&p->grid, frame, low, high, cell, b->options->most_nodes);
    p->sample_count = s->count;
    p->radius = s->radius;
    p->axis = s->axis;
    p->capsule = s->capsule;
}

static void bake_parts(void *context, int begin, int end, int worker)
{
    FieldsBuild *b = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        PeltiPart *p = &b->fields->parts[k];
        PeltiPartSamples *s = &b->samples[k];
        PeltiPool work;
        // the caller's allocator is for the caller's thread: only where no other works, as in the tests that refuse memory
        const PeltAllocator *allocator = pelti_jobs_threads(b->options->jobs) > 1 ? NULL : &b->pool->allocator;
        pelti_pool_init(&work, allocator);
        PeltiHrbf h;
        b->status[k] = pelti_hrbf_fit(&work, s->count, s->point, s->normal, &h, &b->error[k]);
        if (b->status[k] == PELT_FAILED && p->primitive < 0) { // samples that make no surface: stand in
            const PeltiBone *bone = &b->who->bones[p->bone];
            const PeltiSkeletonSegment *segment = bone->segment_count ? &b->who->segments[bone->segment_first] : NULL;
            float radius = s->radius;
            pelti_part_capsule(bone->head, segment ? segment->b : bone->head, CAPSULE_THICK * radius, s);
            p->capsule = b->fell_back[k] = true;
            p->radius = s->radius;
            b->status[k] = pelti_hrbf_fit(&work, s->count, s->point, s->normal, &h, &b->error[k]);
        }
        if (b->status[k] == PELT_OK)
            b->status[k] = pelti_grid_bake(&p->grid, &h, p->radius, &s->guard, allocator, &b->error[k]);
        pelti_pool_release(&work);
    }
}

static PeltStatus build_operators(const FieldsBuild *b, PeltError *err)
{
    const PeltiFieldOptions *options = b->options;
    PeltiFields *f = b->fields;
    f->operator_count = 2 + options->profile_count;
    f->operators = PELTI_NEW(b->pool, PeltiOperatorTables, f->operator_count);
    if (!f->operators)
        return pelti_no_memory(err, sizeof(PeltiOperatorTables));
    for (int k = 0; k < f->operator_count; k++) {
        bool used = k == 0;
        for (int p = 0; p < f->part_count && !used; p++)
            used = f->parts[p].op == k;
        PeltiProfile profile = k == 0 ? pelti_profile_contact() : k == 1 ? pelti_profile_bulge() : options->profiles[k - 2];
        for (int c = 2; c < f->operator_count && k < 2; c++) // a profile of the same name replaces the built-in one
            if (!strcmp(options->profiles[c - 2].name, profile.name))
                profile = options->profiles[c - 2];
        if (used) {
            PELT_TRY(pelti_operator_build(b->pool, options->jobs, &profile, options->fold_depth, &f->operators[k], err));
            f->bytes += sizeof(float[4]) * PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES * PELTI_OPERATOR_SLICES;
        }
    }
    return PELT_OK;
}

/// Parts in their order, primitives last; bone_part and vertex_part renumbered.
static PeltStatus place_parts(const FieldsBuild *b, int *place, PeltError *err)
{
    const PeltiCharacter *who = b->who;
    const PeltiPartition *partition = &b->partition;
    const PeltiFieldOptions *options = b->options;
    PeltiPool *pool = b->pool, *work = b->work;
    PeltiFields *f = b->fields;
    int n = partition->part_count, *target = PELTI_NEW(work, int, n), *order = PELTI_NEW(work, int, n);
    f->skin_part_count = n;
    f->part_count = n + options->primitive_count;
    f->parts = PELTI_NEW(pool, PeltiPart, f->part_count);
    f->bone_part = PELTI_NEW(pool, int, who->bone_count);
    f->vertex_part = PELTI_NEW(pool, int, who->mesh->vertex_count);
    if (work->failed || pool->failed)
        return pelti_no_memory(err, sizeof(PeltiPart) * (size_t)n);
    for (int p = 0; p < n; p++) {
        int op = options->bone_operator ? options->bone_operator[partition->part_bone[p]] : 0;
        target[p] = op > 0 ? partition->part_parent[p] : -1;
    }
    PELT_TRY(order_parts(b, target, order, err));
    for (int k = 0; k < n; k++)
        place[order[k]] = k;
    for (int k = 0; k < n; k++) {
        int p = order[k], bone = partition->part_bone[p], parent = partition->part_parent[p];
        f->parts[k] = (PeltiPart){.bone = bone, .parent = parent < 0 ? -1 : place[parent], .primitive = -1};
        f->parts[k].target = target[p] < 0 ? -1 : place[target[p]];
        f->parts[k].op = target[p] < 0 ? 0 : options->bone_operator[bone];
        f->parts[k].skeleton = who->bones[bone].skeleton;
    }
    for (int k = 0; k < options->primitive_count; k++) {
        int bone = options->primitives[k].bone;
        f->parts[n + k] =
            (PeltiPart){.bone = bone, .parent = -1, .target = -1, .primitive = k, .skeleton = who->bones[bone].skeleton};
    }
    for (int k = 0; k < who->bone_count; k++)
        f->bone_part[k] = partition->bone_part[k] < 0 ? -1 : place[partition->bone_part[k]];
    for (int k = 0; k < options->primitive_count; k++) { // the flesh it lies in: of its bone, or the nearest towards the root
        int flesh = options->primitives[k].bone;
        while (flesh >= 0 && f->bone_part[flesh] < 0)
            flesh = who->bones[flesh].parent;
        f->parts[n + k].target = flesh < 0 ? -1 : f->bone_part[flesh];
    }
    for (int v = 0; v < who->mesh->vertex_count; v++)
        f->vertex_part[v] = partition->vertex_part[v] < 0 ? -1 : place[partition->vertex_part[v]];
    return PELT_OK;
}

static PeltStatus sample_parts(FieldsBuild *b, const int *place, const Vec3 *normals, PeltError *err)
{
    PeltiPool *pool = b->pool;
    PeltiFields *f = b->fields;
    const PeltiPartSkin skin = {b->who, &b->partition, normals, b->options->samples};
    for (int p = 0; p < b->partition.part_count; p++)
        PELT_TRY(pelti_part_samples(&skin, p, &b->samples[place[p]], err));
    for (int k = 0; k < b->options->primitive_count; k++) {
        const PeltiFieldPrimitive *m = &b->options->primitives[k];
        pelti_spindle_samples(m->a, m->b, m->radius, &b->samples[f->skin_part_count + k]);
    }
    for (int k = 0; k < f->part_count; k++) {
        lay_out_grid(b, k);
        size_t nodes = pelti_grid_nodes(&f->parts[k].grid);
        f->parts[k].grid.nodes = pelti_pool_take(pool, nodes, sizeof(int16_t[4]));
        f->parts[k].grid.reaches = pelti_pool_take(pool, pelti_grid_blocks(&f->parts[k].grid), 1);
        f->bytes += nodes * sizeof(int16_t[4]) + pelti_grid_blocks(&f->parts[k].grid);
        if (pool->failed)
            return pelti_no_memory(err, nodes * sizeof(int16_t[4]));
    }
    return PELT_OK;
}

/// Two parts belong together where some vertex lies within the reach of both at rest (neighbours, a shoulder and a
/// chest), or where an edge joins their skin. All others meet only by touching.
static PeltStatus find_apart(PeltiPool *pool, PeltiPool *work, PeltiFields *f, PeltError *err)
{
    const PeltiMesh *mesh = f->who->mesh;
    int n = f->part_count, *near = PELTI_NEW(work, int, n);
    f->apart = PELTI_NEW(pool, unsigned char, (size_t)n *(size_t)n);
    if (pool->failed || work->failed)
        return pelti_no_memory(err, (size_t)n * (size_t)n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            f->apart[a * n + b] = a != b && f->parts[a].primitive < 0 && f->parts[b].primitive < 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int count = 0, own = f->vertex_part[v];
        if (own < 0)
            continue;
        for (int p = 0; p < n; p++) {
            float value;
            Vec3 gradient;
            if (f->parts[p].skeleton == f->parts[own].skeleton &&
                (p == own || (pelti_grid_fetch(&f->parts[p].grid, mat34_apply(f->parts[p].grid.rest_to_grid, mesh->rest[v]),
                                               &value, &gradient) &&
                              value > SHARED)))
                near[count++] = p;
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                f->apart[near[i] * n + near[j]] = 0;
    }
    for (int e = 0; e < mesh->edge_count; e++) {
        int a = f->vertex_part[mesh->edges[e][0]], b = f->vertex_part[mesh->edges[e][1]];
        if (a >= 0 && b >= 0)
            f->apart[a * n + b] = f->apart[b * n + a] = 0;
    }
    return PELT_OK;
}

static PeltStatus build_all(FieldsBuild *b, const PeltiWeights *weights, PeltError *err)
{
    const PeltiCharacter *who = b->who;
    PeltiFields *f = b->fields;
    PeltiPool *work = b->work;
    PELT_TRY(pelti_partition(work, who, weights, b->options->join_still, &b->partition, err));
    int *place = PELTI_NEW(work, int, b->partition.part_count);
    Vec3 *normals = PELTI_NEW(work, Vec3, who->mesh->vertex_count);
    PELT_TRY(work->failed ? pelti_no_memory(err, sizeof(Vec3) * (size_t)who->mesh->vertex_count) : PELT_OK);
    PELT_TRY(place_parts(b, place, err));
    pelti_mesh_normals(who->mesh, who->mesh->rest, normals);
    b->samples = PELTI_NEW(work, PeltiPartSamples, f->part_count);
    b->status = PELTI_NEW(work, PeltStatus, f->part_count);
    b->error = PELTI_NEW(work, PeltError, f->part_count);
    b->fell_back = PELTI_NEW(work, bool, f->part_count);
    PELT_TRY(work->failed ? pelti_no_memory(err, sizeof(PeltiPartSamples) * (size_t)f->part_count) : PELT_OK);
    PELT_TRY(sample_parts(b, place, normals, err));
    pelti_parallel_for(b->options->jobs, f->part_count, 1, bake_parts, b);
    for (int k = 0; k < f->part_count; k++) {
        const char *name = who->nodes[who->bones[f->parts[k].bone].node].name;
        if (b->status[k] != PELT_OK) {
            if (err)
                *err = b->error[k];
            pelti_error_prefix(err, "field of joint %s", name);
            return b->status[k];
        }
        if (b->fell_back[k])
            pelti_warn(b->options->log, "field-capsule", "joint %s: its skin makes no field (%s), a capsule stands in", name,
                       b->error[k].text);
    }
    PELT_TRY(find_apart(b->pool, work, f, err));
    return build_operators(b, err);
}

PeltStatus pelti_fields_build(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights,
                              const PeltiFieldOptions *options, PeltiFields **out, PeltError *err)
{
    PeltiFields *f = PELTI_NEW(pool, PeltiFields, 1);
    if (!f)
        return pelti_no_memory(err, sizeof *f);
    f->who = who;
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    FieldsBuild b = {.pool = pool, .work = &work, .who = who, .options = options, .fields = f};
    PeltStatus status = build_all(&b, weights, err);
    pelti_pool_release(&work);
    *out = f;
    return status;
}
