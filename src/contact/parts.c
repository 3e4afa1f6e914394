/// Cuts a skin into parts by what moves it and lists which may touch.
#include "contact/parts.h"

#include "character/skeleton.h"
#include "contact/bends.h"
#include "contact/outer.h"
#include "contact/constants.def"

#include <stdlib.h>
#include <string.h>

typedef struct PartFinding { ///< while the parts are found
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    const PeltiWeights *weights;
    PeltiJobs *jobs;
    int *owner;          ///< [vertex_count] the bone with the largest weight; of a prop the bone that carries it
    int *triangle_owner; ///< [triangle_count]
    bool *outer;         ///< [triangle_count] seen from outside: the others bound nothing that could be touched
    int *vertex_part, *triangle_part;
    int *into;    ///< [bone_count] bone whose part this one's skin belongs to, as merge leaves it
    int *count;   ///< [bone_count] vertices
    float *area;  ///< [bone_count]
    Vec3 *vector; ///< [bone_count] area vectors summed
    int *order;   ///< [bone_count] parents first
} PartFinding;

static void own(PartFinding *w)
{
    const PeltiWeights *weights = w->weights;
    for (int v = 0; v < w->mesh->vertex_count; v++) {
        int bone = weights->bone[(size_t)v * (size_t)weights->influences];
        while (w->who->bones[bone].is_prop && w->who->bones[bone].parent >= 0)
            bone = w->who->bones[bone].parent;
        w->owner[v] = bone;
        w->count[bone]++;
    }
    for (int t = 0; t < w->mesh->triangle_count; t++) {
        const int *v = w->mesh->triangles[t];
        int a = w->owner[v[0]], b = w->owner[v[1]], c = w->owner[v[2]], bone = b == c ? b : a;
        Vec3 n = vec3_scale(
            vec3_cross(vec3_sub(w->mesh->rest[v[1]], w->mesh->rest[v[0]]), vec3_sub(w->mesh->rest[v[2]], w->mesh->rest[v[0]])),
            0.5f);
        w->triangle_owner[t] = bone;
        if (!w->outer[t])
            continue;
        w->area[bone] += vec3_length(n);
        w->vector[bone] = vec3_add(w->vector[bone], n);
    }
}

static bool is_outer(const PartFinding *w, int vertex)
{
    bool seen = false;
    for (int f = w->mesh->fan_start[vertex]; f < w->mesh->fan_start[vertex + 1]; f++)
        seen |= w->outer[w->mesh->fan[f]];
    return seen;
}

/// Gives a piece that encloses nothing to the part above it.
static void merge_bone(PartFinding *w, int b, float total)
{
    int up = w->who->bones[b].parent;
    bool whole = w->count[b] >= FEWEST_VERTICES && w->area[b] > PART_LEAST_AREA * total &&
                 vec3_length(w->vector[b]) < PART_FLAT * w->area[b];
    if (whole || !(w->area[b] > 0))
        return;
    while (up >= 0 && !(w->area[up] > 0))
        up = w->who->bones[up].parent;
    if (up < 0)
        return;
    w->into[b] = up;
    w->count[up] += w->count[b];
    w->area[up] += w->area[b];
    w->vector[up] = vec3_add(w->vector[up], w->vector[b]);
}

/// The deepest bones first, those of one depth as they are numbered; at last each knows its part at once.
static PeltStatus merge(PartFinding *w, PeltiPool *work, PeltError *err)
{
    int count = w->who->bone_count, *depth = PELTI_NEW(work, int, count);
    float total = 0;
    if (!depth)
        return pelti_no_memory(err, (size_t)count * sizeof *depth);
    PELT_TRY(pelti_skeleton_by_depth(w->who, work, depth, w->order, err));
    for (int b = 0; b < count; b++) {
        w->into[b] = b;
        total += w->area[b];
    }
    for (int end = count, first = count; end > 0; end = first) {
        while (first > 0 && depth[w->order[first - 1]] == depth[w->order[end - 1]])
            first--;
        for (int i = first; i < end; i++)
            merge_bone(w, w->order[i], total);
    }
    for (int i = 0; i < count; i++) // parents first
        w->into[w->order[i]] = w->into[w->into[w->order[i]]];
    return PELT_OK;
}

