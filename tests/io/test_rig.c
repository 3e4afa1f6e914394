/// Rig files: the example is read whole, schema and reader have the same keys, mistakes name the line.
#include "check.h"
#include "io/gltf.h"
#include "io/rig.h"
#include "schema_keys.h"
#include "tiny_gltf.h"

static char g_path[64];

static void write_rig(const char *text)
{
    snprintf(g_path, sizeof g_path, "pelt-test-rig-%d.json", (int)getpid());
    FILE *file = fopen(g_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static PeltStatus load_text(const char *text, const PeltiCharacter *who, PeltiIoRig **rig, PeltError *err)
{
    write_rig(text);
    PeltStatus status = pelti_io_rig_load((PeltiIoRigSource){.path = g_path}, who, NULL, rig, err);
    unlink(g_path);
    return status;
}

/// Joints "root" and "upper".
static PeltiCharacter *tiny_character(void)
{
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    PeltiGltf *doc;
    PeltiCharacter *who;
    PeltError err;
    assert_int_equal(pelti_gltf_open_memory(glb, size, NULL, NULL, &doc, &err), PELT_OK);
    assert_int_equal(pelti_gltf_character(doc, NULL, &who, &err), PELT_OK);
    pelti_gltf_close(doc);
    free(glb);
    return who;
}

static void the_example_is_read_whole(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltiIoRig *file;
    if (pelti_io_rig_load((PeltiIoRigSource){.path = PELT_SOURCE_DIR "/examples/rigs/arm.json"}, NULL, NULL, &file, &err) !=
        PELT_OK)
        fail_msg("%s", err.text);
    const PeltRig *rig = &file->rig;
    assert_int_equal(rig->joint_count, 2);
    const PeltRigJoint *forearm = pelt_rig_joint(rig, "Forearm"), *upper = pelt_rig_joint(rig, "UpperArm");
    assert_non_null(forearm);
    assert_null(pelt_rig_joint(rig, "Hand"));
    assert_string_equal(forearm->operator_name, "bulge");
    assert_int_equal(forearm->controller_count, 3);
    CHECK_NEAR(forearm->controller[2][0], 120, 0);
    assert_true(forearm->has_bend_limits && forearm->has_twist_limits);
    CHECK_NEAR(forearm->twist_limits_deg[0], -80, 0);
    CHECK_NEAR(forearm->bend_limits_deg[1], 150, 0);
    CHECK_NEAR(forearm->joint_stiffness, 40, 0);
    CHECK_NEAR(forearm->firmness, 1.2f, 0);
    CHECK_NEAR(forearm->projection[1], 0.45f, 0);
    CHECK_NEAR(forearm->layer_stiffness[3], 0.8f, 0);
    CHECK_NEAR(forearm->layer_density[1], 920, 0);
    assert_true(upper->firmness < 0 && upper->projection[0] < 0 && upper->layer_stiffness[0] < 0 && !upper->has_bend_limits);
    assert_string_equal(upper->operator_name, "shallow");
    assert_int_equal(rig->operator_count, 1);
    assert_string_equal(rig->operators[0].name, "shallow");
    CHECK_NEAR(rig->operators[0].reach, 0.3f, 0);
    CHECK_NEAR(rig->operators[0].closed[2][0], 0.45f, 0);
    assert_int_equal(rig->muscle_count, 1);
    assert_string_equal(rig->muscles[0].from.bone, "UpperArm");
    CHECK_NEAR(rig->muscles[0].to.along, 0.85f, 0);
    CHECK_NEAR(rig->muscles[0].swell, 1.5f, 0);
    assert_int_equal(rig->region_count, 1);
    CHECK_NEAR(rig->regions[0].radius, 0.03f, 0);
    assert_int_equal(rig->anchor_count, 1);
    assert_int_equal(rig->anchors[0].key_count, 2);
    CHECK_NEAR(rig->anchors[0].keys[1].offset[1], 0.02f, 0);
    assert_int_equal(rig->volume_count, 1);
    assert_string_equal(rig->volumes[0].bones[1], "Forearm");
    assert_int_equal(rig->piece_count, 1);
    assert_int_equal(rig->pieces[0].kind, PELT_PIECE_SKIN);
    assert_int_equal(rig->painted_count, 2);
    assert_int_equal(rig->painted[1].what, PELT_PAINT_FAT);
    assert_int_equal(rig->painted[1].count, 3);
    assert_int_equal(rig->painted[1].points[2], 22);
    assert_true(rig->painted[1].values[2] == 0.6f);
    pelti_io_rig_destroy(file);
}

static void mistakes_name_the_line_and_the_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *story;
    } cases[] = {
        {"{\n \"jiont\": {}}", ":2: jiont: unknown key; did you mean \"joints\"?"},
        {"{\"joints\": {\n\"upper\": {\"operater\": \"bulge\"}}}",
         ":2: joints.upper.operater: unknown key; did you mean \"operator\"?"},
        {"{\"joints\": {\"uper\": {}}}", ":1: joints.uper: the character has no joint \"uper\"; did you mean \"upper\"?"},
        {"{\"joints\": {\"zzz\": {}}}", "pelt inspect lists them"},
        {"{\"joints\": {\"upper\": {\"operator\": \"bulgy\"}}}",
         "joints.upper.operator: \"bulgy\" is none of contact, bulge, union"},
        {"{\"operators\": {\"bulge\": {}}}", "operators.bulge: a name of at most 31 letters"},
        {"{\"operators\": {\"own\": {\"open\": [[0.5, 0], [0.5, 2]]}}}", "operators.own.open[1]: a pair"},
        {"{\"joints\": {\"upper\": {\"limits\":\n {\"bend\": [10, 0]}}}}", ":2: joints.upper.limits.bend: 0 comes after 10"},
        {"{\"joints\": {\"upper\": {\"limits\": {\"bend\": [10]}}}}", "joints.upper.limits.bend: 2 numbers were expected, not 1"},
        {"{\"joints\": {\"upper\": {\"firmness\": \"hard\"}}}", "joints.upper.firmness: a number was expected, not a string"},
        {"{\"joints\": {\"upper\": {\"firmness\": -1}}}", "joints.upper.firmness: -1 is not within 0 and 1e+06"},
        {"{\"joints\": {\"upper\": {\"firmness\": null}}}", "joints.upper.firmness: is null"},
        {"{\"joints\": []}", "joints: an object of joints by name was expected"},
        {"{\"joints\": {\"upper\": {\"controller\": [[0,0],[0,1]]}}}", "controller[1]: angles must rise"},
        {"{\"joints\": {\"upper\": {\"layers\": {\"projection\": [0.5,0.2,0.8]}}}}", "projection: 0.2 comes after 0.5"},
        {"{\"muscles\": [{\"name\": \"m\"}]}", "muscles[0].from: is missing"},
        {"{\"muscles\": [{\"name\": \"m\", \"from\": {\"bone\": \"root\"}, \"to\": {\"bone\": \"rot\"}, \"radius\": 0.1, "
         "\"driver\": \"upper\"}]}",
         "muscles[0].to.bone: the character has no joint \"rot\"; did you mean \"root\"?"},
        {"{\"regions\": [{\"name\": \"r\", \"bone\": \"root\"}]}", "regions[0]: names no points"},
        {"{\"regions\": [{\"name\": \"r\", \"bone\": \"root\", \"points\": [0, 99999]}]}",
         "regions[0].points[1]: the number of a point"},
        {"{\"regions\": [{\"name\": \"r\", \"bone\": \"root\", \"radius\": 1}]}", "centre and radius go together"},
        {"{\"anchors\": [{\"name\": \"a\", \"point\": 0, \"keys\": []}]}", "anchors[0].keys: has no keys"},
        {"{\"anchors\": [{\"name\": \"a\", \"point\": 0, \"keys\": [{\"time\": 1}, {\"time\": 1}]}]}",
         "keys[1]: times must rise"},
        {"{\"volumes\": [{\"name\": \"v\", \"bones\": []}]}", "names no bones"},
        {"{\"pieces\": [{\"name\": \"no such\", \"kind\": \"skin\"}]}", "has no piece \"no such\""},
        {"{\"pieces\": [{\"name\": \"component 0\", \"kind\": \"skim\"}]}", "did you mean \"skin\""},
        {"{\"painted\": [{\"what\": \"fad\", \"points\": [], \"values\": []}]}", "did you mean \"fat\""},
        {"{\"painted\": [{\"what\": \"fat\", \"points\": [0, 1], \"values\": [0.1]}]}", "as many numbers as there are points"},
        {"{\"painted\": [{\"what\": \"fat\", \"points\": [0], \"values\": [1.5]}]}", "painted[0].values"},
        {"{\"painted\": [{\"what\": \"fat\", \"points\": [99999], \"values\": [0.5]}]}", "painted[0].points[0]"},
        {"{\"version\": 2}", "version 2 is newer"},
        {"[]", "an object was expected"},
        {"{\"joints\": {}} x", "JSON line 1"},
        {"", "JSON line 1"},
    };
    PeltiCharacter *who = tiny_character();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PeltError err = {0};
        PeltiIoRig *rig;
        assert_int_equal(load_text(cases[i].text, who, &rig, &err), PELT_BAD_INPUT);
        assert_null(rig);
        if (!strstr(err.text, cases[i].story) || !strstr(err.text, g_path))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].story);
    }
    PeltError err;
    PeltiIoRig *rig;
    assert_int_equal(pelti_io_rig_load((PeltiIoRigSource){.path = "no such rig.json"}, who, NULL, &rig, &err), PELT_IO);
    pelti_character_destroy(who);
}

