/// The rigid move, and the way back to a vertex' own iso-surface.
#include "shared_rig.h"

static void the_rest_shape_lies_on_its_surface(void **state)
{
    (void)state;
    const Tracking *t = rig.state;
    int tracked = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        PeltiFieldSample s;
        PeltiFieldPoint at = {t->mesh->rest[v], t->skin.skeleton[v], t->fields->vertex_part[v], t->skin.tilt[v]};
        pelti_frame_eval_many(&t->frame, 1, &at, &s);
        if (t->skin.kind[v] != TRACKING_VERTEX_TRACKED)
            continue;
        tracked++;
        CHECK_NEAR(s.value, t->skin.iso[v], 1e-4);
        CHECK_NEAR(t->skin.iso[v], 0.5, 1e-3); // with its tilt
    }
    assert_true(tracked > t->mesh->vertex_count * 3 / 4);
}

static void skin_off_its_surface_goes_back(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->surface.normal);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        t->surface.x[v] = vec3_mad(t->mesh->rest[v], t->surface.normal[v], (v % 2 ? 0.2f : -0.2f) * t->skin.edge[v]);
        t->surface.tilt_now[v] = t->skin.tilt[v];
        t->surface.must_look[v] = v % 3 != 0;
    }
    double before = t->counters.evaluations;
    pelti_tracking_project(t, (TrackingLooks){.steps = 8, .enough = 1e-3f});
    int looked = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        float off = vec3_distance(t->surface.x[v], t->mesh->rest[v]) / t->skin.edge[v];
        if (v % 3 == 0 || t->skin.kind[v] == TRACKING_VERTEX_RIGID) {
            CHECK_NEAR(off, 0.2, 1e-3); // it was not asked
        } else if (t->skin.kind[v] == TRACKING_VERTEX_TRACKED && !t->surface.contact[v]) {
            looked++;
            CHECK_NEAR(t->surface.residual[v], 0, 2e-3);
            assert_true(off < 0.15f);
        }
    }
    assert_true(looked > t->mesh->vertex_count / 2);
    assert_true(t->counters.evaluations - before >= looked && t->counters.evaluations - before <= 8.0 * t->mesh->vertex_count);
}

/// From one pose to another and back again: skin goes with its bone, and comes back.
static void the_rigid_move_goes_with_the_bones(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    PeltiJoint joints[BONES];
    turn(&rig, last_bone(&rig), vec3(0, 0, 1), 0.7f);
    test_joints(rig.who, rig.bones, joints);
    PeltiStepInput in = {.bones = rig.bones, .joints = joints};
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.now);
    pelti_tracking_bones_from(t->who, t->bones.order, &in, &t->bones.now, &t->bones.goal);
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->surface.normal);
    for (int v = 0; v < t->mesh->vertex_count; v++)
        t->surface.x[v] = t->mesh->rest[v];
    pelti_tracking_move(t, &t->bones.now, &t->bones.goal);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        CHECK_NEAR(vec3_distance(t->surface.x[v], mat34_apply(rig.bones[t->skin.bone[v]], t->mesh->rest[v])), 0, 1e-6);
        CHECK_NEAR(vec3_length(t->surface.normal[v]), 1, 1e-5);
    }
    pelti_tracking_move(t, &t->bones.goal, &t->bones.now);
    for (int v = 0; v < t->mesh->vertex_count; v++)
        CHECK_NEAR(vec3_distance(t->surface.x[v], t->mesh->rest[v]), 0, 1e-5 * (double)t->mesh->diagonal);
}

enum { FAR_APART = 7919 }; ///< a prime: vertices in an order in which no two neighbours follow each other

/// The same skin with its vertices in another order: vertex v is what v FAR_APART was.
static void order_shuffled(const Tracking *t, Vec3 *rest, int *part)
{
    int n = t->mesh->vertex_count;
    PeltiMesh mesh = *t->mesh;
    PeltiFields fields = *t->fields;
    Tracking shuffled = *t;
    for (int v = 0; v < n; v++) {
        int was = (int)((long)v * FAR_APART % n);
        rest[v] = t->mesh->rest[was];
        part[v] = t->fields->vertex_part[was];
    }
    mesh.rest = rest, fields.vertex_part = part;
    shuffled.mesh = &mesh, shuffled.fields = &fields;
    assert_int_equal(pelti_tracking_order_looks(&shuffled, NULL), PELT_OK);
}

/// Each vertex once, the skin of a part in one run, and in it next to each other what lies together.
static void skin_that_lies_together_looks_together(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int n = t->mesh->vertex_count, runs = 0;
    double way = 0, shuffled_way = 0;
    unsigned char *seen = calloc((size_t)n, 1);
    Vec3 *rest = calloc((size_t)n, sizeof *rest);
    int *part = calloc((size_t)n, sizeof *part);
    assert_true(seen && rest && part && n % FAR_APART != 0);
    order_shuffled(t, rest, part);
    for (int k = 0; k < n; k++) {
        int v = t->surface.look_order[k], before = k ? t->surface.look_order[k - 1] : v;
        assert_true(v >= 0 && v < n && !seen[v]);
        seen[v] = 1;
        runs += !k || part[v] != part[before];
        way += (double)vec3_distance(rest[v], rest[before]);
        shuffled_way += (double)vec3_distance(rest[k], rest[k ? k - 1 : 0]);
    }
    assert_true(runs <= t->fields->part_count + 1);
    assert_true(way < 0.2 * shuffled_way);
    assert_int_equal(pelti_tracking_order_looks(t, NULL), PELT_OK); // as it was
    free(seen);
    free(rest);
    free(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_shape_lies_on_its_surface), cmocka_unit_test(skin_off_its_surface_goes_back),
        cmocka_unit_test(the_rigid_move_goes_with_the_bones), cmocka_unit_test(skin_that_lies_together_looks_together)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
