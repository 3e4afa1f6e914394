/// Makes the clips of built-in characters: key poses, sampled.
#include "builtin/clips.h"
#include "builtin/limits.h"
#include "math/elementary.h"

#include <stdio.h>
#include <string.h>

enum { FPS = 30, FRAMES = 61, LONG_FRAMES = 121 };

/// Angles of a random motion, in degrees.
typedef struct Curves {
    int turn_count[PELTI_FIGURE_BONES];
    PeltiFigureTurn turns[PELTI_FIGURE_BONES][PELTI_FIGURE_TURNS];
    float degrees[PELTI_FIGURE_BONES][PELTI_FIGURE_TURNS][LONG_FRAMES];
} Curves;

/// Joints rest unrotated, so a turn is about an axis of rest space that its parent carries along.
typedef struct Motion {
    const PeltiFigure *body;
    const Curves *curves; // of the random clip
    Quat turn[PELTI_FIGURE_BONES];
    Vec3 root; // moves the root joint
} Motion;

static const Vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};
static const float DEGREE = 0.017453292f, TURN = 6.2831853f;

static void rotate(Motion *m, int bone, Vec3 axis, float degrees)
{
    if (bone >= 0)
        m->turn[bone] = quat_normalize(quat_mul(quat_axis_angle(vec3_normalize_or(axis, Y), degrees * DEGREE), m->turn[bone]));
}

static void rotate_named(Motion *m, const char *side, const char *name, Vec3 axis, float degrees)
{
    char full[48];
    snprintf(full, sizeof full, "%s%s", side, name);
    rotate(m, pelti_figure_find(m->body, full), axis, degrees);
}

static Vec3 direction(const PeltiFigure *body, int bone)
{
    return vec3_normalize_or(vec3_sub(body->bones[bone].tail, body->bones[bone].head), Y);
}

/// Joint positions in the pose, by walking down from the root (bones come after their parents).
static void place_joints(const Motion *m, Vec3 position[PELTI_FIGURE_BONES], Quat orientation[PELTI_FIGURE_BONES])
{
    for (int b = 0; b < m->body->bone_count; b++) {
        int parent = m->body->bones[b].parent;
        if (parent < 0) {
            orientation[b] = m->turn[b];
            position[b] = vec3_add(m->body->bones[b].head, m->root);
            continue;
        }
        Vec3 offset = vec3_sub(m->body->bones[b].head, m->body->bones[parent].head);
        orientation[b] = quat_mul(orientation[parent], m->turn[b]);
        position[b] = vec3_add(position[parent], quat_rotate(orientation[parent], offset));
    }
}

/// Lifts or lowers the root until the lowest of heels, balls and toes stands as high as at rest; `hold`: the feet also stay
/// where they are on the ground.
static void stand(Motion *m, bool hold)
{
    Vec3 position[PELTI_FIGURE_BONES], shift = {0, -1e3f, 0};
    Quat orientation[PELTI_FIGURE_BONES];
    place_joints(m, position, orientation);
    float count = 0;
    Vec3 drift = {0, 0, 0};
    for (int b = 0; b < m->body->bone_count; b++) {
        const PeltiFigureBone *bone = &m->body->bones[b];
        bool foot = strstr(bone->name, "Foot") != NULL, toes = strstr(bone->name, "Toes") != NULL;
        if (!foot && !toes)
            continue;
        Vec3 heel = vec3_sub(vec3(bone->head.x, 0, bone->head.z - 0.04f), bone->head); // sole below the joint
        Vec3 end = vec3_sub(vec3(bone->tail.x, 0, bone->tail.z), bone->head);
        for (int i = 0; i < 2; i++)
            shift.y = fmaxf(shift.y, -(position[b].y + quat_rotate(orientation[b], i ? end : heel).y));
        if (foot) {
            drift = vec3_add(drift, vec3_sub(bone->head, position[b]));
            count++;
        }
    }
    if (count == 0)
        return;
    if (hold)
        shift = vec3(drift.x / count, shift.y, drift.z / count);
    m->root = vec3_add(m->root, shift);
}

static const char *const SIDES[2] = {"Left", "Right"};

static float wave(float u) // 0 at the ends, 1 in the middle, at rest in all three
{
    return 0.5f - 0.5f * pelti_cosf(TURN * u);
}

static float smooth(float from, float to, float u) // 0 before, 1 after, smooth between
{
    return smooth_step(fminf(fmaxf((u - from) / (to - from), 0), 1));
}

