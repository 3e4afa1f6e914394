/// The wide local step against plain scalar sums, and the tissue it works on.
#include "tube.h"

/// Pulls of one element by the scalar reference: R = polar(sum x G^T), rows R G.
static void scalar_pulls(const Tube *tube, int element, float out[3][3])
{
    const Projective *p = tube->p;
    const ProjBlock *block = &p->tissue.blocks[element / PROJ_LANES];
    int lane = element % PROJ_LANES;
    Mat3 f = {{{0}}};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                int v = block->corner[c][lane];
                f.m[i][j] += (p->state.x[v][i] - p->state.q[v][i]) * block->pull[c][j][lane];
                f.m[i][j] += p->state.q[v][i] * (block->pull[c][j][lane] + block->base[c][j][lane]);
            }
    Mat3 r = mat3_polar(mat3_scale(f, block->over_volume[lane]), NULL);
    for (int c = 0; c < 3; c++) {
        Vec3 g = mat3_apply(mat3_scale(r, p->swelling.share[element / PROJ_LANES].s[lane]),
                            vec3(block->pull[c][0][lane], block->pull[c][1][lane], block->pull[c][2][lane]));
        out[c][0] = g.x;
        out[c][1] = g.y;
        out[c][2] = g.z;
    }
}

static void wide_pulls_match_the_scalar_reference(void **state)
{
    (void)state;
    const char *const variants[][2] = {{NULL}, {"rotations=tet", NULL}};
    for (int k = 0; k < 2; k++) {
        Tube tube;
        tube_open(&tube, 1, variants[k]);
        tube_step(&tube, 0, true);
        tube_pose(&tube, turn_about(vec3(0, 0, 0), vec3(0, 1, 0), 0.4f), 0.8f, -0.5f);
        tube_step(&tube, 0, true);
        tube_pose(&tube, turn_about(vec3(0, 0, 0), vec3(0, 1, 0), 0.45f), 0.9f, -0.6f); // a little further: what a step sees
        pelti_proj_begin(tube.p, tube_pose_of(&tube), PROJ_STILL);
        const Projective *p = tube.p;
        const ProjPulls pulls = {(const ProjRow *)p->state.x, p->scratch.frames, p->swelling.share, p->state.warm,
                                 p->scratch.pulls};
        for (int i = 0; i < 6; i++) // rotations follow in a few steps from the last ones
            pelti_proj_local(&p->tissue, NULL, &pulls);
        float size = 0;
        for (int e = 0; e < tube.p->tissue.element_count; e++) {
            float want[3][3];
            scalar_pulls(&tube, e, want);
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < 3; i++) {
                    size = fmaxf(size, fabsf(want[c][i]));
                    CHECK_NEAR(tube.p->scratch.pulls[((e / PROJ_LANES) * 3 + c) * PROJ_LANES + e % PROJ_LANES][i], want[c][i],
                               2e-6);
                }
        }
        assert_true(size > 1e-3f); // the tolerance means something
        tube_close(&tube);
    }
}

static void every_tet_is_sound_and_sides_are_split_alike(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const ProjTissue *t = &tube.p->tissue;
    double volume = 0;
    for (int k = 0; k < t->tet_count; k++) {
        const ProjTet *tet = &t->tets[k];
        for (int j = 0; j < 3; j++) // gradients of shape functions add up to zero
            CHECK_NEAR(tet->grad[0][j] + tet->grad[1][j] + tet->grad[2][j] + tet->grad[3][j], 0, 2e-3);
        assert_true(tet->volume > 0);
    }
    volume = t->volume; // prisms fill the space between tube and bone: no cracks, no overlaps
    double outer = pelti_mesh_volume(tube.who->mesh, tube.who->mesh->rest);
    static Vec3 inner_points[TUBE_POINTS];
    for (int v = 0; v < tube.who->mesh->vertex_count; v++)
        inner_points[v] = tube.p->feet[v].base;
    double inner = pelti_mesh_volume(tube.who->mesh, inner_points);
    CHECK_NEAR(volume / (outer - inner), 1, 0.03);
    tube_close(&tube);
}

static void the_matrix_is_the_second_derivative_of_the_energy(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    tube_step(&tube, 0, true);
    Projective *p = tube.p;
    pelti_proj_begin(p, tube_pose_of(&tube), PROJ_STILL);
    double e0 =
        pelti_proj_energy(&p->tissue, (const ProjRow *)p->state.x, (const ProjRow *)p->state.q, p->state.warm, p->swelling.share);
    for (int i = 5; i < p->count; i += 97) { // rotations held: the energy is a parabola in x
        float h = 0.01f;
        p->state.x[i][0] += h;
        double e1 = pelti_proj_energy(&p->tissue, (const ProjRow *)p->state.x, (const ProjRow *)p->state.q, p->state.warm,
                                      p->swelling.share);
        p->state.x[i][0] -= h;
        double diagonal = p->tissue.entries[p->system.order[i]].value - (double)p->tissue.pin[i];
        CHECK_NEAR((e1 - e0) / (0.5 * (double)h * (double)h * diagonal), 1, 2e-3);
    }
    tube_close(&tube);
}

