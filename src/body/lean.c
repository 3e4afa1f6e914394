/// Leans the shown skin on linear blending where it would tear, turn over or cross.
#include "body/lean.h"

#include "body/constants.def"
#include "body/lean_edges.h"
#include "body/lean_islands.h"
#include "body/lean_turned.h"
#include "body/lean_volume.h"
#include "geometry/constants.def"

#include <math.h>
#include <string.h>

enum { GRAIN = 512 };

/// How far a rigid piece is from where blending has it. It is brought back as a whole, or it would bend.
typedef struct Flight {
    Vec3 sum;  // of home - own over its vertices
    int count; // of those
    float farthest;
    Vec3 back; // the way back
} Flight;

/// The skin as it may lie, each [vertex_count]: a step begins by writing all but `now`, which its looks write; edges, volumes and
/// triangles are judged by it.
typedef struct LeanSkin {
    Vec3 *home;  // by blending
    Vec3 *own;   // by the method
    Vec3 *asked; // by blending of the pose that was asked for; as home where nothing gave way
    Vec3 *now;   // as it leans
} LeanSkin;

/// Rigid pieces, each [component_count]: they lean wholly or not at all, or they would bend. bring_back writes the flights,
/// lean_rigid who leans.
typedef struct LeanRigid {
    bool *is;
    bool *leans;
    Flight *flight;
} LeanRigid;

/// What crosses, by the last look: count_islands writes it, mark_crossing and lean_wholly read it.
typedef struct LeanCrossing {
    PeltiCrossings *all;
    PeltiPair *judged; // [all->deep_capacity] pairs that cross, by kind
    PeltiLeanIslands islands;
    bool worse; // an island is worse than by blending
} LeanCrossing;

struct PeltiLean {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    const PeltiWeights *weights;
    const PeltiPieces *pieces;
    float *share; // [vertex_count] 1: as the method has it, 0: as blending has it
    bool *marked; // [vertex_count] to lean more
    bool *over;   // [triangle_count] turned over against blending
    LeanSkin skin;
    LeanRigid rigid;
    LeanCrossing crossing;
    PeltiLeanVolume volume; // of closed pieces
    PeltiLeanTurned turned;
    PeltiLeanEdges edges;
};

PeltStatus pelti_lean_create(const PeltiLeanDef *def, PeltiPool *pool, PeltiLean **out, PeltError *err)
{
    const PeltiMesh *mesh = def->who->mesh;
    PeltiLean *l = PELTI_NEW(pool, PeltiLean, 1);
    if (!l)
        return pelti_no_memory(err, sizeof *l);
    *l = (PeltiLean){.who = def->who, .mesh = mesh, .weights = def->weights, .pieces = def->pieces};
    l->crossing.all = def->crossings;
    l->share = PELTI_NEW(pool, float, mesh->vertex_count);
    l->skin.home = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    l->skin.own = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    l->skin.asked = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    l->skin.now = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    l->marked = PELTI_NEW(pool, bool, mesh->vertex_count);
    l->over = PELTI_NEW(pool, bool, mesh->triangle_count);
    l->rigid.is = PELTI_NEW(pool, bool, mesh->component_count);
    l->rigid.leans = PELTI_NEW(pool, bool, mesh->component_count);
    l->rigid.flight = PELTI_NEW(pool, Flight, mesh->component_count);
    l->crossing.judged = PELTI_NEW(pool, PeltiPair, l->crossing.all->deep_capacity);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 60);
    PELT_TRY(pelti_lean_turned_create(mesh, pool, &l->turned, err));
    for (int c = 0; c < def->pieces->count; c++)
        l->rigid.is[c] = def->pieces->pieces[c].kind == PELTI_PIECE_RIGID;
    PELT_TRY(pelti_lean_volume_create(mesh, l->rigid.is, pool, &l->volume, err));
    PELT_TRY(pelti_lean_islands_create(mesh, l->crossing.all->deep_capacity, pool, &l->crossing.islands, err));
    l->edges = (PeltiLeanEdges){.mesh = mesh, .home = l->skin.home, .own = l->skin.own, .share = l->share};
    *out = l;
    return pelti_lean_edges_create(pool, &l->edges, err);
}

typedef struct LeanWork {
    PeltiLean *lean;
    const PeltiLeanStep *step;
    Vec3 *vertices;
} LeanWork;

/// The largest share of the way from home to own that stays within `most` of what was asked for; 0 where home is beyond it.
static float share_within(Vec3 home, Vec3 own, Vec3 asked, float most)
{
    return pelti_lean_bearable(vec3_sub(home, asked), vec3_sub(own, home), most);
}

