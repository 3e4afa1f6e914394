/// Plans the hand, which the biped's arms end in too.
#include "builtin/body.h"

#include <stdio.h>
#include <string.h>

/// Joint centres and sizes of a grown-up's left hand, wrist at the origin, fingers along +Y, back of the hand +Z, thumb +X.
typedef struct Finger {
    const char *name;
    Vec3 carpal, knuckle;    // ends of the metacarpal
    float lean, curl;        // degrees: towards the thumb, and flexion of each joint at rest
    float phalanx[3];        // m, the last one to the finger's tip
    float wide[4], thick[4]; // half breadth and half depth at the three joints and at the tip
} Finger;

static const Finger FINGERS[PELTI_FINGERS] = {
    {"Thumb",
     {0.019f, 0.016f, -0.010f},
     {0.043f, 0.050f, -0.022f},
     0,
     0,
     {0.0340f, 0.0275f, 0},
     {0.0115f, 0.0100f, 0.0105f, 0.0080f},
     {0.0115f, 0.0098f, 0.0090f, 0.0060f}},
    {"Index",
     {0.013f, 0.020f, 0.001f},
     {0.0265f, 0.0905f, 0.0015f},
     5.0f,
     6,
     {0.0425f, 0.0255f, 0.0225f},
     {0.0105f, 0.0093f, 0.0083f, 0.0063f},
     {0.0108f, 0.0090f, 0.0078f, 0.0052f}},
    {"Middle",
     {0.003f, 0.021f, 0.002f},
     {0.0045f, 0.0945f, 0.0035f},
     0.5f,
     6,
     {0.0470f, 0.0290f, 0.0235f},
     {0.0106f, 0.0094f, 0.0084f, 0.0064f},
     {0.0110f, 0.0092f, 0.0079f, 0.0053f}},
    {"Ring",
     {-0.006f, 0.020f, 0.001f},
     {-0.0165f, 0.0895f, 0.0015f},
     -4.5f,
     7,
     {0.0435f, 0.0275f, 0.0230f},
     {0.0100f, 0.0089f, 0.0080f, 0.0061f},
     {0.0104f, 0.0087f, 0.0075f, 0.0050f}},
    {"Little",
     {-0.014f, 0.018f, -0.002f},
     {-0.0360f, 0.0800f, -0.0030f},
     -11.0f,
     9,
     {0.0340f, 0.0205f, 0.0205f},
     {0.0090f, 0.0079f, 0.0070f, 0.0054f},
     {0.0094f, 0.0076f, 0.0066f, 0.0045f}},
};

static const float DEGREE = 0.017453292f;

static Vec3 placed(const PeltiSolidPen *pen, Vec3 p)
{
    Vec3 q = mat34_apply(pen->place, p);
    return pen->mirror ? vec3(-q.x, q.y, q.z) : q;
}

typedef struct Phalanx {
    Vec3 a, b, back;         // its joints, and the way its back looks
    float wide[2], thick[2]; // half breadth and half depth at both
    bool tip;                // the last of its finger
} Phalanx;

/// A phalanx: wider at its joints than between, a little hollow on the palm's side, round at the tip.
static void add_phalanx(PeltiSolid *shape, const PeltiSolidPen *pen, const Phalanx *f)
{
    float w0 = f->wide[0], w1 = f->wide[1], d0 = f->thick[0], d1 = f->thick[1], wm = 0.5f * (w0 + w1) * 0.980f,
          dm = 0.5f * (d0 + d1);
    PeltiSolidSection joint_to_joint[4] = {{0, 0, 0, w0, w0, d0, d0 * 0.92f},
                                           {0.3f, 0, 0, wm * 1.01f, wm * 1.01f, dm * 0.93f, dm * 1.04f},
                                           {0.65f, 0, 0, wm * 0.99f, wm * 0.99f, dm * 0.92f, dm * 1.05f},
                                           {1, 0, 0, w1, w1, d1, d1 * 0.92f}};
    PeltiSolidSection to_tip[4] = {{0, 0, 0, w0, w0, d0, d0 * 0.94f},
                                   {0.35f, 0, 0, w0 * 0.99f, w0 * 0.99f, d0 * 0.86f, d0 * 1.10f},
                                   {0.62f, 0, 0, w0 * 0.95f, w0 * 0.95f, d0 * 0.74f, d0 * 1.08f},
                                   {0.80f, 0, -0.0004f, w1 * 1.12f, w1 * 1.12f, d1 * 0.86f, d1 * 1.25f}};
    float cap_b = f->tip ? 0.2f * vec3_distance(f->a, f->b) : w1;
    pelti_solid_loft(shape, pen, (PeltiSolidLoftLine){.a = f->a, .b = f->b, .front = f->back},
                     (PeltiSolidLoftForm){.power = 2.15f, .cap_a = w0, .cap_b = cap_b}, 4, f->tip ? to_tip : joint_to_joint);
}

