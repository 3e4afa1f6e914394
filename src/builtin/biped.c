/// Plans the biped: bones, limbs and head.
#include "builtin/body.h"

#include <string.h>

/// A grown-up of 1.75 m in an A-pose. Groups: legs, torso, arms with hands, head.
enum { LEG_LEFT, LEG_RIGHT, TORSO, ARM_LEFT, ARM_RIGHT = ARM_LEFT + 7, HEAD = ARM_RIGHT + 7 };

typedef struct Bones {
    int hips, spine, chest, upper_chest, neck, head;
    int shoulder[2], upper_arm[2], lower_arm[2], hand[2];
    int thigh[2], shin[2], foot[2], toes[2];
} Bones;

static const Vec3 UP = {0, 1, 0}, FRONT = {0, 0, 1}, LEFT = {1, 0, 0};
static const PeltiSolidFacing UPRIGHT = {.axis = {0, 1, 0}, .front = {0, 0, 1}}, ACROSS = {.axis = {1, 0, 0}, .front = {0, 0, 1}};
static const Vec3 SHOULDER = {0.178f, 1.405f, -0.018f}, ELBOW = {0.374f, 1.196f, -0.032f}, WRIST = {0.548f, 1.012f, 0.004f};
static const Vec3 HIP = {0.090f, 0.925f, -0.002f}, KNEE = {0.104f, 0.492f, 0.006f}, ANKLE = {0.116f, 0.083f, -0.032f},
                  BALL = {0.130f, 0.022f, 0.085f};

static void add_bones(PeltiFigure *body, Bones *b)
{
    b->hips =
        pelti_figure_bone(body, "", "Hips", -1,
                          (PeltiFigureSegment){.head = vec3(0, 0.965f, -0.01f), .tail = vec3(0, 1.06f, -0.012f), .blend = 0.05f});
    b->spine =
        pelti_figure_bone(body, "", "Spine", b->hips,
                          (PeltiFigureSegment){.head = vec3(0, 1.06f, -0.012f), .tail = vec3(0, 1.175f, -0.02f), .blend = 0.05f});
    b->chest =
        pelti_figure_bone(body, "", "Chest", b->spine,
                          (PeltiFigureSegment){.head = vec3(0, 1.175f, -0.02f), .tail = vec3(0, 1.30f, -0.032f), .blend = 0.05f});
    b->upper_chest = pelti_figure_bone(
        body, "", "UpperChest", b->chest,
        (PeltiFigureSegment){.head = vec3(0, 1.30f, -0.032f), .tail = vec3(0, 1.475f, -0.033f), .blend = 0.05f});
    b->neck = pelti_figure_bone(
        body, "", "Neck", b->upper_chest,
        (PeltiFigureSegment){.head = vec3(0, 1.475f, -0.033f), .tail = vec3(0, 1.565f, -0.008f), .blend = 0.032f});
    b->head =
        pelti_figure_bone(body, "", "Head", b->neck,
                          (PeltiFigureSegment){.head = vec3(0, 1.565f, -0.008f), .tail = vec3(0, 1.745f, 0.0f), .blend = 0.025f});
    for (int s = 0; s < 2; s++) {
        const char *side = s ? "Right" : "Left";
        bool right = s == 1;
        Vec3 palm = vec3_mad(WRIST, vec3_normalize_or(vec3_sub(WRIST, ELBOW), UP), 0.095f);
        b->shoulder[s] = pelti_figure_bone(
            body, side, "Shoulder", b->upper_chest,
            (PeltiFigureSegment){.head = vec3(0.028f, 1.428f, 0.010f), .tail = SHOULDER, .blend = 0.035f, .mirror = right});
        b->upper_arm[s] =
            pelti_figure_bone(body, side, "UpperArm", b->shoulder[s],
                              (PeltiFigureSegment){.head = SHOULDER, .tail = ELBOW, .blend = 0.042f, .mirror = right});
        b->lower_arm[s] = pelti_figure_bone(body, side, "LowerArm", b->upper_arm[s],
                                            (PeltiFigureSegment){.head = ELBOW, .tail = WRIST, .blend = 0.030f, .mirror = right});
        b->hand[s] = pelti_figure_bone(body, side, "Hand", b->lower_arm[s],
                                       (PeltiFigureSegment){.head = WRIST, .tail = palm, .blend = 0.020f, .mirror = right});
    }
    for (int s = 0; s < 2; s++) {
        const char *side = s ? "Right" : "Left";
        bool right = s == 1;
        b->thigh[s] = pelti_figure_bone(body, side, "UpperLeg", b->hips,
                                        (PeltiFigureSegment){.head = HIP, .tail = KNEE, .blend = 0.058f, .mirror = right});
        b->shin[s] = pelti_figure_bone(body, side, "LowerLeg", b->thigh[s],
                                       (PeltiFigureSegment){.head = KNEE, .tail = ANKLE, .blend = 0.040f, .mirror = right});
        b->foot[s] = pelti_figure_bone(body, side, "Foot", b->shin[s],
                                       (PeltiFigureSegment){.head = ANKLE, .tail = BALL, .blend = 0.028f, .mirror = right});
        b->toes[s] = pelti_figure_bone(
            body, side, "Toes", b->foot[s],
            (PeltiFigureSegment){
                .head = BALL, .tail = vec3_add(BALL, vec3(0.008f, -0.006f, 0.075f)), .blend = 0.016f, .mirror = right});
    }
}

