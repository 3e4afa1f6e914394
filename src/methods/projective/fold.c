/// Finds the planes at joints that keep the two sides of a fold apart (after [Komaritzan2018 sec. 5]).
/// [Komaritzan2018] sec. 5 finds pairs of vertices that meet when a joint bends, tells that they crossed by the angles they
/// make with their bones (sec. 5.2: beyond the half angle), and projects both onto a plane between them. Both are one test
/// against the plane through the joint that halves the angle of its bones, so that is what we keep: each vertex near a joint
/// knows its side, from the rest pose (sec. 5.1). The planes depend on the pose alone, so a held pose rests. Volumetric bones
/// overlap inside a deep fold and would push the skin across: their base points stay behind the plane, too.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include <string.h>

static float rise(float t) // 0 where t is NaN
{
    return smooth_step(t > 0 ? (t < 1 ? t : 1) : 0);
}

/// Mean direction of the segments of `bone` away from the joint; false: it has none.
static bool own_direction(const ProjSkeleton *k, int bone, Vec3 *out, float *length)
{
    Vec3 sum = {0, 0, 0};
    *length = 0;
    for (int s = 0; s < k->segment_count; s++)
        if (k->segments[s].bone == bone) {
            sum = vec3_add(sum, k->segments[s].axis);
            *length = fmaxf(*length, k->segments[s].length);
        }
    *out = vec3_normalize_or(sum, vec3(0, 0, 0));
    return vec3_dot(*out, *out) > 0.5f;
}

static bool parent_direction(const ProjSkeleton *k, int bone, Vec3 *out, float *length)
{
    for (int s = 0; s < k->segment_count; s++)
        if (k->segments[s].child == bone) {
            *out = vec3_scale(k->segments[s].axis, -1);
            *length = k->segments[s].length;
            return true;
        }
    return false;
}

/// The bone of segment s if it is the bone's first, else -1: bones in the order of segments, which is one of places.
static int next_bone(const ProjSkeleton *k, int s)
{
    for (int before = 0; before < s; before++)
        if (k->segments[before].bone == k->segments[s].bone)
            return -1;
    return k->segments[s].bone;
}

/// Directions lead away from the joint at the head of fold->child; `up` and `down` are the lengths of the bones.
static void measure_fold(const PeltiCharacter *who, const ProjSkeleton *k, float up, float down, ProjFold *fold)
{
    fold->rest_joint = who->bones[fold->child].head;
    fold->rest_normal = vec3_normalize_or(vec3_sub(fold->rest_child, fold->rest_parent), fold->rest_child);
    fold->rest_inner = vec3_length(vec3_add(fold->rest_child, fold->rest_parent));
    fold->radius = fmaxf(k->joint_radius[fold->child], FOLD_LEAST * who->mesh->diagonal);
    fold->shortest = fminf(up, down);
    fold->reach = FOLD_REACH * fmaxf(up, down) + FOLD_ROUND * fold->radius;
}

/// Sec. 5.2: at hips and shoulders the bones that close a fold share no joint; the bone between them (`hub`) leads aside. The
/// fold is at the inner end of the outer bone, with the direction of the bone beyond the hub.
static int find_chain_folds(const PeltiCharacter *who, const ProjSkeleton *k, const ProjFold *direct, float down, ProjFold *out)
{
    int count = 0;
    const ProjSegment *hub = NULL;
    for (int s = 0; s < k->segment_count && !hub; s++)
        if (k->segments[s].child == direct->child)
            hub = &k->segments[s];
    for (int s = 0; hub && s < k->segment_count; s++) {
        const ProjSegment *beyond = &k->segments[s];
        bool starts = beyond->bone == hub->bone, ends = beyond->child == hub->bone;
        if (beyond == hub || (!starts && !ends))
            continue;
        ProjFold fold = {.child = direct->child, .parent = beyond->bone, .rest_child = direct->rest_child, .chain = true};
        fold.rest_parent = vec3_scale(beyond->axis, starts ? 1 : -1);
        if (vec3_dot(fold.rest_parent, direct->rest_parent) > STRAIGHT_ON)
            continue;
        measure_fold(who, k, beyond->length, down, &fold);
        out[count++] = fold;
    }
    return count;
}

