/// Smoothing of what light arrives: noise goes within a surface, nothing goes over an edge.
#include "check.h"

#include "render/trace.h"

enum { SIDE = 32 };
static PeltiTracePixel pixels[SIDE * SIDE];
static PeltiLook look;
static PeltiTrace trace;

/// Two walls that meet in the middle, sums of four samples a pixel, half of them lit at random; a column that shows nothing.
static void fill(float left, float right)
{
    uint32_t seed = 5;
    look = pelti_look_default();
    look.width = look.height = SIDE;
    trace = (PeltiTrace){.look = &look, .pixels = pixels};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            bool at_left = x < SIDE / 2;
            float noise = 0;
            for (int k = 0; k < 4; k++) {
                seed = seed * 1664525u + 1013904223u;
                noise += (float)(seed >> 8) * 0x1p-24f - 0.5f;
            }
            Vec3 at = at_left ? vec3((float)x, (float)y, 0) : vec3(SIDE / 2, (float)y, (float)(x - SIDE / 2));
            pixels[y * SIDE + x] = (PeltiTracePixel){.weight = 4,
                                                     .visible = 4 * (at_left ? left : right) + 0.5f * noise,
                                                     .open = 2,
                                                     .position = vec3_scale(at, 4),
                                                     .normal = vec3_scale(at_left ? vec3(0, 0, 1) : vec3(-1, 0, 0), 4),
                                                     .pixel = 4};
            if (x == 0)
                pixels[y * SIDE + x] = (PeltiTracePixel){0};
        }
}

static double spread(int from, int to, double *mean)
{
    double sum = 0, squares = 0;
    int count = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = from; x < to; x++, count++) {
            double v = (double)pixels[y * SIDE + x].visible;
            sum += v;
            squares += v * v;
        }
    *mean = sum / count;
    return sqrt(squares / count - *mean * *mean);
}

static void noise_goes_and_edges_stay(void **state)
{
    (void)state;
    double mean[2], plain[2];
    fill(0.2f, 0.8f);
    assert_int_equal(pelti_trace_smooth(&trace, NULL, 0, NULL), PELT_OK); // no passes: means of the samples
    double before = spread(1, SIDE / 2, &plain[0]);
    spread(SIDE / 2, SIDE, &plain[1]);
    CHECK_NEAR(plain[0], 0.2, 0.02);
    CHECK_NEAR(pixels[5].open, 0.5, 1e-6);
    CHECK_NEAR(vec3_length(pixels[5].normal), 1, 1e-6);
    CHECK_NEAR(pixels[5].position.x, 5, 1e-5);
    fill(0.2f, 0.8f);
    assert_int_equal(pelti_trace_smooth(&trace, NULL, 3, NULL), PELT_OK);
    double after = spread(1, SIDE / 2, &mean[0]);
    spread(SIDE / 2, SIDE, &mean[1]);
    assert_true(before > 0.05 && after < 0.3 * before);
    for (int k = 0; k < 2; k++)
        CHECK_NEAR(mean[k], plain[k], 0.01);
    for (int y = 0; y < SIDE; y++) { // right at the edge each side keeps its own light
        assert_true(pixels[y * SIDE + SIDE / 2 - 1].visible < 0.35f);
        assert_true(pixels[y * SIDE + SIDE / 2].visible > 0.65f);
        CHECK_NEAR(pixels[y * SIDE].visible, 1, 0); // what shows nothing is lit in full
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noise_goes_and_edges_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
