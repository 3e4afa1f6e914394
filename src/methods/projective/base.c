/// Places the base points in a pose [Komaritzan2018 sec. 4.2].
/// They are rigid with their bone, and near a joint sliding between a ring on the joint, which turns half-way, and a ring on
/// the bone. The rings are evaluated at the point's own angle (the limit of many anchors).
///
/// Where the weights say that other bones move a vertex than those its base point sits on (a coat over a thigh, a wing beside a
/// trunk, a bone outside the skin), the base point is blended by the weights instead.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"
#include "math/elementary.h"

/// Puts p at `distance` from the segment joint + [0, zone] axis.
static Vec3 on_surface(Vec3 p, Vec3 joint, Vec3 axis, float zone, float distance)
{
    float t = fminf(fmaxf(vec3_dot(vec3_sub(p, joint), axis), 0), zone);
    Vec3 centre = vec3_mad(joint, axis, t), out = vec3_sub(p, centre);
    float length = vec3_length(out);
    return length > 1e-20f ? vec3_mad(centre, out, distance / length) : p;
}

static float axis_distance(Vec3 p, Vec3 joint, Vec3 axis, float zone)
{
    float t = fminf(fmaxf(vec3_dot(vec3_sub(p, joint), axis), 0), zone);
    return vec3_distance(p, vec3_mad(joint, axis, t));
}

/// Of the joint at the segment's start, or at its end; y is the base point's place on the axis that leads away from it.
static void set_zone(ProjAnchor *a, const ProjSkeleton *k, const ProjSegment *segment, bool end, float y, float zone)
{
    int joint = end ? segment->child : segment->bone;
    Vec3 at = end ? segment->b : segment->a, axis = end ? vec3_scale(segment->axis, -1) : segment->axis;
    Vec3 radial = vec3_mad(vec3_sub(a->base, at), axis, -y);
    Vec3 out = vec3_normalize_or(radial, vec3_orthogonal(axis));
    a->joint = joint;
    a->axis = axis;
    a->zone = zone;
    a->u = fminf(fmaxf(y / zone, 0), 1);
    a->at_joint = vec3_mad(at, out, fmaxf(k->joint_radius[joint], segment->radius));
    a->at_bone = vec3_mad(vec3_mad(at, axis, zone), out, segment->radius);
    a->distance = axis_distance(a->base, at, axis, zone);
    Vec3 slid = on_surface(vec3_lerp(a->at_joint, a->at_bone, a->u), at, axis, zone, a->distance);
    a->offset = vec3_sub(a->base, slid);
}

static void set_anchor(ProjAnchor *a, const ProjSkeleton *k, const ProjFoot *foot, bool slide)
{
    *a = (ProjAnchor){.bone = foot->bone, .joint = -1, .stretch = -1, .base = foot->base};
    if (foot->segment < 0)
        return;
    const ProjSegment *segment = &k->segments[foot->segment];
    float y = vec3_dot(vec3_sub(foot->base, segment->a), segment->axis);
    a->bone = segment->bone;
    a->stretch = segment->child;
    a->along = fminf(fmaxf(y / segment->length, 0), 1);
    if (!slide)
        return;
    // least lengths because a share of the zone is asked for
    float start = fmaxf(k->zone[segment->bone], 1e-6f * segment->length);
    float end = segment->child >= 0 ? fmaxf(k->zone[segment->child], 1e-6f * segment->length) : 0;
    if (y < start)
        set_zone(a, k, segment, false, y, start);
    else if (segment->child >= 0 && segment->length - y < end)
        set_zone(a, k, segment, true, segment->length - y, end);
}