static int find_folds(const PeltiCharacter *who, const ProjSkeleton *k, ProjFold *out)
{
    int count = 0;
    for (int s = 0; s < k->segment_count; s++) {
        int b = next_bone(k, s);
        if (b < 0)
            continue;
        ProjFold fold = {.child = b, .parent = who->bones[b].parent};
        float up, down;
        if (fold.parent < 0 || !own_direction(k, b, &fold.rest_child, &down) || !parent_direction(k, b, &fold.rest_parent, &up))
            continue;
        measure_fold(who, k, up, down, &fold);
        out[count++] = fold;
        count += find_chain_folds(who, k, &fold, down, out + count);
    }
    return count;
}

/// Side of a bone in a fold: +1 below the child, -1 the parent or above it, 0 neither.
static int side_of_bone(const PeltiCharacter *who, const ProjFold *fold, int bone)
{
    int up = fold->parent, down = bone;
    for (int k = 0; k < FOLD_GENERATIONS; k++) {
        if (down == fold->child)
            return 1;
        if (up == bone)
            return -1;
        down = down >= 0 ? who->bones[down].parent : -1;
        up = up >= 0 ? who->bones[up].parent : -1;
    }
    return 0;
}

/// A fold is one of limbs: 1 within FOLD_LIMB times the flesh at the joint from the bone's axis, 0 beyond once more of it (the
/// chest below a collar bone is no part of the shoulder's fold).
static float limb_weight(const ProjFold *fold, float side, Vec3 x)
{
    Vec3 axis = side > 0 ? fold->rest_child : fold->rest_parent, arm = vec3_sub(x, fold->rest_joint);
    float out = vec3_length(vec3_mad(arm, axis, -vec3_dot(arm, axis)));
    return 1 - rise(out / fold->flesh - FOLD_LIMB);
}

/// Mean distance of the skin around each joint, from the vertices of its bones near the halving plane.
static void measure_flesh(const PeltiCharacter *who, const ProjSkeleton *k, const ProjFoot *feet, ProjFolds *out)
{
    for (int f = 0; f < out->count; f++) {
        ProjFold *fold = &out->folds[f];
        double sum = 0;
        int count = 0;
        for (int v = 0; v < who->mesh->vertex_count; v++) {
            int segment = pelti_proj_segment(&feet[v]), bone = segment >= 0 ? k->segments[segment].bone : -1;
            Vec3 arm = vec3_sub(who->mesh->rest[v], fold->rest_joint);
            if ((bone != fold->child && bone != fold->parent) || fabsf(vec3_dot(arm, fold->rest_normal)) > fold->radius)
                continue;
            sum += (double)vec3_length(arm);
            count++;
        }
        fold->slender = !fold->chain && fold->shortest > SLENDER * (count ? (float)(sum / count) : fold->radius);
        fold->flesh = count ? fmaxf((float)(sum / count), FLESH_LEAST * fold->radius) : FLESH_UNSEEN * fold->radius;
    }
}

/// Is a vertex on the side of its bone, and would it reach the halving plane if the joint bent as far as joints do?
static bool takes_part(const ProjFold *fold, float side, Vec3 x)
{
    Vec3 arm = vec3_sub(x, fold->rest_joint);
    if (vec3_length(arm) > fold->reach)
        return false;
    float s = side * vec3_dot(arm, fold->rest_normal);
    if (s < -fold->radius)
        return false;
    if (limb_weight(fold, side, x) <= 0)
        return false;
    // bent to any side
    float out = vec3_length(vec3_mad(arm, fold->rest_normal, -side * s));
    return s < FOLD_FLATTEST * out;
}

/// Bones further down and further up count where they go straight on at rest: the chest is no part of the fold of arm and
/// collar bone, and lies across its plane in every pose.
static bool goes_on(const ProjFold *fold, int bone, int side, Vec3 direction)
{
    if (bone == fold->child || bone == fold->parent)
        return true;
    return vec3_dot(side > 0 ? direction : vec3_scale(direction, -1), side > 0 ? fold->rest_child : fold->rest_parent) >=
           STRAIGHT_ON;
}