static float bell(float phase, float centre, float width) // of a cycle of length 1
{
    float d = phase - centre;
    d -= floorf(d + 0.5f);
    return pelti_expf(-d * d / (width * width));
}

static void close_hand(Motion *m, const PeltiFigureHand *hand, float amount)
{
    static const float bend[4] = {0, 86, 104, 64}, spread[PELTI_FINGERS] = {0, 4.5f, 0, -4, -9};
    Vec3 curl = vec3_cross(hand->along, vec3_scale(hand->back, -1));
    for (int f = 1; f < PELTI_FINGERS; f++) {
        Vec3 along = hand->joint[f][1] >= 0 ? direction(m->body, hand->joint[f][1]) : hand->along;
        Vec3 hinge = vec3_lerp(curl, vec3_cross(along, vec3_scale(hand->back, -1)), 0.6f);
        rotate(m, hand->joint[f][0], curl, amount * (f == 4 ? 8.0f : f == 3 ? 4.0f : 0));
        rotate(m, hand->joint[f][1], vec3_cross(hand->along, hand->side), amount * spread[f] * 0.5f);
        for (int i = 1; i < 4; i++)
            rotate(m, hand->joint[f][i], hinge, amount * bend[i] * (i == 1 && f == 4 ? 1.02f : 1));
    }
    // the thumb turns over the palm and lies on the fingers
    Vec3 thumb = direction(m->body, hand->joint[0][1]);
    Vec3 over = vec3_cross(thumb, vec3_add(vec3_scale(hand->side, -0.85f), vec3_scale(hand->back, -0.5f)));
    rotate(m, hand->joint[0][0], vec3_cross(hand->side, vec3_scale(hand->back, -1)), amount * 24);
    rotate(m, hand->joint[0][0], hand->along,
           amount * (vec3_dot(vec3_cross(hand->side, hand->along), hand->back) > 0 ? 18.0f : -18.0f));
    rotate(m, hand->joint[0][0], curl, amount * 6);
    rotate(m, hand->joint[0][1], over, amount * 34);
    rotate(m, hand->joint[0][3], over, amount * 58);
}

static void bend_elbow(Motion *m, const char *upper, const char *lower, float degrees)
{
    int b = pelti_figure_find(m->body, lower), a = pelti_figure_find(m->body, upper);
    if (a >= 0 && b >= 0)
        rotate(m, b, vec3_cross(direction(m->body, a), Z), degrees); // towards the front
}

/// A four-legged animal crouches, arches its back and curls its tail.
static void crouch_beast(Motion *m, float a)
{
    for (int s = 0; s < 2; s++) {
        rotate_named(m, SIDES[s], "FrontThigh", X, 48 * a);
        rotate_named(m, SIDES[s], "FrontShin", X, -90 * a);
        rotate_named(m, SIDES[s], "FrontPaw", X, 42 * a);
        rotate_named(m, SIDES[s], "HindThigh", X, -50 * a);
        rotate_named(m, SIDES[s], "HindShin", X, 80 * a);
        rotate_named(m, SIDES[s], "HindHock", X, -55 * a);
        rotate_named(m, SIDES[s], "HindPaw", X, 25 * a);
        rotate_named(m, SIDES[s], "Ear", X, -28 * a);
    }
    rotate_named(m, "", "Spine", X, 24 * a);
    rotate_named(m, "", "Chest", X, 18 * a);
    rotate_named(m, "", "Neck", X, 20 * a);
    rotate_named(m, "", "Head", X, 20 * a);
    for (int i = 1; i <= 4; i++)
        rotate_named(m, "Tail", (const char[2]){(char)('0' + i), 0}, X, 22 * a);
}

