/// Tetrahedra that are inside out at rest: none on made bodies (test_local.c wrecks one), few on a character's own skin.
#include "tube.h"

#include "builtin/builtin.h"

/// Of a character made here, in thousandths of all tetrahedra: they become springs, and lie mostly where bones meet.
static void few_are_inside_out(const char *name, int most)
{
    PeltiCharacter *who = NULL;
    assert_int_equal(pelti_builtin_make(name, &(PeltiBuiltinOptions){.vertices = 2000}, NULL, NULL, &who, NULL), PELT_OK);
    PeltiOptions options;
    pelti_options_init(&options, pelti_method_projective.options);
    const PeltiWeights none = {0};
    PeltiPrepare in = {.who = who, .options = &options, .weights = &none};
    void *prepared = NULL;
    assert_int_equal(pelti_method_projective.prepare(&in, &prepared, NULL), PELT_OK);
    const Projective *p = prepared;
    print_message("%s: %d of %d flat, %d inside out\n", name, p->tissue.flat, p->tissue.tet_count + p->tissue.mended,
                  p->tissue.inverted);
    assert_true(1000 * p->tissue.inverted <= most * (p->tissue.tet_count + p->tissue.mended));
    Vec3 *points = PELTI_NEW(&who->pool, Vec3, who->point_count);
    Mat34 *bones = PELTI_NEW(&who->pool, Mat34, who->bone_count);
    PeltiJoint joints[64];
    for (int b = 0; b < who->bone_count; b++)
        bones[b] = mat34_identity();
    test_joints(who, bones, joints);
    PeltiStepReport report = {0};
    pelti_method_projective.step(prepared, &(PeltiStepInput){.bones = bones, .joints = joints, .restart = true}, points, &report);
    int told = 0;
    for (int k = 0; k < report.stat_count; k++)
        told += !strcmp(report.stats[k].name, "tetrahedra_inside_out") && report.stats[k].value == p->tissue.inverted;
    assert_int_equal(told, 1);
    pelti_method_projective.destroy(prepared);
    pelti_character_destroy(who);
}

static void characters_made_here_have_few_inside_out(void **state)
{
    (void)state;
    few_are_inside_out("cylinder", 2);
    few_are_inside_out("arm", 3);
    few_are_inside_out("hand", 2);
    if (TEST_WORK(1, 0)) {
        few_are_inside_out("beast", 11);
        few_are_inside_out("biped", 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(characters_made_here_have_few_inside_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
