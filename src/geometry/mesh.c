/// Welds points, builds adjacency, normals, volumes and cotangent weights.
#include "geometry/mesh.h"

#include "core/hash.h"
#include "geometry/triangles.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Builder {
    PeltiMesh *mesh;
    PeltiPool *pool, *temporary; // temporary: of one stage
} Builder;

// ---- welding ----

typedef struct GridKey {
    double x, y, z; // whole numbers: position / tolerance, rounded half to even
    int instance;
} GridKey;

static GridKey grid_key(Vec3 p, double tolerance, int instance)
{
    // + 0.0 makes a negative zero positive, so that equal keys have equal bits
    return (GridKey){rint((double)p.x / tolerance) + 0.0, rint((double)p.y / tolerance) + 0.0,
                     rint((double)p.z / tolerance) + 0.0, instance};
}

static uint64_t hash_key(const GridKey *key)
{
    uint64_t hash = (uint64_t)key->instance, bits;
    const double *part[3] = {&key->x, &key->y, &key->z};
    for (int i = 0; i < 3; i++) {
        memcpy(&bits, part[i], sizeof bits);
        hash = pelti_hash_mix(hash + bits);
    }
    return hash;
}

static bool same_key(const GridKey *a, const GridKey *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->instance == b->instance;
}

static double diagonal_of(const Vec3 *p, int count, Vec3 *low, Vec3 *high)
{
    *low = *high = count ? p[0] : vec3(0, 0, 0);
    for (int i = 1; i < count; i++) {
        *low = vec3_min(*low, p[i]);
        *high = vec3_max(*high, p[i]);
    }
    double x = (double)high->x - (double)low->x, y = (double)high->y - (double)low->y, z = (double)high->z - (double)low->z;
    return sqrt(x * x + y * y + z * z);
}

/// Tried on 1.25 million points: hashing sixteen ahead with prefetches, and a tag of the hash in the table: no faster.
/// Points at one cell of a grid of 1e-6 of the diagonal are one vertex; vertices are numbered by their lowest point.
static bool weld(Builder *b, const Vec3 *positions, const int *instance_of_point)
{
    PeltiMesh *mesh = b->mesh;
    int n = mesh->point_count;
    Vec3 low, high;
    double tolerance = fmax(1e-6 * diagonal_of(positions, n, &low, &high), 1e-30);
    size_t slots = 16;
    while (slots < (size_t)n * 2)
        slots *= 2;
    int *table = PELTI_NEW(b->temporary, int, slots); // vertex + 1, 0: free
    int *first = PELTI_NEW(b->temporary, int, n);
    int *weld_map = PELTI_NEW(b->pool, int, n);
    if (!table || !first || !weld_map)
        return false;
    int vertices = 0;
    for (int i = 0; i < n; i++) {
        GridKey key = grid_key(positions[i], tolerance, instance_of_point[i]);
        size_t slot = hash_key(&key) & (slots - 1);
        for (; table[slot]; slot = (slot + 1) & (slots - 1)) { // keys are made again: storing them costs more memory than time
            int other = first[table[slot] - 1];
            GridKey held = grid_key(positions[other], tolerance, instance_of_point[other]);
            if (same_key(&held, &key))
                break;
        }
        if (!table[slot]) {
            first[vertices] = i;
            table[slot] = ++vertices;
        }
        weld_map[i] = table[slot] - 1;
    }
    int *first_point = PELTI_NEW(b->pool, int, vertices);
    if (!first_point)
        return false;
    memcpy(first_point, first, sizeof(int) * (size_t)vertices);
    mesh->vertex_count = vertices;
    mesh->weld = weld_map;
    mesh->first_point = first_point;
    return true;
}