/// +side of the lofts is the inner side of the leg.
static void add_leg(PeltiSolid *shape, PeltiSolidPen pen, int thigh, int shin, int foot, int hips)
{
    pen.blend = 0.035f;
    pen.bones = pelti_figure_bit(thigh) | pelti_figure_bit(shin) | pelti_figure_bit(hips);
    static const PeltiSolidSection upper[] = {
        {-0.10f, 0, 0, 0.030f, 0.036f, 0.036f, 0.040f},          {0.02f, 0, 0, 0.066f, 0.068f, 0.066f, 0.074f},
        {0.16f, 0.001f, 0.002f, 0.075f, 0.077f, 0.080f, 0.083f}, {0.36f, 0, 0.004f, 0.068f, 0.073f, 0.081f, 0.077f},
        {0.58f, 0, 0.004f, 0.058f, 0.064f, 0.073f, 0.067f},      {0.78f, 0, 0.001f, 0.049f, 0.052f, 0.061f, 0.058f},
        {0.92f, 0, 0, 0.047f, 0.048f, 0.053f, 0.053f},           {1.03f, 0, 0, 0.036f, 0.036f, 0.040f, 0.040f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = HIP, .b = KNEE, .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2.15f, .cap_a = 0.03f, .cap_b = 0.02f}, 8, upper);
    pen.bones = pelti_figure_bit(thigh);
    pen.blend = 0.035f; // quadriceps: the outer belly sits higher than the inner one above the knee; hamstrings behind
    pelti_solid_ellipsoid(shape, &pen, vec3(0.126f, 0.690f, 0.034f),
                          (PeltiSolidFacing){.axis = vec3(-0.06f, -1, 0), .front = FRONT}, vec3(0.034f, 0.160f, 0.036f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.078f, 0.590f, 0.032f),
                          (PeltiSolidFacing){.axis = vec3(-0.10f, 1, 0), .front = FRONT}, vec3(0.026f, 0.080f, 0.032f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.100f, 0.730f, 0.050f),
                          (PeltiSolidFacing){.axis = vec3(0.02f, 1, 0), .front = FRONT}, vec3(0.032f, 0.150f, 0.034f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.100f, 0.690f, -0.038f),
                          (PeltiSolidFacing){.axis = vec3(0.02f, 1, 0), .front = FRONT}, vec3(0.045f, 0.150f, 0.036f));

    pen.bones = pelti_figure_bit(shin) | pelti_figure_bit(thigh) | pelti_figure_bit(foot);
    pen.blend = 0.030f;
    static const PeltiSolidSection lower[] = {
        {-0.04f, 0, 0, 0.036f, 0.036f, 0.040f, 0.036f}, {0.07f, 0, 0, 0.045f, 0.045f, 0.047f, 0.047f},
        {0.16f, 0, 0, 0.044f, 0.045f, 0.041f, 0.055f},  {0.30f, 0, 0, 0.044f, 0.045f, 0.038f, 0.060f},
        {0.48f, 0, 0, 0.040f, 0.041f, 0.036f, 0.053f},  {0.68f, 0, 0, 0.032f, 0.033f, 0.032f, 0.041f},
        {0.86f, 0, 0, 0.027f, 0.027f, 0.029f, 0.036f},  {1.00f, 0, 0, 0.027f, 0.027f, 0.030f, 0.036f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = KNEE, .b = ANKLE, .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2.1f, .cap_a = 0.02f, .cap_b = 0.02f}, 8, lower);
    pen.bones = pelti_figure_bit(shin);
    pelti_solid_ellipsoid(shape, &pen, vec3(0.090f, 0.366f, -0.043f),
                          (PeltiSolidFacing){.axis = vec3(0, 1, -0.05f), .front = FRONT},
                          vec3(0.028f, 0.095f, 0.033f)); // calf, inner
    pelti_solid_ellipsoid(shape, &pen, vec3(0.126f, 0.385f, -0.041f),
                          (PeltiSolidFacing){.axis = vec3(0, 1, -0.05f), .front = FRONT},
                          vec3(0.027f, 0.090f, 0.031f)); // and outer head
    pen.bones = pelti_figure_bit(shin) | pelti_figure_bit(thigh);
    pen.blend = 0.020f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.104f, 0.500f, 0.038f), UPRIGHT, vec3(0.026f, 0.030f, 0.022f));      // knee cap
    pelti_solid_ellipsoid(shape, &pen, vec3(0.105f, 0.450f, 0.034f), UPRIGHT, vec3(0.015f, 0.034f, 0.014f));      // its tendon
    pelti_solid_bump(shape, &pen, vec3(0.104f, 0.492f, -0.050f), UPRIGHT, vec3(0.028f, 0.055f, 0.026f), -0.006f); // hollow behind
}

