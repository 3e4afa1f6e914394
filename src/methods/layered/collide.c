/// Keeps the skin from passing through itself [Deul2013 sec. 4.5]: contacts found once a step with the box tree, then kept apart.
/// Which side is right is told by the surface's own orientation: skin touches skin with opposing normals, outside to outside.
/// But the two sides of a sharp bend lie back to back with opposing normals as well, and look crossed. So a pair counts only
/// if it was apart when the step began, or crossed by no more than a contact that one step failed to solve.
#include "geometry/triangles.h"
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

#include <string.h>

enum { PAIR_GRAIN = 64, GRAIN = 1024 }; // pairs, vertices or triangles in a piece of work

/// Size of arrays, no tuning: a step that finds more leaves it out and says so (`overflowed`).
static int most_contacts(const PeltiMesh *mesh)
{
    return 16384 + 4 * mesh->triangle_count;
}

PeltStatus pelti_layered_collide_build(PeltiFlesh *flesh, PeltError *err)
{
    PeltiLayeredCollide *c = &flesh->collide;
    const PeltiMesh *mesh = flesh->mesh;
    PeltiPool *pool = &flesh->pool;
    c->skin.now = PELTI_NEW(pool, Vec3, flesh->n);
    c->skin.before = PELTI_NEW(pool, Vec3, flesh->n);
    c->rest.x = PELTI_NEW(pool, Vec3, flesh->n);
    c->skin.triangle_normal = PELTI_NEW(pool, Vec3, mesh->triangle_count);
    c->skin.boxes = PELTI_NEW(pool, PeltiBox, mesh->triangle_count);
    c->skin.vertex_normal = PELTI_NEW(pool, Vec3, flesh->n);
    c->search.point_depth_scratch = PELTI_NEW(pool, float, flesh->n);
    c->search.edge_depth_scratch = PELTI_NEW(pool, float, mesh->edge_count);
    c->rest.edge_faces = pelti_pool_take(pool, (size_t)mesh->edge_count, 2 * sizeof(int));
    c->skin.crumpled = PELTI_NEW(pool, bool, flesh->n);
    c->contacts.touched = PELTI_NEW(pool, bool, flesh->n);
    c->rest.vertex_owner = PELTI_NEW(pool, int, flesh->n);
    c->rest.edge_owner = pelti_pool_take(pool, (size_t)mesh->triangle_count, 3 * sizeof(int));
    c->contacts.capacity = most_contacts(mesh);
    c->contacts.list = PELTI_NEW(pool, PeltiLayeredContact, c->contacts.capacity);
    if (!pelti_layered_collide_islands_new(&c->contacts, pool, flesh->n))
        return pelti_no_memory(err, sizeof(PeltiLayeredContact) * (size_t)c->contacts.capacity);
    for (int s = 0; s < flesh->n; s++) {
        c->rest.x[s] = mesh->rest[flesh->paths.vertex[s]];
        c->rest.vertex_owner[s] = -1;
    }
    bool *owned = PELTI_NEW(pool, bool, mesh->edge_count);
    if (!owned)
        return pelti_no_memory(err, (size_t)mesh->edge_count);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int s = flesh->rest.triangles[t][k], e = mesh->triangle_edges[t][k];
            c->rest.vertex_owner[s] = c->rest.vertex_owner[s] < 0 ? t : c->rest.vertex_owner[s];
            c->rest.edge_owner[t][k] = owned[e] ? -1 : e;
            c->rest.edge_faces[e][owned[e]] = t;
            c->rest.edge_faces[e][1] = t; // the second one stays, or a border's only one
            owned[e] = true;
        }
    PELT_TRY(pelti_box_tree_build_triangles(pool, mesh->triangle_count, (const int(*)[3])flesh->rest.triangles, c->rest.x,
                                            &c->search.tree, err));
    c->search.spread = PELTI_NEW(pool, PeltiBox, c->search.tree->node_count);
    c->search.first_scratch = PELTI_NEW(pool, int, most_contacts(mesh));
    return pelti_pairs_create(pool, most_contacts(mesh), c->search.tree, &c->search.pairs, err);
}

static void copy_skin(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int s = begin; s < end; s++) {
        flesh->collide.skin.now[s] = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN);
        flesh->collide.skin.before[s] = pelti_flesh_lane(flesh->moving.before, s, PELTI_LAYER_SKIN);
    }
}

