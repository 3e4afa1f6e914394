/// A coarser mesh to simulate [Komaritzan2018] sec. 6: edges collapse to one of their ends by quadric error [Garland1997], least
/// near joints, so every coarse vertex is one of the skin's own.
#include "methods/projective/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct Quadric { // p^T A p + 2 b p + c, weights in
    double a[6], b[3], c;
} Quadric;

typedef struct Collapse { // of `from` into `to`
    double cost;
    int from, to, stamp;
} Collapse;

typedef struct Work {
    const PeltiMesh *mesh;
    Quadric *quadrics;
    float *joint; // [vertex] 1 near a joint
    int *parent;  // [vertex] itself: alive
    int *stamp;   // [vertex]
    int (*triangles)[3];
    bool *gone;       // [triangle]
    PeltiArray *fans; // [vertex] triangles, grows as vertices merge
    bool *locked;     // [vertex]
    Collapse *heap;
    int heap_count, heap_capacity;
    bool failed;
} Work;

static void add_plane(Quadric *q, Vec3 n, float d, double w)
{
    const double x = (double)n.x, y = (double)n.y, z = (double)n.z, e = (double)d;
    const double a[6] = {x * x, x * y, x * z, y * y, y * z, z * z};
    for (int i = 0; i < 6; i++)
        q->a[i] += w * a[i];
    q->b[0] += w * x * e;
    q->b[1] += w * y * e;
    q->b[2] += w * z * e;
    q->c += w * e * e;
}

static double evaluate(const Quadric *q, Vec3 p)
{
    const double x = (double)p.x, y = (double)p.y, z = (double)p.z;
    return q->a[0] * x * x + 2 * q->a[1] * x * y + 2 * q->a[2] * x * z + q->a[3] * y * y + 2 * q->a[4] * y * z + q->a[5] * z * z +
           2 * (q->b[0] * x + q->b[1] * y + q->b[2] * z) + q->c;
}

static bool heap_less(const Collapse *a, const Collapse *b) // a total order
{
    return a->cost != b->cost ? a->cost < b->cost : a->from != b->from ? a->from < b->from : a->to < b->to;
}

static void heap_push(Work *w, Collapse c)
{
    if (w->heap_count == w->heap_capacity)
        return; // cannot happen: see the capacity
    int i = w->heap_count++;
    for (; i > 0 && heap_less(&c, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = c;
}

static Collapse heap_pop(Work *w)
{
    Collapse top = w->heap[0], last = w->heap[--w->heap_count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= w->heap_count)
            break;
        if (child + 1 < w->heap_count && heap_less(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!heap_less(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

static void offer(Work *w, int from, int to)
{
    if (w->locked[from] || w->mesh->vertex_instance[from] != w->mesh->vertex_instance[to])
        return;
    Vec3 p = w->mesh->rest[to];
    double length = (double)vec3_distance(w->mesh->rest[from], p);
    double cost = evaluate(&w->quadrics[from], p) + evaluate(&w->quadrics[to], p) + 1e-3 * length * length * length * length;
    cost *= 1 + 200 * (double)w->joint[from];
    heap_push(w, (Collapse){cost > 0 ? cost : 0, from, to, w->stamp[from] + w->stamp[to]});
}

static bool has(const int t[3], int v)
{
    return t[0] == v || t[1] == v || t[2] == v;
}

/// Neighbours that two vertices share must be exactly the two opposite corners, and no triangle may turn over.
static bool may_collapse(const Work *w, int from, int to)
{
    const int *fan = (const int *)w->fans[from].data, *other = (const int *)w->fans[to].data;
    int shared = 0, common = 0;
    for (size_t i = 0; i < w->fans[from].count; i++) {
        if (w->gone[fan[i]])
            continue;
        int *t = w->triangles[fan[i]];
        if (has(t, to)) {
            shared++;
            continue;
        }
        Vec3 x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = w->mesh->rest[t[k]];
            y[k] = t[k] == from ? w->mesh->rest[to] : x[k];
        }
        Vec3 before = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])),
             after = vec3_cross(vec3_sub(y[1], y[0]), vec3_sub(y[2], y[0]));
        if (vec3_dot(before, after) < 0.3f * vec3_length(before) * vec3_length(after) || vec3_length(after) < 1e-20f)
            return false;
        for (int k = 0; k < 3; k++)
            for (size_t j = 0; t[k] != from && j < w->fans[to].count; j++)
                if (!w->gone[other[j]] && has(w->triangles[other[j]], t[k])) {
                    common++;
                    break;
                }
    }
    return shared == 2 && common <= 2; // each opposite corner has one more triangle at `from`
}

static void collapse(Work *w, int from, int to)
{
    for (size_t i = 0; i < w->fans[from].count; i++) {
        int f = ((const int *)w->fans[from].data)[i], *t = w->triangles[f];
        if (w->gone[f])
            continue;
        if (has(t, to)) {
            w->gone[f] = true;
            continue;
        }
        for (int k = 0; k < 3; k++)
            t[k] = t[k] == from ? to : t[k];
        if (!pelti_array_push(&w->fans[to], &f))
            w->failed = true;
    }
    for (int i = 0; i < 6; i++)
        w->quadrics[to].a[i] += w->quadrics[from].a[i];
    for (int i = 0; i < 3; i++)
        w->quadrics[to].b[i] += w->quadrics[from].b[i];
    w->quadrics[to].c += w->quadrics[from].c;
    w->parent[from] = to;
    w->stamp[to]++;
    w->stamp[from]++;
    for (size_t i = 0; i < w->fans[to].count; i++) {
        int f = ((const int *)w->fans[to].data)[i];
        for (int k = 0; !w->gone[f] && k < 3; k++)
            if (w->triangles[f][k] != to) {
                offer(w, w->triangles[f][k], to);
                offer(w, to, w->triangles[f][k]);
            }
    }
}

static void prepare(Work *w, const ProjSkeleton *k)
{
    const PeltiMesh *mesh = w->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        w->parent[v] = v;
        w->locked[v] = mesh->fan_start[v + 1] == mesh->fan_start[v];
        for (int s = 0; s < k->segment_count; s++) {
            const ProjSegment *segment = &k->segments[s];
            float reach = 2.5f * fmaxf(k->joint_radius[segment->bone], segment->radius);
            float near = 1 - (vec3_distance(mesh->rest[v], segment->a) - reach) / reach;
            w->joint[v] = fmaxf(w->joint[v], fminf(fmaxf(near, 0), 1));
        }
    }
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_use[e] != 2)
            w->locked[mesh->edges[e][0]] = w->locked[mesh->edges[e][1]] = true;
    for (int f = 0; f < mesh->triangle_count; f++) {
        const int *t = mesh->triangles[f];
        memcpy(w->triangles[f], t, sizeof w->triangles[f]);
        Vec3 cross = vec3_cross(vec3_sub(mesh->rest[t[1]], mesh->rest[t[0]]), vec3_sub(mesh->rest[t[2]], mesh->rest[t[0]]));
        float area = 0.5f * vec3_length(cross);
        Vec3 n = vec3_normalize_or(cross, vec3(0, 0, 0));
        for (int c = 0; c < 3; c++) {
            add_plane(&w->quadrics[t[c]], n, -vec3_dot(n, mesh->rest[t[0]]), (double)area);
            if (!pelti_array_push(&w->fans[t[c]], &f))
                w->failed = true;
        }
    }
    for (int e = 0; e < mesh->edge_count; e++) {
        offer(w, mesh->edges[e][0], mesh->edges[e][1]);
        offer(w, mesh->edges[e][1], mesh->edges[e][0]);
    }
}