/// +side of the foot's loft is its inner side, +front its top.
static void add_foot(PeltiSolid *shape, PeltiSolidPen pen, int shin, int foot, int toes)
{
    Vec3 heel = vec3(0.108f, 0.036f, -0.072f), toe = vec3(0.137f, 0.036f, 0.150f);
    pen.detail = 0.7f;
    pen.blend = 0.016f;
    pen.bones = pelti_figure_bit(foot) | pelti_figure_bit(toes);
    static const PeltiSolidSection sole[] = {
        // sections from the heel to the roots of the toes
        {0.00f, 0.000f, 0, 0.024f, 0.024f, 0.030f, 0.034f},       {0.14f, 0.000f, 0, 0.031f, 0.030f, 0.040f, 0.036f},
        {0.32f, -0.001f, 0, 0.030f, 0.033f, 0.046f, 0.034f},      {0.50f, -0.001f, 0, 0.033f, 0.038f, 0.035f, 0.034f},
        {0.66f, 0.001f, -0.004f, 0.041f, 0.041f, 0.019f, 0.031f}, {0.78f, 0.001f, -0.012f, 0.042f, 0.040f, 0.012f, 0.023f},
        {0.86f, 0.000f, -0.016f, 0.036f, 0.036f, 0.006f, 0.018f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = heel, .b = toe, .front = UP},
                     (PeltiSolidLoftForm){.power = 2.5f, .cap_a = 0.022f, .cap_b = 0.014f}, 7, sole);
    pen.bones = pelti_figure_bit(foot) | pelti_figure_bit(shin);
    pelti_solid_ellipsoid(shape, &pen, vec3(0.114f, 0.085f, -0.030f),
                          (PeltiSolidFacing){.axis = vec3(0, 1, -0.05f), .front = FRONT}, vec3(0.031f, 0.040f, 0.037f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.118f, 0.062f, 0.018f),
                          (PeltiSolidFacing){.axis = vec3(0.06f, -0.48f, 1), .front = UP},
                          vec3(0.026f, 0.062f, 0.024f)); // instep
    pen.blend = 0.014f;                                  // ankle bones
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0905f, 0.090f, -0.028f), UPRIGHT, vec3(0.010f, 0.017f, 0.015f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.1395f, 0.078f, -0.036f), UPRIGHT, vec3(0.010f, 0.017f, 0.014f));
    // toes: big one first, inner side of the foot
    static const float root_x[5] = {0.106f, 0.1235f, 0.1375f, 0.1505f, 0.1620f},
                       root_z[5] = {0.108f, 0.112f, 0.106f, 0.098f, 0.086f};
    static const float length[5] = {0.052f, 0.050f, 0.044f, 0.037f, 0.031f},
                       radius[5] = {0.0145f, 0.0098f, 0.0090f, 0.0085f, 0.0085f};
    pen.bones = pelti_figure_bit(toes);
    pen.detail = 0.6f;
    pen.blend = 0.005f;
    for (int i = 0; i < 5; i++) {
        float r = radius[i];
        PeltiSolidSection toe_sections[4] = {{0, 0, 0, r, r, r * 1.05f, r},
                                             {0.45f, 0, 0, r * 0.92f, r * 0.92f, r * 0.85f, r * 0.95f},
                                             {0.8f, 0, 0, r * 1.02f, r * 1.02f, r * 0.82f, r},
                                             {0.88f, 0, 0, r * 0.95f, r * 0.95f, r * 0.75f, r * 0.95f}};
        Vec3 a = vec3(root_x[i], r + 0.006f, root_z[i]), b = vec3_add(a, vec3(0.006f, -0.006f, length[i]));
        pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = a, .b = b, .front = UP},
                         (PeltiSolidLoftForm){.power = 2.2f, .cap_a = r * 1.5f, .cap_b = r * 0.75f}, 4, toe_sections);
    }
}

