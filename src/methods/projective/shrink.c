/// Finds foot points on the skeleton and base points on its surface [Komaritzan2018 sec. 3.2].
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include <string.h>

static Vec3 project(const ProjSegment *s, Vec3 p)
{
    float t = vec3_dot(vec3_sub(p, s->a), s->axis);
    return vec3_mad(s->a, s->axis, fminf(fmaxf(t, 0), s->length));
}

/// Skeleton that may carry a vertex; -1: none. A prop's bone goes to *rigid.
static int skeleton_of(const PeltiCharacter *who, int vertex, int *rigid)
{
    const PeltiInstance *instance = &who->instances[who->mesh->vertex_instance[vertex]];
    *rigid = -1;
    if (instance->bone_count < 1)
        return -1;
    if (instance->skin < 0 || who->bones[instance->bones[0]].is_prop) {
        *rigid = instance->bones[0];
        return -1;
    }
    return who->bones[instance->bones[0]].skeleton;
}

static float weight_of(const PeltiWeights *weights, int vertex, int bone)
{
    for (int i = 0; i < weights->influences; i++) {
        size_t at = (size_t)vertex * (size_t)weights->influences + (size_t)i;
        if (weights->weight[at] > 0 && weights->bone[at] == bone)
            return weights->weight[at];
    }
    return 0;
}

/// What a vertex is bound to of the bones that meet in a segment.
static float bound_to(const ProjSegment *segment, const PeltiWeights *weights, int vertex)
{
    return weight_of(weights, vertex, segment->bone) + (segment->child >= 0 ? weight_of(weights, vertex, segment->child) : 0);
}

/// The nearest segment; equal distances (a joint) go to the one whose far end is nearer, so the order of joints is no matter.
/// `weights`: only segments that a good part of the vertex' weight is on; NULL: all of them.
static void nearest_foot(const ProjSkeleton *k, int skeleton, Vec3 x, const PeltiWeights *weights, int vertex, ProjFoot *foot)
{
    float best = INFINITY, best_far = INFINITY;
    foot->segment = -1;
    for (int s = 0; s < k->segment_count; s++) {
        const ProjSegment *segment = &k->segments[s];
        if (segment->skeleton != skeleton || (weights && bound_to(segment, weights, vertex) < BOUND))
            continue;
        Vec3 p = project(segment, x);
        float d = vec3_distance(p, x), far = fmaxf(vec3_distance(segment->a, x), vec3_distance(segment->b, x));
        if (d < best || (d == best && far < best_far)) {
            best = d;
            best_far = far;
            foot->segment = s;
            foot->foot = p;
        }
    }
}

static bool is_fixed(const ProjSegment *s, Vec3 foot)
{
    float t = vec3_dot(vec3_sub(foot, s->a), s->axis), near = 1e-5f * s->length; // at the end but for rounding
    return (s->leaf_a && t <= near) || (s->leaf_b && t >= s->length - near);
}

typedef struct Shrink {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    const ProjSkeleton *k;
    const PeltiWeights *weights;
    ProjFoot *feet;
    ProjFoot *next;
    const bool *fixed;
    float *moved; // [vertex]
} Shrink;

static void find_feet(void *context, int begin, int end, int worker)
{
    (void)worker;
    Shrink *s = context;
    for (int v = begin; v < end; v++) {
        ProjFoot *foot = &s->feet[v];
        int skeleton = skeleton_of(s->who, v, &foot->bone);
        foot->segment = -1;
        if (skeleton >= 0)
            nearest_foot(s->k, skeleton, s->mesh->rest[v], NULL, v, foot);
        if (foot->segment >= 0 && bound_to(&s->k->segments[foot->segment], s->weights, v) < STRANGE) {
            ProjFoot own = *foot; // a finger beside the thigh belongs to the hand
            nearest_foot(s->k, skeleton, s->mesh->rest[v], s->weights, v, &own);
            if (own.segment >= 0)
                *foot = own;
        }
        if (skeleton >= 0 && foot->segment < 0) // a skeleton of points: hold on to its first bone
            foot->bone = s->who->instances[s->mesh->vertex_instance[v]].bones[0];
    }
}

/// eq. 2, then back to the skeleton: to the own segment or one that shares a joint with it.
static void smooth(void *context, int begin, int end, int worker)
{
    (void)worker;
    Shrink *s = context;
    for (int v = begin; v < end; v++) {
        ProjFoot *to = &s->next[v];
        *to = s->feet[v];
        s->moved[v] = 0;
        int ring = 0;
        Vec3 sum = {0, 0, 0};
        if (to->segment < 0 || s->fixed[v])
            continue;
        for (int e = s->mesh->ring_start[v]; e < s->mesh->ring_start[v + 1]; e++)
            if (s->feet[s->mesh->ring[e]].segment >= 0) {
                sum = vec3_add(sum, s->feet[s->mesh->ring[e]].foot);
                ring++;
            }
        if (!ring)
            continue;
        Vec3 goal = vec3_lerp(to->foot, vec3_scale(sum, 1.0f / (float)ring), FOOT_SMOOTH);
        int own = to->segment;
        Vec3 at = project(&s->k->segments[own], goal);
        float best = vec3_distance(at, goal);
        for (int n = 0; n < s->k->segments[own].near_count; n++) {
            int other = s->k->near[s->k->segments[own].near_first + n];
            Vec3 p = project(&s->k->segments[other], goal);
            float d = vec3_distance(p, goal);
            if (d < best * 0.9999f) { // at a joint both are as near but for rounding, and it stays where it was
                best = d;
                at = p;
                to->segment = other;
            }
        }
        s->moved[v] = vec3_distance(at, to->foot);
        to->foot = at;
    }
}