/// Of twice the area.
static Vec3 area_normal(const PeltiFlesh *flesh, int t)
{
    const Vec3 *skin = flesh->collide.skin.now;
    const int *v = flesh->rest.triangles[t];
    return pelti_triangle_normal(skin, v);
}

static PeltiBox box_of(const Vec3 *p, const int *v)
{
    PeltiBox box = {p[v[0]], p[v[0]]};
    pelti_box_take(&box, p[v[1]]);
    pelti_box_take(&box, p[v[2]]);
    return box;
}

/// How far from a triangle contacts are looked for: where the mesh is fine, no farther than its edges.
static inline float reach_of(const PeltiFlesh *flesh, int t)
{
    return lesser(flesh->set.margin, flesh->rest.edge[flesh->rest.triangles[t][0]]);
}

/// A pair is looked at within the smaller reach of the two, so boxes wider by half of their own reach meet for all of them. (One
/// margin for the whole mesh meets twice as many pairs on a human, mostly in its face and fingers.)
static PeltiBox wide_box(const PeltiFlesh *flesh, int t)
{
    float by = 0.5001f * reach_of(flesh, t) + 1e-6f * flesh->rest.size; // and what rounding may take
    PeltiBox box = box_of(flesh->collide.skin.now, flesh->rest.triangles[t]);
    Vec3 wider = vec3(by, by, by);
    return (PeltiBox){vec3_sub(box.low, wider), vec3_add(box.high, wider)};
}

static void triangle_normals(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int t = begin; t < end; t++) {
        flesh->collide.skin.triangle_normal[t] = vec3_normalize_or(area_normal(flesh, t), vec3(0, 0, 0));
        flesh->collide.skin.boxes[t] = wide_box(flesh, t);
    }
}

static void vertex_normals(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    PeltiLayeredCollide *c = &flesh->collide;
    (void)worker;
    for (int s = begin; s < end; s++) {
        int v = flesh->paths.vertex[s], first = flesh->mesh->fan_start[v], last = flesh->mesh->fan_start[v + 1];
        const int *fan = flesh->mesh->fan;
        Vec3 sum = {0, 0, 0};
        for (int i = first; i < last; i++)
            sum = vec3_add(sum, area_normal(flesh, fan[i]));
        c->skin.vertex_normal[s] = vec3_normalize_or(sum, vec3(0, 0, 0));
        c->skin.crumpled[s] = false;
        for (int i = first; i < last && !c->skin.crumpled[s]; i++)
            c->skin.crumpled[s] = vec3_dot(c->skin.triangle_normal[fan[i]], c->skin.vertex_normal[s]) < CRUMPLED;
    }
}

/// Where skin is crumpled its normals say nothing about outside, and contacts led by them would crumple it more: there they
/// wait until shape matching has smoothed it.
static bool any_crumpled(const PeltiLayeredCollide *c, int a, int b, int d, int e)
{
    return c->skin.crumpled[a] || c->skin.crumpled[b] || c->skin.crumpled[d] || c->skin.crumpled[e];
}

static bool share_corner(const int *a, const int *b)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (a[i] == b[k])
                return true;
    return false;
}

/// Bounds of the normals below every node of the tree: children follow their parents, so one pass from the end does.
static void update_spread(PeltiLayeredCollide *c)
{
    for (int n = c->search.tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &c->search.tree->nodes[n];
        PeltiBox box = pelti_box_empty;
        for (int i = node->first; node->right < 0 && i < node->first + node->count; i++)
            pelti_box_take(&box, c->skin.triangle_normal[c->search.tree->items[i]]);
        if (node->right >= 0) {
            box = c->search.spread[n + 1];
            pelti_box_join(&box, &c->search.spread[node->right]);
        }
        c->search.spread[n] = box;
    }
}

/// Least product of a number in [a, b] and one in [c, d].
static float least_product(float a, float b, float c, float d)
{
    return lesser(lesser(a * c, a * d), lesser(b * c, b * d));
}

/// Skin that is curved so little that no two of its normals oppose each other cannot touch itself: most of a body is left out
/// here, above all every triangle's own neighbourhood.
static bool may_face(void *context, int a, int b)
{
    const PeltiFlesh *flesh = context;
    const PeltiBox *p = &flesh->collide.search.spread[a], *q = &flesh->collide.search.spread[b];
    return least_product(p->low.x, p->high.x, q->low.x, q->high.x) + least_product(p->low.y, p->high.y, q->low.y, q->high.y) +
               least_product(p->low.z, p->high.z, q->low.z, q->high.z) <=
           FACING + 1e-5f; // rounding
}

