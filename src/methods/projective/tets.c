/// Prisms between skin and base triangles, three tetrahedra each, and their stiffness [Komaritzan2018] sec. 3.3 and 4.1.
///
/// With shape function gradients g_k of a tet, F = sum_k x_k g_k^T and its energy w V |F - R|^2 / 2 has the gradient
/// w V (sum_j (g_i . g_j) x_j - R g_i) at corner i. The three tets of a prism share R (sec. 6), so both F of the prism
/// (the volume-weighted sum of its tets' F) and the right-hand side need only G_k = sum over tets of V g_k: three vectors
/// for the skin corners, three for the base.
#include "geometry/triangles.h"
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include <stdlib.h>
#include <string.h>

typedef struct TissueBuild {
    const ProjTissueDef *def;
    const PeltiMesh *mesh;
    ProjTissue *out;
    double *diagonal;       // [vertex]
    double *edge;           // [edge] between skin vertices
    double *base_own;       // [vertex] skin to own base
    double (*base_edge)[2]; // [edge] skin low to base high, skin high to base low
    double *pin;            // [vertex]
    double length;          // mean edge
    int *face_order;
    int range; // of the last element
} TissueBuild;

/// Six times the signed volume of a tet, and shape gradients times that.
static double raw_gradients(const Vec3 p[4], double g[4][3])
{
    double d[3][3];
    for (int k = 0; k < 3; k++) {
        d[k][0] = (double)p[k + 1].x - (double)p[0].x;
        d[k][1] = (double)p[k + 1].y - (double)p[0].y;
        d[k][2] = (double)p[k + 1].z - (double)p[0].z;
    }
    for (int k = 0; k < 3; k++) {
        const double *a = d[(k + 1) % 3], *b = d[(k + 2) % 3];
        for (int i = 0; i < 3; i++)
            g[k + 1][i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++)
        g[0][i] = -(g[1][i] + g[2][i] + g[3][i]);
    return d[0][0] * g[1][0] + d[0][1] * g[1][1] + d[0][2] * g[1][2];
}

/// |g| is twice the opposite area; height = det / that.
static double flatness(double det, double g[4][3], const bool is_free[4])
{
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        double area = sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]) / 2;
        if (is_free[k])
            least = fmin(least, area > 0 ? fabs(det) / 2 / (area * sqrt(area)) : 0);
    }
    return det < 0 ? -least : least;
}

double pelti_proj_flatness(const Vec3 p[4], const bool is_free[4])
{
    double g[4][3], det = raw_gradients(p, g);
    return flatness(det, g, is_free);
}

/// Shape gradients of a tet, signed volume. False: too flat for any of its free corners.
static bool shape_gradients(Vec3 p[4], const bool *is_free, double g[4][3], double *volume)
{
    double det = raw_gradients(p, g);
    *volume = det / 6;
    if (!(fabs(flatness(det, g, is_free)) > TET_FLATTEST) || !(fabs(det) > 1e-300))
        return false;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            g[k][i] /= det;
    return true;
}

static void keep_gradients(const Vec3 p[4], double g[4][3])
{
    (void)p;
    (void)g;
}

static double product(double g[4][3], int i, int j)
{
    return g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
}

static double by_volume(double volume, double edge)
{
    (void)edge;
    return volume;
}

static float whole(const ProjTet *tet)
{
    (void)tet;
    return 1;
}

const ProjStrain pelti_proj_gradients = {keep_gradients, product, by_volume, whole};

static int lowest_place(const int *place, const int t[3])
{
    int low = place[t[0]] < place[t[1]] ? place[t[0]] : place[t[1]];
    return low < place[t[2]] ? low : place[t[2]];
}

static void add_stiffness(TissueBuild *b, const int corner[4], double g[4][3], double weight)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            if (corner[i] < 0)
                continue;
            int v = corner[i], other = corner[j] < 0 ? ~corner[j] : corner[j];
            double value = weight * b->def->strain->coupling(g, i, j);
            if (corner[j] >= 0 && v == other) {
                b->diagonal[v] += value;
            } else if (corner[j] >= 0) {
                if (v < other)
                    b->edge[pelti_mesh_edge(b->mesh, v, other)] += value;
            } else if (v == other) {
                b->base_own[v] += value;
            } else {
                b->base_edge[pelti_mesh_edge(b->mesh, v, other)][v > other] += value;
            }
        }
}