/// Parts of one bone: its largest component with all others, but for large ones that are seen from all sides (a hand and the
/// sword in it): layers of clothes enclose a limb only together. Says in `part` which part each component is in, -1: none of its
/// skin.
static void cut_bone(const PartFinding *w, int bone, float *area, float *hidden, int *part, PeltiContactParts *out)
{
    const PeltiMesh *mesh = w->mesh;
    int largest = 0, first = out->part_count;
    memset(area, 0, sizeof *area * (size_t)mesh->component_count);
    memset(hidden, 0, sizeof *hidden * (size_t)mesh->component_count);
    for (int t = 0; t < mesh->triangle_count; t++)
        if (w->into[w->triangle_owner[t]] == bone) {
            const int *v = mesh->triangles[t];
            (w->outer[t] ? area : hidden)[mesh->component[v[0]]] +=
                0.5f * vec3_length(vec3_cross(vec3_sub(mesh->rest[v[1]], mesh->rest[v[0]]),
                                              vec3_sub(mesh->rest[v[2]], mesh->rest[v[0]])));
        }
    for (int c = 0; c < mesh->component_count; c++)
        largest = area[c] > area[largest] ? c : largest;
    out->parts[out->part_count++] = (PeltiContactPart){.bone = bone, .parent = -1};
    for (int c = 0; c < mesh->component_count; c++) {
        part[c] = -1;
        if (!(area[c] > 0))
            continue;
        part[c] = first;
        if (c != largest && area[c] > PIECE_LARGE * area[largest] && hidden[c] < PIECE_COVERED * area[c] &&
            out->part_count < PELTI_MOST_PARTS) {
            part[c] = out->part_count;
            out->parts[out->part_count++] = (PeltiContactPart){.bone = bone, .parent = -1};
        }
        out->parts[part[c]].area += area[c];
    }
}

static PeltStatus number_parts(PartFinding *w, PeltiPool *work, PeltiContactParts *out, PeltError *err)
{
    const PeltiCharacter *who = w->who;
    const PeltiMesh *mesh = w->mesh;
    float *area = PELTI_NEW(work, float, mesh->component_count), *hidden = PELTI_NEW(work, float, mesh->component_count);
    int *part = PELTI_NEW(work, int, mesh->component_count), *first = PELTI_NEW(work, int, who->bone_count);
    if (work->failed)
        return pelti_no_memory(err, (size_t)mesh->component_count * sizeof(float));
    for (int v = 0; v < mesh->vertex_count; v++)
        w->vertex_part[v] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        w->triangle_part[t] = -1;
    for (int b = 0; b < who->bone_count; b++)
        first[b] = -1;
    for (int b = 0; b < who->bone_count && out->part_count < PELTI_MOST_PARTS; b++) {
        if (w->into[b] != b || !(w->area[b] > 0))
            continue;
        first[b] = out->part_count;
        cut_bone(w, b, area, hidden, part, out);
        for (int v = 0; v < mesh->vertex_count; v++)
            if (w->into[w->owner[v]] == b && is_outer(w, v))
                w->vertex_part[v] = part[mesh->component[v]];
        for (int t = 0; t < mesh->triangle_count; t++)
            if (w->outer[t] && w->into[w->triangle_owner[t]] == b)
                w->triangle_part[t] = part[mesh->component[mesh->triangles[t][0]]];
    }
    for (int p = 0; p < out->part_count; p++)
        for (int up = who->bones[out->parts[p].bone].parent; up >= 0 && out->parts[p].parent < 0; up = who->bones[up].parent)
            out->parts[p].parent = w->into[up] == out->parts[p].bone ? -1 : first[w->into[up]];
    return PELT_OK;
}

/// Steps between the limbs of parts, up to two, over parents and shared edges; bones without skin count as steps on the way.
static void find_apart(const PartFinding *w, const int *limb, const unsigned char *linked, PeltiContactParts *out)
{
    const PeltiCharacter *who = w->who;
    int n = who->bone_count;
    for (int p = 0; p < out->part_count; p++)
        for (int q = 0; q < out->part_count; q++) {
            int a = limb[out->parts[p].bone], b = limb[out->parts[q].bone];
            PeltiContactApart apart = PELTI_APART_FAR;
            if (a == b || linked[a * n + b] || who->bones[a].skeleton != who->bones[b].skeleton)
                apart = PELTI_APART_NEVER;
            for (int k = 0; k < n && apart == PELTI_APART_FAR; k++)
                apart = linked[a * n + k] && linked[k * n + b] ? PELTI_APART_NEAR : apart;
            out->apart[p * out->part_count + q] = (unsigned char)apart;
        }
}

