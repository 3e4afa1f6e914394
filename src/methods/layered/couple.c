/// Couples flesh to the skeleton [Deul2013 sec. 4.4]: blended goals for the bone layer, least distances to joints.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

enum { GRAIN = 512 };

/// Orientations of a slot's particles go with the bones, like their places do: shape matching turns them only little by little.
static void turn_particles(PeltiFlesh *flesh, int slot, const float turn[9])
{
    float(*m)[3][PELTI_POLAR_LANES] = flesh->match.rotation[slot / 2].m;
    for (int lane = slot % 2 * PELTI_LAYERS; lane < (slot % 2 + 1) * PELTI_LAYERS; lane++)
        for (int c = 0; c < 3; c++) {
            float a = m[0][c][lane], b = m[1][c][lane], d = m[2][c][lane];
            for (int r = 0; r < 3; r++)
                m[r][c][lane] = turn[3 * r] * a + turn[3 * r + 1] * b + turn[3 * r + 2] * d;
        }
}

static void blend_goals(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int s = begin; s < end; s++) {
        float m[12] = {0}, turn[9] = {0};
        for (int k = 0; k < flesh->weights.influences; k++) {
            size_t i = (size_t)s * (size_t)flesh->weights.influences + (size_t)k;
            const float *bone = &flesh->scratch.blend[flesh->weights.bone[i]].m[0][0],
                        *r = &flesh->skeleton.turn[flesh->weights.bone[i]].m[0][0];
            if (!(flesh->weights.weight[i] > 0))
                continue;
            for (int q = 0; q < 12; q++)
                m[q] += flesh->weights.weight[i] * bone[q];
            for (int q = 0; q < 9; q++)
                turn[q] += flesh->weights.weight[i] * r[q];
        }
        turn_particles(flesh, s, turn);
        for (int l = 0; l < PELTI_LAYERS; l++) {
            size_t i = (size_t)s * PELTI_LAYERS + (size_t)l;
            float x = flesh->stretch.rest[0][i], y = flesh->stretch.rest[1][i], z = flesh->stretch.rest[2][i];
            for (int r = 0; r < 3; r++)
                flesh->moving.goal[r][i] = m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z + m[4 * r + 3];
        }
    }
}

/// Moves what positions are about to where the skeleton is now; only when it went far, so that rounding is rare.
static void follow(PeltiFlesh *flesh, const Mat34 *bones)
{
    Vec3 mean = {0, 0, 0};
    int count = flesh->who->bone_count;
    for (int b = 0; b < count; b++)
        mean = vec3_mad(mean, mat34_apply(bones[b], flesh->rest.centre), 1 / (float)count);
    if (count == 0 || !vec3_finite(mean) || vec3_distance(mean, flesh->moving.origin) <= flesh->rest.size)
        return;
    float shift[3] = {mean.x - flesh->moving.origin.x, mean.y - flesh->moving.origin.y, mean.z - flesh->moving.origin.z};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < (size_t)flesh->n * PELTI_LAYERS; i++) {
            flesh->match.x[k][i] -= shift[k];
            flesh->moving.before[k][i] -= shift[k];
            flesh->moving.goal[k][i] -= shift[k];
            flesh->moving.goal_before[k][i] -= shift[k];
        }
    flesh->moving.origin = mean;
}

/// Towards which side a joint is bent: how the bone's direction has changed against its parent.
static Vec3 fold_of(const PeltiFlesh *flesh, const Mat34 *bones, int b)
{
    const PeltiBone *bone = &flesh->who->bones[b];
    if (bone->parent < 0 || bone->segment_count == 0)
        return vec3(0, 0, 0);
    const PeltiSkeletonSegment *segment = &flesh->who->segments[bone->segment_first];
    Vec3 along = vec3_normalize_or(vec3_sub(segment->b, segment->a), vec3(0, 0, 0));
    return vec3_sub(mat3_apply(mat34_linear(bones[b]), along), mat3_apply(mat34_linear(bones[bone->parent]), along));
}

/// What the bone has done since the last goals, `head` being where its head was: turned, moved and scaled.
static Mat34 carry_of(PeltiFlesh *flesh, int b, Mat3 linear, Vec3 head)
{
    Mat3 back, way = flesh->skeleton.turn[b];
    if (mat3_inverse(flesh->skeleton.linear[b], &back))
        way = mat3_mul(linear, back);
    flesh->skeleton.linear[b] = linear;
    return mat34_from(way, vec3_sub(flesh->skeleton.head[b], mat3_apply(way, head)));
}

