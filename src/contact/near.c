/// Leaves out vertices that cannot have come near since they were last asked.
#include "contact/near.h"
#include "contact/constants.def"

#include <string.h>

typedef struct Asked { ///< what a vertex remembers; 36 bytes
    Vec3 at;           ///< where it was asked, in the pair's frame
    Vec3 last;         ///< where it was at the last detection
    float clear;       ///< distance to the other surface when asked, 0: inside or never asked
    float other_moved; ///< the other surface's running sum when asked
    int hint;          ///< nearest triangle then, -1: none, AWAY: far from the other surface, its places are not kept
} Asked;

typedef struct KnownPair {
    int a, b; ///< a -1: free
    size_t first[2];
    double moved[2]; ///< of each surface: sum over the detections of the largest motion of a vertex in the region
    double far;      ///< asked vertices look so far
    bool fresh;
} KnownPair;

/// Sizes of tables and grains of parallel work: of time and memory alone.
enum { PAIRS = 4096, TABLE = 2 * PAIRS, VERTICES = 8192, QUERIES = 64, BATCH = 2048, AWAY = -2 };

typedef struct NearScratch {  ///< of one detection; vertices of the two surfaces are numbered on
    double (*moved)[2];       ///< [pieces of VERTICES] largest motion of a vertex of either, INFINITY: not known
    int *inside;              ///< [vertices] those in the other's region
    int *inside_count;        ///< [pieces of VERTICES] how many, from the piece's first place on
    int *chosen;              ///< [vertices] those of them that must be asked
    PeltiContactTouch *found; ///< [BATCH]
    bool *touches;            ///< [BATCH]
} NearScratch;

struct PeltiContactNearMemory {
    Asked *asked;
    size_t capacity, used;
    KnownPair *table; ///< [TABLE] open hash
    int pair_count;
    NearScratch scratch;
};

PeltStatus pelti_contact_near_create(PeltiPool *pool, int surface_count, const PeltiSurface *surfaces, size_t most_bytes,
                                     PeltiContactNearMemory **out, PeltError *err)
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
    PeltiContactNearMemory *m = PELTI_NEW(pool, PeltiContactNearMemory, 1);
    if (!m)
        return pelti_no_memory(err, sizeof *m);
    m->capacity = capacity;
    m->asked = PELTI_NEW(pool, Asked, capacity);
    m->table = PELTI_NEW(pool, KnownPair, TABLE);
    m->scratch = (NearScratch){.moved = pelti_pool_take(pool, (first + second) / VERTICES + 1, sizeof(double[2])),
                               .chosen = PELTI_NEW(pool, int, first + second),
                               .inside = PELTI_NEW(pool, int, first + second),
                               .inside_count = PELTI_NEW(pool, int, (first + second) / VERTICES + 1),
                               .found = PELTI_NEW(pool, PeltiContactTouch, BATCH),
                               .touches = PELTI_NEW(pool, bool, BATCH)};
    if (pool->failed)
        return pelti_no_memory(err, capacity * sizeof(Asked));
    for (int i = 0; i < TABLE; i++)
        m->table[i].a = -1;
    *out = m;
    return PELT_OK;
}

static KnownPair *find_pair(PeltiContactNearMemory *m, int a, int b, size_t vertices_a, size_t vertices_b)
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
    m->table[at] = (KnownPair){.a = a, .b = b, .first = {m->used, m->used + vertices_a}, .fresh = true};
    m->used += vertices_a + vertices_b;
    m->pair_count++;
    return &m->table[at];
}

static bool in_box(const PeltiBox *box, Vec3 p)
{
    return p.x >= box->low.x && p.x <= box->high.x && p.y >= box->low.y && p.y <= box->high.y && p.z >= box->low.z &&
           p.z <= box->high.z;
}

typedef struct NearSide {
    const PeltiSurface *mine, *other;
    const PeltiSurfaceReach *reach; ///< of the other
    PeltiBox region;                ///< beyond it nothing of mine matters
    PeltiBox around;                ///< beyond it nothing of mine is followed
    Asked *asked;
} NearSide;

typedef struct NearLook { ///< one detection of two surfaces
    NearSide sides[2];
    const Mat34 *to_frame;
    bool fresh;
    double moved[2]; ///< running sums of the pair
    PeltiContactLimits limits;
    NearScratch *scratch;
    int first; ///< of the batch in `chosen`
} NearLook;

