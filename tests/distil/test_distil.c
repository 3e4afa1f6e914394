/// Distilling from start to end: blending gives itself back, parts take from the error, no pose gets worse, bytes do not change.
#define _XOPEN_SOURCE 700
#include "folder.h"

#include <pelt/distil.h>
#include <pelt/make.h>
#include <pelt/pelt.h>
#include <pelt/rig.h>

#include <math.h>
#include <stdlib.h>

/// A built-in character of few vertices, as a file read again: distilling writes into the file.
static PeltCharacter *character_of(const char *name)
{
    PeltMakeDef make = pelt_make_def_default();
    PeltCharacter *who = NULL;
    make.name = name;
    make.vertices = 600;
    assert_int_equal(pelt_make_file(&make, at("who.glb"), NULL, NULL), PELT_OK);
    assert_int_equal(pelt_character_load(at("who.glb"), NULL, &who, NULL), PELT_OK);
    return who;
}

/// Paths that a request keeps: at()'s live for four calls only.
enum { REPORT, OUTPUT, SAMPLES };
static const char *path_of(int which, const char *name)
{
    static char path[3][512];
    snprintf(path[which], sizeof path[which], "%s", at(name));
    return path[which];
}

static PeltDistilDef def_of(const char *method, int poses)
{
    PeltDistilDef def = pelt_distil_def_default();
    def.skin.method = method;
    def.poses = poses;
    def.report_path = path_of(REPORT, "report.json");
    return def;
}

static PeltDistilResult distil(const PeltDistilDef *def, const PeltCharacter *who)
{
    PeltDistilResult result;
    PeltError err = {0};
    if (pelt_distil(def, who, &result, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return result;
}

/// Nothing to learn: no corrective moves anything, no helper is needed, and the error is rounding's.
static void linear_blending_distils_to_itself(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("arm");
    PeltDistilDef def = def_of("lbs", 40);
    def.correctives = 8;
    PeltDistilResult result = distil(&def, who);
    assert_int_equal(result.helpers, 0);
    assert_int_equal(result.correctives, 0);
    assert_int_equal(result.held_out.worse, 0);
    assert_true(result.held_out.largest < 1e-6 * result.size);
    pelt_character_destroy(who);
}

/// A twisted cylinder: blending loses its girth, half-turn helpers give most of it back, correctives the rest.
static void each_part_takes_from_the_error_of_a_twist(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("dqs", 80);
    def.correctives = def.helpers = 0;
    PeltDistilResult weights = distil(&def, who);
    def.helpers = -1;
    PeltDistilResult helpers = distil(&def, who);
    def.correctives = 10;
    PeltDistilResult all = distil(&def, who);
    assert_true(weights.held_out.rms < weights.held_out.original_rms);
    assert_true(helpers.held_out.rms < 0.6 * weights.held_out.rms);
    assert_true(all.held_out.rms < 0.8 * helpers.held_out.rms);
    assert_true(all.helpers > 0 && all.correctives > 0);
    assert_int_equal(all.held_out.worse, 0);
    def.bytes = (double)(helpers.bytes + all.bytes) / 2;
    PeltDistilResult small = distil(&def, who);
    assert_true((double)small.bytes <= def.bytes && small.correctives < all.correctives);
    pelt_character_destroy(who);
}

static void keep_learnt(const char *poses, const PeltDistilError *error, void *user)
{
    if (!strcmp(poses, "learnt"))
        *(PeltDistilError *)user = *error;
}

/// Sweeps of one joint hardly cost blending anything: these too are met as well, though the sum of all errors would let them go.
/// So are poses held out: where only fingers turn the forearm stays where it was (five of 150 were worse when it did not), and
/// what is skin of one finger is judged by itself (one was worse when it was not). And that is not paid for by all others: an
/// eighth of the error is left, a sixth when a pose counted as much as it took.
static void no_pose_is_worse_than_before(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltCharacter *who = character_of("arm");
    PeltDistilDef def = def_of("dqs", 100);
    PeltDistilError learnt = {0};
    def.correctives = 24;
    def.no_clips = true;
    def.told = keep_learnt;
    def.told_user = &learnt;
    def.held_out = 150;
    PeltDistilResult result = distil(&def, who);
    assert_int_equal(result.held_out.poses, 150);
    assert_int_equal(result.held_out.worse, 0);
    assert_true(result.held_out.rms < 0.14 * result.held_out.original_rms);
    assert_int_equal(learnt.poses, 100);
    assert_int_equal(learnt.worse, 0);
    pelt_character_destroy(who);
}

/// An error as the goal: as many correctives as it takes, no more.
static void an_error_asks_for_as_many_correctives_as_it_takes(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("dqs", 80);
    PeltDistilError learnt = {0};
    def.no_clips = true;
    def.told = keep_learnt;
    def.told_user = &learnt;
    def.correctives = 0;
    distil(&def, who);
    double without = learnt.rms;
    def.correctives = 16;
    PeltDistilResult all = distil(&def, who);
    double least = learnt.rms;
    def.error = 0.5 * (without + least);
    PeltDistilResult some = distil(&def, who);
    assert_true(least < 0.9 * without);
    assert_true(learnt.rms <= def.error);
    assert_true(some.correctives > 0 && some.correctives < all.correctives);
    pelt_character_destroy(who);
}

static char *bytes_of(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)*size + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*size, file), (size_t)*size);
    fclose(file);
    return bytes;
}

