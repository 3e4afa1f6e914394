/// Torn, flown, volume by component, rigid pieces, and crossings that rest explains: each on boxes where the answer is known.
#include "chain.h"

#include "measure/measure.h"
#include "points.h"

static const int box_faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

enum { BOXES = 3, POINTS = 8 * BOXES };

static void place_box(Vec3 low, float edge, Vec3 *out)
{
    for (int i = 0; i < 8; i++)
        out[i] = vec3_mad(low, vec3((float)(i >> 2), (float)(i >> 1 & 1), (float)(i & 1)), edge);
}

/// Three boxes in one mesh: two closed ones apart from each other, and one without a lid. The first is painted to bone 1 alone,
/// the second to two bones.
static PeltiCharacter *boxes_new(Vec3 *p, Vec3 second)
{
    int t[36][3], points[] = {POINTS}, n = 0;
    place_box(vec3(0, 0, 0), 1, p);
    place_box(second, 1, p + 8);
    place_box(vec3(0, 6, 0), 1, p + 16);
    for (int i = 0; i < 34; i++, n++) // the last two faces of the last box are missing
        for (int k = 0; k < 3; k++)
            t[i][k] = box_faces[i % 12][k] + 8 * (i / 12);
    PeltiCharacter *who = make_chain((ChainBones){2, 0, 3}, 1, points, (ChainSkin){POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, 4 * POINTS);
    float *weight = PELTI_NEW(&who->pool, float, 4 * POINTS);
    for (int i = 0; i < POINTS; i++) {
        bone[4 * i] = i < 8, bone[4 * i + 1] = i >= 8;
        weight[4 * i] = i < 8 ? 1 : 0.6f, weight[4 * i + 1] = i < 8 ? 0 : 0.4f;
    }
    who->file_weights = (PeltiWeights){4, bone, weight};
    return who;
}

static PeltiMeasure *measure_new(const PeltiCharacter *who)
{
    PeltiMeasure *m = NULL;
    PeltError err = {0};
    if (pelti_measure_create(who, NULL, NULL, &m, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return m;
}

static Vec3 rest[POINTS], x[POINTS], lbs[POINTS];

static void closed_components_have_a_volume_each(void **state)
{
    (void)state;
    PeltiCharacter *who = boxes_new(rest, vec3(4, 0, 0));
    PeltiMeasure *m = measure_new(who);
    assert_int_equal(pelti_measure_component_count(m), 2); // the box without a lid is none
    PeltQuality f;
    memcpy(x, rest, sizeof x);
    memcpy(lbs, rest, sizeof lbs);
    place_box(vec3(4, 0, 0), 0.5f, x + 8);   // an eighth
    place_box(vec3(4, 0, 0), 0.9f, lbs + 8); // 0.729 by lbs
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.component_volume_min, 0.125, 1e-6);
    CHECK_NEAR(f.component_volume_max, 1, 1e-6);
    CHECK_NEAR(f.component_volume_error, 0.875, 1e-6);
    CHECK_NEAR(f.component_volume_vs_lbs, 0.729 - 0.125, 1e-6);
    place_box(vec3(4, 0, 0), 1.05f, x + 8); // nearer to 1 than lbs, on the other side of it: not worse
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.component_volume_vs_lbs, 0, 1e-12);
    PeltComponentQuality first = pelti_measure_component(m, 0), second = pelti_measure_component(m, 1);
    assert_int_equal(first.vertices, 8);
    CHECK_NEAR(first.rest_volume, 1, 1e-6);
    CHECK_NEAR(first.ratio_min, 1, 1e-6);
    CHECK_NEAR(second.ratio_min, 0.125, 1e-6);
    CHECK_NEAR(second.ratio_max, 1.05 * 1.05 * 1.05, 1e-5);
    CHECK_NEAR(second.vs_lbs, 0.729 - 0.125, 1e-6);
    pelti_measure_restart(m);
    assert_true(isnan(pelti_measure_component(m, 1).ratio_min));
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void torn_is_what_lbs_does_not_stretch(void **state)
{
    (void)state;
    PeltiCharacter *who = boxes_new(rest, vec3(4, 0, 0));
    PeltiMeasure *m = measure_new(who);
    PeltQuality f;
    memcpy(x, rest, sizeof x);
    memcpy(lbs, rest, sizeof lbs);
    x[0] = vec3(-9, 0, 0); // the edges from the corner at the origin become 9 and more long
    double size = (double)who->mesh->diagonal;
    measure_points(m, x, NULL, lbs, &f);
    int edges = who->mesh->ring_start[who->mesh->weld[0] + 1] - who->mesh->ring_start[who->mesh->weld[0]];
    assert_int_equal(f.torn, edges);
    CHECK_NEAR(f.flown * size, 9, 1e-5);
    lbs[0] = vec3(-8, 0, 0); // lbs stretches them as far, but for an eighth
    measure_points(m, x, NULL, lbs, &f);
    assert_int_equal(f.torn, 0);
    CHECK_NEAR(f.flown * size, 1, 1e-5);
    measure_points(m, x, NULL, NULL, &f); // nothing to compare with
    assert_int_equal(f.torn, -1);
    assert_true(isnan(f.flown) && isnan(f.component_volume_vs_lbs) && isnan(f.rigid_error));
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void pieces_of_one_bone_are_rigid_or_not(void **state)
{
    (void)state;
    PeltiCharacter *who = boxes_new(rest, vec3(4, 0, 0));
    PeltiMeasure *m = measure_new(who);
    PeltQuality f;
    double size = (double)who->mesh->diagonal;
    Mat34 turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(3, 1, 2), vec3(1, 0, 0)), 2)), vec3(2, -7, 1));
    memcpy(lbs, rest, sizeof lbs);
    memcpy(x, rest, sizeof x);
    for (int i = 0; i < 8; i++) // turned otherwise than lbs has it: still rigid
        x[i] = mat34_apply(turn, rest[i]);
    place_box(vec3(4, 0, 0), 0.5f, x + 8); // painted to two bones: may do as it likes
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.rigid_error, 0, 1e-6);
    for (int i = 0; i < 8; i++) // the bone itself scales: lbs does, too
        lbs[i] = vec3_scale(rest[i], 2), x[i] = vec3_scale(x[i], 2);
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.rigid_error, 0, 1e-6);
    memcpy(lbs, rest, sizeof lbs);
    for (int i = 0; i < 8; i++) // stretched by 1.2 along x: half of 0.2 at both ends
        x[i] = vec3(1.2f * rest[i].x, rest[i].y, rest[i].z);
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.rigid_error * size, 0.1, 1e-5);
    for (int i = 0; i < 8; i++) // mirrored: no rotation does that
        x[i] = vec3(-rest[i].x, rest[i].y, rest[i].z);
    measure_points(m, x, NULL, lbs, &f);
    assert_true(f.rigid_error * size > 0.5);
    memcpy(x, rest, sizeof x);
    for (int i = 0; i < 8; i++) // bent by lbs alone
        lbs[i] = vec3(1.2f * rest[i].x, rest[i].y, rest[i].z);
    measure_points(m, x, NULL, lbs, &f);
    CHECK_NEAR(f.rigid_error, 0, 1e-6);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void sunk_parts_that_slide_are_not_new_crossings(void **state)
{
    (void)state;
    Vec3 second = vec3(0.9f, 0.3f, 0.2f); // sunk into the first box
    PeltiCharacter *who = boxes_new(rest, second);
    PeltiMeasure *m = measure_new(who);
    PeltQuality f;
    memcpy(x, rest, sizeof x);
    measure_points(m, x, NULL, NULL, &f);
    assert_true(f.self_intersections > 0 && f.rest_self_intersections == f.self_intersections);
    assert_int_equal(f.deep_pairs + f.crossings_new, 0);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
    // fine enough that "near" tells places apart: two tubes, one through the side of the other
    static Vec3 tube[2 * (AROUND * ALONG + 2)], moved[2 * (AROUND * ALONG + 2)];
    static int faces[2 * (2 * AROUND * ALONG)][3];
    int each = AROUND * ALONG + 2, points[] = {2 * each};
    int n = make_tube(4, 0.2f, tube, faces, 0);
    int more = make_tube(4, 0.2f, tube, faces + n, each);
    for (int i = each; i < 2 * each; i++)
        tube[i] = vec3(tube[i].y + 0.5f, tube[i].x - 0.1f, tube[i].z + 0.013f); // along y, its foot in the first one
    who = make_chain((ChainBones){2, 0, 2}, 1, points, (ChainSkin){2 * each, tube, n + more, (const int(*)[3])faces});
    m = measure_new(who);
    float near = 0.003f * who->mesh->diagonal;
    int deep[2], fresh[2];
    for (int far = 0; far < 2; far++) {
        memcpy(moved, tube, sizeof tube);
        for (int i = each; i < 2 * each; i++)
            moved[i].x += far ? 2.5f : near; // a little way along the first tube; to quite another place
        measure_points(m, moved, NULL, NULL, &f);
        deep[far] = f.deep_pairs, fresh[far] = f.crossings_new;
    }
    assert_true(deep[0] > 0 && deep[1] > 0);
    assert_int_equal(fresh[0], 0);
    assert_int_equal(fresh[1], deep[1]);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void lbs_is_measured_on_its_own(void **state)
{
    (void)state;
    PeltiCharacter *who = boxes_new(rest, vec3(4, 0, 0));
    PeltiMeasure *m = measure_new(who);
    PeltQuality f, own, alone;
    memcpy(lbs, rest, sizeof lbs);
    lbs[0].x -= 3;
    place_box(vec3(0.5f, 0.25f, 0.125f), 1, lbs + 8);
    PeltiMeasureSkin by_lbs = of_points(who->mesh, lbs);
    pelti_measure_lbs(m, by_lbs, NULL);
    free((void *)by_lbs.vertices);
    measure_points(m, rest, NULL, lbs, &f); // the skin's own numbers do not know of it
    assert_int_equal(f.deep_pairs, 0);
    pelti_measure_lbs_summary(m, &own);
    pelti_measure_restart(m);
    measure_points(m, lbs, NULL, lbs, &alone);
    assert_int_equal(own.frames, 1);
    assert_int_equal(own.deep_pairs, alone.deep_pairs);
    assert_true(own.deep_pairs > 0 && isnan(own.depth) && !isnan(alone.depth));
    CHECK_NEAR(own.stretch_max, alone.stretch_max, 0);
    CHECK_NEAR(own.flown, 0, 0);
    pelti_measure_lbs_summary(m, &own);
    assert_int_equal(own.frames, 0);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_components_have_a_volume_each), cmocka_unit_test(torn_is_what_lbs_does_not_stretch),
        cmocka_unit_test(pieces_of_one_bone_are_rigid_or_not),  cmocka_unit_test(sunk_parts_that_slide_are_not_new_crossings),
        cmocka_unit_test(lbs_is_measured_on_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