void pelti_layered_couple_goals(PeltiFlesh *flesh, const Mat34 *bones)
{
    pelti_layered_stretch_pose(flesh, bones);
    Vec3 origin = flesh->moving.origin;
    follow(flesh, bones);
    origin = vec3_sub(origin, flesh->moving.origin); // where it was, as seen from where it is
    for (int b = 0; b < flesh->who->bone_count; b++) {
        Vec3 shift = vec3_scale(flesh->moving.origin, -1);
        flesh->scratch.blend[b] = mat34_from(mat34_linear(bones[b]), vec3_add(mat34_apply(bones[b], flesh->rest.centre), shift));
        Vec3 head = vec3_add(flesh->skeleton.head[b], origin);
        flesh->skeleton.head[b] = vec3_add(mat34_apply(bones[b], flesh->who->bones[b].head), shift);
        flesh->skeleton.fold[b] = fold_of(flesh, bones, b);
        Mat3 rotation = mat3_polar(mat34_linear(bones[b]), NULL);
        flesh->skeleton.turn[b] = mat3_mul(rotation, mat3_transpose(flesh->skeleton.rotation[b]));
        flesh->skeleton.rotation[b] = rotation;
        flesh->skeleton.carry[b] = carry_of(flesh, b, mat34_linear(bones[b]), head);
    }
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, blend_goals, flesh);
}

/// Every particle of a slot towards its goal.
static inline void pull_slot(PeltiFlesh *flesh, int s)
{
    PeltiLayeredSlots pull = ((const PeltiLayeredSlots *)flesh->hold.pull)[s];
    for (int k = 0; k < 3; k++) {
        PeltiLayeredSlots *x = (PeltiLayeredSlots *)flesh->match.x[k] + s;
        *x += pull * (((const PeltiLayeredSlots *)flesh->moving.goal[k])[s] - *x);
    }
}

/// Squares of the distances of a slot's particles to p.
static inline PeltiLayeredSlots squares_from(float *const x[3], int s, Vec3 p)
{
    PeltiLayeredSlots dx = ((const PeltiLayeredSlots *)x[0])[s] - p.x, dy = ((const PeltiLayeredSlots *)x[1])[s] - p.y,
                      dz = ((const PeltiLayeredSlots *)x[2])[s] - p.z;
    return dx * dx + dy * dy + dz * dz;
}

static void keep_distance(PeltiFlesh *flesh, int s, int l, float least)
{
    Vec3 joint = flesh->skeleton.head[flesh->hold.joint[s]], fold = flesh->skeleton.fold[flesh->hold.joint[s]];
    Vec3 away = vec3_sub(pelti_flesh_lane(flesh->match.x, s, l), joint);
    float d = vec3_length(away);
    if (!(d < least && d > 1e-6f * least)) // on the joint itself there is no direction away
        return;
    // the paper keeps the distance for the sake of the outer side; in the fold there is no room for it
    least *= 1 - fminf(fmaxf((vec3_dot(away, fold) / d - FOLD_FROM) / (FOLD_TO - FOLD_FROM), 0), 1);
    if (d < least) // the joint is kinematic: the particle takes the whole correction
        pelti_flesh_set_lane(flesh->match.x, s, l, vec3_mad(joint, away, least / d));
}

void pelti_layered_couple_hold(void *context, int begin, int end)
{
    PeltiFlesh *flesh = context;
    for (int s = begin; s < end; s++) {
        pull_slot(flesh, s);
        if (flesh->hold.joint[s] < 0)
            continue;
        PeltiLayeredSlots least = ((const PeltiLayeredSlots *)flesh->hold.joint_least)[s];
        PeltiLayeredSlots squared = squares_from(flesh->match.x, s, flesh->skeleton.head[flesh->hold.joint[s]]);
        for (int l = 0; l < PELTI_LAYER_BONE; l++)
            if (squared[l] < 1.0001f * least[l] * least[l]) // few are, and what rounding decides is asked again
                keep_distance(flesh, s, l, least[l]);
    }
}