static PeltStatus link_bones(const PartFinding *w, PeltiPool *work, PeltiContactParts *out, PeltError *err)
{
    size_t n = (size_t)w->who->bone_count;
    unsigned char *linked = PELTI_NEW(work, unsigned char, n *n);
    int *limb = PELTI_NEW(work, int, n);
    if (work->failed)
        return pelti_no_memory(err, n * n);
    PELT_TRY(pelti_contact_bone_limbs(w->who, work, limb, err));
    for (int b = 0; b < w->who->bone_count; b++) {
        int up = w->who->bones[b].parent;
        if (up < 0)
            continue;
        size_t p = (size_t)limb[w->into[b]], q = (size_t)limb[w->into[up]];
        linked[p * n + q] = linked[q * n + p] = 1;
    }
    for (int e = 0; e < w->mesh->edge_count; e++) {
        size_t p = (size_t)limb[w->into[w->owner[w->mesh->edges[e][0]]]],
               q = (size_t)limb[w->into[w->owner[w->mesh->edges[e][1]]]];
        linked[p * n + q] = linked[q * n + p] = 1;
    }
    find_apart(w, limb, linked, out);
    return PELT_OK;
}

// ---- samples ----

/// Farthest points first, so that ends and corners are among them.
static int spread(const Vec3 *from, int count, int wanted, float *distance, int *chosen)
{
    Vec3 centre = vec3(0, 0, 0);
    for (int i = 0; i < count; i++)
        centre = vec3_mad(centre, from[i], 1 / (float)count);
    for (int i = 0; i < count; i++)
        distance[i] = vec3_distance(from[i], centre);
    int taken = 0;
    while (taken < wanted && taken < count) {
        int best = 0;
        for (int i = 1; i < count; i++)
            best = distance[i] > distance[best] ? i : best;
        if (!(distance[best] > 0))
            break;
        chosen[taken++] = best;
        for (int i = 0; i < count; i++) {
            float d = vec3_distance(from[i], from[best]);
            distance[i] = taken == 1 || d < distance[i] ? d : distance[i];
        }
    }
    return taken;
}

typedef struct Candidates {
    PeltiSurfaceSpot *spots;
    Vec3 *at;
    float *distance;
    int *chosen;
    int count;
} Candidates;

