/// Bones give way to each other. Clips drive fingers through fingers and fingertips through the palm: no skin can be laid
/// around bones that are inside each other. Where the axes of two segments come nearer than a share of the radii of their
/// flesh, the last joints of a chain turn by the least that takes them apart, and everything else (base points, folds,
/// planes) sees the turned bones. Depends on the pose alone, so a held pose rests.
///
/// Tried and dropped: turning any chain of three bones (hands pushed shins aside); leaving fingers alone whose root is itself
/// inside the other part (1053 deep crossings in place of 272 where the biped's hands go through its thighs).
#include "methods/projective/parts.h"
#include "math/elementary.h"

#include <string.h>

enum { MOST_HEIGHT = 3, ROUNDS = 12 };
static const float apart = 0.85f;      // of the hulls' radii: what is nearer is left to the flesh
static const float most_turn = 0.25f;  // radians in a round
static const float most_of_all = 0.8f; // radians a joint turns in all

/// Segments from a bone to the farthest leaf below it; a bone with several segments is a hub and counts as high.
static int height_of(const PeltiCharacter *who, const ProjSkeleton *k, int bone, int depth)
{
    int own = 0, highest = 0;
    if (depth > MOST_HEIGHT)
        return MOST_HEIGHT + 1;
    for (int s = 0; s < k->segment_count; s++)
        own += k->segments[s].bone == bone;
    for (int b = 0; b < who->bone_count; b++)
        if (who->bones[b].parent == bone) {
            int h = height_of(who, k, b, depth + 1);
            highest = h > highest ? h : highest;
        }
    return own > 1 ? MOST_HEIGHT + 1 : highest + own;
}

static bool is_chain(const PeltiCharacter *who, int bone)
{
    for (int down = bone; down >= 0;) {
        int next = -1;
        for (int b = 0; b < who->bone_count; b++)
            if (who->bones[b].parent == down) {
                if (next >= 0)
                    return false;
                next = b;
            }
        down = next;
    }
    return true;
}

/// Does the chain hang with at least two others on one bone, all unbranched, as fingers, toes and legs of a spider do? Arms, legs
/// and heads stay where the clip wants them.
static bool is_one_of_many(const PeltiCharacter *who, int bone)
{
    int chains = 0, hub = who->bones[bone].parent;
    for (; hub >= 0; hub = who->bones[hub].parent) {
        int children = 0;
        for (int b = 0; b < who->bone_count; b++)
            children += who->bones[b].parent == hub;
        if (children > 1)
            break;
    }
    for (int b = 0; hub >= 0 && b < who->bone_count; b++)
        chains += who->bones[b].parent == hub && is_chain(who, b);
    return chains >= 3;
}

static bool is_below(const PeltiCharacter *who, int bone, int above)
{
    for (int k = 0; bone >= 0 && k < who->bone_count; k++, bone = who->bones[bone].parent)
        if (bone == above)
            return true;
    return false;
}

static float least_apart(const Projective *p, int a, int b)
{
    const ProjPairs *pairs = &p->pairs;
    const ProjPlace *x = &pairs->rest[a], *y = &pairs->rest[b];
    if (pelti_proj_joined(&p->skeleton, a, b))
        return 0;
    PeltiClosestSegments near = pelti_closest_segments(x->a, x->b, y->a, y->b);
    Vec3 out = vec3_sub(vec3_lerp(x->a, x->b, (float)near.s), vec3_lerp(y->a, y->b, (float)near.t));
    Vec3 n = vec3_normalize_or(out, vec3(0, 0, 0));
    float both = pelti_proj_hull_radius(&pairs->hulls[a], x, (float)near.s, vec3_scale(n, -1)) +
                 pelti_proj_hull_radius(&pairs->hulls[b], y, (float)near.t, n);
    return fminf(apart, 0.9f * vec3_length(out) / fmaxf(both, 1e-12f));
}