/// Legs of a diagonal together, two strides; a leg swings forward with its knee bent.
static void trot_beast(Motion *m, float u)
{
    for (int s = 0; s < 2; s++)
        for (int hind = 0; hind < 2; hind++) {
            float phase = TURN * (2 * u + 0.5f * (float)(s ^ hind)), swing = pelti_sinf(phase),
                  lift = fmaxf(pelti_cosf(phase), 0);
            rotate_named(m, SIDES[s], hind ? "HindThigh" : "FrontThigh", X, -24 * swing);
            rotate_named(m, SIDES[s], hind ? "HindShin" : "FrontShin", X, (hind ? 45.0f : -55.0f) * lift);
            rotate_named(m, SIDES[s], hind ? "HindHock" : "FrontPaw", X, (hind ? -40.0f : 40.0f) * lift);
        }
    float sway = pelti_sinf(TURN * 2 * u);
    rotate_named(m, "", "Spine", Y, 4 * sway);
    rotate_named(m, "", "Neck", X, 4 * pelti_cosf(2 * TURN * 2 * u));
    for (int i = 1; i <= 4; i++)
        rotate_named(m, "Tail", (const char[2]){(char)('0' + i), 0}, Y, 12 * pelti_sinf(TURN * (2 * u - 0.12f * (float)i)));
}

static bool bend(Motion *m, float u)
{
    float a = wave(u);
    const PeltiFigure *body = m->body;
    if (strcmp(body->name, "beast") == 0) {
        crouch_beast(m, a);
        return true;
    }
    if (strcmp(body->name, "cylinder") == 0) {
        rotate_named(m, "", "Upper", Z, -160 * a);
        return true;
    }
    for (int h = 0; h < body->hand_count; h++)
        close_hand(m, &body->hands[h], a);
    if (strcmp(body->name, "hand") == 0)
        rotate_named(m, "", "Hand", X, 25 * a);
    bend_elbow(m, "UpperArm", "Forearm", 140 * a);
    if (strcmp(body->name, "biped") != 0)
        return true;
    for (int s = 0; s < 2; s++) {
        char upper[32], lower[32];
        float out = s ? -1.0f : 1.0f;
        snprintf(upper, sizeof upper, "%sUpperArm", SIDES[s]);
        snprintf(lower, sizeof lower, "%sLowerArm", SIDES[s]);
        rotate_named(m, SIDES[s], "UpperArm", Z, out * 18 * a); // elbows out, clear of the knees
        bend_elbow(m, upper, lower, 140 * a);
        rotate_named(m, SIDES[s], "UpperLeg", X, -126 * a);
        rotate_named(m, SIDES[s], "UpperLeg", Y, out * 10 * a);
        rotate_named(m, SIDES[s], "LowerLeg", X, 140 * a);
        rotate_named(m, SIDES[s], "Foot", X, -34 * a);
        rotate_named(m, SIDES[s], "Toes", X, -16 * a);
    }
    rotate_named(m, "", "Hips", X, 28 * a);
    rotate_named(m, "", "Spine", X, 27 * a);
    rotate_named(m, "", "Chest", X, 22 * a);
    rotate_named(m, "", "UpperChest", X, 10 * a);
    rotate_named(m, "", "Neck", X, -18 * a);
    rotate_named(m, "", "Head", X, -18 * a);
    stand(m, true);
    return true;
}

static bool twist(Motion *m, float u)
{
    const PeltiFigure *body = m->body;
    float a = wave(u), swing = pelti_sinf(TURN * u);
    if (strcmp(body->name, "cylinder") == 0) {
        rotate_named(m, "", "Upper", Y, 180 * a);
        return true;
    }
    if (strcmp(body->name, "hand") == 0) {
        rotate_named(m, "", "Hand", Y, 90 * swing);
        return true;
    }
    if (strcmp(body->name, "arm") == 0) {
        rotate(m, pelti_figure_find(body, "Forearm"), direction(body, pelti_figure_find(body, "Forearm")), 80 * a);
        rotate(m, pelti_figure_find(body, "Hand"), direction(body, pelti_figure_find(body, "Forearm")), 100 * a);
        return true;
    }
    static const char *const spine[] = {"Spine", "Chest", "UpperChest", "Neck", "Head"};
    static const float share[] = {26, 26, 22, 22, 22}; // degrees
    bool beast = strcmp(body->name, "beast") == 0;
    for (int i = 0; i < 5; i++) // a body that lies along z twists about z
        rotate_named(m, "", spine[i], beast && i < 2 ? Z : Y, share[i] * swing);
    if (beast)
        return true;
    for (int s = 0; s < 2; s++) {
        char lower[32], hand[32];
        snprintf(lower, sizeof lower, "%sLowerArm", SIDES[s]);
        snprintf(hand, sizeof hand, "%sHand", SIDES[s]);
        Vec3 axis = direction(body, pelti_figure_find(body, lower));
        float out = s ? -1.0f : 1.0f;
        rotate_named(m, SIDES[s], "UpperArm", Z, out * 30 * a);
        rotate_named(m, "", lower, axis, -out * 80 * a);
        rotate_named(m, "", hand, axis, -out * 100 * a);
    }
    return true;
}

