/// Takes the boundary of the body's cells as a closed manifold.
///
/// Each side of an inside cell that is not open is a square. Round each of a square's edges one walks through open sides to
/// the next closed one: that square is the neighbour there, so every edge has exactly two squares; corners that follow each
/// other round a point are one vertex. So the result is a manifold whatever the cells do: cells that meet in an edge or a
/// point only get vertices of their own.
#include "body/complex.h"

#include "core/roots.h"

#include <stdlib.h>
#include <string.h>

typedef struct Square {
    size_t cell;
    int direction;
} Square;

typedef struct Complex {
    PeltiCells *cells;
    Square *squares;
    int square_count;
    int *square_of; // [cells x 6] -1: none
    int *twin;      // [squares x 4] edge 4 square + side
    int *vertex;    // [squares x 4] of a corner
    int *middle;    // [squares x 4] vertex in the middle of the edge, -1: none
    int vertex_count;
    PeltiPool pool;
} Complex;

/// In-plane directions of a square, so that they turn left seen from outside: corner k lies between side k - 1 and side k.
static void sides_of(int direction, int sides[4])
{
    int axis = direction / 2, u = 2 * ((axis + 1) % 3) + 1, v = 2 * ((axis + 2) % 3) + 1;
    int order[4] = {v ^ 1, u, v, u ^ 1}; // below, right, above, left: for the upper square, x = u, y = v
    for (int k = 0; k < 4; k++)
        sides[k] = direction & 1 ? order[k] : order[3 - k];
}

static int side_towards(int direction, int wanted)
{
    int sides[4];
    sides_of(direction, sides);
    for (int k = 0; k < 4; k++)
        if (sides[k] == wanted)
            return k;
    return -1;
}

/// The square on the other side of an edge: see the top of this file.
static int walk_round(const Complex *x, const Square *from, int towards)
{
    const PeltiCells *c = x->cells;
    size_t cell = from->cell;
    int facing = from->direction, ahead = towards;
    for (int turn = 0; turn < 4; turn++) {
        if (!pelti_cells_open(c, cell, ahead))
            return 4 * x->square_of[cell * 6 + (size_t)ahead] + side_towards(ahead, facing);
        cell += (size_t)pelti_cell_step(c, ahead);
        int next = facing;
        facing = ahead ^ 1;
        ahead = next;
    }
    return -1; // never: the first square closes the round
}

static PeltStatus find_squares(Complex *x, PeltError *err)
{
    PeltiCells *c = x->cells;
    size_t count = pelti_cell_count(c);
    for (int pass = 0; pass < 2; pass++) {
        x->square_count = 0;
        for (size_t i = 0; i < count; i++)
            for (int d = 0; d < 6 && c->state[i]; d++) {
                if (pelti_cells_open(c, i, d))
                    continue;
                if (pass) {
                    x->squares[x->square_count] = (Square){i, d};
                    x->square_of[i * 6 + (size_t)d] = x->square_count;
                }
                x->square_count++;
            }
        if (pass)
            break;
        size_t corners = (size_t)x->square_count * 4;
        x->squares = PELTI_NEW(&x->pool, Square, x->square_count);
        x->square_of = PELTI_NEW(&x->pool, int, count * 6);
        x->twin = PELTI_NEW(&x->pool, int, corners);
        x->vertex = PELTI_NEW(&x->pool, int, corners);
        x->middle = PELTI_NEW(&x->pool, int, corners);
        if (x->pool.failed)
            return pelti_no_memory(err, count * 24);
    }
    return PELT_OK;
}

static int after(int edge)
{
    return edge % 4 == 3 ? edge - 3 : edge + 1;
}

/// Edge k of a square goes from its corner k to corner k + 1; the twin goes the other way.
static PeltStatus find_vertices(Complex *x, PeltError *err)
{
    int sides[4], corners = 4 * x->square_count, *root = PELTI_NEW(&x->pool, int, corners);
    if (!root)
        return pelti_no_memory(err, (size_t)corners * sizeof *root);
    for (int i = 0; i < corners; i++)
        root[i] = i;
    for (int s = 0; s < x->square_count; s++) {
        sides_of(x->squares[s].direction, sides);
        for (int k = 0; k < 4; k++)
            x->twin[4 * s + k] = walk_round(x, &x->squares[s], sides[k]);
    }
    for (int i = 0; i < corners; i++) {
        pelti_roots_join(root, i, after(x->twin[i]));
        pelti_roots_join(root, after(i), x->twin[i]);
    }
    x->vertex_count = 0;
    for (int i = 0; i < corners; i++) {
        int first = pelti_root_of(root, i); // the lowest of its corners: it has its vertex already
        x->vertex[i] = first == i ? x->vertex_count++ : x->vertex[first];
        x->middle[i] = -1;
    }
    return PELT_OK;
}

typedef struct Doubled {
    int low, high, edge;
} Doubled;

static int compare_doubled(const void *a, const void *b)
{
    const Doubled *x = a, *y = b;
    return x->low != y->low     ? (x->low > y->low) - (x->low < y->low)
           : x->high != y->high ? (x->high > y->high) - (x->high < y->high)
                                : (x->edge > y->edge) - (x->edge < y->edge);
}

