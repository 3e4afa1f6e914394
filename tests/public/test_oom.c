/// Memory refused once at every place that asks for some: a clean failure or a whole result, and nothing left behind.
/// Worlds and their steps, baking with a scene, measuring, every writer, saving. A place is a call stack: what is asked for from
/// it again is not refused again (refusing.h).
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

/// The tube as an avatar, whose expressions name morph targets that it does not have.
static const void *avatar(size_t *size)
{
    static unsigned char file[1 << 16];
    static const char more[] =
        ",\"extensionsUsed\":[\"VRM\"],\"extensions\":{\"VRM\":{\"blendShapeMaster\":{\"blendShapeGroups\":["
        "{\"name\":\"A\",\"binds\":[{\"mesh\":0,\"index\":3,\"weight\":100}]}]}}}}";
    const unsigned char *glb = tiny_glb();
    uint32_t words[5], text;
    memcpy(words, glb, sizeof words);
    uint32_t end = 20 + words[3], length = end; // of its JSON
    while (glb[length - 1] != '}')
        length--;
    memcpy(file, glb, length);
    text = (uint32_t)(length - 21 + sizeof more - 1 + 3) / 4 * 4;
    memset(file + length - 1, ' ', text + 20 - (length - 1));
    memcpy(file + length - 1, more, sizeof more - 1);
    *size = tiny_glb_size() - words[3] + text;
    assert_true(*size <= sizeof file);
    memcpy(file + 20 + text, glb + end, tiny_glb_size() - end);
    words[2] = (uint32_t)*size, words[3] = text;
    memcpy(file, words, sizeof words);
    return file;
}

static PeltCharacter *load(bool is_avatar)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    size_t size = tiny_glb_size();
    const void *bytes = is_avatar ? avatar(&size) : tiny_glb();
    if (pelt_character_load_memory(bytes, size, NULL, &who, &err) != PELT_OK)
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

static void try_a_world(const char *method, Places *places)
{
    PeltCharacter *who = load(false);
    PeltSkinDef def = pelt_skin_def_default();
    PeltError err = {0};
    Stage stage = {.bytes = (size_t)pelt_character_info(who).point_count * sizeof(float[3])};
    def.method = method, def.threads = 1;
    stage.expected = malloc(stage.bytes);
    assert_non_null(stage.expected);
    if (pelt_skin_create(&def, who, &stage.skin, &err) != PELT_OK || pelt_pose_create(who, &stage.pose, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_in_range(refuse_each_place(live_in_a_world, &stage, places), 20, 4096);
    pelt_pose_destroy(stage.pose);
    pelt_skin_destroy(stage.skin);
    pelt_character_destroy(who);
    free(stage.expected);
}

static void a_world_is_refused_or_works_as_ever(void **state)
{
    (void)state;
    static Places places[2];
    try_a_world("lbs", &places[0]);
    try_a_world("tracking", &places[1]); // flesh that remembers is pushed out of objects after its step
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

enum { KINDS = 8 };
typedef struct Wanted { // of a bake
    const PeltCharacter *who;
    const char *names[KINDS];
    int count;
    int forces; ///< the report tells of; written by the first run
} Wanted;

/// A bake with a scene, measured, into every kind of file: all of them appear and tell of every contact, or none appears.
static PeltStatus bake(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    Wanted *wanted = (Wanted *)(uintptr_t)user;
    char paths[KINDS][600], report[600];
    const char *outputs[KINDS];
    for (int i = 0; i < wanted->count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", at(wanted->names[i]));
        outputs[i] = paths[i];
    }
    snprintf(report, sizeof report, "%s", at("report.json"));
    PeltBakeDef def = pelt_bake_def_default();
    def.skin.method = "dqs", def.skin.threads = 1, def.skin.allocator = *allocator;
    def.last_frame = 4, def.outputs = outputs, def.output_count = wanted->count, def.report_path = report;
    def.scene = touching();
    entries(true);
    PeltStatus status = pelt_bake(&def, wanted->who, NULL, err);
    assert_true(status == PELT_OK ? entries(false) > wanted->count : entries(false) == 0);
    if (status == PELT_OK && !wanted->forces)
        assert_true((wanted->forces = forces_in(report)) > 0);
    if (status == PELT_OK)
        assert_int_equal(forces_in(report), wanted->forces);
    return status;
}

static void a_bake_is_whole_or_leaves_nothing(void **state)
{
    (void)state;
    static Places places;
    Wanted wanted[2] = {{load(false), {"a.pc2", "a.mdd", "a.obj", "a.glb", "a.gltf", "a.npz", "a.usda", "a.abc"}, KINDS, 0},
                        {load(true), {"a.vrm"}, 1, 0}}; // in the same places but for its expressions
    for (int k = 0; k < 2; k++) {
        int count = refuse_each_place(bake, &wanted[k], &places);
        assert_in_range(count, k ? 1 : 60, 4096);
        pelt_character_destroy((PeltCharacter *)(uintptr_t)wanted[k].who);
    }
}

typedef enum Job { LOAD_ONLY, SAVE, MEASURE } Job;

/// What takes its memory from where the character has its own. Reading is tried elsewhere: here its places are only noted.
static PeltStatus use_character(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    const Job *job = user;
    PeltCharacter *who = NULL;
    PeltStatus status = pelt_character_load_memory(tiny_glb(), tiny_glb_size(), allocator, &who, err);
    if (status == PELT_OK && *job == SAVE) {
        entries(true);
        status = pelt_character_save(who, at("saved.glb"), NULL, NULL, err);
        assert_int_equal(entries(false), status == PELT_OK);
    }
    if (status == PELT_OK && *job == MEASURE) {
        static char cache[600], report[600];
        snprintf(cache, sizeof cache, "%s", at("a.pc2"));
        snprintf(report, sizeof report, "%s", at("measured.json"));
        PeltMeasureDef def = pelt_measure_def_default();
        PeltMeasureResult result = {0};
        def.cache_path = cache, def.report_path = report, def.threads = 1;
        remove(report);
        status = pelt_measure_cache(&def, who, &result, err);
        FILE *written = fopen(report, "r");
        assert_true((written != NULL) == (status == PELT_OK));
        if (written)
            fclose(written);
        assert_int_equal(result.quality.frames, status == PELT_OK ? 5 : 0);
    }
    pelt_character_destroy(who);
    return status;
}

static void saving_and_measuring_are_whole_or_leave_nothing(void **state)
{
    (void)state;
    static Places places;
    const Job jobs[3] = {LOAD_ONLY, SAVE, MEASURE};
    const int least[3] = {1, 2, 20};
    for (int k = 0; k < 3; k++) {
        if (jobs[k] == MEASURE) {
            PeltError err = {0};
            PeltCharacter *who = load(false);
            PeltBakeDef def = pelt_bake_def_default();
            char cache[600];
            snprintf(cache, sizeof cache, "%s", at("a.pc2"));
            def.skin.method = "dqs", def.skin.threads = 1, def.last_frame = 4;
            def.outputs = (const char *const[]){cache}, def.output_count = 1;
            assert_int_equal(pelt_bake(&def, who, NULL, &err), PELT_OK);
            pelt_character_destroy(who);
        }
        int count = refuse_each_place(use_character, &jobs[k], &places);
        assert_in_range(count, least[k], 4096);
    }
    entries(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_refused_or_works_as_ever),
        cmocka_unit_test_setup_teardown(a_bake_is_whole_or_leaves_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(saving_and_measuring_are_whole_or_leave_nothing, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
