/// Triangles of a solid's surface on a grid.
#include "remesh/constants.def"
#include "remesh/remesh.h"

#include "core/roots.h"

#include <stdlib.h>
#include <string.h>

/// Dual marching cubes. A cube corner has bit x | y << 1 | z << 2; an edge is axis * 4 + offsets along the two next axes.
typedef struct SheetTable {
    signed char loops[256];       // sheets in a cell of this case
    signed char loop_of[256][12]; // sheet that crosses the edge, -1: none
} SheetTable;

static int edge_corner(int edge, int end)
{
    int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (edge & 1) << u | ((edge >> 1) & 1) << v | end << axis;
}

static int edge_between(int a, int b)
{
    int lower = a < b ? a : b, axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
    return axis * 4 + ((lower >> (axis + 1) % 3) & 1) + 2 * ((lower >> (axis + 2) % 3) & 1);
}

/// On each face the crossed edges are paired around the inside corners: the rule sees only the face, so neighbours agree.
static void link_face(int inside, int face, int link[12][2], int *links)
{
    int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, base = (face & 1) << axis;
    int c[4] = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v}, crossed[4], count = 0;
    for (int i = 0; i < 4; i++) {
        crossed[i] = (inside >> c[i] & 1) != (inside >> c[(i + 1) & 3] & 1);
        count += crossed[i];
    }
    for (int i = 0; i < 4; i++) {
        int e = edge_between(c[i], c[(i + 1) & 3]), other = -1;
        if (!crossed[i])
            continue;
        if (count == 4) { // the corner shared with the partner is inside
            int step = inside >> c[i] & 1 ? 3 : 1;
            other = (i + step) & 3;
        } else {
            for (int j = 0; j < 4; j++)
                if (j != i && crossed[j])
                    other = j;
        }
        link[e][links[e]++] = edge_between(c[other], c[(other + 1) & 3]);
    }
}

static void build_table(SheetTable *table)
{
    for (int inside = 0; inside < 256; inside++) {
        int link[12][2], links[12] = {0};
        for (int face = 0; face < 6; face++)
            link_face(inside, face, link, links);
        memset(table->loop_of[inside], -1, 12);
        int loops = 0;
        for (int e = 0; e < 12; e++) {
            if (!links[e] || table->loop_of[inside][e] >= 0)
                continue;
            for (int at = e, from = -1; table->loop_of[inside][at] < 0;) {
                table->loop_of[inside][at] = (signed char)loops;
                int to = link[at][0] != from ? link[at][0] : link[at][1];
                from = at;
                at = to;
            }
            loops++;
        }
        table->loops[inside] = (signed char)loops;
    }
}

typedef struct Grid {
    const PeltiRemeshShape *shape;
    Vec3 low;
    float voxel;
    int n[3];
    float *value; // [n2 x n1 x n0]
    int blocks[3];
    bool *near; // [blocks] the surface may pass through it, or through the cells at its upper sides
} Grid;

enum { BLOCK = 8 };

static Vec3 sample_point(const Grid *grid, int i, int j, int k)
{
    return vec3_add(grid->low, vec3((float)i * grid->voxel, (float)j * grid->voxel, (float)k * grid->voxel));
}

