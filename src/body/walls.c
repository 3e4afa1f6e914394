/// Walls between cells: nothing may grow together that moves apart.
#include "body/cells_parts.h"

#include "body/constants.def"
#include "character/skeleton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Walls {
    const PeltiCharacter *who;
    const PeltiPieces *pieces;
    const PeltiPieceSoup *soup;
    PeltiCells *cells;
    bool *related;                    // [bones x bones] the same, or neighbours on the skeleton or on one skin
    int *edge_start, *edge_triangles; // soup triangles at each edge of the mesh
    int *seen, stamp, *queue;         // [soup triangles] of the search for a patch
    PeltiArray crossings;             // of Crossing
    uint8_t *crossed;                 // [cells] bit an axis: skin lies between the cell and the next along it
} Walls;

// ---- bones whose skin hangs together ----

/// Nearest ancestor that owns skin: bones that move nothing (controls, roots) do not part their children.
static int owning_parent(const PeltiCharacter *who, const bool *owns, int bone)
{
    int parent = who->bones[bone].parent;
    for (int guard = 0; parent >= 0 && !owns[parent] && guard < who->bone_count; guard++)
        parent = who->bones[parent].parent;
    return parent;
}

static void relate(Walls *w, int a, int b)
{
    w->related[(size_t)a * (size_t)w->who->bone_count + (size_t)b] = true;
    w->related[(size_t)b * (size_t)w->who->bone_count + (size_t)a] = true;
}

static void relate_bones(Walls *w, bool *owns)
{
    const PeltiMesh *mesh = w->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        owns[w->pieces->label[v]] = true;
    for (int b = 0; b < w->who->bone_count; b++) {
        int parent = owning_parent(w->who, owns, b);
        relate(w, b, b);
        if (parent >= 0)
            relate(w, b, parent);
    }
    for (int e = 0; e < mesh->edge_count; e++)
        relate(w, w->pieces->label[mesh->edges[e][0]], w->pieces->label[mesh->edges[e][1]]);
}

static bool are_related(const Walls *w, int a, int b)
{
    return a < 0 || b < 0 || w->related[(size_t)a * (size_t)w->who->bone_count + (size_t)b];
}

// ---- labels: from the skin inwards ----

/// Whether a cell belongs to the skin it is nearest to. Where parts lie in each other the nearest skin may be another's that the
/// cell is outside of, and what lies in two is neither's: such cells take the label of those around them, from either side.
static bool knows_its_skin(const Walls *w, size_t cell)
{
    const PeltiCells *c = w->cells;
    if (c->state[cell] != PELTI_CELL_SOLID)
        return true;
    const int *t = w->soup->triangles[c->near[cell]];
    Vec3 a = w->soup->points[t[0]];
    Vec3 normal = vec3_cross(vec3_sub(w->soup->points[t[1]], a), vec3_sub(w->soup->points[t[2]], a));
    return c->winding[cell] < WALLS_OVERLAP && vec3_dot(vec3_sub(pelti_cell_centre(c, cell), a), normal) <= 0;
}

/// Labels go on to neighbours that have none, `across` skin or not.
static void spread_labels(Walls *w, size_t *queue, bool across)
{
    PeltiCells *c = w->cells;
    size_t count = pelti_cell_count(c), head = 0, tail = 0;
    for (size_t i = 0; i < count; i++)
        if (c->label[i] >= 0)
            queue[tail++] = i;
    while (head < tail) {
        size_t i = queue[head++];
        for (int d = 0; d < 6; d++) {
            size_t j = i + (size_t)pelti_cell_step(c, d);
            bool skin = w->crossed[d & 1 ? i : j] >> (d / 2) & 1;
            if (c->state[j] && c->label[j] < 0 && (across || !skin)) {
                c->label[j] = c->label[i];
                queue[tail++] = j;
            }
        }
    }
}

static void label_cells(Walls *w, size_t *queue)
{
    PeltiCells *c = w->cells;
    size_t count = pelti_cell_count(c);
    for (size_t i = 0; i < count; i++) {
        bool known = c->state[i] && c->near[i] >= 0 && knows_its_skin(w, i);
        c->label[i] = known ? w->pieces->label[w->soup->triangles[c->near[i]][0]] : -1;
    }
    spread_labels(w, queue, false); // each part up to its own skin, and only then what lies in two of them, from either side
    spread_labels(w, queue, true);
}

// ---- where lines between cell centres cross the skin ----

typedef struct Crossing {
    size_t cell; // the lower one
    int axis, sign;
    float at; // along the axis
} Crossing;