static bool fist(Motion *m, float u)
{
    for (int h = 0; h < m->body->hand_count; h++)
        close_hand(m, &m->body->hands[h], wave(u));
    return m->body->hand_count > 0;
}

/// A hand held thumb up closes its fingers on something in the palm, lifts it by a third of its length, holds it, and lets go:
/// for scenes with objects (docs/contact.md). The thumb keeps out of the way.
static bool grasp(Motion *m, float u)
{
    if (strcmp(m->body->name, "hand") != 0)
        return false;
    const PeltiFigureHand *hand = &m->body->hands[0];
    close_hand(m, hand, 0.65f * (smooth(0.02f, 0.35f, u) - smooth(0.85f, 0.98f, u)));
    for (int k = 0; k < 4; k++)
        if (hand->joint[0][k] >= 0)
            m->turn[hand->joint[0][k]] = quat_identity();
    rotate(m, 0, Z, 90);
    m->root.y = 0.1f * (smooth(0.42f, 0.72f, u) - smooth(0.9f, 1, u));
    return true;
}

/// Reaching up on the toes, leaning to one side and then the other; an arm or a hand spreads and bends back.
static bool stretch(Motion *m, float u)
{
    const PeltiFigure *body = m->body;
    float a = wave(u), lean = pelti_sinf(2 * TURN * u) * a;
    for (int h = 0; h < body->hand_count; h++) {
        const PeltiFigureHand *hand = &body->hands[h];
        static const float fan[PELTI_FINGERS] = {14, 8, 1, -8, -14};
        Vec3 hinge = vec3_cross(hand->along, hand->back);
        for (int f = 0; f < PELTI_FINGERS; f++) {
            rotate(m, hand->joint[f][f ? 1 : 0], vec3_cross(hand->along, hand->side), fan[f] * a);
            rotate(m, hand->joint[f][1], hinge, (f ? 14.0f : 6.0f) * a);
        }
        rotate(m, hand->wrist, hinge, (body->hand_count == 1 ? 55.0f : 15.0f) * a);
    }
    if (strcmp(body->name, "arm") == 0)
        rotate_named(m, "", "UpperArm", Z, 45 * a);
    if (strcmp(body->name, "biped") != 0)
        return body->hand_count > 0;
    for (int s = 0; s < 2; s++) {
        float out = s ? -1.0f : 1.0f;
        rotate_named(m, SIDES[s], "Shoulder", Z, out * 24 * a);
        rotate_named(m, SIDES[s], "UpperArm", Y, out * 35 * a);
        rotate_named(m, SIDES[s], "UpperArm", Z, out * 100 * a);
        rotate_named(m, SIDES[s], "Foot", X, 34 * a);
        rotate_named(m, SIDES[s], "Toes", X, -32 * a);
    }
    rotate_named(m, "", "Spine", Z, -14 * lean);
    rotate_named(m, "", "Chest", Z, -14 * lean);
    rotate_named(m, "", "UpperChest", Z, -8 * lean);
    rotate_named(m, "", "Chest", X, -6 * a);
    rotate_named(m, "", "Neck", X, -10 * a);
    rotate_named(m, "", "Head", X, -12 * a);
    stand(m, true);
    return true;
}