PeltStatus pelti_proj_yield_create(Projective *p, PeltError *err)
{
    const PeltiCharacter *who = p->who;
    ProjYield *y = &p->yield;
    int bones = who->bone_count, segments = p->skeleton.segment_count, used = 0;
    *y = (ProjYield){.segment_count = segments, .bone_count = bones};
    y->gives = PELTI_NEW(&p->pool, bool, (size_t)bones + 1);
    y->below_start = PELTI_NEW(&p->pool, int, (size_t)bones + 2);
    y->least = PELTI_NEW(&p->pool, float, (size_t)segments *(size_t)segments + 1);
    y->near_most = 16 * segments;
    y->near = pelti_pool_take(&p->pool, (size_t)y->near_most + 1, sizeof *y->near);
    y->spent = PELTI_NEW(&p->pool, float, (size_t)bones + 1);
    y->bones = PELTI_NEW(&p->pool, Mat34, (size_t)bones + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)segments * (size_t)segments * sizeof(float));
    for (int b = 0; b < bones; b++) {
        int height = height_of(who, &p->skeleton, b, 0);
        y->gives[b] = who->bones[b].parent >= 0 && height >= 1 && height <= MOST_HEIGHT && is_one_of_many(who, b);
    }
    y->own_segment = PELTI_NEW(&p->pool, int, (size_t)bones + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)bones * sizeof(int));
    for (int b = 0; b < bones; b++)
        y->own_segment[b] = -1;
    for (int s = 0; s < segments; s++)
        y->own_segment[p->skeleton.segments[s].bone] = s;
    for (int pass = 0; pass < 2; pass++) {
        used = 0;
        for (int b = 0; b < bones; b++) {
            y->below_start[b] = used;
            for (int d = 0; y->gives[b] && d < bones; d++)
                if (is_below(who, d, b)) {
                    if (pass)
                        y->below[used] = d;
                    used++;
                }
        }
        y->below_start[bones] = used;
        if (!pass)
            y->below = PELTI_NEW(&p->pool, int, (size_t)used + 1);
        if (p->pool.failed)
            return pelti_no_memory(err, (size_t)used * sizeof(int));
    }
    for (int a = 0; a < segments; a++)
        for (int b = 0; b < a; b++) {
            bool either = y->gives[p->skeleton.segments[a].bone] || y->gives[p->skeleton.segments[b].bone];
            float least = either ? least_apart(p, a, b) : 0;
            y->least[a * segments + b] = y->least[b * segments + a] = least;
        }
    return PELT_OK;
}

/// Joints whose turning moves segment a and not segment b.
static int find_movers(const Projective *p, int a, int b, int out[MOST_HEIGHT])
{
    const PeltiCharacter *who = p->who;
    int count = 0;
    for (int j = p->skeleton.segments[a].bone; j >= 0 && p->yield.gives[j] && count < MOST_HEIGHT; j = who->bones[j].parent) {
        if (is_below(who, p->skeleton.segments[b].bone, j))
            break;
        out[count++] = j;
    }
    return count;
}

static void turn(Projective *p, int joint, Vec3 by)
{
    ProjYield *y = &p->yield;
    float angle = vec3_length(by);
    if (!(angle > 1e-7f))
        return;
    Vec3 head = mat34_apply(y->bones[joint], p->base.head[joint]), axis = vec3_scale(by, 1 / angle);
    angle = fminf(angle, fminf(most_turn, most_of_all - y->spent[joint]));
    y->spent[joint] += angle;
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    Mat34 m = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
    for (int e = y->below_start[joint]; e < y->below_start[joint + 1]; e++) {
        int bone = y->below[e], s = y->own_segment[bone];
        y->bones[bone] = mat34_mul(m, y->bones[bone]);
        if (s >= 0)
            p->pairs.now[s] = pelti_proj_place(&p->skeleton.segments[s], y->bones);
    }
}

