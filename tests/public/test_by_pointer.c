/// Rigs and scenes that a program fills: as good as the files, and checked as hard.
#define _XOPEN_SOURCE 700
#include "check.h"
#include "folder.h"
#include "tube.h"

#include <pelt/tools.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *joint_name(const PeltCharacter *who, int joint)
{
    return pelt_character_node_name(who, pelt_character_joint_node(who, joint));
}

typedef struct Parts { ///< of a rig of one entry each
    PeltRigJoint joint;
    PeltRigAnchorKey keys[2];
    PeltRigAnchor anchor;
    PeltRigRegion region;
    PeltRigMuscle muscle;
    PeltRigVolume volume;
    const char *bones[1];
    PeltRig rig;
} Parts;

static void fill(Parts *p, const PeltCharacter *who)
{
    const char *first = joint_name(who, 0), *second = joint_name(who, 1);
    *p = (Parts){.joint = pelt_rig_joint_default(second)};
    p->joint.operator_name = "union";
    p->keys[0] = (PeltRigAnchorKey){0, {0, 0, 0.05f}, 1};
    p->keys[1] = (PeltRigAnchorKey){1, {0.05f, 0, 0}, 1};
    p->anchor = (PeltRigAnchor){"pull", 100, NULL, 0.1f, 2, p->keys};
    p->region =
        (PeltRigRegion){.name = "ring", .bone = second, .radius = 0.05f, .centre = {second, 0.9f, {0, 0, 0}}, .falloff = 0.05f};
    p->muscle = (PeltRigMuscle){"m", {first, 0.5f, {0}}, {second, 0.5f, {0}}, 0.02f, second, {0, 120}, 1.4f};
    p->bones[0] = second;
    p->volume = (PeltRigVolume){"v", 1, p->bones, 0.5f};
    p->rig = (PeltRig){.joint_count = 1,
                       .muscle_count = 1,
                       .region_count = 1,
                       .anchor_count = 1,
                       .volume_count = 1,
                       .joints = &p->joint,
                       .muscles = &p->muscle,
                       .regions = &p->region,
                       .anchors = &p->anchor,
                       .volumes = &p->volume};
}

static PeltStatus create(const PeltCharacter *who, const PeltRig *rig, const char *path, PeltSkin **skin, PeltError *err)
{
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "tracking";
    def.rig = rig;
    def.rig_path = path;
    def.threads = 1;
    return pelt_skin_create(&def, who, skin, err);
}