static void settings_are_keys_of_the_file(void **state)
{
    (void)state;
    const char *const settings[] = {"joint.upper.operator=bulge", "fold-depth=1", "joint.upper.limits.bend=[0,120]",
                                    "joint.root.firmness=2.5", "joint.upper.layers.stiffness=[1,1,0.5,0.25]"};
    PeltiCharacter *who = tiny_character();
    PeltError err = {0};
    PeltiIoRig *file;
    write_rig("{\"joints\": {\"upper\": {\"operator\": \"contact\", \"firmness\": 3}}}");
    if (pelti_io_rig_load((PeltiIoRigSource){g_path, settings, 5}, who, NULL, &file, &err) != PELT_OK)
        fail_msg("%s", err.text);
    unlink(g_path);
    const PeltRigJoint *upper = pelt_rig_joint(&file->rig, "upper"), *root = pelt_rig_joint(&file->rig, "root");
    assert_string_equal(upper->operator_name, "bulge");
    CHECK_NEAR(upper->firmness, 3, 0);
    CHECK_NEAR(upper->bend_limits_deg[1], 120, 0);
    CHECK_NEAR(upper->layer_stiffness[3], 0.25f, 0);
    CHECK_NEAR(root->firmness, 2.5f, 0);
    pelti_io_rig_destroy(file);
    assert_int_equal(pelti_io_rig_load((PeltiIoRigSource){NULL, settings, 5}, who, NULL, &file, &err), PELT_OK);
    pelti_io_rig_destroy(file);
    const char *const wrong[] = {"joint.uper.operator=bulge", "joint.upper.operater=bulge", "joint.upper=1",
                                 "joint.upper.operator"};
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(pelti_io_rig_load((PeltiIoRigSource){NULL, &wrong[i], 1}, who, NULL, &file, &err), PELT_OK);
    const char *const dotted[] = {"joint.arm.L.limits.bend=[0,1]"};
    assert_int_equal(pelti_io_rig_load((PeltiIoRigSource){NULL, dotted, 1}, NULL, NULL, &file, &err), PELT_OK);
    assert_non_null(pelt_rig_joint(&file->rig, "arm.L"));
    pelti_io_rig_destroy(file);
    pelti_character_destroy(who);
}

static void schema_and_example_have_the_same_keys(void **state)
{
    (void)state;
    check_same_keys(PELT_SOURCE_DIR "/docs/schema/rig.schema.json", PELT_SOURCE_DIR "/examples/rigs/arm.json",
                    "joints operators");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read_whole),
        cmocka_unit_test(mistakes_name_the_line_and_the_key),
        cmocka_unit_test(settings_are_keys_of_the_file),
        cmocka_unit_test(schema_and_example_have_the_same_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