/// What the tree's boxes leave to ask; the cheapest first.
static bool are_near(const PeltiFlesh *flesh, int a, int b)
{
    const int *u = flesh->rest.triangles[a], *v = flesh->rest.triangles[b];
    if (flesh->set.continuous) // the tree's boxes hold the whole motion, and normals at its end say nothing about the hit
        return !share_corner(u, v);
    if (vec3_dot(flesh->collide.skin.triangle_normal[a], flesh->collide.skin.triangle_normal[b]) > FACING || share_corner(u, v))
        return false;
    PeltiBox boxes[2] = {box_of(flesh->collide.skin.now, u), box_of(flesh->collide.skin.now, v)};
    return pelti_box_overlap(&boxes[0], &boxes[1], lesser(reach_of(flesh, a), reach_of(flesh, b)));
}

/// Signed distances worth a contact: nearly apart at the start of the step, and near or crossed now.
static bool in_reach(const PeltiFlesh *flesh, bool touched, float edge, float before, float now, float rest_distance)
{
    // skin that slides over a curved neighbour dips below the next triangle's plane: what touched may be crossed a little more
    float slack = fminf(SLACK * rest_distance, touched ? SLACK_TOUCHED * edge : fminf(flesh->set.thickness, SLACK * edge));
    return now < fminf(flesh->set.margin, edge) && before > -slack && now > -fminf(0.5f * rest_distance, edge);
}

/// Contacts of one pair of triangles: six points and nine edges at most.
typedef struct PairContacts {
    PeltiLayeredContact contact[16];
    int count;
} PairContacts;

static void push_contact(const PeltiFlesh *flesh, PeltiLayeredContact contact, float edge, float rest_distance,
                         PairContacts *found)
{
    contact.thickness = fminf(fminf(flesh->set.thickness, GAP_OF_EDGE * edge), 0.5f * rest_distance);
    contact.most = MOST_PUSH * edge;
    contact.push = 0;
    found->contact[found->count++] = contact;
}

static bool try_point(const PeltiFlesh *flesh, int s, int t, PairContacts *found)
{
    const PeltiLayeredCollide *c = &flesh->collide;
    const int *v = flesh->rest.triangles[t];
    Vec3 n = c->skin.triangle_normal[t], p = c->skin.now[s];
    if (v[0] == s || v[1] == s || v[2] == s || vec3_dot(n, c->skin.vertex_normal[s]) > FACING_AT_POINT ||
        any_crumpled(c, s, v[0], v[1], v[2]))
        return false;
    float height = vec3_dot(vec3_sub(p, c->skin.now[v[0]]), n), edge = lesser(flesh->rest.edge[s], flesh->rest.edge[v[0]]);
    if (!(height < lesser(flesh->set.margin, edge) && height > -lesser(edge, DEEPEST * flesh->rest.size)))
        return false; // as in_reach has it, before what costs more
    PeltiClosest near = pelti_closest_on_triangle(p, c->skin.now[v[0]], c->skin.now[v[1]], c->skin.now[v[2]]);
    if (near.feature != PELTI_FACE)
        return false;
    float rest = (float)sqrt(pelti_closest_on_triangle(c->rest.x[s], c->rest.x[v[0]], c->rest.x[v[1]], c->rest.x[v[2]]).squared);
    const Vec3 *old = c->skin.before;
    Vec3 old_normal = pelti_triangle_normal(old, v);
    Vec3 foot = pelti_closest_barycentric(near.weight, old[v[0]], old[v[1]], old[v[2]]);
    float before = vec3_dot(vec3_sub(old[s], foot), vec3_normalize_or(old_normal, n));
    if (!in_reach(flesh, c->contacts.touched[s], edge, before, height, rest))
        return false;
    push_contact(flesh,
                 (PeltiLayeredContact){.slot = {s, v[0], v[1], v[2]},
                                       .depth = -height,
                                       .key = {s, s},
                                       .weight = {1, -(float)near.weight[0], -(float)near.weight[1], -(float)near.weight[2]},
                                       .normal = n},
                 edge, rest, found);
    return true;
}

