/// Contacts of the skin with itself: forces along planes, found without touching the matrix. [Komaritzan2018] sec. 5.3 adds a
/// constraint to the matrix for every vertex that may collide, and a second matrix without them, because one that does not
/// collide is held back by its own do-nothing target. We keep one matrix and give each plane n.x >= d a force f >= 0 on the
/// right-hand side, raised with every iteration by what is missing (dual ascent; the two-matrix form with multipliers was
/// tried: soft parts far from any contact lagged behind by a tenth of the size of an arm). Forces live on from step to step, so
/// resting contacts rest, and neighbours follow through the solve.
#include "methods/projective/parts.h"

#include <string.h>

enum { VERTEX_GRAIN = 128 };

struct ProjContacts {
    const PeltiMesh *mesh;
    PeltiBoxTree *tree;
    Vec3 *at;          // [vertex] positions that are searched
    Vec3 *normal;      // [vertex]
    Vec3 *face_normal; // [triangle] unit
    Vec3 *face_centre; // [triangle]
    Vec3 *rest_centre; // [triangle]
    float *reach;      // [unknown] how far to look, 0: not at all
    float *deepest;    // [unknown] depth beyond which it is no contact
    int *face_segment; // [triangle] segment its first corner stands on
    float (*plane)[4]; // [unknown] n, d
    bool *has_plane;   // [unknown]
    float *force;      // [unknown] along n
    float *rate[2];    // [mode][unknown] force for a length of overlap: see set_rates
    float gap;
    bool search; // look for contacts beyond the folds
};

typedef struct Search {
    Projective *p;
    ProjContacts *c;
    const Mat34 *bones;
} Search;

typedef struct Facing { // what the search of one vertex must know about triangles
    const ProjContacts *c;
    Vec3 x, normal, rest;
    int segment;
} Facing;

/// On another bone, faces the vertex, and is at most half as far as at rest: neighbours on smooth skin and the far side of a
/// thin ear are not.
static bool faces(void *context, int triangle)
{
    const Facing *f = context;
    if (f->c->face_segment[triangle] == f->segment)
        return false;
    if (vec3_dot(f->normal, f->c->face_normal[triangle]) > -0.17f)
        return false;
    Vec3 now = vec3_sub(f->x, f->c->face_centre[triangle]), rest = vec3_sub(f->rest, f->c->rest_centre[triangle]);
    return vec3_dot(now, now) < 0.25f * vec3_dot(rest, rest);
}

static bool find_plane(const ProjContacts *c, int vertex, int segment, float reach, float deepest, float plane[4])
{
    Facing facing = {c, c->at[vertex], c->normal[vertex], c->mesh->rest[vertex], segment};
    PeltiNearest hit;
    if (!pelti_box_tree_nearest(c->tree, c->mesh->triangles, c->at, facing.x, reach, faces, &facing, &hit))
        return false;
    const int *t = c->mesh->triangles[hit.triangle];
    if (t[0] == vertex || t[1] == vertex || t[2] == vertex)
        return false;
    Vec3 p = hit.closest.point, there = pelti_barycentric(hit.closest.weight, c->normal[t[0]], c->normal[t[1]], c->normal[t[2]]);
    Vec3 n = vec3_normalize_or(vec3_sub(there, facing.normal), c->face_normal[hit.triangle]);
    Vec3 apart = vec3_sub(facing.x, p);
    float distance = vec3_dot(apart, n), length = vec3_length(apart);
    if (distance < -deepest) // rather the far side of the own limb
        return false;
    if (length > 3 * c->gap && fabsf(distance) < 0.4f * length) // it passes beside
        return false;
    plane[0] = n.x;
    plane[1] = n.y;
    plane[2] = n.z;
    plane[3] = 0.5f * (vec3_dot(n, facing.x) + vec3_dot(n, p)) + 0.5f * c->gap;
    return true;
}

static void search(void *context, int begin, int end, int worker)
{
    (void)worker;
    Search *s = context;
    ProjContacts *c = s->c;
    for (int i = begin; i < end; i++) {
        c->has_plane[i] = c->reach[i] > 0 && find_plane(c, s->p->order[i], s->p->feet[s->p->order[i]].segment, c->reach[i],
                                                        c->deepest[i], c->plane[i]);
        if (!c->has_plane[i])
            c->force[i] = 0;
    }
}

static void place_faces(void *context, int begin, int end, int worker)
{
    (void)worker;
    ProjContacts *c = context;
    for (int f = begin; f < end; f++) {
        const int *t = c->mesh->triangles[f];
        Vec3 a = c->at[t[0]], b = c->at[t[1]], d = c->at[t[2]];
        c->face_normal[f] = vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(d, a)), vec3(0, 0, 0));
        c->face_centre[f] = vec3_scale(vec3_add(a, vec3_add(b, d)), 1.0f / 3);
    }
}

/// Where the skin would be if it followed the new pose without giving way: the last positions carried along.
static void carry_on(void *context, int begin, int end, int worker)
{
    (void)worker;
    Search *s = context;
    Projective *p = s->p;
    for (int i = begin; i < end; i++) {
        Vec3 carried = pelti_proj_carry(&p->base, s->bones, i, vec3(p->rest[i][0], p->rest[i][1], p->rest[i][2]));
        Vec3 x = vec3(p->last[i][0] + carried.x - p->carried[i][0], p->last[i][1] + carried.y - p->carried[i][1],
                      p->last[i][2] + carried.z - p->carried[i][2]);
        p->carried[i][0] = carried.x;
        p->carried[i][1] = carried.y;
        p->carried[i][2] = carried.z;
        s->c->at[p->order[i]] = x;
    }
}