static int compare_crossings(const void *a, const void *b)
{
    const Crossing *x = a, *y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->axis != y->axis)
        return x->axis - y->axis;
    return (x->at > y->at) - (x->at < y->at);
}

static double side(const double a[2], const double b[2], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/// One triangle and all lines along one axis. `sign` +1: the line enters.
static bool cross_triangle(Walls *w, const int *t, int axis)
{
    PeltiCells *c = w->cells;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double p[3][2], z[3], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const float *base = &c->low.x;
    double edge = (double)c->edge;
    for (int k = 0; k < 3; k++) {
        const float *x = &w->soup->points[t[k]].x;
        p[k][0] = ((double)x[u] - (double)base[u]) / edge;
        p[k][1] = ((double)x[v] - (double)base[v]) / edge;
        z[k] = ((double)x[axis] - (double)base[axis]) / edge;
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], p[k][i]);
            high[i] = fmax(high[i], p[k][i]);
        }
    }
    double area = side(p[0], p[1], p[2][0], p[2][1]);
    if (area == 0)
        return true;
    for (int j = (int)ceil(low[1]); j <= (int)floor(high[1]); j++)
        for (int i = (int)ceil(low[0]); i <= (int)floor(high[0]); i++) {
            double s0 = side(p[1], p[2], i, j) / area, s1 = side(p[2], p[0], i, j) / area, s2 = 1 - s0 - s1;
            if (s0 < 0 || s1 < 0 || s2 < 0)
                continue;
            double at = s0 * z[0] + s1 * z[1] + s2 * z[2];
            int k = (int)floor(at), index[3];
            index[axis] = k, index[u] = i, index[v] = j;
            if (k < 0 || k >= c->n[axis] - 1)
                continue;
            size_t cell = ((size_t)index[2] * (size_t)c->n[1] + (size_t)index[1]) * (size_t)c->n[0] + (size_t)index[0];
            Crossing crossing = {cell, axis, area > 0 ? -1 : 1, (float)at};
            if (!pelti_array_push(&w->crossings, &crossing))
                return false;
        }
    return true;
}

/// Least winding number on the way from one centre to the next, from either end: both must say that it leaves the solid.
static bool leaves_the_solid(const Walls *w, const Crossing *first, int count, float from, float to)
{
    (void)w;
    float up = from, down = to, least_up = from, least_down = to;
    for (int i = 0; i < count; i++) {
        up += (float)first[i].sign;
        least_up = fminf(least_up, up);
        down -= (float)first[count - 1 - i].sign;
        least_down = fminf(least_down, down);
    }
    return least_up < 0.5f && least_down < 0.5f;
}

static void close_wall(PeltiCells *c, size_t cell, int axis)
{
    c->walls[cell] |= (uint8_t)(1 << (2 * axis + 1));
    c->walls[cell + (size_t)pelti_cell_step(c, 2 * axis + 1)] |= (uint8_t)(1 << (2 * axis));
}

static void close_gaps(Walls *w)
{
    PeltiCells *c = w->cells;
    const Crossing *all = (const Crossing *)(void *)w->crossings.data;
    for (size_t i = 0, next; i < w->crossings.count; i = next) {
        size_t a = all[i].cell, b = a + (size_t)pelti_cell_step(c, 2 * all[i].axis + 1);
        for (next = i + 1; next < w->crossings.count && all[next].cell == a && all[next].axis == all[i].axis; next++)
            continue;
        if (c->state[a] == PELTI_CELL_SOLID && c->state[b] == PELTI_CELL_SOLID &&
            (leaves_the_solid(w, &all[i], (int)(next - i), c->winding[a], c->winding[b]) ||
             !are_related(w, c->label[a], c->label[b]))) // skin of two that touch, or lie in each other by less than a cell
            close_wall(c, a, all[i].axis);
    }
}

// ---- one patch of skin? ----

static PeltStatus list_edge_triangles(Walls *w, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = w->who->mesh;
    w->edge_start = PELTI_NEW(pool, int, mesh->edge_count + 2);
    w->edge_triangles = PELTI_NEW(pool, int, (size_t)3 * (size_t)w->soup->triangle_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->edge_count * 4);
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < w->soup->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                int e = mesh->triangle_edges[w->soup->source[t]][k];
                if (pass == 0)
                    w->edge_start[e + 2]++;
                else
                    w->edge_triangles[w->edge_start[e + 1]++] = t;
            }
        for (int e = 0; pass == 0 && e < mesh->edge_count; e++)
            w->edge_start[e + 2] += w->edge_start[e + 1];
    }
    return PELT_OK;
}

