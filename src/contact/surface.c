/// Closest features of two surfaces, named so that they are known again.
#include "contact/surface.h"
#include "math/elementary.h"
#include "contact/constants.def"

static Vec3 triangle_normal(const PeltiSurface *s, int t) // not unit
{
    const int *v = s->mesh->triangles[t];
    return vec3_cross(vec3_sub(s->x[v[1]], s->x[v[0]]), vec3_sub(s->x[v[2]], s->x[v[0]]));
}

static Vec3 unit_normal(const PeltiSurface *s, int t)
{
    return vec3_normalize_or(triangle_normal(s, t), vec3(0, 1, 0));
}

static Vec3 edge_normal(const PeltiSurface *s, int e)
{
    const int *t = s->edge_triangles[e];
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 2; k++)
        if (t[k] >= 0)
            sum = vec3_add(sum, unit_normal(s, t[k]));
    return vec3_normalize_or(sum, vec3(0, 1, 0));
}

/// Angle-weighted: the sign of (p - vertex) . normal tells inside from outside wherever the vertex is the nearest feature.
static Vec3 vertex_normal(const PeltiSurface *s, int v)
{
    const PeltiMesh *mesh = s->mesh;
    Vec3 sum = vec3(0, 0, 0);
    for (int k = mesh->fan_start[v]; k < mesh->fan_start[v + 1]; k++) {
        const int *t = mesh->triangles[mesh->fan[k]];
        int at = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        Vec3 a = vec3_sub(s->x[t[(at + 1) % 3]], s->x[v]), b = vec3_sub(s->x[t[(at + 2) % 3]], s->x[v]), n = vec3_cross(a, b);
        float sine = vec3_length(n), angle = pelti_atan2f(sine, vec3_dot(a, b));
        if (sine > 0)
            sum = vec3_mad(sum, n, angle / sine);
    }
    return vec3_normalize_or(sum, vec3(0, 1, 0));
}

// ---- build ----

static void find_edge_triangles(PeltiSurface *s)
{
    const PeltiMesh *mesh = s->mesh;
    for (int e = 0; e < mesh->edge_count; e++)
        s->edge_triangles[e][0] = s->edge_triangles[e][1] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int *of = s->edge_triangles[mesh->triangle_edges[t][k]];
            if (of[0] < 0)
                of[0] = t;
            else if (of[1] < 0)
                of[1] = t;
        }
}

static void find_sharp_edges(PeltiSurface *s)
{
    for (int e = 0; e < s->mesh->edge_count; e++) {
        const int *t = s->edge_triangles[e];
        bool sharp = t[1] < 0 || (double)vec3_dot(unit_normal(s, t[0]), unit_normal(s, t[1])) < CREASE_COSINE;
        if (!sharp)
            continue;
        s->sharp[s->sharp_count++] = e;
        s->on_sharp[s->mesh->edges[e][0]] = s->on_sharp[s->mesh->edges[e][1]] = true;
    }
}

static void box_sharp_edges(PeltiSurface *s)
{
    for (int i = 0; i < s->sharp_count; i++) {
        Vec3 a = s->x[s->mesh->edges[s->sharp[i]][0]], b = s->x[s->mesh->edges[s->sharp[i]][1]];
        s->sharp_boxes[i] = (PeltiBox){vec3_min(a, b), vec3_max(a, b)};
    }
}

PeltStatus pelti_surface_build(PeltiPool *pool, const PeltiMesh *mesh, PeltiSurface *out, PeltError *err)
{
    *out = (PeltiSurface){.mesh = mesh};
    out->x = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    out->before = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    out->edge_triangles = pelti_pool_take(pool, (size_t)mesh->edge_count, sizeof(int[2]));
    out->sharp = PELTI_NEW(pool, int, mesh->edge_count);
    out->sharp_boxes = PELTI_NEW(pool, PeltiBox, mesh->edge_count);
    out->on_sharp = PELTI_NEW(pool, bool, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->edge_count * sizeof(PeltiBox));
    for (int v = 0; v < mesh->vertex_count; v++)
        out->x[v] = out->before[v] = mesh->rest[v];
    find_edge_triangles(out);
    find_sharp_edges(out);
    box_sharp_edges(out);
    for (int e = 0; e < mesh->edge_count; e++)
        out->longest_edge = fmaxf(out->longest_edge, vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]));
    PELT_TRY(pelti_box_tree_build_triangles(pool, mesh->triangle_count, mesh->triangles, out->x, &out->tree, err));
    return pelti_box_tree_build(pool, out->sharp_count, out->sharp_boxes, &out->sharp_tree, err);
}