static void add_shoulder(PeltiSolid *shape, PeltiSolidPen pen, const Bones *b, int s)
{
    pen.bones = pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->shoulder[s]) | pelti_figure_bit(b->chest);
    pen.blend = 0.040f; // breast muscle, shoulder blade, broad back muscle
    pelti_solid_ellipsoid(shape, &pen, vec3(0.078f, 1.318f, 0.047f),
                          (PeltiSolidFacing){.axis = vec3(1, 0.34f, -0.26f), .front = FRONT}, vec3(0.056f, 0.088f, 0.036f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.088f, 1.340f, -0.086f),
                          (PeltiSolidFacing){.axis = vec3(0.30f, 1, 0.1f), .front = FRONT}, vec3(0.046f, 0.078f, 0.024f));
    pen.bones = pelti_figure_bit(b->chest) | pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->spine);
    pen.blend = 0.050f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.118f, 1.262f, -0.046f),
                          (PeltiSolidFacing){.axis = vec3(0.26f, 1, 0), .front = FRONT}, vec3(0.036f, 0.110f, 0.052f));
    pen.bones = pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->shoulder[s]) | pelti_figure_bit(b->neck);
    pen.blend = 0.040f;
    static const PeltiSolidSection trapezius[] = {{0, 0, 0, 0.024f, 0.024f, 0.026f, 0.026f},
                                                  {0.5f, 0, -0.004f, 0.028f, 0.028f, 0.030f, 0.030f},
                                                  {1, 0, 0, 0.024f, 0.024f, 0.026f, 0.026f}};
    pelti_solid_loft(shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0.020f, 1.525f, -0.040f), .b = vec3(0.150f, 1.424f, -0.028f), .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.02f, .cap_b = 0.02f}, 3, trapezius);
    pen.blend = 0.040f; // what fills the gap between chest and arm
    pelti_solid_ellipsoid(shape, &pen, vec3(0.122f, 1.384f, -0.012f),
                          (PeltiSolidFacing){.axis = vec3(0.9f, 1, 0), .front = FRONT}, vec3(0.050f, 0.066f, 0.055f));
    pen.blend = 0.014f; // collar bone
    static const PeltiSolidSection collar[] = {{0, 0, 0, 0.0085f, 0.0085f, 0.0085f, 0.0085f},
                                               {0.5f, 0, 0.004f, 0.0080f, 0.0080f, 0.0080f, 0.0080f},
                                               {1, 0, -0.006f, 0.0095f, 0.0095f, 0.0095f, 0.0095f}};
    pelti_solid_loft(shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0.020f, 1.424f, 0.0255f), .b = vec3(0.160f, 1.436f, -0.004f), .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.01f, .cap_b = 0.01f}, 3, collar);
    pen.bones = pelti_figure_bit(b->neck) | pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->head);
    pen.blend = 0.022f; // the muscle from behind the ear to the breast bone
    static const PeltiSolidSection strap[] = {{0, 0, 0, 0.012f, 0.012f, 0.012f, 0.012f},
                                              {0.6f, 0, 0, 0.012f, 0.012f, 0.010f, 0.010f},
                                              {1, 0, 0, 0.008f, 0.008f, 0.007f, 0.007f}};
    pelti_solid_loft(shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0.050f, 1.600f, -0.024f), .b = vec3(0.015f, 1.436f, 0.014f), .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.01f, .cap_b = 0.01f}, 3, strap);
}

