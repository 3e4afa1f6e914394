/// Plans the beast: bones, limbs and tail.
#include "builtin/body.h"

/// An animal on four legs, 0.75 m high at the back, facing +Z, with ears and a tail.
enum { TRUNK, LEGS, NECK = LEGS + 4, EARS, TAIL = EARS + 2 };

typedef struct Leg {
    const char *part[4]; // names from the trunk down; NULL: none
    Vec3 joint[5];       // of the left side, the last one is the tip
    float radius[5];     // half breadth at the joints
    float blend[4];      // of the weights
} Leg;

static const Leg FRONT_LEG = {
    {"FrontThigh", "FrontShin", "FrontPaw", NULL},
    {{0.105f, 0.640f, 0.250f}, {0.112f, 0.400f, 0.225f}, {0.112f, 0.110f, 0.240f}, {0.114f, 0.030f, 0.320f}},
    {0.078f, 0.050f, 0.032f, 0.030f},
    {0.055f, 0.035f, 0.022f}};
static const Leg HIND_LEG = {{"HindThigh", "HindShin", "HindHock", "HindPaw"},
                             {{0.095f, 0.650f, -0.330f},
                              {0.115f, 0.440f, -0.235f},
                              {0.115f, 0.235f, -0.400f},
                              {0.115f, 0.075f, -0.370f},
                              {0.117f, 0.030f, -0.285f}},
                             {0.100f, 0.062f, 0.036f, 0.030f, 0.030f},
                             {0.060f, 0.038f, 0.024f, 0.020f}};

static const Vec3 UP = {0, 1, 0}, AHEAD = {0, 0, 1};

static void add_leg(PeltiFigure *body, const Leg *leg, int trunk, bool right, int group)
{
    int bone[4], parent = trunk;
    const char *side = right ? "Right" : "Left";
    PeltiSolidPen pen = {.group = group, .detail = 0.85f, .blend = 0.030f, .mirror = right, .place = mat34_identity()};
    for (int i = 0; i < 4 && leg->part[i]; i++)
        parent = bone[i] = pelti_figure_bone(
            body, side, leg->part[i], parent,
            (PeltiFigureSegment){.head = leg->joint[i], .tail = leg->joint[i + 1], .blend = leg->blend[i], .mirror = right});
    for (int i = 0; i < 4 && leg->part[i]; i++) {
        bool paw = i == 3 || !leg->part[i + 1];
        float a = leg->radius[i], b = leg->radius[i + 1], middle = i == 0 ? 0.5f * (a + b) * 1.08f : 0.5f * (a + b) * 0.94f;
        PeltiSolidSection sections[3] = {{0, 0, 0, a, a, a * 1.1f, a * 1.1f},
                                         {0.45f, 0, 0, middle * 0.92f, middle * 0.92f, middle * 1.1f, middle * 1.15f},
                                         {1, 0, 0, b, b, b, b}};
        pen.bones =
            pelti_figure_bit(bone[i]) | pelti_figure_bit(i > 0 ? bone[i - 1] : trunk) | (paw ? 0 : pelti_figure_bit(bone[i + 1]));
        pelti_solid_loft(body->shape, &pen, (PeltiSolidLoftLine){.a = leg->joint[i], .b = leg->joint[i + 1], .front = AHEAD},
                         (PeltiSolidLoftForm){.power = 2, .cap_a = a * 0.8f, .cap_b = b * 0.8f}, 3, sections);
        if (paw) {
            pen.bones = pelti_figure_bit(bone[i]);
            pen.blend = 0.02f;
            pelti_solid_ellipsoid(body->shape, &pen, vec3_add(leg->joint[i + 1], vec3(0, 0.006f, -0.010f)),
                                  (PeltiSolidFacing){.axis = UP, .front = AHEAD}, vec3(0.042f, 0.034f, 0.058f));
        }
    }
}

