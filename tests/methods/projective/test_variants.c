/// The paper's other strains and bones: rest stays at rest, rigid motion is followed, and only what was asked for differs.
#include "tube.h"
#include "methods/projective/variants.h"

static void every_strain_rests_at_rest_and_follows_rigidly(void **state)
{
    (void)state;
    static const char *const strains[] = {"strain=gradient", "strain=position", "strain=gradient-by-G", "strain=position-by-F"};
    for (int k = 0; k < 4; k++) {
        const char *const set[] = {strains[k], "collisions=off", NULL};
        static Tube tube;
        tube_open(&tube, 1, set);
        tube_step(&tube, 0, true);
        CHECK_NEAR(tube_distance(&tube, mat34_identity()), 0, 1e-4);
        Mat34 root = turn_about(vec3(0, 1, 0), vec3(0, 0, 1), 0.8f);
        tube_pose(&tube, root, 0, 0);
        tube_step(&tube, 0, true);
        CHECK_NEAR(tube_distance(&tube, root), 0, 2e-3);
        assert_int_equal(tube.p->tissue.look != tube.p->tissue.blocks, k >= 2); // a mixture looks at the other's elements
        tube_close(&tube);
    }
}

/// Eq. 9: vectors of the positions' strain are edges to the middle; their couplings make rows that add up to zero.
static void position_strain_is_arap(void **state)
{
    (void)state;
    const char *const set[] = {"strain=position", "rotations=tet", "collisions=off", NULL};
    static Tube tube;
    tube_open(&tube, 1, set);
    const ProjTissue *tissue = &tube.p->tissue;
    for (int k = 0; k < tissue->tet_count; k++) {
        const ProjTet *tet = &tissue->tets[k];
        Vec3 p[4], middle = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            int i = tet->corner[c];
            int v = tube.p->system.order[i < 0 ? ~i : i];
            p[c] = i < 0 ? tube.p->feet[v].base : tube.who->mesh->rest[v];
            middle = vec3_mad(middle, p[c], 0.25f);
        }
        for (int c = 0; c < 4; c++)
            CHECK_NEAR(vec3_distance(vec3(tet->grad[c][0], tet->grad[c][1], tet->grad[c][2]), vec3_sub(p[c], middle)), 0, 1e-4);
    }
    assert_true(tissue->tet_count > 500);
    tube_close(&tube);
}

static void lines_are_thin_bones(void **state)
{
    (void)state;
    const char *const line[] = {"bones=line", NULL};
    static Tube thin, thick;
    tube_open(&thin, 1, line);
    tube_open(&thick, 1, NULL);
    CHECK_NEAR(pelti_proj_thickness(&thick.options), 1, 0);
    assert_true(pelti_proj_thickness(&thin.options) < 0.1f);
    for (int s = 0; s < 3; s++)
        assert_true(thin.p->skeleton.segments[s].radius < 0.1f * thick.p->skeleton.segments[s].radius);
    tube_close(&thick);
    tube_close(&thin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_strain_rests_at_rest_and_follows_rigidly),
                                       cmocka_unit_test(position_strain_is_arap), cmocka_unit_test(lines_are_thin_bones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
