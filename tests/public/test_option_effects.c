/// Options of flesh, folds and steps, by what they do: each does what its help says, seen from outside.
#include "check.h"
#include "stats.h"

#include <pelt/make.h>
#include <pelt/pelt.h>

#include <string.h>

static PeltCharacter *arm, *cylinder;

static PeltCharacter *made(const char *name, int vertices)
{
    PeltMakeDef def = pelt_make_def_default();
    PeltCharacter *who = NULL;
    PeltError err = {0};
    def.name = name, def.vertices = vertices;
    OK(pelt_make_character(&def, &who, &err));
    return who;
}

static int set_up(void **state)
{
    (void)state;
    arm = made("arm", 700);
    cylinder = made("cylinder", 600);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pelt_character_destroy(arm);
    pelt_character_destroy(cylinder);
    return 0;
}

/// A skin at work, with up to three settings.
typedef struct Play {
    const PeltCharacter *who;
    PeltSkin *skin;
    PeltPose *pose;
    int clip, points;
    PeltStepInfo info;
} Play;

static Play start(const PeltCharacter *who, const char *method, const char *clip, const char *const *settings)
{
    Play play = {.who = who, .points = pelt_character_info(who).point_count, .clip = pelt_character_clip_find(who, clip)};
    PeltSkinDef def = pelt_skin_def_default();
    PeltError err = {0};
    def.method = method, def.threads = 1, def.settings = settings;
    while (settings[def.setting_count])
        def.setting_count++;
    OK(pelt_skin_create(&def, who, &play.skin, &err));
    OK(pelt_pose_create(who, &play.pose, &err));
    return play;
}

static void end(Play *play)
{
    pelt_pose_destroy(play->pose);
    pelt_skin_destroy(play->skin);
}

static const float *step(Play *play, double time_s, float dt_s)
{
    pelt_pose_from_clip(play->pose, play->clip, time_s);
    pelt_skin_step(play->skin, play->pose, dt_s, &play->info);
    return pelt_skin_positions(play->skin);
}

static double mean_distance(int points, const float *a, const float *b)
{
    double sum = 0;
    for (int p = 0; p < points; p++)
        sum += sqrt(pow((double)(a[3 * p] - b[3 * p]), 2) + pow((double)(a[3 * p + 1] - b[3 * p + 1]), 2) +
                    pow((double)(a[3 * p + 2] - b[3 * p + 2]), 2));
    return sum / points;
}

/// How far flesh hangs below where it is without gravity, the mean, after two seconds in one pose.
static double sag(const char *method, const char *pull, const char *firmness)
{
    static float lifted[3 * 4096];
    double low = 0;
    for (int k = 0; k < 2; k++) {
        Play play = start(arm, method, "bend", (const char *const[]){k ? pull : "gravity=0", firmness, "touch=off", NULL});
        assert_true(play.points <= 4096);
        const float *x = NULL;
        for (int f = 0; f < 60; f++)
            x = step(&play, 0, 1 / 30.0f);
        for (int p = 0; p < play.points; p++) {
            low += k ? (double)(lifted[3 * p + 1] - x[3 * p + 1]) / play.points : 0;
            lifted[3 * p + 1] = x[3 * p + 1];
        }
        end(&play);
    }
    return low;
}

/// Linear elasticity for a small pull: twice of it hangs twice as deep, and the other way round is up.
static void gravity_pulls_flesh_down_in_proportion(void **state)
{
    (void)state;
    static const char *const pulls[2][3] = {{"gravity=1", "gravity=2", "gravity=-1"},
                                            {"gravity=0.2", "gravity=0.4", "gravity=-0.2"}};
    static const char *const methods[2] = {"layered", "projective"}, *const firmness[2] = {"jiggle=1", "firmness=1"};
    for (int m = 0; m < 2; m++) {
        double once = sag(methods[m], pulls[m][0], firmness[m]), twice = sag(methods[m], pulls[m][1], firmness[m]),
               up = sag(methods[m], pulls[m][2], firmness[m]);
        printf("%s: %.3g, %.3g and up %.3g\n", methods[m], once, twice, up);
        assert_true(once > 0);
        CHECK_NEAR(twice / once, 2, 0.2);
        CHECK_NEAR(up / once, -1, 0.2);
    }
}

/// How fast flesh still moves some time after its clip has stopped.
static double swings_after(const char *jiggle, int frames)
{
    static float before[3 * 4096];
    Play play = start(arm, "layered", "bend", (const char *const[]){jiggle, "touch=off", "skin-firmness=0.3", NULL});
    for (int f = 0; f < 10; f++)
        step(&play, f / 30.0, 1 / 30.0f);
    for (int f = 0; f < frames; f++) {
        memcpy(before, pelt_skin_positions(play.skin), sizeof *before * 3 * (size_t)play.points);
        step(&play, 9 / 30.0, 1 / 30.0f);
    }
    double speed = mean_distance(play.points, before, pelt_skin_positions(play.skin));
    end(&play);
    return speed;
}

static void more_jiggle_swings_on_longer(void **state)
{
    (void)state;
    double none = swings_after("jiggle=0", 6), some = swings_after("jiggle=1", 6), much = swings_after("jiggle=5", 6);
    printf("a fifth of a second after the stop: %.3g, %.3g and %.3g a frame\n", none, some, much);
    assert_true(none < 0.2 * some && much > 1.5 * some);
}

