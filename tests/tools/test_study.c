/// A study: methods that run beside each other give what they give one after the other, and a cancelled one says so.
#include "check.h"

#include "tools/study.h"

#include <pelt/make.h>

#include <string.h>

static const char *const names[] = {"lbs", "dqs", "implicit", "projective", "layered"};
enum { METHODS = sizeof names / sizeof *names };

static PeltCharacter *arm;

static int make_arm(void **state)
{
    (void)state;
    PeltMakeDef def = pelt_make_def_default();
    def.name = "arm", def.vertices = 600;
    return pelt_make_character(&def, &arm, NULL) != PELT_OK;
}

static int drop_arm(void **state)
{
    (void)state;
    pelt_character_destroy(arm);
    return 0;
}

static void begin(PeltiStudy *study, int threads)
{
    PeltError err = {0};
    PeltiStudyDef def = {arm, "arm.glb", "bend", 4, threads, NULL, {0}};
    if (pelti_study_create(&def, study, &err) != PELT_OK)
        fail_msg("%s", err.text);
}

typedef struct Beside {
    PeltiStudy *study;
    PeltStatus status[METHODS];
} Beside;

static void beside_range(void *context, int begin, int end, int worker)
{
    Beside *b = context;
    (void)worker;
    for (int i = begin; i < end; i++) // the last first, as the demo does
        b->status[i] = pelti_study_run_beside(b->study, METHODS - 1 - i, NULL, NULL);
}

static void methods_beside_each_other_give_what_they_give_alone(void **state)
{
    (void)state;
    PeltiStudy alone, together;
    begin(&alone, 2);
    begin(&together, 1);
    for (int m = 0; m < METHODS; m++)
        assert_int_equal(pelti_study_run(&alone, names[m], NULL), PELT_OK);
    assert_int_equal(pelti_study_run(&together, names[0], NULL), PELT_OK);
    for (int m = 1; m < METHODS; m++)
        assert_int_equal(pelti_study_add(&together, names[m], NULL), PELT_OK);
    PeltiJobs *jobs = pelti_jobs_create(3);
    Beside beside = {.study = &together};
    pelti_parallel_for(jobs, METHODS - 1, 1, beside_range, &beside);
    pelti_jobs_destroy(jobs);
    size_t bytes = (size_t)alone.frame_count * (size_t)arm->who->point_count * sizeof(Vec3);
    assert_int_equal(together.method_count, METHODS);
    for (int m = 0; m < METHODS; m++) {
        const PeltiStudyMethod *a = &alone.methods[m], *b = &together.methods[m];
        assert_int_equal(b->status, PELT_OK);
        assert_int_equal(m < METHODS - 1 ? beside.status[m] : PELT_OK, PELT_OK);
        assert_memory_equal(a->points, b->points, bytes);
        assert_string_equal(a->verdict_text, b->verdict_text);
        for (int f = 0; f < alone.frame_count; f++) {
            assert_int_equal(a->frames[f].measure.self_intersections, b->frames[f].measure.self_intersections);
            assert_int_equal(a->frames[f].stretched.vertex, b->frames[f].stretched.vertex);
            assert_true(a->frames[f].measure.stretch_p99 == b->frames[f].measure.stretch_p99);
        }
    }
    pelti_study_release(&alone);
    pelti_study_release(&together);
}

/// One meaning of the distance to lbs: the farthest place of a page's map is the measure `flown`, by weights that lost the trial
/// too, where the distance to lbs alone is more.
static void the_map_of_distances_tells_what_is_measured(void **state)
{
    (void)state;
    PeltCharacter *hard;
    PeltiStudy study;
    PeltError err = {0};
    PeltMakeDef make = pelt_make_def_default();
    make.name = "arm", make.vertices = 600, make.weights = "one-joint";
    OK(pelt_make_character(&make, &hard, &err));
    PeltiStudyDef def = {hard, "arm.glb", "bend", 4, 2, NULL, {0}};
    OK(pelti_study_create(&def, &study, &err));
    assert_true(study.guide.measured && study.near);
    OK(pelti_study_run(&study, "dqs", &err));
    double alone = 0, told = 0;
    for (int f = 0; f < study.frame_count; f++) {
        const PeltiStudyFrame *frame = &study.methods[0].frames[f];
        const Vec3 *x = pelti_study_points(&study, 0, f), *lbs = study.lbs + (size_t)f * (size_t)hard->who->point_count;
        CHECK_NEAR(frame->away.value, frame->measure.flown, 1e-6);
        told = fmax(told, frame->measure.flown);
        for (int p = 0; p < hard->who->point_count; p++)
            alone = fmax(alone, (double)(vec3_distance(x[p], lbs[p]) / hard->who->mesh->diagonal));
    }
    printf("from lbs alone %.3g, from the nearer of two %.3g\n", alone, told);
    assert_true(alone > 1.2 * told);
    pelti_study_release(&study);
    pelt_character_destroy(hard);
}

static int stop_in_the_middle(const char *stage, double share, void *user)
{
    (void)stage, (void)user;
    return share > 0.4;
}

static void a_method_beside_others_can_be_cancelled(void **state)
{
    (void)state;
    PeltiStudy study;
    PeltError err = {0};
    begin(&study, 1);
    assert_int_equal(pelti_study_run(&study, "lbs", NULL), PELT_OK);
    assert_int_equal(pelti_study_add(&study, "dqs", NULL), PELT_OK);
    assert_int_equal(pelti_study_run_beside(&study, 1, &(PeltiProgressSink){stop_in_the_middle, NULL}, &err), PELT_FAILED);
    assert_int_equal(pelti_study_add(&study, "no such method", &err), PELT_BAD_ARGUMENT);
    assert_int_equal(study.method_count, 2);
    pelti_study_release(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(methods_beside_each_other_give_what_they_give_alone),
                                       cmocka_unit_test(the_map_of_distances_tells_what_is_measured),
                                       cmocka_unit_test(a_method_beside_others_can_be_cancelled)};
    return cmocka_run_group_tests(tests, make_arm, drop_arm);
}
