#include "character/refine.h"

#include "character/weights.h"

#include <stdlib.h>
#include <string.h>

static const float coarse_ratio = 0.35f; // longest edge / bone length, median over the area
static const float fine_ratio = 0.16f;   // what is made of it
enum { COARSE_POINTS = 3000, MOST_POINTS = 20000, MOST_PASSES = 12 };

// ---- how long is long ----

/// The bone a point follows: its strongest in the file, or the nearest where the file's weights are useless.
static int owner_of(const PeltiCharacter *who, int point)
{
    const PeltiWeights *w = &who->file_weights;
    if (who->file_weights_sane)
        return w->bone[(size_t)point * (size_t)w->influences];
    return pelti_weights_nearest(who, who->point_instance[point], who->rest_points[point]);
}

static float bone_length(const PeltiCharacter *who, int bone)
{
    float longest = 0;
    const PeltiBone *b = &who->bones[bone];
    for (int s = b->segment_first; s < b->segment_first + b->segment_count; s++)
        longest = fmaxf(longest, vec3_distance(who->segments[s].a, who->segments[s].b));
    return longest;
}

/// Length of the bone each point follows, at least a share of the character (props, fingers, joints on top of each other).
static float *owner_lengths(const PeltiCharacter *who, PeltiPool *pool, int room)
{
    float *length = PELTI_NEW(pool, float, room);
    float least = 0.12f * who->mesh->diagonal; // fingers and toes of a coarse body need not be finer than this
    for (int p = 0; length && p < who->point_count; p++) {
        float own = who->bone_count ? bone_length(who, owner_of(who, p)) : 0;
        length[p] = fmaxf(own, least);
    }
    return length;
}

typedef struct Share {
    float ratio, area;
} Share;

static int compare_shares(const void *a, const void *b)
{
    float x = ((const Share *)a)->ratio, y = ((const Share *)b)->ratio;
    return (x > y) - (x < y);
}

static Share share_of(const PeltiCharacter *who, const int *t, const float *length)
{
    Vec3 a = who->rest_points[t[0]], b = who->rest_points[t[1]], c = who->rest_points[t[2]];
    float edge = fmaxf(vec3_distance(a, b), fmaxf(vec3_distance(b, c), vec3_distance(c, a)));
    float bone = (length[t[0]] + length[t[1]] + length[t[2]]) / 3;
    return (Share){bone > 0 ? edge / bone : 0, vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)))};
}

bool pelti_character_is_coarse(const PeltiCharacter *who)
{
    if (who->point_count > COARSE_POINTS || who->triangle_count == 0 || who->bone_count == 0)
        return false;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    float *length = owner_lengths(who, &pool, who->point_count);
    Share *shares = PELTI_NEW(&pool, Share, who->triangle_count);
    bool coarse = false;
    if (!pool.failed) {
        double whole = 0, sum = 0;
        for (int t = 0; t < who->triangle_count; t++) {
            shares[t] = share_of(who, who->point_triangles[t], length);
            whole += (double)shares[t].area;
        }
        qsort(shares, (size_t)who->triangle_count, sizeof *shares, compare_shares);
        int median = 0;
        for (; median + 1 < who->triangle_count && sum + (double)shares[median].area < whole / 2; median++)
            sum += (double)shares[median].area;
        coarse = shares[median].ratio > coarse_ratio;
    }
    pelti_pool_release(&pool);
    return coarse;
}

// ---- splitting ----

/// One edge of points to be split: ends in rising order, and the new point between them.
typedef struct Edge {
    int low, high, middle;
} Edge;

typedef struct Refiner {
    const PeltiCharacter *from;
    int point_count, influences;
    Vec3 *points;    // [MOST_POINTS]
    float *length;   // [MOST_POINTS] of the bone they follow
    int *instance;   // [MOST_POINTS]
    int *bone;       // [MOST_POINTS x influences]
    float *weight;   // [MOST_POINTS x influences]
    int *sum_bone;   // [2 x influences] of the point being made
    float *sum;      // [2 x influences]
    PeltiArray mesh; // of int[3]
    PeltiArray next; // of int[3]
    PeltiArray edges;
} Refiner;

static int compare_edges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->high > y->high) - (x->high < y->high);
}

static bool is_long(const Refiner *r, int a, int b)
{
    return vec3_distance(r->points[a], r->points[b]) > 1.4f * fine_ratio * 0.5f * (r->length[a] + r->length[b]);
}

