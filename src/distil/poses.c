/// Poses to learn from: limits of joints, and an even spread of turns within them.
#include "distil/poses.h"
#include "distil/distilled.h"
#include "distil/far.h"
#include "core/hash.h"
#include "math/eigen.h"
#include "math/elementary.h"

#include <string.h>

#include "distil/constants.def"

const char *const pelti_distil_pose_kinds[] = {"clip", "sweep", "pair", "around", "random", "held out"};

// ---- even numbers ----

/// Square roots of the primes: together with 1 they are independent over the rationals, which spreads their multiples evenly.
static void fill_steps(double *steps, int count)
{
    for (int n = 2, found = 0; found < count; n++) {
        bool prime = true;
        for (int d = 2; d * d <= n && prime; d++)
            prime = n % d != 0;
        if (prime)
            steps[found++] = sqrt((double)n);
    }
}

/// In [0, 1): term `index` of dimension `dimension` of one stream, shifted by the seed.
static double even(const PeltiDistilPoses *poses, const char *stream, int dimension, int index)
{
    uint64_t hash = pelti_hash(PELTI_HASH_START, &poses->seed, sizeof poses->seed);
    hash = pelti_hash(hash, stream, strlen(stream));
    hash = pelti_hash_mix(pelti_hash(hash, &dimension, sizeof dimension));
    double x = (double)(hash >> 11) * 0x1p-53 + (double)(index + 1) * poses->steps[dimension];
    return x - floor(x);
}

// ---- limits ----

Vec3 pelti_distil_away(const PeltiCharacter *who, const PeltiPose *pose, int node)
{
    Quat from = quat_normalize(who->nodes[node].trs.rotation);
    return pelti_distil_rotation_vector(quat_mul(quat_normalize(pose->local[node].rotation), quat_conjugate(from)));
}

/// Calls with the poses of every clip that may be seen, and of the range of motion.
typedef void (*PoseVisit)(void *context, const PeltiPose *pose);
static void each_clip_pose(const PeltiDistilPoses *poses, PeltiPose *pose, PoseVisit visit, void *context)
{
    const PeltiCharacter *who = poses->who;
    for (int c = 0; c <= who->clip_count; c++) {
        if (c == poses->unseen)
            continue;
        int frames = pelti_clip_frames(&who->clips[c], LIMIT_FPS);
        for (int f = 0; f < frames; f++) {
            pelti_pose_file(who, pose);
            pelti_pose_clip(who, &who->clips[c], f / LIMIT_FPS, pose);
            visit(context, pose);
        }
    }
}

typedef struct Moments {
    double m[9];
} Moments;
typedef struct Spread {
    const PeltiDistilPoses *poses;
    Moments *sum; // [joint_count] second moments of turns
} Spread;

static void add_moments(void *context, const PeltiPose *pose)
{
    Spread *spread = context;
    for (int j = 0; j < spread->poses->joint_count; j++) {
        Vec3 r = pelti_distil_away(spread->poses->who, pose, spread->poses->joints[j].node);
        const double x[3] = {(double)r.x, (double)r.y, (double)r.z};
        for (int i = 0; i < 9; i++)
            spread->sum[j].m[i] += x[i / 3] * x[i % 3];
    }
}

static void widen(void *context, const PeltiPose *pose)
{
    const PeltiDistilPoses *poses = context;
    for (int j = 0; j < poses->joint_count; j++) {
        PeltiDistilPoseJoint *joint = &poses->joints[j];
        Vec3 r = pelti_distil_away(poses->who, pose, joint->node);
        for (int a = 0; a < 3; a++) {
            float along = vec3_dot(r, joint->axis[a]);
            joint->most[2 * a] = fmaxf(joint->most[2 * a], along);
            joint->most[2 * a + 1] = fmaxf(joint->most[2 * a + 1], -along);
        }
    }
}

static PeltStatus find_limits(PeltiDistilPoses *poses, PeltiPool *pool, PeltError *err)
{
    PeltiPose pose = pelti_pose_new(pool, poses->who);
    Spread spread = {poses, PELTI_NEW(pool, Moments, poses->joint_count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)poses->joint_count * sizeof *spread.sum);
    each_clip_pose(poses, &pose, add_moments, &spread);
    for (int j = 0; j < poses->joint_count; j++) {
        double values[3];
        PELT_TRY(pelti_eigen_symmetric(&pool->allocator, 3, spread.sum[j].m, values, err));
        for (int a = 0; a < 3; a++) {
            const double *row = spread.sum[j].m + (size_t)3 * (size_t)a;
            poses->joints[j].axis[a] =
                vec3_normalize_or(vec3((float)row[0], (float)row[1], (float)row[2]), vec3(a == 0, a == 1, a == 2));
        }
    }
    each_clip_pose(poses, &pose, widen, poses);
    for (int j = 0; j < poses->joint_count; j++)
        for (int side = 0; side < 6; side++)
            poses->joints[j].most[side] = fminf(poses->joints[j].most[side], LIMIT_MOST);
    return PELT_OK;
}