static PeltStatus relate(const PeltiCharacter *who, const ProjSkeleton *k, PeltiPool *pool, ProjFolds *out, PeltError *err)
{
    for (int pass = 0; pass < 2; pass++) {
        int used = 0;
        for (int f = 0; f < out->count; f++)
            for (int s = 0; s < k->segment_count; s++) {
                Vec3 direction;
                float length;
                int b = next_bone(k, s), side = b >= 0 ? side_of_bone(who, &out->folds[f], b) : 0;
                if (!side || !own_direction(k, b, &direction, &length))
                    continue;
                if (!goes_on(&out->folds[f], b, side, direction))
                    continue;
                if (pass)
                    out->relations[used] = (ProjRelation){.fold = f, .bone = b, .side = (float)side};
                used++;
            }
        out->relation_count = used;
        if (!pass)
            out->relations = PELTI_NEW(pool, ProjRelation, (size_t)used + 1);
        if (pool->failed)
            return pelti_no_memory(err, (size_t)used * sizeof(ProjRelation));
    }
    return PELT_OK;
}

static ProjMember make_member(const ProjFolds *folds, int relation, Vec3 x, const ProjFoot *foot)
{
    const ProjFold *fold = &folds->folds[folds->relations[relation].fold];
    float side = folds->relations[relation].side, thick = vec3_distance(x, foot->base);
    float s = side * vec3_dot(vec3_sub(x, fold->rest_joint), fold->rest_normal);
    float q = side * vec3_dot(vec3_sub(foot->base, fold->rest_joint), fold->rest_normal);
    return (ProjMember){.relation = relation,
                        .weight = limb_weight(fold, side, x),
                        .offset = fminf(0.5f * folds->gap, s),
                        .margin = fminf(BASE_MARGIN * thick + 0.5f * folds->gap, q)};
}

PeltStatus pelti_proj_folds(const ProjSource *source, const ProjSkeleton *k, const ProjFoot *feet, const int *order,
                            ProjFolds *out, PeltError *err)
{
    const PeltiCharacter *who = source->who;
    PeltiPool *pool = source->pool;
    int n = who->mesh->vertex_count;
    *out = (ProjFolds){.gap = out->gap};
    size_t most = (size_t)who->bone_count + 1;
    for (int s = 0; s < k->segment_count; s++)
        most += (size_t)k->segments[s].near_count;
    out->folds = PELTI_NEW(pool, ProjFold, most);
    out->start = PELTI_NEW(pool, int, (size_t)n + 2);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)n * sizeof(int));
    out->count = find_folds(who, k, out->folds);
    measure_flesh(who, k, feet, out);
    PELT_TRY(relate(who, k, pool, out, err));
    for (int pass = 0; pass < 2; pass++) {
        int used = 0;
        for (int i = 0; i < n; i++) {
            Vec3 x = who->mesh->rest[order[i]];
            int segment = pelti_proj_segment(&feet[order[i]]);
            out->start[i] = used;
            for (int r = 0; segment >= 0 && r < out->relation_count; r++) {
                const ProjRelation *relation = &out->relations[r];
                if (relation->bone != k->segments[segment].bone || !takes_part(&out->folds[relation->fold], relation->side, x))
                    continue;
                if (pass)
                    out->members[used] = make_member(out, r, x, &feet[order[i]]);
                used++;
            }
        }
        out->start[n] = used;
        if (!pass)
            out->members = PELTI_NEW(pool, ProjMember, (size_t)used + 1);
        if (pool->failed)
            return pelti_no_memory(err, (size_t)used * sizeof(ProjMember));
    }
    return PELT_OK;
}

