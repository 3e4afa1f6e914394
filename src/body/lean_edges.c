/// Lets the ends of an edge lean until skin that leans has no torn and no steep edges.
#include "body/lean_edges.h"

#include "body/constants.def"

#include <math.h>
#include <string.h>

static PeltStatus list_edges(PeltiLeanEdges *l, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = l->mesh;
    l->start = PELTI_NEW(pool, int, mesh->vertex_count + 2);
    l->of = PELTI_NEW(pool, int, 2 * (size_t)mesh->edge_count);
    if (pool->failed)
        return pelti_no_memory(err, 2 * (size_t)mesh->edge_count * sizeof(int));
    int *next = l->start + 1; // filled, it is where each one ends
    for (int i = 0; i < 2 * mesh->edge_count; i++)
        next[mesh->edges[i / 2][i % 2] + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++)
        next[v + 1] += next[v];
    for (int i = 0; i < 2 * mesh->edge_count; i++)
        l->of[next[mesh->edges[i / 2][i % 2]]++] = i / 2;
    return PELT_OK;
}

PeltStatus pelti_lean_edges_create(PeltiPool *pool, PeltiLeanEdges *l, PeltError *err)
{
    const PeltiMesh *mesh = l->mesh;
    l->word_count = (mesh->edge_count + 63) / 64;
    l->rest = PELTI_NEW(pool, float, mesh->edge_count);
    l->torn = PELTI_NEW(pool, uint64_t, l->word_count);
    l->steep = PELTI_NEW(pool, uint64_t, l->word_count);
    l->changed = PELTI_NEW(pool, int, mesh->vertex_count);
    l->has_changed = PELTI_NEW(pool, bool, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->edge_count * sizeof(float));
    for (int e = 0; e < mesh->edge_count; e++)
        l->rest[e] = vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]);
    return list_edges(l, pool, err);
}

void pelti_lean_edges_restart(PeltiLeanEdges *l)
{
    int last = l->mesh->edge_count % 64;
    memset(l->torn, 0xff, (size_t)l->word_count * sizeof *l->torn);
    if (last)
        l->torn[l->word_count - 1] = ((uint64_t)1 << last) - 1;
    memcpy(l->steep, l->torn, (size_t)l->word_count * sizeof *l->steep);
    pelti_lean_edges_forget(l);
}

void pelti_lean_edges_forget(PeltiLeanEdges *l)
{
    for (int i = 0; i < l->changed_count; i++)
        l->has_changed[l->changed[i]] = false;
    l->changed_count = 0;
}

void pelti_lean_edges_set(PeltiLeanEdges *l, int vertex, float share)
{
    if (l->share[vertex] == share)
        return;
    l->share[vertex] = share;
    if (!l->has_changed[vertex])
        l->changed[l->changed_count++] = vertex;
    l->has_changed[vertex] = true;
    for (int i = l->start[vertex]; i < l->start[vertex + 1]; i++) {
        uint64_t bit = (uint64_t)1 << (l->of[i] % 64);
        l->torn[l->of[i] / 64] |= bit;
        l->steep[l->of[i] / 64] |= bit;
    }
}

float pelti_lean_bearable(Vec3 home, Vec3 change, float most)
{
    float a = vec3_dot(change, change), b = vec3_dot(home, change), c = vec3_dot(home, home) - most * most;
    float root = b * b - a * c;
    return a > 0 && c < 0 && root > 0 ? fminf((-b + sqrtf(root)) / a, 1) : 0;
}

static Vec3 leaned(const PeltiLeanEdges *l, int v)
{
    return vec3_lerp(l->home[v], l->own[v], l->share[v]);
}

static bool mend_edge(PeltiLeanEdges *l, int e)
{
    int a = l->mesh->edges[e][0], b = l->mesh->edges[e][1];
    Vec3 home = vec3_sub(l->home[b], l->home[a]), now = vec3_sub(leaned(l, b), leaned(l, a));
    float by_blending = vec3_length(home), tear = fmaxf(LEAN_TEAR * l->rest[e], by_blending);
    float most = fmaxf(LEAN_TORN * l->rest[e], fminf(LEAN_BEYOND * by_blending, tear));
    if (!(vec3_dot(now, now) > most * most * 1.0001f))
        return false;
    float s = pelti_lean_bearable(home, vec3_sub(now, home), most);
    pelti_lean_edges_set(l, a, l->share[a] * s);
    pelti_lean_edges_set(l, b, l->share[b] * s);
    return true;
}

/// A change of the share along an edge stretches it by that change times the way: it is bounded by a part of the edge.
static bool flatten_edge(PeltiLeanEdges *l, int e)
{
    int a = l->mesh->edges[e][0], b = l->mesh->edges[e][1];
    float low = fminf(l->share[a], l->share[b]);
    if (low == 1)
        return false;
    int high = l->share[a] > l->share[b] ? a : b;
    float way = vec3_distance(l->own[high], l->home[high]), most = low + LEAN_SLOPE * l->rest[e] / fmaxf(way, 1e-20f);
    if (!(l->share[high] > most * 1.0001f))
        return false;
    pelti_lean_edges_set(l, high, most);
    return true;
}

typedef bool (*EdgeLook)(PeltiLeanEdges *l, int e);

/// Looks at the marked edges in the mesh's order. Serial: a later edge sees what an earlier one did. What is marked behind waits.
static int look_forward(PeltiLeanEdges *l, uint64_t *marked, EdgeLook look)
{
    int changed = 0;
    for (int w = 0; w < l->word_count; w++)
        for (uint64_t ahead = ~(uint64_t)0, left; (left = marked[w] & ahead) != 0;) {
            int k = __builtin_ctzll(left);
            marked[w] ^= (uint64_t)1 << k;
            ahead = ~(uint64_t)1 << k;
            changed += look(l, 64 * w + k);
        }
    return changed;
}

static int look_backward(PeltiLeanEdges *l, uint64_t *marked, EdgeLook look)
{
    int changed = 0;
    for (int w = l->word_count - 1; w >= 0; w--)
        for (uint64_t ahead = ~(uint64_t)0, left; (left = marked[w] & ahead) != 0;) {
            int k = 63 - __builtin_clzll(left);
            marked[w] ^= (uint64_t)1 << k;
            ahead = ((uint64_t)1 << k) - 1;
            changed += look(l, 64 * w + k);
        }
    return changed;
}

void pelti_lean_edges_settle(PeltiLeanEdges *l)
{
    for (int sweep = 0; sweep < LEAN_SWEEPS; sweep++) {
        int changed = look_forward(l, l->torn, mend_edge);
        changed += look_forward(l, l->steep, flatten_edge);
        changed += look_backward(l, l->steep, flatten_edge);
        if (changed == 0)
            break;
    }
}