bool pelti_proj_find_contacts(Projective *p, const Mat34 *bones)
{
    ProjContacts *c = p->contacts;
    p->contact_count = 0;
    if (!c)
        return false;
    Search s = {p, c, bones};
    bool any = false;
    if (c->search) {
        pelti_parallel_for(p->jobs, p->count, VERTEX_GRAIN, carry_on, &s);
        pelti_mesh_normals(p->mesh, c->at, c->normal);
        pelti_parallel_for(p->jobs, p->mesh->triangle_count, 1024, place_faces, c);
        pelti_box_tree_refit_triangles(c->tree, p->jobs, p->mesh->triangles, c->at, NULL);
        pelti_parallel_for(p->jobs, p->count, VERTEX_GRAIN, search, &s);
    }
    for (int i = 0; i < p->count; i++) {
        bool acts = pelti_proj_folds_act(&p->folds, i, p->x[i]);
        if (c->has_plane[i]) {
            Vec3 x = c->at[p->order[i]];
            const float *n = c->plane[i];
            acts = acts || c->force[i] > 0 || n[0] * x.x + n[1] * x.y + n[2] * x.z - n[3] < 2 * c->gap;
        }
        p->contact_count += acts;
        any = any || acts;
    }
    return any;
}

void pelti_proj_contact_force(Projective *p, int mode, int i, const float *x, float *sum)
{
    ProjContacts *c = p->contacts;
    float rate = c->rate[mode][i];
    pelti_proj_fold_push(&p->folds, i, x, rate, sum);
    if (!c->has_plane[i])
        return;
    const float *n = c->plane[i];
    c->force[i] = fmaxf(0, c->force[i] + rate * (n[3] - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2])));
    for (int k = 0; k < 3; k++)
        sum[k] += c->force[i] * n[k];
}

static bool take(ProjContacts *c, PeltiPool *pool, int n, int f)
{
    c->at = PELTI_NEW(pool, Vec3, (size_t)n + 1);
    c->normal = PELTI_NEW(pool, Vec3, (size_t)n + 1);
    c->face_normal = PELTI_NEW(pool, Vec3, (size_t)f + 1);
    c->face_centre = PELTI_NEW(pool, Vec3, (size_t)f + 1);
    c->rest_centre = PELTI_NEW(pool, Vec3, (size_t)f + 1);
    c->reach = PELTI_NEW(pool, float, (size_t)n + 1);
    c->deepest = PELTI_NEW(pool, float, (size_t)n + 1);
    c->face_segment = PELTI_NEW(pool, int, (size_t)f + 1);
    c->plane = pelti_pool_take(pool, (size_t)n + 1, sizeof *c->plane);
    c->has_plane = PELTI_NEW(pool, bool, (size_t)n + 1);
    c->force = PELTI_NEW(pool, float, (size_t)n + 1);
    c->rate[0] = PELTI_NEW(pool, float, (size_t)n + 1);
    c->rate[1] = PELTI_NEW(pool, float, (size_t)n + 1);
    return !pool->failed;
}

/// Dual ascent with A for the matrix is stable while rate < 2 / |A^-1|. The row sums t of A (what ties a vertex to base points
/// and inertia) bound it: A 1 = t, so |A^-1 t| = 1 where A is an M-matrix, and rate = t is safe. It need not quite be one: a
/// floor.
static void set_rates(Projective *p, ProjContacts *c)
{
    const ProjTissue *t = &p->tissue;
    for (int i = 0; i < p->count; i++) {
        float sum = t->pin[i], own = (float)t->entries[p->order[i]].value;
        for (int e = t->near_start[i]; e < t->near_start[i + 1]; e++)
            if (t->near_index[e] < 0)
                sum -= t->near_value[e];
        c->rate[PROJ_STILL][i] = fminf(fmaxf(sum, 0.05f * own), own);
        c->rate[PROJ_MOVING][i] = fminf(fmaxf(sum + p->inertia[i], 0.05f * own), own + p->inertia[i]);
    }
}

/// A vertex looks as far as half its distance to the bone: less than its limb is thick.
PeltStatus pelti_proj_contacts(Projective *p, bool everywhere, PeltError *err)
{
    const PeltiMesh *mesh = p->mesh;
    ProjContacts *c = PELTI_NEW(&p->pool, ProjContacts, 1);
    if (!c || !take(c, &p->pool, mesh->vertex_count, mesh->triangle_count))
        return pelti_no_memory(err, (size_t)mesh->vertex_count * 64);
    c->mesh = mesh;
    c->gap = 4e-4f * mesh->diagonal;
    c->search = everywhere;
    PELT_TRY(pelti_proj_folds(p->who, &p->skeleton, p->feet, p->order, c->gap, &p->pool, &p->folds, err));
    PELT_TRY(pelti_box_tree_build_triangles(&p->pool, mesh->triangle_count, mesh->triangles, mesh->rest, &c->tree, err));
    for (int f = 0; f < mesh->triangle_count; f++) {
        const int *t = mesh->triangles[f];
        c->face_segment[f] = p->feet[t[0]].segment;
        c->rest_centre[f] = vec3_scale(vec3_add(mesh->rest[t[0]], vec3_add(mesh->rest[t[1]], mesh->rest[t[2]])), 1.0f / 3);
    }
    for (int i = 0; i < p->count; i++) {
        int v = p->order[i];
        const ProjFoot *foot = &p->feet[v];
        float far = foot->segment >= 0 ? 0.5f * vec3_distance(mesh->rest[v], foot->foot) : 0;
        c->reach[i] = fminf(far, 0.06f * mesh->diagonal);
        c->deepest[i] = fminf(0.8f * vec3_distance(mesh->rest[v], foot->base), c->reach[i]);
    }
    set_rates(p, c);
    p->contacts = c;
    return PELT_OK;
}