static void a_rig_by_pointer_is_the_rig_of_its_file(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    size_t bytes = 3 * sizeof(float) * (size_t)pelt_character_info(who).point_count;
    Parts parts;
    fill(&parts, who);
    parts.rig.region_count = parts.rig.muscle_count = parts.rig.volume_count = 0;
    const char *path = at("rig.json");
    FILE *file = fopen(path, "w");
    fprintf(
        file,
        "{\"joints\": {\"%s\": {\"operator\": \"union\"}}, \"anchors\": [{\"name\": \"pull\", \"point\": 100, \"falloff\": 0.1, "
        "\"keys\": [{\"time\": 0, \"offset\": [0, 0, 0.05]}, {\"time\": 1, \"offset\": [0.05, 0, 0]}]}]}",
        parts.joint.joint);
    fclose(file);
    PeltSkin *skins[3] = {0};
    PeltError err = {0};
    if (create(who, &parts.rig, NULL, &skins[0], &err) != PELT_OK || create(who, NULL, path, &skins[1], &err) != PELT_OK ||
        create(who, NULL, NULL, &skins[2], &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltPose *pose = NULL;
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    for (int f = 0; f < 2; f++) {
        pelt_pose_from_clip(pose, 0, 0.2 + 0.1 * f);
        for (int k = 0; k < 3; k++)
            pelt_skin_step(skins[k], pose, 0.1f, NULL);
    }
    assert_memory_equal(pelt_skin_positions(skins[0]), pelt_skin_positions(skins[1]), bytes);
    assert_memory_not_equal(pelt_skin_positions(skins[0]), pelt_skin_positions(skins[2]), bytes);
    for (int k = 0; k < 3; k++)
        pelt_skin_destroy(skins[k]);
    pelt_pose_destroy(pose);
    PeltSkin *both = NULL;
    assert_int_equal(create(who, &parts.rig, path, &both, &err), PELT_BAD_ARGUMENT);
    assert_null(both);
    pelt_character_destroy(who);
}

/// How much the distances of some points from the first of them change when the tube bends.
static float changes(const PeltCharacter *who, const PeltRig *rig, const int *points, int count)
{
    const char *settings[] = {"body=proxy", "body-vertices=400"};
    PeltSkinDef def = pelt_skin_def_default();
    PeltError err = {0};
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    def.method = "tracking";
    def.rig = rig;
    def.threads = 1;
    def.settings = settings;
    def.setting_count = 2;
    if (pelt_skin_create(&def, who, &skin, &err) != PELT_OK || pelt_pose_create(who, &pose, &err) != PELT_OK)
        fail_msg("%s", err.text);
    float length[2] = {0}, most = 0;
    for (int bent = 0; bent < 2; bent++) {
        pelt_pose_reset(pose);
        if (bent)
            pelt_pose_from_clip(pose, 0, 0.5);
        pelt_skin_step(skin, pose, 0, NULL);
        const float *x = pelt_skin_positions(skin);
        for (int i = 1; i < count; i++) {
            const float *a = x + 3 * (size_t)points[0], *b = x + 3 * (size_t)points[i];
            float far = sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
            length[bent] += far;
        }
        most = fmaxf(most, length[bent]);
    }
    pelt_skin_destroy(skin);
    pelt_pose_destroy(pose);
    return fabsf(length[1] - length[0]) / most;
}

/// A region names points of the file; a method that solves on a body finds them there.
static void points_of_the_file_are_found_on_a_body(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    int count = 0, inside = 0, all = pelt_character_info(who).point_count;
    int *points = calloc((size_t)all, sizeof *points);
    const float *rest = pelt_character_rest(who);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * all; i++) {
        low[i % 3] = fminf(low[i % 3], rest[i]);
        high[i % 3] = fmaxf(high[i % 3], rest[i]);
    }
    for (int inner = 1; inner >= 0; inner--) // a ring around the middle, where the tube bends; first the points well inside it
        for (int p = 0; p < all; p++) {
            float far = fabsf(rest[3 * (size_t)p + 1] - 0.5f * (low[1] + high[1])) / (high[1] - low[1]);
            if (far < 0.2f && (far < 0.08f) == (inner == 1))
                points[count++] = p, inside += inner;
        }
    assert_true(inside > 10 && count > 2 * inside);
    PeltRigRegion region = {.name = "ring", .bone = joint_name(who, 1), .points = points, .point_count = count};
    PeltRig rig = {.region_count = 1, .regions = &region};
    assert_true(changes(who, NULL, points, inside) > 0.02f);
    assert_true(changes(who, &rig, points, inside) < 0.003f);
    free(points);
    pelt_character_destroy(who);
}

/// Makes fault number `wrong` in a rig's joint; false where it is none of a joint.
static bool spoil_joint(Parts *p, int wrong)
{
    switch (wrong) {
    case 0:
        p->joint.joint = "no such joint";
        break;
    case 1:
        p->joint.joint = NULL;
        break;
    case 2:
        p->joint.operator_name = "melt";
        break;
    case 3:
        p->joint.controller_count = 3;
        break; // and no list
    case 4:
        p->joint.firmness = NAN;
        break;
    case 5:
        p->joint.has_bend_limits = true, p->joint.bend_limits_deg[0] = 10;
        break; // falls to 0
    case 6:
        p->joint.projection[0] = 0.9f, p->joint.projection[1] = 0.1f;
        break;
    default:
        return false;
    }
    return true;
}

/// Makes fault number `wrong` in a rig; false where there is none of that number.
static bool spoil(Parts *p, int wrong)
{
    static const int far_point = 1 << 30;
    switch (wrong) {
    case 7:
        p->muscle.driver = NULL;
        break;
    case 8:
        p->muscle.radius = -1;
        break;
    case 9:
        p->muscle.angles_deg[1] = 0;
        break;
    case 10:
        p->region.bone = "nobody";
        break;
    case 11:
        p->region.radius = 0;
        break; // names no points then
    case 12:
        p->region.points = &far_point, p->region.point_count = 1;
        break;
    case 13:
        p->anchor.point = -1;
        break;
    case 14:
        p->anchor.key_count = 0;
        break;
    case 15:
        p->keys[1].time_s = 0;
        break;
    case 16:
        p->keys[0].offset[1] = INFINITY;
        break;
    case 17:
        p->volume.bone_count = 0;
        break;
    case 18:
        p->rig.muscle_count = -1;
        break;
    case 19:
        p->rig.anchors = NULL;
        break;
    default:
        return spoil_joint(p, wrong);
    }
    return true;
}

static void a_rig_by_pointer_is_checked_as_a_file_is(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    int faults = 0;
    for (Parts p;; faults++) {
        fill(&p, who);
        if (!spoil(&p, faults))
            break;
        PeltSkin *skin = NULL;
        PeltError err = {0};
        if (create(who, &p.rig, NULL, &skin, &err) != PELT_BAD_INPUT)
            fail_msg("fault %d was not seen: %s", faults, err.text);
        assert_null(skin);
        assert_memory_equal(err.text, "rig: ", 5);
    }
    assert_int_equal(faults, 20);
    pelt_character_destroy(who);
}

/// The bytes of a bake of the first frames, with a ball given either way.
static void *bake_with(const PeltCharacter *who, const PeltScene *scene, const char *scene_path, size_t *size)
{
    const char *path = at("out.pc2");
    const char *outputs[1] = {path};
    PeltBakeDef def = pelt_bake_def_default();
    PeltError err = {0};
    def.skin.method = "lbs";
    def.last_frame = 3;
    def.outputs = outputs;
    def.output_count = 1;
    def.scene = scene;
    def.scene_path = scene_path;
    if (pelt_bake(&def, who, NULL, &err) != PELT_OK)
        fail_msg("%s", err.text);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    void *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void a_bake_takes_a_scene_by_pointer(void **state)
{
    (void)state;
    PeltCharacter *who = tube();
    PeltCharacterInfo info = pelt_character_info(who);
    char path[512];
    snprintf(path, sizeof path, "%s", at("scene.json"));
    PeltSceneObject ball = pelt_scene_object_default();
    PeltScene scene = pelt_scene_default();
    ball.name = "ball";
    ball.shape = PELT_SHAPE_SPHERE;
    ball.size[0] = 0.1f * info.size;
    for (int k = 0; k < 3; k++)
        ball.position[k] = 0.5f * (info.low[k] + info.high[k]);
    ball.position[0] = info.high[0]; // in the wall of the tube: it pushes
    scene.objects = &ball;
    scene.object_count = 1;
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"objects\": [{\"name\": \"ball\", \"kind\": \"rigid\", \"shape\": \"sphere\", \"radius\": %.9g, \"position\": "
            "[%.9g, %.9g, %.9g]}]}",
            (double)ball.size[0], (double)ball.position[0], (double)ball.position[1], (double)ball.position[2]);
    fclose(file);
    size_t size[3];
    void *bytes[3] = {bake_with(who, &scene, NULL, &size[0]), bake_with(who, NULL, path, &size[1]),
                      bake_with(who, NULL, NULL, &size[2])};
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    assert_int_equal(size[0], size[2]);
    assert_memory_not_equal(bytes[0], bytes[2], size[0]);
    for (int k = 0; k < 3; k++)
        free(bytes[k]);
    PeltBakeDef def = pelt_bake_def_default();
    PeltError err = {0};
    def.scene = &scene;
    def.skin.method = "lbs";
    ball.name = NULL;
    assert_int_equal(pelt_bake(&def, who, NULL, &err), PELT_BAD_INPUT);
    def.scene_path = path;
    assert_int_equal(pelt_bake(&def, who, NULL, &err), PELT_BAD_ARGUMENT);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rig_by_pointer_is_the_rig_of_its_file, make_folder, remove_folder),
        cmocka_unit_test(points_of_the_file_are_found_on_a_body),
        cmocka_unit_test(a_rig_by_pointer_is_checked_as_a_file_is),
        cmocka_unit_test_setup_teardown(a_bake_takes_a_scene_by_pointer, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
