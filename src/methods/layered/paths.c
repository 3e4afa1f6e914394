/// Orders vertices so that sums over regions are differences along few paths [Deul2013 sec. 4.3, Diziol2011].
#include "methods/layered/paths.h"

#include <stdlib.h>
#include <string.h>

// ---- the order ----

typedef struct Walk {
    const PeltiMesh *mesh;
    int *visit;       // [vertex_count] place in the order, -1: not yet
    int *order;       // [vertex_count]
    int *done_beside; // [vertex_count] visited neighbours
    int count;        // visited so far
    int behind;       // no vertex before this place of the order has an unvisited neighbour
} Walk;

static void take(Walk *walk, int v)
{
    walk->visit[v] = walk->count;
    walk->order[walk->count++] = v;
    for (int r = walk->mesh->ring_start[v]; r < walk->mesh->ring_start[v + 1]; r++)
        walk->done_beside[walk->mesh->ring[r]]++;
}

static int oldest_neighbour(const Walk *walk, int v)
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
static int next_beside(const Walk *walk, int v)
{
    int best = -1, most = -1, oldest = 0;
    for (int r = walk->mesh->ring_start[v]; r < walk->mesh->ring_start[v + 1]; r++) {
        int u = walk->mesh->ring[r];
        if (walk->visit[u] >= 0 || walk->done_beside[u] < most)
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
static int next_anywhere(Walk *walk)
{
    for (; walk->behind < walk->count; walk->behind++) {
        int u = next_beside(walk, walk->order[walk->behind]);
        if (u >= 0)
            return u;
    }
    return -1;
}

/// The last vertex a breadth-first search from `seed` meets: an end of the component, such as a finger tip.
static int far_end(const PeltiMesh *mesh, int seed, int *mark, int *queue)
{
    int filled = 1, stamp = seed + 1;
    queue[0] = seed;
    mark[seed] = stamp;
    for (int done = 0; done < filled; done++)
        for (int r = mesh->ring_start[queue[done]]; r < mesh->ring_start[queue[done] + 1]; r++)
            if (mark[mesh->ring[r]] != stamp) {
                mark[mesh->ring[r]] = stamp;
                queue[filled++] = mesh->ring[r];
            }
    return queue[filled - 1];
}

static void lay_paths(Walk *walk, int *mark, int *queue, PeltiPaths *out)
{
    int n = walk->mesh->vertex_count;
    for (int seed = 0; seed < n; seed++) {
        if (walk->visit[seed] >= 0)
            continue;
        int v = far_end(walk->mesh, seed, mark, queue);
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

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

typedef struct Search { // breadth first
    const PeltiMesh *mesh;
    int *mark; // [vertex] the last search that met it
    int *list; // [vertex] what a search has met
} Search;

/// Slots within omega edges of that of slot `s`, ascending, in search->list; returns their number.
static int gather_region(const Search *search, const PeltiPaths *paths, int s, int omega)
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
    qsort(list, (size_t)filled, sizeof *list, compare_ints);
    return filled;
}

static bool push_runs(const int *slots, int count, PeltiArray *runs)
{
    for (int first = 0, i = 1; i <= count; i++)
        if (i == count || slots[i] != slots[i - 1] + 1 || slots[i] % PELTI_PATH_BLOCK == 0) {
            int run[2] = {pelti_path_row(slots[first]), pelti_path_row(slots[i - 1]) + 1};
            if (!pelti_array_push(runs, run))
                return false;
            first = i;
        }
    return true;
}

static bool build_regions(PeltiPool *pool, const Search *search, int omega, PeltiPaths *out)
{
    PeltiArray runs;
    pelti_array_init(&runs, &pool->allocator, 2 * sizeof(int));
    bool fits = true;
    for (int s = 0; s < out->slot_count && fits; s++) {
        out->region_size[s] = gather_region(search, out, s, omega);
        fits = push_runs(search->list, out->region_size[s], &runs);
        out->run_start[s + 1] = (int)runs.count;
    }
    out->runs = fits ? pelti_pool_take(pool, runs.count, 2 * sizeof(int)) : NULL;
    if (out->runs && runs.count)
        memcpy(out->runs, runs.data, runs.count * 2 * sizeof(int));
    pelti_array_release(&runs);
    return out->runs != NULL;
}

PeltStatus pelti_paths_build(PeltiPool *pool, const PeltiMesh *mesh, int omega, PeltiPaths *out, PeltError *err)
{
    int n = mesh->vertex_count;
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    *out = (PeltiPaths){.slot_count = n, .block_count = (n + PELTI_PATH_BLOCK - 1) / PELTI_PATH_BLOCK};
    out->row_count = n + out->block_count;
    out->vertex = PELTI_NEW(pool, int, n);
    out->slot = PELTI_NEW(pool, int, n);
    out->run_start = PELTI_NEW(pool, int, (size_t)n + 1);
    out->region_size = PELTI_NEW(pool, int, n);
    int *mark = PELTI_NEW(&work, int, n), *queue = PELTI_NEW(&work, int, n);
    Walk walk = {mesh, out->slot, out->vertex, PELTI_NEW(&work, int, n), 0, 0};
    bool built = !pool->failed && !work.failed;
    if (built) {
        for (int v = 0; v < n; v++)
            out->slot[v] = -1;
        lay_paths(&walk, mark, queue, out);
        built = build_regions(pool, &(Search){mesh, mark, queue}, omega, out);
    }
    pelti_pool_release(&work);
    return built ? PELT_OK : pelti_no_memory(err, sizeof(int) * 8 * (size_t)n);
}
