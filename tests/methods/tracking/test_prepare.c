/// What tracking prepares: kinds of vertices, edge weights, the solver's numbering.
#include "shared_rig.h"

static void edge_weights_are_symmetric_and_sum_up(void **state)
{
    (void)state;
    const Tracking *t = rig.state;
    const PeltiMesh *mesh = t->mesh;
    double area = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            int w = mesh->ring[e], back = mesh->ring_start[w];
            while (mesh->ring[back] != v)
                back++;
            assert_true(t->energy.ring_weight[e] > 0 && t->energy.ring_weight[e] == t->energy.ring_weight[back]);
            int row = t->solver.ring.start[t->solver.place[v]] + e - mesh->ring_start[v];
            assert_int_equal(t->solver.ring.vertex[row], w);
            assert_int_equal(t->solver.order[t->solver.ring.place[row]], w);
            assert_true(t->solver.ring.weight[row] == t->energy.ring_weight[e]);
            sum += (double)t->energy.ring_weight[e];
        }
        CHECK_NEAR(t->energy.diagonal[v], sum, 1e-4 * sum);
        assert_int_equal(t->solver.place[t->solver.order[v]], v);
        area += (double)t->skin.area[v];
    }
    double triangles = 0;
    for (int k = 0; k < mesh->triangle_count; k++) {
        const int *c = mesh->triangles[k];
        triangles += 0.5 * (double)vec3_length(vec3_cross(vec3_sub(mesh->rest[c[1]], mesh->rest[c[0]]),
                                                          vec3_sub(mesh->rest[c[2]], mesh->rest[c[0]])));
    }
    CHECK_NEAR(area / triangles, 1, 1e-4); // lumped areas make up the whole
    CHECK_NEAR(t->skin.volume, pelti_mesh_volume(mesh, mesh->rest), 0);
}

static void bones_come_after_their_parents(void **state)
{
    (void)state;
    bool seen[BONES] = {0};
    for (int k = 0; k < rig.who->bone_count; k++) {
        int b = rig.state->bones.order[k], parent = rig.who->bones[b].parent;
        assert_true(!seen[b] && (parent < 0 || seen[parent]));
        seen[b] = true;
    }
    for (int v = 0; v < rig.who->mesh->vertex_count; v++) { // every vertex has a bone to go with, a part's or its owner's
        int part = rig.state->fields->vertex_part[v];
        assert_int_equal(rig.state->skin.bone[v], rig.state->skin.kind[v] == TRACKING_VERTEX_RIGID || part < 0
                                                      ? rig.weights.bone[v * rig.weights.influences]
                                                      : rig.state->fields->parts[part].bone);
    }
}

static void options_are_read_and_can_be_changed(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    PeltiOptions *o = test_malloc(sizeof *o);
    pelti_options_init(o, pelti_method_tracking.options);
    assert_int_equal(pelti_options_set(o, "gap", "0.01", NULL), PELT_OK);
    assert_int_equal(pelti_options_set(o, "virtual-step", "9", NULL), PELT_OK);
    assert_int_equal(pelti_options_set(o, "blend", "rigid", NULL), PELT_OK);
    assert_int_equal(pelti_options_set(o, "solver", "jacobi", NULL), PELT_OK);
    pelti_tracking_retune(t, o);
    CHECK_NEAR(t->set.gap, 0.01 * (double)t->mesh->diagonal, 1e-6);
    CHECK_NEAR(t->set.floor_rad, 9 * 3.14159265 / 180, 1e-6);
    assert_int_equal(t->set.target, TRACKING_TARGET_RIGID);
    assert_int_equal(t->set.blend_passes, 0);
    assert_false(t->set.fast);
    assert_int_equal(pelti_options_set(o, "blend", "smoother", NULL), PELT_OK);
    pelti_tracking_retune(t, o);
    assert_int_equal(t->set.target, TRACKING_TARGET_BLENDED);
    assert_true(t->set.blend_passes > 0);
    test_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edge_weights_are_symmetric_and_sum_up),
                                       cmocka_unit_test(bones_come_after_their_parents),
                                       cmocka_unit_test(options_are_read_and_can_be_changed)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