static int times_in(const char *path, const char *what)
{
    long size;
    char *text = bytes_of(path, &size);
    int count = 0;
    for (long i = 0; i + (long)strlen(what) <= size; i++)
        count += memcmp(text + i, what, strlen(what)) == 0;
    free(text);
    return count;
}

static void check_same(const char *path, const char *bytes, long size)
{
    long other;
    char *now = bytes_of(path, &other);
    assert_int_equal(size, other);
    assert_memory_equal(bytes, now, (size_t)size);
    free(now);
}

/// Room for more than half turns: a cylinder's joint gets both thirds of its twist and a push, each takes from the error, and
/// never half of a pair; a little only, for a push grows evenly with the angle, and poses near rest are held to the original
/// weights. What there is no use for is not taken, by one thread or two: the same file.
static void more_helpers_take_from_the_error_where_it_asks(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("dqs", 80);
    def.correctives = 0;
    def.output = path_of(OUTPUT, "out.glb");
    static const int thirds[] = {0, 0, 0, 2, 2}, pushes[] = {0, 1, 1, 1, 1}; // by helpers - 1
    double last = INFINITY;
    long size = 0;
    char *file = NULL;
    def.samples_path = path_of(SAMPLES, "kept.samples");
    for (int helpers = 1; helpers <= 5; helpers++) {
        def.helpers = helpers;
        def.skin.threads = 1 + helpers % 2;
        PeltDistilResult result = distil(&def, who);
        assert_int_equal(result.helpers, 1 + thirds[helpers - 1] + pushes[helpers - 1]);
        assert_int_equal(times_in(at("out.drivers.json"), "\"rule\": \"twist\""), thirds[helpers - 1]);
        assert_int_equal(times_in(at("out.drivers.json"), "\"push\""), pushes[helpers - 1]);
        assert_true(result.held_out.rms <= last);
        assert_true(helpers < 2 || helpers % 2 || result.held_out.rms < 0.998 * last);
        last = result.held_out.rms;
        if (helpers == 4)
            file = bytes_of(at("out.glb"), &size);
    }
    check_same(at("out.glb"), file, size);
    free(file);
    pelt_character_destroy(who);
}

/// One thread or two, in one go or gone on with after half of the samples: the same file.
static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("arm");
    PeltDistilDef def = def_of("dqs", 60);
    def.held_out = 5;
    def.skin.threads = 1;
    def.correctives = 6;
    def.output = path_of(OUTPUT, "out.glb");
    distil(&def, who);
    long size, rules_size;
    char *file = bytes_of(at("out.glb"), &size), *rules = bytes_of(at("out.drivers.json"), &rules_size);
    def.skin.threads = 2;
    def.samples_path = path_of(SAMPLES, "kept.samples");
    def.poses = 30;
    distil(&def, who);
    def.poses = 60;
    PeltDistilResult second = distil(&def, who);
    assert_int_equal(second.samples_found, 35);
    check_same(at("out.glb"), file, size);
    check_same(at("out.drivers.json"), rules, rules_size);
    free(file);
    free(rules);
    def.seed = 2;
    PeltError err = {0};
    assert_int_equal(pelt_distil(&def, who, NULL, &err), PELT_BAD_INPUT); // the file holds samples of another seed
    assert_non_null(strstr(err.text, "remove it"));
    pelt_character_destroy(who);
}