/// With continuous detection: a point that is past the triangle already, having gone through it within this step.
static void try_sweep(const PeltiFlesh *flesh, int s, int t, PairContacts *found)
{
    const PeltiLayeredCollide *c = &flesh->collide;
    const int *v = flesh->rest.triangles[t];
    float w[3];
    Vec3 n;
    if (v[0] == s || v[1] == s || v[2] == s || !pelti_layered_sweep_point(&c->skin, s, v, w, &n))
        return;
    float rest = (float)sqrt(pelti_closest_on_triangle(c->rest.x[s], c->rest.x[v[0]], c->rest.x[v[1]], c->rest.x[v[2]]).squared);
    Vec3 foot = vec3_mad(vec3_mad(vec3_scale(c->skin.now[v[0]], w[0]), c->skin.now[v[1]], w[1]), c->skin.now[v[2]], w[2]);
    float depth = -vec3_dot(vec3_sub(c->skin.now[s], foot), n);
    push_contact(
        flesh,
        (PeltiLayeredContact){
            .slot = {s, v[0], v[1], v[2]}, .depth = depth, .key = {s, s}, .weight = {1, -w[0], -w[1], -w[2]}, .normal = n},
        fmaxf(fminf(flesh->rest.edge[s], flesh->rest.edge[v[0]]), 2 * depth), rest, found);
}

static Vec3 edge_normal(const PeltiLayeredCollide *c, int a, int b)
{
    return vec3_normalize_or(vec3_add(c->skin.vertex_normal[a], c->skin.vertex_normal[b]), vec3(0, 0, 0));
}

/// Whether `way` leads below both faces at an edge: into the body, not past a ridge of it.
static bool leads_inside(const PeltiLayeredCollide *c, int edge, Vec3 way)
{
    return vec3_dot(c->skin.triangle_normal[c->rest.edge_faces[edge][0]], way) < 0 &&
           vec3_dot(c->skin.triangle_normal[c->rest.edge_faces[edge][1]], way) < 0;
}

typedef struct SlotEdge {
    int edge;     // of the mesh
    int from, to; // slots
} SlotEdge;

/// Lines through two edges, n their common perpendicular: whether they are surely too far apart, or nearest to each other beyond
/// an end of an edge. Float will do with some room; most pairs of edges end here.
static bool pass_by(Vec3 from_b, Vec3 ea, Vec3 eb, Vec3 n, float reach)
{
    const float room = 0.02f; // for rounding, no tuning: what this lets through is looked at in double
    float squared = vec3_dot(n, n), height = vec3_dot(from_b, n), lengths = vec3_dot(ea, ea) * vec3_dot(eb, eb);
    if (!(squared > PARALLEL * PARALLEL * lengths))
        return false;
    if (height * height > (1 + room) * reach * reach * squared)
        return true;
    float s = vec3_dot(vec3_cross(eb, from_b), n), t = vec3_dot(vec3_cross(ea, from_b), n); // times squared
    return s < -room * squared || s > (1 + room) * squared || t < -room * squared || t > (1 + room) * squared;
}

