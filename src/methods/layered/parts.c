/// Cuts the skin into sub-volumes [Deul2013 sec. 4.6]: triangles by the bone that owns them.
/// They are cut across bones at a chosen place and cleaned of scraps; borders between parts run along edges and close with fans
/// to centres on the bones.
#include "character/skeleton.h"
#include "methods/layered/constants.def"
#include "methods/layered/flesh.h"

#include <string.h>

typedef struct Cutter {
    PeltiFlesh *flesh;
    PeltiPool *work;
    int (*edge_triangles)[2]; // [edge] -1: none
    int *label;               // [triangle] bone whose part it is of; -1: no part
    int *patch;               // [triangle] connected ones of one label; -1: none
    int patch_count;
} Cutter;

/// Closed, or nearly so, and soundly wound: every body is, a file's own mesh (body=file) may not be.
static bool has_volume(const PeltiMesh *mesh)
{
    return !mesh->nonmanifold_edge_count && !mesh->inconsistent_edge_count &&
           mesh->border_edge_count * NEARLY_CLOSED <= mesh->edge_count;
}

// ---- labels ----

/// The bone that owns most of a triangle, or its parent where the triangle lies before the cut along the bone.
static int owner_of(const PeltiFlesh *flesh, int t)
{
    int best = -1;
    float most = 0;
    Vec3 middle = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        middle = vec3_mad(middle, flesh->mesh->rest[flesh->mesh->triangles[t][k]], 1.0f / 3);
    for (int k = 0; k < 3 * flesh->weights.influences; k++) {
        size_t first = (size_t)flesh->rest.triangles[t][k / flesh->weights.influences] * (size_t)flesh->weights.influences;
        int bone = flesh->weights.bone[first + (size_t)(k % flesh->weights.influences)];
        float sum = 0;
        for (int j = 0; j < 3 * flesh->weights.influences; j++) {
            size_t i = (size_t)flesh->rest.triangles[t][j / flesh->weights.influences] * (size_t)flesh->weights.influences +
                       (size_t)(j % flesh->weights.influences);
            sum += flesh->weights.bone[i] == bone ? flesh->weights.weight[i] : 0;
        }
        if (sum > most || (sum == most && bone < best)) {
            most = sum;
            best = bone;
        }
    }
    if (best < 0)
        return best;
    int parent = flesh->who->bones[best].parent;
    if (parent < 0 || !(flesh->rest.around[best].cut > 0))
        return flesh->rest.around[best].volume;
    float along = 0, nearest = INFINITY;
    for (int s = 0; s < flesh->who->bones[best].segment_count; s++) {
        const PeltiSkeletonSegment *segment = &flesh->who->segments[flesh->who->bones[best].segment_first + s];
        float at, d = pelti_skeleton_segment_distance2(middle, segment->a, segment->b, &at);
        if (d < nearest) {
            nearest = d;
            along = at;
        }
    }
    return flesh->rest.around[along < flesh->rest.around[best].cut ? parent : best].volume;
}

static int across(const Cutter *c, int triangle, int corner)
{
    int e = c->flesh->mesh->triangle_edges[triangle][corner];
    return c->edge_triangles[e][0] == triangle ? c->edge_triangles[e][1] : c->edge_triangles[e][0];
}

/// Connected triangles of one label are a patch.
static void flood(Cutter *c, int *queue, int *size)
{
    int n = c->flesh->mesh->triangle_count;
    c->patch_count = 0;
    for (int t = 0; t < n; t++)
        c->patch[t] = -1;
    for (int seed = 0; seed < n; seed++) {
        if (c->patch[seed] >= 0 || c->label[seed] < 0)
            continue;
        int filled = 1;
        queue[0] = seed;
        c->patch[seed] = c->patch_count;
        for (int done = 0; done < filled; done++)
            for (int k = 0; k < 3; k++) {
                int other = across(c, queue[done], k);
                if (other >= 0 && c->patch[other] < 0 && c->label[other] == c->label[seed]) {
                    c->patch[other] = c->patch_count;
                    queue[filled++] = other;
                }
            }
        size[c->patch_count++] = filled;
    }
}

/// Triangles by patch: those of p are order[start[p]] up to order[start[p + 1]]. `start` [patch_count + 2] begins as zeros.
static void order_by_patch(const Cutter *c, int *start, int *order)
{
    int n = c->flesh->mesh->triangle_count;
    for (int t = 0; t < n; t++)
        if (c->patch[t] >= 0)
            start[c->patch[t] + 2]++;
    for (int p = 0; p < c->patch_count; p++)
        start[p + 2] += start[p + 1];
    for (int t = 0; t < n; t++)
        if (c->patch[t] >= 0)
            order[start[c->patch[t] + 1]++] = t;
}

