/// Effects of a rig on tracked skin: muscles, painted regions; and skin that moves far from the joint.
#include "check.h"
#include "joints.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "methods/tracking/tracking.h"

#include <string.h>

extern const PeltiMethod pelti_method_tracking;

enum { BONES = 64 };
typedef struct Act {
    PeltiCharacter *who;
    PeltiWeights weights;
    Tracking *state;
    Mat34 bones[BONES];
    Vec3 *points;
} Act;

static Act start(const char *name, int vertices, const PeltRig *rig)
{
    Act act = {0};
    PeltiBuiltinOptions make = {.vertices = vertices};
    static PeltiOptions options;
    PeltError err = {0};
    void *state = NULL;
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &act.who, NULL), PELT_OK);
    assert_true(act.who->bone_count <= BONES);
    assert_int_equal(pelti_weights_from_file(act.who, &act.who->pool, &act.weights, NULL), PELT_OK);
    pelti_options_init(&options, pelti_method_tracking.options);
    PeltiMethodPrepare in = {.who = act.who, .options = &options, .weights = &act.weights, .artist = {.rig = rig}};
    if (pelti_method_tracking.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    act.state = state;
    act.points = PELTI_NEW(&act.who->pool, Vec3, act.who->point_count);
    return act;
}

static void stop(Act *act)
{
    pelti_method_tracking.destroy(act->state);
    pelti_character_destroy(act->who);
}

static int bone_named(const Act *act, const char *name)
{
    int bone = pelti_rig_bone(act->who, name);
    assert_true(bone >= 0);
    return bone;
}

/// Turns a bone and all below it about its head, and steps there at a time.
static void turn(Act *act, int bone, Vec3 axis, float angle, double time_s, bool restart)
{
    Vec3 head = act->who->bones[bone].head;
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    for (int b = 0; b < act->who->bone_count; b++) {
        bool below = false;
        for (int p = b; p >= 0; p = act->who->bones[p].parent)
            below = below || p == bone;
        act->bones[b] = below ? mat34_from(r, vec3_sub(head, mat3_apply(r, head))) : mat34_identity();
    }
    PeltiStepReport report = {0};
    PeltiJoint joints[BONES];
    test_joints(act->who, act->bones, joints);
    PeltiStepInput in = {.bones = act->bones, .joints = joints, .dt_s = 1.0f / 30, .time_s = time_s, .restart = restart};
    pelti_method_tracking.step(act->state, &in, act->points, &report);
    for (int v = 0; v < act->who->mesh->vertex_count; v++)
        assert_true(vec3_finite(act->points[v]));
}

static Vec3 segment_axis(const Act *act, int bone)
{
    const PeltiSkeletonSegment *s = &act->who->segments[act->who->bones[bone].segment_first];
    return vec3_normalize_or(vec3_sub(s->b, s->a), vec3(0, 1, 0));
}

static void biceps_swells_under_the_skin(void **state)
{
    (void)state;
    PeltRigMuscle muscle = {
        .name = "biceps",
        .from = {.bone = "UpperArm", .along = 0.15f, .offset = {0, 0, 0.03f}},
        .to = {.bone = "UpperArm", .along = 0.85f, .offset = {0, 0, 0.03f}},
        .radius = 0.03f,
        .driver = "Forearm",
        .angles_deg = {10, 90},
        .swell = 1.6f,
    };
    PeltRig rig = {.muscle_count = 1, .muscles = &muscle};
    Act with = start("arm", 2000, &rig), without = start("arm", 2000, NULL);
    int bone = bone_named(&with, "Forearm");
    Vec3 axis = vec3_orthogonal(segment_axis(&with, bone));
    double size = (double)with.who->mesh->diagonal, rest = 0, most = 0;
    turn(&with, bone, axis, 0, 0, true);
    for (int p = 0; p < with.who->point_count; p++)
        rest = fmax(rest, (double)vec3_distance(with.points[p], with.who->rest_points[p]) / size);
    CHECK_NEAR(rest, 0, 1e-4); // relaxed: the rest pose stays
    turn(&with, bone, axis, 1.5f, 0, false);
    turn(&without, bone, axis, 1.5f, 0, true);
    Vec3 middle = vec3_scale(vec3_add(with.state->rig.muscles[0].ends[0], with.state->rig.muscles[0].ends[1]), 0.5f);
    for (int p = 0; p < with.who->point_count; p++)
        if (vec3_distance(with.who->rest_points[p], middle) < 0.08f * with.who->mesh->diagonal)
            most = fmax(most, (double)(with.points[p].z - without.points[p].z) / size);
    printf("biceps lifts the skin by %.4f of the size\n", most);
    assert_true(most > 0.006);
    stop(&with);
    stop(&without);
}