/// Share of a vertex' weights on the bones that move its base point: on the joint half the parent's and half the bone's own.
static float overlap(const PeltiCharacter *who, const ProjAnchor *a, const PeltiWeights *weights, int row)
{
    int bones[2] = {a->bone, -1};
    float shares[2] = {1, 0}, sum = 0;
    if (weights->influences == 0) // nothing that could disagree
        return 1;
    if (a->joint >= 0) {
        bones[1] = a->joint == a->bone ? who->bones[a->bone].parent : a->joint;
        shares[0] = bones[1] >= 0 ? 0.5f + 0.5f * a->u : 1;
        shares[1] = 1 - shares[0];
    }
    for (int i = 0; i < weights->influences; i++) {
        size_t at = (size_t)row * (size_t)weights->influences + (size_t)i;
        for (int b = 0; b < 2; b++)
            if (weights->weight[at] > 0 && weights->bone[at] == bones[b])
                sum += fminf(weights->weight[at], shares[b]);
    }
    return sum;
}

PeltStatus pelti_proj_agree(const PeltiCharacter *who, const ProjSkeleton *k, const PeltiWeights *weights, ProjFoot *feet,
                            PeltiPool *temp, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    float *fresh = PELTI_NEW(temp, float, (size_t)mesh->vertex_count + 1);
    if (temp->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *fresh);
    for (int v = 0; v < mesh->vertex_count; v++) {
        ProjAnchor a;
        set_anchor(&a, k, &feet[v], true);
        float t = fminf(fmaxf((AGREE - overlap(who, &a, weights, v)) / (AGREE - DIFFER), 0), 1);
        feet[v].blend = feet[v].segment >= 0 ? smooth_step(t) : 0;
    }
    for (int round = 0; round < BLEND_RINGS; round++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            float sum = 0;
            int ring = mesh->ring_start[v + 1] - mesh->ring_start[v];
            for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++)
                sum += feet[mesh->ring[r]].blend / (float)ring;
            fresh[v] = fmaxf(feet[v].blend, sum);
        }
        for (int v = 0; v < mesh->vertex_count; v++)
            feet[v].blend = feet[v].segment >= 0 ? fresh[v] : 0;
    }
    return PELT_OK;
}

PeltStatus pelti_proj_base(const ProjSource *source, const ProjSkeleton *k, const ProjFoot *feet, const int *order, ProjBase *out,
                           PeltError *err)
{
    const PeltiCharacter *who = source->who;
    PeltiPool *pool = source->pool;
    int n = who->mesh->vertex_count;
    *out = (ProjBase){.bone_count = who->bone_count, .vertex_count = n, .slide = out->slide, .weights = source->weights};
    out->bone_parent = PELTI_NEW(pool, int, (size_t)who->bone_count + 1);
    out->head = PELTI_NEW(pool, Vec3, (size_t)who->bone_count + 1);
    out->joints = PELTI_NEW(pool, ProjJoint, (size_t)who->bone_count + 1);
    out->anchors = PELTI_NEW(pool, ProjAnchor, (size_t)n + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)n * sizeof(ProjAnchor));
    for (int b = 0; b < who->bone_count; b++) {
        out->bone_parent[b] = who->bones[b].parent;
        out->head[b] = who->bones[b].head;
    }
    pelti_proj_unwind_joints(out);
    for (int i = 0; i < n; i++) {
        set_anchor(&out->anchors[i], k, &feet[order[i]], out->slide);
        out->anchors[i].blend = feet[order[i]].blend;
        out->anchors[i].row = order[i];
    }
    return PELT_OK;
}

static float scale_of(Mat3 m)
{
    return pelti_cbrtf(fabsf(mat3_det(m)));
}

void pelti_proj_unwind_joints(const ProjBase *base)
{
    for (int b = 0; b < base->bone_count; b++)
        base->joints[b].between = quat_identity();
}

static Quat negative(Quat q)
{
    return (Quat){-q.x, -q.y, -q.z, -q.w};
}

/// Half of the joint's turn. At half a turn there are two such ways, opposite to each other, and by the shorter one the ring on
/// the joint would jump by half a turn: the way of the last pose is kept until UNWIND.
static Quat half_way(Quat turn, ProjJoint *joint)
{
    Quat between = turn.w < 0 ? negative(turn) : turn;
    bool wound = quat_dot(between, joint->between) < 0 && between.w < UNWIND;
    joint->between = wound ? negative(between) : between;
    if (!wound)
        return quat_slerp(quat_identity(), between, 0.5f);
    return quat_normalize((Quat){-between.x, -between.y, -between.z, 1 - between.w});
}

