/// Memory refused once at every place that asks for some: worlds and their steps, baking with a scene, measuring, every writer.
#define _XOPEN_SOURCE 700
#include "folder.h"
#include "refusing.h"
#include "tiny.h"

#include <pelt/pelt.h>

/// A soft ball rolls against the tube (0.4 wide, 2 high) while it bends, a rigid one lies on the ground.
static const PeltScene *touching(void)
{
    static PeltSceneObject o[2];
    static PeltScene scene;
    scene = pelt_scene_default();
    o[0] = o[1] = pelt_scene_object_default();
    o[0].name = "soft", o[0].kind = PELT_OBJECT_SOFT, o[0].shape = PELT_SHAPE_SPHERE, o[0].detail = 8, o[0].size[0] = 0.3f;
    o[1].name = "ball", o[1].shape = PELT_SHAPE_SPHERE, o[1].detail = 8, o[1].size[0] = 0.2f;
    o[0].position[0] = 0.52f, o[0].position[1] = 0.3f, o[0].velocity[0] = -1;
    o[1].position[0] = -0.6f, o[1].position[1] = 0.2f;
    scene.has_ground = true, scene.objects = o, scene.object_count = 2;
    return &scene;
}

static PeltCharacter *load(void)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    if (pelt_character_load_memory(tiny_glb(), tiny_glb_size(), NULL, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

typedef struct Stage { // what a world needs and does not own
    PeltSkin *skin;
    PeltPose *pose;
    float *expected; ///< the skin after the last step; written by the first run
    size_t bytes;
    bool known;
} Stage;

/// The skin after a few steps is the same, whatever was refused on the way.
static PeltStatus live_in_a_world(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    Stage *stage = (Stage *)(uintptr_t)user;
    PeltWorldDef def = pelt_world_def_default();
    PeltWorld *world = NULL;
    def.scene = touching(), def.skins = &stage->skin, def.skin_count = 1, def.allocator = *allocator;
    pelt_skin_restart(stage->skin);
    PeltStatus status = pelt_world_create(&def, &world, err);
    assert_true((status == PELT_OK) == (world != NULL));
    if (status != PELT_OK)
        return status;
    int pushing = 0;
    for (int frame = 0; frame < 6; frame++) {
        PeltWorldInfo info;
        pelt_pose_from_clip(stage->pose, 0, frame / 30.0);
        pelt_world_step(world, (const PeltPose *const[]){stage->pose}, 1 / 30.0f, &info);
        pushing += info.pushing;
    }
    assert_true(pushing > 0);
    if (!stage->known)
        memcpy(stage->expected, pelt_skin_positions(stage->skin), stage->bytes);
    stage->known = true;
    assert_memory_equal(stage->expected, pelt_skin_positions(stage->skin), stage->bytes);
    pelt_world_destroy(world);
    return PELT_OK;
}

static void a_world_is_refused_or_works_as_ever(void **state)
{
    (void)state;
    static Places places;
    PeltCharacter *who = load();
    PeltSkinDef def = pelt_skin_def_default();
    PeltError err = {0};
    Stage stage = {.bytes = (size_t)pelt_character_info(who).point_count * sizeof(float[3])};
    def.method = "lbs", def.threads = 1;
    stage.expected = malloc(stage.bytes);
    assert_non_null(stage.expected);
    if (pelt_skin_create(&def, who, &stage.skin, &err) != PELT_OK || pelt_pose_create(who, &stage.pose, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_in_range(refuse_each_place(live_in_a_world, &stage, &places), 20, 4096);
    pelt_pose_destroy(stage.pose);
    pelt_skin_destroy(stage.skin);
    pelt_character_destroy(who);
    free(stage.expected);
}

/// Forces a report speaks of.
static int forces_in(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    int count = 0;
    for (const char *at_force = text; (at_force = strstr(at_force, "\"force")); at_force++)
        count++;
    return count;
}

/// A bake with a scene, measured, into every kind of file: all of them appear and tell of every contact, or none appears.
static PeltStatus bake(const PeltAllocator *allocator, const void *who, PeltError *err)
{
    enum { KINDS = 8 };
    const char *names[KINDS] = {"a.pc2", "a.mdd", "a.obj", "a.glb", "a.gltf", "a.npz", "a.usda", "a.abc"};
    char paths[KINDS][600], report[600];
    const char *outputs[KINDS];
    for (int i = 0; i < KINDS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", at(names[i]));
        outputs[i] = paths[i];
    }
    snprintf(report, sizeof report, "%s", at("report.json"));
    PeltBakeDef def = pelt_bake_def_default();
    def.skin.method = "dqs", def.skin.threads = 1, def.skin.allocator = *allocator;
    def.last_frame = 4, def.outputs = outputs, def.output_count = KINDS, def.report_path = report;
    def.scene = touching();
    entries(true);
    PeltStatus status = pelt_bake(&def, who, NULL, err);
    static int forces;
    assert_true(status == PELT_OK ? entries(false) > KINDS + 1 : entries(false) == 0);
    if (status == PELT_OK && !forces)
        assert_true((forces = forces_in(report)) > 0);
    if (status == PELT_OK)
        assert_int_equal(forces_in(report), forces);
    return status;
}

static void a_bake_is_whole_or_leaves_nothing(void **state)
{
    (void)state;
    static Places places;
    PeltCharacter *who = load();
    assert_in_range(refuse_each_place(bake, who, &places), 60, 4096);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_refused_or_works_as_ever),
        cmocka_unit_test_setup_teardown(a_bake_is_whole_or_leaves_nothing, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