/// The mesh of the vertices that are left.
static PeltStatus rebuild(Work *w, PeltiPool *pool, PeltiPool *temp, int **kept_out, PeltiMesh **out, PeltError *err)
{
    const PeltiMesh *mesh = w->mesh;
    int points = 0, triangles = 0;
    int *kept = PELTI_NEW(pool, int, (size_t)mesh->vertex_count + 1),
        *index = PELTI_NEW(temp, int, (size_t)mesh->vertex_count + 1);
    Vec3 *rest = PELTI_NEW(temp, Vec3, (size_t)mesh->vertex_count + 1);
    int *instance = PELTI_NEW(temp, int, (size_t)mesh->vertex_count + 1);
    if (pool->failed || temp->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 24);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (w->parent[v] == v) {
            index[v] = points;
            instance[points] = mesh->vertex_instance[v];
            rest[points] = mesh->rest[v];
            kept[points++] = v;
        }
    for (int f = 0; f < mesh->triangle_count; f++)
        if (!w->gone[f]) {
            for (int k = 0; k < 3; k++)
                w->triangles[triangles][k] = index[w->triangles[f][k]];
            triangles++;
        }
    *kept_out = kept;
    return pelti_mesh_build(pool, points, rest, rest, instance, triangles, (const int(*)[3])w->triangles, out, err);
}

PeltStatus pelti_proj_decimate(const PeltiMesh *mesh, const ProjSkeleton *k, int wanted, PeltiPool *pool, int **kept,
                               PeltiMesh **out, PeltError *err)
{
    PeltiPool temp;
    pelti_pool_init(&temp, &pool->allocator);
    size_t n = (size_t)mesh->vertex_count + 1, f = (size_t)mesh->triangle_count + 1;
    Work w = {.mesh = mesh, .heap_capacity = 60 * mesh->edge_count + 1024};
    w.quadrics = PELTI_NEW(&temp, Quadric, n);
    w.joint = PELTI_NEW(&temp, float, n);
    w.parent = PELTI_NEW(&temp, int, n);
    w.stamp = PELTI_NEW(&temp, int, n);
    w.locked = PELTI_NEW(&temp, bool, n);
    w.triangles = pelti_pool_take(&temp, f, sizeof *w.triangles);
    w.gone = PELTI_NEW(&temp, bool, f);
    w.fans = PELTI_NEW(&temp, PeltiArray, n);
    w.heap = PELTI_NEW(&temp, Collapse, (size_t)w.heap_capacity);
    PeltStatus status = PELT_OK;
    if (temp.failed) {
        status = pelti_no_memory(err, n * sizeof(Quadric));
    } else {
        for (size_t v = 0; v < n; v++)
            pelti_array_init(&w.fans[v], &pool->allocator, sizeof(int));
        prepare(&w, k);
        int alive = mesh->vertex_count;
        while (alive > wanted && w.heap_count > 0 && !w.failed) {
            Collapse c = heap_pop(&w);
            if (w.parent[c.from] != c.from || w.parent[c.to] != c.to || c.stamp != w.stamp[c.from] + w.stamp[c.to] ||
                !may_collapse(&w, c.from, c.to))
                continue;
            collapse(&w, c.from, c.to);
            alive--;
        }
        status = w.failed ? pelti_no_memory(err, n) : rebuild(&w, pool, &temp, kept, out, err);
        for (size_t v = 0; v < n; v++)
            pelti_array_release(&w.fans[v]);
    }
    pelti_pool_release(&temp);
    return status;
}