/// Adds the tet to the vectors of the last element. `corner` are vertices, ~vertex for base points.
static void add_tet(TissueBuild *b, const int corner[4], const int triangle[3], double g[4][3], double weight, double mass)
{
    ProjTissue *t = b->out;
    int element = t->element_count - 1;
    ProjBlock *block = &t->blocks[element / PROJ_LANES];
    int lane = element % PROJ_LANES;
    ProjTet *tet = &t->tets[t->tet_count++];
    *tet = (ProjTet){.element = element, .volume = (float)weight};
    for (int k = 0; k < 4; k++) {
        int vertex = corner[k] < 0 ? ~corner[k] : corner[k], c = vertex == triangle[0] ? 0 : vertex == triangle[1] ? 1 : 2;
        float(*to)[PROJ_LANES] = corner[k] < 0 ? block->base[c] : block->pull[c];
        for (int i = 0; i < 3; i++) {
            to[i][lane] += (float)(weight * g[k][i]);
            tet->grad[k][i] = (float)g[k][i];
        }
        tet->corner[k] = corner[k] < 0 ? ~b->def->place[vertex] : b->def->place[vertex];
        if (corner[k] >= 0)
            t->mass[b->def->place[vertex]] += (float)(mass / 4);
    }
    add_stiffness(b, corner, g, weight);
}

static bool comes_later(const ProjFoot *feet, int a, int b)
{
    return feet[a].push_order != feet[b].push_order ? feet[a].push_order > feet[b].push_order : a > b;
}

static void sort_three(const ProjFoot *feet, int v[3], int *parity)
{
    *parity = 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (comes_later(feet, v[j], v[j + 1])) {
                int swap = v[j];
                v[j] = v[j + 1];
                v[j + 1] = swap;
                *parity = -*parity;
            }
}

/// Blocks are of one range of unknowns each, which a range's threads need no other's for. Faces come by their first unknown, so
/// ranges follow each other.
static int range_of(const TissueBuild *b, const int triangle[3])
{
    int range = 0, low = lowest_place(b->def->place, triangle);
    while (low >= b->def->range_first[range + 1])
        range++;
    return range;
}

static void begin_element(TissueBuild *b, const int triangle[3])
{
    ProjTissue *t = b->out;
    int range = range_of(b, triangle), unused = (PROJ_LANES - t->element_count % PROJ_LANES) % PROJ_LANES;
    for (; b->range < range; unused = 0) {
        t->element_count += unused;
        t->block_first[++b->range] = t->element_count / PROJ_LANES;
    }
    int element = t->element_count++, lane = element % PROJ_LANES;
    for (int c = 0; c < 3; c++)
        for (int k = lane; k < PROJ_LANES; k++) // the lanes after it as well: they may stay unused
            t->blocks[element / PROJ_LANES].corner[c][k] = b->def->place[triangle[c]];
}

static void add_spring(TissueBuild *b, const int corner[4], const int triangle[3])
{
    const Vec3 *x = b->mesh->rest;
    Vec3 normal = pelti_triangle_normal(x, triangle);
    double area = 0.5 * (double)vec3_length(normal);
    for (int k = 0; k < 4; k++)
        if (corner[k] >= 0) {
            double thick = (double)vec3_distance(x[corner[k]], b->def->feet[corner[k]].base);
            b->pin[corner[k]] += area / 6 / fmax(thick, PIN_THIN * sqrt(area) + 1e-30);
        }
}

