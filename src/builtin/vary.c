/// Draws a body that differs from its plan.
#include "builtin/vary.h"
#include "builtin/random.h"
#include "character/skeleton.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>

static const float TURN = 6.2831853f;

/// Both sides of a body draw the same: the purpose is the bone's name without its side.
static PeltiRandom stream(uint64_t seed, const char *what, const char *bone)
{
    char purpose[64];
    bool left, right;
    snprintf(purpose, sizeof purpose, "%s %s", what, pelti_figure_side(bone, &left, &right));
    return pelti_random(seed, purpose);
}

void pelti_vary_ends(PeltiFigure *body, uint64_t seed)
{
    PeltiRandom r = pelti_random(seed, "ends");
    int count = body->bone_count;
    if (!pelti_random_chance(&r, 0.35f))
        return;
    for (int b = 0; b < count; b++) {
        const PeltiFigureBone *bone = &body->bones[b];
        bool tip = true;
        for (int c = 0; c < count; c++)
            tip &= body->bones[c].parent != b;
        for (int h = 0; h < body->hand_count; h++)
            for (int f = 0; f < PELTI_FINGERS; f++)
                tip &= body->hands[h].joint[f][3] != b;
        if (tip)
            pelti_figure_bone(
                body, bone->name, "End", b,
                (PeltiFigureSegment){.head = bone->tail, .tail = vec3_lerp(bone->head, bone->tail, 1.2f), .blend = bone->blend});
    }
}

/// Small bones (fingers, toes) vary little by themselves: they would meet. All take over most of their parent's girth, so that
/// a thick arm has a thick hand.
void pelti_vary_draw(PeltiVary *v, const PeltiFigure *body, uint64_t seed, float size)
{
    PeltiRandom whole = pelti_random(seed, "whole");
    *v = (PeltiVary){.seed = seed, .amount = 1};
    float stout = pelti_random_between(&whole, 0.85f, 1.22f);
    v->wave = size * pelti_random_between(&whole, 0.5f, 1.0f);
    v->sway = v->wave * pelti_random_between(&whole, 0, 0.03f);
    v->phase.z = pelti_random_between(&whole, 0, TURN); // one by one: arguments of a call are drawn in any order
    v->phase.y = pelti_random_between(&whole, 0, TURN);
    v->phase.x = pelti_random_between(&whole, 0, TURN);
    v->off_centre = pelti_random_chance(&whole, 0.4f) ? 0 : pelti_random_between(&whole, 0.05f, 0.35f);
    v->uneven = pelti_random_chance(&whole, 0.4f) ? 0 : pelti_random_between(&whole, 0.2f, 0.6f);
    v->jitter = pelti_random_chance(&whole, 0.4f) ? 0 : pelti_random_between(&whole, 0.1f, 0.45f);
    for (int b = 0; b < body->bone_count; b++) {
        const PeltiFigureBone *bone = &body->bones[b];
        PeltiRandom r = stream(seed, "bone", bone->name);
        float reach = vec3_distance(bone->head, bone->tail) > 0.055f * size ? 1 : 0.3f;
        float lean = bone->parent < 0 ? stout : pelti_powf(v->girth[bone->parent], 0.8f);
        v->girth[b] = lean * (1 + reach * pelti_random_between(&r, -0.16f, 0.16f));
        v->length[b] = 1 + reach * pelti_random_between(&r, -0.22f, 0.25f);
    }
}

int pelti_vary_vertices(uint64_t seed, int plan_vertices)
{
    PeltiRandom r = pelti_random(seed, "vertices");
    return (int)((float)plan_vertices * pelti_powf(2, pelti_random_between(&r, -2.3f, 0.6f)));
}

/// Waves of three lengths along three skew axes: smooth, and without a pattern at the size of a limb.
static float varied_detail(const void *context, Vec3 p)
{
    const PeltiVaryShape *s = context;
    const PeltiVary *v = s->variation;
    float k = 2.5f * TURN / v->wave;
    float wave = pelti_sinf(k * (p.x + 0.3f * p.y) + v->phase.x) + pelti_sinf(k * (0.8f * p.y - 0.4f * p.z) + v->phase.y) +
                 pelti_sinf(1.3f * k * (p.z + 0.2f * p.x) + v->phase.z);
    return (1 + v->uneven * wave / 3) * (s->plan.detail ? s->plan.detail(s->plan.context, p) : 1);
}

