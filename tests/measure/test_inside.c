/// Vertices inside the surface, and how deep, where both are known: one tube in another.
#include "chain.h"

#include "measure/parts.h"
#include "points.h"

static Vec3 p[2 * TUBE_POINTS], x[2 * TUBE_POINTS];
static int t[2 * TUBE_TRIANGLES][3];

static PeltiCharacter *tubes(void)
{
    int points = 2 * TUBE_POINTS, count = make_tube(3, 0.5f, p, t, 0);
    count += make_tube(3, 0.1f, p, t + count, TUBE_POINTS);
    for (int i = TUBE_POINTS; i < points; i++)
        p[i].y += 2;
    return make_chain((ChainBones){2, 0, 1}, 1, &points, (ChainSkin){points, p, count, (const int(*)[3])t});
}

/// Of the first frame, which is the rest pose.
static PeltiMeasure *measured_at_rest(PeltiCharacter *who, PeltQuality *f)
{
    PeltiMeasure *m = NULL;
    assert_int_equal(pelti_measure_create(who, NULL, NULL, &m, NULL), PELT_OK);
    memcpy(x, p, sizeof x);
    measure_points(m, x, NULL, NULL, f);
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
    measure_points(m, x, NULL, NULL, &f);
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
    measure_points(m, x, NULL, NULL, &f);
    assert_true(f.everted_vertices > TUBE_POINTS * 9 / 10 && f.everted_vertices <= TUBE_POINTS);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

/// What one ray and its neighbours tell is what three rays tell, for every vertex: of tubes folded through themselves, of one
/// that is open since a point of it is no number or too far away, and in every direction, so that rays graze edges.
static void neighbours_tell_what_three_rays_tell(void **state)
{
    (void)state;
    PeltiCharacter *who = tubes();
    PeltQuality f;
    PeltiMeasure *m = measured_at_rest(who, &f);
    int inside = 0;
    for (int pose = 0; pose < 12; pose++) {
        float c = cosf(0.5236f * (float)pose), s = sinf(0.5236f * (float)pose); // multiples of 30 degrees: along the axes too
        for (int i = 0; i < 2 * TUBE_POINTS; i++) {
            Vec3 q = i < TUBE_POINTS ? p[i] : vec3(0.5f + 0.6f * p[i].x, p[i].y - 2 + 0.1f, p[i].z);
            float bend = 1.1f * (float)(pose % 3) * q.x, side = q.y + 0.4f;
            q = vec3(side * sinf(bend) + (pose % 3 ? 0 : q.x), side * cosf(bend), q.z);
            x[i] = vec3(c * q.x - s * q.y, s * q.x + c * q.y, q.z);
        }
        for (int i = 0; i < TUBE_POINTS && pose > 8; i++)
            if (p[i].y > 0.1f && p[i].x < 2)
                x[i].y = pose > 9 ? 1e31f : NAN;
        measure_points(m, x, NULL, NULL, &f);
        for (int v = 0; v < who->mesh->vertex_count; v++) {
            Vec3 a = m->frame.x[v];
            MeasureNormal u = m->frame.vertex_normal[v];
            double off = 1e-4 * m->size, at[3] = {(double)a.x + off * u.x, (double)a.y + off * u.y, (double)a.z + off * u.z};
            int winding = m->inside.judged[v]
                              ? pelti_box_tree_winding(m->capped.tree, (const int(*)[3])m->capped.triangles, m->frame.x, at)
                              : 0;
            assert_int_equal(m->inside.winding[v], winding);
            inside += winding >= 1;
        }
    }
    assert_true(inside > 12 * TUBE_POINTS / 4);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thin_tube_in_a_thick_one_is_as_deep_as_it_is),
                                       cmocka_unit_test(a_tube_turned_inside_out_is_everted),
                                       cmocka_unit_test(neighbours_tell_what_three_rays_tell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