/// Adds half of a point's weights to those gathered so far; returns how many there are.
static int gather_half(Refiner *r, int point, int count)
{
    for (int k = 0; k < r->influences; k++) {
        size_t at = (size_t)point * (size_t)r->influences + (size_t)k;
        int j = 0;
        if (!(r->weight[at] > 0))
            continue;
        while (j < count && r->sum_bone[j] != r->bone[at])
            j++;
        if (j == count) {
            r->sum_bone[count] = r->bone[at];
            r->sum[count++] = 0;
        }
        r->sum[j] += 0.5f * r->weight[at];
    }
    return count;
}

/// The weights of a new point: the mean of the ends', the largest kept.
static void blend_weights(Refiner *r, int a, int b, int middle)
{
    int n = r->influences, count = gather_half(r, b, gather_half(r, a, 0));
    int *bone = r->bone + (size_t)middle * (size_t)n;
    float *weight = r->weight + (size_t)middle * (size_t)n;
    for (int j = 0; j < count; j++)
        pelti_weights_insert(n, bone, weight, r->sum_bone[j], r->sum[j]);
    pelti_weights_normalise(n, bone, weight);
}

static int add_middle(Refiner *r, int a, int b)
{
    int middle = r->point_count++;
    r->points[middle] = vec3_scale(vec3_add(r->points[a], r->points[b]), 0.5f);
    r->length[middle] = 0.5f * (r->length[a] + r->length[b]);
    r->instance[middle] = r->instance[a];
    if (r->influences)
        blend_weights(r, a, b, middle);
    return middle;
}

/// Long edges of all triangles, each once, with their middles. False: no memory.
static bool find_long_edges(Refiner *r)
{
    r->edges.count = 0;
    const int(*mesh)[3] = (const int(*)[3])(void *)r->mesh.data;
    for (size_t t = 0; t < r->mesh.count; t++)
        for (int k = 0; k < 3; k++) {
            int a = mesh[t][k], b = mesh[t][(k + 1) % 3];
            Edge edge = {a < b ? a : b, a < b ? b : a, -1};
            if (is_long(r, a, b) && !pelti_array_push(&r->edges, &edge))
                return false;
        }
    Edge *edges = (Edge *)(void *)r->edges.data;
    if (r->edges.count == 0)
        return true;
    qsort(edges, r->edges.count, sizeof *edges, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < r->edges.count; i++)
        if (kept == 0 || compare_edges(&edges[kept - 1], &edges[i]))
            edges[kept++] = edges[i];
    r->edges.count = kept;
    if ((size_t)r->point_count + kept > MOST_POINTS)
        r->edges.count = 0; // fine enough
    for (size_t i = 0; i < r->edges.count; i++)
        edges[i].middle = add_middle(r, edges[i].low, edges[i].high);
    return true;
}

static int middle_of(const Refiner *r, int a, int b)
{
    Edge key = {a < b ? a : b, a < b ? b : a, -1};
    const Edge *found = bsearch(&key, r->edges.data, r->edges.count, sizeof key, compare_edges);
    return found ? found->middle : -1;
}

static bool push(Refiner *r, int a, int b, int c)
{
    int t[3] = {a, b, c};
    return pelti_array_push(&r->next, t) != NULL;
}

/// A triangle with the middles of its edges (-1: not split), turned so that what is split comes first.
static bool split(Refiner *r, const int *t)
{
    int m[3], marked = 0, turn = 0;
    for (int k = 0; k < 3; k++) {
        m[k] = middle_of(r, t[k], t[(k + 1) % 3]);
        marked += m[k] >= 0;
    }
    if (marked == 1)
        turn = m[0] >= 0 ? 0 : m[1] >= 0 ? 1 : 2;
    else if (marked == 2)
        turn = m[2] < 0 ? 0 : m[0] < 0 ? 1 : 2;
    int a = t[turn], b = t[(turn + 1) % 3], c = t[(turn + 2) % 3];
    int ab = m[turn], bc = m[(turn + 1) % 3], ca = m[(turn + 2) % 3];
    if (marked == 0)
        return push(r, a, b, c);
    if (marked == 1)
        return push(r, a, ab, c) && push(r, ab, b, c);
    if (marked == 3)
        return push(r, a, ab, ca) && push(r, ab, b, bc) && push(r, ca, bc, c) && push(r, ab, bc, ca);
    if (vec3_distance(r->points[ab], r->points[c]) < vec3_distance(r->points[a], r->points[bc]))
        return push(r, ab, b, bc) && push(r, a, ab, c) && push(r, ab, bc, c);
    return push(r, ab, b, bc) && push(r, a, ab, bc) && push(r, a, bc, c);
}