// ---- the set ----

/// From the frame of a node's parent to the world, in the file's pose.
static Quat parent_turn(const PeltiCharacter *who, int node)
{
    Quat turn = quat_identity();
    for (int n = who->nodes[node].parent; n >= 0; n = who->nodes[n].parent)
        turn = quat_mul(quat_normalize(who->nodes[n].trs.rotation), turn);
    return quat_normalize(turn);
}

static void find_joints(PeltiDistilPoses *poses, int *of_bone)
{
    const PeltiCharacter *who = poses->who;
    for (int b = 0; b < who->bone_count; b++) {
        const PeltiBone *bone = &who->bones[b];
        of_bone[b] = -1;
        if (bone->is_prop || bone->is_repeat || bone->parent < 0)
            continue;
        of_bone[b] = poses->joint_count;
        poses->joints[poses->joint_count++] =
            (PeltiDistilPoseJoint){.node = bone->node, .bone = b, .parent = -1, .to_world = parent_turn(who, bone->node)};
    }
    for (int j = 0; j < poses->joint_count; j++)
        poses->joints[j].parent = of_bone[who->bones[poses->joints[j].bone].parent];
}

static void sum_lengths(PeltiDistilPoses *poses)
{
    const PeltiCharacter *who = poses->who;
    for (int j = 0; j < poses->joint_count; j++) {
        const PeltiBone *bone = &who->bones[poses->joints[j].bone];
        float length = BONE_LEAST * who->mesh->diagonal;
        for (int i = 0; i < bone->segment_count; i++) {
            const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + i];
            length = fmaxf(length, vec3_distance(segment->a, segment->b));
        }
        poses->reach[j + 1] = poses->reach[j] + (double)length;
    }
}

PeltStatus pelti_distil_poses(const PeltiDistilPosesDef *def, PeltiPool *pool, PeltiDistilPoses *out, PeltError *err)
{
    const PeltiCharacter *who = def->who;
    size_t bones = (size_t)who->bone_count;
    *out = (PeltiDistilPoses){.who = who, .seed = def->seed, .unseen = def->unseen};
    out->joints = PELTI_NEW(pool, PeltiDistilPoseJoint, bones);
    out->sweeps = PELTI_NEW(pool, PeltiDistilPoseSweep, 6 * bones);
    out->pairs = PELTI_NEW(pool, int, bones);
    out->clips = PELTI_NEW(pool, int, (size_t)who->clip_count + 1);
    out->steps = PELTI_NEW(pool, double, 4 * bones + 1);
    out->reach = PELTI_NEW(pool, double, bones + 1);
    int *of_bone = PELTI_NEW(pool, int, bones);
    if (pool->failed)
        return pelti_no_memory(err, bones * sizeof(PeltiDistilPoseJoint));
    fill_steps(out->steps, 4 * who->bone_count + 1);
    find_joints(out, of_bone);
    PELT_TRY(find_limits(out, pool, err));
    pelti_distil_limits(out, def->rig);
    sum_lengths(out);
    for (int side = 0; side < 6; side++)
        for (int j = 0; j < out->joint_count; j++)
            if (out->joints[j].most[side] > LIMIT_LEAST)
                out->sweeps[out->sweep_count++] = (PeltiDistilPoseSweep){j, side};
    for (int j = 0; j < out->joint_count; j++)
        if (out->joints[j].parent >= 0)
            out->pairs[out->pair_count++] = j;
    for (int c = 0; c < who->clip_count; c++)
        if (c != def->unseen)
            out->clips[out->clip_count++] = c;
    if (out->clip_count == 0)
        out->clips[out->clip_count++] = who->clip_count;
    return PELT_OK;
}

// ---- a pose ----

static void turn_joint(const PeltiDistilPoses *poses, int j, Vec3 r, PeltiPose *out)
{
    int node = poses->joints[j].node;
    const Trs *file = &poses->who->nodes[node].trs;
    float angle = vec3_length(r);
    Quat turn = quat_axis_angle(vec3_normalize_or(r, vec3(1, 0, 0)), angle);
    out->local[node] = *file;
    out->local[node].rotation = quat_normalize(quat_mul(turn, quat_normalize(file->rotation)));
    out->touched[node] = true;
}