static void a_held_fold_comes_to_rest_without_crossing(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    tube_step(&tube, 0, true);
    for (int f = 1; f <= 30; f++) {
        tube_pose(&tube, mat34_identity(), 2.5f * (float)f / 30, 0);
        tube_step(&tube, 1.0f / 30, false);
    }
    static Vec3 before[TUBE_POINTS];
    for (int f = 0; f < 60; f++) {
        memcpy(before, tube.points, sizeof before);
        tube_step(&tube, 1.0f / 30, false);
    }
    float fastest = 0;
    for (int i = 0; i < TUBE_POINTS; i++)
        fastest = fmaxf(fastest, 30 * vec3_distance(before[i], tube.points[i]));
    printf("held fold: fastest vertex %.1e of the size a second after 2 s\n", (double)(fastest / tube.who->mesh->diagonal));
    assert_true(fastest < 1e-4f * tube.who->mesh->diagonal);
    assert_true(tube.p->contacts.count > 0);
    // each vertex near the fold is on its side of the plane that halves the angle
    Vec3 joint = vec3(1, 0, 0), child = mat34_apply_vector(tube.bones[1], vec3(1, 0, 0)),
         normal = vec3_normalize_or(vec3_add(child, vec3(1, 0, 0)), child);
    for (int i = 0; i < TUBE_POINTS - 2; i++) {
        float x = tube.who->rest_points[i].x, s = vec3_dot(vec3_sub(tube.points[i], joint), normal);
        if (x > 1.2f && x < 1.8f)
            assert_true(s > -2e-3f);
        if (x > 0.2f && x < 0.8f)
            assert_true(s < 2e-3f);
    }
    tube_close(&tube);
}

static int bad_tets(const PeltiMesh *mesh, const ProjFoot *feet)
{
    int bad = 0;
    for (int f = 0; f < mesh->triangle_count; f++)
        bad += pelti_proj_bad_tets(mesh, feet, mesh->triangles[f]);
    return bad;
}

/// Base points outside the skin, across the axis and on the skin itself, one kind after the other.
static void a_wrecked_base_layer_is_moved_until_no_tet_is_inside_out(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const PeltiMesh *mesh = tube.who->mesh;
    const float ways[] = {-0.5f, 2.5f, 0, 0.7f};
    PeltiPool temp;
    pelti_pool_init(&temp, NULL);
    for (int v = 0; v < mesh->vertex_count; v++)
        tube.p->feet[v].base = vec3_lerp(mesh->rest[v], tube.p->feet[v].foot, ways[v % 4]);
    assert_true(bad_tets(mesh, tube.p->feet) > mesh->triangle_count / 2);
    PeltError err = {0};
    assert_int_equal(pelti_proj_layer(mesh, tube.p->feet, &temp, NULL, &err), PELT_OK);
    assert_int_equal(bad_tets(mesh, tube.p->feet), 0);
    pelti_pool_release(&temp);
    tube_close(&tube);
}

/// Base points of skin near bone 0 that the weights give to bone 2 move with bone 2, and take no part in folds of bone 0.
static void base_points_follow_the_weights_where_another_bone_is_nearer(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const PeltiMesh *mesh = tube.who->mesh;
    PeltiWeightRows rows;
    PeltiWeights all;
    PeltError err = {0};
    ProjBase base = {.slide = true};
    assert_int_equal(pelti_weights_new(tube.who, &tube.pool, 4, &rows, &all, &err), PELT_OK);
    for (int v = 0; v < mesh->vertex_count; v++) {
        rows.bone[4 * v] = mesh->rest[v].x < 0.5f ? 2 : tube.weights.bone[v * tube.weights.influences];
        rows.weight[4 * v] = 1;
    }
    assert_int_equal(pelti_proj_agree(tube.who, &tube.p->skeleton, &all, tube.p->feet, &tube.pool, &err), PELT_OK);
    const ProjSource source = {.who = tube.who, .weights = &all, .pool = &tube.pool};
    assert_int_equal(pelti_proj_base(&source, &tube.p->skeleton, tube.p->feet, tube.p->system.order, &base, &err), PELT_OK);
    tube_pose(&tube, mat34_identity(), 0, 0);
    tube.bones[2] = mat34_from(mat3_identity(), vec3(0, 0.5f, 0));
    pelti_proj_pose_joints(&base, tube_pose_of(&tube));
    for (int i = 0; i < mesh->vertex_count; i++) {
        int v = tube.p->system.order[i];
        if (mesh->rest[v].x > 0.2f)
            continue;
        assert_int_equal(pelti_proj_segment(&tube.p->feet[v]), -1);
        Vec3 at = pelti_proj_pose_base(&base, tube.bones, i);
        CHECK_NEAR(vec3_distance(at, vec3_add(tube.p->feet[v].base, vec3(0, 0.5f, 0))), 0, 1e-5f);
    }
    tube_close(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_pulls_match_the_scalar_reference),
        cmocka_unit_test(every_tet_is_sound_and_sides_are_split_alike),
        cmocka_unit_test(the_matrix_is_the_second_derivative_of_the_energy),
        cmocka_unit_test(a_held_fold_comes_to_rest_without_crossing),
        cmocka_unit_test(a_wrecked_base_layer_is_moved_until_no_tet_is_inside_out),
        cmocka_unit_test(base_points_follow_the_weights_where_another_bone_is_nearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