void pelti_surface_refit(PeltiSurface *surface, PeltiJobs *jobs)
{
    pelti_box_tree_refit_triangles(surface->tree, jobs, surface->mesh->triangles, surface->x, NULL);
    box_sharp_edges(surface);
    pelti_box_tree_refit(surface->sharp_tree, jobs, surface->sharp_boxes);
}

Vec3 pelti_contact_spot_point(const PeltiSurfaceSpot *spot, const Vec3 *x)
{
    return pelti_closest_barycentric(spot->weight, x[spot->vertex[0]], x[spot->vertex[1]], x[spot->vertex[2]]);
}

// ---- closest features ----

void pelti_contact_touch_add(PeltiContactTouches *out, const PeltiContactTouch *touch)
{
    if (out->count < out->capacity)
        out->list[out->count++] = *touch;
    else
        out->dropped++;
}

static uint32_t feature_id(int kind, int index)
{
    return (uint32_t)kind << 28 | (uint32_t)index;
}

static PeltiSurfaceSpot vertex_spot(int v)
{
    return (PeltiSurfaceSpot){{v, v, v}, {1, 0, 0}, feature_id(PELTI_ON_VERTEX, v)};
}

/// The spot of a closest point, its feature named in the mesh, and the outward direction there.
static PeltiSurfaceSpot name_spot(const PeltiSurface *s, int triangle, const PeltiClosest *closest, Vec3 *outward)
{
    const int *t = s->mesh->triangles[triangle];
    PeltiSurfaceSpot spot = {{t[0], t[1], t[2]}, {closest->weight[0], closest->weight[1], closest->weight[2]}, 0};
    int corner = closest->feature == 1 ? 0 : closest->feature == 2 ? 1 : 2;
    int edge = closest->feature == PELTI_EDGE_01 ? 0 : closest->feature == PELTI_EDGE_12 ? 1 : 2;
    switch (pelti_closest_feature_size(closest->feature)) {
    case 1:
        *outward = vertex_normal(s, t[corner]);
        spot.feature = feature_id(PELTI_ON_VERTEX, t[corner]);
        break;
    case 2:
        *outward = edge_normal(s, s->mesh->triangle_edges[triangle][edge]);
        spot.feature = feature_id(PELTI_ON_EDGE, s->mesh->triangle_edges[triangle][edge]);
        break;
    default:
        *outward = unit_normal(s, triangle);
        spot.feature = feature_id(PELTI_ON_FACE, triangle);
    }
    return spot;
}

static bool in_box(const PeltiBox *box, Vec3 p)
{
    return p.x >= box->low.x && p.x <= box->high.x && p.y >= box->low.y && p.y <= box->high.y && p.z >= box->low.z &&
           p.z <= box->high.z;
}

PeltiSurfaceReach pelti_surface_reach(const PeltiSurface *s, double alarm)
{
    PeltiSurfaceReach r = {.box = {vec3(1, 1, 1), vec3(-1, -1, -1)}};
    if (s->tree->node_count)
        r.box = s->tree->nodes[0].box;
    Vec3 grow = vec3((float)alarm, (float)alarm, (float)alarm);
    r.grown = (PeltiBox){vec3_sub(r.box.low, grow), vec3_add(r.box.high, grow)};
    r.size = (double)vec3_distance(r.box.low, r.box.high);
    return r;
}

/// On an edge or a corner, touching: the normal of whichever face there the other surface lies against best. The mean of the
/// faces would push a box that stands flush with the rim of another one sideways.
static Vec3 facing(const PeltiSurface *s, uint32_t feature, Vec3 own, Vec3 outward)
{
    int index = (int)(feature & 0xfffffff);
    const int *list;
    int count = 2;
    if (feature >> 28 == PELTI_ON_EDGE)
        list = s->edge_triangles[index];
    else
        list = s->mesh->fan + s->mesh->fan_start[index], count = s->mesh->fan_start[index + 1] - s->mesh->fan_start[index];
    Vec3 best = outward;
    for (int k = 0; k < count; k++)
        if (list[k] >= 0) {
            Vec3 n = unit_normal(s, list[k]); // of those alike but for rounding, the first
            best = vec3_dot(n, own) < vec3_dot(best, own) - 1e-4f ? n : best;
        }
    return best;
}

typedef struct WayIn { // the first face a vertex went in through on its way from `from` to `to`
    const PeltiSurface *s;
    Vec3 from, to;
    int triangle;
    double at;
} WayIn;