/// Distance from an axis point s to where the ray along u leaves a sphere; 0 where s is outside.
static float leave_sphere(Vec3 s, Vec3 u, Vec3 centre, float radius)
{
    Vec3 d = vec3_sub(s, centre);
    float b = vec3_dot(d, u), c = vec3_dot(d, d) - radius * radius;
    if (c >= 0)
        return 0;
    return -b + sqrtf(b * b - c);
}

static float leave_segment(const ProjSkeleton *k, const ProjSegment *segment, Vec3 s, Vec3 u)
{
    float along = vec3_dot(vec3_sub(s, segment->a), segment->axis), slope = vec3_dot(u, segment->axis);
    float out = fmaxf(leave_sphere(s, u, segment->a, k->joint_radius[segment->bone]),
                      leave_sphere(s, u, segment->b, segment->child >= 0 ? k->joint_radius[segment->child] : segment->radius));
    Vec3 radial = vec3_mad(vec3_sub(s, segment->a), segment->axis, -along), across = vec3_mad(u, segment->axis, -slope);
    float a = vec3_dot(across, across), b = vec3_dot(radial, across),
          c = vec3_dot(radial, radial) - segment->radius * segment->radius;
    if (c < 0 && a > 1e-12f) {
        float t = (-b + sqrtf(fmaxf(b * b - a * c, 0))) / a, end = along + t * slope;
        if (end >= 0 && end <= segment->length)
            out = fmaxf(out, t);
    }
    out = fmaxf(out, leave_sphere(s, u, segment->a, segment->radius));
    return fmaxf(out, leave_sphere(s, u, segment->b, segment->radius));
}

/// From the foot towards the vertex, to the surface of the volumetric bones; at least a quarter of the way stays tissue.
static void place_base(void *context, int begin, int end, int worker)
{
    (void)worker;
    Shrink *s = context;
    for (int v = begin; v < end; v++) {
        ProjFoot *foot = &s->feet[v];
        Vec3 x = s->mesh->rest[v];
        foot->base = x;
        if (foot->segment < 0)
            continue;
        const ProjSegment *segment = &s->k->segments[foot->segment];
        float length = vec3_distance(x, foot->foot);
        if (!(length > 1e-7f * s->mesh->diagonal)) {
            foot->base = foot->foot;
            continue;
        }
        Vec3 u = vec3_scale(vec3_sub(x, foot->foot), 1 / length);
        float out = leave_segment(s->k, segment, foot->foot, u);
        for (int n = 0; n < segment->near_count; n++)
            out = fmaxf(out, leave_segment(s->k, &s->k->segments[s->k->near[segment->near_first + n]], foot->foot, u));
        foot->base = vec3_mad(foot->foot, u, fminf(out, TISSUE_LEAST * length));
    }
}

PeltStatus pelti_proj_shrink(const ProjSource *source, const ProjSkeleton *k, ProjFoot **out, PeltError *err)
{
    const PeltiMesh *mesh = source->who->mesh;
    PeltiPool *pool = source->pool;
    PeltiJobs *jobs = source->jobs;
    size_t n = (size_t)mesh->vertex_count;
    PeltiPool temp;
    pelti_pool_init(&temp, &pool->allocator);
    bool *fixed = PELTI_NEW(&temp, bool, n + 1);
    Shrink s = {source->who,
                mesh,
                k,
                source->weights,
                PELTI_NEW(pool, ProjFoot, n + 1),
                PELTI_NEW(&temp, ProjFoot, n + 1),
                fixed,
                PELTI_NEW(&temp, float, n + 1)};
    if (pool->failed || temp.failed) {
        pelti_pool_release(&temp);
        return pelti_no_memory(err, n * sizeof(ProjFoot));
    }
    *out = s.feet;
    pelti_parallel_for(jobs, mesh->vertex_count, 256, find_feet, &s);
    for (int v = 0; v < mesh->vertex_count; v++)
        fixed[v] = s.feet[v].segment >= 0 && is_fixed(&k->segments[s.feet[v].segment], s.feet[v].foot);
    for (int round = 0; round < FOOT_ROUNDS; round++) {
        pelti_parallel_for(jobs, mesh->vertex_count, 1024, smooth, &s);
        float most = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
            most = fmaxf(most, s.moved[v]);
        memcpy(s.feet, s.next, n * sizeof(ProjFoot));
        if (most < FOOT_STILL * mesh->diagonal)
            break;
    }
    pelti_parallel_for(jobs, mesh->vertex_count, 1024, place_base, &s);
    pelti_pool_release(&temp);
    return PELT_OK;
}