static bool take_rest(Builder *b, const Vec3 *rest_points, const int *instance_of_point)
{
    PeltiMesh *mesh = b->mesh;
    Vec3 *rest = PELTI_NEW(b->pool, Vec3, mesh->vertex_count);
    int *instance = PELTI_NEW(b->pool, int, mesh->vertex_count);
    if (!rest || !instance)
        return false;
    for (int v = 0; v < mesh->vertex_count; v++) {
        rest[v] = rest_points[mesh->first_point[v]];
        instance[v] = instance_of_point[mesh->first_point[v]];
    }
    mesh->diagonal = (float)fmin(diagonal_of(rest, mesh->vertex_count, &mesh->low, &mesh->high), (double)FLT_MAX);
    mesh->rest = rest;
    mesh->vertex_instance = instance;
    return true;
}

// ---- triangles ----

/// What lies in the bucket of one vertex: two other keys and where it came from.
typedef struct BucketItem {
    int middle, high, from;
} BucketItem;

static bool same_keys(const BucketItem *a, const BucketItem *b)
{
    return a->middle == b->middle && a->high == b->high;
}

static int compare_entries(const void *a, const void *b)
{
    const BucketItem *x = a, *y = b;
    if (x->middle != y->middle)
        return x->middle < y->middle ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/// Buckets hold a handful nearly always; a vertex that a million triangles share must not cost a million squared.
static void sort_bucket(BucketItem *entries, int n)
{
    if (n > 32) {
        qsort(entries, (size_t)n, sizeof *entries, compare_entries);
        return;
    }
    for (int i = 1; i < n; i++) {
        BucketItem entry = entries[i];
        int k = i;
        for (; k > 0 && compare_entries(&entries[k - 1], &entry) > 0; k--)
            entries[k] = entries[k - 1];
        entries[k] = entry;
    }
}

/// count[v] becomes where the bucket of v starts; count has one place more than there are vertices.
static void start_buckets(int *count, int vertex_count)
{
    int sum = 0;
    for (int v = 0; v <= vertex_count; v++) {
        int here = count[v];
        count[v] = sum;
        sum += here;
    }
}

static void sort3(int *v)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 - pass; i++)
            if (v[i] > v[i + 1]) {
                int t = v[i];
                v[i] = v[i + 1];
                v[i + 1] = t;
            }
}

/// Of triangles over the same three vertices (either winding) the first stays. `tri` [n] holds no degenerate ones.
static bool drop_duplicates(Builder *b, int (*tri)[3], int *n)
{
    int v_count = b->mesh->vertex_count, *count = PELTI_NEW(b->temporary, int, (size_t)v_count + 2);
    BucketItem *entries = PELTI_NEW(b->temporary, BucketItem, *n);
    bool *drop = PELTI_NEW(b->temporary, bool, *n);
    if (!count || !entries || !drop)
        return false;
    for (int t = 0; t < *n; t++) {
        int low = tri[t][0] < tri[t][1] ? tri[t][0] : tri[t][1];
        count[low < tri[t][2] ? low : tri[t][2]]++;
    }
    start_buckets(count, v_count);
    for (int t = 0; t < *n; t++) {
        int key[3] = {tri[t][0], tri[t][1], tri[t][2]};
        sort3(key);
        entries[count[key[0]]++] = (BucketItem){key[1], key[2], t};
    }
    for (int v = 0, first = 0; v < v_count; first = count[v++]) { // a bucket's end is where the next one started
        sort_bucket(entries + first, count[v] - first);
        for (int i = first + 1; i < count[v]; i++)
            drop[entries[i].from] = same_keys(&entries[i], &entries[i - 1]);
    }
    int kept = 0;
    for (int t = 0; t < *n; t++)
        if (!drop[t])
            memmove(tri[kept++], tri[t], sizeof tri[t]);
    b->mesh->dropped_duplicate = *n - kept;
    *n = kept;
    return true;
}