static size_t sample_index(const Grid *grid, int i, int j, int k)
{
    return ((size_t)k * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[0] + (size_t)i;
}

/// Samples a cube of `edge` samples. One whose centre is farther from the surface than its corners, with slack for lofts being
/// steeper than distances, takes the centre's value; else its eight parts are looked at. True: the surface may pass.
static bool sample_cube(Grid *grid, int i0, int j0, int k0, int edge)
{
    if (i0 >= grid->n[0] || j0 >= grid->n[1] || k0 >= grid->n[2])
        return false;
    if (edge == 1) {
        grid->value[sample_index(grid, i0, j0, k0)] = grid->shape->distance(grid->shape->context, sample_point(grid, i0, j0, k0));
        return true;
    }
    Vec3 centre = vec3_add(sample_point(grid, i0, j0, k0), vec3_scale(vec3(1, 1, 1), grid->voxel * (float)(edge - 1) / 2));
    float middle = grid->shape->distance(grid->shape->context, centre);
    if (fabsf(middle) <= SAMPLE_SLACK * 0.87f * (float)edge * grid->voxel) {
        int half = edge / 2;
        for (int c = 0; c < 8; c++)
            sample_cube(grid, i0 + (c & 1) * half, j0 + (c >> 1 & 1) * half, k0 + (c >> 2) * half, half);
        return true;
    }
    for (int k = k0; k < k0 + edge && k < grid->n[2]; k++)
        for (int j = j0; j < j0 + edge && j < grid->n[1]; j++)
            for (int i = i0; i < i0 + edge && i < grid->n[0]; i++)
                grid->value[sample_index(grid, i, j, k)] = middle;
    return false;
}

static void sample_blocks(void *context, int begin, int end, int worker)
{
    (void)worker;
    Grid *grid = context;
    for (int b = begin; b < end; b++)
        grid->near[b] = sample_cube(grid, b % grid->blocks[0] * BLOCK, b / grid->blocks[0] % grid->blocks[1] * BLOCK,
                                    b / grid->blocks[0] / grid->blocks[1] * BLOCK, BLOCK);
}

typedef struct Extraction {
    Grid grid;
    SheetTable table;
    int *layer[2]; // first vertex of each cell of the lower and the upper layer of cells
    PeltiArray vertices, triangles;
} Extraction;

/// Cells and edges that start in a far block cross nothing: the surface is farther from its centre than twice its size.
static bool is_near(const Grid *grid, int i, int j, int k)
{
    return grid->near[(k / BLOCK * grid->blocks[1] + j / BLOCK) * grid->blocks[0] + i / BLOCK];
}

static int cell_case(const Grid *grid, int i, int j, int k)
{
    int inside = 0;
    for (int c = 0; c < 8; c++)
        inside |= (grid->value[sample_index(grid, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] < 0) << c;
    return inside;
}

static Vec3 crossing(const Grid *grid, int i, int j, int k, int edge)
{
    int a = edge_corner(edge, 0), b = edge_corner(edge, 1);
    int ia = i + (a & 1), ja = j + (a >> 1 & 1), ka = k + (a >> 2), ib = i + (b & 1), jb = j + (b >> 1 & 1), kb = k + (b >> 2);
    float va = grid->value[sample_index(grid, ia, ja, ka)], vb = grid->value[sample_index(grid, ib, jb, kb)];
    float t = fminf(fmaxf(va / (va - vb), CORNER_ROOM), 1 - CORNER_ROOM);
    return vec3_lerp(sample_point(grid, ia, ja, ka), sample_point(grid, ib, jb, kb), t);
}

/// A vertex for each sheet: the mean of its edge crossings.
static void make_layer(Extraction *e, int k, int *first)
{
    const Grid *grid = &e->grid;
    for (int j = 0; j < grid->n[1] - 1; j++)
        for (int i = 0; i < grid->n[0] - 1; i++) {
            if (!is_near(grid, i, j, k)) {
                i |= BLOCK - 1; // on to the next block
                continue;
            }
            int inside = cell_case(grid, i, j, k);
            first[j * grid->n[0] + i] = (int)e->vertices.count;
            for (int loop = 0; loop < e->table.loops[inside]; loop++) {
                Vec3 sum = {0, 0, 0};
                int count = 0;
                for (int edge = 0; edge < 12; edge++)
                    if (e->table.loop_of[inside][edge] == loop) {
                        sum = vec3_add(sum, crossing(grid, i, j, k, edge));
                        count++;
                    }
                sum = vec3_scale(sum, 1 / (float)count);
                pelti_array_push(&e->vertices, &sum);
            }
        }
}

/// The quad around the edge that starts at sample p along `axis`, wound to face from inside to outside.
static void make_quad(Extraction *e, const int p[3], int axis)
{
    const Grid *grid = &e->grid;
    int u = (axis + 1) % 3, v = (axis + 2) % 3, q[3] = {p[0], p[1], p[2]}, corner[4];
    q[axis]++;
    bool a = grid->value[sample_index(grid, p[0], p[1], p[2])] < 0, b = grid->value[sample_index(grid, q[0], q[1], q[2])] < 0;
    if (a == b)
        return;
    static const int du[4] = {1, 0, 0, 1}, dv[4] = {1, 1, 0, 0};
    for (int c = 0; c < 4; c++) {
        int cell[3] = {p[0], p[1], p[2]};
        cell[u] -= du[c];
        cell[v] -= dv[c];
        int inside = cell_case(grid, cell[0], cell[1], cell[2]);
        int loop = e->table.loop_of[inside][axis * 4 + du[c] + 2 * dv[c]];
        corner[c] = e->layer[cell[2] == p[2]][cell[1] * grid->n[0] + cell[0]] + loop;
    }
    if (b) {
        int swap = corner[1];
        corner[1] = corner[3];
        corner[3] = swap;
    }
    const Vec3 *x = (const Vec3 *)e->vertices.data;
    int shift = vec3_distance(x[corner[0]], x[corner[2]]) <= vec3_distance(x[corner[1]], x[corner[3]]) ? 0 : 1;
    for (int half = 0; half < 2; half++) {
        int t[3] = {corner[shift], corner[(shift + 1 + half) & 3], corner[(shift + 2 + half) & 3]};
        pelti_array_push(&e->triangles, t);
    }
}

static void make_triangles(Extraction *e)
{
    const Grid *grid = &e->grid;
    for (int k = 0; k < grid->n[2] - 1; k++) {
        int *swap = e->layer[0];
        e->layer[0] = e->layer[1];
        e->layer[1] = swap;
        make_layer(e, k, e->layer[1]);
        if (e->vertices.failed) // a quad would point past the end
            return;
        if (k == 0)
            continue;
        for (int j = 1; j < grid->n[1] - 1; j++)
            for (int i = 1; i < grid->n[0] - 1; i++) {
                if (!is_near(grid, i, j, k)) {
                    i |= BLOCK - 1;
                    continue;
                }
                for (int axis = 0; axis < 3; axis++)
                    make_quad(e, (int[3]){i, j, k}, axis);
            }
    }
}

/// Keeps the largest component, numbered anew.
static PeltStatus keep_largest(Extraction *e, PeltiPool *pool, PeltiRemeshSurface *out, PeltError *err)
{
    int vertices = (int)e->vertices.count, triangles = (int)e->triangles.count;
    const int(*tri)[3] = (const int(*)[3])(void *)e->triangles.data;
    int *root = PELTI_NEW(pool, int, vertices), *size = PELTI_NEW(pool, int, vertices), *number = PELTI_NEW(pool, int, vertices);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)vertices * sizeof *root);
    for (int v = 0; v < vertices; v++)
        root[v] = v;
    for (int t = 0; t < triangles; t++)
        for (int i = 0; i < 2; i++)
            pelti_roots_join(root, tri[t][i], tri[t][i + 1]);
    int best = 0, used = 0, kept = 0;
    for (int v = 0; v < vertices; v++) {
        int a = root[v] = pelti_root_of(root, v);
        size[a]++;
        best = size[a] > size[best] ? a : best;
    }
    for (int v = 0; v < vertices; v++)
        number[v] = root[v] == best ? used++ : -1;
    for (int t = 0; t < triangles; t++)
        kept += number[tri[t][0]] >= 0;
    PELT_TRY(pelti_remesh_reserve(out, used, kept, err));
    for (int v = 0; v < vertices; v++)
        if (number[v] >= 0)
            out->position[out->vertex_count++] = ((const Vec3 *)e->vertices.data)[v];
    for (int t = 0; t < triangles; t++)
        if (number[tri[t][0]] >= 0) {
            for (int i = 0; i < 3; i++)
                out->corner[3 * out->triangle_count + i] = number[tri[t][i]];
            out->triangle_count++;
        }
    return PELT_OK;
}