/// Two strides on the spot. Phase 0 of a leg is its heel's strike; angles follow the usual gait curves: hip +-, knee bent
/// most in mid swing, foot flat in stance and pushing off at its end.
static bool walk(Motion *m, float u)
{
    if (strcmp(m->body->name, "beast") == 0) {
        trot_beast(m, u);
        return true;
    }
    if (strcmp(m->body->name, "biped") != 0)
        return false;
    float stride = 2 * u;
    for (int s = 0; s < 2; s++) {
        float phase = stride + 0.5f * (float)s + 0.125f, out = s ? -1.0f : 1.0f;
        phase -= floorf(phase);
        float hip = 4 + 24 * pelti_cosf(TURN * (phase - 0.02f)); // forward
        float knee = 6 + 54 * bell(phase, 0.74f, 0.15f) + 12 * bell(phase, 0.12f, 0.10f);
        float sole = 16 * bell(phase, 0.0f, 0.07f) - 40 * bell(phase, 0.58f, 0.10f) - 14 * bell(phase, 0.72f, 0.10f); // toes up
        rotate_named(m, SIDES[s], "UpperLeg", Z, -out * 2.0f);
        rotate_named(m, SIDES[s], "UpperLeg", X, -hip);
        rotate_named(m, SIDES[s], "LowerLeg", X, knee);
        rotate_named(m, SIDES[s], "Foot", X, hip - knee - sole);
        rotate_named(m, SIDES[s], "Toes", X, -30 * bell(phase, 0.55f, 0.08f));
        float swing = pelti_cosf(TURN * (phase - 0.06f)); // the arm goes back when its leg goes forward
        rotate_named(m, SIDES[s], "Shoulder", Z, -out * 5);
        rotate_named(m, SIDES[s], "UpperArm", Z, -out * 30);
        rotate_named(m, SIDES[s], "UpperArm", X, 22 * swing - 2);
        char upper[32], lower[32];
        snprintf(upper, sizeof upper, "%sUpperArm", SIDES[s]);
        snprintf(lower, sizeof lower, "%sLowerArm", SIDES[s]);
        bend_elbow(m, upper, lower, 18 - 10 * swing);
    }
    for (int h = 0; h < m->body->hand_count; h++)
        close_hand(m, &m->body->hands[h], 0.22f);
    float yaw = pelti_cosf(TURN * (stride + 0.105f)), roll = pelti_sinf(TURN * (stride + 0.125f));
    rotate_named(m, "", "Hips", Y, -5 * yaw);
    rotate_named(m, "", "Hips", Z, -2.5f * roll);
    rotate_named(m, "", "Spine", Z, 2.0f * roll);
    rotate_named(m, "", "Spine", X, 2);
    rotate_named(m, "", "Chest", Y, 5 * yaw);
    rotate_named(m, "", "UpperChest", Y, 5 * yaw);
    rotate_named(m, "", "Head", Y, -5 * yaw);
    stand(m, false);
    m->root.x += 0.016f * roll;
    return true;
}

/// Crouch, leap, land, rise. The feet stand, or fly as high as a fall of that time allows.
static bool jump(Motion *m, float u)
{
    if (strcmp(m->body->name, "biped") != 0)
        return false;
    const float lift = 0.40f, land = 0.66f; // of 2 s
    float crouch = smooth(0.02f, 0.26f, u) * (1 - smooth(0.30f, lift, u)) +
                   0.8f * smooth(land - 0.02f, 0.76f, u) * (1 - smooth(0.78f, 1, u));
    float flight = u > lift && u < land ? (u - lift) * (land - u) / (0.25f * (land - lift) * (land - lift)) : 0;
    float push = bell(u, lift + 0.01f, 0.07f) * (u < 0.9f ? 1 : 0) * 0.9f,
          reach = smooth(0.28f, 0.43f, u) * (1 - smooth(0.60f, 0.82f, u));
    float tuck = smooth(lift + 0.02f, 0.53f, u) * (1 - smooth(0.53f, land - 0.01f, u));
    for (int s = 0; s < 2; s++) {
        float out = s ? -1.0f : 1.0f, knee = 95 * crouch + 72 * tuck, hip = 75 * crouch + 55 * tuck;
        rotate_named(m, SIDES[s], "UpperLeg", X, -hip);
        rotate_named(m, SIDES[s], "LowerLeg", X, knee);
        rotate_named(m, SIDES[s], "Foot", X, (hip - knee) * (1 - tuck) * 0 - 24 * crouch + 40 * push + 30 * tuck);
        rotate_named(m, SIDES[s], "Toes", X, -34 * push);
        rotate_named(m, SIDES[s], "UpperArm", X, 45 * crouch * (1 - reach));
        rotate_named(m, SIDES[s], "Shoulder", Z, out * 14 * reach);
        rotate_named(m, SIDES[s], "UpperArm", Y, -out * 40 * reach);
        rotate_named(m, SIDES[s], "UpperArm", Z, out * 75 * reach - out * 20 * crouch * (1 - reach));
        char upper[32], lower[32];
        snprintf(upper, sizeof upper, "%sUpperArm", SIDES[s]);
        snprintf(lower, sizeof lower, "%sLowerArm", SIDES[s]);
        bend_elbow(m, upper, lower, 30 * crouch + 12 * reach);
    }
    rotate_named(m, "", "Hips", X, 22 * crouch + 6 * tuck);
    rotate_named(m, "", "Spine", X, 14 * crouch - 5 * reach + 8 * tuck);
    rotate_named(m, "", "Chest", X, 10 * crouch - 5 * reach + 8 * tuck);
    rotate_named(m, "", "Neck", X, -16 * crouch - 6 * reach);
    for (int h = 0; h < m->body->hand_count; h++)
        close_hand(m, &m->body->hands[h], 0.35f * crouch);
    stand(m, true);
    float seconds = (land - lift) * (FRAMES - 1) / FPS, height = 9.81f * seconds * seconds / 8;
    m->root.y += flight * height;
    return true;
}

