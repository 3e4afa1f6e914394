/// Cuts a mesh into tiles that fit into the inner caches, and regions into runs of its places.
#include "math/order.h"
#include "methods/layered/paths.h"

#include <stdlib.h>
#include <string.h>

// ---- the cut ----

typedef struct VertexAlong {
    float at;
    int vertex;
} VertexAlong;

static int compare_cuts(const void *a, const void *b)
{
    const VertexAlong *p = a, *q = b;
    return p->at < q->at ? -1 : p->at > q->at ? 1 : p->vertex - q->vertex;
}

static int longest_axis(const PeltiMesh *mesh, const VertexAlong *cuts, int count)
{
    int best = 0;
    float most = -1;
    for (int k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            float x = (&mesh->rest[cuts[i].vertex].x)[k];
            low = fminf(low, x);
            high = fmaxf(high, x);
        }
        if (high - low > most) {
            most = high - low;
            best = k;
        }
    }
    return best;
}

/// Halves across the longest side until the pieces are small enough; all have nearly the same size.
static bool cut_range(const PeltiMesh *mesh, VertexAlong *cuts, int first, int count, PeltiArray *tiles)
{
    if (count <= PELTI_TILE_MOST) {
        PeltiLayeredTile tile = {.first = first, .count = count, .places_own = (count + 1) / 2 * 2};
        return count == 0 || pelti_array_push(tiles, &tile);
    }
    int axis = longest_axis(mesh, cuts + first, count);
    for (int i = first; i < first + count; i++)
        cuts[i].at = (&mesh->rest[cuts[i].vertex].x)[axis];
    qsort(cuts + first, (size_t)count, sizeof *cuts, compare_cuts);
    int half = (count / 2 + PELTI_TILE_STEP / 2) / PELTI_TILE_STEP * PELTI_TILE_STEP;
    return cut_range(mesh, cuts, first, half, tiles) && cut_range(mesh, cuts, first + half, count - half, tiles);
}

bool pelti_layered_paths_cut(PeltiPool *pool, const PeltiMesh *mesh, PeltiLayeredPaths *paths)
{
    int n = mesh->vertex_count;
    PeltiPool work;
    PeltiArray tiles;
    pelti_pool_init(&work, &pool->allocator);
    pelti_array_init(&tiles, &pool->allocator, sizeof(PeltiLayeredTile));
    VertexAlong *cuts = PELTI_NEW(&work, VertexAlong, n);
    for (int v = 0; cuts && v < n; v++)
        cuts[v].vertex = v;
    bool cut = cuts && cut_range(mesh, cuts, 0, n, &tiles);
    paths->tile_count = (int)tiles.count;
    paths->tiles = cut ? PELTI_NEW(pool, PeltiLayeredTile, tiles.count) : NULL;
    for (int i = 0; paths->tiles && i < n; i++)
        paths->vertex[i] = cuts[i].vertex;
    for (int t = 0; paths->tiles && t < paths->tile_count; t++) {
        paths->tiles[t] = ((const PeltiLayeredTile *)tiles.data)[t];
        for (int s = 0; s < paths->tiles[t].count; s++)
            paths->tile[paths->tiles[t].first + s] = t;
    }
    pelti_array_release(&tiles);
    pelti_pool_release(&work);
    return paths->tiles != NULL;
}

// ---- the regions ----

typedef struct Rims {
    const int *start, *slots; // of regions
    int *place;               // [pair of slots] of its first one in the present tile; -1: none
    PeltiArray pairs, runs, pieces;
} Rims;

/// Pairs of slots around a tile that its regions reach; their places.
static bool find_rim(Rims *rims, PeltiLayeredTile *tile)
{
    tile->rim_first = (int)rims->pairs.count;
    for (int i = 0; i < tile->places_own; i += 2)
        rims->place[(tile->first + i) / 2] = i;
    for (int i = rims->start[tile->first]; i < rims->start[tile->first + tile->count]; i++) {
        int pair = rims->slots[i] / 2;
        if (rims->place[pair] >= 0)
            continue;
        rims->place[pair] = 0; // known after sorting
        if (!pelti_array_push(&rims->pairs, &pair))
            return false;
    }
    tile->rim_count = (int)rims->pairs.count - tile->rim_first;
    int *pairs = (int *)rims->pairs.data + tile->rim_first;
    if (tile->rim_count)
        qsort(pairs, (size_t)tile->rim_count, sizeof *pairs, pelti_int_order);
    for (int i = 0; i < tile->rim_count; i++)
        rims->place[pairs[i]] = tile->places_own + 2 * i;
    tile->places = tile->places_own + 2 * tile->rim_count;
    return true;
}

