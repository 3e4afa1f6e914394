/// Says how far each joint of a built-in character turns, and draws random motion within that.
#include "builtin/limits.h"
#include "builtin/random.h"

#include <stdio.h>
#include <string.h>

/// Axes of the tables: those of the room; the bone's own; the hinge of an elbow, which bends towards the front.
typedef enum Axis { AXIS_X, AXIS_Y, AXIS_Z, AXIS_ALONG, AXIS_ELBOW } Axis;

typedef struct Limit {
    const char *joint; // without its side
    Axis axis;
    float low, high; // degrees, of a left joint: turns about y, z and the bone are mirrored for a right one
} Limit;

/// Of a grown-up, from the A-pose; of a four-legged animal that stands; of a tube.
static const Limit LIMITS[] = {
    {"Hips", AXIS_X, -8, 15},          {"Hips", AXIS_Y, -20, 20},        {"Spine", AXIS_Y, -18, 18},
    {"Spine", AXIS_Z, -14, 14},        {"Spine", AXIS_X, -12, 25},       {"Chest", AXIS_Y, -16, 16},
    {"Chest", AXIS_Z, -12, 12},        {"Chest", AXIS_X, -10, 20},       {"UpperChest", AXIS_Y, -12, 12},
    {"UpperChest", AXIS_X, -8, 10},    {"Neck", AXIS_Y, -28, 28},        {"Neck", AXIS_X, -18, 22},
    {"Head", AXIS_Y, -32, 32},         {"Head", AXIS_Z, -14, 14},        {"Head", AXIS_X, -18, 22},
    {"Shoulder", AXIS_Y, -10, 10},     {"Shoulder", AXIS_Z, -5, 20},     {"UpperArm", AXIS_ALONG, -40, 40},
    {"UpperArm", AXIS_Y, -70, 20},     {"UpperArm", AXIS_Z, -25, 75},    {"LowerArm", AXIS_ALONG, -45, 45},
    {"LowerArm", AXIS_ELBOW, 0, 135},  {"Forearm", AXIS_ALONG, -45, 45}, {"Forearm", AXIS_ELBOW, 0, 135},
    {"UpperLeg", AXIS_ALONG, -20, 25}, {"UpperLeg", AXIS_Z, -3, 32},     {"UpperLeg", AXIS_X, -100, 20},
    {"LowerLeg", AXIS_X, 0, 125},      {"Foot", AXIS_Z, -10, 10},        {"Foot", AXIS_X, -22, 38},
    {"Toes", AXIS_X, -32, 18},         {"Upper", AXIS_Y, -90, 90},       {"Upper", AXIS_X, -60, 60},
    {"Upper", AXIS_Z, -120, 120},      {"FrontThigh", AXIS_Z, -6, 18},   {"FrontThigh", AXIS_X, -50, 55},
    {"FrontShin", AXIS_X, -95, 5},     {"FrontPaw", AXIS_X, -25, 60},    {"HindThigh", AXIS_Z, -6, 18},
    {"HindThigh", AXIS_X, -55, 40},    {"HindShin", AXIS_X, -20, 85},    {"HindHock", AXIS_X, -60, 35},
    {"HindPaw", AXIS_X, -30, 50},      {"Ear", AXIS_Z, -25, 50},         {"Ear", AXIS_X, -30, 30},
    {"Tail1", AXIS_Y, -30, 30},        {"Tail1", AXIS_X, -25, 50},       {"Tail2", AXIS_Y, -28, 28},
    {"Tail2", AXIS_X, -22, 22},        {"Tail3", AXIS_Y, -28, 28},       {"Tail3", AXIS_X, -22, 22},
    {"Tail4", AXIS_Y, -28, 28},        {"Tail4", AXIS_X, -22, 22}};
enum { LIMIT_COUNT = sizeof LIMITS / sizeof LIMITS[0] };

/// Degrees of fingers (thumb first) about the hinge that curls them into the palm; spreading only at the knuckles.
static const float CURL_LOW[4] = {0, -12, 0, 0}, CURL_HIGH[4] = {8, 82, 98, 62};
static const float THUMB_LOW[4] = {-8, -5, 0, -8}, THUMB_HIGH[4] = {18, 40, 0, 60};

static Vec3 direction(const PeltiFigureBone *bone)
{
    return vec3_normalize_or(vec3_sub(bone->tail, bone->head), vec3(0, 1, 0));
}