/// Every joint on its own, from rest to rest.
static bool wander(Motion *m, float u)
{
    int frame = (int)(u * (LONG_FRAMES - 1) + 0.5f);
    for (int b = 0; b < m->body->bone_count; b++)
        for (int i = 0; i < m->curves->turn_count[b]; i++)
            rotate(m, b, m->curves->turns[b][i].axis, m->curves->degrees[b][i][frame]);
    return true;
}

// ---- parts that touch parts ----

typedef struct ArmReach { ///< where an arm goes, in rest space; spine and shoulders rest
    int side;             ///< 0 left, 1 right
    Vec3 wrist, elbow;    ///< elbow: it points there
    Vec3 along, back;     ///< of the hand
} ArmReach;

/// Rests -> lies along `to`.
static Quat turn_bone(const PeltiFigure *body, int bone, Vec3 to)
{
    return quat_from_to(direction(body, bone), vec3_normalize_or(to, Y));
}

/// The hand's turn in space that takes its length and its back as near as can be to those wanted.
static Quat turn_hand(const PeltiFigureHand *hand, const ArmReach *to)
{
    Vec3 along = vec3_normalize_or(to->along, Z);
    Quat q = quat_from_to(vec3_normalize_or(hand->along, Z), along);
    Vec3 back = quat_rotate(q, hand->back), want = vec3_mad(to->back, along, -vec3_dot(to->back, along));
    back = vec3_mad(back, along, -vec3_dot(back, along));
    return quat_mul(quat_from_to(vec3_normalize_or(back, Y), vec3_normalize_or(want, Y)), q);
}

/// Two bones and a wrist: the elbow lies where two spheres meet, as far as it can towards where it is to point.
static void reach_out(Motion *m, ArmReach to)
{
    const PeltiFigure *body = m->body;
    char name[48];
    int bone[3];
    static const char *const parts[3] = {"UpperArm", "LowerArm", "Hand"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", SIDES[to.side], parts[i]);
        bone[i] = pelti_figure_find(body, name);
    }
    Vec3 shoulder = body->bones[bone[0]].head, way = vec3_sub(to.wrist, shoulder);
    float upper = vec3_distance(shoulder, body->bones[bone[0]].tail);
    float lower = vec3_distance(body->bones[bone[1]].head, body->bones[bone[1]].tail);
    float far = fminf(vec3_length(way), 0.98f * (upper + lower));
    Vec3 line = vec3_normalize_or(way, Z), out = vec3_sub(to.elbow, shoulder);
    out = vec3_normalize_or(vec3_mad(out, line, -vec3_dot(out, line)), Y);
    float on = (far * far + upper * upper - lower * lower) / (2 * far), off = sqrtf(fmaxf(upper * upper - on * on, 0));
    Vec3 elbow = vec3_add(vec3_scale(line, on), vec3_scale(out, off)); // from the shoulder
    Quat a = turn_bone(body, bone[0], elbow), b = turn_bone(body, bone[1], vec3_sub(vec3_scale(line, far), elbow));
    Quat h = turn_hand(&body->hands[to.side], &to);
    m->turn[bone[0]] = a;
    m->turn[bone[1]] = quat_mul(quat_conjugate(a), b);
    m->turn[bone[2]] = quat_mul(quat_conjugate(b), h);
}

static void hand_on_chest(Motion *m)
{
    reach_out(m, (ArmReach){1, {-0.10f, 1.24f, 0.125f}, {-0.5f, 1.0f, 0.1f}, {0.9f, 0.3f, -0.1f}, {0, 0, 1}});
}