static PeltStatus extract(Extraction *e, PeltiPool *pool, PeltiJobs *jobs, PeltiRemeshSurface *out, PeltError *err)
{
    Grid *grid = &e->grid;
    size_t samples = sample_index(grid, 0, 0, grid->n[2]), layer = (size_t)grid->n[0] * (size_t)grid->n[1];
    grid->value = PELTI_NEW(pool, float, samples);
    e->layer[0] = PELTI_NEW(pool, int, layer);
    e->layer[1] = PELTI_NEW(pool, int, layer);
    for (int a = 0; a < 3; a++)
        grid->blocks[a] = (grid->n[a] + BLOCK - 1) / BLOCK;
    grid->near = PELTI_NEW(pool, bool, grid->blocks[0] * grid->blocks[1] * grid->blocks[2]);
    if (pool->failed)
        return pelti_no_memory(err, samples * sizeof(float));
    pelti_parallel_for(jobs, grid->blocks[0] * grid->blocks[1] * grid->blocks[2], 16, sample_blocks, grid);
    build_table(&e->table);
    make_triangles(e);
    if (e->vertices.failed || e->triangles.failed)
        return pelti_no_memory(err, e->triangles.count * e->triangles.size);
    PELT_TRY(keep_largest(e, pool, out, err));
    PELT_TRY(pelti_remesh_connect(out, err));
    int euler = out->vertex_count - out->triangle_count / 2;
    if (euler != 2)
        return PELT_FAIL(err, PELT_FAILED, "the extracted surface has Euler characteristic %d, not 2", euler);
    return PELT_OK;
}

PeltStatus pelti_remesh_extract(const PeltiRemeshShape *shape, float voxel, PeltiJobs *jobs, const PeltAllocator *allocator,
                                PeltiRemeshSurface *out, PeltError *err)
{
    Extraction *e = pelti_alloc(allocator, sizeof *e);
    if (!e)
        return pelti_no_memory(err, sizeof *e);
    memset(e, 0, sizeof *e);
    Vec3 low = shape->low, high = shape->high;
    e->grid = (Grid){.shape = shape, .low = low, .voxel = voxel};
    e->grid.n[0] = (int)((high.x - low.x) / voxel) + 2;
    e->grid.n[1] = (int)((high.y - low.y) / voxel) + 2;
    e->grid.n[2] = (int)((high.z - low.z) / voxel) + 2;
    pelti_array_init(&e->vertices, allocator, sizeof(Vec3));
    pelti_array_init(&e->triangles, allocator, sizeof(int[3]));
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    *out = (PeltiRemeshSurface){.allocator = pool.allocator};
    PeltStatus status = extract(e, &pool, jobs, out, err);
    pelti_pool_release(&pool);
    pelti_array_release(&e->vertices);
    pelti_array_release(&e->triangles);
    pelti_free(allocator, e, sizeof *e);
    if (status != PELT_OK)
        pelti_remesh_release(out);
    return status;
}
