/// Cameras look from where they say, put their target in the middle and frame all that is shown.
#include "check.h"
#include "render/camera.h"

/// Picture position of a point, -1..1.
static void project(const PeltiCamera *c, Vec3 p, float *x, float *y)
{
    Vec3 d = vec3_sub(p, c->eye);
    float z = c->orthographic ? 1 : vec3_dot(d, c->forward);
    *x = vec3_dot(d, c->right) / (z * c->half_width);
    *y = vec3_dot(d, c->up) / (z * c->half_height);
}

static void framing_is_tight_on_two_sides_and_shows_all(void **state)
{
    (void)state;
    static const float area[4] = {-0.8f, 0.5f, -0.9f, 0.7f};
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        Vec3 points[50];
        for (int i = 0; i < 50; i++) {
            float v[3];
            for (int k = 0; k < 3; k++)
                seed = seed * 1664525u + 1013904223u, v[k] = (float)(seed >> 8) / (float)(1 << 24);
            points[i] = vec3(100 + 3 * v[0], 5 * v[1] - 20, v[2]);
        }
        PeltiView view = {.azimuth_deg = (float)(round * 37), .elevation_deg = (float)(round % 7 * 20 - 60), .zoom = 1};
        view.orthographic = round % 2;
        PeltiFraming framing;
        pelti_framing_begin(&framing, &view, round % 3 ? 640 : 300, 480, area);
        pelti_framing_add(&framing, 20, points);
        pelti_framing_add(&framing, 30, points + 20);
        pelti_framing_add(&framing, 1, &(Vec3){NAN, 0, 0});
        PeltiCamera camera = pelti_framing_camera(&framing);
        float low[2] = {9, 9}, high[2] = {-9, -9};
        for (int i = 0; i < 50; i++) {
            float p[2];
            project(&camera, points[i], &p[0], &p[1]);
            for (int k = 0; k < 2; k++)
                low[k] = fminf(low[k], p[k]), high[k] = fmaxf(high[k], p[k]);
        }
        const float e = 2e-3f;
        assert_true(low[0] > area[0] - e && high[0] < area[1] + e && low[1] > area[2] - e && high[1] < area[3] + e);
        float wide = fmaxf(area[0] - low[0], high[0] - area[1]), tall = fmaxf(area[2] - low[1], high[1] - area[3]);
        assert_true(fmaxf(wide, tall) > -e); // touches
        CHECK_NEAR(vec3_dot(camera.right, camera.up), 0, 1e-5);
        CHECK_NEAR(vec3_dot(vec3_cross(camera.right, camera.up), camera.forward), -1, 1e-5);
    }
}

static void front_looks_from_plus_z_and_up_is_up(void **state)
{
    (void)state;
    static const float area[4] = {-1, 1, -1, 1};
    PeltiView view;
    PeltError err;
    assert_int_equal(pelti_view_parse("front", &view, &err), PELT_OK);
    PeltiFraming framing;
    Vec3 box[2] = {{-1, -1, -1}, {1, 1, 1}};
    pelti_framing_begin(&framing, &view, 100, 100, area);
    pelti_framing_add(&framing, 2, box);
    PeltiCamera camera = pelti_framing_camera(&framing);
    assert_true(camera.eye.z > 2 && camera.right.x > 0.99f && camera.up.y > 0.9f);
    assert_int_equal(pelti_view_parse("90,0", &view, &err), PELT_OK);
    pelti_framing_begin(&framing, &view, 100, 100, area);
    camera = pelti_framing_camera(&framing); // nothing added: still a camera
    assert_true(camera.eye.x > 1 && fabsf(camera.eye.z) < 0.1f);
}

static void target_lands_in_the_middle(void **state)
{
    (void)state;
    static const float area[4] = {-1, 1, -1, 1};
    PeltiView view;
    PeltError err;
    assert_int_equal(pelti_view_parse("30,15,4,0.5,0.25,-0.5", &view, &err), PELT_OK);
    Vec3 box[2] = {{-1, -1, -1}, {1, 1, 1}};
    PeltiFraming framing;
    pelti_framing_begin(&framing, &view, 320, 240, area);
    pelti_framing_add(&framing, 2, box);
    PeltiCamera camera = pelti_framing_camera(&framing);
    float x, y;
    project(&camera, vec3(0.5f, 0.25f, -0.5f), &x, &y);
    CHECK_NEAR(x, 0, 1e-4);
    CHECK_NEAR(y, 0, 1e-4);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"", "up", "10", "1,2,3,4", "1,2,", "1,2,0", "1,2,-1", "1,2,nan", "inf,2", "1,2,1,1,1,1,1", "1,2x"};
    PeltiView view;
    PeltError err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (pelti_view_parse(bad[i], &view, &err) != PELT_BAD_ARGUMENT)
            fail_msg("\"%s\" was taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_is_tight_on_two_sides_and_shows_all),
        cmocka_unit_test(front_looks_from_plus_z_and_up_is_up),
        cmocka_unit_test(target_lands_in_the_middle),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
