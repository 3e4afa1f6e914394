/// What a rig adds to fields: an operator's profile decides how deep a fold touches, muscles swell with a joint.
#include "check.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "field/compose.h"
#include "field/rig.h"

#include <string.h>

typedef struct Bent {
    PeltiPool pool;
    PeltiCharacter *who;
    PeltiFields *fields;
    PeltiFieldFrame frame;
    PeltiRigFields rig;
    Mat34 bones[64], parts[64];
    PeltiJoint joints[64];
    int bone; ///< that turns
} Bent;

static Bent start(const char *name, const PeltiArtist *artist, const char *joint)
{
    Bent b = {0};
    PeltiBuiltinOptions make = {.vertices = 1500};
    PeltiWeights weights;
    PeltError err = {0};
    PeltiFieldOptions options = pelti_field_options_default();
    pelti_pool_init(&b.pool, NULL);
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &b.who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(b.who, &b.pool, &weights, NULL), PELT_OK);
    if (pelti_rig_fields(&b.pool, b.who, artist, &options, &b.rig, &err) != PELT_OK)
        fail_msg("%s", err.text);
    if (pelti_fields_build(&b.pool, b.who, &weights, &options, &b.fields, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltiArena arena = {0};
    pelti_frame_in(&arena, b.fields, &b.frame);
    arena.base = pelti_pool_take(&b.pool, arena.used, 1);
    arena.used = 0;
    pelti_frame_in(&arena, b.fields, &b.frame);
    b.frame.fields = b.fields;
    b.bone = joint ? pelti_rig_bone(b.who, joint) : b.fields->parts[b.fields->skin_part_count - 1].bone;
    assert_true(b.bone >= 0);
    return b;
}

static void stop(Bent *b)
{
    pelti_pool_release(&b->pool);
    pelti_character_destroy(b->who);
}

static Vec3 bone_axis(const Bent *b)
{
    const PeltiSkeletonSegment *s = &b->who->segments[b->who->bones[b->bone].segment_first];
    return vec3_normalize_or(vec3_sub(s->b, s->a), vec3(0, 1, 0));
}

static void bend(Bent *b, float angle)
{
    Vec3 head = b->who->bones[b->bone].head;
    Quat turn = quat_axis_angle(vec3_orthogonal(bone_axis(b)), angle);
    Mat3 r = quat_to_mat3(turn);
    for (int k = 0; k < b->who->bone_count; k++) {
        bool below = false;
        for (int p = k; p >= 0; p = b->who->bones[p].parent)
            below = below || p == b->bone;
        b->joints[k] = (PeltiJoint){k == b->bone ? turn : quat_identity(), b->who->bones[k].head, mat3_identity()};
        b->bones[k] = below ? mat34_from(r, vec3_sub(head, mat3_apply(r, head))) : mat34_identity();
    }
    pelti_rig_matrices(&b->rig, b->fields, &(PeltiRigPose){b->bones, b->joints}, b->parts);
    pelti_frame_set(&b->frame, b->parts);
}

/// Length of the contact surface along the line from the joint out through the fold: where the composed field stays near
/// 0.5 although both parts are inside there.
static double fold_depth(Bent *b, float angle)
{
    bend(b, angle);
    Vec3 axis = bone_axis(b), head = b->who->bones[b->bone].head;
    Vec3 turned = mat34_apply_vector(b->bones[b->bone], axis);
    Vec3 out = vec3_normalize_or(vec3_sub(turned, axis), axis); // between the two limbs: -axis and the turned one
    float step = 5e-4f * b->who->mesh->diagonal;
    int touching = 0;
    for (int k = 0; k < 1000; k++) {
        PeltiFieldSample s;
        Vec3 x = vec3_mad(head, out, step * (float)k);
        pelti_frame_eval(&b->frame, -1, -1, x, &s);
        float both = 0;
        for (int p = 0; p < b->fields->skin_part_count; p++) {
            float value;
            Vec3 gradient;
            if (pelti_frame_part(&b->frame, p, x, &value, &gradient) && b->fields->parts[p].bone != b->bone)
                both = fmaxf(both, value);
        }
        touching += both > 0.52f && fabsf(s.value - 0.5f) < 0.02f;
    }
    return touching * (double)step / (double)b->who->mesh->diagonal;
}

static void a_profile_decides_how_deep_a_fold_touches(void **state)
{
    (void)state;
    const char *name = NULL;
    {
        Bent plain = start("cylinder", &(PeltiArtist){0}, NULL);
        static char kept[64];
        snprintf(kept, sizeof kept, "%s", plain.who->nodes[plain.who->bones[plain.bone].node].name);
        name = kept;
        stop(&plain);
    }
    PeltOperator shallow = {.name = "shallow", .control_count = 2, .reach = 0.3f, .point_count = 2};
    float line[2][2] = {{0.5f, 0}, {0.5f, 0.5f}}, controller[2][2] = {{90, 0}, {150, 1}};
    memcpy(shallow.open, line, sizeof line);
    memcpy(shallow.closed, line, sizeof line);
    memcpy(shallow.controller, controller, sizeof controller);
    const char *files_named[] = {"shallow.json"};
    PeltRigJoint joint = {.joint = name, .operator_name = "shallow.json"}, none = {.joint = name, .operator_name = "union"};
    PeltRig with = {.joint_count = 1, .joints = &joint}, without = {.joint_count = 1, .joints = &none};
    PeltiArtist named = {&with, 1, files_named, &shallow}, unnamed = {.rig = &without};
    Bent full = start("cylinder", &(PeltiArtist){0}, NULL), less = start("cylinder", &named, name),
         no = start("cylinder", &unnamed, name);
    double deep = fold_depth(&full, 2.4f), flat = fold_depth(&less, 2.4f), closed = fold_depth(&no, 2.4f);
    printf("fold depth of the size: contact %.4f, reach 0.3 %.4f, union %.4f\n", deep, flat, closed);
    assert_true(deep > 0.02);
    assert_true(flat < 0.7 * deep && flat > 0.05 * deep);
    assert_true(closed < 0.25 * deep);
    stop(&full);
    stop(&less);
    stop(&no);
}

static const PeltRigMuscle biceps = {
    .name = "biceps",
    .from = {.bone = "UpperArm", .along = 0.2f, .offset = {0, 0, 0.02f}},
    .to = {.bone = "UpperArm", .along = 0.85f, .offset = {0, 0, 0.02f}},
    .radius = 0.03f,
    .driver = "Forearm",
    .angles_deg = {10, 130},
    .swell = 1.5f,
};

static void a_muscle_swells_with_its_joint(void **state)
{
    (void)state;
    PeltRig rig = {.muscle_count = 1, .muscles = &biceps};
    Bent with = start("arm", &(PeltiArtist){.rig = &rig}, "Forearm"), without = start("arm", &(PeltiArtist){0}, "Forearm");
    assert_int_equal(with.fields->part_count, without.fields->part_count + 1);
    Vec3 middle = vec3_scale(vec3_add(with.rig.muscles[0].ends[0], with.rig.muscles[0].ends[1]), 0.5f);
    Vec3 at = vec3_mad(middle, vec3(0, 0, 1), 1.2f * biceps.radius * with.who->mesh->diagonal); // just outside it while relaxed
    float value[2], last = 0;
    for (int k = 0; k <= 4; k++) {
        float angle = 0.6f * (float)k;
        float now;
        Vec3 gradient;
        bend(&with, angle);
        CHECK_NEAR(pelti_muscle_contraction(&with.rig.muscles[0], with.joints), fmin(fmax((angle * 57.29578 - 10) / 120, 0), 1),
                   1e-3);
        pelti_frame_part(&with.frame, with.fields->skin_part_count, at, &now, &gradient);
        assert_true(now >= last);
        if (k == 0)
            value[0] = now;
        last = value[1] = now;
    }
    assert_true(value[1] > value[0] + 0.1f);
    stop(&with);
    stop(&without);
}

static void a_muscle_in_no_flesh_does_no_harm(void **state)
{
    (void)state;
    PeltRig rig = {.muscle_count = 1, .muscles = &biceps};
    Bent b = start("arm", &(PeltiArtist){.rig = &rig}, "Forearm");
    PeltiPart *muscle = &b.fields->parts[b.fields->skin_part_count];
    assert_int_equal(muscle->target, b.fields->bone_part[pelti_rig_bone(b.who, "UpperArm")]);
    Vec3 middle = vec3_scale(vec3_add(b.rig.muscles[0].ends[0], b.rig.muscles[0].ends[1]), 0.5f);
    Vec3 x = vec3_mad(middle, vec3(0, 0, 1), biceps.radius * b.who->mesh->diagonal);
    PeltiFieldSample with, without;
    bend(&b, 1);
    pelti_frame_eval(&b.frame, -1, -1, x, &with);
    muscle->target = -1;
    pelti_frame_eval(&b.frame, -1, -1, x, &without);
    assert_true(with.value > without.value);
    assert_true(without.value >= 0);
    stop(&b);
}

static void names_nobody_has_are_refused(void **state)
{
    (void)state;
    PeltRigMuscle lost = biceps;
    lost.driver = "Tail";
    PeltRig rig = {.muscle_count = 1, .muscles = &lost};
    Bent b = start("arm", &(PeltiArtist){0}, "Forearm");
    PeltiFieldOptions options = pelti_field_options_default();
    PeltError err = {0};
    assert_int_equal(pelti_rig_fields(&b.pool, b.who, &(PeltiArtist){.rig = &rig}, &options, &b.rig, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "Tail"));
    PeltRigJoint joint = {.joint = "Forearm", .operator_name = "gone.json"};
    rig = (PeltRig){.joint_count = 1, .joints = &joint};
    assert_int_equal(pelti_rig_fields(&b.pool, b.who, &(PeltiArtist){.rig = &rig}, &options, &b.rig, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "gone.json"));
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_decides_how_deep_a_fold_touches),
        cmocka_unit_test(a_muscle_swells_with_its_joint),
        cmocka_unit_test(a_muscle_in_no_flesh_does_no_harm),
        cmocka_unit_test(names_nobody_has_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