static void home_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    LeanWork *w = context;
    PeltiLean *l = w->lean;
    for (int v = begin; v < end; v++) {
        l->skin.home[v] = pelti_weights_blend(l->weights, v, w->step->bones, l->mesh->rest[v]);
        l->skin.asked[v] =
            w->step->asked ? pelti_weights_blend(l->weights, v, w->step->asked, l->mesh->rest[v]) : l->skin.home[v];
        l->skin.own[v] = w->vertices[v];
        bool rigid = l->rigid.is[l->mesh->component[v]];
        float far = LEAN_FLOWN * l->mesh->diagonal;
        bool flown = !rigid && vec3_distance(l->skin.own[v], l->skin.asked[v]) > far;
        l->share[v] = fminf(w->step->restart || rigid ? 1 : l->share[v] + LEAN_RECOVERS,
                            flown ? share_within(l->skin.home[v], l->skin.own[v], l->skin.asked[v], far) : 1);
    }
}

/// Small things ride on skin that slides, and may come farther from blending than skin may.
static void bring_back(PeltiLean *l)
{
    const PeltiMesh *mesh = l->mesh;
    memset(l->rigid.flight, 0, (size_t)mesh->component_count * sizeof *l->rigid.flight);
    for (int v = 0; v < mesh->vertex_count; v++) {
        Flight *f = &l->rigid.flight[mesh->component[v]];
        if (!l->rigid.is[mesh->component[v]])
            continue;
        Vec3 way = vec3_sub(l->skin.home[v], l->skin.own[v]); // not from what was asked for: a hand that gave way keeps its stick
        f->sum = vec3_add(f->sum, way);
        f->farthest = fmaxf(f->farthest, vec3_length(way));
        f->count++;
    }
    float most = LEAN_FLOWN * mesh->diagonal;
    for (int c = 0; c < mesh->component_count; c++) {
        Flight *f = &l->rigid.flight[c];
        if (!l->rigid.is[c] || !(f->farthest > most))
            continue;
        Vec3 mean = vec3_scale(f->sum, 1 / (float)f->count);
        f->back = vec3_scale(mean, fminf((f->farthest - most) / fmaxf(vec3_length(mean), 1e-20f), 1));
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        l->skin.own[v] = vec3_add(l->skin.own[v], l->rigid.flight[mesh->component[v]].back);
}

static Vec3 leaned(const PeltiLean *l, int v)
{
    return vec3_lerp(l->skin.home[v], l->skin.own[v], l->share[v]);
}

// ---- triangles ----

/// A pair that crosses now does not by blending, or less deeply: what the measures call deep must be so by blending, too.
static bool crosses_anew(const PeltiLean *l, const int *s, const int *t)
{
    float now = pelti_triangles_depth(l->skin.now, s, t), home = pelti_triangles_depth(l->skin.home, s, t);
    float deep = (float)DEEP_PAIR * l->mesh->diagonal;
    return now > home + LEAN_DEEPER * l->mesh->diagonal || (now > deep && home < deep) ||
           !pelti_triangles_cross(l->skin.home, s, t);
}

/// Turned over against blending, where blending has it the way its bone does.
static bool turned_over(const PeltiLean *l, const Mat34 *bones, const int *t)
{
    Vec3 by_blending = pelti_triangle_normal(l->skin.home, t);
    if (vec3_dot(pelti_triangle_normal(l->skin.now, t), by_blending) >= 0)
        return false;
    int bone = l->weights->bone[(size_t)t[0] * (size_t)l->weights->influences];
    Vec3 by_bone = mat34_apply_vector(bones[bone], pelti_triangle_normal(l->mesh->rest, t));
    return vec3_dot(by_bone, by_blending) > LEAN_UPRIGHT * vec3_length(by_bone) * vec3_length(by_blending);
}

static void mark(PeltiLean *l, const int *t)
{
    for (int k = 0; k < 3; k++)
        l->marked[t[k]] = true;
}

/// Marks a vertex, or the piece that it is of.
static void mark_piece(PeltiLean *l, int vertex, bool whole)
{
    int c = l->mesh->component[vertex], begin = l->pieces->start[c], count = l->pieces->start[c + 1] - begin;
    for (int k = 0; k < (whole ? count : 1); k++)
        l->marked[whole ? l->pieces->vertex[begin + k] : vertex] = true;
}

/// Marks the corners of triangles that are turned over and not by blending, `widely` those around the ones that stand out.
static void mark_turned(PeltiLean *l, bool widely)
{
    const PeltiLeanTurned *turned = &l->turned;
    for (int t = 0; t < l->mesh->triangle_count; t++) {
        bool out = turned->now[t] & !turned->home[t];
        if (out | l->over[t])
            mark(l, l->mesh->triangles[t]);
        for (int k = 0; k < 3 && widely && out; k++)
            if (turned->across[t][k] >= 0)
                mark(l, l->mesh->triangles[turned->across[t][k]]);
    }
}

/// What crosses now. Returns whether an island is worse than by blending.
static bool count_islands(PeltiLean *l)
{
    int count = pelti_crossings_judge(l->crossing.all, (float)DEEP_PAIR * l->mesh->diagonal, l->crossing.judged);
    return pelti_lean_islands_count(&l->crossing.islands, l->crossing.judged, count);
}

/// Marks the corners of triangles that cross anew, in islands where more cross than by blending. Where the method crosses less,
/// leaning would bring back what it has parted: on the way to blending skin meets what blending lays through it.
static void mark_crossing(PeltiLean *l, PeltiJobs *jobs, int round)
{
    PeltiCrossings *c = l->crossing.all;
    if (round == 0) { // from here on skin goes towards blending alone
        pelti_crossings_begin(c, l->skin.now, l->skin.home, jobs);
        pelti_crossings_update(c, l->skin.home, jobs);
        pelti_lean_islands_begin(&l->crossing.islands, l->crossing.judged,
                                 pelti_crossings_judge(c, (float)DEEP_PAIR * l->mesh->diagonal, l->crossing.judged));
    }
    pelti_crossings_update(c, l->skin.now, jobs);
    l->crossing.worse = count_islands(l);
    for (int i = 0; i < c->deep_count && l->crossing.worse; i++) {
        const int *s = l->mesh->triangles[c->deep[i].a], *t = l->mesh->triangles[c->deep[i].b];
        if (pelti_lean_islands_worse(&l->crossing.islands, s[0]) && crosses_anew(l, s, t)) {
            mark(l, s);
            mark(l, t);
        }
    }
}

static void place_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiLean *l = ((LeanWork *)context)->lean;
    for (int v = begin; v < end; v++)
        l->skin.now[v] = leaned(l, v);
}