/// Vertices of a part; with few of them its faces' middles too.
static void list_candidates(const PartFinding *w, int part, int wanted, Candidates *c)
{
    const PeltiMesh *mesh = w->mesh;
    c->count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (w->vertex_part[v] == part && mesh->fan_start[v] < mesh->fan_start[v + 1]) {
            c->at[c->count] = mesh->rest[v];
            c->spots[c->count++] = (PeltiSurfaceSpot){.vertex = {v, v, v}, .weight = {1, 0, 0}};
        }
    if (c->count >= wanted)
        return;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        if (w->triangle_part[t] != part)
            continue;
        c->spots[c->count] = (PeltiSurfaceSpot){.vertex = {v[0], v[1], v[2]}, .weight = {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        c->at[c->count] = pelti_contact_spot_point(&c->spots[c->count], mesh->rest);
        c->count++;
    }
}

static PeltStatus take_samples(const PartFinding *w, PeltiPool *pool, PeltiPool *work, PeltiContactParts *out, PeltError *err)
{
    size_t most = (size_t)w->mesh->vertex_count + (size_t)w->mesh->triangle_count;
    Candidates c = {.spots = PELTI_NEW(work, PeltiSurfaceSpot, most),
                    .at = PELTI_NEW(work, Vec3, most),
                    .distance = PELTI_NEW(work, float, most),
                    .chosen = PELTI_NEW(work, int, most)};
    out->samples = PELTI_NEW(pool, PeltiSurfaceSpot, (size_t)out->part_count * MOST_SAMPLES);
    out->rest = PELTI_NEW(pool, Vec3, (size_t)out->part_count * MOST_SAMPLES);
    if (pool->failed || work->failed)
        return pelti_no_memory(err, most * sizeof(PeltiSurfaceSpot));
    for (int p = 0; p < out->part_count; p++) {
        PeltiContactPart *part = &out->parts[p];
        float step = PART_SPACING * part->field.radius,
              wished = step > 0 ? part->area / (step * step) : SHEET_SAMPLES * (float)MOST_SAMPLES;
        int wanted = wished < FEWEST_SAMPLES ? FEWEST_SAMPLES : wished > MOST_SAMPLES ? MOST_SAMPLES : (int)wished;
        list_candidates(w, p, wanted, &c);
        part->first_sample = out->sample_count;
        part->sample_count = spread(c.at, c.count, wanted, c.distance, c.chosen);
        for (int i = 0; i < part->sample_count; i++, out->sample_count++) {
            out->samples[out->sample_count] = c.spots[c.chosen[i]];
            out->rest[out->sample_count] = c.at[c.chosen[i]];
        }
    }
    return PELT_OK;
}

// ---- fields ----

typedef struct PartFields {
    const PeltiContactPartPiece *pieces;
    PeltiContactPart *parts;
} PartFields;

static void fill_fields(void *context, int begin, int end, int worker)
{
    const PartFields *fill = context;
    (void)worker;
    for (int p = begin; p < end; p++)
        if (fill->parts[p].field.value)
            pelti_contact_part_field_fill(&fill->pieces[p], &fill->parts[p].field);
}

static PeltStatus make_fields(const PartFinding *w, PeltiPool *pool, PeltiPool *work, PeltiContactParts *out, PeltError *err)
{
    PeltiContactPartPiece *pieces = PELTI_NEW(work, PeltiContactPartPiece, out->part_count);
    int(*triangles)[3] = pelti_pool_take(work, (size_t)w->mesh->triangle_count, sizeof(int[3]));
    if (work->failed)
        return pelti_no_memory(err, (size_t)w->mesh->triangle_count * sizeof(int[3]));
    int used = 0, share = FIELD_NODES_ALL / (out->part_count + !out->part_count);
    int nodes = share < FIELD_NODES ? share : FIELD_NODES;
    for (int p = 0; p < out->part_count; p++) {
        int first = used;
        for (int t = 0; t < w->mesh->triangle_count; t++)
            if (w->triangle_part[t] == p)
                memcpy(triangles[used++], w->mesh->triangles[t], sizeof(int[3]));
        PELT_TRY(pelti_contact_part_piece_build(work, used - first, (const int(*)[3])(triangles + first), w->mesh->rest,
                                                &pieces[p], err));
        PELT_TRY(pelti_contact_part_field_layout(pool, &pieces[p], nodes, &out->parts[p].field, err));
    }
    pelti_parallel_for(w->jobs, out->part_count, 1, fill_fields, &(PartFields){pieces, out->parts});
    for (int p = 0; p < out->part_count; p++) // what is thinner than a cell is a sheet
        if (out->parts[p].field.radius < PART_THIN * out->parts[p].field.cell)
            out->parts[p].field.radius = 0;
    return PELT_OK;
}

/// Clothes over a body, hair over a head: what lies in another part at rest is not judged against it.
static void exempt_overlaps(PeltiContactParts *out)
{
    for (int p = 0; p < out->part_count; p++)
        for (int q = 0; q < out->part_count; q++) {
            const PeltiContactPart *part = &out->parts[p];
            int inside = 0;
            float phi;
            for (int s = part->first_sample; s < part->first_sample + part->sample_count && p != q; s++)
                inside += pelti_contact_part_field_at(&out->parts[q].field, out->rest[s], &phi, NULL) && phi < 0;
            if (inside > 0 && (float)inside > OVERLAP_SHARE * (float)part->sample_count)
                out->apart[p * out->part_count + q] = out->apart[q * out->part_count + p] = PELTI_APART_NEVER;
        }
}

static PeltStatus create(PartFinding *w, PeltiPool *pool, PeltiPool *work, PeltiContactParts *out, PeltError *err)
{
    const PeltiCharacter *who = w->who;
    w->owner = PELTI_NEW(work, int, who->mesh->vertex_count);
    w->triangle_owner = PELTI_NEW(work, int, who->mesh->triangle_count);
    w->into = PELTI_NEW(work, int, who->bone_count);
    w->count = PELTI_NEW(work, int, who->bone_count);
    w->order = PELTI_NEW(work, int, who->bone_count);
    w->area = PELTI_NEW(work, float, who->bone_count);
    w->vector = PELTI_NEW(work, Vec3, who->bone_count);
    w->vertex_part = PELTI_NEW(work, int, who->mesh->vertex_count);
    w->triangle_part = PELTI_NEW(work, int, who->mesh->triangle_count);
    w->outer = PELTI_NEW(work, bool, who->mesh->triangle_count);
    out->parts = PELTI_NEW(pool, PeltiContactPart, PELTI_MOST_PARTS);
    if (pool->failed || work->failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * sizeof(int));
    PELT_TRY(pelti_contact_outer_triangles(who->mesh, work, w->jobs, w->outer, err));
    own(w);
    PELT_TRY(merge(w, work, err));
    PELT_TRY(number_parts(w, work, out, err));
    out->apart = PELTI_NEW(pool, unsigned char, (size_t)out->part_count *(size_t)out->part_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)out->part_count * (size_t)out->part_count);
    PELT_TRY(link_bones(w, work, out, err));
    PELT_TRY(make_fields(w, pool, work, out, err));
    PELT_TRY(take_samples(w, pool, work, out, err));
    exempt_overlaps(out);
    return PELT_OK;
}

PeltStatus pelti_contact_parts_create(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs,
                                      PeltiContactParts *out, PeltError *err)
{
    PeltiPool work;
    *out = (PeltiContactParts){0};
    pelti_pool_init(&work, &pool->allocator);
    PartFinding w = {.who = who, .mesh = who->mesh, .weights = weights, .jobs = jobs};
    PeltStatus status = create(&w, pool, &work, out, err);
    pelti_pool_release(&work);
    return status;
}