static int add_trunk(PeltiFigure *body, int bone[3])
{
    bone[0] = pelti_figure_bone(
        body, "", "Hips", -1,
        (PeltiFigureSegment){.head = vec3(0, 0.700f, -0.340f), .tail = vec3(0, 0.725f, -0.130f), .blend = 0.07f});
    bone[1] = pelti_figure_bone(
        body, "", "Spine", bone[0],
        (PeltiFigureSegment){.head = vec3(0, 0.725f, -0.130f), .tail = vec3(0, 0.715f, 0.080f), .blend = 0.07f});
    bone[2] =
        pelti_figure_bone(body, "", "Chest", bone[1],
                          (PeltiFigureSegment){.head = vec3(0, 0.715f, 0.080f), .tail = vec3(0, 0.720f, 0.310f), .blend = 0.07f});
    PeltiSolidPen pen = {.group = TRUNK, .detail = 1.1f, .blend = 0.06f, .place = mat34_identity()};
    pen.bones = pelti_figure_bit(bone[0]) | pelti_figure_bit(bone[1]) | pelti_figure_bit(bone[2]);
    static const PeltiSolidSection trunk[] = {
        // sides alike; front is the back's line, back the belly's
        {0, 0, 0.00f, 0.090f, 0.090f, 0.085f, 0.100f},     {0.15f, 0, 0.00f, 0.128f, 0.128f, 0.112f, 0.150f},
        {0.40f, 0, 0.00f, 0.122f, 0.122f, 0.105f, 0.125f}, {0.65f, 0, 0.00f, 0.140f, 0.140f, 0.105f, 0.175f},
        {0.85f, 0, 0.00f, 0.140f, 0.140f, 0.115f, 0.200f}, {1, 0, 0.01f, 0.095f, 0.095f, 0.090f, 0.140f}};
    pelti_solid_loft(body->shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0, 0.700f, -0.400f), .b = vec3(0, 0.700f, 0.360f), .front = UP},
                     (PeltiSolidLoftForm){.power = 2.1f, .cap_a = 0.05f, .cap_b = 0.05f}, 6, trunk);
    return bone[2];
}

static void add_head(PeltiFigure *body, int chest)
{
    Vec3 nape = {0, 0.930f, 0.450f}, nose = {0, 0.870f, 0.720f};
    int neck = pelti_figure_bone(body, "", "Neck", chest,
                                 (PeltiFigureSegment){.head = vec3(0, 0.730f, 0.320f), .tail = nape, .blend = 0.05f});
    int head = pelti_figure_bone(body, "", "Head", neck, (PeltiFigureSegment){.head = nape, .tail = nose, .blend = 0.035f});
    PeltiSolidPen pen = {.group = NECK, .detail = 0.85f, .blend = 0.04f, .place = mat34_identity()};
    pen.bones = pelti_figure_bit(chest) | pelti_figure_bit(neck) | pelti_figure_bit(head);
    static const PeltiSolidSection throat[] = {{0, 0, 0, 0.085f, 0.085f, 0.115f, 0.105f},
                                               {0.5f, 0, 0, 0.066f, 0.066f, 0.090f, 0.085f},
                                               {1, 0, 0, 0.056f, 0.056f, 0.070f, 0.065f}};
    pelti_solid_loft(body->shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, 0.730f, 0.300f), .b = nape, .front = AHEAD},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.05f, .cap_b = 0.04f}, 3, throat);
    pen.bones = pelti_figure_bit(head);
    pen.detail = 0.7f;
    pelti_solid_ellipsoid(body->shape, &pen, vec3(0, 0.935f, 0.500f), (PeltiSolidFacing){.axis = AHEAD, .front = UP},
                          vec3(0.078f, 0.105f, 0.078f));
    static const PeltiSolidSection snout[] = {{0, 0, 0, 0.055f, 0.055f, 0.050f, 0.056f},
                                              {0.6f, 0, 0, 0.043f, 0.043f, 0.034f, 0.042f},
                                              {1, 0, 0, 0.036f, 0.036f, 0.030f, 0.032f}};
    pelti_solid_loft(body->shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0, 0.915f, 0.560f), .b = vec3(0, 0.885f, 0.695f), .front = UP},
                     (PeltiSolidLoftForm){.power = 2.2f, .cap_a = 0.03f, .cap_b = 0.025f}, 3, snout);
    for (int s = 0; s < 2; s++) {
        Vec3 root = {0.050f, 0.985f, 0.475f}, tip = {0.086f, 1.120f, 0.455f};
        int ear = pelti_figure_bone(body, s ? "Right" : "Left", "Ear", head,
                                    (PeltiFigureSegment){.head = root, .tail = tip, .blend = 0.020f, .mirror = s == 1});
        PeltiSolidPen thin = {.group = EARS + s, .detail = 0.55f, .blend = 0.01f, .mirror = s == 1, .place = mat34_identity()};
        thin.bones = pelti_figure_bit(ear) | pelti_figure_bit(head);
        pelti_solid_ellipsoid(body->shape, &thin, vec3_lerp(root, tip, 0.42f),
                              (PeltiSolidFacing){.axis = vec3_sub(tip, root), .front = vec3(0.35f, 0, 1)},
                              vec3(0.036f, 0.082f, 0.0135f));
    }
}

