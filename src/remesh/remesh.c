/// Splits, collapses, flips and slides edges until all are of a length [Botsch2004].
#include "remesh/constants.def"
#include "remesh/remesh.h"
#include "math/elementary.h"

#include <string.h>

/// Isotropic remeshing [Botsch2004]: split long edges, collapse short ones, flip towards valence 6, relax along the surface;
/// the surface is the shape itself, so points are projected to it and never drift.
typedef struct WingedEdge {
    int h, o;       // half edges a -> b and b -> a
    int a, b, c, d; // c completes the triangle of h, d that of o
} WingedEdge;

static WingedEdge edge_of(const PeltiRemeshSurface *s, int h)
{
    WingedEdge e = {.h = h, .o = s->opposite[h]};
    e.a = s->corner[h];
    e.b = s->corner[e.o];
    e.c = s->corner[pelti_remesh_previous(h)];
    e.d = s->corner[pelti_remesh_previous(e.o)];
    return e;
}

static int turn(const PeltiRemeshSurface *s, int h) // the next half edge leaving the same vertex
{
    return s->opposite[pelti_remesh_previous(h)];
}

static int valence(const PeltiRemeshSurface *s, int v)
{
    int count = 0, h = s->out[v];
    do {
        count++;
        h = turn(s, h);
    } while (h != s->out[v]);
    return count;
}

static bool are_neighbours(const PeltiRemeshSurface *s, int a, int b)
{
    int h = s->out[a];
    do {
        if (s->corner[pelti_remesh_next(h)] == b)
            return true;
        h = turn(s, h);
    } while (h != s->out[a]);
    return false;
}

static float edge_length(const PeltiRemeshSurface *s, int h)
{
    return vec3_distance(s->position[s->corner[h]], s->position[s->corner[pelti_remesh_next(h)]]);
}

static float edge_size(const PeltiRemeshSurface *s, int h)
{
    return 0.5f * (s->size[s->corner[h]] + s->size[s->corner[pelti_remesh_next(h)]]);
}

static void twin(PeltiRemeshSurface *s, int a, int b)
{
    s->opposite[a] = b;
    s->opposite[b] = a;
}

static void split_edge(PeltiRemeshSurface *s, int h)
{
    WingedEdge e = edge_of(s, h);
    int m = s->vertex_count++, t2 = 3 * s->triangle_count, t3 = t2 + 3;
    s->triangle_count += 2;
    s->position[m] = vec3_lerp(s->position[e.a], s->position[e.b], 0.5f);
    s->normal[m] = vec3_normalize_or(vec3_add(s->normal[e.a], s->normal[e.b]), s->normal[e.a]);
    s->size[m] = 0.5f * (s->size[e.a] + s->size[e.b]);
    int hn = pelti_remesh_next(h), op = pelti_remesh_previous(e.o), beyond_bc = s->opposite[hn], beyond_db = s->opposite[op];
    memcpy(&s->corner[t2], (int[6]){m, e.b, e.c, e.b, m, e.d}, 6 * sizeof(int));
    s->corner[hn] = m;
    s->corner[e.o] = m;
    twin(s, t2 + 1, beyond_bc);
    twin(s, hn, t2 + 2);
    twin(s, t3 + 2, beyond_db);
    twin(s, op, t3 + 1);
    twin(s, t2, t3);
    s->out[m] = hn;
    s->out[e.b] = t2 + 1;
}

static void flip_edge(PeltiRemeshSurface *s, int h)
{
    WingedEdge e = edge_of(s, h);
    int hn = pelti_remesh_next(h), hp = pelti_remesh_previous(h), on = pelti_remesh_next(e.o), op = pelti_remesh_previous(e.o);
    int beyond_bc = s->opposite[hn], beyond_ad = s->opposite[on];
    s->corner[hn] = e.d;
    s->corner[on] = e.c;
    twin(s, h, beyond_ad);
    twin(s, e.o, beyond_bc);
    twin(s, hn, on);
    s->out[e.a] = h;
    s->out[e.b] = e.o;
    s->out[e.c] = hp;
    s->out[e.d] = op;
}

