/// The one straight way out for two surfaces that start deep in each other.
/// It is taken in place of hundreds of contacts that contradict each other. Its direction is chosen once, so that frame after
/// frame leads the same way.
#include "contact/corrector_parts.h"
#include "contact/constants.def"

typedef struct Tube { ///< what lies in the way of the smaller of the two
    const PeltiSurface *small, *large;
    Vec3 centre; ///< of the smaller
    float radius;
} Tube;

static Tube tube_of(const PeltiCorrector *c, const PeltiCorrectorEscape *e)
{
    PeltiSurfaceReach a = pelti_surface_reach(&c->things.surfaces[e->a], 0),
                      b = pelti_surface_reach(&c->things.surfaces[e->b], 0);
    bool first = a.size <= b.size;
    PeltiBox box = first ? a.box : b.box;
    Tube tube = {.small = &c->things.surfaces[first ? e->a : e->b],
                 .large = &c->things.surfaces[first ? e->b : e->a],
                 .centre = vec3_lerp(box.low, box.high, 0.5f)};
    for (int v = 0; v < tube.small->mesh->vertex_count; v++)
        tube.radius = fmaxf(tube.radius, vec3_distance(tube.small->x[v], tube.centre));
    return tube;
}

/// How far the smaller one has to go along `way` until nothing of the larger one is before it.
static float way_out(const Tube *tube, Vec3 way)
{
    float most = -tube->radius;
    for (int v = 0; v < tube->large->mesh->vertex_count; v++) {
        Vec3 d = vec3_sub(tube->large->x[v], tube->centre);
        float along = vec3_dot(d, way);
        if (along > most && vec3_dot(d, d) - along * along < tube->radius * tube->radius)
            most = along;
    }
    return most + tube->radius;
}

static Vec3 shortest_way(const Tube *tube)
{
    Vec3 best = vec3(0, 1, 0);
    float least = INFINITY;
    for (int i = 0; i < 27; i++) { // the directions of a cube's faces, edges and corners
        int up = i / 9 - 1;
        Vec3 way = vec3((float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)up);
        float length = vec3_length(way), far = length > 0 ? way_out(tube, vec3_scale(way, 1 / length)) : INFINITY;
        if (far < least)
            least = far, best = vec3_scale(way, 1 / length);
    }
    return best;
}

static PeltiCorrectorEscape *find_escape(PeltiCorrector *c, int a, int b)
{
    for (int i = 0; i < c->escapes.count; i++)
        if (c->escapes.list[i].a == a && c->escapes.list[i].b == b)
            return &c->escapes.list[i];
    return NULL;
}

static bool thing_moves(const PeltiCorrector *c, int surface)
{
    return surface >= c->things.skin_count && pelti_contact_body_moves(&c->things.bodies[surface - c->things.skin_count]);
}

void pelti_corrector_find_escapes(PeltiCorrector *c)
{
    for (int i = 0; i < c->detection.touches.count; i++) {
        const PeltiContactTouch *t = &c->detection.touches.list[i];
        if (t->b < 0 || !(t->gap < -ESCAPE_DEEP * c->alarm) || find_escape(c, t->a, t->b) ||
            c->escapes.count == CORRECTOR_MOST_ESCAPES)
            continue;
        c->escapes.sparing_s = ESCAPE_S;
        if (!thing_moves(c, t->a) && !thing_moves(c, t->b))
            continue; // a skin bends out of what stands fast, as far as it can: no one direction is right for all of it
        PeltiCorrectorEscape e = {.a = t->a, .b = t->b};
        Tube tube = tube_of(c, &e);
        e.way = shortest_way(&tube);
        e.speed = fmax(OUT_SPEED * c->alarm, (double)way_out(&tube, e.way) / ESCAPE_S);
        c->escapes.list[c->escapes.count++] = e;
    }
}

static PeltiSurfaceSpot nearest_vertex(const PeltiSurface *s, Vec3 p)
{
    int best = 0;
    float least = INFINITY;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        float d = vec3_distance(s->x[v], p);
        if (d < least && s->mesh->fan_start[v] != s->mesh->fan_start[v + 1])
            least = d, best = v;
    }
    return (PeltiSurfaceSpot){{best, best, best}, {1, 0, 0}, (uint32_t)PELTI_ON_VERTEX << 28 | (uint32_t)best};
}

/// The one contact of a pair on its way out.
static PeltiContactTouch leading_out(const PeltiCorrector *c, const PeltiCorrectorEscape *e)
{
    Tube tube = tube_of(c, e);
    bool first = tube.small == &c->things.surfaces[e->a];
    PeltiContactTouch t = {.a = e->a, .b = e->b, .speed = e->speed, .normal = first ? e->way : vec3_scale(e->way, -1)};
    t.spot_a = nearest_vertex(&c->things.surfaces[e->a], tube.centre);
    t.spot_b = nearest_vertex(&c->things.surfaces[e->b], tube.centre);
    t.point_a = pelti_contact_spot_point(&t.spot_a, c->things.surfaces[e->a].x);
    t.point_b = pelti_contact_spot_point(&t.spot_b, c->things.surfaces[e->b].x);
    // As deep as ever at the start of the step: the one thing it says is how fast the two part. What is still before the smaller
    // one changes by leaps as it passes, and would shake it.
    Vec3 now = vec3_sub(t.point_a, t.point_b),
         then = vec3_sub(pelti_contact_spot_point(&t.spot_a, c->things.surfaces[e->a].before),
                         pelti_contact_spot_point(&t.spot_b, c->things.surfaces[e->b].before));
    t.gap = (double)vec3_dot(vec3_sub(now, then), t.normal) - ESCAPE_S * e->speed;
    return t;
}

void pelti_corrector_lead_out(PeltiCorrector *c)
{
    int kept = 0;
    for (int i = 0; i < c->escapes.count; i++)
        c->escapes.list[i].inside &= !c->escapes.look;
    for (int i = 0; i < c->detection.touches.count && c->escapes.count; i++) {
        const PeltiContactTouch *t = &c->detection.touches.list[i];
        PeltiCorrectorEscape *e = find_escape(c, t->a, t->b);
        if (e)
            e->inside |= t->gap < -INSIDE * c->alarm;
        else
            c->detection.touches.list[kept++] = *t;
    }
    c->detection.touches.count = c->escapes.count ? kept : c->detection.touches.count;
    for (int i = 0; i < c->escapes.count; i++)
        if (c->escapes.list[i].inside) {
            PeltiContactTouch t = leading_out(c, &c->escapes.list[i]);
            pelti_contact_touch_add(&c->detection.touches, &t);
        }
}

bool pelti_corrector_leaves(PeltiCorrector *c, int a, int b)
{
    return find_escape(c, a, b) != NULL;
}

void pelti_corrector_forget_escapes(PeltiCorrector *c, double h)
{
    int kept = 0;
    c->escapes.sparing_s = fmax(0, c->escapes.sparing_s - h);
    for (int i = 0; i < c->escapes.count; i++)
        if (c->escapes.list[i].inside)
            c->escapes.list[kept++] = c->escapes.list[i], c->escapes.sparing_s = ESCAPE_S;
    c->escapes.count = kept;
}