static void over_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    LeanWork *w = context;
    for (int t = begin; t < end; t++)
        w->lean->over[t] = turned_over(w->lean, w->step->bones, w->lean->mesh->triangles[t]);
}

static void some_over(void *context, int begin, int end, int worker)
{
    LeanWork *w = context;
    for (int i = begin; i < end; i++)
        over_range(context, w->lean->turned.list[i], w->lean->turned.list[i] + 1, worker);
}

/// The skin as it leans, and what is turned over there: all of it in the first round, then where a share has changed.
static void look_at_skin(LeanWork *w, PeltiJobs *jobs, int round)
{
    PeltiLean *l = w->lean;
    if (round == 0) {
        pelti_parallel_for(jobs, l->mesh->vertex_count, GRAIN, place_range, w);
        pelti_parallel_for(jobs, l->mesh->triangle_count, GRAIN, over_range, w);
        pelti_lean_turned_find(&l->turned, l->skin.now, jobs, l->turned.now);
        return;
    }
    for (int i = 0; i < l->edges.changed_count; i++)
        l->skin.now[l->edges.changed[i]] = leaned(l, l->edges.changed[i]);
    pelti_lean_turned_list(&l->turned, l->edges.changed, l->edges.changed_count);
    pelti_parallel_for(jobs, l->turned.list_count, GRAIN, some_over, w);
    pelti_lean_turned_again(&l->turned, l->skin.now, jobs, l->turned.now);
}

/// One look at the triangles: the corners of those that cross or turn over lean half as far again, then wholly; what had sunk in
/// behind them shows in the rounds that follow.
static int mend_triangles(LeanWork *w, PeltiJobs *jobs, int round)
{
    PeltiLean *l = w->lean;
    int marked = 0;
    memset(l->marked, 0, (size_t)l->mesh->vertex_count * sizeof *l->marked);
    look_at_skin(w, jobs, round);
    mark_turned(l, round >= LEAN_HALVINGS);
    mark_crossing(l, jobs, round);
    pelti_lean_edges_forget(&l->edges);
    for (int v = 0; v < l->mesh->vertex_count; v++)
        if (l->marked[v] && l->share[v] > 0) {
            pelti_lean_edges_set(&l->edges, v, round < LEAN_HALVINGS ? 0.5f * l->share[v] : 0);
            marked++;
        }
    return marked;
}

/// Rigid pieces of which something leans do so wholly.
static void lean_rigid(PeltiLean *l)
{
    for (int i = 0; i < l->edges.changed_count; i++) {
        int v = l->edges.changed[i], c = l->mesh->component[v];
        if (!l->rigid.is[c] || l->rigid.leans[c] || !(l->share[v] < 1))
            continue;
        l->rigid.leans[c] = true;
        for (int k = l->pieces->start[c]; k < l->pieces->start[c + 1]; k++)
            pelti_lean_edges_set(&l->edges, l->pieces->vertex[k], 0);
    }
}