static void painted_skin_follows_its_bone(void **state)
{
    (void)state;
    PeltRigRegion watch = {
        .name = "watch", .bone = "Forearm", .radius = 0.1f, .centre = {.bone = "Forearm", .along = 0.15f}, .falloff = 0.05f};
    PeltRig rig = {.region_count = 1, .regions = &watch};
    Act with = start("arm", 2000, &rig), without = start("arm", 2000, NULL);
    int bone = bone_named(&with, "Forearm"), painted = 0;
    Vec3 axis = vec3_orthogonal(segment_axis(&with, bone));
    double worst = 0, plain = 0, size = (double)with.who->mesh->diagonal;
    turn(&with, bone, axis, 1.2f, 0, true);
    turn(&without, bone, axis, 1.2f, 0, true);
    for (int v = 0; v < with.who->mesh->vertex_count; v++) {
        if (with.state->skin.kind[v] != TRACKING_VERTEX_RIGID)
            continue;
        painted++;
        int p = with.who->mesh->first_point[v];
        Vec3 want = mat34_apply(with.bones[bone], with.who->rest_points[p]);
        worst = fmax(worst, (double)vec3_distance(with.points[p], want) / size);
        plain = fmax(plain, (double)vec3_distance(without.points[p], want) / size);
    }
    assert_true(painted > 20);
    CHECK_NEAR(worst, 0, 2e-3); // the last separation may part what touches
    assert_true(plain > 5 * worst && plain > 0.01);
    stop(&with);
    stop(&without);
}

/// [Vaillant2014] fig. 1c: skin is elastic, so a twist drags along skin that only still bones own.
static void a_twist_moves_skin_that_no_twisting_bone_owns(void **state)
{
    (void)state;
    Act act = start("cylinder", 2000, NULL);
    const PeltiWeights *w = &act.weights;
    int bone = act.state->fields->parts[act.state->fields->skin_part_count - 1].bone, still = 0;
    for (int k = 1; k <= 6; k++)
        turn(&act, bone, segment_axis(&act, bone), 0.25f * (float)k, 0, k == 1);
    double most = 0;
    for (int v = 0; v < act.who->mesh->vertex_count; v++) {
        float twisting = 0;
        for (int k = 0; k < w->influences; k++) {
            size_t at = (size_t)v * (size_t)w->influences + (size_t)k;
            bool below = false;
            for (int p = w->bone[at]; p >= 0; p = act.who->bones[p].parent)
                below = below || p == bone;
            twisting += below ? w->weight[at] : 0;
        }
        if (twisting > 0)
            continue;
        still++;
        int p = act.who->mesh->first_point[v];
        most = fmax(most, (double)vec3_distance(act.points[p], act.who->rest_points[p]) / (double)act.who->mesh->diagonal);
    }
    printf("%d vertices without a twisting bone, moved by up to %.4f of the size\n", still, most);
    assert_true(still > 100);
    assert_true(most > 0.003); // lbs and dqs leave them exactly where they are
    stop(&act);
}

typedef struct Section {
    float (*value)(const void *state, Vec3 x);
    float (*side)(const void *state, Vec3 x);
    const void *state;
    float iso;
} Section;

static void take_field(void *user, const char *name, float (*value)(const void *state, Vec3 x), const void *state, float iso)
{
    Section *s = user;
    (void)name;
    s->value = value;
    s->state = state;
    s->iso = iso;
}

static void take_contact(void *user, float (*side)(const void *state, Vec3 x))
{
    ((Section *)user)->side = side;
}

/// What `pelt render --section` cuts: the iso-line runs along the skin, and a fold has a line where its sides touch.
static void sections_show_the_field_of_the_last_step(void **state)
{
    (void)state;
    Act act = start("cylinder", 1500, NULL);
    Section s = {0};
    PeltiMethodDraw draw = {.user = &s, .field = take_field, .contact = take_contact};
    int bone = act.state->fields->parts[act.state->fields->skin_part_count - 1].bone, near = 0, touching[2] = {0};
    Vec3 axis = vec3_orthogonal(segment_axis(&act, bone)), head = act.who->bones[bone].head;
    for (int folded = 0; folded < 2; folded++) {
        turn(&act, bone, axis, folded ? 2.4f : 0, 0, true);
        pelti_method_tracking.draw(act.state, "section", &draw);
        assert_non_null(s.value);
        assert_non_null(s.side);
        float step = 0.01f * act.who->mesh->diagonal;
        for (int i = -40; i <= 40; i++) // the plane of the bend
            for (int j = -40; j <= 40; j++) {
                Vec3 x = vec3_mad(vec3_mad(head, segment_axis(&act, bone), step * (float)i),
                                  vec3_cross(axis, segment_axis(&act, bone)), step * (float)j);
                touching[folded] += isfinite(s.side(s.state, x));
            }
    }
    for (int p = 0; p < act.who->point_count; p++)
        near += fabsf(s.value(s.state, act.points[p]) - s.iso) < 0.1f;
    assert_true(near > 0.8 * act.who->point_count);
    // at rest the round ends of the two parts oppose each other deep inside the joint: a little there is always
    assert_true(touching[1] > 5 * touching[0] && touching[1] > 100);
    s = (Section){0};
    pelti_method_tracking.draw(act.state, "bones", &draw);
    assert_null(s.value);
    stop(&act);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(biceps_swells_under_the_skin),
        cmocka_unit_test(painted_skin_follows_its_bone),
        cmocka_unit_test(a_twist_moves_skin_that_no_twisting_bone_owns),
        cmocka_unit_test(sections_show_the_field_of_the_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