/// How far a set goes beyond the limits that were seen, and whether both sides of a joint come equally often, however far each
/// goes (or all angles do).
typedef struct Spreading {
    const char *stream;
    float beyond, more, aside; // more: rad beyond them at least; aside: share of all that, about other axes than the strongest
    bool by_sides;
    float depth; // > 0: all joints go as far as this, of their limits; else each as far as it draws
    Vec3 about;  // world, not zero: each mostly about its axis next to this one, to the side that it goes farther to
} Spreading;

/// The axis that a joint mostly turns about.
static int main_axis(const PeltiDistilPoseJoint *joint, Vec3 about)
{
    int main = 0;
    float most = 0;
    for (int a = 0; a < 3; a++) {
        float along = fabsf(vec3_dot(quat_rotate(joint->to_world, joint->axis[a]), about));
        main = along > most ? a : main;
        most = fmaxf(most, along);
    }
    return main;
}

/// How far a joint may go to a side.
static float farthest(const Spreading *how, float most)
{
    return most > LIMIT_LEAST ? fmaxf(how->beyond * most, most + how->more) : how->beyond * most;
}

/// Anywhere between the limits of a joint, more often near them.
static Vec3 drawn(const PeltiDistilPoses *poses, const Spreading *how, int j, int index)
{
    const PeltiDistilPoseJoint *joint = &poses->joints[j];
    bool closing = vec3_length(how->about) > 0;
    int main = main_axis(joint, how->about);
    Vec3 r = vec3(0, 0, 0);
    for (int a = 0; a < 3; a++) {
        float towards = farthest(how, joint->most[2 * a]), away = farthest(how, joint->most[2 * a + 1]);
        float x = (float)(2 * even(poses, how->stream, 3 * j + a, index) - 1), far = pelti_powf(fabsf(x), TO_THE_ENDS);
        bool to = closing && a == main ? towards >= away : x > 0;
        if (how->depth > 0 && a == main)
            far = how->depth;
        float angle = how->by_sides ? (to ? far * towards : -far * away)
                                    : 0.5f * (towards - away) + (x > 0 ? far : -far) * 0.5f * (towards + away);
        angle = fminf(fmaxf((a != main ? how->aside : 1) * angle, -LIMIT_MOST), LIMIT_MOST);
        r = vec3_mad(r, joint->axis[a], angle);
    }
    return r;
}

enum { APART = 1000000 }; // where in the sequences a pose drawn again is: nearly always where no other is

static int place_of(PeltiDistilPoseDraw draw)
{
    return draw.index + draw.again * APART;
}

/// Fewer joints turn the oftener a pose was drawn in vain: of many fingers at once some nearly always meet.
static void random_pose(const PeltiDistilPoses *poses, const char *stream, PeltiDistilPoseDraw draw, PeltiPose *out)
{
    const Spreading how = {.stream = stream, .beyond = RANDOM_BEYOND, .aside = 1, .by_sides = true};
    double least = fmin(1, ACTIVE_LEAST / fmax(poses->joint_count, 1)), active = ACTIVE_SHARE;
    int index = place_of(draw);
    for (int i = 0; i < draw.again; i++)
        active *= ACTIVE_AGAIN;
    active = fmax(active, least);
    for (int j = 0; j < poses->joint_count; j++)
        if (even(poses, stream, 3 * poses->joint_count + j, index) < active)
            turn_joint(poses, j, drawn(poses, &how, j, index), out);
}

/// All joints within two steps of one: folds that several joints make together, such as a crouch. Long bones come more often.
/// In three of four all joints go equally deep, for drawn one by one all are deep at once in one pose of hundreds; in two of
/// these about one axis in space, each to the side that it goes farther to, as bodies close: both thighs and the spine in a
/// crouch.
static void around_pose(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out)
{
    int index = place_of(draw);
    double at = even(poses, "centre", 4 * poses->joint_count, index) * poses->reach[poses->joint_count];
    int centre = 0;
    while (centre < poses->joint_count - 1 && poses->reach[centre + 1] <= at)
        centre++;
    float aside = (float)even(poses, "aside", 4 * poses->joint_count, index);
    float depth = draw.index % 4 ? pelti_powf((float)even(poses, "depth", 4 * poses->joint_count, index), TO_THE_ENDS) : 0;
    const PeltiDistilPoseJoint *by = &poses->joints[centre];
    Vec3 about = draw.index % 4 < 2 ? vec3(0, 0, 0) : quat_rotate(by->to_world, by->axis[draw.index % 4 - 2]);
    const Spreading around = {"around", FOLD_BEYOND, FOLD_MORE, aside * aside, depth > 0, depth, about}; // mostly plain folds
    for (int j = 0; j < poses->joint_count; j++) {
        int steps = pelti_distil_apart(poses->who, poses->joints[centre].bone, poses->joints[j].bone);
        if (steps >= 0 && steps <= AROUND_JOINTS)
            turn_joint(poses, j, drawn(poses, &around, j, index), out);
    }
}