/// Tissue that hangs far from its bone (a finger without joints of its own) would swing like a rope: it is made firmer with the
/// square of its thickness, which keeps the frequency at which it swings from falling below that of tissue of FIRM_THICK.
static double firmness_of(const TissueBuild *b, const int v[3])
{
    double thick = 0;
    for (int k = 0; k < 3; k++)
        thick += (double)vec3_distance(b->mesh->rest[v[k]], b->def->feet[v[k]].base) / 3;
    thick /= FIRM_THICK * (double)b->mesh->diagonal;
    return 1 + thick * thick;
}

typedef struct Prism {
    int corners[3][4]; // of each tetrahedron: a vertex, or ~vertex for its base point
    int first;         // tetrahedron that there is: the others would be below skin without tissue
    int parity;
} Prism;

/// Side diagonals run from the base of the earlier vertex to the skin of the later, so neighbours split a shared side alike.
static Prism prism_of(const ProjFoot *feet, const int triangle[3])
{
    Prism prism;
    int v[3] = {triangle[0], triangle[1], triangle[2]};
    sort_three(feet, v, &prism.parity);
    const int corners[3][4] = {{~v[0], ~v[1], ~v[2], v[2]}, {~v[0], ~v[1], v[2], v[1]}, {~v[0], v[0], v[1], v[2]}};
    memcpy(prism.corners, corners, sizeof corners);
    prism.first = 0;
    while (prism.first < 3 && feet[v[2 - prism.first]].push_order == PROJ_STAYS)
        prism.first++;
    return prism;
}

enum { TET_GOOD, TET_FLAT, TET_INVERTED };

typedef struct RestTet { // of a tetrahedron at rest
    Vec3 p[4];
    double g[4][3], volume;
} RestTet;

static void corners_of(const PeltiMesh *mesh, const ProjFoot *feet, const int corner[4], Vec3 p[4], bool is_free[4])
{
    for (int k = 0; k < 4; k++) {
        is_free[k] = corner[k] >= 0;
        p[k] = is_free[k] ? mesh->rest[corner[k]] : feet[~corner[k]].base;
    }
}

static int judge_tet(const PeltiMesh *mesh, const ProjFoot *feet, const Prism *prism, int t, RestTet *out)
{
    bool is_free[4];
    corners_of(mesh, feet, prism->corners[t], out->p, is_free);
    bool good = shape_gradients(out->p, is_free, out->g, &out->volume);
    out->volume *= prism->parity;
    return !good ? TET_FLAT : out->volume < 0 ? TET_INVERTED : TET_GOOD;
}

int pelti_proj_bad_tets(const PeltiMesh *mesh, const ProjFoot *feet, const int triangle[3])
{
    Prism prism = prism_of(feet, triangle);
    int bad = 0;
    for (int t = prism.first; t < 3 && pelti_proj_carries(feet, triangle); t++) {
        RestTet tet;
        bad += judge_tet(mesh, feet, &prism, t, &tet) != TET_GOOD;
    }
    return bad;
}

double pelti_proj_flattest(const PeltiMesh *mesh, const ProjFoot *feet, const int triangle[3])
{
    Prism prism = prism_of(feet, triangle);
    double least = INFINITY;
    for (int t = prism.first; t < 3 && pelti_proj_carries(feet, triangle); t++) {
        bool is_free[4];
        Vec3 p[4];
        corners_of(mesh, feet, prism.corners[t], p, is_free);
        least = fmin(least, prism.parity * pelti_proj_flatness(p, is_free));
    }
    return least;
}

static void add_prism(TissueBuild *b, const int triangle[3])
{
    if (!pelti_proj_carries(b->def->feet, triangle))
        return;
    Prism prism = prism_of(b->def->feet, triangle);
    bool any = false;
    double firm = firmness_of(b, triangle);
    for (int t = 0; t < prism.first; t++)
        add_spring(b, prism.corners[t], triangle);
    for (int t = prism.first; t < 3; t++) {
        RestTet tet;
        int judged = judge_tet(b->mesh, b->def->feet, &prism, t, &tet);
        b->out->flat += judged == TET_FLAT;
        b->out->inverted += judged == TET_INVERTED;
        if (judged != TET_GOOD) {
            b->out->mended++;
            add_spring(b, prism.corners[t], triangle);
            continue;
        }
        b->def->strain->vectors(tet.p, tet.g);
        if (!any || b->def->per_tet)
            begin_element(b, triangle);
        any = true;
        double weight = firm * b->def->strain->weight(tet.volume, b->length);
        add_tet(b, prism.corners[t], triangle, tet.g, weight, tet.volume);
        b->out->volume += tet.volume;
    }
}