static void add_torso(PeltiSolid *shape, const Bones *b)
{
    PeltiSolidPen pen = {.group = TORSO, .detail = 1, .blend = 0.03f, .place = mat34_identity()};
    pen.bones = pelti_figure_bit(b->hips) | pelti_figure_bit(b->spine) | pelti_figure_bit(b->chest) |
                pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->neck);
    static const PeltiSolidSection trunk[] = {
        // t is the height in m; +side is the left
        {0.845f, 0, -0.004f, 0.080f, 0.080f, 0.048f, 0.070f}, {0.895f, 0, -0.006f, 0.142f, 0.142f, 0.084f, 0.092f},
        {0.950f, 0, -0.004f, 0.159f, 0.159f, 0.094f, 0.094f}, {1.000f, 0, -0.001f, 0.152f, 0.152f, 0.094f, 0.084f},
        {1.050f, 0, 0.003f, 0.140f, 0.140f, 0.091f, 0.076f},  {1.100f, 0, 0.002f, 0.132f, 0.132f, 0.087f, 0.075f},
        {1.160f, 0, -0.006f, 0.136f, 0.136f, 0.093f, 0.082f}, {1.220f, 0, -0.012f, 0.147f, 0.147f, 0.103f, 0.089f},
        {1.280f, 0, -0.017f, 0.156f, 0.156f, 0.108f, 0.093f}, {1.330f, 0, -0.021f, 0.155f, 0.155f, 0.103f, 0.092f},
        {1.380f, 0, -0.026f, 0.138f, 0.138f, 0.085f, 0.082f}, {1.420f, 0, -0.030f, 0.105f, 0.105f, 0.062f, 0.064f},
        {1.450f, 0, -0.033f, 0.060f, 0.060f, 0.040f, 0.044f}};
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, 0, 0), .b = UP, .front = vec3(0, 0, 1)},
                     (PeltiSolidLoftForm){.power = 2.3f, .cap_a = 0.03f, .cap_b = 0.03f}, 13, trunk);
    pen.bones = pelti_figure_bit(b->neck) | pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->head);
    pen.detail = 0.9f;
    pen.blend = 0.045f;
    static const PeltiSolidSection neck[] = {{0, 0, 0, 0.050f, 0.050f, 0.044f, 0.048f},
                                             {0.35f, 0, 0, 0.052f, 0.052f, 0.049f, 0.053f},
                                             {0.7f, 0, 0, 0.051f, 0.051f, 0.050f, 0.054f},
                                             {1, 0, 0, 0.046f, 0.046f, 0.046f, 0.052f}};
    pelti_solid_loft(shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0, 1.430f, -0.034f), .b = vec3(0, 1.590f, -0.010f), .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2.1f, .cap_a = 0.02f, .cap_b = 0.02f}, 4, neck);
    pen.detail = 1;
    for (int s = 0; s < 2; s++) {
        pen.mirror = s == 1;
        add_shoulder(shape, pen, b, s);
        pen.bones = pelti_figure_bit(b->hips) | pelti_figure_bit(b->thigh[s]);
        pen.blend = 0.050f; // buttock
        pelti_solid_ellipsoid(shape, &pen, vec3(0.072f, 0.900f, -0.064f),
                              (PeltiSolidFacing){.axis = vec3(0.25f, 1, 0.1f), .front = FRONT}, vec3(0.068f, 0.080f, 0.058f));
        pen.bones = pelti_figure_bit(b->spine) | pelti_figure_bit(b->hips); // the muscles beside the spine
        pelti_solid_ellipsoid(shape, &pen, vec3(0.036f, 1.090f, -0.052f), UPRIGHT, vec3(0.028f, 0.120f, 0.026f));
    }
    pen.mirror = false;
    pen.bones = pelti_figure_bit(b->hips);
    pen.blend = 0.035f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 0.870f, -0.010f), (PeltiSolidFacing){.axis = FRONT, .front = UP},
                          vec3(0.045f, 0.062f, 0.045f)); // between the legs
    pen.bones = pelti_figure_bit(b->upper_chest) | pelti_figure_bit(b->neck);
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.418f, -0.024f), ACROSS, vec3(0.045f, 0.105f, 0.050f)); // root of the neck
    pen.blend = 0.050f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.425f, -0.056f), ACROSS, vec3(0.060f, 0.100f, 0.036f)); // and behind it
    pen.bones = pelti_figure_bit(b->spine);
    pelti_solid_bump(shape, &pen, vec3(0, 1.20f, -0.105f), UPRIGHT, vec3(0.040f, 0.240f, 0.060f), -0.010f); // furrow of the spine
    pelti_solid_bump(shape, &pen, vec3(0, 1.31f, 0.100f), UPRIGHT, vec3(0.032f, 0.090f, 0.050f), -0.009f);  // breast bone
    pelti_solid_bump(shape, &pen, vec3(0, 1.215f, 0.095f), UPRIGHT, vec3(0.050f, 0.055f, 0.050f), -0.006f); // below the ribs
    pelti_solid_bump(shape, &pen, vec3(0, 1.045f, 0.094f), UPRIGHT, vec3(0.013f, 0.017f, 0.022f), -0.006f); // navel
    pelti_solid_bump(shape, &pen, vec3(0, 0.905f, -0.120f), UPRIGHT, vec3(0.024f, 0.085f, 0.050f), -0.012f); // cleft
}

