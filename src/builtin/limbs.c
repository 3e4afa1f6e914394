/// Makes bones with round limbs, and the plans of one limb: cylinder and arm.
#include "builtin/body.h"

#include <stdio.h>
#include <string.h>

int pelti_figure_bone(PeltiFigure *body, const char *prefix, const char *name, int parent, PeltiFigureSegment at)
{
    PELT_ASSERT(body->bone_count < PELTI_FIGURE_BONES);
    PeltiFigureBone *bone = &body->bones[body->bone_count];
    snprintf(bone->name, sizeof bone->name, "%s%s", prefix, name);
    bone->parent = parent;
    bone->head = at.mirror ? vec3(-at.head.x, at.head.y, at.head.z) : at.head;
    bone->tail = at.mirror ? vec3(-at.tail.x, at.tail.y, at.tail.z) : at.tail;
    bone->blend = at.blend;
    return body->bone_count++;
}

int pelti_figure_find(const PeltiFigure *body, const char *name)
{
    for (int i = 0; i < body->bone_count; i++)
        if (strcmp(body->bones[i].name, name) == 0)
            return i;
    return -1;
}

float pelti_figure_size(const PeltiFigure *body)
{
    Vec3 low = body->bones[0].head, high = low;
    for (int b = 0; b < body->bone_count; b++) {
        low = vec3_min(low, vec3_min(body->bones[b].head, body->bones[b].tail));
        high = vec3_max(high, vec3_max(body->bones[b].head, body->bones[b].tail));
    }
    Vec3 size = vec3_sub(high, low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

const char *pelti_figure_side(const char *name, bool *left, bool *right)
{
    *left = strncmp(name, "Left", 4) == 0;
    *right = strncmp(name, "Right", 5) == 0;
    return name + (*left ? 4 : *right ? 5 : 0);
}

/// Local frame with +Y along and +Z as near to `back` as it goes.
static Mat34 frame_at(Vec3 origin, Vec3 along, Vec3 back)
{
    Vec3 y = vec3_normalize_or(along, vec3(0, 1, 0));
    Vec3 z = vec3_normalize_or(vec3_mad(back, y, -vec3_dot(back, y)), vec3_orthogonal(y)), x = vec3_cross(y, z);
    return (Mat34){{{x.x, y.x, z.x, origin.x}, {x.y, y.y, z.y, origin.y}, {x.z, y.z, z.z, origin.z}}};
}

/// `p`, the pen, is in the arm's group; `outer`: towards the outer side of the arm.
static void add_upper_arm(PeltiSolid *shape, PeltiSolidPen p, const PeltiFigureArm *plan, Vec3 axis, Vec3 outer)
{
    p.blend = 0.025f;
    p.bones = pelti_figure_bit(plan->upper) | pelti_figure_bit(plan->lower);
    static const PeltiSolidSection upper[] = {
        {-0.06f, 0, 0, 0.034f, 0.040f, 0.040f, 0.040f}, {0.10f, 0, 0, 0.036f, 0.046f, 0.043f, 0.043f},
        {0.25f, 0, 0, 0.037f, 0.044f, 0.044f, 0.043f},  {0.45f, 0, 0, 0.037f, 0.037f, 0.045f, 0.044f},
        {0.62f, 0, 0, 0.036f, 0.035f, 0.044f, 0.041f},  {0.80f, 0, 0, 0.035f, 0.034f, 0.037f, 0.036f},
        {0.93f, 0, 0, 0.038f, 0.036f, 0.032f, 0.034f},  {1.03f, 0, 0, 0.029f, 0.028f, 0.022f, 0.026f}};
    pelti_solid_loft(shape, &p, (PeltiSolidLoftLine){.a = plan->shoulder, .b = plan->elbow, .front = plan->front},
                     (PeltiSolidLoftForm){.power = 2.1f, .cap_a = 0.030f, .cap_b = 0.015f}, 8, upper);
    float length = vec3_distance(plan->shoulder, plan->elbow);
    Vec3 biceps = vec3_mad(vec3_mad(plan->shoulder, axis, 0.53f * length), plan->front, 0.023f);
    Vec3 triceps = vec3_mad(vec3_mad(plan->shoulder, axis, 0.42f * length), plan->front, -0.022f);
    p.bones = pelti_figure_bit(plan->upper);
    p.blend = 0.022f;
    pelti_solid_ellipsoid(shape, &p, biceps, (PeltiSolidFacing){.axis = axis, .front = plan->front},
                          vec3(0.027f, 0.086f, 0.0255f));
    pelti_solid_ellipsoid(shape, &p, vec3_mad(triceps, outer, 0.012f), (PeltiSolidFacing){.axis = axis, .front = plan->front},
                          vec3(0.023f, 0.086f, 0.025f));
    pelti_solid_ellipsoid(shape, &p, vec3_mad(triceps, outer, -0.013f), (PeltiSolidFacing){.axis = axis, .front = plan->front},
                          vec3(0.021f, 0.075f, 0.023f));
    // deltoid: a cap over the joint that comes to a point on the outer side
    Vec3 cap = vec3_mad(vec3_mad(plan->shoulder, axis, 0.10f * length), outer, 0.013f);
    pelti_solid_ellipsoid(shape, &p, cap, (PeltiSolidFacing){.axis = vec3_mad(axis, outer, 0.10f), .front = plan->front},
                          vec3(0.037f, 0.085f, 0.051f));
}

/// +side of the lofts is the inner side of the arm, +front the hollow of the elbow.
void pelti_figure_arm(PeltiFigure *body, const PeltiSolidPen *pen, const char *prefix, const PeltiFigureArm *plan, int group)
{
    PeltiSolid *shape = body->shape;
    PeltiSolidPen p = *pen;
    p.group = group;
    Vec3 axis = vec3_normalize_or(vec3_sub(plan->elbow, plan->shoulder), vec3(1, 0, 0)), side = vec3_cross(axis, plan->front);
    Vec3 outer = vec3_scale(side, -1);
    add_upper_arm(shape, p, plan, axis, outer);

    Vec3 lower_axis = vec3_normalize_or(vec3_sub(plan->wrist, plan->elbow), axis);
    p.bones = pelti_figure_bit(plan->lower) | pelti_figure_bit(plan->hand) | pelti_figure_bit(plan->upper);
    p.blend = 0.022f;
    static const PeltiSolidSection lower[] = {
        {-0.06f, 0, 0, 0.027f, 0.027f, 0.023f, 0.025f},    {0.08f, 0, 0, 0.038f, 0.040f, 0.036f, 0.034f},
        {0.22f, 0, 0, 0.037f, 0.040f, 0.039f, 0.035f},     {0.42f, 0, 0, 0.033f, 0.035f, 0.037f, 0.033f},
        {0.65f, 0, 0, 0.026f, 0.027f, 0.032f, 0.029f},     {0.85f, 0, 0, 0.0205f, 0.021f, 0.028f, 0.027f},
        {0.97f, 0, 0, 0.0182f, 0.0188f, 0.0268f, 0.0260f}, {1.06f, 0, 0, 0.0110f, 0.0110f, 0.0180f, 0.0175f}};
    pelti_solid_loft(shape, &p, (PeltiSolidLoftLine){.a = plan->elbow, .b = plan->wrist, .front = plan->front},
                     (PeltiSolidLoftForm){.power = 2.15f, .cap_a = 0.020f, .cap_b = 0.010f}, 8, lower);
    p.bones = pelti_figure_bit(plan->lower);
    float reach = vec3_distance(plan->elbow, plan->wrist);
    Vec3 radial = vec3_mad(vec3_mad(vec3_mad(plan->elbow, lower_axis, 0.16f * reach), outer, 0.020f), plan->front, 0.012f);
    pelti_solid_ellipsoid(shape, &p, radial,
                          (PeltiSolidFacing){.axis = vec3_mad(lower_axis, plan->front, 0.10f), .front = plan->front},
                          vec3(0.020f, 0.080f, 0.024f));
    Vec3 ulnar = vec3_mad(vec3_mad(plan->elbow, lower_axis, 0.27f * reach), side, 0.014f);
    pelti_solid_ellipsoid(shape, &p, ulnar, (PeltiSolidFacing){.axis = lower_axis, .front = plan->front},
                          vec3(0.024f, 0.082f, 0.029f));
    // the elbow's point, and the bone at the wrist on the little finger's side
    Vec3 point = vec3_mad(vec3_mad(plan->elbow, plan->front, -0.024f), lower_axis, -0.004f);
    p.blend = 0.014f;
    p.bones = pelti_figure_bit(plan->lower) | pelti_figure_bit(plan->upper);
    pelti_solid_ellipsoid(shape, &p, point, (PeltiSolidFacing){.axis = lower_axis, .front = plan->front},
                          vec3(0.0135f, 0.021f, 0.0145f));
    p.bones = pelti_figure_bit(plan->lower);
    pelti_solid_bump(shape, &p,
                     vec3_mad(vec3_mad(vec3_mad(plan->wrist, lower_axis, -0.012f), plan->front, -0.018f), outer, 0.015f),
                     (PeltiSolidFacing){.axis = lower_axis, .front = outer}, vec3(0.013f, 0.014f, 0.012f), 0.0045f);

    PeltiSolidPen hand = *pen;
    hand.detail = 0.60f;
    hand.place = frame_at(plan->wrist, lower_axis, outer);
    pelti_solid_group(shape, group + 1, 0.014f);
    pelti_figure_hand(body, &hand, prefix, plan->hand, group + 1, false);
}

void pelti_figure_plan_cylinder(PeltiFigure *body)
{
    int lower = pelti_figure_bone(body, "", "Lower", -1,
                                  (PeltiFigureSegment){.head = vec3(0, 0, 0), .tail = vec3(0, 0.5f, 0), .blend = 0.1f});
    int upper = pelti_figure_bone(body, "", "Upper", lower,
                                  (PeltiFigureSegment){.head = vec3(0, 0.5f, 0), .tail = vec3(0, 1, 0), .blend = 0.1f});
    PeltiSolidPen pen = {.detail = 1, .bones = pelti_figure_bit(lower) | pelti_figure_bit(upper), .place = mat34_identity()};
    static const PeltiSolidSection tube[] = {{0.06f, 0, 0, 0.12f, 0.12f, 0.12f, 0.12f},
                                             {0.94f, 0, 0, 0.12f, 0.12f, 0.12f, 0.12f}};
    pelti_solid_group(body->shape, 0, 0);
    pelti_solid_loft(body->shape, &pen, (PeltiSolidLoftLine){.a = vec3(0, 0, 0), .b = vec3(0, 1, 0), .front = vec3(0, 0, 1)},
                     (PeltiSolidLoftForm){.power = 2, .cap_a = 0.06f, .cap_b = 0.06f}, 2, tube);
    body->voxel = 0.009f;
    body->cell = 0.07f;
}

/// The arm hangs along +X from a rounded shoulder; palm down, elbow's hollow forward.
void pelti_figure_plan_arm(PeltiFigure *body)
{
    Vec3 shoulder = {0, 0, 0}, elbow = {0.29f, 0, 0}, wrist = {0.545f, 0.0f, 0.022f};
    int root = pelti_figure_bone(body, "", "Shoulder", -1,
                                 (PeltiFigureSegment){.head = vec3(-0.09f, 0.01f, 0), .tail = shoulder, .blend = 0.02f});
    int upper =
        pelti_figure_bone(body, "", "UpperArm", root, (PeltiFigureSegment){.head = shoulder, .tail = elbow, .blend = 0.040f});
    int lower =
        pelti_figure_bone(body, "", "Forearm", upper, (PeltiFigureSegment){.head = elbow, .tail = wrist, .blend = 0.032f});
    int hand =
        pelti_figure_bone(body, "", "Hand", lower,
                          (PeltiFigureSegment){.head = wrist, .tail = vec3_add(wrist, vec3(0.095f, 0, 0.008f)), .blend = 0.02f});
    PeltiSolidPen pen = {
        .detail = 1, .blend = 0.03f, .bones = pelti_figure_bit(root) | pelti_figure_bit(upper), .place = mat34_identity()};
    PeltiFigureArm plan = {shoulder, elbow, wrist, {0, 0, 1}, upper, lower, hand};
    static const PeltiSolidSection stump[] = {{0, 0, 0, 0.055f, 0.048f, 0.050f, 0.050f},
                                              {0.45f, 0, 0, 0.054f, 0.048f, 0.051f, 0.050f},
                                              {1, 0, 0, 0.030f, 0.030f, 0.033f, 0.033f}};
    pelti_solid_group(body->shape, 0, 0);
    pelti_solid_loft(body->shape, &pen,
                     (PeltiSolidLoftLine){.a = vec3(-0.085f, 0, 0), .b = vec3(0.03f, 0, 0), .front = vec3(0, 0, 1)},
                     (PeltiSolidLoftForm){.power = 2.2f, .cap_a = 0.03f, .cap_b = 0.03f}, 3, stump);
    pelti_solid_group(body->shape, 1, 0.045f);
    pelti_figure_arm(body, &pen, "", &plan, 1);
    body->voxel = 0.0026f;
    body->cell = 0.020f;
}
