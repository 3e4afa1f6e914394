/// Orders vertices so that sums over regions are differences along few paths [Deul2013 sec. 4.3, Diziol2011].
#include "methods/layered/paths.h"
#include "math/order.h"

#include <stdlib.h>
#include <string.h>

// ---- the order ----

enum { WAITS = -1, ELSEWHERE = -2 };

typedef struct PathWalk {
    const PeltiMesh *mesh;
    int *visit;       // [vertex_count] place in the order, WAITS: not yet, ELSEWHERE: in a tile to come
    int *order;       // [vertex_count]
    int *done_beside; // [vertex_count] visited neighbours
    int count;        // visited so far
    int behind;       // no vertex before this place of the order has an unvisited neighbour
} PathWalk;

static void take(PathWalk *walk, int v)
{
    walk->visit[v] = walk->count;
    walk->order[walk->count++] = v;
    for (int r = walk->mesh->ring_start[v]; r < walk->mesh->ring_start[v + 1]; r++)
        walk->done_beside[walk->mesh->ring[r]]++;
}

static int oldest_neighbour(const PathWalk *walk, int v)
{
    int oldest = walk->count;
    for (int r = walk->mesh->ring_start[v]; r < walk->mesh->ring_start[v + 1]; r++) {
        int visit = walk->visit[walk->mesh->ring[r]];
        if (visit >= 0 && visit < oldest)
            oldest = visit;
    }
    return oldest;
}

/// The neighbour that nestles most against what is visited, and there against its oldest part: the path winds along itself.
static int next_beside(const PathWalk *walk, int v)
{
    int best = -1, most = -1, oldest = 0;
    for (int r = walk->mesh->ring_start[v]; r < walk->mesh->ring_start[v + 1]; r++) {
        int u = walk->mesh->ring[r];
        if (walk->visit[u] != WAITS || walk->done_beside[u] < most)
            continue;
        int old = oldest_neighbour(walk, u);
        if (walk->done_beside[u] > most || old < oldest) {
            best = u;
            most = walk->done_beside[u];
            oldest = old;
        }
    }
    return best;
}

/// Where a path is stuck: an unvisited vertex beside the oldest vertex that has one; -1: the component is done.
static int next_anywhere(PathWalk *walk)
{
    for (; walk->behind < walk->count; walk->behind++) {
        int u = next_beside(walk, walk->order[walk->behind]);
        if (u >= 0)
            return u;
    }
    return -1;
}

/// The last vertex a breadth-first search from `seed` meets: an end of the piece, such as a finger tip.
static int far_end(const PathWalk *walk, int seed, int *mark, int *queue)
{
    const PeltiMesh *mesh = walk->mesh;
    int filled = 1, stamp = seed + 1;
    queue[0] = seed;
    mark[seed] = stamp;
    for (int done = 0; done < filled; done++)
        for (int r = mesh->ring_start[queue[done]]; r < mesh->ring_start[queue[done] + 1]; r++) {
            int u = mesh->ring[r];
            if (walk->visit[u] == WAITS && mark[u] != stamp) {
                mark[u] = stamp;
                queue[filled++] = u;
            }
        }
    return queue[filled - 1];
}

/// Orders the vertices of one tile; they stand at its places of the order, which is overwritten as it goes: `seeds` is a copy.
static void lay_tile(PathWalk *walk, const PeltiLayeredTile *tile, const int *seeds, int *work[2], PeltiLayeredPaths *out)
{
    for (int i = 0; i < tile->count; i++)
        walk->visit[seeds[i]] = WAITS;
    for (int i = 0; i < tile->count; i++) {
        if (walk->visit[seeds[i]] != WAITS)
            continue;
        int v = far_end(walk, seeds[i], work[0], work[1]);
        walk->behind = walk->count;
        while (v >= 0) {
            out->path_count++;
            while (v >= 0) {
                take(walk, v);
                v = next_beside(walk, v);
            }
            v = next_anywhere(walk);
        }
    }
}

