/// Parts skin that passes through itself: the stage, and what goes from step to step.
#include "body/parted_parts.h"

#include "body/constants.def"

#include <string.h>

/// Vertices that lie inside another part at rest: what is behind them is no side of a contact.
static PeltStatus find_hidden(PeltiParted *l, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = l->mesh;
    int(*triangles)[3] = (int(*)[3])PELTI_NEW(pool, int, 3 * (size_t)mesh->triangle_count);
    Vec3 *normals = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    PeltiWinding *winding;
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->triangle_count * sizeof *triangles);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            triangles[t][k] = mesh->triangles[t][l->pieces->pieces[mesh->component[mesh->triangles[t][0]]].turned ? 2 - k : k];
    PELT_TRY(pelti_winding_create(pool, mesh->triangle_count, (const int(*)[3])triangles, mesh->rest, &winding, err));
    pelti_mesh_normals(mesh, mesh->rest, normals);
    for (int v = 0; v < mesh->vertex_count; v++) {
        float out = (l->pieces->pieces[mesh->component[v]].turned ? -PARTED_HAIR : PARTED_HAIR) * mesh->diagonal;
        l->hidden[v] = pelti_winding_at(winding, vec3_mad(mesh->rest[v], normals[v], out)) > PARTED_INSIDE;
    }
    return PELT_OK;
}

static void find_volumes(PeltiParted *l)
{
    const PeltiMesh *mesh = l->mesh;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles[t];
        Vec3 o = mesh->rest[l->pieces->vertex[l->pieces->start[mesh->component[c[0]]]]];
        Vec3 p = vec3_sub(mesh->rest[c[0]], o), q = vec3_sub(mesh->rest[c[1]], o), r = vec3_sub(mesh->rest[c[2]], o);
        l->volumes.rest[mesh->component[c[0]]] += (double)vec3_dot(p, vec3_cross(q, r));
    }
    for (int e = 0; e < mesh->edge_count; e++)
        if (mesh->edge_use[e] != 2)
            l->volumes.rest[mesh->component[mesh->edges[e][0]]] = 0;
}

static void take_memory(PeltiParted *l, PeltiPool *pool)
{
    int vertices = l->mesh->vertex_count, components = l->mesh->component_count;
    l->hidden = PELTI_NEW(pool, bool, vertices);
    l->length = PELTI_NEW(pool, float, l->mesh->edge_count);
    l->volumes.rest = PELTI_NEW(pool, double, components);
    l->volumes.as_shown = PELTI_NEW(pool, double, components);
    l->volumes.change = PELTI_NEW(pool, double, components);
    l->volumes.trying = PELTI_NEW(pool, double, components);
    l->shown = PELTI_NEW(pool, Vec3, vertices);
    l->x = PELTI_NEW(pool, Vec3, vertices);
    l->kept = PELTI_NEW(pool, Vec3, vertices);
    l->start = PELTI_NEW(pool, Vec3, vertices);
    l->pair = PELTI_NEW(pool, PeltiPartedPair, PARTED_MOST);
    l->island.member = PELTI_NEW(pool, int, PARTED_MOST);
    l->attempt.push = PELTI_NEW(pool, PeltiPartedPush, vertices);
    for (int side = 0; side < 2; side++) {
        l->island.mark[side] = PELTI_NEW(pool, Vec3, 4 * PARTED_MOST);
        l->island.marked[side] = PELTI_NEW(pool, int, vertices + l->mesh->triangle_count);
    }
    l->island.side = PELTI_NEW(pool, float, vertices);
    l->attempt.hit = PELTI_NEW(pool, PeltiPair, l->crossings->deep_capacity);
    l->scratch.queue = PELTI_NEW(pool, int, vertices);
    l->scratch.seen = PELTI_NEW(pool, bool, vertices);
    l->attempt.touched = PELTI_NEW(pool, int, l->mesh->triangle_count);
    l->attempt.box = PELTI_NEW(pool, PeltiBox, l->mesh->triangle_count);
    l->attempt.is_touched = PELTI_NEW(pool, bool, l->mesh->triangle_count);
}

PeltStatus pelti_parted_create(const PeltiLeanDef *def, PeltiLean *lean, PeltiPool *pool, PeltiParted **out, PeltError *err)
{
    const PeltiMesh *mesh = def->who->mesh;
    PeltiParted *l = PELTI_NEW(pool, PeltiParted, 1);
    if (!l)
        return pelti_no_memory(err, sizeof *l);
    *l = (PeltiParted){.mesh = mesh, .pieces = def->pieces, .crossings = def->crossings, .lean = lean};
    l->blended = pelti_lean_volumes(lean);
    take_memory(l, pool);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 120);
    for (int e = 0; e < mesh->edge_count; e++)
        l->length[e] = vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]);
    PELT_TRY(pelti_lean_turned_create(mesh, pool, &l->turned, err));
    find_volumes(l);
    *out = l;
    return find_hidden(l, pool, err);
}

static void add_start(PeltiParted *l)
{
    for (int v = 0; v < l->mesh->vertex_count; v++)
        l->x[v] = vec3_add(l->shown[v], l->start[v]);
}