static void add_eye(PeltiSolid *shape, PeltiSolidPen pen)
{
    pen.blend = 0.016f; // brow, cheek bone, socket, and the ball with its lids
    pelti_solid_ellipsoid(shape, &pen, vec3(0.030f, 1.6615f, 0.0690f),
                          (PeltiSolidFacing){.axis = vec3(1, 0.06f, -0.42f), .front = FRONT}, vec3(0.0085f, 0.0270f, 0.0100f));
    pen.blend = 0.028f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.046f, 1.6150f, 0.0500f),
                          (PeltiSolidFacing){.axis = vec3(1, 0.22f, -0.80f), .front = FRONT}, vec3(0.0120f, 0.0240f, 0.0120f));
    pelti_solid_bump(shape, &pen, vec3(0.032f, 1.6400f, 0.0800f), ACROSS, vec3(0.0165f, 0.0230f, 0.0240f), -0.0145f);
    pen.blend = 0.005f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0320f, 1.6385f, 0.0645f), UPRIGHT, vec3(0.0140f, 0.0115f, 0.0125f));
    pen.blend = 0.002f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0322f, 1.6430f, 0.0640f), UPRIGHT, vec3(0.0165f, 0.0100f, 0.0142f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0322f, 1.6315f, 0.0635f), UPRIGHT, vec3(0.0155f, 0.0062f, 0.0128f));
}

