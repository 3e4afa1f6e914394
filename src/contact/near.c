/// Leaves out vertices that cannot have come near since they were last asked.
#include "contact/near.h"

#include <string.h>

typedef struct Asked { ///< what a vertex remembers; 36 bytes
    Vec3 at;           ///< where it was asked, in the pair's frame
    Vec3 last;         ///< where it was at the last detection
    float clear;       ///< distance to the other surface when asked, 0: inside or never asked
    float other_moved; ///< the other surface's running sum when asked
    int hint;          ///< nearest triangle then
} Asked;

typedef struct Pair {
    int a, b; ///< a -1: free
    size_t first[2];
    double moved[2]; ///< of each surface: sum over the detections of the largest motion of a vertex in the region
    double far;      ///< no clearance is said to be more
    bool fresh;
} Pair;

enum { PAIRS = 4096, TABLE = 2 * PAIRS };

struct PeltiNearMemory {
    Asked *asked;
    size_t capacity, used;
    Pair *table; ///< [TABLE] open hash
    int pair_count;
};

PeltStatus pelti_contact_near_create(PeltiPool *pool, int surface_count, const PeltiSurface *surfaces, size_t most_bytes,
                                     PeltiNearMemory **out, PeltError *err)
{
    size_t first = 0, second = 0, all = 0;
    for (int s = 0; s < surface_count; s++) {
        size_t n = (size_t)surfaces[s].mesh->vertex_count;
        all += n;
        second = n > first ? first : n > second ? n : second;
        first = n > first ? n : first;
    }
    size_t capacity = surface_count ? all * (size_t)(surface_count - 1) : 0, most = most_bytes / sizeof(Asked);
    capacity = capacity < most ? capacity : most;
    capacity = capacity > first + second ? capacity : first + second;
    PeltiNearMemory *m = PELTI_NEW(pool, PeltiNearMemory, 1);
    if (!m)
        return pelti_no_memory(err, sizeof *m);
    m->capacity = capacity;
    m->asked = PELTI_NEW(pool, Asked, capacity);
    m->table = PELTI_NEW(pool, Pair, TABLE);
    if (pool->failed)
        return pelti_no_memory(err, capacity * sizeof(Asked));
    for (int i = 0; i < TABLE; i++)
        m->table[i].a = -1;
    *out = m;
    return PELT_OK;
}

static Pair *find_pair(PeltiNearMemory *m, int a, int b, size_t vertices_a, size_t vertices_b)
{
    unsigned start = ((unsigned)a * 2654435761u ^ (unsigned)b * 40503u * 65537u) % TABLE, at = start;
    while (m->table[at].a >= 0 && (m->table[at].a != a || m->table[at].b != b))
        at = (at + 1) % TABLE;
    if (m->table[at].a >= 0)
        return &m->table[at];
    if (m->pair_count == PAIRS || m->used + vertices_a + vertices_b > m->capacity) {
        for (int i = 0; i < TABLE; i++)
            m->table[i].a = -1;
        m->pair_count = 0, m->used = 0;
        at = start;
    }
    m->table[at] = (Pair){.a = a, .b = b, .first = {m->used, m->used + vertices_a}, .fresh = true};
    m->used += vertices_a + vertices_b;
    m->pair_count++;
    return &m->table[at];
}

static bool in_box(const PeltiBox *box, Vec3 p)
{
    return p.x >= box->low.x && p.x <= box->high.x && p.y >= box->low.y && p.y <= box->high.y && p.z >= box->low.z &&
           p.z <= box->high.z;
}

typedef struct Side {
    const PeltiSurface *mine, *other;
    const PeltiReach *reach; ///< of the other
    PeltiBox region;         ///< beyond it nothing of mine matters
    Asked *asked;
} Side;

/// Takes every vertex to where it is now; returns the largest motion of those in the region, before or after.
static double follow(const Side *side, const Mat34 *to_frame, bool fresh)
{
    double most = 0;
    for (int v = 0; v < side->mine->mesh->vertex_count; v++) {
        Asked *asked = &side->asked[v];
        Vec3 p = side->mine->x[v], y = to_frame ? mat34_apply(*to_frame, p) : p;
        if (fresh)
            *asked = (Asked){.at = y, .last = y, .hint = -1};
        bool now = in_box(&side->region, p);
        if (now || asked->clear != 0) {
            double d = (double)vec3_distance(y, asked->last);
            most = d > most ? d : most;
        }
        if (!now)
            asked->clear = 0; // asked anew when it comes back
        asked->last = y;
    }
    return most;
}