/// Vertices of both surfaces are numbered on: the side of one, and its number there.
static const NearSide *side_of(const NearLook *look, int *v)
{
    int count = look->sides[0].mine->mesh->vertex_count;
    bool second = *v >= count;
    *v -= second ? count : 0;
    return &look->sides[second];
}

/// Takes every vertex to where it is now; lists those in the region, and keeps the largest motion of those in it before or after.
static void follow(void *context, int begin, int end, int worker)
{
    (void)worker;
    const NearLook *look = context;
    double most[2] = {0, 0};
    int count = 0;
    for (int i = begin; i < end; i++) {
        int v = i;
        const NearSide *side = side_of(look, &v);
        const PeltiMesh *mesh = side->mine->mesh;
        Asked *asked = &side->asked[v];
        Vec3 p = side->mine->x[v];
        if (!in_box(&side->around, p)) {
            asked->hint = AWAY;
            asked->clear = 0;
            continue;
        }
        Vec3 y = look->to_frame ? mat34_apply(*look->to_frame, p) : p;
        bool now = in_box(&side->region, p), leapt = now && asked->hint == AWAY && !look->fresh;
        if (look->fresh || asked->hint == AWAY)
            *asked = (Asked){.at = y, .last = y, .hint = -1};
        if (now || asked->clear != 0) {
            double d = leapt ? INFINITY : (double)vec3_distance(y, asked->last), *of = &most[side == &look->sides[1]];
            *of = d > *of ? d : *of;
        }
        if (!now)
            asked->clear = 0; // asked anew when it comes back
        else if (mesh->fan_start[v] != mesh->fan_start[v + 1])
            look->scratch->inside[begin + count++] = i;
        asked->last = y;
    }
    memcpy(look->scratch->moved[begin / VERTICES], most, sizeof most);
    look->scratch->inside_count[begin / VERTICES] = count;
}

/// How far the vertex is clear of the other surface at least, after what has moved since it was asked.
static inline double still_clear(const Asked *asked, double other_moved)
{
    double moved = (double)vec3_distance(asked->last, asked->at) + other_moved - (double)asked->other_moved;
    return asked->clear == 0 ? 0 : (double)asked->clear - 1.001 * moved;
}

static double other_moved(const NearLook *look, const NearSide *side)
{
    return look->moved[side == &look->sides[0]];
}

static float outside(const PeltiBox *box, Vec3 p) ///< how far
{
    float x = fmaxf(fmaxf(box->low.x - p.x, p.x - box->high.x), 0), y = fmaxf(fmaxf(box->low.y - p.y, p.y - box->high.y), 0),
          z = fmaxf(fmaxf(box->low.z - p.z, p.z - box->high.z), 0);
    return sqrtf(x * x + y * y + z * z);
}

/// Outside the other's bounds, and farther than the alarm distance: it is as clear as that without being asked.
static bool clear_of_bounds(const NearLook *look, const NearSide *side, int v)
{
    Asked *asked = &side->asked[v];
    float clear = outside(&side->reach->box, side->mine->x[v]);
    if (!((double)clear > 1.001 * look->limits.alarm))
        return false;
    asked->at = asked->last;
    asked->clear = fminf(clear, KNOWN_FAR * (float)look->limits.far);
    asked->other_moved = (float)other_moved(look, side);
    return true;
}

/// The vertices in the region that may be within the alarm distance, in one row; how many.
static int choose(const NearLook *look, int vertices)
{
    const NearScratch *scratch = look->scratch;
    int count = 0;
    for (int begin = 0; begin < vertices; begin += VERTICES)
        for (int k = 0; k < scratch->inside_count[begin / VERTICES]; k++) {
            int i = scratch->inside[begin + k], v = i;
            const NearSide *side = side_of(look, &v);
            if (!(still_clear(&side->asked[v], other_moved(look, side)) > 1.001 * look->limits.alarm) &&
                !clear_of_bounds(look, side, v))
                scratch->chosen[count++] = i;
        }
    return count;
}

static void ask(void *context, int begin, int end, int worker)
{
    (void)worker;
    const NearLook *look = context;
    for (int k = begin; k < end; k++) {
        int v = look->scratch->chosen[look->first + k];
        const NearSide *side = side_of(look, &v);
        Asked *asked = &side->asked[v];
        double moved = other_moved(look, side), clear = still_clear(asked, moved);
        // it was outside, and what has moved since does not suffice to take it deeper than the alarm distance
        bool search = !(asked->clear > 0 && clear > -look->limits.alarm);
        PeltiSurfaceQuery query = {.mine = side->mine,
                                   .other = side->other,
                                   .reach = side->reach,
                                   .vertex = v,
                                   .limits = &look->limits,
                                   .search = search};
        look->scratch->touches[k] = pelti_contact_touch_vertex(&query, &asked->hint, &clear, &look->scratch->found[k]);
        asked->at = asked->last;
        asked->clear = (float)fmin(clear, KNOWN_FAR * look->limits.far);
        asked->other_moved = (float)moved;
    }
}