/// b goes into a.
static void collapse_edge(PeltiRemeshSurface *s, int h, Vec3 to)
{
    WingedEdge e = edge_of(s, h);
    int start = s->out[e.b], k = start;
    do {
        s->corner[k] = e.a;
        k = turn(s, k);
    } while (k != start);
    int beyond_bc = s->opposite[pelti_remesh_next(h)], beyond_ca = s->opposite[pelti_remesh_previous(h)];
    int beyond_ad = s->opposite[pelti_remesh_next(e.o)], beyond_db = s->opposite[pelti_remesh_previous(e.o)];
    twin(s, beyond_bc, beyond_ca);
    twin(s, beyond_ad, beyond_db);
    s->out[e.a] = beyond_ca;
    s->out[e.c] = beyond_bc;
    s->out[e.d] = beyond_ad;
    s->out[e.b] = -1;
    s->position[e.a] = to;
    s->normal[e.a] = vec3_normalize_or(vec3_add(s->normal[e.a], s->normal[e.b]), s->normal[e.a]);
    s->size[e.a] = 0.5f * (s->size[e.a] + s->size[e.b]);
    for (int i = 0; i < 3; i++) {
        s->corner[h / 3 * 3 + i] = -1;
        s->corner[e.o / 3 * 3 + i] = -1;
    }
}

static Vec3 face_normal(Vec3 a, Vec3 b, Vec3 c)
{
    return vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3(0, 0, 0));
}

/// How well a triangle faces the way of three normals: the least cosine.
static float facing(Vec3 face, Vec3 a, Vec3 b, Vec3 c)
{
    return fminf(vec3_dot(face, a), fminf(vec3_dot(face, b), vec3_dot(face, c)));
}

/// The triangles round v, with v moved to `to`, must keep their side (before and after, and of the shape), and no edge
/// may grow past the splitting length. Triangles that hold `skip` vanish. On a ridge no triangle faces the way of its corners:
/// there it need not face it better than before, or nothing small would ever be collapsed.
static bool fan_allows(const PeltiRemeshSurface *s, int v, int skip, Vec3 to, Vec3 normal)
{
    int h = s->out[v];
    do {
        int p = s->corner[pelti_remesh_next(h)], q = s->corner[pelti_remesh_previous(h)];
        if (p != skip && q != skip) {
            Vec3 before = face_normal(s->position[v], s->position[p], s->position[q]);
            Vec3 after = face_normal(to, s->position[p], s->position[q]);
            float was = s->sharp ? facing(before, normal, s->normal[p], s->normal[q]) : 1;
            if (vec3_dot(before, after) < FAN_TURNS || facing(after, normal, s->normal[p], s->normal[q]) < fminf(FAN_FACING, was))
                return false;
        }
        if (p != skip && vec3_distance(to, s->position[p]) > COLLAPSE_LONGEST * s->size[v])
            return false;
        h = turn(s, h);
    } while (h != s->out[v]);
    return true;
}

static bool may_collapse(const PeltiRemeshSurface *s, int h, Vec3 to)
{
    WingedEdge e = edge_of(s, h);
    int common = 0, k = s->out[e.a];
    do {
        common += are_neighbours(s, s->corner[pelti_remesh_next(k)], e.b) && s->corner[pelti_remesh_next(k)] != e.b;
        k = turn(s, k);
    } while (k != s->out[e.a]);
    if (common != 2 || valence(s, e.c) <= 4 || valence(s, e.d) <= 4)
        return false;
    if (valence(s, e.a) + valence(s, e.b) - 4 > MOST_VALENCE)
        return false;
    Vec3 normal = vec3_normalize_or(vec3_add(s->normal[e.a], s->normal[e.b]), s->normal[e.a]);
    return fan_allows(s, e.a, e.b, to, normal) && fan_allows(s, e.b, e.a, to, normal);
}

static PeltStatus split_long(PeltiRemeshSurface *s, PeltError *err)
{
    int halves = 3 * s->triangle_count;
    for (int h = 0; h < halves; h++) {
        if (s->corner[h] < 0 || h > s->opposite[h] || edge_length(s, h) <= SPLIT_FROM * edge_size(s, h))
            continue;
        if (s->vertex_count + 1 > s->vertex_capacity || s->triangle_count + 2 > s->triangle_capacity)
            PELT_TRY(pelti_remesh_reserve(s, s->vertex_count + s->vertex_count / 2 + 64,
                                          s->triangle_count + s->triangle_count / 2 + 64, err));
        split_edge(s, h);
    }
    return PELT_OK;
}