static bool build_triangles(Builder *b, int n, const int (*point_triangles)[3])
{
    PeltiMesh *mesh = b->mesh;
    int(*tri)[3] = pelti_pool_take(b->pool, (size_t)n, 3 * sizeof(int));
    if (!tri)
        return false;
    int kept = 0;
    for (int t = 0; t < n; t++) {
        int a = mesh->weld[point_triangles[t][0]], c = mesh->weld[point_triangles[t][1]], d = mesh->weld[point_triangles[t][2]];
        if (a == c || c == d || a == d) {
            mesh->dropped_degenerate++;
            continue;
        }
        tri[kept][0] = a;
        tri[kept][1] = c;
        tri[kept++][2] = d;
    }
    if (!drop_duplicates(b, tri, &kept))
        return false;
    mesh->triangle_count = kept;
    mesh->triangles = (const int(*)[3])tri;
    return true;
}

// ---- edges ----

/// Half edges in the bucket of their lower end, each bucket sorted by the other end; half edge 3 t + k leaves corner k of t.
static BucketItem *sort_half_edges(Builder *b, int *end)
{
    const PeltiMesh *mesh = b->mesh;
    int n = mesh->triangle_count * 3;
    BucketItem *entries = PELTI_NEW(b->temporary, BucketItem, n);
    if (!entries)
        return NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                int from = mesh->triangles[t][k], to = mesh->triangles[t][k < 2 ? k + 1 : 0], low = from < to ? from : to;
                if (pass == 0)
                    end[low]++;
                else
                    entries[end[low]++] = (BucketItem){from < to ? to : from, 0, 3 * t + k};
            }
        if (pass == 0)
            start_buckets(end, mesh->vertex_count);
    }
    for (int v = 0, first = 0; v < mesh->vertex_count; first = end[v++])
        sort_bucket(entries + first, end[v] - first);
    return entries;
}

/// Undirected edges sorted by (low, high).
static bool build_edges(Builder *b)
{
    PeltiMesh *mesh = b->mesh;
    int v_count = mesh->vertex_count, count = 0, *end = PELTI_NEW(b->temporary, int, (size_t)v_count + 2);
    BucketItem *half = end ? sort_half_edges(b, end) : NULL;
    int *edge_start = PELTI_NEW(b->pool, int, (size_t)v_count + 1);
    int(*triangle_edges)[3] = pelti_pool_take(b->pool, (size_t)mesh->triangle_count, 3 * sizeof(int));
    if (!half || !triangle_edges || !edge_start)
        return false;
    for (int v = 0, i = 0; v < v_count; v++) {
        for (int first = i; i < end[v]; i++)
            count += i == first || half[i].middle != half[i - 1].middle;
        edge_start[v + 1] = count;
    }
    int(*edges)[2] = pelti_pool_take(b->pool, (size_t)count, 2 * sizeof(int)), *use = PELTI_NEW(b->pool, int, count);
    if (!edges || !use)
        return false;
    for (int v = 0, i = 0, e = -1; v < v_count; v++) {
        int direction = 0;
        for (int first = i; i < end[v]; i++) {
            if (i == first || half[i].middle != half[i - 1].middle) {
                edges[++e][0] = v;
                edges[e][1] = half[i].middle;
                direction = 0;
            }
            int t = half[i].from / 3, k = half[i].from % 3;
            use[e]++;
            direction += mesh->triangles[t][k] == v ? 1 : -1;
            triangle_edges[t][k] = e;
            if (i + 1 == end[v] || half[i + 1].middle != half[i].middle) { // the last half edge of this edge
                mesh->border_edge_count += use[e] == 1;
                mesh->nonmanifold_edge_count += use[e] > 2;
                mesh->inconsistent_edge_count += use[e] == 2 && direction != 0;
            }
        }
    }
    mesh->closed =
        mesh->triangle_count && !mesh->border_edge_count && !mesh->nonmanifold_edge_count && !mesh->inconsistent_edge_count;
    mesh->edge_count = count;
    mesh->edges = (const int(*)[2])edges;
    mesh->edge_use = use;
    mesh->edge_start = edge_start;
    mesh->triangle_edges = (const int(*)[3])triangle_edges;
    return true;
}