typedef struct FaceKey {
    int place, face;
} FaceKey;

static int compare_faces(const void *a, const void *b)
{
    const FaceKey *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : (x->face > y->face) - (x->face < y->face);
}

/// Faces in the order of their first unknown, so that the local step walks memory as the factor does.
static bool order_faces(TissueBuild *b, PeltiPool *temp)
{
    int count = b->mesh->triangle_count;
    FaceKey *keys = PELTI_NEW(temp, FaceKey, (size_t)count + 1);
    b->face_order = PELTI_NEW(temp, int, (size_t)count + 1);
    if (temp->failed)
        return false;
    for (int f = 0; f < count; f++) {
        keys[f] = (FaceKey){lowest_place(b->def->place, b->mesh->triangles[f]), f};
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_faces);
    for (int f = 0; f < count; f++)
        b->face_order[f] = keys[f].face;
    return true;
}

/// A tet that is left out is replaced by springs from its skin corners to where their base carries them, as firm as tissue of
/// that area and thickness; a vertex that nothing holds gets the firmness of an average one.
static void add_pins(TissueBuild *b)
{
    ProjTissue *t = b->out;
    double sum = 0;
    int held = 0;
    for (int v = 0; v < t->unknown_count; v++)
        if (b->diagonal[v] > 0) {
            sum += b->diagonal[v];
            held++;
        }
    double mean = held ? sum / held : 1;
    for (int v = 0; v < t->unknown_count; v++) {
        double pin = fmin(b->pin[v], mean);
        if (!(b->diagonal[v] + pin > PIN_LEAST * mean))
            pin = mean;
        t->pin[b->def->place[v]] = (float)pin;
        b->diagonal[v] += pin;
    }
}

static void finish_entries(TissueBuild *b)
{
    ProjTissue *t = b->out;
    int n = t->unknown_count;
    for (int v = 0; v < n; v++)
        t->entries[v] = (PeltiSparseEntry){v, v, b->diagonal[v]};
    for (int e = 0; e < b->mesh->edge_count; e++)
        t->entries[n + e] = (PeltiSparseEntry){b->mesh->edges[e][0], b->mesh->edges[e][1], b->edge[e]};
    t->entry_count = n + b->mesh->edge_count;
    int used = 0;
    for (int i = 0; i < n; i++) {
        int v = b->def->order[i];
        t->near_start[i] = used;
        t->near_index[used] = ~i;
        t->near_value[used++] = (float)b->base_own[v];
        for (int r = b->mesh->ring_start[v]; r < b->mesh->ring_start[v + 1]; r++) {
            int other = b->mesh->ring[r];
            int e = pelti_mesh_edge(b->mesh, v, other);
            if (b->edge[e] != 0) {
                t->near_index[used] = b->def->place[other];
                t->near_value[used++] = (float)b->edge[e];
            }
            if (b->base_edge[e][v > other] != 0) {
                t->near_index[used] = ~b->def->place[other];
                t->near_value[used++] = (float)b->base_edge[e][v > other];
            }
        }
    }
    t->near_start[n] = used;
}

/// Which rows of the local step's output add up at each unknown.
static void finish_corners(ProjTissue *t)
{
    int n = t->unknown_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int element = 0; element < t->element_count; element++)
            for (int c = 0; c < 3; c++) {
                int block = element / PROJ_LANES, lane = element % PROJ_LANES, i = t->blocks[block].corner[c][lane];
                if (!(t->blocks[block].over_volume[lane] > 0))
                    continue; // a lane without an element
                if (pass)
                    t->corner_row[t->corner_start[i]++] = (block * 3 + c) * PROJ_LANES + lane;
                else
                    t->corner_start[i + 1]++;
            }
        if (!pass)
            for (int i = 0; i < n; i++)
                t->corner_start[i + 1] += t->corner_start[i];
    }
    for (int i = n; i > 0; i--)
        t->corner_start[i] = t->corner_start[i - 1];
    t->corner_start[0] = 0;
}