/// Patches too small to be a limb take the label of the neighbour they share most edges with; true if any did.
static bool merge_scraps(Cutter *c, int least, const int *size, int *shared, int *touched)
{
    int n = c->flesh->mesh->triangle_count, *order = PELTI_NEW(c->work, int, n),
        *start = PELTI_NEW(c->work, int, (size_t)c->patch_count + 2);
    bool merged = false;
    if (c->work->failed)
        return false;
    order_by_patch(c, start, order);
    for (int p = 0; p < c->patch_count; p++) {
        int count = 0, best = -1;
        if (size[p] >= least)
            continue;
        for (int i = start[p]; i < start[p + 1]; i++)
            for (int k = 0; k < 3; k++) {
                int other = across(c, order[i], k);
                if (other < 0 || c->patch[other] < 0 || c->patch[other] == p)
                    continue;
                if (!shared[c->patch[other]]++)
                    touched[count++] = c->patch[other];
            }
        for (int i = 0; i < count; i++)
            if (best < 0 || shared[touched[i]] > shared[best])
                best = touched[i];
        for (int i = 0; i < count; i++)
            shared[touched[i]] = 0;
        if (best < 0)
            continue;
        int label = c->label[order[start[best]]];
        for (int i = start[p]; i < start[p + 1]; i++)
            c->label[order[i]] = label;
        merged = true;
    }
    return merged;
}

static PeltStatus cut(Cutter *c, PeltiLog *log, PeltError *err)
{
    PeltiFlesh *flesh = c->flesh;
    const PeltiMesh *mesh = flesh->mesh;
    int n = mesh->triangle_count;
    c->edge_triangles = pelti_pool_take(c->work, (size_t)mesh->edge_count + 1, 2 * sizeof(int));
    c->label = PELTI_NEW(c->work, int, n);
    c->patch = PELTI_NEW(c->work, int, n);
    int *queue = PELTI_NEW(c->work, int, n), *size = PELTI_NEW(c->work, int, n), *shared = PELTI_NEW(c->work, int, n);
    if (c->work->failed)
        return pelti_no_memory(err, sizeof(int) * 6 * (size_t)n);
    for (int e = 0; e < mesh->edge_count; e++)
        c->edge_triangles[e][0] = c->edge_triangles[e][1] = -1;
    for (int t = n - 1; t >= 0; t--)
        for (int k = 0; k < 3; k++) {
            int *pair = c->edge_triangles[mesh->triangle_edges[t][k]];
            pair[1] = pair[0];
            pair[0] = t;
        }
    bool sound = has_volume(mesh);
    if (!sound)
        pelti_warn(log, "layered-volume-open",
                   "the mesh is open or not soundly wound: its volume is not kept; body=auto or proxy makes a closed one");
    for (int t = 0; t < n; t++)
        c->label[t] = sound ? owner_of(flesh, t) : -1;
    int least = n / SCRAP_SHARE > SCRAP_LEAST ? n / SCRAP_SHARE : SCRAP_LEAST;
    flood(c, queue, size);
    for (int pass = 0; pass < SCRAP_PASSES && merge_scraps(c, least, size, shared, queue); pass++)
        flood(c, queue, size);
    return c->work->failed ? pelti_no_memory(err, sizeof(int) * (size_t)n) : PELT_OK;
}

// ---- parts with their fans ----

typedef struct Border { // half edges of a part's border, by the vertex they lead to
    int *first;         // [slot] -1: none
    int *next, *from;   // [3 x triangle]
    int count;
} Border;

typedef struct Filler { // parts are filled one after the other into the arrays of PeltiLayeredVolume
    Cutter *cutter;
    const int *order, *start; // [triangle] by patch; [patch + 1]
    Border border;
    int *mark;                                // [slot] last part that holds it, + 1
    int *seeds, seed_count;                   // slots on the border of the part at hand
    int loop_count, loop_filled, slot_filled; // so far
} Filler;

/// Walks the part's border against its winding, so that (centre, slot, next slot) closes it; loops are appended.
static void close_part(Filler *f)
{
    PeltiLayeredVolume *volume = &f->cutter->flesh->volume;
    Border *border = &f->border;
    for (int i = 0; i < f->seed_count; i++)
        while (border->first[f->seeds[i]] >= 0) {
            PeltiLayeredVolumeLoop *loop = &volume->loops[f->loop_count++];
            int at = f->seeds[i];
            *loop = (PeltiLayeredVolumeLoop){.first = f->loop_filled};
            do {
                int h = border->first[at];
                volume->loop_slots[f->loop_filled++] = at;
                border->first[at] = border->next[h];
                at = border->from[h];
            } while (border->first[at] >= 0 && at != f->seeds[i]);
            loop->count = f->loop_filled - loop->first;
        }
}