static void collapse_short(PeltiRemeshSurface *s)
{
    for (int h = 0; h < 3 * s->triangle_count; h++) {
        if (s->corner[h] < 0 || edge_length(s, h) >= COLLAPSE_FROM * edge_size(s, h))
            continue;
        Vec3 to = vec3_lerp(s->position[s->corner[h]], s->position[s->corner[pelti_remesh_next(h)]], 0.5f);
        if (may_collapse(s, h, to))
            collapse_edge(s, h, to);
    }
}

static float opposite_cosine(Vec3 a, Vec3 b, Vec3 apex)
{
    Vec3 p = vec3_sub(a, apex), q = vec3_sub(b, apex);
    return vec3_dot(p, q) / fmaxf(vec3_length(p) * vec3_length(q), 1e-20f);
}

/// Two triangles (p, l, q) and (q, r, p) at the edge from p to q.
typedef struct Hinge {
    float side;  // least cosine between the triangles and their corners' normals
    float fold;  // cosine between the triangles
    float sharp; // cosine of their sharpest angle
} Hinge;
static Hinge hinge_of(const PeltiRemeshSurface *s, int p, int q, int l, int r)
{
    const Vec3 *x = s->position, *n = s->normal;
    Vec3 left = face_normal(x[l], x[q], x[p]), right = face_normal(x[q], x[r], x[p]);
    return (Hinge){fminf(facing(left, n[l], n[p], n[q]), facing(right, n[r], n[p], n[q])), vec3_dot(left, right),
                   fmaxf(fmaxf(opposite_cosine(x[p], x[q], x[l]), opposite_cosine(x[p], x[q], x[r])),
                         fmaxf(fmaxf(opposite_cosine(x[l], x[p], x[q]), opposite_cosine(x[r], x[p], x[q])),
                               fmaxf(opposite_cosine(x[l], x[q], x[p]), opposite_cosine(x[r], x[q], x[p]))))};
}

/// Both triangles after the flip must face the shape's way and not fold against each other, and sharp slivers are never worth a
/// valence. Where those before the flip did no better (a ridge, a spike of a coarse file) they may: else edges only ever gather
/// there, up to a hundred at a vertex.
static bool may_flip(const PeltiRemeshSurface *s, const WingedEdge *e)
{
    if (e->c == e->d || valence(s, e->a) <= 4 || valence(s, e->b) <= 4 || are_neighbours(s, e->c, e->d))
        return false;
    Hinge after = hinge_of(s, e->c, e->d, e->a, e->b), before = {1, 1, -1};
    if (s->sharp)
        before = hinge_of(s, e->a, e->b, e->d, e->c);
    return after.side >= fminf(FLIP_FACING, before.side) && after.fold >= fminf(FLIP_FOLD, before.fold) &&
           after.sharp < fmaxf(FLIP_SHARP, before.sharp);
}

static void flip_to_valence(PeltiRemeshSurface *s)
{
    for (int h = 0; h < 3 * s->triangle_count; h++) {
        if (s->corner[h] < 0 || h > s->opposite[h])
            continue;
        WingedEdge e = edge_of(s, h);
        int a = valence(s, e.a) - 6, b = valence(s, e.b) - 6, c = valence(s, e.c) - 6, d = valence(s, e.d) - 6;
        int before = a * a + b * b + c * c + d * d;
        int after = (a - 1) * (a - 1) + (b - 1) * (b - 1) + (c + 1) * (c + 1) + (d + 1) * (d + 1);
        if (after < before && may_flip(s, &e))
            flip_edge(s, h);
    }
}

/// Flips edges that are not Delaunay, a few sweeps: fewer flat and sharp angles.
static void flip_to_delaunay(PeltiRemeshSurface *s, int sweeps)
{
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int h = 0; h < 3 * s->triangle_count; h++) {
            if (s->corner[h] < 0 || h > s->opposite[h])
                continue;
            WingedEdge e = edge_of(s, h);
            const Vec3 *x = s->position;
            float c = pelti_acosf(fmaxf(fminf(opposite_cosine(x[e.a], x[e.b], x[e.c]), 1), -1));
            float d = pelti_acosf(fmaxf(fminf(opposite_cosine(x[e.a], x[e.b], x[e.d]), 1), -1));
            if (c + d > 3.1416f + DELAUNAY_SLACK && may_flip(s, &e))
                flip_edge(s, h);
        }
}