/// One pair: the joints turn by the least (sum of squares) that takes its closest points apart. Says how much was missing; below
/// zero: how far they are from that.
static float part(Projective *p, int a, int b)
{
    const ProjPairs *pairs = &p->pairs;
    ProjYield *y = &p->yield;
    const ProjPlace *at[2] = {&pairs->now[a], &pairs->now[b]};
    PeltiClosestSegments near = pelti_closest_segments(at[0]->a, at[0]->b, at[1]->a, at[1]->b);
    Vec3 point[2] = {vec3_lerp(at[0]->a, at[0]->b, (float)near.s), vec3_lerp(at[1]->a, at[1]->b, (float)near.t)};
    Vec3 out = vec3_sub(point[0], point[1]), n = vec3_normalize_or(out, vec3_cross(at[0]->axis, at[1]->axis));
    float both = pelti_proj_hull_radius(&pairs->hulls[a], at[0], (float)near.s, vec3_scale(n, -1)) +
                 pelti_proj_hull_radius(&pairs->hulls[b], at[1], (float)near.t, n);
    float depth = y->least[a * y->segment_count + b] * both - vec3_length(out);
    if (!(depth > 0))
        return depth;
    int movers[2][MOST_HEIGHT], count[2] = {find_movers(p, a, b, movers[0]), find_movers(p, b, a, movers[1])};
    float square = 1e-12f * p->mesh->diagonal * p->mesh->diagonal;
    Vec3 by[2][MOST_HEIGHT];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < count[side]; k++) {
            Vec3 head = mat34_apply(y->bones[movers[side][k]], p->base.head[movers[side][k]]);
            by[side][k] = vec3_scale(vec3_cross(vec3_sub(point[side], head), n), side ? -1 : 1);
            square += vec3_dot(by[side][k], by[side][k]);
        }
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < count[side]; k++)
            turn(p, movers[side][k], vec3_scale(by[side][k], depth / square));
    return depth;
}

static int find_near(Projective *p, const Mat34 *bones)
{
    ProjYield *y = &p->yield;
    ProjPairs *pairs = &p->pairs;
    int n = y->segment_count, count = 0;
    for (int s = 0; s < n; s++)
        pairs->now[s] = pelti_proj_place(&p->skeleton.segments[s], bones);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) {
            if (!(y->least[a * n + b] > 0))
                continue;
            const ProjPlace *u = &pairs->now[a], *v = &pairs->now[b];
            float reach = 1.5f * (pairs->hulls[a].most + pairs->hulls[b].most) + 0.5f * (u->length + v->length);
            Vec3 between = vec3_scale(vec3_sub(vec3_add(u->a, u->b), vec3_add(v->a, v->b)), 0.5f);
            if (vec3_dot(between, between) > reach * reach || count >= y->near_most)
                continue;
            y->near[count][0] = a;
            y->near[count++][1] = b;
        }
    return count;
}

const Mat34 *pelti_proj_yield(Projective *p, const Mat34 *bones)
{
    ProjYield *y = &p->yield;
    if (!y->bones)
        return bones;
    memcpy(y->bones, bones, (size_t)y->bone_count * sizeof *bones);
    memset(y->spent, 0, (size_t)y->bone_count * sizeof *y->spent);
    int count = find_near(p, bones);
    float last = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        float most = 0;
        int kept = 0;
        for (int k = 0; k < count; k++) {
            int a = y->near[k][0], b = y->near[k][1];
            float missing = part(p, a, b);
            most = fmaxf(most, missing);
            if (missing < -0.5f * (p->pairs.hulls[a].most + p->pairs.hulls[b].most)) // no turn brings these together
                continue;
            y->near[kept][0] = a;
            y->near[kept++][1] = b;
        }
        count = kept;
        if (!(most > 1e-4f * p->mesh->diagonal) || (round > 3 && most > 0.95f * last)) // apart, or as far as joints turn
            break;
        last = most;
    }
    return y->bones;
}

float pelti_proj_yield_turn(const Projective *p, const Mat34 *bones)
{
    float least = 1;
    for (int b = 0; p->yield.bones && b < p->yield.bone_count; b++)
        if (p->yield.gives[b]) {
            for (int k = 0; k < 3; k++) {
                Vec3 axis = vec3(k == 0, k == 1, k == 2);
                Vec3 was = vec3_normalize_or(mat34_apply_vector(bones[b], axis), axis),
                     is = vec3_normalize_or(mat34_apply_vector(p->yield.bones[b], axis), axis);
                least = fminf(least, vec3_dot(was, is));
            }
        }
    return pelti_acosf(fmaxf(least, -1));
}