/// Edge a against b. The normal leads from b to a: along b's outward normal, against a's.
static void try_edges(const PeltiFlesh *flesh, SlotEdge a, SlotEdge b, PairContacts *found)
{
    const PeltiLayeredCollide *c = &flesh->collide;
    int a0 = a.from, a1 = a.to, b0 = b.from, b1 = b.to;
    float edge = lesser(flesh->rest.edge[a0], flesh->rest.edge[b0]);
    Vec3 ea = vec3_sub(c->skin.now[a1], c->skin.now[a0]), eb = vec3_sub(c->skin.now[b1], c->skin.now[b0]);
    Vec3 middles = vec3_sub(vec3_add(c->skin.now[a0], c->skin.now[a1]),
                            vec3_add(c->skin.now[b0], c->skin.now[b1])); // twice the way between them
    // too far apart to be in reach: half the edges and `edge` bound the way, and (p + q)^2 <= 2 p^2 + 2 q^2 saves the roots
    if (vec3_dot(middles, middles) > 4 * (vec3_dot(ea, ea) + vec3_dot(eb, eb)) + 8 * edge * edge)
        return;
    Vec3 n = vec3_cross(ea, eb);
    if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1 || pass_by(vec3_sub(c->skin.now[a0], c->skin.now[b0]), ea, eb, n, edge) ||
        any_crumpled(c, a0, a1, b0, b1))
        return;
    Vec3 na = edge_normal(c, a0, a1), nb = edge_normal(c, b0, b1), way = vec3_sub(nb, na);
    if (vec3_dot(na, nb) > FACING_AT_POINT)
        return;
    float length = vec3_length(n), size = vec3_length(ea) * vec3_length(eb);
    PeltiClosestSegments near = pelti_closest_segments(c->skin.now[a0], c->skin.now[a1], c->skin.now[b0], c->skin.now[b1]);
    if (near.feature_p != 3 || near.feature_q != 3)
        return; // an end is nearest: a point against a triangle answers
    float s = (float)near.s, t = (float)near.t;
    if (length > PARALLEL * size) {
        n = vec3_scale(n, (vec3_dot(n, way) > 0 ? 1 : -1) / length);
        if (vec3_dot(n, way) < SIDEWAYS * vec3_length(way))
            return; // edges that pass each other sideways
    } else {        // parallel: the perpendicular that meets both, led by the surfaces
        Vec3 along = vec3_normalize_or(ea, vec3(1, 0, 0));
        n = vec3_normalize_or(vec3_mad(way, along, -vec3_dot(way, along)), vec3(0, 0, 0));
    }
    Vec3 gap = vec3_sub(vec3_lerp(c->skin.now[a0], c->skin.now[a1], s), vec3_lerp(c->skin.now[b0], c->skin.now[b1], t));
    if (vec3_dot(gap, n) < 0 && !(leads_inside(c, b.edge, gap) && leads_inside(c, a.edge, vec3_scale(gap, -1))))
        return;
    float rest = (float)sqrt(pelti_closest_segments(c->rest.x[a0], c->rest.x[a1], c->rest.x[b0], c->rest.x[b1]).squared);
    const Vec3 *old = c->skin.before;
    Vec3 old_gap = vec3_sub(vec3_lerp(old[a0], old[a1], s), vec3_lerp(old[b0], old[b1], t));
    if (!in_reach(flesh, c->contacts.touched[a0] || c->contacts.touched[a1] || c->contacts.touched[b0] || c->contacts.touched[b1],
                  edge, vec3_dot(old_gap, n), vec3_dot(gap, n), rest))
        return;
    push_contact(flesh,
                 (PeltiLayeredContact){.slot = {a0, a1, b0, b1},
                                       .depth = -vec3_dot(gap, n),
                                       .key = {a.edge, b.edge},
                                       .weight = {1 - s, s, -(1 - t), -t},
                                       .edges = true,
                                       .normal = n},
                 edge, rest, found);
}

static void try_pair(const PeltiFlesh *flesh, int a, int b, PairContacts *found)
{
    const PeltiLayeredCollide *c = &flesh->collide;
    const int *u = flesh->rest.triangles[a], *v = flesh->rest.triangles[b];
    found->count = 0;
    for (int k = 0; k < 3; k++) {
        if (c->rest.vertex_owner[u[k]] == a && !try_point(flesh, u[k], b, found) && flesh->set.continuous)
            try_sweep(flesh, u[k], b, found);
        if (c->rest.vertex_owner[v[k]] == b && !try_point(flesh, v[k], a, found) && flesh->set.continuous)
            try_sweep(flesh, v[k], a, found);
        for (int j = 0; c->rest.edge_owner[a][k] >= 0 && j < 3; j++)
            if (c->rest.edge_owner[b][j] >= 0)
                try_edges(flesh, (SlotEdge){c->rest.edge_owner[a][k], u[k], u[(k + 1) % 3]},
                          (SlotEdge){c->rest.edge_owner[b][j], v[j], v[(j + 1) % 3]}, found);
    }
}

/// The whole test of a pair, on the worker that met it: of thousands of pairs few hold a contact, and only those are kept and
/// done again, in their order.
static int may_touch(void *context, int a, int b, int worker)
{
    const PeltiFlesh *flesh = context;
    PairContacts found;
    (void)worker;
    if (!are_near(flesh, a, b))
        return 0;
    try_pair(flesh, a, b, &found);
    return found.count;
}

static float *least_depth(PeltiLayeredCollide *c, const PeltiLayeredContact *contact, int side)
{
    return contact->edges ? &c->search.edge_depth_scratch[contact->key[side]]
                          : &c->search.point_depth_scratch[contact->key[side]];
}