static bool try_entry(void *context, int triangle)
{
    WayIn *e = context;
    const int *v = e->s->mesh->triangles[triangle];
    double t, w[3];
    if (vec3_dot(triangle_normal(e->s, triangle), vec3_sub(e->to, e->from)) < 0 &&
        pelti_segment_pierces((const Vec3[2]){e->from, e->to}, (const Vec3[3]){e->s->x[v[0]], e->s->x[v[1]], e->s->x[v[2]]}, &t,
                              w) &&
        t < e->at) {
        e->at = t;
        e->triangle = triangle;
    }
    return true;
}

/// A vertex that is inside now and came in during this step is to leave through the face it came in by, which need not be the
/// nearest one: across something thin the nearest faces pull both ways.
static bool find_entry(const PeltiSurface *mine, int v, const PeltiSurface *other, const PeltiSurfaceSpot *nearest,
                       PeltiContactTouch *touch)
{
    Vec3 moved = vec3_sub(pelti_contact_spot_point(nearest, other->x), pelti_contact_spot_point(nearest, other->before));
    WayIn e = {other, vec3_add(mine->before[v], moved), mine->x[v], -1, INFINITY};
    PeltiBox box = {vec3_min(e.from, e.to), vec3_max(e.from, e.to)};
    pelti_box_tree_visit(other->tree, &box, 0, try_entry, &e);
    if (e.triangle < 0)
        return false;
    const int *t = other->mesh->triangles[e.triangle];
    PeltiClosest c = pelti_closest_on_triangle(e.to, other->x[t[0]], other->x[t[1]], other->x[t[2]]);
    touch->normal = unit_normal(other, e.triangle);
    touch->gap = (double)vec3_dot(vec3_sub(e.to, other->x[t[0]]), touch->normal);
    touch->point_b = c.point;
    touch->spot_b =
        (PeltiSurfaceSpot){{t[0], t[1], t[2]}, {c.weight[0], c.weight[1], c.weight[2]}, feature_id(PELTI_ON_FACE, e.triangle)};
    return true;
}

typedef struct FacingSkin {
    const PeltiSurface *s;
    Vec3 own;
} FacingSkin;

static bool faces(void *context, int triangle)
{
    const FacingSkin *f = context;
    return vec3_dot(unit_normal(f->s, triangle), f->own) < FACES_AWAY;
}

/// The nearest face looks the same way as the vertex' own skin, so it is not what the vertex lies against: the far side of
/// something thin, or the wall beside a rim that it stands flush with. If it is inside, or as good as touching, the nearest face
/// that does look at it holds it.
static bool find_facing(const PeltiSurface *other, Vec3 p, Vec3 own, double within, PeltiContactTouch *touch)
{
    PeltiNearest near;
    FacingSkin facing_own = {other, own};
    PeltiNearestQuery query = {.triangles = other->mesh->triangles,
                               .points = other->x,
                               .point = p,
                               .max_distance = (float)within,
                               .filter = faces,
                               .context = &facing_own};
    if (!pelti_box_tree_nearest(other->tree, &query, &near))
        return false;
    const int *t = other->mesh->triangles[near.triangle];
    touch->normal = unit_normal(other, near.triangle);
    touch->gap = (double)vec3_dot(vec3_sub(p, other->x[t[0]]), touch->normal);
    touch->point_b = near.closest.point;
    touch->spot_b = (PeltiSurfaceSpot){{t[0], t[1], t[2]},
                                       {near.closest.weight[0], near.closest.weight[1], near.closest.weight[2]},
                                       feature_id(PELTI_ON_FACE, near.triangle)};
    return true;
}

/// Distance to a triangle that was near before: the search need look no farther.
static float hinted(const PeltiSurface *other, int triangle, Vec3 p, float far)
{
    if (triangle < 0)
        return far;
    const int *t = other->mesh->triangles[triangle];
    float d = (float)sqrt(pelti_closest_on_triangle(p, other->x[t[0]], other->x[t[1]], other->x[t[2]]).squared) * 1.0001f;
    return d < far ? d : far;
}

