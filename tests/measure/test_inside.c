/// Vertices inside the surface, and how deep, where both are known: one tube in another.
#include "chain.h"

#include "measure/parts.h"

static Vec3 p[2 * TUBE_POINTS], x[2 * TUBE_POINTS];
static int t[2 * TUBE_TRIANGLES][3];

static PeltiCharacter *tubes(void)
{
    int points = 2 * TUBE_POINTS, count = make_tube(3, 0.5f, p, t, 0);
    count += make_tube(3, 0.1f, p, t + count, TUBE_POINTS);
    for (int i = TUBE_POINTS; i < points; i++)
        p[i].y += 2;
    return make_chain(2, 0, 1, 1, &points, points, p, count, (const int(*)[3])t);
}

/// Of the first frame, which is the rest pose.
static PeltiMeasure *measured_at_rest(PeltiCharacter *who, PeltQuality *f)
{
    PeltiMeasure *m = NULL;
    assert_int_equal(pelti_measure_create(who, NULL, NULL, &m, NULL), PELT_OK);
    memcpy(x, p, sizeof x);
    pelti_measure_frame(m, x, NULL, NULL, f);
    return m;
}

static void a_thin_tube_in_a_thick_one_is_as_deep_as_it_is(void **state)
{
    (void)state;
    PeltiCharacter *who = tubes();
    PeltQuality f;
    PeltiMeasure *m = measured_at_rest(who, &f);
    assert_int_equal(f.inside_vertices, 0);
    CHECK_NEAR(f.depth, 0, 0);
    for (int i = TUBE_POINTS; i < 2 * TUBE_POINTS; i++) // shorter, so that its ends are inside too, and off the middle
        x[i] = vec3(0.5f + 0.6f * p[i].x, p[i].y - 2 + 0.1f, p[i].z);
    pelti_measure_frame(m, x, NULL, NULL, &f);
    int inside = 0;
    double most = 0;
    const float *depth = pelti_measure_depth(m);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        bool thin = who->mesh->first_point[v] >= TUBE_POINTS;
        inside += depth[v] > 0;
        most = fmax(most, (double)depth[v]);
        assert_true(thin || depth[v] == 0); // the thick one is in nothing
        Vec3 at = x[who->mesh->first_point[v]];
        if (thin && at.x > 0.8f && at.x < 2) // the nearest skin that faces the vertex is its own tube's, beyond a quarter turn
            assert_true((double)depth[v] * m->size > 0.13 && (double)depth[v] * m->size < 0.2001);
    }
    assert_int_equal(inside, f.inside_vertices);
    assert_true(inside > TUBE_POINTS * 9 / 10);
    CHECK_NEAR(f.depth, most, 1e-7);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void a_tube_turned_inside_out_is_everted(void **state)
{
    (void)state;
    PeltiCharacter *who = tubes();
    PeltQuality f;
    PeltiMeasure *m = measured_at_rest(who, &f);
    assert_int_equal(f.everted_vertices, 0);
    for (int i = 0; i < TUBE_POINTS; i++) // mirrored: normals lead inside
        x[i].z = -p[i].z;
    pelti_measure_frame(m, x, NULL, NULL, &f);
    assert_true(f.everted_vertices > TUBE_POINTS * 9 / 10 && f.everted_vertices <= TUBE_POINTS);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thin_tube_in_a_thick_one_is_as_deep_as_it_is),
                                       cmocka_unit_test(a_tube_turned_inside_out_is_everted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