/// A point or an edge that is inside another part is behind many of its triangles. Only the nearest way out counts: pushed in
/// several directions at once the skin crumples.
static void keep_shallowest(PeltiFlesh *flesh)
{
    PeltiLayeredCollide *c = &flesh->collide;
    int kept = 0;
    for (int i = 0; i < c->contacts.count; i++)
        for (int side = 0; side < 2; side++)
            *least_depth(c, &c->contacts.list[i], side) = INFINITY;
    for (int i = 0; i < c->contacts.count; i++)
        for (int side = 0; c->contacts.list[i].depth > 0 && side < 2; side++) {
            float *least = least_depth(c, &c->contacts.list[i], side);
            *least = fminf(*least, c->contacts.list[i].depth);
        }
    for (int i = 0; i < c->contacts.count; i++) {
        const PeltiLayeredContact *contact = &c->contacts.list[i];
        if (contact->depth > 0 && contact->depth > *least_depth(c, contact, 0) && contact->depth > *least_depth(c, contact, 1))
            continue;
        c->contacts.list[kept++] = *contact;
    }
    c->contacts.count = kept;
}

/// Where each pair's contacts begin; returns the pairs whose contacts fit.
static int place_contacts(PeltiLayeredCollide *c)
{
    for (int i = 0; i < c->search.pairs.count; i++) {
        int found = c->search.pairs.pairs[i].tag;
        if (found > c->contacts.capacity - c->contacts.count) {
            c->contacts.overflowed = true;
            return i;
        }
        c->search.first_scratch[i] = c->contacts.count;
        c->contacts.count += found;
    }
    return c->search.pairs.count;
}

static void fill_contacts(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const PeltiPair *pair = &flesh->collide.search.pairs.pairs[i];
        PairContacts found;
        try_pair(flesh, pair->a, pair->b, &found);
        memcpy(&flesh->collide.contacts.list[flesh->collide.search.first_scratch[i]], found.contact,
               sizeof *found.contact * (size_t)found.count);
    }
}

void pelti_layered_collide_detect(PeltiFlesh *flesh)
{
    PeltiLayeredCollide *c = &flesh->collide;
    c->contacts.count = 0;
    c->contacts.overflowed = false;
    if (!flesh->set.collide)
        return;
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, copy_skin, flesh);
    pelti_parallel_for(flesh->jobs, flesh->mesh->triangle_count, GRAIN, triangle_normals, flesh);
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, vertex_normals, flesh);
    PeltiPairSearch search = {0, may_face, may_touch, flesh};
    if (flesh->set.continuous) {
        search.margin = flesh->set.margin;
        search.nodes = NULL;
        pelti_box_tree_refit_triangles(c->search.tree, flesh->jobs, (const int(*)[3])flesh->rest.triangles, c->skin.before,
                                       c->skin.now);
    } else {
        pelti_box_tree_refit(c->search.tree, flesh->jobs, c->skin.boxes);
    }
    update_spread(c);
    pelti_box_tree_self_pairs_among(c->search.tree, &search, flesh->jobs, &c->search.pairs);
    pelti_parallel_for(flesh->jobs, place_contacts(c), PAIR_GRAIN, fill_contacts, flesh);
    keep_shallowest(flesh);
    pelti_layered_collide_islands(&c->contacts);
    c->contacts.overflowed |= c->search.pairs.found > c->search.pairs.count;
}

void pelti_layered_collide_remember(PeltiFlesh *flesh)
{
    PeltiFleshContacts *contacts = &flesh->collide.contacts;
    memset(contacts->touched, 0, sizeof *contacts->touched * (size_t)flesh->n);
    for (int i = 0; i < contacts->count; i++)
        for (int k = 0; contacts->list[i].push > 0 && k < 4; k++)
            contacts->touched[contacts->list[i].slot[k]] = true;
}

void pelti_layered_collide_forget(PeltiFlesh *flesh)
{
    flesh->collide.contacts.count = 0;
    pelti_layered_collide_remember(flesh);
}

/// Most contacts are only near. Where the way between the sides is so much longer than the thickness and so near to the last
/// normal, the present normal would have to turn by a quarter of a radian to make it too short: cos(60 degrees + turn) = 1/4.
static bool is_apart(const PeltiFlesh *flesh, const PeltiLayeredContact *contact)
{
    Vec3 gap = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        gap = vec3_mad(gap, pelti_flesh_lane(flesh->match.x, contact->slot[k], PELTI_LAYER_SKIN), contact->weight[k]);
    float along = vec3_dot(gap, contact->normal);
    return along > APART_FROM * contact->thickness && along * along > APART_WITHIN * vec3_dot(gap, gap);
}

