/// Edges, areas and normals of a frame under motions whose measures are known.
#include "chain.h"

#include "measure/parts.h"
#include "points.h"

static Vec3 p[TUBE_POINTS], x[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];
static PeltiCharacter *who;
static PeltiMeasure *m;

static int open_tube(void **state)
{
    (void)state;
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    who = make_chain((ChainBones){2, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    return pelti_measure_create(who, NULL, NULL, &m, NULL) == PELT_OK ? 0 : 1;
}

static int close_tube(void **state)
{
    (void)state;
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
    return 0;
}

/// Twice as thick, as long as it was.
static void stretch_is_measured_edge_by_edge(void **state)
{
    (void)state;
    PeltQuality f;
    for (int i = 0; i < TUBE_POINTS; i++)
        x[i] = vec3(p[i].x, 2 * p[i].y, 2 * p[i].z);
    measure_points(m, x, NULL, NULL, &f);
    double low = INFINITY, high = 0;
    for (int e = 0; e < who->mesh->edge_count; e++) {
        int a = who->mesh->first_point[who->mesh->edges[e][0]], b = who->mesh->first_point[who->mesh->edges[e][1]];
        double ratio = (double)vec3_distance(x[a], x[b]) / (double)vec3_distance(p[a], p[b]);
        low = fmin(low, ratio);
        high = fmax(high, ratio);
    }
    CHECK_NEAR(f.stretch_min, low, 1e-5);
    CHECK_NEAR(f.stretch_max, high, 1e-5);
    CHECK_NEAR(low, 1, 1e-5);  // along
    CHECK_NEAR(high, 2, 1e-5); // around
    assert_true(f.stretch_p1 >= low - 1e-6 && f.stretch_p99 <= high + 1e-6 && f.area_p99 <= 4 + 1e-3 && f.area_p1 >= 1);
    const float *map = pelti_measure_stretch(m);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        assert_true(map[v] > 1 && map[v] < 2);
}

/// A bone that turns its skin over, and skin that turns over by itself.
static void flips_are_told_from_turns(void **state)
{
    (void)state;
    PeltQuality f;
    Mat34 bones[2];
    Mat34 turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), 3.0f)), vec3(0, 0, 0));
    for (int b = 0; b < 2; b++)
        bones[b] = turn;
    for (int i = 0; i < TUBE_POINTS; i++)
        x[i] = mat34_apply(turn, p[i]);
    measure_points(m, x, bones, NULL, &f);
    assert_int_equal(f.flipped_vs_bone, 0);
    assert_int_equal(f.flipped_vs_neighbours, 0);
    for (int i = 0; i < TUBE_POINTS; i++)
        x[i] = p[i];
    bones[0] = bones[1] = mat34_identity();
    int v = 16 * AROUND + 2; // pulled through the opposite wall's side: its triangles turn over
    x[v] = vec3_mad(x[v], vec3(1, 0, 0), 0.5f);
    measure_points(m, x, bones, NULL, &f);
    assert_true(f.flipped_vs_bone > 0 && f.inverted <= f.flipped_vs_bone);
    x[v] = p[v + 1]; // and some without an area
    measure_points(m, x, bones, NULL, &f);
    assert_true(f.degenerate > 0);
    measure_points(m, x, NULL, NULL, &f);
    assert_int_equal(f.flipped_vs_bone, -1); // no bones to compare with
}

static void holes_are_closed_by_their_middle(void **state)
{
    (void)state;
    int points = TUBE_POINTS - 2, count = 0;
    static int open[TUBE_TRIANGLES][3];
    make_tube(3, 0.35f, p, t, 0);
    for (int k = 0; k < TUBE_TRIANGLES; k++)
        if (t[k][0] < points && t[k][1] < points && t[k][2] < points)
            memcpy(open[count++], t[k], sizeof t[k]);
    PeltiCharacter *pipe = make_chain((ChainBones){2, 0, 1}, 1, &points, (ChainSkin){points, p, count, (const int(*)[3])open});
    assert_int_equal(pipe->mesh->hole_count, 2);
    Vec3 *at = PELTI_NEW(&pipe->pool, Vec3, pipe->mesh->vertex_count + 2);
    memcpy(at, pipe->mesh->rest, sizeof(Vec3) * (size_t)pipe->mesh->vertex_count);
    at[pipe->mesh->vertex_count] = at[pipe->mesh->vertex_count + 1] = vec3(NAN, NAN, NAN);
    pelti_measure_place_holes(pipe->mesh, at);
    for (int h = 0; h < 2; h++) {
        Vec3 c = at[pipe->mesh->vertex_count + h];
        CHECK_NEAR(c.y, 0, 1e-5);
        CHECK_NEAR(c.z, 0, 1e-5);
        CHECK_NEAR(fminf(fabsf(c.x), fabsf(c.x - 3)), 0, 1e-5); // in the middle of an end, one each
        CHECK_NEAR(fabsf(c.x - at[pipe->mesh->vertex_count + 1 - h].x), 3, 1e-5);
    }
    pelti_character_destroy(pipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretch_is_measured_edge_by_edge),
                                       cmocka_unit_test(flips_are_told_from_turns),
                                       cmocka_unit_test(holes_are_closed_by_their_middle)};
    return cmocka_run_group_tests(tests, open_tube, close_tube);
}