static void add_ear(PeltiSolid *shape, PeltiSolidPen pen)
{
    Vec3 outward = vec3(1, 0, -0.45f), upward = vec3(0.10f, 1, -0.18f);
    pen.blend = 0.006f;
    pen.detail = 0.5f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0755f, 1.638f, -0.012f), (PeltiSolidFacing){.axis = upward, .front = outward},
                          vec3(0.0185f, 0.0300f, 0.0075f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0.0690f, 1.613f, -0.003f), (PeltiSolidFacing){.axis = upward, .front = outward},
                          vec3(0.0085f, 0.0110f, 0.0065f));
    pelti_solid_bump(shape, &pen, vec3(0.0835f, 1.640f, -0.0110f), (PeltiSolidFacing){.axis = upward, .front = outward},
                     vec3(0.0115f, 0.0220f, 0.0090f), -0.0050f);
    pelti_solid_bump(shape, &pen, vec3(0.0800f, 1.632f, -0.0050f), (PeltiSolidFacing){.axis = upward, .front = outward},
                     vec3(0.0080f, 0.0100f, 0.0090f), -0.0050f);
}

static void add_nose_and_mouth(PeltiSolid *shape, PeltiSolidPen pen)
{
    pen.detail = 0.40f;
    pen.blend = 0.012f; // nose: bridge, tip, wings
    static const PeltiSolidSection bridge[] = {{0, 0, 0, 0.0065f, 0.0065f, 0.0075f, 0.012f},
                                               {0.5f, 0, 0, 0.0075f, 0.0075f, 0.0078f, 0.014f},
                                               {1, 0, 0, 0.0085f, 0.0085f, 0.0080f, 0.016f}};
    pelti_solid_loft(shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(0, 1.650f, 0.0745f), .b = vec3(0, 1.609f, 0.0930f), .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.006f, .cap_b = 0.008f}, 3, bridge);
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.6055f, 0.0930f), UPRIGHT, vec3(0.0095f, 0.0082f, 0.0105f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.6600f, 0.0700f), UPRIGHT, vec3(0.0130f, 0.0120f, 0.0100f)); // between the brows
    pen.blend = 0.008f;
    for (int s = 0; s < 2; s++) {
        pen.mirror = s == 1;
        pelti_solid_ellipsoid(shape, &pen, vec3(0.0105f, 1.6025f, 0.0840f),
                              (PeltiSolidFacing){.axis = vec3(0.2f, 0.3f, 1), .front = UP}, vec3(0.0058f, 0.0095f, 0.0062f));
        pelti_solid_bump(shape, &pen, vec3(0.0060f, 1.5965f, 0.0900f), (PeltiSolidFacing){.axis = FRONT, .front = UP},
                         vec3(0.0050f, 0.0070f, 0.0060f), -0.0025f);
    }
    pen.mirror = false;
    pen.blend = 0.025f; // the curve of the teeth, the lips and the line between them
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.5740f, 0.0540f), UPRIGHT, vec3(0.0290f, 0.0240f, 0.0260f));
    pen.blend = 0.007f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.5785f, 0.0745f), ACROSS, vec3(0.0052f, 0.0215f, 0.0095f));
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.5675f, 0.0740f), ACROSS, vec3(0.0058f, 0.0185f, 0.0095f));
    pelti_solid_bump(shape, &pen, vec3(0, 1.5732f, 0.0830f), ACROSS, vec3(0.0045f, 0.0270f, 0.0110f), -0.0030f);
    pelti_solid_bump(shape, &pen, vec3(0, 1.5545f, 0.0790f), ACROSS, vec3(0.0085f, 0.0220f, 0.0140f), -0.0035f);
    pelti_solid_bump(shape, &pen, vec3(0, 1.5900f, 0.0820f), UPRIGHT, vec3(0.0055f, 0.0090f, 0.0090f), -0.0014f);
}