/// Whether a way along the skin from triangle a to triangle b stays within `radius` of `middle`.
static bool same_patch(Walls *w, int a, int b, Vec3 middle, float radius)
{
    const PeltiMesh *mesh = w->who->mesh;
    int head = 0, tail = 0;
    if (a == b)
        return true;
    w->queue[tail++] = a;
    w->seen[a] = ++w->stamp;
    while (head < tail) {
        int t = w->queue[head++];
        for (int k = 0; k < 3; k++) {
            int e = mesh->triangle_edges[w->soup->source[t]][k];
            const int *ends = mesh->edges[e];
            if (pelti_skeleton_segment_distance2(middle, mesh->rest[ends[0]], mesh->rest[ends[1]], NULL) > radius * radius)
                continue;
            for (int i = w->edge_start[e]; i < w->edge_start[e + 1]; i++) {
                int next = w->edge_triangles[i];
                if (next == b)
                    return true;
                if (w->seen[next] != w->stamp) {
                    w->seen[next] = w->stamp;
                    w->queue[tail++] = next;
                }
            }
        }
    }
    return false;
}

static bool may_join(Walls *w, size_t a, size_t b)
{
    PeltiCells *c = w->cells;
    const int *component = w->who->mesh->component;
    bool solid = c->state[a] == PELTI_CELL_SOLID && c->state[b] == PELTI_CELL_SOLID;
    if (solid)
        return fmaxf(c->winding[a], c->winding[b]) < WALLS_OVERLAP || are_related(w, c->label[a], c->label[b]);
    int ta = c->near[a], tb = c->near[b];
    if (ta < 0 || tb < 0)
        return true;
    int va = w->soup->triangles[ta][0], vb = w->soup->triangles[tb][0];
    bool own = c->label[a] == w->pieces->label[va] && c->label[b] == w->pieces->label[vb]; // else the skin is not a cell's own
    if (!own || component[va] != component[vb])
        return are_related(w, c->label[a], c->label[b]);
    Vec3 middle = vec3_lerp(pelti_cell_centre(c, a), pelti_cell_centre(c, b), 0.5f);
    return same_patch(w, ta, tb, middle, WALLS_PATCH * c->edge);
}

static void close_between(Walls *w)
{
    PeltiCells *c = w->cells;
    size_t count = pelti_cell_count(c);
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; c->state[i] && axis < 3; axis++) {
            size_t j = i + (size_t)pelti_cell_step(c, 2 * axis + 1);
            if (pelti_cells_open(c, i, 2 * axis + 1) && !may_join(w, i, j))
                close_wall(c, i, axis);
        }
}

static PeltStatus find_walls(Walls *w, PeltiPool *pool, PeltError *err)
{
    size_t bones = (size_t)w->who->bone_count;
    w->related = PELTI_NEW(pool, bool, bones *bones);
    bool *owns = PELTI_NEW(pool, bool, bones);
    size_t *queue = PELTI_NEW(pool, size_t, pelti_cell_count(w->cells));
    w->crossed = PELTI_NEW(pool, uint8_t, pelti_cell_count(w->cells));
    w->seen = PELTI_NEW(pool, int, w->soup->triangle_count);
    w->queue = PELTI_NEW(pool, int, w->soup->triangle_count);
    if (pool->failed)
        return pelti_no_memory(err, pelti_cell_count(w->cells) * sizeof *queue);
    relate_bones(w, owns);
    for (int t = 0; t < w->soup->triangle_count; t++)
        for (int axis = 0; axis < 3; axis++)
            if (!cross_triangle(w, w->soup->triangles[t], axis))
                return pelti_no_memory(err, w->crossings.count * sizeof(Crossing));
    if (w->crossings.count)
        qsort(w->crossings.data, w->crossings.count, sizeof(Crossing), compare_crossings);
    for (size_t i = 0; i < w->crossings.count; i++) {
        const Crossing *crossing = (const Crossing *)(void *)w->crossings.data + i;
        w->crossed[crossing->cell] |= (uint8_t)(1 << crossing->axis);
    }
    label_cells(w, queue);
    close_gaps(w);
    PELT_TRY(list_edge_triangles(w, pool, err));
    close_between(w);
    return PELT_OK;
}

PeltStatus pelti_cells_wall(const PeltiCellsDef *def, const PeltAllocator *allocator, PeltiCells *cells, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, allocator);
    Walls w = {.who = def->who, .pieces = def->pieces, .soup = def->soup, .cells = cells};
    pelti_array_init(&w.crossings, &pool.allocator, sizeof(Crossing));
    PeltStatus status = find_walls(&w, &pool, err);
    pelti_array_release(&w.crossings);
    pelti_pool_release(&pool);
    return status;
}