/// How far the vertex is clear of the other surface at least, after what has moved since it was asked.
static double still_clear(const Asked *asked, double other_moved)
{
    double moved = (double)vec3_distance(asked->last, asked->at) + other_moved - (double)asked->other_moved;
    return asked->clear == 0 ? 0 : (double)asked->clear - 1.001 * moved;
}

static bool ask(const Side *side, int v, double other_moved, const PeltiTouchLimits *limits, PeltiContactTouch *touch)
{
    Asked *asked = &side->asked[v];
    if (!in_box(&side->region, side->mine->x[v]) || side->mine->mesh->fan_start[v] == side->mine->mesh->fan_start[v + 1])
        return false;
    double clear = still_clear(asked, other_moved);
    if (clear > 1.001 * limits->alarm)
        return false;
    bool search = true;
    if (asked->clear > 0 && clear > -limits->alarm)
        search = false; // it was outside, and what has moved since does not suffice to take it deeper than the alarm distance
    PeltiVertexQuery query = {
        .mine = side->mine, .other = side->other, .reach = side->reach, .vertex = v, .limits = limits, .search = search};
    bool touches = pelti_contact_touch_vertex(&query, &asked->hint, &clear, touch);
    asked->at = asked->last;
    asked->clear = (float)clear;
    asked->other_moved = (float)other_moved;
    return touches;
}

static PeltiBox region_of(const PeltiReach *reach, double grow)
{
    Vec3 g = vec3((float)grow, (float)grow, (float)grow);
    return (PeltiBox){vec3_sub(reach->box.low, g), vec3_add(reach->box.high, g)};
}

void pelti_contact_touch_surfaces(PeltiNearMemory *memory, const PeltiSurfacePair *two, double alarm, PeltiContactTouches *out)
{
    int a = two->a, b = two->b;
    const PeltiSurface *sa = &two->surfaces[a], *sb = &two->surfaces[b];
    PeltiReach ra = pelti_surface_reach(sa, alarm), rb = pelti_surface_reach(sb, alarm);
    if (!pelti_box_overlap(&ra.box, &rb.box, (float)alarm))
        return;
    Pair *pair = find_pair(memory, a, b, (size_t)sa->mesh->vertex_count, (size_t)sb->mesh->vertex_count);
    // A clearance is never said to be more than `far` when it matters; what comes from farther away moves that far within the
    // region first.
    if (pair->fresh)
        pair->far = 3 * alarm;
    PeltiTouchLimits limits = {
        .alarm = alarm, .far = fmax(pair->far, 1.5 * alarm), .deep = fmax(4 * alarm, 0.25 * fmin(ra.size, rb.size))};
    double grow = limits.far + 2 * (double)fmaxf(sa->longest_edge, sb->longest_edge);
    Side of_a = {sa, sb, &rb, region_of(&rb, grow), memory->asked + pair->first[0]},
         of_b = {sb, sa, &ra, region_of(&ra, grow), memory->asked + pair->first[1]};
    pair->moved[0] += follow(&of_a, two->to_frame, pair->fresh);
    pair->moved[1] += follow(&of_b, two->to_frame, pair->fresh);
    pair->fresh = false;
    PeltiContactTouch touch = {.a = a, .b = b};
    for (int v = 0; v < sa->mesh->vertex_count; v++)
        if (ask(&of_a, v, pair->moved[1], &limits, &touch))
            pelti_contact_touch_add(out, &touch);
    for (int v = 0; v < sb->mesh->vertex_count; v++) {
        if (!ask(&of_b, v, pair->moved[0], &limits, &touch) || touch.spot_b.feature >> 28 == PELTI_ON_VERTEX)
            continue; // two vertices were found from the other side
        pelti_contact_touch_swap(&touch);
        pelti_contact_touch_add(out, &touch);
    }
    pelti_contact_touch_edges(two->surfaces, a, b, alarm, out);
}