void pelti_proj_pose_joints(const ProjBase *base, ProjPose pose)
{
    const Mat34 *bones = pose.bones;
    for (int b = 0; b < base->bone_count; b++) {
        Mat3 own = mat34_linear(bones[b]);
        base->joints[b].turn = quat_from_mat3(mat3_polar(own, NULL));
        base->joints[b].scale = scale_of(own);
    }
    for (int b = 0; b < base->bone_count; b++) {
        int parent = base->bone_parent[b];
        ProjJoint *joint = &base->joints[b];
        const ProjJoint *above = parent >= 0 ? &base->joints[parent] : joint;
        Vec3 at = mat34_apply(bones[b], base->head[b]);
        Mat3 half = mat34_linear(bones[b]);
        if (parent >= 0)
            half = mat3_scale(quat_to_mat3(quat_mul(above->turn, half_way(pose.turns[b], joint))),
                              0.5f * (above->scale + joint->scale));
        joint->half = mat34_from(half, vec3_sub(at, mat3_apply(half, base->head[b])));
        joint->stretch = parent >= 0 ? vec3_sub(at, mat34_apply(bones[parent], base->head[b])) : vec3(0, 0, 0);
    }
}

/// What the bone does to a rest point at the anchor's place: its matrix, and its share of a stretched segment.
static Vec3 by_bone(const ProjBase *base, const Mat34 *bones, const ProjAnchor *a, Vec3 p)
{
    if (a->bone < 0)
        return p;
    Vec3 at = mat34_apply(bones[a->bone], p);
    return a->stretch >= 0 ? vec3_mad(at, base->joints[a->stretch].stretch, a->along) : at;
}

/// `own` where the segment has a rest point, towards where the weights have it.
static Vec3 towards_blended(const ProjBase *base, const Mat34 *bones, const ProjAnchor *a, Vec3 rest, Vec3 own)
{
    return vec3_lerp(own, pelti_weights_blend(base->weights, a->row, bones, rest), a->blend);
}

static Vec3 slid_base(const ProjBase *base, const Mat34 *bones, const ProjAnchor *a)
{
    if (a->joint < 0)
        return by_bone(base, bones, a, a->base);
    const Mat34 *half = &base->joints[a->joint].half;
    Vec3 joint = mat34_apply(*half, base->head[a->joint]);
    Vec3 p = vec3_lerp(mat34_apply(*half, a->at_joint), by_bone(base, bones, a, a->at_bone), a->u);
    Vec3 axis = vec3_normalize_or(mat34_apply_vector(bones[a->bone], a->axis), a->axis);
    p = on_surface(p, joint, axis, a->zone, a->distance);
    Vec3 offset = vec3_lerp(mat34_apply_vector(*half, a->offset), mat34_apply_vector(bones[a->bone], a->offset), a->u);
    return vec3_add(p, offset);
}

Vec3 pelti_proj_pose_base(const ProjBase *base, const Mat34 *bones, int i)
{
    const ProjAnchor *a = &base->anchors[i];
    Vec3 own = slid_base(base, bones, a);
    return a->blend > 0 ? towards_blended(base, bones, a, a->base, own) : own;
}

Vec3 pelti_proj_carry(const ProjBase *base, const Mat34 *bones, int i, Vec3 rest)
{
    const ProjAnchor *a = &base->anchors[i];
    Vec3 own;
    if (a->joint < 0) {
        own = by_bone(base, bones, a, rest);
    } else {
        Vec3 arm = vec3_sub(rest, a->base);
        Vec3 turned =
            vec3_lerp(mat34_apply_vector(base->joints[a->joint].half, arm), mat34_apply_vector(bones[a->bone], arm), a->u);
        own = vec3_add(slid_base(base, bones, a), turned);
    }
    return a->blend > 0 ? towards_blended(base, bones, a, rest, own) : own;
}