static float varied_distance(const void *context, Vec3 p)
{
    const PeltiVaryShape *s = context;
    return s->plan.distance(s->plan.context, p);
}

static Vec3 varied_gradient(const void *context, Vec3 p)
{
    const PeltiVaryShape *s = context;
    return s->plan.gradient(s->plan.context, p);
}

static Vec3 varied_project(const void *context, Vec3 p, Vec3 normal, float reach)
{
    const PeltiVaryShape *s = context;
    return s->plan.project(s->plan.context, p, normal, reach);
}

PeltiRemeshShape pelti_vary_shape(const PeltiVaryShape *varied)
{
    return (PeltiRemeshShape){.context = varied,
                              .low = varied->plan.low,
                              .high = varied->plan.high,
                              .distance = varied_distance,
                              .gradient = varied_gradient,
                              .project = varied_project,
                              .detail = varied_detail};
}

PeltStatus pelti_vary_mesh(const PeltiVary *v, const PeltiFigure *body, PeltiRemeshSurface *s, PeltError *err)
{
    PeltiPool pool;
    PeltiRandom r = pelti_random(v->seed, "jitter");
    if (!(v->jitter > 0))
        return PELT_OK;
    pelti_pool_init(&pool, &s->allocator);
    Vec3 *moved = PELTI_NEW(&pool, Vec3, s->vertex_count);
    PeltStatus status = moved ? PELT_OK : pelti_no_memory(err, (size_t)s->vertex_count * sizeof *moved);
    for (int i = 0; i < s->vertex_count && moved; i++) { // a weighted mean of neighbours stays within them
        int h = s->out[i];
        Vec3 sum = {0, 0, 0};
        float total = 0;
        do {
            float share = pelti_random_unit(&r);
            sum = vec3_mad(sum, s->position[s->corner[pelti_remesh_next(h)]], share * share);
            total += share * share;
            h = s->opposite[pelti_remesh_previous(h)];
        } while (h != s->out[i]);
        Vec3 p = vec3_lerp(s->position[i], vec3_scale(sum, 1 / fmaxf(total, 1e-6f)), v->jitter);
        moved[i] = pelti_solid_project(body->shape, p, s->size[i], NULL);
    }
    for (int i = 0; i < s->vertex_count && moved; i++)
        s->position[i] = moved[i];
    pelti_pool_release(&pool);
    return status;
}

/// Each bone scales along and across itself about its head, which its parent carries.
static void chain(PeltiVary *v, const PeltiFigure *body)
{
    for (int b = 0; b < body->bone_count; b++) {
        const PeltiFigureBone *bone = &body->bones[b];
        Vec3 a = vec3_normalize_or(vec3_sub(bone->tail, bone->head), vec3(0, 1, 0));
        Vec3 head = bone->parent < 0 ? bone->head : mat34_apply(v->carry[bone->parent], bone->head);
        float across = 1 + v->amount * (v->girth[b] - 1), along = 1 + v->amount * (v->length[b] - 1), more = along - across;
        Mat34 m = {{{across + more * a.x * a.x, more * a.x * a.y, more * a.x * a.z, 0},
                    {more * a.x * a.y, across + more * a.y * a.y, more * a.y * a.z, 0},
                    {more * a.x * a.z, more * a.y * a.z, across + more * a.z * a.z, 0}}};
        Vec3 shift = vec3_sub(head, mat34_apply(m, bone->head));
        m.m[0][3] = shift.x;
        m.m[1][3] = shift.y;
        m.m[2][3] = shift.z;
        v->carry[b] = m;
    }
}

/// A sway of at most 3 % of its own wave length changes lengths by less than a fifth and turns nothing inside out.
static Vec3 bent(const PeltiVary *v, Vec3 p)
{
    float k = TURN / v->wave, a = v->amount * v->sway;
    return vec3_add(p, vec3(a * pelti_sinf(k * p.y + v->phase.x), 0.5f * a * pelti_sinf(k * p.z + v->phase.y),
                            a * pelti_sinf(k * p.y + v->phase.z)));
}