bool pelti_contact_touch_vertex(const PeltiSurfaceQuery *query, int *hint, double *clear, PeltiContactTouch *touch)
{
    const PeltiSurface *mine = query->mine, *other = query->other;
    const double alarm = query->limits->alarm, far = query->limits->far, deep = query->limits->deep;
    int v = query->vertex;
    Vec3 p = mine->x[v];
    PeltiNearest near;
    bool search = query->search && in_box(&query->reach->box, p);
    *clear = far;
    PeltiNearestQuery nearest = {.triangles = other->mesh->triangles,
                                 .points = other->x,
                                 .point = p,
                                 .max_distance = hinted(other, *hint, p, search ? INFINITY : (float)far)};
    if (!pelti_box_tree_nearest(other->tree, &nearest, &near)) {
        *hint = -1;
        return false;
    }
    *hint = near.triangle;
    Vec3 outward, d = vec3_sub(p, near.closest.point);
    touch->spot_a = vertex_spot(v);
    touch->spot_b = name_spot(other, near.triangle, &near.closest, &outward);
    double sign = vec3_dot(d, outward) >= 0 ? 1 : -1;
    touch->gap = sign * near.distance;
    *clear = fmax(touch->gap, 0);
    if (touch->gap > alarm || near.distance > fmax(deep, far))
        return false;
    bool face = touch->spot_b.feature >> 28 == PELTI_ON_FACE;
    Vec3 own = vertex_normal(mine, v);
    if (!face && near.distance < SAME_PLACE * alarm)
        touch->normal = facing(other, touch->spot_b.feature, own, outward);
    else
        touch->normal = face ? outward : vec3_normalize_or(vec3_scale(d, (float)sign), outward);
    if (!face && near.distance < SAME_PLACE * alarm)
        touch->gap = (double)vec3_dot(d, touch->normal);
    touch->point_a = p;
    touch->point_b = near.closest.point;
    if (touch->gap < -SAME_PLACE * alarm && find_entry(mine, v, other, &touch->spot_b, touch))
        return true;
    return vec3_dot(own, touch->normal) < FACES_AWAY ||
           find_facing(other, p, own, touch->gap < 0 ? deep : SAME_PLACE * alarm, touch);
}

bool pelti_surface_depth(const PeltiSurface *s, const PeltiSurfaceReach *reach, Vec3 p, double *depth, Vec3 *out)
{
    PeltiNearest near;
    PeltiNearestQuery query = {.triangles = s->mesh->triangles, .points = s->x, .point = p, .max_distance = INFINITY};
    if (!in_box(&reach->box, p) || !pelti_box_tree_nearest(s->tree, &query, &near))
        return false;
    Vec3 outward, d = vec3_sub(near.closest.point, p);
    name_spot(s, near.triangle, &near.closest, &outward);
    *depth = vec3_dot(d, outward) > 0 ? near.distance : -near.distance;
    *out = vec3_normalize_or(d, outward);
    return true;
}

void pelti_contact_touch_swap(PeltiContactTouch *t)
{
    PeltiSurfaceSpot spot = t->spot_a;
    t->spot_a = t->spot_b, t->spot_b = spot;
    Vec3 p = t->point_a;
    t->point_a = t->point_b, t->point_b = p;
    t->normal = vec3_scale(t->normal, -1);
}

// ---- edges ----

/// Whether leaving the edge along n leads away from both its faces (no deeper than `slack`).
static bool leads_out(const PeltiSurface *s, int e, Vec3 n, float slack)
{
    for (int k = 0; k < 2; k++) {
        int t = s->edge_triangles[e][k];
        if (t < 0)
            continue;
        const int *v = s->mesh->triangles[t];
        Vec3 a = s->x[s->mesh->edges[e][0]], b = s->x[s->mesh->edges[e][1]],
             along = vec3_normalize_or(vec3_sub(b, a), vec3(1, 0, 0));
        int corner = v[0] != s->mesh->edges[e][0] && v[0] != s->mesh->edges[e][1]   ? v[0]
                     : v[1] != s->mesh->edges[e][0] && v[1] != s->mesh->edges[e][1] ? v[1]
                                                                                    : v[2];
        Vec3 into = vec3_sub(s->x[corner], a);
        into = vec3_normalize_or(vec3_mad(into, along, -vec3_dot(into, along)), vec3(0, 0, 0));
        if (vec3_dot(n, into) > slack)
            return false;
    }
    return true;
}

static bool is_sharp(const PeltiSurface *s, int e)
{
    const int *t = s->edge_triangles[e];
    return t[1] < 0 || (double)vec3_dot(unit_normal(s, t[0]), unit_normal(s, t[1])) < CREASE_COSINE;
}