static void clip_pose(const PeltiDistilPoses *poses, int index, PeltiPose *out)
{
    const PeltiClip *clip = &poses->who->clips[poses->clips[index % poses->clip_count]];
    pelti_pose_clip(poses->who, clip, even(poses, "time", 0, index) * (double)clip->duration_s, out);
    for (int t = 0; t < poses->who->target_count; t++) // the file's own targets play on top
        out->morph[t] = poses->who->target_weights[t];
}

/// Full turns first, in an order that visits all joints about their strongest axis before the next axis; then half of them.
/// Drawn again it goes less far: that is where the body ends.
static void sweep_pose(const PeltiDistilPoses *poses, int index, int again, PeltiPose *out)
{
    const PeltiDistilPoseSweep *sweep = &poses->sweeps[index % poses->sweep_count];
    const PeltiDistilPoseJoint *joint = &poses->joints[sweep->joint];
    float sign = sweep->side % 2 ? -1 : 1, share = (index / poses->sweep_count) % 2 ? 0.5f : 1;
    share *= 1 - SWEEP_SHORTER * (float)again;
    const Spreading how = {.beyond = FOLD_BEYOND, .more = FOLD_MORE};
    float angle = share * fminf(farthest(&how, joint->most[sweep->side]), LIMIT_MOST);
    turn_joint(poses, sweep->joint, vec3_scale(joint->axis[sweep->side / 2], sign * angle), out);
}

static void pair_pose(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out)
{
    const Spreading pair = {.stream = "pair", .beyond = RANDOM_BEYOND, .aside = 1, .by_sides = true};
    int joint = poses->pairs[draw.index % poses->pair_count], index = place_of(draw);
    turn_joint(poses, joint, drawn(poses, &pair, joint, index), out);
    turn_joint(poses, poses->joints[joint].parent, drawn(poses, &pair, poses->joints[joint].parent, index), out);
}

enum { ROUND = 10 }; // of poses: four at random, three folds, one each of the others; the size of an array
static const PeltiDistilPoseKind IN_A_ROUND[ROUND] = {
    PELTI_DISTIL_POSE_RANDOM, PELTI_DISTIL_POSE_CLIP,   PELTI_DISTIL_POSE_AROUND, PELTI_DISTIL_POSE_SWEEP,
    PELTI_DISTIL_POSE_PAIR,   PELTI_DISTIL_POSE_RANDOM, PELTI_DISTIL_POSE_AROUND, PELTI_DISTIL_POSE_RANDOM,
    PELTI_DISTIL_POSE_AROUND, PELTI_DISTIL_POSE_RANDOM};

PeltiDistilPoseKind pelti_distil_pose_kind(int index)
{
    return IN_A_ROUND[index % ROUND];
}

/// How many of its kind come before it.
static int number_in_kind(int index)
{
    int each = 0, before = 0;
    for (int i = 0; i < ROUND; i++) {
        each += IN_A_ROUND[i] == IN_A_ROUND[index % ROUND];
        before += i < index % ROUND && IN_A_ROUND[i] == IN_A_ROUND[index % ROUND];
    }
    return index / ROUND * each + before;
}

void pelti_distil_pose(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out)
{
    PeltiDistilPoseDraw number = {number_in_kind(draw.index), draw.again};
    PeltiDistilPoseKind kind = pelti_distil_pose_kind(draw.index);
    pelti_pose_file(poses->who, out);
    if (kind == PELTI_DISTIL_POSE_CLIP)
        clip_pose(poses, place_of(number), out);
    else if (kind == PELTI_DISTIL_POSE_SWEEP && poses->sweep_count > 0)
        sweep_pose(poses, number.index, draw.again, out);
    else if (kind == PELTI_DISTIL_POSE_PAIR && poses->pair_count > 0)
        pair_pose(poses, number, out);
    else if (kind == PELTI_DISTIL_POSE_AROUND)
        around_pose(poses, number, out);
    else
        random_pose(poses, "random", number, out);
    pelti_distil_keep_to_limits(poses, out);
}

void pelti_distil_pose_held_out(const PeltiDistilPoses *poses, PeltiDistilPoseDraw draw, PeltiPose *out)
{
    pelti_pose_file(poses->who, out);
    random_pose(poses, "held out", draw, out);
    pelti_distil_keep_to_limits(poses, out);
}