typedef struct Root {
    const char *prefix; // of the bones' names
    int wrist;          // the bone fingers start from
    bool metacarpals;   // bones for these too
} Root;

static int phalanx_count(int finger)
{
    return finger == 0 ? 2 : 3;
}

static int add_finger_bones(PeltiFigure *body, const PeltiSolidPen *pen, const Root *root, int index, const Vec3 point[4],
                            int joint[4])
{
    const Finger *f = &FINGERS[index];
    static const char *const part[4] = {"Metacarpal", "Proximal", "Intermediate", "Distal"};
    bool thumb = index == 0;
    int parent = root->wrist, count = phalanx_count(index);
    char name[32];
    if (thumb || root->metacarpals) {
        snprintf(name, sizeof name, "%s%s", f->name, part[0]);
        parent = joint[0] = pelti_figure_bone(
            body, root->prefix, name, parent,
            (PeltiFigureSegment){.head = placed(pen, f->carpal), .tail = placed(pen, f->knuckle), .blend = 0.012f});
    }
    for (int i = 0; i < count; i++) {
        int slot = thumb && i == 1 ? 3 : i + 1;
        snprintf(name, sizeof name, "%s%s", f->name, part[slot]);
        parent = joint[slot] = pelti_figure_bone(
            body, root->prefix, name, parent,
            (PeltiFigureSegment){.head = placed(pen, point[i]), .tail = placed(pen, point[i + 1]), .blend = 0.0068f});
    }
    return parent;
}

static uint64_t joint_bits(const int joint[4], int from, int to, int otherwise)
{
    uint64_t bits = otherwise >= 0 ? pelti_figure_bit(otherwise) : 0;
    for (int i = from; i <= to; i++)
        if (joint[i] >= 0)
            bits |= pelti_figure_bit(joint[i]);
    return bits;
}

static void add_finger(PeltiFigure *body, PeltiSolidPen pen, const Root *root, int index, int joint[4])
{
    const Finger *f = &FINGERS[index];
    int count = phalanx_count(index);
    Vec3 point[4] = {f->knuckle}, back = {0, 0, 1}, along, hinge;
    if (index == 0) { // the thumb's nail looks sideways
        along = vec3_normalize_or(vec3_sub(f->knuckle, f->carpal), vec3(0, 1, 0));
        back = vec3_normalize_or(vec3(0.62f, -0.36f, 0.70f), back);
    } else {
        along = quat_rotate(quat_axis_angle(vec3(0, 0, 1), -f->lean * DEGREE), vec3(0, 1, 0));
    }
    back = vec3_normalize_or(vec3_mad(back, along, -vec3_dot(back, along)), back);
    hinge = vec3_cross(along, back); // turning about it by a negative angle bends towards the palm
    Vec3 backs[3];
    for (int i = 0; i < count; i++) {
        float bend = index == 0 ? (i == 0 ? 7.0f : 5.0f) : i == 0 ? 2.0f : f->curl;
        Quat turn = quat_axis_angle(hinge, -bend * DEGREE);
        along = quat_rotate(turn, along);
        back = quat_rotate(turn, back);
        backs[i] = back;
        point[i + 1] = vec3_mad(point[i], along, f->phalanx[i]);
    }
    add_finger_bones(body, &pen, root, index, point, joint);
    pen.blend = 0.004f;
    for (int i = 0; i < count; i++) {
        pen.bones = joint_bits(joint, index ? 1 : 0, 3, -1) | (i == 0 ? joint_bits(joint, 0, 0, root->wrist) : 0);
        int at = index == 0 && i == 1 ? 2 : i; // the thumb has no middle joint
        add_phalanx(body->shape, &pen,
                    &(Phalanx){.a = point[i],
                               .b = point[i + 1],
                               .back = backs[i],
                               .wide = {f->wide[at], f->wide[at + 1]},
                               .thick = {f->thick[at], f->thick[at + 1]},
                               .tip = i == count - 1});
    }
    Vec3 tip = vec3_lerp(point[count - 1], point[count], 0.66f); // the nail: a shallow flat bed
    float w = f->wide[2];
    pelti_solid_bump(body->shape, &pen, vec3_mad(tip, back, f->thick[2] * 0.8f), (PeltiSolidFacing){.axis = along, .front = back},
                     vec3(w * 0.85f, w * 0.95f, w * 0.6f), -0.0011f);
    if (index > 0) // knuckle creases on the back of the middle joint
        pelti_solid_bump(body->shape, &pen, vec3_mad(point[1], backs[1], f->thick[1]),
                         (PeltiSolidFacing){.axis = backs[1], .front = along}, vec3(w * 0.9f, w * 0.7f, w * 0.8f), 0.0009f);
}

