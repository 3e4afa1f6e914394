/// Bends joints one by one to see which weights tear skin or turn it over.
/// With all others at rest a bone moves with the joint (by M) or not at all, so linear blending is
///   x = p + s (M p - p),   s = the vertex' share of weight on bones below the joint,
/// and only triangles whose corners differ in s, or lie between 0 and 1, change their shape.
#include "body/trial_parts.h"

#include "body/constants.def"
#include "character/joints.h"
#include "geometry/constants.def"

#include <math.h>
#include <string.h>

enum { MOST_POSES = 7 };

typedef struct Trial {
    const PeltiCharacter *who;
    const PeltiWeights *weights;
    PeltiTrialMarks *marks;
    Quat *clip_turn;   // [bone_count] the largest turn against the parent in the clips
    float *clip_angle; // [bone_count] of it, radians
    PeltiTrialList list;
} Trial;

// ---- how far the clips turn a joint ----

static void note_turns(Trial *trial, const PeltiJoint *joints)
{
    for (int b = 0; b < trial->who->bone_count; b++) {
        float angle = quat_angle(joints[b].turn);
        if (fabsf(mat3_det(joints[b].stretch)) > 1e-6f && angle > trial->clip_angle[b]) { // not one that a clip hides
            trial->clip_angle[b] = angle;
            trial->clip_turn[b] = joints[b].turn;
        }
    }
}

static PeltStatus look_at_clips(Trial *trial, PeltiPool *work, PeltError *err)
{
    const PeltiCharacter *who = trial->who;
    PeltiPose pose = pelti_pose_new(work, who);
    PeltiJoint *joints = PELTI_NEW(work, PeltiJoint, who->bone_count);
    if (work->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof *joints);
    int clips = who->clip_count < TRIAL_CLIPS ? who->clip_count : TRIAL_CLIPS;
    int samples = clips ? TRIAL_CLIPS / clips : 0;
    samples = samples > TRIAL_CLIP ? TRIAL_CLIP : samples;
    for (int c = 0; c < clips; c++)
        for (int i = 0; i < samples; i++) {
            double time_s = (double)who->clips[c].duration_s * ((double)i + 0.5) / samples;
            pelti_pose_clip(who, &who->clips[c], time_s, &pose);
            pelti_joints_pose(who, &pose, joints);
            note_turns(trial, joints);
        }
    return PELT_OK;
}

// ---- one joint ----

/// Turns about the joint: twists about its bone, bends about two axes across it, and the clips'. As R - I.
static int make_poses(const Trial *trial, int joint, Mat3 *poses)
{
    const PeltiBone *bone = &trial->who->bones[joint];
    const PeltiSkeletonSegment *segment = &trial->who->segments[bone->segment_first];
    Vec3 along = bone->segment_count ? vec3_sub(segment->b, segment->a) : vec3(0, 1, 0);
    Vec3 axes[3];
    axes[0] = vec3_normalize_or(along, vec3(0, 1, 0));
    axes[1] = vec3_orthogonal(axes[0]);
    axes[2] = vec3_cross(axes[0], axes[1]);
    int count = 0;
    Quat turns[MOST_POSES];
    for (int a = 0; a < 3; a++)
        for (int sign = -1; sign <= 1; sign += 2)
            turns[count++] = quat_axis_angle(axes[a], (float)sign * TRIAL_ANGLE);
    if (trial->clip_angle[joint] > TRIAL_LEAST_CLIP_TURN)
        turns[count++] = trial->clip_turn[joint];
    for (int i = 0; i < count; i++) {
        poses[i] = quat_to_mat3(turns[i]);
        for (int k = 0; k < 3; k++)
            poses[i].m[k][k] -= 1;
    }
    return count;
}

typedef struct TrialTriangle { // of a triangle
    Vec3 p[3];                 // from the joint, at rest
    Vec3 normal;               // twice its area long
    float edge[3];             // INFINITY: too short to be looked at
    float share[3];
} TrialTriangle;

typedef struct TrialLook { // at a triangle in one pose
    float longest;         // stretch of an edge
    bool turned;
    float cost; // share of its area
} TrialLook;