static bool touch_edges(const PeltiSurface *a, int ea, const PeltiSurface *b, int eb, double alarm, PeltiContactTouch *touch)
{
    const int *u = a->mesh->edges[ea], *v = b->mesh->edges[eb];
    Vec3 p0 = a->x[u[0]], p1 = a->x[u[1]], q0 = b->x[v[0]], q1 = b->x[v[1]];
    PeltiClosestSegments c = pelti_closest_segments(p0, p1, q0, q1);
    if (c.feature_p != 3 || c.feature_q != 3 || c.squared > alarm * alarm)
        return false; // the ends are vertices' business
    Vec3 d1 = vec3_normalize_or(vec3_sub(p1, p0), vec3(1, 0, 0)), d2 = vec3_normalize_or(vec3_sub(q1, q0), vec3(1, 0, 0));
    Vec3 across = vec3_cross(d1, d2);
    if (vec3_dot(across, across) < EDGES_ALONG)
        return false; // parallel
    Vec3 outward = vec3_sub(edge_normal(b, eb), edge_normal(a, ea)), n = vec3_normalize_or(across, vec3(0, 1, 0));
    if (vec3_dot(n, outward) < 0)
        n = vec3_scale(n, -1);
    if (!leads_out(b, eb, n, is_sharp(b, eb) ? OUT_SHARP : OUT_SMOOTH) ||
        !leads_out(a, ea, vec3_scale(n, -1), is_sharp(a, ea) ? OUT_SHARP : OUT_SMOOTH))
        return false;
    touch->spot_a = (PeltiSurfaceSpot){{u[0], u[1], u[0]}, {1 - c.s, c.s, 0}, feature_id(PELTI_ON_EDGE, ea)};
    touch->spot_b = (PeltiSurfaceSpot){{v[0], v[1], v[0]}, {1 - c.t, c.t, 0}, feature_id(PELTI_ON_EDGE, eb)};
    touch->point_a = pelti_contact_spot_point(&touch->spot_a, a->x);
    touch->point_b = pelti_contact_spot_point(&touch->spot_b, b->x);
    touch->normal = n;
    touch->gap = (double)vec3_dot(vec3_sub(touch->point_a, touch->point_b), n);
    return true;
}

/// Edges of a's triangles against sharp edges of b. On the way `back` only those of a that are not sharp themselves, the others
/// were found before; the touch is turned round.
static void touch_sharp(const PeltiSurfacePair *two, double alarm, bool back, PeltiContactTouches *out)
{
    const PeltiSurface *a = &two->surfaces[back ? two->b : two->a], *b = &two->surfaces[back ? two->a : two->b];
    PeltiContactTouch touch = {.a = two->a, .b = two->b};
    if (b->sharp_count == 0)
        return;
    pelti_box_tree_pairs(a->tree, b->sharp_tree, &(PeltiPairSearch){.margin = (float)alarm}, NULL, &out->pairs_scratch);
    for (int i = 0; i < out->pairs_scratch.count; i++) {
        int t = out->pairs_scratch.pairs[i].a, eb = b->sharp[out->pairs_scratch.pairs[i].b];
        for (int k = 0; k < 3; k++) {
            int ea = a->mesh->triangle_edges[t][k];
            if (a->edge_triangles[ea][0] != t || (back && is_sharp(a, ea)) || !touch_edges(a, ea, b, eb, alarm, &touch))
                continue;
            if (back)
                pelti_contact_touch_swap(&touch);
            pelti_contact_touch_add(out, &touch);
        }
    }
}

void pelti_contact_touch_edges(const PeltiSurfacePair *two, double alarm, PeltiContactTouches *out)
{
    touch_sharp(two, alarm, false, out);
    touch_sharp(two, alarm, true, out);
}

void pelti_contact_touch_ground(const PeltiSurface *surfaces, int a, double height, double alarm, PeltiContactTouches *out)
{
    const PeltiSurface *s = &surfaces[a];
    if (s->tree->node_count == 0 || (double)s->tree->nodes[0].box.low.y > height + alarm)
        return;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        Vec3 p = s->x[v];
        double gap = (double)p.y - height;
        if (!(gap <= alarm) || s->mesh->fan_start[v] == s->mesh->fan_start[v + 1])
            continue;
        PeltiContactTouch touch = {.a = a, .b = -1, .spot_a = vertex_spot(v), .point_a = p, .normal = vec3(0, 1, 0), .gap = gap};
        touch.point_b = vec3(p.x, (float)height, p.z);
        touch.spot_b = (PeltiSurfaceSpot){{0, 0, 0}, {0, 0, 0}, feature_id(PELTI_ON_GROUND, 0)};
        pelti_contact_touch_add(out, &touch);
    }
}