/// Drops dead triangles and vertices, keeping the order.
static PeltStatus pack(PeltiRemeshSurface *s, PeltError *err)
{
    int vertices = 0, triangles = 0;
    for (int v = 0; v < s->vertex_count; v++) {
        if (s->out[v] < 0)
            continue;
        s->position[vertices] = s->position[v];
        s->normal[vertices] = s->normal[v];
        s->size[vertices] = s->size[v];
        s->out[v] = vertices++; // its new number, until connected again
    }
    for (int t = 0; t < s->triangle_count; t++) {
        if (s->corner[3 * t] < 0)
            continue;
        for (int i = 0; i < 3; i++)
            s->corner[3 * triangles + i] = s->out[s->corner[3 * t + i]];
        triangles++;
    }
    s->vertex_count = vertices;
    s->triangle_count = triangles;
    return pelti_remesh_connect(s, err);
}

typedef struct Relax {
    const PeltiRemeshShape *shape;
    PeltiRemeshSurface *surface;
    Vec3 *fresh;
    float *detail; // NULL: not asked
    bool keep_normals;
    bool move; // false: project only
} Relax;

/// Centre of the fan, each triangle weighted by the number of wanted triangles it holds.
static Vec3 fan_centre(const PeltiRemeshSurface *s, int v)
{
    Vec3 sum = {0, 0, 0}, p = s->position[v];
    float total = 0;
    int h = s->out[v];
    do {
        int a = s->corner[pelti_remesh_next(h)], b = s->corner[pelti_remesh_previous(h)];
        Vec3 q = s->position[a], r = s->position[b];
        float size = s->size[v] + s->size[a] + s->size[b];
        float w = vec3_length(vec3_cross(vec3_sub(q, p), vec3_sub(r, p))) / (size * size);
        sum = vec3_mad(sum, vec3_add(vec3_add(q, r), p), w / 3);
        total += w;
        h = turn(s, h);
    } while (h != s->out[v]);
    return total > 0 ? vec3_scale(sum, 1 / total) : p;
}

static void relax_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Relax *r = context;
    PeltiRemeshSurface *s = r->surface;
    for (int v = begin; v < end; v++) {
        Vec3 p = s->position[v];
        if (r->move) {
            Vec3 step = vec3_sub(fan_centre(s, v), p);
            p = vec3_add(p, vec3_mad(step, s->normal[v], -vec3_dot(step, s->normal[v])));
        }
        r->fresh[v] = r->shape->project(r->shape->context, p, s->normal[v], PROJECT_REACH * s->size[v]);
    }
}

static void accept_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Relax *r = context;
    for (int v = begin; v < end; v++) {
        r->surface->position[v] = r->fresh[v];
        if (!r->keep_normals && r->shape->gradient) {
            Vec3 g = r->shape->gradient(r->shape->context, r->fresh[v]);
            r->surface->normal[v] = vec3_normalize_or(g, r->surface->normal[v]);
        }
        if (r->detail)
            r->detail[v] = r->shape->detail ? r->shape->detail(r->shape->context, r->fresh[v]) : 1;
    }
}

/// Normals of the mesh itself: good enough, and cheap, while there are many more vertices than wanted.
void pelti_remesh_normals(PeltiRemeshSurface *s)
{
    memset(s->normal, 0, (size_t)s->vertex_count * sizeof *s->normal);
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = &s->corner[3 * t];
        Vec3 a = s->position[c[0]], n = vec3_cross(vec3_sub(s->position[c[1]], a), vec3_sub(s->position[c[2]], a));
        for (int i = 0; i < 3; i++)
            s->normal[c[i]] = vec3_add(s->normal[c[i]], n);
    }
    for (int v = 0; v < s->vertex_count; v++)
        s->normal[v] = vec3_normalize_or(s->normal[v], vec3(0, 1, 0));
}