Vec3 pelti_vary_point(const PeltiVary *v, const PeltiInfluences *owners, Vec3 p)
{
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++)
        if (owners->weight[k] > 0)
            sum = vec3_mad(sum, mat34_apply(v->carry[owners->bone[k]], p), owners->weight[k]);
    return bent(v, sum);
}

static void renew_normals(PeltiRemeshSurface *s)
{
    for (int i = 0; i < s->vertex_count; i++)
        s->normal[i] = vec3(0, 0, 0);
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = &s->corner[3 * t];
        Vec3 a = s->position[c[0]], n = vec3_cross(vec3_sub(s->position[c[1]], a), vec3_sub(s->position[c[2]], a));
        for (int i = 0; i < 3; i++) // by area
            s->normal[c[i]] = vec3_add(s->normal[c[i]], n);
    }
    for (int i = 0; i < s->vertex_count; i++)
        s->normal[i] = vec3_normalize_or(s->normal[i], vec3(0, 1, 0));
}

/// Joints go along with the skin; then each of them off the middle, across its bone, by a share of the mean distance of the
/// skin it owns most.
static void carry_bones(const PeltiVary *v, PeltiFigure *body, const PeltiRemeshSurface *s, const PeltiInfluences *owners)
{
    float sum[PELTI_FIGURE_BONES] = {0}, count[PELTI_FIGURE_BONES] = {0};
    for (int b = 0; b < body->bone_count; b++) {
        PeltiFigureBone *bone = &body->bones[b];
        bone->head = bent(v, mat34_apply(v->carry[b], bone->head));
        bone->tail = bent(v, mat34_apply(v->carry[b], bone->tail));
    }
    for (int i = 0; i < s->vertex_count; i++) {
        int b = owners[i].bone[0];
        sum[b] += sqrtf(pelti_skeleton_segment_distance2(s->position[i], body->bones[b].head, body->bones[b].tail, NULL));
        count[b]++;
    }
    for (int b = 0; b < body->bone_count; b++) {
        PeltiFigureBone *bone = &body->bones[b];
        PeltiRandom r = pelti_random(v->seed, bone->name); // each side its own
        Vec3 along = vec3_normalize_or(vec3_sub(bone->tail, bone->head), vec3(0, 1, 0)), side = vec3_orthogonal(along);
        float angle = pelti_random_between(&r, 0, TURN), reach = pelti_random_between(&r, 0, v->off_centre);
        Vec3 to = vec3_add(vec3_scale(side, pelti_cosf(angle)), vec3_scale(vec3_cross(along, side), pelti_sinf(angle)));
        if (count[b] > 0)
            bone->head = vec3_mad(bone->head, to, reach * sum[b] / count[b]);
    }
}

PeltStatus pelti_vary_body(PeltiVary *v, PeltiFigure *body, PeltiRemeshSurface *s, const PeltiInfluences *owners, PeltiJobs *jobs,
                           PeltError *err)
{
    enum { TRIES = 4 };
    PeltiPool pool;
    pelti_pool_init(&pool, &s->allocator);
    Vec3 *plan = PELTI_NEW(&pool, Vec3, s->vertex_count);
    PeltStatus status = plan ? PELT_OK : pelti_no_memory(err, (size_t)s->vertex_count * sizeof *plan);
    long before = 0, crossings = 0;
    for (int i = 0; i < s->vertex_count && plan; i++)
        plan[i] = s->position[i];
    if (status == PELT_OK)
        status = pelti_remesh_crossings(s, jobs, &before, err);
    for (int i = 0; i <= TRIES && status == PELT_OK; i++) {
        v->amount = i < TRIES ? ldexpf(1, -i) : 0;
        chain(v, body);
        for (int p = 0; p < s->vertex_count; p++)
            s->position[p] = pelti_vary_point(v, &owners[p], plan[p]);
        status = pelti_remesh_crossings(s, jobs, &crossings, err);
        if (crossings <= before)
            break;
    }
    if (status == PELT_OK) {
        renew_normals(s);
        carry_bones(v, body, s, owners);
    }
    pelti_pool_release(&pool);
    return status;
}
