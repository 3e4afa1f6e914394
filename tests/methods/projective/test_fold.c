/// Planes of folds: through the joint, halving the angle of its bones; skin and base points keep to their side of them.
#include "shared_tube.h"

static ProjFold *fold_of(int child)
{
    ProjFolds *folds = &tube.p->contacts.folds;
    for (int f = 0; f < folds->count; f++)
        if (folds->folds[f].child == child && !folds->folds[f].chain)
            return &folds->folds[f];
    fail_msg("no fold at bone %d", child);
    return NULL;
}

static void planes_halve_the_angle(void **state)
{
    (void)state;
    ProjFold *fold = fold_of(1);
    for (int k = 0; k <= 8; k++) {
        float angle = 0.3f * (float)k;
        tube_pose(&tube, turn_about(vec3(0, 0, 0), vec3(0, 1, 0), 0.4f), angle, 0);
        pelti_proj_pose_folds(&tube.p->contacts.folds, tube.bones);
        Vec3 child = mat34_apply_vector(tube.bones[1], vec3(1, 0, 0)), parent = mat34_apply_vector(tube.bones[0], vec3(-1, 0, 0));
        CHECK_NEAR(vec3_dot(fold->normal, child), -vec3_dot(fold->normal, parent), 1e-5);
        CHECK_NEAR(vec3_length(fold->normal), 1, 1e-5);
        CHECK_NEAR(vec3_distance(fold->joint, mat34_apply(tube.bones[0], vec3(1, 0, 0))), 0, 1e-5);
        if (k > 0)
            CHECK_NEAR(vec3_dot(fold->inner, fold->normal), 0, 1e-4);
        if (k == 0)
            CHECK_NEAR(fold->share, 0, 0); // straight: none
        if (k == 8)
            CHECK_NEAR(fold->share, 1, 0);
    }
}

static void only_skin_around_the_joint_takes_part(void **state)
{
    (void)state;
    const ProjFolds *folds = &tube.p->contacts.folds;
    int members = 0;
    for (int i = 0; i < tube.p->count; i++)
        for (int m = folds->start[i]; m < folds->start[i + 1]; m++) {
            const ProjRelation *relation = &folds->relations[folds->members[m].relation];
            const ProjFold *fold = &folds->folds[relation->fold];
            Vec3 x = tube.who->mesh->rest[tube.p->system.order[i]];
            assert_true(vec3_distance(x, fold->rest_joint) <= fold->reach);
            assert_true(relation->side * (x.x - fold->rest_joint.x) > -fold->radius); // on its side at rest, or hardly across
            members++;
        }
    assert_true(members > 50);
}

/// Every vertex and base point across its plane is told so by as much as it is across.
static void skin_across_a_plane_is_held(void **state)
{
    (void)state;
    ProjFolds *folds = &tube.p->contacts.folds;
    tube_pose(&tube, mat34_identity(), 2.4f, 0);
    pelti_proj_pose_folds(folds, tube.bones);
    ProjFold *fold = fold_of(1);
    int held = 0, moved = 0;
    for (int i = 0; i < tube.p->count; i++)
        for (int m = folds->start[i]; m < folds->start[i + 1]; m++) {
            ProjMember *member = &folds->members[m];
            const ProjRelation *relation = &folds->relations[member->relation];
            if (&folds->folds[relation->fold] != fold || folds->start[i + 1] - folds->start[i] != 1 || member->weight < 1)
                continue;
            Vec3 at = vec3_mad(vec3_mad(fold->joint, fold->inner, fold->radius), fold->normal, -0.1f * relation->side); // across
            ProjContact contact[4];
            member->force = 0;
            int count = pelti_proj_fold_contacts(folds, i, &at.x, 0.01f, contact);
            if (relation->share <= 0) {
                assert_int_equal(count, 0);
                continue;
            }
            assert_int_equal(count, 1);
            const float *n = contact[0].n;
            CHECK_NEAR(contact[0].d - (n[0] * at.x + n[1] * at.y + n[2] * at.z), 0.1 + (double)member->offset, 1e-5);
            CHECK_NEAR(n[0] * fold->normal.x + n[1] * fold->normal.y + n[2] * fold->normal.z, relation->side, 1e-5);
            held++;
            Vec3 right = vec3_mad(at, fold->normal, 0.5f * relation->side); // far on its own side
            assert_int_equal(pelti_proj_fold_contacts(folds, i, &right.x, 0.01f, contact), 0);
            folds->bulge = 0;
            float swell = fold->swell;
            fold->swell = 0;
            Vec3 base = pelti_proj_fold_base(folds, i, at);
            if (relation->share >= 1) {
                CHECK_NEAR(relation->side * vec3_dot(vec3_sub(base, fold->joint), fold->normal), member->margin, 1e-5);
                moved++;
            }
            fold->swell = swell;
        }
    assert_true(held > 20 && moved > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes_halve_the_angle),
                                       cmocka_unit_test(only_skin_around_the_joint_takes_part),
                                       cmocka_unit_test(skin_across_a_plane_is_held)};
    return cmocka_run_group_tests(tests, open_tube, close_tube);
}