/// Neighbours and triangles of each vertex, both ascending.
static bool build_rings(Builder *b)
{
    PeltiMesh *mesh = b->mesh;
    int v_count = mesh->vertex_count;
    int *ring_start = PELTI_NEW(b->pool, int, (size_t)v_count + 1), *fan_start = PELTI_NEW(b->pool, int, (size_t)v_count + 1);
    int *ring = PELTI_NEW(b->pool, int, (size_t)mesh->edge_count * 2),
        *fan = PELTI_NEW(b->pool, int, (size_t)mesh->triangle_count * 3);
    int *next = PELTI_NEW(b->temporary, int, v_count);
    if (!ring_start || !fan_start || !ring || !fan || !next)
        return false;
    for (int e = 0; e < mesh->edge_count; e++)
        for (int k = 0; k < 2; k++)
            ring_start[mesh->edges[e][k] + 1]++;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            fan_start[mesh->triangles[t][k] + 1]++;
    for (int v = 0; v < v_count; v++) {
        mesh->unused_vertex_count += fan_start[v + 1] == 0;
        ring_start[v + 1] += ring_start[v];
        fan_start[v + 1] += fan_start[v];
    }
    // edges are sorted by their low end: first all lower neighbours of each vertex arrive ascending, then all higher ones
    memcpy(next, ring_start, sizeof(int) * (size_t)v_count);
    for (int k = 1; k >= 0; k--)
        for (int e = 0; e < mesh->edge_count; e++)
            ring[next[mesh->edges[e][k]]++] = mesh->edges[e][1 - k];
    memcpy(next, fan_start, sizeof(int) * (size_t)v_count);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            fan[next[mesh->triangles[t][k]]++] = t;
    mesh->ring_start = ring_start;
    mesh->ring = ring;
    mesh->fan_start = fan_start;
    mesh->fan = fan;
    return true;
}

static bool build_components(Builder *b)
{
    PeltiMesh *mesh = b->mesh;
    int n = mesh->vertex_count;
    int *component = PELTI_NEW(b->pool, int, n), *queue = PELTI_NEW(b->temporary, int, n);
    if (!component || !queue)
        return false;
    for (int v = 0; v < n; v++)
        component[v] = -1;
    for (int seed = 0; seed < n; seed++) {
        if (component[seed] >= 0)
            continue;
        int filled = 1;
        queue[0] = seed;
        component[seed] = mesh->component_count;
        for (int done = 0; done < filled; done++)
            for (int r = mesh->ring_start[queue[done]]; r < mesh->ring_start[queue[done] + 1]; r++)
                if (component[mesh->ring[r]] < 0) {
                    component[mesh->ring[r]] = mesh->component_count;
                    queue[filled++] = mesh->ring[r];
                }
        mesh->component_count++;
    }
    mesh->component = component;
    return true;
}

/// Border loops, walked against the triangles' winding, so that a fan (centre, loop[i], loop[i + 1]) closes the hole. At a
/// vertex where borders meet the last one found is taken; a chain that does not come back is closed straight.
static bool build_holes(Builder *b)
{
    PeltiMesh *mesh = b->mesh;
    int v_count = mesh->vertex_count, borders = mesh->border_edge_count, taken = 0, count = 0;
    int *start = PELTI_NEW(b->temporary, int, (size_t)v_count + 1), *left = PELTI_NEW(b->temporary, int, v_count);
    int *next = PELTI_NEW(b->temporary, int, borders), *seeds = PELTI_NEW(b->temporary, int, borders);
    int *loop = PELTI_NEW(b->pool, int, (size_t)borders * 2), *loop_start = PELTI_NEW(b->pool, int, (size_t)borders / 2 + 2);
    if (!start || !left || !next || !seeds || !loop || !loop_start)
        return false;
    int seed_count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++)
            for (int t = 0; t < mesh->triangle_count; t++) {
                if (mesh->edge_use[mesh->triangle_edges[t][k]] != 1)
                    continue;
                int from = mesh->triangles[t][(k + 1) % 3];
                if (pass == 0) {
                    start[from + 1]++;
                } else {
                    if (!left[from])
                        seeds[seed_count++] = from;
                    next[start[from] + left[from]++] = mesh->triangles[t][k];
                }
            }
        for (int v = 0; pass == 0 && v < v_count; v++)
            start[v + 1] += start[v];
    }
    for (int s = 0; s < seed_count; s++)
        while (left[seeds[s]]) {
            int first = taken, at = seeds[s];
            loop[taken++] = at;
            while (left[at]) {
                int to = next[start[at] + --left[at]];
                if (to == seeds[s])
                    break;
                loop[taken++] = at = to;
            }
            if (taken - first > 2)
                loop_start[++count] = taken;
            else
                taken = first;
        }
    mesh->hole_count = count;
    mesh->hole_start = loop_start;
    mesh->hole = loop;
    return true;
}