/// A frame of a thirtieth of a second is cut into steps no longer than that.
static void a_shorter_step_means_more_of_them(void **state)
{
    (void)state;
    static const char *const steps[3] = {"step=2", "step=5", "step=20"};
    static const int least[3] = {17, 7, 2};
    int substeps[3];
    for (int k = 0; k < 3; k++) {
        Play play = start(cylinder, "layered", "bend", (const char *const[]){steps[k], "touch=off", NULL});
        step(&play, 0, 1 / 30.0f);
        step(&play, 0, 1 / 30.0f); // nothing turns: time alone cuts
        substeps[k] = play.info.substeps;
        end(&play);
    }
    for (int k = 0; k < 3; k++)
        assert_int_equal(substeps[k], least[k]);
}

/// tracking, gap: the least distance between points that are a fifth of the size apart at rest, in a deep bend.
static double nearest(const char *method, const char *gap)
{
    Play play = start(arm, method, "bend", (const char *const[]){gap, "touch=off", "give-way=off", NULL});
    const float *x = NULL;
    for (int f = 0; f <= 30; f++)
        x = step(&play, f / 30.0, 1 / 30.0f);
    static float rest[3 * 4096];
    Play still = start(arm, "lbs", "bend", (const char *const[]){NULL});
    memcpy(rest, step(&still, 0, 0), sizeof *rest * 3 * (size_t)play.points);
    double least = INFINITY, size = 0;
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < play.points; a++)
            for (int b = 0; b < a; b++) {
                double far = 0, now = 0;
                for (int i = 0; i < 3; i++) {
                    far += pow((double)(rest[3 * a + i] - rest[3 * b + i]), 2);
                    now += pow((double)(x[3 * a + i] - x[3 * b + i]), 2);
                }
                size = fmax(size, sqrt(far));
                if (k && far > 0.04 * size * size)
                    least = fmin(least, sqrt(now) / size);
            }
    end(&still);
    end(&play);
    return least;
}

static void touching_skin_keeps_the_gap(void **state)
{
    (void)state;
    double narrow = nearest("tracking", "gap=0.0003"), wide = nearest("tracking", "gap=0.02");
    printf("nearest %.3g, with a gap of .02 %.3g of the size\n", narrow, wide);
    assert_true(wide > 0.015 && narrow < 0.6 * wide);
}

/// implicit, step: with a share that hardly moves, skin stays at the blend it starts from.
static void a_small_newton_step_stays_at_the_start(void **state)
{
    (void)state;
    static float blend[3 * 4096];
    double away[2];
    Play dqs = start(arm, "dqs", "bend", (const char *const[]){NULL});
    memcpy(blend, step(&dqs, 0.8, 0), sizeof *blend * 3 * (size_t)dqs.points);
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = {k ? "step=0.01" : "step=0.35", "relax=off", "smooth=0", NULL};
        Play play = start(arm, "implicit", "bend", settings);
        away[k] = mean_distance(play.points, step(&play, 0.8, 0), blend);
        end(&play);
    }
    end(&dqs);
    printf("from dqs: %.3g, with a small step %.3g\n", away[0], away[1]);
    assert_true(away[1] > 0 && away[1] < 0.6 * away[0]);
}

/// tracking, virtual-step: a turn is cut into parts of at least so much.
static void a_larger_virtual_step_means_fewer_of_them(void **state)
{
    (void)state;
    double frames[2];
    for (int k = 0; k < 2; k++) {
        Play play = start(cylinder, "tracking", "bend",
                          (const char *const[]){k ? "virtual-step=40" : "virtual-step=2", "touch=off", NULL});
        step(&play, 0, 1 / 30.0f);
        step(&play, 0.3, 1 / 30.0f);
        frames[k] = test_stat(&play.info, "virtual_frames");
        end(&play);
    }
    printf("%g virtual frames of 2 degrees at least, %g of 40\n", frames[0], frames[1]);
    assert_true(frames[0] >= 4 * frames[1] && frames[1] >= 1);
}

/// tracking, smooth: the most that an edge of the arm's crease is stretched.
static double most_stretched(const char *smooth)
{
    Play play = start(arm, "tracking", "bend", (const char *const[]){smooth, "touch=off", "give-way=off", NULL});
    const float *x = NULL;
    for (int f = 0; f <= 30; f++)
        x = step(&play, f / 30.0, 1 / 30.0f);
    PeltMeasure *measure;
    PeltError err = {0};
    PeltQuality quality;
    OK(pelt_measure_create(arm, 1, &measure, &err));
    pelt_measure_frame(measure, play.pose, x, &quality);
    pelt_measure_destroy(measure);
    end(&play);
    return quality.stretch_max;
}

static void smoothing_evens_out_the_crease(void **state)
{
    (void)state;
    double none = most_stretched("smooth=0"), some = most_stretched("smooth=6"), much = most_stretched("smooth=40");
    printf("largest stretch: %.3g, %.3g and %.3g\n", none, some, much);
    assert_true(none > some && some > much);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_pulls_flesh_down_in_proportion), cmocka_unit_test(more_jiggle_swings_on_longer),
        cmocka_unit_test(a_shorter_step_means_more_of_them),      cmocka_unit_test(touching_skin_keeps_the_gap),
        cmocka_unit_test(a_small_newton_step_stays_at_the_start), cmocka_unit_test(a_larger_virtual_step_means_fewer_of_them),
        cmocka_unit_test(smoothing_evens_out_the_crease),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
