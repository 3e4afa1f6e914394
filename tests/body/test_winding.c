/// Winding numbers of boxes, whole and with a side missing.
#include "boxes.h"

#include "body/winding.h"

#include <math.h>

/// Two overlapping boxes, one of them open: winding numbers from 0 to 2, and angles that add up to more than a turn.
static void winding_numbers_of_a_cube_of_points_are_those_of_each(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiWinding *w;
    PeltError err;
    Boxes *b = new_boxes();
    add_box(b, vec3(-1, -1, -1), vec3(1, 1, 1));
    add_box(b, vec3(-0.4f, -0.5f, -0.6f), vec3(1.6f, 0.5f, 0.6f));
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_winding_create(&pool, b->triangles - 20, (const int(*)[3])b->triangle, b->point, &w, &err), PELT_OK);
    const float edge[3] = {0.03f, 0.3f, 0.9f};
    float most = 0, least = 2;
    for (int k = 0; k < 3; k++) {
        float all[PELTI_WINDING_CUBE];
        Vec3 low = vec3(-0.83f, -0.41f, -0.37f);
        pelti_winding_cube(w, low, edge[k], all);
        for (int i = 0; i < PELTI_WINDING_CUBE; i++) {
            int x = i % PELTI_WINDING_SIDE, y = i / PELTI_WINDING_SIDE % PELTI_WINDING_SIDE;
            Vec3 way = vec3((float)x, (float)y, (float)(i / PELTI_WINDING_SIDE / PELTI_WINDING_SIDE));
            CHECK_NEAR(all[i], pelti_winding_at(w, vec3_mad(low, way, edge[k])), 0.04); // the nearer to exact, the fewer dipoles
            most = fmaxf(most, all[i]);
            least = fminf(least, all[i]);
        }
    }
    assert_true(most > 1.5f && least < 0.1f);
    pelti_pool_release(&pool);
}

static void the_winding_number_of_a_box_is_one_inside_and_falls_where_a_side_is_missing(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(-1, -1, -1), vec3(1, 1, 1));
    PeltiPool pool;
    PeltiWinding *w;
    PeltError err;
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_winding_create(&pool, b->triangles, (const int(*)[3])b->triangle, b->point, &w, &err), PELT_OK);
    assert_float_equal(pelti_winding_at(w, vec3(0.2f, 0.3f, -0.4f)), 1, 0.03f);
    assert_float_equal(pelti_winding_at(w, vec3(3, 0.1f, 0.2f)), 0, 0.03f);
    // five of six sides: seen from the centre each side is a sixth of the sphere
    assert_int_equal(pelti_winding_create(&pool, b->triangles * 5 / 6, (const int(*)[3])b->triangle, b->point, &w, &err),
                     PELT_OK);
    assert_float_equal(pelti_winding_at(w, vec3(0, 0, 0)), 5.0f / 6, 0.03f);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winding_numbers_of_a_cube_of_points_are_those_of_each),
        cmocka_unit_test(the_winding_number_of_a_box_is_one_inside_and_falls_where_a_side_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