static void add_border(Filler *f, int from, int to)
{
    Border *border = &f->border;
    int h = border->count++;
    if (border->first[to] < 0)
        f->seeds[f->seed_count++] = to;
    border->from[h] = from;
    border->next[h] = border->first[to];
    border->first[to] = h;
}

static void fill_part(Filler *f, int part_index)
{
    const Cutter *c = f->cutter;
    PeltiFlesh *flesh = c->flesh;
    PeltiLayeredVolumePart *part = &flesh->volume.parts[part_index];
    int first = f->start[part_index], last = f->start[part_index + 1];
    *part = (PeltiLayeredVolumePart){.triangle_first = first,
                                     .triangle_count = last - first,
                                     .loop_first = f->loop_count,
                                     .slot_first = f->slot_filled,
                                     .bone = c->label[f->order[first]]};
    f->border.count = f->seed_count = 0;
    for (int i = first; i < last; i++) {
        int t = f->order[i];
        memcpy(flesh->volume.triangles[i], flesh->rest.triangles[t], sizeof flesh->rest.triangles[t]);
        for (int k = 0; k < 3; k++) {
            int from = flesh->rest.triangles[t][k], to = flesh->rest.triangles[t][(k + 1) % 3], other = across(c, t, k);
            if (f->mark[from] != part_index + 1) {
                f->mark[from] = part_index + 1;
                flesh->volume.slots[f->slot_filled++] = from;
            }
            if (other < 0 || c->patch[other] != part_index)
                add_border(f, from, to);
        }
    }
    close_part(f);
    part->loop_count = f->loop_count - part->loop_first;
    part->slot_count = f->slot_filled - part->slot_first;
}

static bool take_arrays(Cutter *c, Border *border)
{
    PeltiFlesh *flesh = c->flesh;
    PeltiLayeredVolume *volume = &flesh->volume;
    size_t triangles = (size_t)flesh->mesh->triangle_count;
    volume->parts = PELTI_NEW(&flesh->pool, PeltiLayeredVolumePart, c->patch_count);
    volume->triangles = pelti_pool_take(&flesh->pool, triangles, 3 * sizeof(int));
    volume->loops = PELTI_NEW(&flesh->pool, PeltiLayeredVolumeLoop, triangles * 3);
    volume->loop_slots = PELTI_NEW(&flesh->pool, int, triangles * 3);
    volume->slots = PELTI_NEW(&flesh->pool, int, triangles * 3);
    volume->gradient_scratch = PELTI_NEW(&flesh->pool, Vec3, flesh->n);
    volume->freedom = PELTI_NEW(&flesh->pool, float, flesh->n);
    border->first = PELTI_NEW(c->work, int, flesh->n);
    border->next = PELTI_NEW(c->work, int, triangles * 3);
    border->from = PELTI_NEW(c->work, int, triangles * 3);
    return !flesh->pool.failed && !c->work->failed;
}

static PeltStatus build_parts(Cutter *c, PeltError *err)
{
    PeltiFlesh *flesh = c->flesh;
    int n = flesh->mesh->triangle_count;
    int *start = PELTI_NEW(c->work, int, (size_t)c->patch_count + 2), *order = PELTI_NEW(c->work, int, n);
    Filler f = {.cutter = c,
                .order = order,
                .start = start,
                .mark = PELTI_NEW(c->work, int, flesh->n),
                .seeds = PELTI_NEW(c->work, int, flesh->n)};
    if (!take_arrays(c, &f.border))
        return pelti_no_memory(err, sizeof(int) * 12 * (size_t)n);
    order_by_patch(c, start, order);
    for (int s = 0; s < flesh->n; s++)
        f.border.first[s] = -1;
    for (int p = 0; p < c->patch_count; p++)
        fill_part(&f, p);
    flesh->volume.part_count = c->patch_count;
    return pelti_layered_volume_colour(&flesh->volume, &flesh->pool, flesh->n)
               ? PELT_OK
               : pelti_no_memory(err, sizeof(int) * (size_t)flesh->n);
}

PeltStatus pelti_layered_parts_build(PeltiFlesh *flesh, PeltiLog *log, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &flesh->pool.allocator);
    Cutter c = {.flesh = flesh, .work = &work};
    PeltStatus status = cut(&c, log, err);
    if (status == PELT_OK)
        status = build_parts(&c, err);
    pelti_pool_release(&work);
    return status;
}