static PeltiFigureTurn table_turn(const PeltiFigure *body, int bone, const Limit *limit, bool right)
{
    static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const PeltiFigureBone *b = &body->bones[bone];
    PeltiFigureTurn turn = {.low = limit->low, .high = limit->high};
    if (limit->axis == AXIS_ELBOW) { // a cross product mirrors itself
        Vec3 upper = b->parent >= 0 ? direction(&body->bones[b->parent]) : direction(b);
        turn.axis = vec3_normalize_or(vec3_cross(upper, axes[2]), axes[1]);
        return turn;
    }
    turn.axis = limit->axis == AXIS_ALONG ? direction(b) : axes[limit->axis];
    if (right && limit->axis != AXIS_X) {
        turn.low = -limit->high;
        turn.high = -limit->low;
    }
    return turn;
}

static int finger_turns(const PeltiFigure *body, const PeltiFigureHand *hand, int finger, int joint, PeltiFigureTurn *turns)
{
    Vec3 palm = vec3_scale(hand->back, -1), along = direction(&body->bones[hand->joint[finger][joint]]);
    bool thumb = finger == 0;
    int count = 0;
    Vec3 towards = thumb ? vec3_add(vec3_scale(hand->side, -0.85f), vec3_scale(palm, 0.5f)) : palm;
    if (!thumb && joint == 1)
        turns[count++] = (PeltiFigureTurn){vec3_normalize_or(vec3_cross(hand->along, hand->side), palm), -7, 7};
    Vec3 hinge = vec3_normalize_or(vec3_cross(along, towards), hand->side);
    turns[count++] =
        (PeltiFigureTurn){hinge, thumb ? THUMB_LOW[joint] : CURL_LOW[joint], thumb ? THUMB_HIGH[joint] : CURL_HIGH[joint]};
    return count;
}

static int hand_turns(const PeltiFigure *body, int bone, PeltiFigureTurn *turns)
{
    for (int h = 0; h < body->hand_count; h++) {
        const PeltiFigureHand *hand = &body->hands[h];
        if (hand->wrist == bone) {
            turns[0] = (PeltiFigureTurn){vec3_normalize_or(vec3_cross(hand->along, hand->side), hand->back), -14, 18};
            turns[1] =
                (PeltiFigureTurn){vec3_normalize_or(vec3_cross(hand->along, vec3_scale(hand->back, -1)), hand->side), -45, 50};
            return 2;
        }
        for (int f = 0; f < PELTI_FINGERS; f++)
            for (int j = 0; j < 4; j++)
                if (hand->joint[f][j] == bone)
                    return finger_turns(body, hand, f, j, turns);
    }
    return 0;
}

int pelti_figure_limits(const PeltiFigure *body, int bone, PeltiFigureTurn turns[PELTI_FIGURE_TURNS])
{
    bool left, right;
    const char *name = pelti_figure_side(body->bones[bone].name, &left, &right);
    int count = hand_turns(body, bone, turns);
    if (count > 0 || (body->bones[bone].parent < 0 && strcmp(name, "Hips") != 0))
        return count;
    for (int i = 0; i < LIMIT_COUNT && count < PELTI_FIGURE_TURNS; i++)
        if (strcmp(LIMITS[i].joint, name) == 0)
            turns[count++] = table_turn(body, bone, &LIMITS[i], right);
    return count;
}

/// 0 to 1 with first and second derivative zero at both ends.
static float ease(float u)
{
    return u * u * u * (u * (u * 6 - 15) + 10);
}

void pelti_random_curve(uint64_t seed, int bone, int turn, const PeltiFigureTurn *limits, int frames, float *degrees)
{
    enum { KNOTS = 4 }; // between the ends
    float low = limits->low, high = limits->high;
    char purpose[32];
    snprintf(purpose, sizeof purpose, "motion %d %d", bone, turn);
    PeltiRandom r = pelti_random(seed, purpose);
    int at[KNOTS + 2] = {0}, lowest = 1 + pelti_random_below(&r, KNOTS), highest = 1 + pelti_random_below(&r, KNOTS - 1);
    float value[KNOTS + 2] = {0};
    highest += highest >= lowest;
    float step = (float)(frames - 1) / (KNOTS + 1);
    at[KNOTS + 1] = frames - 1;
    for (int k = 1; k <= KNOTS; k++) {
        at[k] = (int)(((float)k + pelti_random_between(&r, -0.3f, 0.3f)) * step);
        value[k] = pelti_random_between(&r, 0.7f * low, 0.7f * high);
    }
    value[lowest] = low;
    value[highest] = high;
    for (int k = 0; k <= KNOTS; k++)
        for (int f = at[k]; f < at[k + 1]; f++)
            degrees[f] = value[k] + (value[k + 1] - value[k]) * ease((float)(f - at[k]) / (float)(at[k + 1] - at[k]));
    degrees[frames - 1] = 0;
}