/// Tangential relaxation with projection to the shape, `rounds` times; 0 rounds project only.
static PeltStatus relax_rounds(const PeltiRemeshShape *shape, PeltiRemeshSurface *s, int rounds, PeltiJobs *jobs, PeltError *err)
{
    size_t bytes = (size_t)s->vertex_count * sizeof(Vec3);
    Relax r = {.shape = shape, .surface = s, .fresh = pelti_alloc(&s->allocator, bytes), .move = rounds > 0};
    if (!r.fresh)
        return pelti_no_memory(err, bytes);
    for (int i = 0; i < (rounds > 0 ? rounds : 1); i++) {
        pelti_parallel_for(jobs, s->vertex_count, 512, relax_range, &r);
        pelti_parallel_for(jobs, s->vertex_count, 512, accept_range, &r);
        if (!shape->gradient)
            pelti_remesh_normals(s);
    }
    pelti_free(&s->allocator, r.fresh, bytes);
    return PELT_OK;
}

/// How fast the surface turns outwards, largest over the ring, 1/m: tips and ridges. Hollows count as flat.
static float turning(const PeltiRemeshSurface *s, int v)
{
    float most = 0;
    int h = s->out[v];
    do {
        int w = s->corner[pelti_remesh_next(h)];
        Vec3 step = vec3_sub(s->position[w], s->position[v]);
        most = fmaxf(most, vec3_dot(vec3_sub(s->normal[w], s->normal[v]), step) / fmaxf(vec3_dot(step, step), 1e-12f));
        h = turn(s, h);
    } while (h != s->out[v]);
    return fminf(most, SHARPEST_TURN);
}

static float ring_mean(const PeltiRemeshSurface *s, const float *field, int v)
{
    float sum = 0, count = 0;
    int h = s->out[v];
    do {
        sum += field[s->corner[pelti_remesh_next(h)]];
        count++;
        h = turn(s, h);
    } while (h != s->out[v]);
    return sum / count;
}

static void smooth_field(const PeltiRemeshSurface *s, float *field, float *fresh, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (int v = 0; v < s->vertex_count; v++)
            fresh[v] = 0.5f * (field[v] + ring_mean(s, field, v));
        memcpy(field, fresh, (size_t)s->vertex_count * sizeof *field);
    }
}

typedef struct Sizing {
    const float *detail, *curvature; // [vertex]
    float correction;                // edges are wanted longer by this, since more came out than was counted on
    float finest;                    // as in the shape
} Sizing;

/// Wanted edge lengths h with 1/h^2 = 1/(L d)^2 + (k/c)^2: L for the whole, d the detail, k the turning. N vertices of even
/// triangles cover the sum of their h^2 sqrt(3)/2, which gives L; turning may take no more than a share of them.
static void find_sizes(PeltiRemeshSurface *s, int vertices, const Sizing *sizing)
{
    const float *detail = sizing->detail, *curvature = sizing->curvature;
    const double c = TURN_AN_EDGE, budget = 0.866 * vertices / (double)(sizing->correction * sizing->correction);
    const double turning_share = vertices < FEW_VERTICES ? TURNING_SHARE_FEW : TURNING_SHARE;
    double flat = 0, turned = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        const int *at = &s->corner[3 * t];
        Vec3 a = s->position[at[0]], b = s->position[at[1]], d = s->position[at[2]];
        double third = (double)vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(d, a))) / 6;
        for (int i = 0; i < 3; i++) {
            double e = (double)detail[at[i]], k = (double)curvature[at[i]] / c;
            flat += third / (e * e);
            turned += third * k * k;
        }
    }
    double share = turned > turning_share * budget ? turning_share * budget / turned : 1;
    double scale2 = flat / (budget - share * turned);
    double most = sizing->finest > 0 ? 1 / ((double)sizing->finest * sqrt(scale2 * share)) : INFINITY; // turning
    for (int v = 0; v < s->vertex_count; v++) {
        double d = (double)detail[v], k = fmin((double)curvature[v] / c, most);
        s->size[v] = (float)(1 / sqrt(1 / (scale2 * d * d) + share * k * k));
    }
}