// ---- the regions ----

typedef struct BreadthSearch { // breadth first
    const PeltiMesh *mesh;
    int *mark; // [vertex] the last search that met it
    int *list; // [vertex] what a search has met
} BreadthSearch;

/// Slots within omega edges of that of slot `s`, ascending, in search->list; returns their number.
static int gather_region(const BreadthSearch *search, const PeltiLayeredPaths *paths, int s, int omega)
{
    const PeltiMesh *mesh = search->mesh;
    int filled = 1, level_end = 1, *mark = search->mark, *list = search->list, stamp = -1 - s;
    list[0] = paths->vertex[s];
    mark[list[0]] = stamp;
    for (int level = 0, done = 0; level < omega; level++, level_end = filled)
        for (; done < level_end; done++)
            for (int r = mesh->ring_start[list[done]]; r < mesh->ring_start[list[done] + 1]; r++)
                if (mark[mesh->ring[r]] != stamp) {
                    mark[mesh->ring[r]] = stamp;
                    list[filled++] = mesh->ring[r];
                }
    for (int i = 0; i < filled; i++)
        list[i] = paths->slot[list[i]];
    qsort(list, (size_t)filled, sizeof *list, pelti_int_order);
    return filled;
}

/// Regions of all slots, one after the other.
static bool find_regions(const BreadthSearch *search, int omega, PeltiLayeredPaths *out, int *start, PeltiArray *slots)
{
    for (int s = 0; s < out->slot_count; s++) {
        out->region_size[s] = gather_region(search, out, s, omega);
        for (int i = 0; i < out->region_size[s]; i++)
            if (!pelti_array_push(slots, &search->list[i]))
                return false;
        start[s + 1] = (int)slots->count;
    }
    return true;
}

static bool build(PeltiPool *pool, PeltiPool *work, const PeltiMesh *mesh, int omega, PeltiLayeredPaths *out)
{
    int n = mesh->vertex_count, *queues[2] = {PELTI_NEW(work, int, n), PELTI_NEW(work, int, n)};
    int *start = PELTI_NEW(work, int, (size_t)n + 1), *seeds = PELTI_NEW(work, int, n);
    PathWalk walk = {mesh, out->slot, out->vertex, PELTI_NEW(work, int, n), 0, 0};
    if (pool->failed || work->failed || !pelti_layered_paths_cut(pool, mesh, out))
        return false;
    for (int v = 0; v < n; v++)
        out->slot[v] = ELSEWHERE;
    memcpy(seeds, out->vertex, sizeof *seeds * (size_t)n);
    for (int t = 0; t < out->tile_count; t++)
        lay_tile(&walk, &out->tiles[t], seeds + out->tiles[t].first, queues, out);
    PeltiArray slots;
    pelti_array_init(&slots, &pool->allocator, sizeof(int));
    bool built = find_regions(&(BreadthSearch){mesh, queues[0], queues[1]}, omega, out, start, &slots) &&
                 pelti_layered_paths_regions(pool, start, (const int *)slots.data, out);
    pelti_array_release(&slots);
    return built;
}

PeltStatus pelti_layered_paths_build(PeltiPool *pool, const PeltiMesh *mesh, int omega, PeltiLayeredPaths *out, PeltError *err)
{
    int n = mesh->vertex_count;
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    *out = (PeltiLayeredPaths){.slot_count = n};
    out->vertex = PELTI_NEW(pool, int, n);
    out->slot = PELTI_NEW(pool, int, n);
    out->tile = PELTI_NEW(pool, int, n);
    out->run_start = PELTI_NEW(pool, int, (size_t)n + 1);
    out->piece_start = PELTI_NEW(pool, int, (size_t)n + 1);
    out->region_size = PELTI_NEW(pool, int, n);
    bool built = build(pool, &work, mesh, omega, out);
    pelti_pool_release(&work);
    return built ? PELT_OK : pelti_no_memory(err, sizeof(int) * 32 * (size_t)n);
}
