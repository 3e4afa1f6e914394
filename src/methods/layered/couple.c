// Kinematic coupling ([Deul2013] sec. 4.4): lbs goals for the bone layer, lower bounds on the distance to joints.
#include "methods/layered/flesh.h"

#include <string.h>

enum { GRAIN = 512 };

static void blend_goals(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int s = begin; s < end; s++) {
        float m[12] = {0};
        for (int k = 0; k < flesh->influences; k++) {
            size_t i = (size_t)s * (size_t)flesh->influences + (size_t)k;
            const float *bone = &flesh->bones_blend[flesh->bone[i]].m[0][0];
            for (int q = 0; flesh->weight[i] > 0 && q < 12; q++)
                m[q] += flesh->weight[i] * bone[q];
        }
        for (int l = 0; l < PELTI_LAYERS; l++) {
            size_t i = (size_t)s * PELTI_LAYERS + (size_t)l;
            float x = flesh->match.rest[0][i], y = flesh->match.rest[1][i], z = flesh->match.rest[2][i];
            for (int r = 0; r < 3; r++)
                flesh->goal[r][i] = m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z + m[4 * r + 3];
        }
    }
}

/// Moves what positions are about to where the skeleton is now; only when it went far, so that rounding is rare.
static void follow(PeltiFlesh *flesh, const Mat34 *bones)
{
    Vec3 mean = {0, 0, 0};
    int count = flesh->who->bone_count;
    for (int b = 0; b < count; b++)
        mean = vec3_mad(mean, mat34_apply(bones[b], flesh->centre), 1 / (float)count);
    if (count == 0 || !vec3_finite(mean) || vec3_distance(mean, flesh->origin) <= flesh->size)
        return;
    float shift[3] = {mean.x - flesh->origin.x, mean.y - flesh->origin.y, mean.z - flesh->origin.z};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < (size_t)flesh->n * PELTI_LAYERS; i++) {
            flesh->match.x[k][i] -= shift[k];
            flesh->before[k][i] -= shift[k];
            flesh->goal[k][i] -= shift[k];
            flesh->goal_before[k][i] -= shift[k];
        }
    flesh->origin = mean;
}

void pelti_couple_goals(PeltiFlesh *flesh, const Mat34 *bones)
{
    follow(flesh, bones);
    for (int b = 0; b < flesh->who->bone_count; b++) {
        Vec3 at = vec3_sub(mat34_apply(bones[b], flesh->centre), flesh->origin);
        flesh->bones_blend[b] = mat34_from(mat34_linear(bones[b]), at);
        flesh->joint_now[b] = vec3_sub(mat34_apply(bones[b], flesh->who->bones[b].head), flesh->origin);
    }
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, blend_goals, flesh);
}

void pelti_couple_hold(void *context, int begin, int end)
{
    PeltiFlesh *flesh = context;
    float pull = flesh->set.coupling;
    for (int s = begin; s < end; s++) {
        size_t bone = (size_t)s * PELTI_LAYERS + PELTI_BONE_LAYER;
        for (int k = 0; k < 3; k++)
            flesh->match.x[k][bone] += pull * (flesh->goal[k][bone] - flesh->match.x[k][bone]);
        if (flesh->joint[s] < 0)
            continue;
        Vec3 joint = flesh->joint_now[flesh->joint[s]];
        for (int l = 0; l < PELTI_BONE_LAYER; l++) {
            float least = flesh->joint_least[(size_t)s * PELTI_LAYERS + (size_t)l];
            Vec3 away = vec3_sub(pelti_lane(flesh->match.x, s, l), joint);
            float d = vec3_length(away);
            if (d < least && d > 1e-6f * least) // the joint is kinematic: the particle takes the whole correction
                pelti_set_lane(flesh->match.x, s, l, vec3_mad(joint, away, least / d));
        }
    }
}