static PeltStatus set_sizes(const PeltiRemeshShape *shape, PeltiRemeshSurface *s, int vertices, float correction, PeltiJobs *jobs,
                            PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    float *detail = PELTI_NEW(&pool, float, s->vertex_count), *fresh = PELTI_NEW(&pool, float, s->vertex_count);
    float *curvature = PELTI_NEW(&pool, float, s->vertex_count);
    Vec3 *place = PELTI_NEW(&pool, Vec3, s->vertex_count);
    if (pool.failed) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, (size_t)s->vertex_count * 24);
    }
    memcpy(place, s->position, (size_t)s->vertex_count * sizeof *place);
    Relax r = {.shape = shape, .surface = s, .fresh = place, .detail = detail, .keep_normals = true};
    pelti_parallel_for(jobs, s->vertex_count, 512, accept_range, &r);
    for (int v = 0; v < s->vertex_count; v++)
        curvature[v] = turning(s, v);
    smooth_field(s, detail, fresh, DETAIL_ROUNDS);
    smooth_field(s, curvature, fresh, TURNING_ROUNDS);
    find_sizes(s, vertices, &(Sizing){detail, curvature, correction, shape->finest});
    pelti_pool_release(&pool);
    return PELT_OK;
}

PeltStatus pelti_remesh_even(const PeltiRemeshShape *shape, PeltiRemeshSurface *s, int vertices, PeltiJobs *jobs, PeltError *err)
{
    float correction = 1;
    s->sharp = shape->sharp;
    pelti_remesh_normals(s);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        PELT_TRY(set_sizes(shape, s, vertices, correction, jobs, err));
        PELT_TRY(split_long(s, err));
        collapse_short(s);
        flip_to_valence(s);
        PELT_TRY(pack(s, err));
        float excess = (float)s->vertex_count / (float)vertices;
        if (excess > FAR_TOO_MANY && round < COARSE_ROUNDS) {
            pelti_remesh_normals(s);
            continue;
        }
        PELT_TRY(relax_rounds(shape, s, round < RELAX_TWICE_FROM ? 1 : 2, jobs, err));
        if (round + 1 >= LEAST_ROUNDS && fabsf(excess - 1) < COUNT_MET)
            break;
        if (round >= CORRECT_FROM)
            correction *= pelti_powf(excess, CORRECTED);
    }
    flip_to_delaunay(s, 2);
    PELT_TRY(relax_rounds(shape, s, 2, jobs, err));
    flip_to_delaunay(s, 2);
    return relax_rounds(shape, s, 1, jobs, err);
}

PeltStatus pelti_remesh_subdivide(const PeltiRemeshShape *shape, PeltiRemeshSurface *s, int (*parents)[2], PeltiJobs *jobs,
                                  PeltError *err)
{
    int old_vertices = s->vertex_count, old_triangles = s->triangle_count, halves = 3 * old_triangles, made = 0;
    PELT_TRY(pelti_remesh_reserve(s, old_vertices + halves / 2, 4 * old_triangles, err));
    size_t bytes = (size_t)halves * sizeof(int);
    int *middle = pelti_alloc(&s->allocator, bytes);
    if (!middle)
        return pelti_no_memory(err, bytes);
    for (int h = 0; h < halves; h++) {
        int o = s->opposite[h], a = s->corner[h], b = s->corner[pelti_remesh_next(h)], m = old_vertices + made;
        if (h > o)
            continue;
        middle[h] = middle[o] = m;
        s->position[m] = vec3_lerp(s->position[a], s->position[b], 0.5f);
        s->normal[m] = vec3_normalize_or(vec3_add(s->normal[a], s->normal[b]), s->normal[a]);
        s->size[m] = 0.5f * (s->size[a] + s->size[b]);
        if (parents) {
            parents[made][0] = a;
            parents[made][1] = b;
        }
        made++;
    }
    for (int t = 0; t < old_triangles; t++) {
        int c[3], m[3];
        memcpy(c, &s->corner[3 * t], sizeof c);
        memcpy(m, &middle[3 * t], sizeof m);
        memcpy(&s->corner[3 * t], m, sizeof m);
        for (int i = 0; i < 3; i++)
            memcpy(&s->corner[3 * (old_triangles + 3 * t + i)], (int[3]){c[i], m[i], m[(i + 2) % 3]}, sizeof m);
    }
    pelti_free(&s->allocator, middle, bytes);
    s->vertex_count = old_vertices + made;
    s->triangle_count = 4 * old_triangles;
    for (int v = 0; v < s->vertex_count; v++)
        s->size[v] *= 0.5f;
    PELT_TRY(pelti_remesh_connect(s, err));
    return relax_rounds(shape, s, 1, jobs, err);
}