/// Two edges between the same two vertices: triangles could not tell them apart, so they get a vertex in their middle.
static PeltStatus part_doubled_edges(Complex *x, PeltError *err)
{
    int corners = 4 * x->square_count, count = 0;
    Doubled *edges = PELTI_NEW(&x->pool, Doubled, corners / 2 + 1);
    if (!edges)
        return pelti_no_memory(err, (size_t)corners * sizeof *edges);
    for (int i = 0; i < corners; i++) {
        int a = x->vertex[i], b = x->vertex[after(i)];
        if (i < x->twin[i])
            edges[count++] = (Doubled){a < b ? a : b, a < b ? b : a, i};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_doubled);
    for (int i = 0; i < count; i++) {
        bool before = i > 0 && edges[i - 1].low == edges[i].low && edges[i - 1].high == edges[i].high;
        bool behind = i + 1 < count && edges[i + 1].low == edges[i].low && edges[i + 1].high == edges[i].high;
        if (before || behind)
            x->middle[edges[i].edge] = x->middle[x->twin[edges[i].edge]] = x->vertex_count++;
    }
    return PELT_OK;
}

/// Corner k of a square, half a cell from the centre along its two sides and its own direction.
static Vec3 corner_place(const Complex *x, int corner)
{
    const PeltiCells *c = x->cells;
    const Square *s = &x->squares[corner / 4];
    int sides[4], k = corner % 4;
    sides_of(s->direction, sides);
    int toward[3] = {s->direction, sides[(k + 3) % 4], sides[k]};
    Vec3 at = pelti_cell_centre(c, s->cell);
    for (int i = 0; i < 3; i++)
        (&at.x)[toward[i] / 2] += toward[i] & 1 ? 0.5f * c->edge : -0.5f * c->edge;
    return at;
}

static bool is_wall(const Complex *x, int square)
{
    const Square *s = &x->squares[square];
    return x->cells->state[s->cell + (size_t)pelti_cell_step(x->cells, s->direction)] != PELTI_CELL_OUT;
}

/// A fan round the middle of each square.
static PeltStatus make_triangles(Complex *x, PeltiRemeshSurface *out, PeltError *err)
{
    int corners = 4 * x->square_count;
    PELT_TRY(pelti_remesh_reserve(out, x->vertex_count + x->square_count, 2 * corners, err));
    out->vertex_count = x->vertex_count + x->square_count;
    for (int v = 0; v < out->vertex_count; v++)
        out->size[v] = 1;
    for (int s = 0; s < x->square_count; s++) {
        int centre = x->vertex_count + s, ring[8], count = 0;
        Vec3 sum = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            int i = 4 * s + k;
            Vec3 at = corner_place(x, i);
            sum = vec3_mad(sum, at, 0.25f);
            out->position[x->vertex[i]] = at;
            ring[count++] = x->vertex[i];
            if (x->middle[i] >= 0) {
                out->position[x->middle[i]] = vec3_lerp(at, corner_place(x, 4 * s + (k + 1) % 4), 0.5f);
                ring[count++] = x->middle[i];
            }
        }
        out->position[centre] = sum;
        for (int k = 0; k < count; k++)
            memcpy(&out->corner[3 * out->triangle_count++], (int[3]){centre, ring[k], ring[(k + 1) % count]}, 3 * sizeof(int));
        for (int k = 0; is_wall(x, s) && k < count; k++)
            out->size[ring[k]] = out->size[centre] = 0;
    }
    return pelti_remesh_connect(out, err);
}

/// Cells that hang together; what is smaller than a share of all is dropped.
static PeltStatus drop_crumbs(Complex *x, float least, PeltError *err)
{
    PeltiCells *c = x->cells;
    size_t count = pelti_cell_count(c), inside = 0;
    size_t *queue = PELTI_NEW(&x->pool, size_t, count);
    uint8_t *seen = PELTI_NEW(&x->pool, uint8_t, count);
    if (x->pool.failed)
        return pelti_no_memory(err, count * 9);
    for (size_t i = 0; i < count; i++)
        inside += c->state[i] != PELTI_CELL_OUT;
    for (size_t i = 0; i < count; i++) {
        if (!c->state[i] || seen[i])
            continue;
        size_t head = 0, tail = 0;
        queue[tail++] = i;
        seen[i] = 1;
        while (head < tail) {
            size_t at = queue[head++];
            for (int d = 0; d < 6; d++) {
                size_t next = at + (size_t)pelti_cell_step(c, d);
                if (pelti_cells_open(c, at, d) && !seen[next]) {
                    seen[next] = 1;
                    queue[tail++] = next;
                }
            }
        }
        for (head = 0; (float)tail < least * (float)inside && head < tail; head++)
            c->state[queue[head]] = PELTI_CELL_OUT;
    }
    return PELT_OK;
}

PeltStatus pelti_cells_surface(PeltiCells *cells, float least, const PeltAllocator *allocator, PeltiRemeshSurface *out,
                               PeltError *err)
{
    Complex x = {.cells = cells};
    pelti_pool_init(&x.pool, allocator);
    *out = (PeltiRemeshSurface){.allocator = x.pool.allocator};
    PeltStatus status = drop_crumbs(&x, least, err);
    if (status == PELT_OK)
        status = find_squares(&x, err);
    if (status == PELT_OK && x.square_count > 0)
        status = find_vertices(&x, err);
    if (status == PELT_OK && x.square_count > 0)
        status = part_doubled_edges(&x, err);
    if (status == PELT_OK)
        status = make_triangles(&x, out, err);
    if (status == PELT_OK)
        status = pelti_remesh_keep(out, least, err); // hollows inside are no skin
    pelti_pool_release(&x.pool);
    if (status != PELT_OK)
        pelti_remesh_release(out);
    return status;
}
