/// Operators: borders by [Vaillant2014] eq. 1, symmetric slices in range, derivatives as differences say, bad ones refused.
#include "check.h"

#include "field/operator_fetch.h"

enum { N = PELTI_OPERATOR_NODES };
static PeltiPool pool;
static PeltiOperatorTables contact, bulge;

/// g and its derivatives at slice d in [0, 1].
static float at(const PeltiOperatorTables *op, float f1, float f2, float d, float *g1, float *g2)
{
    PeltiFloat4 g = pelti_operator_fetch(op, f1, f2, d * (PELTI_OPERATOR_SLICES - 1));
    *g1 = g[1];
    *g2 = g[2];
    return g[0];
}

static int build(void **state)
{
    (void)state;
    pelti_pool_init(&pool, NULL);
    PeltiProfile c = pelti_profile_contact(), b = pelti_profile_bulge();
    PeltiJobs *jobs = pelti_jobs_create(2);
    int bad = pelti_operator_build(&pool, jobs, &c, 1, &contact, NULL) != PELT_OK ||
              pelti_operator_build(&pool, jobs, &b, 1, &bulge, NULL) != PELT_OK;
    pelti_jobs_destroy(jobs);
    return bad;
}

static int release(void **state)
{
    (void)state;
    pelti_pool_release(&pool);
    return 0;
}

static void slices_are_symmetric_and_stay_in_range(void **state)
{
    (void)state;
    double *g = test_malloc(sizeof(double) * N * N);
    for (int which = 0; which < 2; which++)
        for (int k = 0; k <= 4; k++) {
            PeltiProfile p = which ? pelti_profile_bulge() : pelti_profile_contact();
            assert_int_equal(pelti_operator_slice(&p, 0.25f * (float)k, NULL, g, NULL), PELT_OK);
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    CHECK_NEAR(g[i * N + j], g[j * N + i], 1e-12);
                    if (!(g[i * N + j] >= -0.01 && g[i * N + j] <= 1.01))
                        fail_msg("%s d=%g: g(%d,%d) = %g", p.name, 0.25 * k, i, j, g[i * N + j]);
                }
        }
    test_free(g);
}

static void borders_follow_equation_one(void **state)
{
    (void)state;
    for (int k = 0; k <= 20; k++) {
        float f = (float)k / 20, g1, g2;
        for (int s = 0; s <= 4; s++) {
            float d = 0.25f * (float)s;
            CHECK_NEAR(at(&contact, f, 0, d, &g1, &g2), f, 1e-6);
            CHECK_NEAR(g2, 0, 1e-6); // no kink where a second field begins
            CHECK_NEAR(at(&contact, 0, f, d, &g1, &g2), f, 1e-6);
            CHECK_NEAR(at(&contact, f, 1, d, &g1, &g2), 1, 1e-6);
            CHECK_NEAR(at(&bulge, f, 0, d, &g1, &g2), f, 1e-6);
            CHECK_NEAR(at(&bulge, 1, f, d, &g1, &g2), 1, 1e-6);
        }
    }
}

static void contact_keeps_the_union_and_opens_a_valley(void **state)
{
    (void)state;
    float g1, g2;
    for (int k = 0; k <= 10; k++)
        for (int s = 0; s <= 4; s++)
            CHECK_NEAR(at(&contact, 0.5f, 0.05f * (float)k, 0.25f * (float)s, &g1, &g2), 0.5, 1e-6);
    for (int s = 1; s <= 16; s++) {
        float d = (float)s / 16, end = 0.5f + d * 0.5f * (1 - 3.0f / 64) - 1.0f / 64;
        for (float f = 0.5f; f < end; f += 0.003f) { // between nodes too: the valley does not ripple
            CHECK_NEAR(at(&contact, f, f, d, &g1, &g2), 0.5, 1e-6);
            if (f > 0.53f && f < 0.97f)
                assert_true(at(&contact, f + 0.02f, f - 0.02f, d, &g1, &g2) > 0.5f);
        }
    }
    assert_true(at(&contact, 0.75f, 0.75f, 0, &g1, &g2) > 0.75f); // clean union: no valley
    assert_true(at(&contact, 0.9f, 0.9f, 0.25f, &g1, &g2) > 0.6f);
}

static void bulge_inflates_beside_the_contact(void **state)
{
    (void)state;
    float g1, g2;
    CHECK_NEAR(at(&bulge, 0.36f, 0.36f, 1, &g1, &g2), 0.5, 0.02);
    assert_true(at(&bulge, 0.45f, 0.3f, 1, &g1, &g2) > 0.5f); // outside the union, inside the bulge
    assert_true(at(&contact, 0.45f, 0.3f, 1, &g1, &g2) < 0.5f);
    CHECK_NEAR(at(&bulge, 0.5f, 0.02f, 1, &g1, &g2), 0.5, 0.01); // far from it the surface stays
    CHECK_NEAR(at(&bulge, 0.5f, 0.3f, 0, &g1, &g2), 0.5, 1e-4);
}

static void derivatives_match_differences(void **state)
{
    (void)state;
    const float h = 1.0f / 64;
    for (int k = 0; k < 200; k++) {
        float f1 = 0.03f + 0.94f * (float)((k * 37) % 200) / 200, f2 = 0.03f + 0.94f * (float)((k * 91) % 200) / 200,
              d = (float)(k % 16) / 16, a, b, g1, g2;
        if (fabsf(f1 - f2) < 0.06f || (f1 > 0.93f && f2 > 0.4f) || (f2 > 0.93f && f1 > 0.4f))
            continue; // steep corners: compared at the scale of a cell only
        at(&contact, f1, f2, d, &g1, &g2);
        float d1 = (at(&contact, f1 + h, f2, d, &a, &b) - at(&contact, f1 - h, f2, d, &a, &b)) / (2 * h);
        float d2 = (at(&contact, f1, f2 + h, d, &a, &b) - at(&contact, f1, f2 - h, d, &a, &b)) / (2 * h);
        CHECK_NEAR(g1, d1, 0.12);
        CHECK_NEAR(g2, d2, 0.12);
    }
}

static void controllers_start_and_end_where_they_say(void **state)
{
    (void)state;
    PeltiProfile c = pelti_profile_contact(), b = pelti_profile_bulge();
    CHECK_NEAR(pelti_profile_depth(&c, 90), 0, 0);
    CHECK_NEAR(pelti_profile_depth(&c, 120), 0.5, 1e-6);
    CHECK_NEAR(pelti_profile_depth(&c, 150), 1, 0);
    CHECK_NEAR(pelti_profile_depth(&b, 30), 0, 0);
    CHECK_NEAR(pelti_profile_depth(&b, 120), 1, 0);
}

static void bad_profiles_are_refused(void **state)
{
    (void)state;
    PeltiOperatorTables op;
    PeltError err = {0};
    PeltiProfile p = pelti_profile_contact();
    p.open[1].y = 0.4f;
    assert_int_equal(pelti_operator_build(&pool, NULL, &p, 1, &op, &err), PELT_BAD_INPUT);
    p = pelti_profile_bulge();
    p.angle_deg[1] = 10;
    assert_int_equal(pelti_operator_build(&pool, NULL, &p, 1, &op, &err), PELT_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_symmetric_and_stay_in_range),
        cmocka_unit_test(borders_follow_equation_one),
        cmocka_unit_test(contact_keeps_the_union_and_opens_a_valley),
        cmocka_unit_test(bulge_inflates_beside_the_contact),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(controllers_start_and_end_where_they_say),
        cmocka_unit_test(bad_profiles_are_refused),
    };
    return cmocka_run_group_tests(tests, build, release);
}