/// What is left of the last step's parting, if that is any good still. Returns how many pairs cross with it.
static int start(PeltiParted *l, const Mat34 *bones, bool restart, PeltiJobs *jobs, int as_shown)
{
    bool any = false;
    for (int v = 0; v < l->mesh->vertex_count; v++) {
        if (restart)
            l->kept[v] = vec3(0, 0, 0);
        l->start[v] = vec3_scale(mat34_apply_vector(bones[l->pieces->label[v]], l->kept[v]), PARTED_KEPT);
        any |= vec3_dot(l->start[v], l->start[v]) > 0;
    }
    if (!any)
        return as_shown;
    pelti_parted_calm(l);
    add_start(l);
    int count = pelti_parted_find(l, jobs);
    if (count <= as_shown)
        return count;
    for (int v = 0; v < l->mesh->vertex_count; v++)
        l->start[v] = vec3_scale(l->start[v], PARTED_SPOILT);
    add_start(l);
    return pelti_parted_find(l, jobs);
}

/// One look at all islands. `tries` bounds the work of a step, by counts, so that the same bytes are shown everywhere.
static int part(PeltiParted *l, int count, int *tries, PeltiJobs *jobs)
{
    int parted = 0;
    pelti_crossings_refit(l->crossings, l->x, jobs);
    for (int first = 0; first<count && * tries> 0; first++) {
        if (l->pair[first].taken)
            continue;
        pelti_parted_gather(l, count, first);
        bool done = false;
        float share = 1;
        bool aimed = pelti_parted_aim(l);
        for (int i = 0; i < PARTED_SHARES && aimed && !done && pelti_parted_plan(l, share); i++, share *= 0.5f, --*tries)
            done = pelti_parted_try(l, jobs);
        parted += done;
    }
    return parted;
}

/// R of a bone's matrix s R, transposed and over s: back into its space.
static Vec3 into_bone(Mat34 bone, Vec3 u)
{
    float(*a)[4] = bone.m, square = a[0][0] * a[0][0] + a[1][0] * a[1][0] + a[2][0] * a[2][0];
    Vec3 back = {a[0][0] * u.x + a[1][0] * u.y + a[2][0] * u.z, a[0][1] * u.x + a[1][1] * u.y + a[2][1] * u.z,
                 a[0][2] * u.x + a[1][2] * u.y + a[2][2] * u.z};
    return square > 0 ? vec3_scale(back, 1 / square) : vec3(0, 0, 0);
}

/// No faster than the pace, from where the last step left it.
static void slow_down(PeltiParted *l, bool restart)
{
    float pace = PARTED_PACE * l->mesh->diagonal, nothing = PARTED_NOTHING * l->mesh->diagonal;
    for (int v = 0; v < l->mesh->vertex_count; v++) {
        Vec3 u = vec3_sub(l->x[v], l->shown[v]), by = vec3_sub(u, l->start[v]);
        float way = vec3_length(by);
        if (!restart && way > pace)
            u = vec3_mad(l->start[v], by, pace / way);
        l->x[v] = vec3_length(u) > nothing ? vec3_add(l->shown[v], u) : l->shown[v];
    }
}

typedef struct Before { ///< parting
    int pairs, deep;    ///< that find() counts, of the crossings' list
    bool worse;         ///< than by blending, somewhere: leaning leaves nothing so
} Before;

/// What is sound as a whole need not be in part. And where more is deep than by blending, or in all more crosses than before,
/// nothing is parted.
static void take_back(PeltiParted *l, const Before *before, PeltiJobs *jobs)
{
    size_t bytes = (size_t)l->mesh->vertex_count * sizeof *l->x;
    for (int v = 0; v < l->mesh->vertex_count; v++)
        l->start[v] = vec3_sub(l->x[v], l->shown[v]);
    for (int look = 0; look < PARTED_LOOKS; look++) {
        pelti_parted_calm(l);
        if (pelti_parted_find(l, jobs) > before->pairs || l->crossings->deep_count > before->deep)
            break;
        if (before->worse || !pelti_lean_worse(l->lean, l->scratch.seen))
            return;
        for (int v = 0; v < l->mesh->vertex_count; v++)
            l->start[v] = l->scratch.seen[v] ? vec3(0, 0, 0) : l->start[v];
    }
    memcpy(l->x, l->shown, bytes);
}

int pelti_parted_apply(PeltiParted *l, const Mat34 *bones, bool restart, PeltiJobs *jobs, Vec3 *vertices)
{
    int moved = 0, rounds = 0, tries = PARTED_TRIES;
    size_t bytes = (size_t)l->mesh->vertex_count * sizeof *l->shown;
    l->bones = bones;
    memcpy(l->shown, vertices, bytes);
    memcpy(l->x, vertices, bytes);
    memset(l->volumes.change, 0, (size_t)l->mesh->component_count * sizeof *l->volumes.change);
    pelti_parted_volumes(l);
    Before before = {pelti_parted_find(l, jobs), l->crossings->deep_count, pelti_lean_worse(l->lean, l->scratch.seen)};
    int pairs = start(l, bones, restart, jobs, before.pairs);
    for (; rounds < PARTED_ROUNDS && pairs > 0 && part(l, pairs, &tries, jobs); rounds++)
        pairs = pelti_parted_find(l, jobs);
    slow_down(l, restart);
    if (memcmp(l->x, vertices, bytes) != 0)
        take_back(l, &before, jobs);
    for (int v = 0; v < l->mesh->vertex_count; v++) {
        Vec3 u = vec3_sub(l->x[v], l->shown[v]);
        l->kept[v] = into_bone(bones[l->pieces->label[v]], u);
        moved += vec3_dot(u, u) > 0;
    }
    memcpy(vertices, l->x, bytes);
    return moved;
}

void pelti_parted_keep(PeltiParted *l, PeltiSnapshot *s)
{
    PELTI_KEEP(s, l->kept, l->mesh->vertex_count);
}