static void samples_are_points_and_poses(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("arm");
    PeltCharacterInfo info = pelt_character_info(who);
    PeltDistilDef def = def_of("lbs", 25);
    PeltError err = {0};
    long size;
    def.output = path_of(OUTPUT, "s.pc2");
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_OK);
    free(bytes_of(at("s.pc2"), &size));
    assert_int_equal(size, 32 + 25 * 12L * info.point_count);
    char *poses = bytes_of(at("s.pc2.poses.npy"), &size);
    assert_int_equal(size, 128 + 25 * 40L * info.node_count);
    assert_memory_equal(poses, "\x93NUMPY", 6);
    free(poses);
    assert_int_not_equal(access(at("s.pc2.samples"), F_OK), 0); // work that is done is not kept
    def.output = path_of(OUTPUT, "s.glb");
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_BAD_ARGUMENT);
    pelt_character_destroy(who);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// A joint that only twists: both thirds take half of what half a turn leaves, and no push is worth its place.
static void thirds_of_a_twist_take_half_of_the_error(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("cylinder");
    PeltRigJoint joint = pelt_rig_joint_default("Upper");
    PeltRig rig = {.joint_count = 1, .joints = &joint};
    PeltDistilDef def = def_of("dqs", 60);
    joint.has_bend_limits = joint.has_twist_limits = true;
    joint.twist_limits_deg[0] = -150;
    joint.twist_limits_deg[1] = 150;
    def.skin.rig = &rig;
    def.correctives = 0;
    def.no_clips = true;
    def.output = path_of(OUTPUT, "out.glb");
    def.helpers = 1;
    PeltDistilResult half = distil(&def, who);
    def.helpers = 4;
    PeltDistilResult thirds = distil(&def, who);
    assert_in_range(thirds.helpers, 3, 4); // and perhaps a push
    assert_int_equal(times_in(at("out.drivers.json"), "\"rule\": \"twist\""), 2);
    assert_int_equal(times_in(at("out.glb"), "\"roll\""), 2); // VRMC_node_constraint
    assert_true(thirds.held_out.rms < 0.55 * half.held_out.rms);
    assert_int_equal(thirds.held_out.worse, 0);
    pelt_character_destroy(who);
}

/// Least and most twist about the cylinder's axis (y), most swing, and least and most of it about the axis it bends about (z), of
/// all poses that were sampled; degrees.
static void sampled_turns(const PeltCharacter *who, PeltDistilDef *def, float out[5])
{
    PeltError err = {0};
    long size;
    def->output = path_of(OUTPUT, "s.npz");
    if (pelt_distil_sample(def, who, NULL, &err) != PELT_OK)
        fail_msg("%s", err.text);
    char *poses = bytes_of(at("s.npz.poses.npy"), &size);
    memset(out, 0, 5 * sizeof *out);
    for (long at_byte = 128; at_byte < size; at_byte += 40) {
        float node[10];
        memcpy(node, poses + at_byte, sizeof node);
        float half = atanf(node[4] / node[6]), twist = 2 * half * 57.29578f;
        float bend = 2 * asinf(node[5] * cosf(half) - node[3] * sinf(half)) * 57.29578f * (node[6] < 0 ? -1.0f : 1.0f);
        float swing = 2 * asinf(fminf(hypotf(node[3], node[5]), 1)) * 57.29578f;
        out[0] = fminf(out[0], twist);
        out[1] = fmaxf(out[1], twist);
        out[2] = fmaxf(out[2], swing);
        out[3] = fminf(out[3], bend);
        out[4] = fmaxf(out[4], bend);
    }
    free(poses);
}