void pelti_proj_pose_folds(ProjFolds *folds, const Mat34 *bones)
{
    for (int f = 0; f < folds->count; f++) {
        ProjFold *fold = &folds->folds[f];
        Vec3 child = vec3_normalize_or(mat34_apply_vector(bones[fold->child], fold->rest_child), fold->rest_child);
        Vec3 parent = vec3_normalize_or(mat34_apply_vector(bones[fold->parent], fold->rest_parent), fold->rest_parent);
        Vec3 inner = vec3_add(child, parent);
        float length = vec3_length(inner); // 2 cos of half the angle between the bones: 0 straight, 2 folded flat
        fold->joint = mat34_apply(bones[fold->child], fold->rest_joint);
        fold->normal = vec3_normalize_or(vec3_sub(child, parent), fold->normal);
        fold->inner = vec3_scale(inner, 1 / fmaxf(length, 1e-6f)); // of straight bones, where no fold acts
        fold->child_way = child;
        fold->parent_way = parent;
        fold->swell = (fold->slender ? folds->bulge : 0) * SWELL_SHARE *
                      rise((length - fmaxf(fold->rest_inner, SWELL_BEGINS)) / SWELL_GROWS);
        fold->share = rise((length - fold->rest_inner - FOLD_BEGINS) / FOLD_GROWS);
    }
    for (int r = 0; r < folds->relation_count; r++) {
        ProjRelation *relation = &folds->relations[r];
        const ProjFold *fold = &folds->folds[relation->fold];
        bool child = relation->side > 0;
        Vec3 rest = child ? fold->rest_child : fold->rest_parent;
        Vec3 here = mat34_apply_vector(bones[child ? fold->child : fold->parent], rest),
             there = mat34_apply_vector(bones[relation->bone], rest);
        float dot = vec3_dot(vec3_normalize_or(here, rest), vec3_normalize_or(there, rest));
        relation->share = fold->share * rise((dot - RELATION_NONE) / (RELATION_ALL - RELATION_NONE));
    }
}

/// How much of a fold acts at a point: all of it on the inner side, nothing beyond the joint.
static float inner_share(const ProjFold *fold, Vec3 x)
{
    return rise(vec3_dot(vec3_sub(x, fold->joint), fold->inner) / (FOLD_INNER * fold->radius));
}

/// What a deep fold cuts off its inner side goes to the others: the bone thickens there, most at the joint. half as much again at
/// a bend of 160 degrees keeps nine tenths of a cylinder's volume.
static Vec3 thicken(const ProjFold *fold, const ProjRelation *relation, float weight, Vec3 q)
{
    Vec3 way = relation->side > 0 ? fold->child_way : fold->parent_way, arm = vec3_sub(q, fold->joint);
    float along = vec3_dot(arm, way);
    float share = fold->swell * (1 - rise(along / (SWELL_ALONG * fold->radius))) *
                  (1 - rise(vec3_dot(arm, fold->inner) / (SWELL_INNER * fold->radius)));
    return vec3_mad(q, vec3_mad(arm, way, -along), share * relation->share * weight);
}

Vec3 pelti_proj_fold_base(const ProjFolds *folds, int i, Vec3 q)
{
    for (int m = folds->start[i]; m < folds->start[i + 1]; m++) {
        const ProjMember *member = &folds->members[m];
        const ProjRelation *relation = &folds->relations[member->relation];
        const ProjFold *fold = &folds->folds[relation->fold];
        if (relation->share <= 0)
            continue;
        float s = relation->side * vec3_dot(vec3_sub(q, fold->joint), fold->normal);
        if (s < member->margin)
            q = vec3_mad(q, fold->normal,
                         relation->side * (member->margin - s) * relation->share * member->weight * inner_share(fold, q));
        if (fold->swell > 0)
            q = thicken(fold, relation, member->weight, q);
    }
    return q;
}

int pelti_proj_fold_contacts(ProjFolds *folds, int i, const float *x, float near, ProjContact *out)
{
    int count = 0;
    for (int m = folds->start[i]; m < folds->start[i + 1]; m++) {
        ProjMember *member = &folds->members[m];
        const ProjRelation *relation = &folds->relations[member->relation];
        if (relation->share <= 0) {
            member->force = 0;
            continue;
        }
        const ProjFold *fold = &folds->folds[relation->fold];
        Vec3 at = vec3(x[0], x[1], x[2]), n = vec3_scale(fold->normal, relation->side);
        float before = vec3_dot(n, vec3_sub(at, fold->joint)) - member->offset;
        if (before > near && !(member->force > 0))
            continue;
        float share = relation->share * member->weight * inner_share(fold, at);
        if (share > 0)
            out[count++] = (ProjContact){i, {n.x, n.y, n.z}, vec3_dot(n, at) - before, share, &member->force};
        else
            member->force = 0;
    }
    return count;
}