static bool refine_all(Refiner *r)
{
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        if (!find_long_edges(r))
            return false;
        if (r->edges.count == 0)
            return true;
        r->next.count = 0;
        for (size_t t = 0; t < r->mesh.count; t++)
            if (!split(r, ((const int(*)[3])(void *)r->mesh.data)[t]))
                return false;
        PeltiArray done = r->mesh;
        r->mesh = r->next;
        r->next = done;
    }
    return true;
}

/// Room for the most points there can be, the old ones first.
static bool start(Refiner *r, const PeltiCharacter *who, PeltiPool *pool)
{
    size_t n = (size_t)who->point_count, w = (size_t)who->file_weights.influences;
    r->from = who;
    r->point_count = who->point_count;
    r->influences = who->file_weights.influences;
    r->points = PELTI_NEW(pool, Vec3, MOST_POINTS);
    r->instance = PELTI_NEW(pool, int, MOST_POINTS);
    r->bone = PELTI_NEW(pool, int, MOST_POINTS *w);
    r->weight = PELTI_NEW(pool, float, MOST_POINTS *w);
    r->sum_bone = PELTI_NEW(pool, int, 2 * w);
    r->sum = PELTI_NEW(pool, float, 2 * w);
    r->length = owner_lengths(who, pool, MOST_POINTS);
    if (pool->failed)
        return false;
    memcpy(r->points, who->rest_points, n * sizeof *r->points);
    memcpy(r->instance, who->point_instance, n * sizeof *r->instance);
    if (w) {
        memcpy(r->bone, who->file_weights.bone, n * w * sizeof *r->bone);
        memcpy(r->weight, who->file_weights.weight, n * w * sizeof *r->weight);
    }
    return pelti_array_append(&r->mesh, who->point_triangles, (size_t)who->triangle_count);
}

/// What the copy shares with the character, and its own skin.
static PeltStatus finish(const Refiner *r, PeltiCharacter *fine, PeltError *err)
{
    const PeltiCharacter *who = r->from;
    PeltiPool pool = fine->pool;
    PeltiLog log = fine->log;
    *fine = *who;
    fine->pool = pool;
    fine->log = log;
    fine->point_count = r->point_count;
    fine->rest_points = r->points;
    fine->file_normals = NULL;
    fine->point_instance = r->instance;
    fine->auto_weights = (PeltiWeights){0};
    fine->file_weights = (PeltiWeights){r->influences, r->bone, r->weight};
    fine->triangle_count = (int)r->mesh.count;
    fine->point_triangles = (int(*)[3])pelti_pool_take(&fine->pool, r->mesh.count, 3 * sizeof(int));
    if (!fine->point_triangles)
        return pelti_no_memory(err, r->mesh.count * 3 * sizeof(int));
    memcpy(fine->point_triangles, r->mesh.data, r->mesh.count * 3 * sizeof(int));
    return pelti_mesh_build(&fine->pool, fine->point_count, fine->rest_points, fine->rest_points, fine->point_instance,
                            fine->triangle_count, (const int(*)[3])fine->point_triangles, &fine->mesh, err);
}

/// Welding compares rest positions here and file positions there: points that differ by rounding may fall apart.
static bool keeps_numbers(const PeltiCharacter *who, const PeltiCharacter *fine)
{
    return memcmp(who->mesh->weld, fine->mesh->weld, sizeof(int) * (size_t)who->point_count) == 0;
}

PeltStatus pelti_character_refine(const PeltiCharacter *who, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    PELT_ASSERT(who->point_count <= MOST_POINTS);
    *out = NULL;
    PeltiCharacter *fine = pelti_character_create(allocator);
    if (!fine)
        return pelti_no_memory(err, sizeof *fine);
    Refiner r = {0};
    pelti_array_init(&r.mesh, allocator, 3 * sizeof(int));
    pelti_array_init(&r.next, allocator, 3 * sizeof(int));
    pelti_array_init(&r.edges, allocator, sizeof(Edge));
    PeltStatus status =
        start(&r, who, &fine->pool) && refine_all(&r) ? finish(&r, fine, err) : pelti_no_memory(err, MOST_POINTS * sizeof(Vec3));
    pelti_array_release(&r.mesh);
    pelti_array_release(&r.next);
    pelti_array_release(&r.edges);
    if (status == PELT_OK && keeps_numbers(who, fine))
        *out = fine;
    else
        pelti_character_destroy(fine);
    return status;
}
