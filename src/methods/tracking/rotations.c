/// Finds the edges' target rotations by dual quaternions [Kavan2008], and the right-hand side they give the relaxation.
#include "methods/tracking/tracking.h"

typedef struct RotationBlend {
    Tracking *t;
    const TrackingBones *bones;
    const Quat *from;
    Quat *to;
} RotationBlend;

/// Rotation of the dual quaternion blend [Kavan2008] of the bones' motions. Signs come from the joints' history, not from the
/// nearest hemisphere: a twist beyond 180 degrees keeps its sense.
static void blend_range(void *context, int begin, int end, int worker)
{
    RotationBlend *b = context;
    const PeltiWeights *weights = &b->t->weights;
    (void)worker;
    for (int v = begin; v < end; v++) {
        if (!tracking_moved_around(&b->t->awake, v))
            continue;
        const int *bone = weights->bone + (size_t)v * (size_t)weights->influences;
        const float *weight = weights->weight + (size_t)v * (size_t)weights->influences;
        int used = b->t->set.target == TRACKING_TARGET_RIGID ? 1 : weights->influences;
        Quat sum = {0, 0, 0, 0};
        float scale = 0, total = 0;
        for (int k = 0; k < used; k++) {
            float w = used == 1 ? 1 : weight[k];
            if (!(w > 0))
                continue;
            Quat q = b->bones->turn[bone[k]];
            sum = (Quat){sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z, sum.w + w * q.w};
            scale += w * b->bones->scale[bone[k]];
            total += w;
        }
        b->t->target.rotation[v] = quat_normalize(sum);
        b->t->target.scale[v] = total > 0 ? scale / total : 1;
    }
}

/// Mean of a vertex' ring and itself, the signs as they are: neighbours' histories agree.
static void smooth_range(void *context, int begin, int end, int worker)
{
    RotationBlend *b = context;
    const PeltiMesh *mesh = b->t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Quat sum = b->from[v];
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            Quat q = b->from[mesh->ring[e]];
            sum = (Quat){sum.x + q.x, sum.y + q.y, sum.z + q.z, sum.w + q.w};
        }
        b->to[v] = quat_normalize(sum);
    }
}

/// Standard ARAP targets, for comparison (Fig. 7): the rotation nearest to the present deformation of the ring.
static void polar_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((RotationBlend *)context)->t;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Mat3 sum = {{{0}}};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            int j = mesh->ring[e];
            Vec3 now = vec3_scale(vec3_sub(t->surface.x[v], t->surface.x[j]), t->energy.ring_weight[e]),
                 rest = vec3_sub(mesh->rest[v], mesh->rest[j]);
            const float a[3] = {now.x, now.y, now.z}, c[3] = {rest.x, rest.y, rest.z};
            for (int r = 0; r < 3; r++)
                for (int k = 0; k < 3; k++)
                    sum.m[r][k] += a[r] * c[k];
        }
        t->target.rotation[v] = quat_from_mat3(mat3_polar(sum, NULL));
    }
}

void pelti_tracking_target_rotations(Tracking *t, const TrackingBones *bones)
{
    RotationBlend b = {.t = t, .bones = bones};
    int count = t->mesh->vertex_count;
    pelti_parallel_for(t->jobs, count, 4 * TRACKING_GRAIN, blend_range, &b);
    if (t->set.target == TRACKING_TARGET_POLAR)
        pelti_parallel_for(t->jobs, count, TRACKING_GRAIN, polar_range, &b);
    for (int k = 0; k < t->set.blend_passes; k++) {
        b.from = t->target.rotation;
        b.to = t->target.scratch;
        pelti_parallel_for(t->jobs, count, 4 * TRACKING_GRAIN, smooth_range, &b);
        t->target.scratch = t->target.rotation;
        t->target.rotation = b.to;
    }
}

/// b_i = sum_j w_ij (R_i + R_j) / 2 (p_i - p_j): the normal equations of eq. (3).
static void side_range(void *context, int begin, int end, int worker)
{
    Tracking *t = ((RotationBlend *)context)->t;
    const TrackingBones *bones = ((RotationBlend *)context)->bones;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        if (!tracking_moved_around(&t->awake, v))
            continue;
        Quat q = t->target.rotation[v];
        Vec3 own = {0, 0, 0}, sum = {0, 0, 0};
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            int j = mesh->ring[e];
            Vec3 d = vec3_scale(vec3_sub(mesh->rest[v], mesh->rest[j]), 0.5f * t->energy.ring_weight[e]);
            own = vec3_add(own, d);
            sum = vec3_add(sum, vec3_scale(quat_rotate(t->target.rotation[j], d), t->target.scale[j]));
        }
        t->target.rhs[v] = vec3_add(sum, vec3_scale(quat_rotate(q, own), t->target.scale[v]));
        if (t->energy.hold[v] > 0) {
            int bone = t->weights.bone[(size_t)v * (size_t)t->weights.influences];
            t->target.rhs[v] = vec3_mad(t->target.rhs[v], mat34_apply(bones->matrix[bone], mesh->rest[v]), t->energy.hold[v]);
        }
    }
}

void pelti_tracking_right_hand_side(Tracking *t, const TrackingBones *bones)
{
    RotationBlend b = {.t = t, .bones = bones};
    pelti_parallel_for(t->jobs, t->mesh->vertex_count, TRACKING_GRAIN, side_range, &b);
}