static void cross_arms(Motion *m)
{
    reach_out(m, (ArmReach){0, {-0.07f, 1.17f, 0.13f}, {0.5f, 1.0f, 0.1f}, {-1, 0.1f, -0.3f}, {-0.2f, 0.3f, 1}});
    reach_out(m, (ArmReach){1, {0.07f, 1.21f, 0.17f}, {-0.5f, 1.0f, 0.1f}, {1, 0.1f, -0.4f}, {0.2f, 0.3f, 1}});
}

static void clap(Motion *m)
{
    reach_out(m, (ArmReach){0, {0.035f, 1.20f, 0.33f}, {0.5f, 1.0f, 0.1f}, {-0.12f, 0.5f, 0.8f}, {1, 0, 0}});
    reach_out(m, (ArmReach){1, {-0.035f, 1.20f, 0.33f}, {-0.5f, 1.0f, 0.1f}, {0.12f, 0.5f, 0.8f}, {-1, 0, 0}});
}

static void fold_hands(Motion *m)
{
    reach_out(m, (ArmReach){0, {0.065f, 1.14f, 0.30f}, {0.5f, 0.9f, 0.1f}, {-0.6f, 0.3f, 0.7f}, {0.75f, 0, 0.6f}});
    reach_out(m, (ArmReach){1, {-0.065f, 1.12f, 0.30f}, {-0.5f, 0.9f, 0.1f}, {0.6f, 0.3f, 0.7f}, {-0.75f, 0, 0.6f}});
    for (int h = 0; h < m->body->hand_count; h++)
        close_hand(m, &m->body->hands[h], 0.5f);
}

static void knees_to_chest(Motion *m)
{
    static const char *const spine[] = {"Hips", "Spine", "Chest", "UpperChest"};
    for (int i = 0; i < 4; i++)
        rotate_named(m, "", spine[i], X, i ? 18.0f : 0);
    for (int s = 0; s < 2; s++) {
        rotate_named(m, SIDES[s], "UpperLeg", X, -140);
        rotate_named(m, SIDES[s], "LowerLeg", X, 145);
        rotate_named(m, SIDES[s], "UpperArm", Z, s ? -25 : 25);
    }
}

static void chin_on_chest(Motion *m)
{
    rotate_named(m, "", "UpperChest", X, 8);
    rotate_named(m, "", "Neck", X, 42);
    rotate_named(m, "", "Head", X, 42);
}

/// Six poses one after the other, each from rest and back, full at a twelfth, three twelfths, ... of the clip.
static bool touches(Motion *m, float u)
{
    static void (*const poses[])(Motion *) = {hand_on_chest, cross_arms, clap, fold_hands, knees_to_chest, chin_on_chest};
    enum { POSES = sizeof poses / sizeof poses[0] };
    if (strcmp(m->body->name, "biped") != 0)
        return false;
    int pose = (int)(u * POSES);
    pose = pose < POSES ? pose : POSES - 1;
    poses[pose](m);
    float share = wave(u * POSES - (float)pose);
    for (int b = 0; b < m->body->bone_count; b++)
        m->turn[b] = quat_slerp(quat_identity(), m->turn[b], share);
    return true;
}

typedef struct ClipPlan {
    const char *name;
    bool (*pose)(Motion *motion, float u); // false: not for this body
    int frames;
} ClipPlan;

static const ClipPlan PLANS[] = {{"bend", bend, FRAMES},   {"twist", twist, FRAMES},          {"fist", fist, FRAMES},
                                 {"walk", walk, FRAMES},   {"stretch", stretch, FRAMES},      {"jump", jump, FRAMES},
                                 {"grasp", grasp, FRAMES}, {"touches", touches, LONG_FRAMES}, {"random", wander, LONG_FRAMES}};
enum { PLAN_COUNT = sizeof PLANS / sizeof PLANS[0], RANDOM = PLAN_COUNT - 1, ASKED = RANDOM - 1 };

static bool pose_at(const PeltiFigure *body, const Curves *curves, const ClipPlan *plan, int frame, Motion *m)
{
    m->body = body;
    m->curves = curves;
    m->root = vec3(0, 0, 0);
    for (int b = 0; b < body->bone_count; b++)
        m->turn[b] = quat_identity();
    return plan->pose(m, (float)(frame % (plan->frames - 1)) /
                             (float)(plan->frames - 1)); // the last frame is the first one, bit by bit
}

