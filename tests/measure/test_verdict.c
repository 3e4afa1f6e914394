/// Each rule of the verdict, a hair on either side of its limit.
#include "check.h"

#include "measure/measure.h"

#include <string.h>

static PeltQuality lbs, skin;
static char text[400];

static int set_up(void **state) // something lbs could have done, and a skin that does the same
{
    (void)state;
    lbs = pelti_quality_none();
    lbs.frames = 10;
    lbs.stretch_max = 1.5;
    lbs.inverted = 4;
    lbs.deep_pairs = 30;
    lbs.torn = 0;
    lbs.flown = lbs.component_volume_vs_lbs = 0;
    lbs.component_volume_error = 0.1;
    lbs.rigid_error = 0;
    skin = lbs;
    return 0;
}

static PeltVerdict judge(void)
{
    return pelt_quality_verdict(&skin, &lbs, text, sizeof text);
}

static void expect_worse(const char *by_what)
{
    assert_int_equal(judge(), PELT_VERDICT_WORSE);
    if (!strstr(text, by_what))
        fail_msg("'%s' does not say '%s'", text, by_what);
    assert_ptr_equal(strstr(text, "worse than lbs: "), text);
}

static void the_same_is_as_good(void **state)
{
    (void)state;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    assert_string_equal(text, "as good as lbs");
}

static void each_rule_has_its_limit(void **state)
{
    (void)state;
    skin.nonfinite = 1;
    expect_worse("1 coordinates are no numbers");
    skin.nonfinite = 0;
    skin.stretch_max = 2.999; // 3 is allowed to anyone
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.stretch_max = 3.001;
    skin.torn = 7;
    expect_worse("7 edges torn");
    lbs.stretch_max = 4; // and 1.3 times what lbs does
    skin.stretch_max = 5.19;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.stretch_max = 5.21;
    expect_worse("stretched to 5.21 times (lbs 4)");
    skin.stretch_max = 1;
    skin.inverted = 5;
    expect_worse("5 triangles inverted (lbs 4)");
    skin.inverted = 4;
    skin.deep_pairs = 31;
    expect_worse("31 deep pairs (lbs 30)");
    skin.deep_pairs = 30;
    skin.component_volume_vs_lbs = 0.049;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.component_volume_vs_lbs = 0.06;
    expect_worse("off lbs by 6 %");
    skin.component_volume_vs_lbs = 0;
    skin.flown = 0.099;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.flown = 0.12;
    expect_worse("12 % of the size from lbs");
    skin.flown = 0;
    skin.rigid_error = 0.9e-4;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.rigid_error = 2e-4;
    expect_worse("a rigid piece bends by 0.0002");
    skin.deep_pairs = 40;
    expect_worse("; "); // both are said
}

static void better_is_a_third_of_the_deep_pairs_or_half_of_the_volume_lost(void **state)
{
    (void)state;
    skin.deep_pairs = 11;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    skin.deep_pairs = 10;
    assert_int_equal(judge(), PELT_VERDICT_BETTER);
    assert_string_equal(text, "better than lbs: 10 deep pairs (lbs 30)");
    skin.inverted = 5; // better in one thing does not make up for worse in another
    assert_int_equal(judge(), PELT_VERDICT_WORSE);
    skin = lbs;
    skin.component_volume_error = 0.05;
    assert_int_equal(judge(), PELT_VERDICT_BETTER);
    skin.component_volume_error = 0.051;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    lbs.component_volume_error = 0.019; // nothing worth telling
    skin.component_volume_error = 0;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
    lbs.deep_pairs = skin.deep_pairs = 0; // no pairs, none fewer
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
}

static void without_lbs_only_what_needs_none_is_judged(void **state)
{
    (void)state;
    PeltQuality nothing = pelti_quality_none();
    assert_int_equal(pelt_quality_verdict(&skin, NULL, text, sizeof text), PELT_VERDICT_AS_GOOD);
    assert_int_equal(pelt_quality_verdict(&skin, &nothing, NULL, 0), PELT_VERDICT_AS_GOOD);
    skin.stretch_max = 3.1;
    assert_int_equal(pelt_quality_verdict(&skin, &nothing, text, sizeof text), PELT_VERDICT_WORSE);
    assert_int_equal(pelt_quality_verdict(&nothing, &lbs, text, sizeof text), PELT_VERDICT_NONE);
    skin = pelti_quality_none(); // nothing defined: nothing worse
    skin.frames = 1;
    assert_int_equal(judge(), PELT_VERDICT_AS_GOOD);
}

static void a_short_text_is_cut_and_ended(void **state)
{
    (void)state;
    char little[12] = "xxxxxxxxxxx";
    skin.nonfinite = 123456;
    skin.inverted = 99;
    assert_int_equal(pelt_quality_verdict(&skin, &lbs, little, sizeof little), PELT_VERDICT_WORSE);
    assert_string_equal(little, "worse than ");
}

static void frames_merge_to_the_worst_and_undefined_hides_nothing(void **state)
{
    (void)state;
    PeltQuality clip = pelti_quality_none(), frame = pelti_quality_none();
    frame.frames = 1;
    frame.nonfinite = 2;
    frame.volume_ratio_min = frame.volume_ratio_max = 0.9;
    frame.torn = 3;
    pelti_quality_merge(&clip, &frame);
    frame.volume_ratio_min = frame.volume_ratio_max = 1.1;
    frame.torn = -1;
    pelti_quality_merge(&clip, &frame);
    assert_int_equal(clip.frames, 2);
    assert_int_equal(clip.nonfinite, 4);
    assert_int_equal(clip.torn, 3);
    assert_int_equal(clip.inverted, -1);
    CHECK_NEAR(clip.volume_ratio_min, 0.9, 0);
    CHECK_NEAR(clip.volume_ratio_max, 1.1, 0);
    assert_true(isnan(clip.depth));
    // every field but `frames` has a name, once
    double value;
    int count = 0;
    size_t bytes = sizeof(int); // frames
    for (const PeltiMeasureField *f = pelti_measure_fields; f->name; f++, count++) {
        assert_string_equal(pelt_quality_item(&clip, count, &value), f->name);
        bytes += f->is_count ? sizeof(int) : sizeof(double);
        for (const PeltiMeasureField *g = pelti_measure_fields; g != f; g++)
            assert_true(g->offset != f->offset && strcmp(g->name, f->name) != 0);
    }
    assert_null(pelt_quality_item(&clip, count, &value));
    assert_true(sizeof(PeltQuality) - bytes < sizeof(double)); // but for padding
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_same_is_as_good, set_up),
        cmocka_unit_test_setup(each_rule_has_its_limit, set_up),
        cmocka_unit_test_setup(better_is_a_third_of_the_deep_pairs_or_half_of_the_volume_lost, set_up),
        cmocka_unit_test_setup(without_lbs_only_what_needs_none_is_judged, set_up),
        cmocka_unit_test_setup(a_short_text_is_cut_and_ended, set_up),
        cmocka_unit_test(frames_merge_to_the_worst_and_undefined_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