static void forget_rim(Rims *rims, const PeltiLayeredTile *tile)
{
    for (int i = 0; i < tile->places_own; i += 2)
        rims->place[(tile->first + i) / 2] = -1;
    for (int i = 0; i < tile->rim_count; i++)
        rims->place[((const int *)rims->pairs.data)[tile->rim_first + i]] = -1;
}

/// A run in pieces that lie in one group of places each.
static bool push_pieces(Rims *rims, const int run[2])
{
    for (int at = run[0], end = run[0] + run[1]; at < end;) {
        int next = at / PELTI_PATH_GROUP * PELTI_PATH_GROUP + PELTI_PATH_GROUP;
        next = next < end ? next : end;
        int piece[2] = {at % PELTI_PATH_GROUP ? at : 0, next};
        if (!pelti_array_push(&rims->pieces, piece))
            return false;
        at = next;
    }
    return true;
}

/// Runs of consecutive places of the region of slot s; `work` holds its places.
static bool push_runs(Rims *rims, int s, int *work)
{
    int count = rims->start[s + 1] - rims->start[s];
    for (int i = 0; i < count; i++) {
        int member = rims->slots[rims->start[s] + i];
        work[i] = rims->place[member / 2] + member % 2;
    }
    qsort(work, (size_t)count, sizeof *work, pelti_int_order);
    for (int first = 0, i = 1; i <= count; i++)
        if (i == count || work[i] != work[i - 1] + 1) {
            int run[2] = {work[first], i - first};
            if (!pelti_array_push(&rims->runs, run) || !push_pieces(rims, run))
                return false;
            first = i;
        }
    return true;
}

static bool fill(Rims *rims, PeltiLayeredPaths *paths, int *work)
{
    bool fits = true;
    for (int t = 0; t < paths->tile_count && fits; t++) {
        PeltiLayeredTile *tile = &paths->tiles[t];
        fits = find_rim(rims, tile);
        paths->places_most = tile->places > paths->places_most ? tile->places : paths->places_most;
        for (int s = tile->first; fits && s < tile->first + tile->count; s++) {
            fits = push_runs(rims, s, work);
            paths->run_start[s + 1] = (int)rims->runs.count;
            paths->piece_start[s + 1] = (int)rims->pieces.count;
        }
        forget_rim(rims, tile);
    }
    return fits;
}

/// What an array has gathered, in the pool.
static void *settle(PeltiPool *pool, const PeltiArray *array, size_t size)
{
    void *kept = pelti_pool_take(pool, array->count, size);
    if (kept && array->count)
        memcpy(kept, array->data, array->count * size);
    return kept;
}

bool pelti_layered_paths_regions(PeltiPool *pool, const int *start, const int *slots, PeltiLayeredPaths *paths)
{
    int n = paths->slot_count;
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    Rims rims = {.start = start, .slots = slots, .place = PELTI_NEW(&work, int, (size_t)n / 2 + 1)};
    int *places = PELTI_NEW(&work, int, n);
    pelti_array_init(&rims.pairs, &pool->allocator, sizeof(int));
    pelti_array_init(&rims.runs, &pool->allocator, 2 * sizeof(int));
    pelti_array_init(&rims.pieces, &pool->allocator, 2 * sizeof(int));
    bool fits = !work.failed;
    if (fits) {
        memset(rims.place, 0xff, sizeof *rims.place * ((size_t)n / 2 + 1));
        fits = fill(&rims, paths, places);
    }
    paths->rim = fits ? settle(pool, &rims.pairs, sizeof(int)) : NULL;
    paths->runs = fits ? settle(pool, &rims.runs, 2 * sizeof(int)) : NULL;
    paths->pieces = fits ? settle(pool, &rims.pieces, 2 * sizeof(int)) : NULL;
    pelti_array_release(&rims.pieces);
    pelti_array_release(&rims.runs);
    pelti_array_release(&rims.pairs);
    pelti_pool_release(&work);
    return fits && !pool->failed;
}