/// Asks the chosen vertices, a batch at a time, and adds what touches in their order.
static void ask_chosen(NearLook *look, const PeltiSurfacePair *two, int chosen, PeltiContactTouches *out)
{
    NearScratch *scratch = look->scratch;
    for (look->first = 0; look->first < chosen; look->first += BATCH) {
        int count = chosen - look->first < BATCH ? chosen - look->first : BATCH;
        pelti_parallel_for(two->jobs, count, QUERIES, ask, look);
        for (int k = 0; k < count; k++) {
            PeltiContactTouch *touch = &scratch->found[k];
            bool second = scratch->chosen[look->first + k] >= two->surfaces[two->a].mesh->vertex_count;
            if (!scratch->touches[k] || (second && touch->spot_b.feature >> 28 == PELTI_ON_VERTEX))
                continue; // two vertices were found from the other side
            if (second)
                pelti_contact_touch_swap(touch);
            touch->a = two->a, touch->b = two->b;
            pelti_contact_touch_add(out, touch);
        }
    }
}

/// A point of `mine` that is within `far` of the other's bounds lies on a triangle with all corners in the region, longer edges
/// than at rest included.
static PeltiBox region_of(const PeltiSurface *mine, const PeltiSurfaceReach *reach, double far)
{
    float grow = (float)far + 2 * mine->longest_edge;
    Vec3 g = vec3(grow, grow, grow);
    return (PeltiBox){vec3_sub(reach->box.low, g), vec3_add(reach->box.high, g)};
}

void pelti_contact_touch_surfaces(PeltiContactNearMemory *memory, const PeltiSurfacePair *two, double alarm,
                                  PeltiContactTouches *out)
{
    int a = two->a, b = two->b;
    const PeltiSurface *sa = &two->surfaces[a], *sb = &two->surfaces[b];
    PeltiSurfaceReach ra = pelti_surface_reach(sa, alarm), rb = pelti_surface_reach(sb, alarm);
    if (!pelti_box_overlap(&ra.box, &rb.box, (float)alarm))
        return;
    KnownPair *pair = find_pair(memory, a, b, (size_t)sa->mesh->vertex_count, (size_t)sb->mesh->vertex_count);
    if (pair->fresh)
        pair->far = FAR_FIRST * alarm;
    PeltiContactLimits limits = {.alarm = alarm,
                                 .far = fmax(pair->far, FAR_LEAST * alarm),
                                 .deep = fmax(DEEP_ALARMS * alarm, DEEP_SHARE * fmin(ra.size, rb.size))};
    double known = KNOWN_FAR * limits.far; // no clearance is said to be more: what comes from farther away moves that far within
    NearLook look = {
        .sides = {{sa, sb, &rb, region_of(sa, &rb, known), region_of(sa, &rb, 2 * known), memory->asked + pair->first[0]},
                  {sb, sa, &ra, region_of(sb, &ra, known), region_of(sb, &ra, 2 * known), memory->asked + pair->first[1]}},
        .to_frame = two->to_frame,
        .fresh = pair->fresh,
        .limits = limits,
        .scratch = &memory->scratch};
    int vertices = sa->mesh->vertex_count + sb->mesh->vertex_count;
    pelti_parallel_for(two->jobs, vertices, VERTICES, follow, &look);
    for (int k = 0; k < 2; k++) {
        double most = 0;
        for (int piece = 0; piece * VERTICES < vertices; piece++)
            most = fmax(most, memory->scratch.moved[piece][k]);
        if (!(most < INFINITY)) // what it leapt past is not known: the other's vertices know no clearance any more
            for (int v = 0; v < look.sides[1 - k].mine->mesh->vertex_count; v++)
                look.sides[1 - k].asked[v].clear = 0;
        look.moved[k] = pair->moved[k] += most < INFINITY ? most : 0;
    }
    pair->fresh = false;
    ask_chosen(&look, two, choose(&look, vertices), out);
    pelti_contact_touch_edges(two, alarm, out);
}
