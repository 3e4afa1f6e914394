/// Encoders give files that decode to what went in.
#include "check.h"
#include "pictures.h"

#include <string.h>

static PeltiImage pattern(int width, int height, bool opaque)
{
    PeltiImage image;
    assert_int_equal(pelti_image_create(width, height, &image, NULL), PELT_OK);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = image.rgba + 4 * (y * width + x);
            p[0] = (uint8_t)(x * 255 / width), p[1] = (uint8_t)(y * 255 / height), p[2] = 90,
            p[3] = opaque ? 255 : (uint8_t)(x * 3);
        }
    return image;
}

static void png_comes_back_exactly(void **state)
{
    (void)state;
    for (int opaque = 0; opaque < 2; opaque++) {
        PeltiImage image = pattern(61, 37, opaque), back;
        PeltiArray bytes;
        PeltError err;
        pelti_array_init(&bytes, NULL, 1);
        assert_int_equal(pelti_png_encode(&image, &bytes, &err), PELT_OK);
        assert_int_equal(png_decode(bytes.data, bytes.count, &back, &err), PELT_OK);
        assert_int_equal(back.width, 61);
        assert_memory_equal(back.rgba, image.rgba, 61 * 37 * 4);
        pelti_image_release(&back);
        assert_int_equal(png_decode(bytes.data, bytes.count / 2, &back, &err), PELT_BAD_INPUT);
        assert_null(back.rgba);
        pelti_array_release(&bytes);
        pelti_image_release(&image);
    }
}

static void webp_comes_back_nearly(void **state)
{
    (void)state;
    PeltiImage image = pattern(160, 120, true), back;
    PeltiArray bytes;
    PeltError err;
    pelti_array_init(&bytes, NULL, 1);
    assert_int_equal(pelti_webp_encode(&image, 90, &bytes, &err), PELT_OK);
    int width, height, frames;
    assert_int_equal(webp_info(bytes.data, bytes.count, &width, &height, &frames, &err), PELT_OK);
    assert_int_equal(width, 160);
    assert_int_equal(frames, 1);
    assert_int_equal(webp_decode(bytes.data, bytes.count, &back, &err), PELT_OK);
    double sum = 0;
    for (int i = 0; i < 160 * 120 * 4; i++)
        sum += abs(back.rgba[i] - image.rgba[i]);
    assert_true(sum / (160 * 120 * 4) < 3);
    assert_int_equal(pelti_webp_encode(&image, 200, &bytes, &err), PELT_BAD_ARGUMENT);
    pelti_image_release(&back);
    pelti_image_release(&image);
    pelti_array_release(&bytes);
}

static void films_keep_their_frames(void **state)
{
    (void)state;
    PeltError err;
    PeltiWebp *webp;
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    assert_int_equal(pelti_webp_begin(0, 10, 80, &webp, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelti_webp_begin(64, 48, 80, &webp, &err), PELT_OK);
    assert_int_equal(pelti_webp_end(webp, 100, &bytes, &err), PELT_BAD_ARGUMENT); // no frame
    PeltiImage small = pattern(10, 10, true);
    assert_int_equal(pelti_webp_add(webp, &small, 0, &err), PELT_BAD_ARGUMENT);
    for (int i = 0; i < 5; i++) {
        PeltiImage frame = pattern(64, 48, true);
        for (int k = 0; k < 64 * 48; k++)
            frame.rgba[4 * k + 2] = (uint8_t)(50 * i);
        assert_int_equal(pelti_webp_add(webp, &frame, 1000.0 / 30 * i, &err), PELT_OK);
        assert_int_equal(pelti_webp_add(webp, &frame, 1000.0 / 30 * i, &err), PELT_BAD_ARGUMENT); // time must rise
        pelti_image_release(&frame);
    }
    assert_int_equal(pelti_webp_end(webp, 1000.0 / 6, &bytes, &err), PELT_OK);
    pelti_webp_destroy(webp);
    int width, height, frames;
    assert_int_equal(webp_info(bytes.data, bytes.count, &width, &height, &frames, &err), PELT_OK);
    assert_int_equal(frames, 5);
    PeltiImage first;
    assert_int_equal(webp_decode(bytes.data, bytes.count, &first, &err), PELT_OK);
    assert_true(first.rgba[2] < 40);
    pelti_image_release(&first);
    pelti_image_release(&small);
    pelti_array_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_comes_back_exactly),
        cmocka_unit_test(webp_comes_back_nearly),
        cmocka_unit_test(films_keep_their_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
