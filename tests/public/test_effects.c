/// Options that no other test tries: each does what its line in `pelt methods` says, on built-in characters.
#include "check.h"
#include "stats.h"

#include <pelt/make.h>
#include <pelt/pelt.h>

#include <string.h>

static PeltCharacter *made(const char *name, const char *clip)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = name, def.vertices = 500, def.clip = clip, def.threads = 1;
    OK(pelt_make_character(&def, &who, &err));
    return who;
}

/// Skin after some frames of the first clip, and what the last step said.
typedef struct Play {
    const PeltCharacter *who;
    const char *method;
    double from_s;
    int frames;   // at 30 a second of the character's time
    double hurry; // seconds of the clip in one of these frames, beyond their own 1/30
    PeltStepInfo report;
    float *x; // the caller frees it
} Play;

static void play(Play *p, const char *setting, const char *other)
{
    const char *settings[] = {setting, other};
    PeltSkinDef def = pelt_skin_def_default();
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltError err = {0};
    def.method = p->method, def.threads = 1;
    def.settings = settings, def.setting_count = other ? 2 : 1;
    OK(pelt_skin_create(&def, p->who, &skin, &err));
    OK(pelt_pose_create(p->who, &pose, &err));
    for (int frame = 0; frame < p->frames; frame++) {
        p->report = (PeltStepInfo){0};
        pelt_pose_from_clip(pose, 0, p->from_s + frame * (1 / 30.0 + p->hurry));
        pelt_skin_step(skin, pose, 1.0f / 30, &p->report);
    }
    size_t bytes = (size_t)pelt_character_info(p->who).point_count * 3 * sizeof(float);
    free(p->x);
    p->x = malloc(bytes);
    memcpy(p->x, pelt_skin_positions(skin), bytes);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
}

/// How much edges are longer or shorter than at rest: root of the mean square of the logarithm.
static double stretch(const Play *p)
{
    int count;
    const int *t = pelt_character_triangles(p->who, &count);
    const float *rest = pelt_character_rest(p->who);
    double sum = 0;
    for (int i = 0; i < 3 * count; i++) {
        int a = t[i], b = t[i - i % 3 + (i + 1) % 3];
        double now = 0, was = 0;
        for (int k = 0; k < 3; k++) {
            now += pow((double)p->x[3 * a + k] - (double)p->x[3 * b + k], 2);
            was += pow((double)rest[3 * a + k] - (double)rest[3 * b + k], 2);
        }
        sum += pow(0.5 * log(now / was), 2);
    }
    return sqrt(sum / (3 * count));
}

static void close_play(Play *p)
{
    free(p->x);
    p->x = NULL;
}

/// implicit: one round of many steps along the gradient arrives, one of a single step does not.
static void marches_come_nearer_to_the_surface(void **state)
{
    (void)state;
    PeltCharacter *who = made("arm", "bend");
    Play one = {.who = who, .method = "implicit", .from_s = 1, .frames = 1}, many = one;
    play(&one, "marches=1", "rounds=1");
    play(&many, "marches=20", "rounds=1");
    printf("residual after 1 and 20 marches: %g, %g\n", test_stat(&one.report, "iso_residual_p99"),
           test_stat(&many.report, "iso_residual_p99"));
    assert_true(test_stat(&many.report, "iso_residual_p99") < 0.5 * test_stat(&one.report, "iso_residual_p99"));
    close_play(&one), close_play(&many);
    pelt_character_destroy(who);
}

/// implicit: along a twist, which shears skin, edges come nearer to their lengths at rest. It goes between rounds: one has none.
static void relax_evens_edges_out(void **state)
{
    (void)state;
    PeltCharacter *who = made("cylinder", "twist");
    Play on = {.who = who, .method = "implicit", .from_s = 0.9, .frames = 1}, off = on;
    play(&on, "relax=on", "rounds=1");
    play(&off, "relax=off", "rounds=1");
    assert_true(stretch(&on) == stretch(&off));
    play(&on, "relax=on", "rounds=100");
    play(&off, "relax=off", "rounds=100");
    printf("stretch relaxed and not: %g, %g\n", stretch(&on), stretch(&off));
    assert_true(stretch(&on) < 0.999 * stretch(&off));
    close_play(&on), close_play(&off);
    pelt_character_destroy(who);
}

/// The clip that bends an arm leaves some of its joints still: those have fields only where all are asked for.
static void parts_all_gives_still_joints_fields(void **state)
{
    (void)state;
    static const char *const methods[] = {"implicit", "tracking"};
    PeltCharacter *who = made("arm", "bend");
    for (int m = 0; m < 2; m++) {
        Play moving = {.who = who, .method = methods[m], .from_s = 1, .frames = 1}, all = moving;
        play(&moving, "parts=moving", NULL);
        play(&all, "parts=all", NULL);
        assert_int_equal((int)test_stat(&all.report, "parts"), pelt_character_info(who).joint_count);
        assert_true(test_stat(&moving.report, "parts") > 1 &&
                    test_stat(&moving.report, "parts") < test_stat(&all.report, "parts"));
        close_play(&moving), close_play(&all);
    }
    pelt_character_destroy(who);
}

/// projective: a frame of 1/30 s has four steps of 1/120 s, eight of 1/240 s.
static void time_step_cuts_a_frame(void **state)
{
    (void)state;
    PeltCharacter *who = made("cylinder", "twist");
    Play p = {.who = who, .method = "projective", .frames = 2};
    play(&p, "time-step=0.0083333333", "virtual-frames=off");
    int coarse = p.report.substeps;
    play(&p, "time-step=0.0041666667", "virtual-frames=off");
    assert_int_equal(coarse, 4);
    assert_int_equal(p.report.substeps, 8);
    close_play(&p);
    pelt_character_destroy(who);
}

/// projective: from straight to folded within a frame takes more steps than the time alone asks for.
static void virtual_frames_cut_large_turns(void **state)
{
    (void)state;
    PeltCharacter *who = made("arm", "bend");
    Play p = {.who = who, .method = "projective", .from_s = 0, .frames = 2, .hurry = 0.9};
    play(&p, "virtual-frames=off", NULL);
    int few = p.report.substeps;
    play(&p, "virtual-frames=on", NULL);
    assert_int_equal(few, 4); // of 1/120 s
    assert_true(p.report.substeps > few);
    close_play(&p);
    pelt_character_destroy(who);
}

/// projective: in the poses of a clip that bends skin meets which does not elsewhere.
static void poses_of_a_clip_are_searched_for_pairs(void **state)
{
    (void)state;
    PeltCharacter *who = made("arm", NULL);
    Play p = {.who = who, .method = "projective", .frames = 1};
    play(&p, "collisions=pairs", NULL);
    double none = test_stat(&p.report, "stored_pairs");
    play(&p, "collisions=pairs", "poses=bend");
    printf("pairs: %g, %g\n", none, test_stat(&p.report, "stored_pairs"));
    assert_true(test_stat(&p.report, "stored_pairs") > none);
    close_play(&p);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marches_come_nearer_to_the_surface),  cmocka_unit_test(relax_evens_edges_out),
        cmocka_unit_test(parts_all_gives_still_joints_fields), cmocka_unit_test(time_step_cuts_a_frame),
        cmocka_unit_test(virtual_frames_cut_large_turns),      cmocka_unit_test(poses_of_a_clip_are_searched_for_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
