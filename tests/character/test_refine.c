/// A beam of three square rings around two bones: as coarse as a character gets.
#include "chain.h"
#include "character/refine.h"

enum { RINGS = 3, POINTS = 4 * RINGS, TRIANGLES = 8 * (RINGS - 1) + 4, INFLUENCES = 4 };
static int beam_bone[POINTS * INFLUENCES];
static float beam_weight[POINTS * INFLUENCES];

/// Ring 0 on the first bone, ring 2 on the second, ring 1 on both.
static PeltiCharacter *make_beam(void)
{
    Vec3 p[POINTS];
    int t[TRIANGLES][3], n = 0, all = POINTS;
    for (int i = 0; i < POINTS; i++)
        p[i] = vec3((float)(i / 4) * 1.0f, i % 4 == 0 || i % 4 == 3 ? -0.25f : 0.25f, i % 4 < 2 ? -0.25f : 0.25f);
    for (int ring = 0; ring + 1 < RINGS; ring++)
        for (int k = 0; k < 4; k++) {
            int a = 4 * ring + k, b = 4 * ring + (k + 1) % 4;
            memcpy(t[n], (int[2][3]){{a, b, a + 4}, {b, b + 4, a + 4}}, 6 * sizeof(int));
            n += 2;
        }
    int last = POINTS - 4;
    memcpy(t[n], (int[4][3]){{0, 2, 1}, {0, 3, 2}, {last, last + 1, last + 2}, {last, last + 2, last + 3}}, 12 * sizeof(int));
    PeltiCharacter *who = make_chain(2, 0, 1, 1, &all, POINTS, p, TRIANGLES, (const int(*)[3])t);
    memset(beam_weight, 0, sizeof beam_weight);
    memset(beam_bone, 0, sizeof beam_bone);
    for (int i = 0; i < POINTS; i++) {
        beam_bone[i * INFLUENCES] = i / 4 == 2;
        beam_weight[i * INFLUENCES] = i / 4 == 1 ? 0.5f : 1;
        beam_bone[i * INFLUENCES + 1] = 1;
        beam_weight[i * INFLUENCES + 1] = i / 4 == 1 ? 0.5f : 0;
    }
    who->file_weights = (PeltiWeights){INFLUENCES, beam_bone, beam_weight};
    who->file_weights_sane = true;
    return who;
}

static PeltiCharacter *refined(const PeltiCharacter *who)
{
    PeltError err = {0};
    PeltiCharacter *fine = NULL;
    if (pelti_character_refine(who, NULL, &fine, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_non_null(fine);
    return fine;
}

static double area_of(const PeltiCharacter *who)
{
    double area = 0;
    for (int t = 0; t < who->triangle_count; t++) {
        const int *c = who->point_triangles[t];
        Vec3 a = who->rest_points[c[0]], b = who->rest_points[c[1]], d = who->rest_points[c[2]];
        area += (double)vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(d, a))) / 2;
    }
    return area;
}

static void a_beam_is_coarse_and_its_copy_is_not(void **state)
{
    (void)state;
    PeltiCharacter *who = make_beam(), *fine = refined(who);
    assert_true(pelti_character_is_coarse(who));
    assert_false(pelti_character_is_coarse(fine));
    assert_true(fine->mesh->vertex_count > 10 * who->mesh->vertex_count);
    pelti_character_destroy(fine);
    pelti_character_destroy(who);
}

static void the_skin_keeps_its_shape_and_its_numbers(void **state)
{
    (void)state;
    PeltiCharacter *who = make_beam(), *fine = refined(who);
    assert_true(who->mesh->closed);
    assert_true(fine->mesh->closed); // no crack where one side of an edge is split and the other not
    CHECK_NEAR(area_of(fine), area_of(who), 1e-4);
    CHECK_NEAR(pelti_mesh_volume(fine->mesh, fine->mesh->rest), pelti_mesh_volume(who->mesh, who->mesh->rest), 1e-5);
    for (int p = 0; p < who->point_count; p++) {
        assert_memory_equal(&fine->rest_points[p], &who->rest_points[p], sizeof(Vec3));
        assert_int_equal(fine->mesh->weld[p], who->mesh->weld[p]);
    }
    pelti_character_destroy(fine);
    pelti_character_destroy(who);
}

/// The weights run linearly along the beam, so those of a new point are known.
static void new_points_blend_the_weights_of_their_edge(void **state)
{
    (void)state;
    PeltiCharacter *who = make_beam(), *fine = refined(who);
    check_sane(fine, &fine->file_weights);
    for (int p = 0; p < fine->point_count; p++)
        CHECK_NEAR(weight_of(&fine->file_weights, p, 1), fine->rest_points[p].x / 2, 1e-5);
    pelti_character_destroy(fine);
    pelti_character_destroy(who);
}

static void a_fine_tube_is_left_alone(void **state)
{
    (void)state;
    Vec3 p[TUBE_POINTS];
    int t[TUBE_TRIANGLES][3], all = TUBE_POINTS, n = make_tube(4, 0.3f, p, t, 0);
    PeltiCharacter *who = make_chain(3, 0, 2, 1, &all, TUBE_POINTS, p, n, (const int(*)[3])t);
    assert_false(pelti_character_is_coarse(who));
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_is_coarse_and_its_copy_is_not),
        cmocka_unit_test(the_skin_keeps_its_shape_and_its_numbers),
        cmocka_unit_test(new_points_blend_the_weights_of_their_edge),
        cmocka_unit_test(a_fine_tube_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