/// The next clip: channels for the joints that move at all; the root's translation where it does.
static PeltStatus fill_clip(const PeltiFigure *body, const Curves *curves, const ClipPlan *plan, const float *times,
                            PeltiCharacter *who, PeltError *err)
{
    PeltiPool *pool = &who->pool;
    PeltiClip *clip = &who->clips[who->clip_count++];
    int bones = body->bone_count, frames = plan->frames;
    float(*rotation)[4] = pelti_pool_take(pool, (size_t)bones * (size_t)frames, sizeof *rotation);
    float(*root)[3] = pelti_pool_take(pool, (size_t)frames, sizeof *root);
    PeltiChannel *channels = PELTI_NEW(pool, PeltiChannel, bones + 1);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)bones * (size_t)frames * sizeof *rotation);
    float moved[PELTI_FIGURE_BONES] = {0}, travelled = 0;
    for (int f = 0; f < frames; f++) {
        Motion m;
        pose_at(body, curves, plan, f, &m);
        for (int b = 0; b < bones; b++) {
            Quat q = m.turn[b];
            float *key = rotation[b * frames + f], *before = f > 0 ? key - 4 : key;
            if (f > 0 && quat_dot(q, (Quat){before[0], before[1], before[2], before[3]}) < 0)
                q = (Quat){-q.x, -q.y, -q.z, -q.w};
            memcpy(key, &q, sizeof q);
            moved[b] = fmaxf(moved[b], quat_angle(q));
        }
        Vec3 place = vec3_add(body->bones[0].head, m.root);
        memcpy(root[f], &place, sizeof place);
        travelled = fmaxf(travelled, vec3_length(m.root));
    }
    *clip = (PeltiClip){.name = plan->name, .duration_s = times[frames - 1], .channels = channels};
    if (travelled > 1e-5f)
        channels[clip->channel_count++] =
            (PeltiChannel){0, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, frames, times, root[0], 3, 0};
    for (int b = 0; b < bones; b++)
        if (moved[b] > 1e-4f)
            channels[clip->channel_count++] =
                (PeltiChannel){b, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, frames, times, rotation[b * frames], 4, 0};
    return PELT_OK;
}

static PeltStatus draw_curves(const PeltiFigure *body, uint64_t seed, PeltiPool *pool, Curves **out, PeltError *err)
{
    Curves *curves = *out = PELTI_NEW(pool, Curves, 1);
    if (!curves)
        return pelti_no_memory(err, sizeof *curves);
    for (int b = 0; b < body->bone_count; b++) {
        curves->turn_count[b] = pelti_figure_limits(body, b, curves->turns[b]);
        for (int i = 0; i < curves->turn_count[b]; i++)
            pelti_random_curve(seed, b, i, &curves->turns[b][i], LONG_FRAMES, curves->degrees[b][i]);
    }
    return PELT_OK;
}

/// Names of the clips a body has, for the error that names them.
static PeltStatus no_clip(const PeltiFigure *body, const char *name, PeltError *err)
{
    char list[160] = "";
    for (int i = 0; i < RANDOM; i++) {
        Motion probe;
        if (pose_at(body, NULL, &PLANS[i], 1, &probe))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s, ", PLANS[i].name);
    }
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "no clip '%.60s' for the %s: there are %sand random", name, body->name, list);
}

PeltStatus pelti_builtin_clips(const PeltiFigure *body, const char *only, uint64_t seed, PeltiPool *work, PeltiCharacter *who,
                               PeltError *err)
{
    Curves *curves = NULL;
    float *times = PELTI_NEW(&who->pool, float, LONG_FRAMES); // one for all: the file holds them once
    who->clips = PELTI_NEW(&who->pool, PeltiClip, PLAN_COUNT);
    if (who->pool.failed)
        return pelti_no_memory(err, PLAN_COUNT * sizeof *who->clips);
    for (int f = 0; f < LONG_FRAMES; f++)
        times[f] = (float)f / FPS;
    for (int i = 0; i < PLAN_COUNT; i++) {
        Motion probe;
        if (only ? strcmp(only, PLANS[i].name) != 0 : i >= ASKED) // the last two are for those who ask
            continue;
        if (i == RANDOM)
            PELT_TRY(draw_curves(body, seed, work, &curves, err));
        if (pose_at(body, curves, &PLANS[i], 1, &probe))
            PELT_TRY(fill_clip(body, curves, &PLANS[i], times, who, err));
    }
    return only && who->clip_count == 0 ? no_clip(body, only, err) : PELT_OK;
}