static void add_tail(PeltiFigure *body, int hips)
{
    static const Vec3 joint[5] = {
        {0, 0.745f, -0.420f}, {0, 0.715f, -0.545f}, {0, 0.625f, -0.635f}, {0, 0.510f, -0.685f}, {0, 0.390f, -0.705f}};
    static const char *const name[4] = {"Tail1", "Tail2", "Tail3", "Tail4"};
    static const float radius[5] = {0.046f, 0.036f, 0.030f, 0.024f, 0.017f};
    int bone[4], parent = hips;
    for (int i = 0; i < 4; i++)
        parent = bone[i] = pelti_figure_bone(body, "", name[i], parent,
                                             (PeltiFigureSegment){.head = joint[i], .tail = joint[i + 1], .blend = 0.030f});
    for (int i = 0; i < 4; i++) {
        PeltiSolidPen pen = {.group = TAIL, .detail = 0.75f, .blend = 0.02f, .place = mat34_identity()};
        float a = radius[i], b = radius[i + 1];
        PeltiSolidSection sections[2] = {{0, 0, 0, a, a, a, a}, {1, 0, 0, b, b, b, b}};
        pen.bones = pelti_figure_bit(bone[i]) | pelti_figure_bit(i > 0 ? bone[i - 1] : hips) |
                    (i < 3 ? pelti_figure_bit(bone[i + 1]) : 0);
        pelti_solid_loft(
            body->shape, &pen,
            (PeltiSolidLoftLine){.a = i == 0 ? vec3(0, 0.735f, -0.380f) : joint[i], .b = joint[i + 1], .front = AHEAD},
            (PeltiSolidLoftForm){.power = 2, .cap_a = a, .cap_b = b}, 2, sections);
    }
}

void pelti_figure_plan_beast(PeltiFigure *body)
{
    int trunk[3];
    pelti_solid_group(body->shape, TRUNK, 0);
    for (int i = 0; i < 4; i++)
        pelti_solid_group(body->shape, LEGS + i, i % 2 ? 0.050f : 0.045f);
    pelti_solid_group(body->shape, NECK, 0.060f);
    pelti_solid_group(body->shape, EARS, 0.018f);
    pelti_solid_group(body->shape, EARS + 1, 0.018f);
    pelti_solid_group(body->shape, TAIL, 0.030f);
    add_trunk(body, trunk);
    for (int s = 0; s < 2; s++) {
        add_leg(body, &FRONT_LEG, trunk[2], s == 1, LEGS + s);
        add_leg(body, &HIND_LEG, trunk[0], s == 1, LEGS + 2 + s);
    }
    add_head(body, trunk[2]);
    add_tail(body, trunk[0]);
    body->voxel = 0.0055f;
    body->cell = 0.045f;
    body->on_ground = true;
}