/// Limits of a rig file bound every pose, clips' too, and are reached; one-sided ones to one side; settings say the same.
static void poses_keep_to_the_limits_of_a_rig(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("lbs", 60);
    float turns[5];
    sampled_turns(who, &def, turns);
    assert_true(turns[0] < -60 && turns[1] > 60 && turns[2] > 90);
    write_text(at("rig.json"), "{\"joints\": {\"Upper\": {\"limits\": {\"bend\": [0, 60], \"twist\": [-20, 30]}}}}");
    def.skin.rig_path = path_of(SAMPLES, "rig.json");
    sampled_turns(who, &def, turns);
    assert_float_equal(turns[0], -20, 0.5);
    assert_float_equal(turns[1], 30, 0.5);
    assert_float_equal(turns[2], 60, 0.5);
    assert_float_equal(turns[4] - turns[3], 60, 1);
    assert_float_equal(fminf(turns[4], -turns[3]), 0, 0.5);
    const char *settings[] = {"joint.Upper.limits.bend=[0,0]"};
    def.skin.rig_path = NULL;
    def.skin.settings = settings;
    def.skin.setting_count = 1;
    sampled_turns(who, &def, turns);
    assert_true(turns[1] > 60 && turns[2] < 0.5f);
    settings[0] = "joint.Uper.limits.bend=[0,0]";
    PeltError err = {0};
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "Upper"));
    pelt_character_destroy(who);
}

/// Samples kept are those of what the rig said, not of what its file is called: a rig that was changed makes them strangers, one
/// that was moved does not.
static void kept_samples_know_the_rig_they_were_made_with(void **state)
{
    (void)state;
    static const char *const rigs[] = {"{\"joints\": {\"Upper\": {\"stiffness\": 3}}}",
                                       "{\"joints\": {\"Upper\": {\"stiffness\": 4}}}"};
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("lbs", 4);
    PeltDistilResult result;
    PeltError err = {0};
    def.output = path_of(OUTPUT, "s.pc2");
    def.samples_path = path_of(SAMPLES, "kept.samples");
    write_text(at("rig.json"), rigs[0]);
    def.skin.rig_path = path_of(REPORT, "rig.json");
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_OK);
    write_text(at("moved.json"), rigs[0]);
    def.skin.rig_path = path_of(REPORT, "moved.json");
    assert_int_equal(pelt_distil_sample(&def, who, &result, &err), PELT_OK);
    assert_int_equal(result.samples_found, 4);
    write_text(at("moved.json"), rigs[1]);
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "remove it"));
    pelt_character_destroy(who);
}

/// The same of a rig that is handed by pointer: what it says counts, not where it lies.
static void kept_samples_know_the_rig_that_was_handed_to_them(void **state)
{
    (void)state;
    PeltCharacter *who = character_of("cylinder");
    PeltDistilDef def = def_of("lbs", 4);
    PeltDistilResult result;
    PeltError err = {0};
    int points[2] = {3, 4}, same_points[2] = {3, 4};
    PeltRigJoint joint = pelt_rig_joint_default("Upper");
    PeltRigRegion region = {.name = "cuff", .bone = "Upper", .point_count = 2, .points = points};
    PeltRig rig = {.joint_count = 1, .joints = &joint, .region_count = 1, .regions = &region};
    joint.joint_stiffness = 3;
    def.output = path_of(OUTPUT, "s.pc2");
    def.samples_path = path_of(SAMPLES, "kept.samples");
    def.skin.rig = &rig;
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_OK);
    PeltRig moved = rig;
    region.points = same_points;
    def.skin.rig = &moved;
    assert_int_equal(pelt_distil_sample(&def, who, &result, &err), PELT_OK);
    assert_int_equal(result.samples_found, 4);
    joint.joint_stiffness = 4;
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_BAD_INPUT);
    joint.joint_stiffness = 3;
    same_points[1] = 5;
    assert_int_equal(pelt_distil_sample(&def, who, NULL, &err), PELT_BAD_INPUT);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(linear_blending_distils_to_itself, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(each_part_takes_from_the_error_of_a_twist, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_pose_is_worse_than_before, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_error_asks_for_as_many_correctives_as_it_takes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(more_helpers_take_from_the_error_where_it_asks, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(thirds_of_a_twist_take_half_of_the_error, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(poses_keep_to_the_limits_of_a_rig, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(kept_samples_know_the_rig_they_were_made_with, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(kept_samples_know_the_rig_that_was_handed_to_them, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(the_same_seed_gives_the_same_bytes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(samples_are_points_and_poses, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