static void add_palm(PeltiFigure *body, PeltiSolidPen pen, int group, const int joint[PELTI_FINGERS][4], int wrist)
{
    PeltiSolid *shape = body->shape;
    const Vec3 y = {0, 1, 0}, z = {0, 0, 1};
    pen.group = group;
    pen.blend = 0.012f;
    pen.bones = pelti_figure_bit(wrist);
    for (int f = 1; f < PELTI_FINGERS; f++)
        pen.bones |= joint_bits(joint[f], 0, 0, -1);
    static const PeltiSolidSection palm[] = {// t along 0.1 m from the wrist; x towards the thumb is +side
                                             {-0.16f, 0, 0.000f, 0.0170f, 0.0165f, 0.0105f, 0.0105f},
                                             {0.08f, -0.000f, 0.000f, 0.0270f, 0.0262f, 0.0172f, 0.0175f},
                                             {0.25f, -0.001f, 0.000f, 0.0300f, 0.0320f, 0.0165f, 0.0175f},
                                             {0.50f, -0.002f, 0.000f, 0.0330f, 0.0370f, 0.0145f, 0.0150f},
                                             {0.75f, -0.003f, 0.000f, 0.0370f, 0.0385f, 0.0125f, 0.0135f},
                                             {0.90f, -0.004f, 0.000f, 0.0385f, 0.0370f, 0.0105f, 0.0125f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, 0, 0), .b = vec3(0, 0.1f, 0), .front = z},
                     (PeltiSolidLoftForm){.power = 2.5f, .cap_a = 0.010f, .cap_b = 0.012f}, 6, palm);
    for (int f = 1; f < PELTI_FINGERS; f++) { // metacarpal heads and the pads before the fingers
        const Finger *g = &FINGERS[f];
        Vec3 along = vec3_sub(g->knuckle, g->carpal);
        pen.blend = 0.010f;
        pelti_solid_ellipsoid(shape, &pen, vec3_add(g->knuckle, vec3(0, -0.002f, -0.001f)),
                              (PeltiSolidFacing){.axis = along, .front = z},
                              vec3(g->wide[0] * 0.98f, 0.017f, g->thick[0] * 1.12f));
    }
    pen.blend = 0.014f;
    pelti_solid_ellipsoid(shape, &pen, vec3(-0.0265f, 0.036f, -0.009f),
                          (PeltiSolidFacing){.axis = vec3(-0.18f, 1, 0), .front = z}, vec3(0.0125f, 0.036f, 0.0125f));
    pen.bones = joint_bits(joint[0], 0, 0, wrist);
    Vec3 metacarpal = vec3_sub(FINGERS[0].knuckle, FINGERS[0].carpal);
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0265f, 0.034f, -0.0150f),
                          (PeltiSolidFacing){.axis = metacarpal, .front = vec3(0.45f, 0, -0.8f)}, vec3(0.0140f, 0.030f, 0.0130f));
    static const PeltiSolidSection thumb_root[] = {{0, 0, 0, 0.012f, 0.012f, 0.012f, 0.012f},
                                                   {1, 0, 0, 0.0112f, 0.0112f, 0.0112f, 0.0112f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = FINGERS[0].carpal, .b = FINGERS[0].knuckle, .front = z},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.012f, .cap_b = 0.010f}, 2, thumb_root);
    pen.bones = joint_bits(joint[0], 0, 0, wrist);
    pelti_solid_bump(shape, &pen, vec3(0.002f, 0.05f, -0.021f), (PeltiSolidFacing){.axis = y, .front = z},
                     vec3(0.017f, 0.034f, 0.013f), -0.0045f); // hollow of the palm
    for (int f = 1; f < PELTI_FINGERS; f++) {                 // tendons fan out over the back
        const Finger *g = &FINGERS[f];
        Vec3 middle = vec3_lerp(g->carpal, g->knuckle, 0.66f);
        pelti_solid_bump(shape, &pen, vec3_add(middle, vec3(0, 0, 0.0125f)),
                         (PeltiSolidFacing){.axis = vec3_sub(g->knuckle, g->carpal), .front = z}, vec3(0.0065f, 0.036f, 0.009f),
                         0.0012f);
        pelti_solid_bump(shape, &pen, vec3_add(g->knuckle, vec3(0, 0.001f, 0.0125f)), (PeltiSolidFacing){.axis = y, .front = z},
                         vec3(0.009f, 0.011f, 0.008f), 0.0016f);
    }
}