static void project(PeltiFlesh *flesh, PeltiLayeredContact *contact)
{
    Vec3 x[4], gradient[4];
    float w[4], sum = 0;
    if (is_apart(flesh, contact))
        return;
    for (int k = 0; k < 4; k++) {
        x[k] = pelti_flesh_lane(flesh->match.x, contact->slot[k], PELTI_LAYER_SKIN);
        w[k] = flesh->rest.inverse_mass[(size_t)contact->slot[k] * PELTI_LAYERS + PELTI_LAYER_SKIN];
    }
    float value = pelti_layered_collide_value(contact, x, gradient) - contact->thickness;
    if (!(value < 0))
        return;
    value = fmaxf(value, -contact->most);
    for (int k = 0; k < 4; k++)
        sum += w[k] * vec3_dot(gradient[k], gradient[k]);
    if (!(sum > 0))
        return;
    contact->push -= value;
    contact->normal = vec3_normalize_or(vec3_scale(gradient[0], contact->weight[0] < 0 ? -1 : 1), contact->normal);
    for (int k = 0; k < 4; k++)
        pelti_flesh_set_lane(flesh->match.x, contact->slot[k], PELTI_LAYER_SKIN,
                             vec3_mad(x[k], gradient[k], -w[k] * value / sum));
}

static void project_pieces(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    const PeltiLayeredIslands *islands = &flesh->collide.contacts.islands;
    (void)worker;
    for (int i = islands->piece_start[begin]; i < islands->piece_start[end]; i++)
        project(flesh, &flesh->collide.contacts.list[islands->order[i]]);
}

/// One sweep over the contacts, in their order within each island (Gauss-Seidel).
void pelti_layered_collide_project(PeltiFlesh *flesh)
{
    pelti_parallel_for(flesh->jobs, flesh->collide.contacts.count ? flesh->collide.contacts.islands.piece_count : 0, 1,
                       project_pieces, flesh);
}

/// Approaching contacts bounce by the restitution, pushed ones come to rest against each other; tangential motion is braked by at
/// most friction times the push.
void pelti_layered_collide_velocities(PeltiFlesh *flesh, float dt_s)
{
    for (int i = 0; i < flesh->collide.contacts.count; i++) {
        const PeltiLayeredContact *contact = &flesh->collide.contacts.list[i];
        Vec3 relative = {0, 0, 0};
        float w[4], sum = 0;
        if (!(contact->push > 0))
            continue;
        for (int k = 0; k < 4; k++) {
            w[k] = flesh->rest.inverse_mass[(size_t)contact->slot[k] * PELTI_LAYERS + PELTI_LAYER_SKIN];
            sum += w[k] * contact->weight[k] * contact->weight[k];
            relative = vec3_mad(relative, pelti_flesh_lane(flesh->moving.velocity, contact->slot[k], PELTI_LAYER_SKIN),
                                contact->weight[k]);
        }
        float normal = vec3_dot(relative, contact->normal);
        Vec3 tangential = vec3_mad(relative, contact->normal, -normal);
        float slide = vec3_length(tangential), brake = fminf(slide, flesh->set.friction * contact->push / dt_s);
        Vec3 change = slide > 0 ? vec3_scale(tangential, -brake / slide) : vec3(0, 0, 0);
        // what approached bounces; what only separates because it was pushed apart in this step gains no speed from that
        change = vec3_mad(change, contact->normal, normal < 0 ? -(1 + flesh->set.restitution) * normal : -normal);
        for (int k = 0; sum > 0 && k < 4; k++) {
            int s = contact->slot[k];
            Vec3 carried = vec3_scale(vec3_sub(pelti_flesh_lane(flesh->moving.goal, s, PELTI_LAYER_SKIN),
                                               pelti_flesh_lane(flesh->moving.goal_before, s, PELTI_LAYER_SKIN)),
                                      1 / dt_s);
            Vec3 v =
                vec3_mad(pelti_flesh_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN), change, w[k] * contact->weight[k] / sum);
            pelti_flesh_set_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN, vec3_lerp(v, carried, PRESSED_REST));
        }
    }
}
