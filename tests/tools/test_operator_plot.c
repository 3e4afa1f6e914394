/// Plots of operators show the paper's colours: blue outside, red inside, a green contact line.
#include "check.h"

#include "pictures.h"

#include <pelt/render.h>

static void plots_show_the_papers_colours(void **state)
{
    (void)state;
    const char *path = "test_tools_operator.png";
    PeltOperator op;
    assert_int_equal(pelt_operator_builtin("contact", &op, NULL), PELT_OK);
    assert_int_equal(pelt_operator_plot(&op, 0.7f, 200, path, NULL), PELT_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char data[400000];
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    remove(path);
    PeltiImage image = {0};
    assert_int_equal(png_decode(data, bytes, &image, NULL), PELT_OK);
    int blue = 0, red = 0, green = 0, misplaced = 0;
    for (int y = 0; y < image.height; y++)
        for (int x = 0; x < image.width; x++) {
            const uint8_t *p = image.rgba + 4 * ((size_t)y * (size_t)image.width + (size_t)x);
            bool is_blue = p[2] > p[0] + 30 && p[2] > p[1] + 30, is_red = p[0] > p[1] + 30 && p[0] > p[2] + 30;
            bool is_green = p[1] > p[0] + 30 && p[1] > p[2] + 30;
            blue += is_blue;
            red += is_red;
            green += is_green;
            misplaced += is_blue && (x > 110 || y < 90); // outside is the lower left quarter
        }
    assert_in_range(blue, 200, 4000);
    assert_in_range(red, 500, 12000);
    assert_in_range(green, 100, 1000);
    assert_int_equal(misplaced, 0);
    pelti_image_release(&image);
    assert_int_equal(pelt_operator_plot(&op, 1.5f, 200, path, NULL), PELT_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plots_show_the_papers_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