static void add_head(PeltiSolid *shape, const Bones *b)
{
    PeltiSolidPen pen = {.group = HEAD, .detail = 0.75f, .blend = 0.035f, .place = mat34_identity()};
    pen.bones = pelti_figure_bit(b->head);
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.6620f, -0.0150f), UPRIGHT, vec3(0.0750f, 0.0890f, 0.0950f));
    static const PeltiSolidSection face[] = {
        // t is the height in m
        {1.536f, 0, 0.042f, 0.020f, 0.020f, 0.032f, 0.030f}, {1.550f, 0, 0.034f, 0.034f, 0.034f, 0.041f, 0.040f},
        {1.570f, 0, 0.022f, 0.046f, 0.046f, 0.053f, 0.050f}, {1.595f, 0, 0.012f, 0.055f, 0.055f, 0.066f, 0.060f},
        {1.620f, 0, 0.006f, 0.062f, 0.062f, 0.074f, 0.070f}, {1.645f, 0, 0.002f, 0.066f, 0.066f, 0.077f, 0.078f},
        {1.670f, 0, 0.000f, 0.067f, 0.067f, 0.077f, 0.080f}, {1.695f, 0, -0.006f, 0.062f, 0.062f, 0.070f, 0.080f}};
    pen.blend = 0.030f;
    pen.detail = 0.50f;
    pelti_solid_loft(shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, 0, 0), .b = UP, .front = FRONT},
                     (PeltiSolidLoftForm){.power = 2.2f, .cap_a = 0.008f, .cap_b = 0.03f}, 8, face);
    pen.blend = 0.018f;
    pelti_solid_ellipsoid(shape, &pen, vec3(0, 1.5420f, 0.0610f), UPRIGHT, vec3(0.0190f, 0.0130f, 0.0160f)); // chin
    for (int s = 0; s < 2; s++) {
        pen.mirror = s == 1;
        pen.detail = 0.6f;
        pen.blend = 0.025f; // jaw
        static const PeltiSolidSection jaw[] = {{0, 0, 0, 0.011f, 0.011f, 0.017f, 0.017f},
                                                {1, 0, 0, 0.010f, 0.010f, 0.010f, 0.010f}};
        pelti_solid_loft(
            shape, &pen,
            (PeltiSolidLoftLine){.a = vec3(0.0500f, 1.5860f, 0.0000f), .b = vec3(0.0170f, 1.5450f, 0.0520f), .front = UP},
            (PeltiSolidLoftForm){.power = 2, .cap_a = 0.012f, .cap_b = 0.01f}, 2, jaw);
        pen.detail = 0.36f;
        add_eye(shape, pen);
        add_ear(shape, pen);
    }
    pen.mirror = false;
    add_nose_and_mouth(shape, pen);
}

void pelti_figure_plan_biped(PeltiFigure *body)
{
    Bones b;
    PeltiSolid *shape = body->shape;
    add_bones(body, &b);
    pelti_solid_group(shape, LEG_LEFT, 0);
    pelti_solid_group(shape, LEG_RIGHT, 0.008f);
    pelti_solid_group(shape, TORSO, 0.060f);
    pelti_solid_group(shape, ARM_LEFT, 0.050f);
    pelti_solid_group(shape, ARM_RIGHT, 0.050f);
    pelti_solid_group(shape, HEAD, 0.024f);
    for (int s = 0; s < 2; s++) {
        PeltiSolidPen pen = {.group = LEG_LEFT + s, .detail = 1, .mirror = s == 1, .place = mat34_identity()};
        add_leg(shape, pen, b.thigh[s], b.shin[s], b.foot[s], b.hips);
        add_foot(shape, pen, b.shin[s], b.foot[s], b.toes[s]);
    }
    add_torso(shape, &b);
    for (int s = 0; s < 2; s++) {
        PeltiSolidPen pen = {.detail = 0.95f, .mirror = s == 1, .place = mat34_identity()};
        Vec3 axis = vec3_normalize_or(vec3_sub(ELBOW, SHOULDER), LEFT);
        Vec3 front = vec3_normalize_or(vec3_mad(FRONT, axis, -axis.z), FRONT);
        PeltiFigureArm plan = {SHOULDER, ELBOW, WRIST, front, b.upper_arm[s], b.lower_arm[s], b.hand[s]};
        pelti_figure_arm(body, &pen, s ? "Right" : "Left", &plan, s ? ARM_RIGHT : ARM_LEFT);
    }
    add_head(shape, &b);
    body->voxel = 0.003f;
    body->cell = 0.024f;
    body->on_ground = true;
}
