/// No tetrahedron of a made body is flat or inside out at rest, whatever its skin is like; few of a character's own skin are.
#include "tube.h"

#include "body/body.h"
#include "builtin/builtin.h"

/// Of a character made here, in thousandths of all tetrahedra: they become springs, and lie mostly where bones meet.
static void few_are_inside_out(const char *name, int most)
{
    PeltiCharacter *who = NULL;
    assert_int_equal(pelti_builtin_make(name, &(PeltiBuiltinOptions){.vertices = 2000}, NULL, NULL, &who, NULL), PELT_OK);
    PeltiOptions options;
    pelti_options_init(&options, pelti_method_projective.options);
    const PeltiWeights none = {0};
    PeltiMethodPrepare in = {.who = who, .options = &options, .weights = &none};
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
    for (int k = 0; k < report.told.stat_count; k++)
        told += !strcmp(report.told.stats[k].name, "tetrahedra_inside_out") && report.told.stats[k].value == p->tissue.inverted;
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

/// Prepared as on a made body; says how many vertices have tissue below.
static int none_is_flat_or_inside_out(const char *name, const PeltiCharacter *who, const PeltiWeights *weights)
{
    PeltiOptions options;
    pelti_options_init(&options, pelti_method_projective.options);
    PeltiMethodPrepare in = {.who = who, .options = &options, .weights = weights, .made_body = true};
    void *prepared = NULL;
    assert_int_equal(pelti_method_projective.prepare(&in, &prepared, NULL), PELT_OK);
    const Projective *p = prepared;
    const ProjTissue *t = &p->tissue;
    print_message("%s: %d vertices, %d without tissue, %d tetrahedra\n", name, p->count, t->bare, t->tet_count);
    assert_int_equal(t->flat, 0);
    assert_int_equal(t->inverted, 0);
    assert_int_equal(t->mended, 0);
    for (int f = 0; f < who->mesh->triangle_count; f++) {
        assert_true(pelti_proj_flattest(who->mesh, p->feet, who->mesh->triangles[f]) > 0);
        assert_int_equal(pelti_proj_bad_tets(who->mesh, p->feet, who->mesh->triangles[f]), 0);
    }
    for (int k = 0; k < t->tet_count; k++)
        assert_true(t->tets[k].volume > 0);
    int covered = p->count - t->bare;
    pelti_method_projective.destroy(prepared);
    return covered;
}

static float drawn(unsigned *state) // -1 to 1
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1;
}

/// A tube whose points are strewn by up to this share of an edge: from a fifth on it is folded, crosses itself, and fans
/// have no side that is below all of their triangles.
static int crumpled(float share, unsigned seed)
{
    static Vec3 p[TUBE_POINTS];
    static int t[TUBE_TRIANGLES][3];
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    float edge = vec3_distance(p[t[0][0]], p[t[0][1]]);
    for (int i = 0; i < TUBE_POINTS; i++)
        p[i] = vec3_mad(p[i], vec3(drawn(&seed), drawn(&seed), drawn(&seed)), share * edge);
    PeltiCharacter *who = make_chain((ChainBones){3, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    PeltiWeights weights;
    assert_int_equal(pelti_weights_rigid(who, &who->pool, &weights, NULL), PELT_OK);
    int covered = none_is_flat_or_inside_out("crumpled tube", who, &weights);
    pelti_character_destroy(who);
    return covered;
}

static void crumpled_skin_has_no_tetrahedron_inside_out(void **state)
{
    (void)state;
    assert_int_equal(crumpled(0, 1), TUBE_POINTS);
    assert_true(crumpled(0.1f, 1) > TUBE_POINTS * 19 / 20);
    for (unsigned seed = 1; seed <= TEST_WORK(4, 1); seed++) {
        assert_true(crumpled(0.2f, seed) > TUBE_POINTS * 4 / 5);
        crumpled(1.5f, seed);
    }
}

static void dressed_bodies_have_no_tetrahedron_inside_out(void **state)
{
    (void)state;
    const char *const names[] = {"biped", "hand"};
    for (int i = 0; i < TEST_WORK(2, 1); i++) {
        PeltiCharacter *who = NULL;
        const PeltiBuiltinOptions options = {.vertices = 900, .seed = (uint64_t)i + 3, .dressing = PELTI_DRESS_ALL};
        assert_int_equal(pelti_builtin_make(names[i], &options, NULL, NULL, &who, NULL), PELT_OK);
        PeltiWeights weights;
        assert_int_equal(pelti_weights_from_file(who, &who->pool, &weights, NULL), PELT_OK);
        const PeltiBodyDef def = {.who = who, .weights = &weights, .mode = PELTI_BODY_PROXY, .vertices = 1500};
        PeltiBody *body = NULL;
        assert_int_equal(pelti_body_create(&def, &body, NULL), PELT_OK);
        const PeltiCharacter *made = pelti_body_character(body);
        assert_true(none_is_flat_or_inside_out(names[i], made, &made->file_weights) > made->mesh->vertex_count * 19 / 20);
        pelti_body_destroy(body);
        pelti_character_destroy(who);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(characters_made_here_have_few_inside_out),
                                       cmocka_unit_test(crumpled_skin_has_no_tetrahedron_inside_out),
                                       cmocka_unit_test(dressed_bodies_have_no_tetrahedron_inside_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
