/// Adds morph targets to rest points by the weights of a pose.
#include "character/targets.h"

#include <string.h>

PeltStatus pelti_targets_create(PeltiTargetMix *m, const PeltiCharacter *who, PeltiPool *pool, PeltError *err)
{
    *m = (PeltiTargetMix){.who = who};
    if (who->target_count == 0)
        return PELT_OK;
    m->points = PELTI_NEW(pool, int, who->point_count);
    m->offsets = PELTI_NEW(pool, Vec3, who->point_count);
    m->turn = PELTI_NEW(pool, Quat, who->bone_count);
    m->stretch = PELTI_NEW(pool, Mat3, who->bone_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    for (int t = 0; t < who->target_count; t++)
        for (int i = 0; i < who->targets[t].count; i++)
            m->points[who->targets[t].points[i]] = 1; // a mark first
    for (int p = 0; p < who->point_count; p++)
        if (m->points[p])
            m->points[m->count++] = p; // never overtakes the marks: count <= p
    return PELT_OK;
}

bool pelti_targets_mix(PeltiTargetMix *m, const PeltiPose *pose)
{
    bool any = false;
    for (int t = 0; t < m->who->target_count && m->count; t++)
        any = any || pose->morph[t] != 0;
    if (!any)
        return false;
    for (int i = 0; i < m->count; i++)
        m->offsets[m->points[i]] = vec3(0, 0, 0);
    for (int t = 0; t < m->who->target_count; t++) {
        const PeltiTarget *target = &m->who->targets[t];
        for (int i = 0; pose->morph[t] != 0 && i < target->count; i++)
            m->offsets[target->points[i]] = vec3_mad(m->offsets[target->points[i]], target->offsets[i], pose->morph[t]);
    }
    return true;
}

static Vec3 carry_linear(const int *bone, const float *weight, int influences, const Mat34 *bones, Vec3 d)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < influences; k++)
        if (weight[k] > 0)
            sum = vec3_mad(sum, mat3_apply(mat34_linear(bones[bone[k]]), d), weight[k]);
    return sum;
}

/// q and -q are one rotation: each is taken on the side of the strongest bone's.
static Vec3 carry_turned(const PeltiTargetMix *m, const int *bone, const float *weight, int influences, Vec3 d)
{
    Vec3 stretched = vec3(0, 0, 0);
    Quat sum = {0, 0, 0, 0};
    for (int k = 0; k < influences; k++) {
        Quat q = m->turn[bone[k]];
        float w = weight[k] > 0 ? weight[k] : 0, s = quat_dot(q, m->turn[bone[0]]) < 0 ? -w : w;
        stretched = vec3_mad(stretched, mat3_apply(m->stretch[bone[k]], d), w);
        sum = (Quat){sum.x + s * q.x, sum.y + s * q.y, sum.z + s * q.z, sum.w + s * q.w};
    }
    return quat_rotate(quat_normalize(sum), stretched);
}

void pelti_targets_carry(PeltiTargetMix *m, const PeltiTargetCarry *carry, Vec3 *skin)
{
    const PeltiWeights *weights = carry->weights;
    const PeltiMesh *mesh = m->who->mesh;
    if (!pelti_targets_mix(m, carry->pose) || weights->influences == 0)
        return;
    for (int b = 0; b < m->who->bone_count && !carry->linear; b++)
        m->turn[b] = quat_from_mat3(mat3_polar(mat34_linear(carry->bones[b]), &m->stretch[b]));
    for (int i = 0; i < m->count; i++) {
        int p = m->points[i], v = mesh->weld[p];
        if (carry->by_vertex && mesh->first_point[v] != p)
            continue;
        size_t at = (size_t)(carry->row ? carry->row[p] : p) * (size_t)weights->influences;
        const int *bone = weights->bone + at;
        const float *weight = weights->weight + at;
        Vec3 d = carry->linear ? carry_linear(bone, weight, weights->influences, carry->bones, m->offsets[p])
                               : carry_turned(m, bone, weight, weights->influences, m->offsets[p]);
        Vec3 *x = &skin[carry->by_vertex ? v : p];
        *x = vec3_add(*x, d);
    }
}