void pelti_figure_hand(PeltiFigure *body, const PeltiSolidPen *pen, const char *prefix, int wrist, int group, bool metacarpals)
{
    PeltiFigureHand *hand = &body->hands[body->hand_count++];
    memset(hand->joint, -1, sizeof hand->joint);
    hand->wrist = wrist;
    const Root root = {.prefix = prefix, .wrist = wrist, .metacarpals = metacarpals};
    Vec3 origin = placed(pen, vec3(0, 0, 0));
    hand->side = vec3_sub(placed(pen, vec3(1, 0, 0)), origin);
    hand->along = vec3_sub(placed(pen, vec3(0, 1, 0)), origin);
    hand->back = vec3_sub(placed(pen, vec3(0, 0, 1)), origin);
    for (int f = 0; f < PELTI_FINGERS; f++) {
        PeltiSolidPen finger = *pen;
        finger.group = group + 1 + f;
        finger.detail = pen->detail * 0.82f;
        pelti_solid_group(body->shape, finger.group, f == 0 ? 0.008f : 0.0055f);
        add_finger(body, finger, &root, f, hand->joint[f]);
    }
    add_palm(body, *pen, group, (const int(*)[4])hand->joint, wrist);
}

void pelti_figure_plan_hand(PeltiFigure *body)
{
    PeltiSolid *shape = body->shape;
    PeltiSolidPen pen = {.detail = 1, .place = mat34_identity()};
    int forearm = pelti_figure_bone(body, "", "Forearm", -1,
                                    (PeltiFigureSegment){.head = vec3(0, -0.075f, 0), .tail = vec3(0, 0, 0), .blend = 0.01f});
    int wrist = pelti_figure_bone(body, "", "Hand", forearm,
                                  (PeltiFigureSegment){.head = vec3(0, 0, 0), .tail = vec3(0, 0.095f, 0), .blend = 0.016f});
    static const PeltiSolidSection stump[] = {{0, 0, 0, 0.0300f, 0.0290f, 0.0250f, 0.0250f},
                                              {0.5f, 0, 0, 0.0280f, 0.0270f, 0.0205f, 0.0210f},
                                              {0.85f, 0, 0, 0.0265f, 0.0255f, 0.0180f, 0.0180f},
                                              {1.15f, 0, 0, 0.0190f, 0.0185f, 0.0115f, 0.0115f}};
    pen.bones = pelti_figure_bit(forearm) | pelti_figure_bit(wrist);
    pen.blend = 0.01f;
    pelti_solid_group(shape, 0, 0);
    pelti_solid_group(shape, 1, 0.014f);
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, -0.065f, 0), .b = vec3(0, 0, 0), .front = vec3(0, 0, 1)},
                     (PeltiSolidLoftForm){.power = 2.2f, .cap_a = 0.015f, .cap_b = 0.01f}, 4, stump);
    pen.detail = 0.8f;
    pelti_figure_hand(body, &pen, "", wrist, 1, true);
    body->voxel = 0.0013f;
    body->cell = 0.010f;
}