/// Large meshes peak at what is kept and one stage's lists.
static bool end_stage(Builder *b, bool done)
{
    pelti_pool_release(b->temporary);
    return done;
}

PeltStatus pelti_mesh_build(PeltiPool *pool, const PeltiMeshInput *def, PeltiMesh **out, PeltError *err)
{
    if (def->point_count > INT_MAX / 8 || def->triangle_count > INT_MAX / 8)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%d points and %d triangles are too many for one mesh", def->point_count,
                         def->triangle_count);
    PeltiPool temporary;
    pelti_pool_init(&temporary, &pool->allocator);
    Builder b = {.mesh = PELTI_NEW(pool, PeltiMesh, 1), .pool = pool, .temporary = &temporary};
    bool built = false;
    if (b.mesh) {
        b.mesh->point_count = def->point_count;
        built = end_stage(&b, weld(&b, def->weld_positions, def->instance_of_point)) &&
                take_rest(&b, def->rest, def->instance_of_point) &&
                end_stage(&b, build_triangles(&b, def->triangle_count, def->point_triangles)) && end_stage(&b, build_edges(&b)) &&
                end_stage(&b, build_rings(&b)) && end_stage(&b, build_components(&b)) && end_stage(&b, build_holes(&b));
    }
    pelti_pool_release(&temporary);
    if (!built)
        return pelti_no_memory(err, sizeof(Vec3) * (size_t)def->point_count);
    *out = b.mesh;
    return PELT_OK;
}

// ---- queries ----

int pelti_mesh_edge(const PeltiMesh *mesh, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    int first = mesh->edge_start[low], last = mesh->edge_start[low + 1];
    while (first < last) {
        int middle = first + (last - first) / 2;
        if (mesh->edges[middle][1] < high)
            first = middle + 1;
        else
            last = middle;
    }
    return first < mesh->edge_start[low + 1] && mesh->edges[first][1] == high ? first : -1;
}