static TrialLook look(const TrialTriangle *t, Mat3 pose)
{
    Vec3 x[3];
    TrialLook look = {0};
    for (int k = 0; k < 3; k++)
        x[k] = vec3_mad(t->p[k], mat3_apply(pose, t->p[k]), t->share[k]);
    for (int k = 0; k < 3; k++)
        look.longest = fmaxf(look.longest, vec3_distance(x[k], x[(k + 1) % 3]) / t->edge[k]);
    Vec3 normal = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
    Vec3 upright = vec3_mad(t->normal, mat3_apply(pose, t->normal), (t->share[0] + t->share[1] + t->share[2]) / 3);
    look.turned = vec3_dot(normal, upright) < 0;
    float excess = fminf(look.longest, TRIAL_MOST_STRETCH) - TRIAL_FREE_STRETCH,
          squashed = TRIAL_SQUASHED * vec3_length(t->normal);
    look.cost = excess > 0 ? excess * excess : 0;
    look.cost += look.turned ? TRIAL_TURNED_COST : vec3_dot(normal, normal) < squashed * squashed ? 1 : 0;
    return look;
}

static TrialTriangle shape_of(const Trial *trial, int joint, const PeltiTrialSample *sample)
{
    const PeltiMesh *mesh = trial->who->mesh;
    TrialTriangle t;
    for (int k = 0; k < 3; k++) {
        t.p[k] = vec3_sub(mesh->rest[mesh->triangles[sample->triangle][k]], trial->who->bones[joint].head);
        t.share[k] = sample->share[k];
    }
    for (int k = 0; k < 3; k++) {
        float length = vec3_distance(t.p[k], t.p[(k + 1) % 3]);
        t.edge[k] = length > TRIAL_LEAST_EDGE * mesh->diagonal ? length : INFINITY;
    }
    t.normal = vec3_cross(vec3_sub(t.p[1], t.p[0]), vec3_sub(t.p[2], t.p[0]));
    return t;
}

static void bend(const Trial *trial, int joint)
{
    PeltiTrialMarks marks = {0};
    Mat3 poses[MOST_POSES];
    int count = make_poses(trial, joint, poses);
    for (int i = trial->list.start[joint]; i < trial->list.start[joint + 1]; i++) {
        TrialTriangle t = shape_of(trial, joint, &trial->list.samples[i]);
        float low = fminf(t.share[0], fminf(t.share[1], t.share[2])), high = fmaxf(t.share[0], fmaxf(t.share[1], t.share[2]));
        float longest = 0, cost = 0;
        double area = 0.5 * (double)vec3_length(t.normal) * trial->list.stride[joint];
        bool turned = false;
        for (int k = 0; k < count && high - low > TRIAL_UNIFORM; k++) {
            TrialLook seen = look(&t, poses[k]);
            longest = fmaxf(longest, seen.longest);
            turned = turned || seen.turned;
            cost += seen.cost;
        }
        marks.area += area;
        marks.jump += high - low > TRIAL_JUMP ? area : 0;
        marks.broken += turned || longest > (float)TORN ? area : 0;
        marks.cost += area * (double)cost / count;
        marks.longest = fmaxf(marks.longest, longest);
    }
    trial->marks[joint] = marks;
}

static void bend_some(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int j = begin; j < end; j++)
        bend(context, j);
}

PeltStatus pelti_trial_bend(const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs, PeltiTrialMarks *marks,
                            PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    Trial trial = {.who = who,
                   .weights = weights,
                   .marks = marks,
                   .clip_turn = PELTI_NEW(&work, Quat, who->bone_count),
                   .clip_angle = PELTI_NEW(&work, float, who->bone_count)};
    PeltStatus status = work.failed ? pelti_no_memory(err, (size_t)who->bone_count * 32) : look_at_clips(&trial, &work, err);
    if (status == PELT_OK)
        status = pelti_trial_list(who, weights, TRIAL_MOST_TRIANGLES, &work, &trial.list, err);
    if (status == PELT_OK)
        pelti_parallel_for(jobs, who->bone_count, 1, bend_some, &trial);
    pelti_pool_release(&work);
    return status;
}