static void finish_volumes(const ProjStrain *strain, ProjTissue *t)
{
    for (int k = 0; k < t->tet_count; k++) {
        const ProjTet *tet = &t->tets[k];
        float *sum = &t->blocks[tet->element / PROJ_LANES].over_volume[tet->element % PROJ_LANES];
        *sum += tet->volume * strain->size(tet);
    }
    for (int e = 0; e < t->element_count; e++) {
        float *sum = &t->blocks[e / PROJ_LANES].over_volume[e % PROJ_LANES];
        *sum = *sum > 0 ? 1 / *sum : 0;
    }
}

static bool take(ProjTissue *t, const ProjTissueDef *def, PeltiPool *pool)
{
    const PeltiMesh *mesh = def->mesh;
    size_t n = (size_t)mesh->vertex_count, f = (size_t)mesh->triangle_count, elements = def->per_tet ? 3 * f : f;
    t->unknown_count = mesh->vertex_count;
    t->blocks = PELTI_NEW(pool, ProjBlock, elements / PROJ_LANES + PELTI_SPARSE_RANGES + 1);
    t->tets = PELTI_NEW(pool, ProjTet, 3 * f + 1);
    t->mass = PELTI_NEW(pool, float, n + 1);
    t->pin = PELTI_NEW(pool, float, n + 1);
    t->entries = PELTI_NEW(pool, PeltiSparseEntry, n + (size_t)mesh->edge_count + 1);
    t->near_start = PELTI_NEW(pool, int, n + 1);
    t->near_index = PELTI_NEW(pool, int, n + 4 * (size_t)mesh->edge_count + 1);
    t->near_value = PELTI_NEW(pool, float, n + 4 * (size_t)mesh->edge_count + 1);
    t->corner_start = PELTI_NEW(pool, int, n + 2);
    t->corner_row = PELTI_NEW(pool, int, 3 * elements + 1);
    return !pool->failed;
}

PeltStatus pelti_proj_tissue(const ProjTissueDef *def, PeltiPool *pool, PeltiPool *temp, ProjTissue *out, PeltError *err)
{
    const PeltiMesh *mesh = def->mesh;
    size_t n = (size_t)mesh->vertex_count, edges = (size_t)mesh->edge_count;
    *out = (ProjTissue){0};
    TissueBuild b = {.def = def, .mesh = mesh, .out = out};
    b.diagonal = PELTI_NEW(temp, double, n + 1);
    b.edge = PELTI_NEW(temp, double, edges + 1);
    b.base_own = PELTI_NEW(temp, double, n + 1);
    b.pin = PELTI_NEW(temp, double, n + 1);
    b.base_edge = pelti_pool_take(temp, edges + 1, sizeof *b.base_edge);
    if (temp->failed || !take(out, def, pool) || !order_faces(&b, temp))
        return pelti_no_memory(err, n * sizeof(ProjBlock));
    for (int e = 0; e < mesh->edge_count; e++)
        b.length += (double)vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]) / mesh->edge_count;
    for (int v = 0; v < mesh->vertex_count; v++)
        out->bare += def->feet[v].segment >= 0 && def->feet[v].push_order == PROJ_STAYS;
    for (int f = 0; f < mesh->triangle_count; f++)
        add_prism(&b, mesh->triangles[b.face_order[f]]);
    out->block_count = (out->element_count + PROJ_LANES - 1) / PROJ_LANES;
    while (b.range < PELTI_SPARSE_RANGES)
        out->block_first[++b.range] = out->block_count;
    add_pins(&b);
    finish_entries(&b);
    finish_volumes(def->strain, out);
    finish_corners(out);
    out->look = out->blocks;
    return PELT_OK;
}