static void settle(PeltiLean *l, PeltiJobs *jobs)
{
    const int *component = l->mesh->component;
    PeltiLeanShape shape = {l->skin.home, l->skin.own, l->share};
    pelti_lean_edges_settle(&l->edges);
    lean_rigid(l);
    // in every round: a piece that leans may leave the skin around it, and what crosses then changes volumes
    pelti_lean_turned_list(&l->turned, l->edges.changed, l->edges.changed_count);
    pelti_lean_volume_find(&l->volume, &shape, (PeltiLeanChanged){l->turned.list, l->turned.list_count}, jobs);
    for (int v = 0; v < l->mesh->vertex_count && l->volume.worse; v++)
        pelti_lean_edges_set(&l->edges, v, (float)l->volume.low[component[v]] * l->share[v]);
}

/// Whether an island is worse than by blending, as it leans.
static bool look_for_worse(LeanWork *w, PeltiJobs *jobs)
{
    PeltiLean *l = w->lean;
    look_at_skin(w, jobs, LEAN_ROUNDS);
    pelti_crossings_update(l->crossing.all, l->skin.now, jobs);
    return l->crossing.worse = count_islands(l);
}

/// What is worse than by blending after all rounds leans wholly: first all corners of such islands, then all pieces that are in
/// one, at last everything. So no step ends with more deep pairs than blending has.
static void lean_wholly(LeanWork *w, PeltiJobs *jobs, int rounds)
{
    PeltiLean *l = w->lean;
    bool settled = rounds < LEAN_ROUNDS; // nothing has moved since the last look
    for (int round = 0; round < LEAN_LAST_ROUNDS && (settled ? l->crossing.worse : look_for_worse(w, jobs)); round++) {
        memset(l->marked, round == LEAN_LAST_ROUNDS - 1, (size_t)l->mesh->vertex_count * sizeof *l->marked);
        for (int v = 0; v < l->mesh->vertex_count; v++)
            if (pelti_lean_islands_worse(&l->crossing.islands, v))
                mark_piece(l, v, round > 0);
        pelti_lean_edges_forget(&l->edges);
        for (int v = 0; v < l->mesh->vertex_count; v++)
            if (l->marked[v] && l->share[v] > 0)
                pelti_lean_edges_set(&l->edges, v, 0);
        settle(l, jobs);
        settled = false;
    }
}

static void write_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    LeanWork *w = context;
    const PeltiLean *l = w->lean;
    for (int v = begin; v < end; v++) {
        w->vertices[v] = leaned(l, v); // to the bit what was looked at
    }
}

static bool moved(const PeltiLean *l, int v)
{
    Vec3 back = l->rigid.flight[l->mesh->component[v]].back;
    return l->share[v] < 1 || vec3_dot(back, back) > 0;
}

int pelti_lean_apply(PeltiLean *l, const PeltiLeanStep *step, PeltiJobs *jobs, Vec3 *vertices)
{
    LeanWork w = {l, step, vertices};
    int count = 0, round = 0;
    pelti_parallel_for(jobs, l->mesh->vertex_count, GRAIN, home_range, &w);
    pelti_lean_turned_find(&l->turned, l->skin.home, jobs, l->turned.home);
    bring_back(l);
    memset(l->rigid.leans, 0, (size_t)l->mesh->component_count * sizeof *l->rigid.leans);
    pelti_lean_edges_restart(&l->edges);
    pelti_lean_volume_restart(&l->volume, l->skin.home, l->skin.asked, jobs);
    settle(l, jobs);
    for (; round < LEAN_ROUNDS && mend_triangles(&w, jobs, round) > 0; round++)
        settle(l, jobs);
    lean_wholly(&w, jobs, round);
    for (int v = 0; v < l->mesh->vertex_count; v++)
        count += moved(l, v);
    if (count)
        pelti_parallel_for(jobs, l->mesh->vertex_count, GRAIN, write_range, &w);
    return count;
}

bool pelti_lean_worse(PeltiLean *l, bool *where)
{
    bool worse = count_islands(l);
    for (int v = 0; v < l->mesh->vertex_count && worse; v++)
        where[v] = pelti_lean_islands_worse(&l->crossing.islands, v);
    return worse;
}

const PeltiLeanVolume *pelti_lean_volumes(const PeltiLean *l)
{
    return &l->volume;
}

void pelti_lean_keep(PeltiLean *l, PeltiSnapshot *s)
{
    PELTI_KEEP(s, l->share, l->mesh->vertex_count);
    PELTI_KEEP(s, l->rigid.leans, l->mesh->component_count);
}
