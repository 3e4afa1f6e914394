/// Colours go to sRGB and back, maps rise evenly, and drawing outside a picture is cut off.
#include "check.h"
#include "render/overlay.h"

static float luminance(Vec3 c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

static void srgb_goes_there_and_back(void **state)
{
    (void)state;
    for (int i = 0; i <= 255; i++)
        CHECK_NEAR(pelti_srgb_encode(pelti_srgb_decode((float)i / 255)), i / 255.0, 1e-5);
    CHECK_NEAR(pelti_render_rgb(0xff8000).x, 1, 1e-6);
    CHECK_NEAR(pelti_render_rgb(0xff8000).y, 0.2158605, 1e-5);
}

static void oklch_white_and_grey_are_neutral_and_everything_fits(void **state)
{
    (void)state;
    Vec3 white = pelti_render_oklch(1, 0, 0), grey = pelti_render_oklch(0.6f, 0, 0.3f);
    CHECK_NEAR(white.x, 1, 1e-3);
    CHECK_NEAR(white.z, 1, 1e-3);
    CHECK_NEAR(grey.x, 0.216, 1e-3); // L^3
    CHECK_NEAR(grey.y, grey.z, 1e-4);
    for (int i = 0; i < 1000; i++) {
        Vec3 c = pelti_render_oklch((float)(i % 10) / 9, 0.4f, (float)i / 1000);
        assert_true(c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x <= 1 && c.y <= 1 && c.z <= 1);
    }
}

static void sequential_map_rises_in_lightness_evenly(void **state)
{
    (void)state;
    float before = cbrtf(luminance(pelti_map_colour(PELTI_MAP_SEQUENTIAL, 0)));
    for (int i = 1; i <= 64; i++) {
        float now = cbrtf(luminance(pelti_map_colour(PELTI_MAP_SEQUENTIAL, (float)i / 64)));
        assert_true(now > before + 0.002f && now < before + 0.03f);
        before = now;
    }
}

static void diverging_map_is_light_and_grey_in_the_middle(void **state)
{
    (void)state;
    Vec3 low = pelti_map_colour(PELTI_MAP_DIVERGING, 0), mid = pelti_map_colour(PELTI_MAP_DIVERGING, 0.5f),
         high = pelti_map_colour(PELTI_MAP_DIVERGING, 1);
    assert_true(luminance(mid) > luminance(low) + 0.3f && luminance(mid) > luminance(high) + 0.3f);
    CHECK_NEAR(mid.x, mid.z, 0.02);
    assert_true(low.z > 3 * low.x && high.x > 3 * high.z);
    CHECK_NEAR(luminance(low), luminance(high), 0.08);
    Vec3 nan = pelti_map_colour(PELTI_MAP_DIVERGING, NAN);
    assert_true(nan.x == 1 && nan.y == 0 && nan.z == 1);
}

static void neighbouring_categories_differ(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++)
        for (int j = i + 1; j < i + 5; j++) {
            Vec3 a = pelti_map_colour(PELTI_MAP_CATEGORIES, (float)i), b = pelti_map_colour(PELTI_MAP_CATEGORIES, (float)j);
            assert_true(vec3_distance(a, b) > 0.1f);
        }
}

static int ink_pixels(const PeltiImage *image)
{
    int count = 0;
    for (int i = 0; i < image->width * image->height; i++)
        count += image->rgba[4 * i + 3] > 60;
    return count;
}

static void every_letter_leaves_ink_inside_its_width(void **state)
{
    (void)state;
    for (int c = 33; c <= 127; c++) {
        PeltiImage image;
        assert_int_equal(pelti_image_create(80, 80, &image, NULL), PELT_OK);
        char text[2] = {(char)c, 0};
        pelti_draw_text(&image, 20, 50, 24, (PeltiDrawInk){{0, 0, 0}, 1}, c == 127 ? "\xc3\xa9" : text);
        int ink = ink_pixels(&image);
        if (ink < 8)
            fail_msg("'%c' leaves %d pixels", c, ink);
        float right = 20 + pelti_draw_text_width(24, text) + 4;
        for (int y = 0; y < 80; y++)
            for (int x = 0; x < 80; x++)
                if ((x < 16 || (float)x > right) && c != 127)
                    assert_int_equal(image.rgba[4 * (y * 80 + x) + 3], 0);
        pelti_image_release(&image);
    }
}

static void drawing_outside_is_cut_off(void **state)
{
    (void)state;
    PeltiImage image;
    assert_int_equal(pelti_image_create(20, 10, &image, NULL), PELT_OK);
    PeltiDrawInk ink = {{1, 1, 1}, 1};
    pelti_draw_stroke(&image, (PeltiDrawStroke){-100, -50, 300, 90, 3}, ink);
    pelti_draw_box(&image, -5, -5, 4, 3, ink);
    pelti_draw_text(&image, -30, 5, 40, ink, "Hello, world");
    PeltiDrawLegend legend = {
        .title = "a title that is much too long for this", .map = PELTI_MAP_SEQUENTIAL, .low = 0, .high = 1e-9f};
    pelti_draw_legend(&image, &legend, ink);
    legend.low = NAN;
    pelti_draw_legend(&image, &legend, ink);
    assert_int_equal(image.rgba[3], 255);
    pelti_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srgb_goes_there_and_back),
        cmocka_unit_test(oklch_white_and_grey_are_neutral_and_everything_fits),
        cmocka_unit_test(sequential_map_rises_in_lightness_evenly),
        cmocka_unit_test(diverging_map_is_light_and_grey_in_the_middle),
        cmocka_unit_test(neighbouring_categories_differ),
        cmocka_unit_test(every_letter_leaves_ink_inside_its_width),
        cmocka_unit_test(drawing_outside_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