static Dvec dvec(Vec3 a)
{
    return (Dvec){(double)a.x, (double)a.y, (double)a.z};
}
static Dvec dvec_sub(Dvec a, Dvec b)
{
    return (Dvec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static double dvec_dot(Dvec a, Dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static Dvec dvec_cross(Dvec a, Dvec b)
{
    return (Dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

void pelti_mesh_cotangents(const PeltiMesh *mesh, const Vec3 *positions, float least, float *edge_weight, float *vertex_area)
{
    const double most = 1e3; // cotangent of 0.06 degrees: slivers must not drown the rest of a float system
    memset(edge_weight, 0, sizeof(float) * (size_t)mesh->edge_count);
    memset(vertex_area, 0, sizeof(float) * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        Dvec p[3];
        for (int k = 0; k < 3; k++)
            p[k] = dvec(positions[mesh->triangles[t][k]]);
        Dvec n = dvec_cross(dvec_sub(p[1], p[0]), dvec_sub(p[2], p[0]));
        double twice_area = sqrt(dvec_dot(n, n));
        for (int k = 0; k < 3; k++) {
            Dvec a = dvec_sub(p[(k + 1) % 3], p[k]), b = dvec_sub(p[(k + 2) % 3], p[k]); // edge k + 1 lies opposite corner k
            double along = dvec_dot(a, b);
            double cotangent =
                fabs(along) <= most * twice_area ? (twice_area > 0 ? along / twice_area : 0) : copysign(most, along);
            edge_weight[mesh->triangle_edges[t][(k + 1) % 3]] += (float)(0.5 * cotangent);
            vertex_area[mesh->triangles[t][k]] += (float)(twice_area / 6);
        }
    }
    double sum = 0;
    int positive = 0;
    for (int e = 0; e < mesh->edge_count; e++)
        if (edge_weight[e] > 0) {
            sum += (double)edge_weight[e];
            positive++;
        }
    float floor_weight = positive ? least * (float)(sum / positive) : least > 0 ? 1.0f : 0.0f;
    for (int e = 0; e < mesh->edge_count; e++)
        edge_weight[e] = fmaxf(edge_weight[e], floor_weight);
}

void pelti_mesh_normals(const PeltiMesh *mesh, const Vec3 *positions, Vec3 *normals)
{
    memset(normals, 0, sizeof(Vec3) * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        Vec3 n = pelti_triangle_normal(positions, v);
        for (int k = 0; k < 3; k++)
            normals[v[k]] = vec3_add(normals[v[k]], n);
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        normals[v] = vec3_normalize_or(normals[v], vec3(0, 0, 1));
}

void pelti_mesh_edge_lengths(const PeltiMesh *mesh, const Vec3 *positions, float *mean_length)
{
    for (int v = 0; v < mesh->vertex_count; v++) {
        float sum = 0;
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
            sum += vec3_distance(positions[v], positions[mesh->ring[r]]);
        mean_length[v] = degree ? sum / (float)degree : 0;
    }
}

static double six_volumes(Dvec origin, Dvec a, Dvec b, Dvec c)
{
    return dvec_dot(dvec_sub(a, origin), dvec_cross(dvec_sub(b, origin), dvec_sub(c, origin)));
}

static Dvec hole_centre(const PeltiMesh *mesh, const Vec3 *positions, int hole)
{
    Dvec c = {0, 0, 0};
    int first = mesh->hole_start[hole], last = mesh->hole_start[hole + 1];
    for (int i = first; i < last; i++) {
        Dvec p = dvec(positions[mesh->hole[i]]);
        c = (Dvec){c.x + p.x, c.y + p.y, c.z + p.z};
    }
    double s = 1.0 / (last - first);
    return (Dvec){c.x * s, c.y * s, c.z * s};
}

void pelti_mesh_gather(const PeltiMesh *mesh, const Vec3 *points, Vec3 *vertices)
{
    for (int v = 0; v < mesh->vertex_count; v++)
        vertices[v] = points[mesh->first_point[v]];
}

double pelti_mesh_volume(const PeltiMesh *mesh, const Vec3 *positions)
{
    // about the centre of all corners: fewer digits are lost, and surfaces that do not close have a volume worth comparing
    Dvec origin = {0, 0, 0};
    for (int v = 0; v < mesh->vertex_count; v++) {
        Dvec p = dvec(positions[v]);
        origin = (Dvec){origin.x + p.x, origin.y + p.y, origin.z + p.z};
    }
    for (int h = 0; h < mesh->hole_count; h++) {
        Dvec p = hole_centre(mesh, positions, h);
        origin = (Dvec){origin.x + p.x, origin.y + p.y, origin.z + p.z};
    }
    double s = 1.0 / fmax(1.0, (double)mesh->vertex_count + mesh->hole_count), sum = 0;
    origin = (Dvec){origin.x * s, origin.y * s, origin.z * s};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        sum += six_volumes(origin, dvec(positions[v[0]]), dvec(positions[v[1]]), dvec(positions[v[2]]));
    }
    for (int h = 0; h < mesh->hole_count; h++) {
        Dvec centre = hole_centre(mesh, positions, h);
        int first = mesh->hole_start[h], last = mesh->hole_start[h + 1];
        for (int i = first; i < last; i++)
            sum += six_volumes(origin, centre, dvec(positions[mesh->hole[i]]),
                               dvec(positions[mesh->hole[i + 1 < last ? i + 1 : first]]));
    }
    return sum / 6;
}
