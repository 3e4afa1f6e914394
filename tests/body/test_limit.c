/// Flesh that strays from blending is held back, and what does not is left alone.
#include "boxes.h"

#include "body/limit.h"

static void flesh_that_strays_is_held_back_and_the_rest_is_left_alone(void **state)
{
    (void)state;
    PeltiCharacter *who = one_box();
    PeltiWeights w = weights_along(who);
    PeltiLimit *limit;
    PeltError err;
    assert_int_equal(pelti_limit_create(who, &w, &who->pool, NULL, &limit, &err), PELT_OK);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *shape = copy_points(who->mesh->rest, who->mesh->vertex_count);
    shape[3].y += 0.02f; // a dent
    shape[9].y -= 5;
    assert_int_equal(pelti_limit_apply(limit, bones, NULL, shape), 1);
    assert_float_equal(shape[3].y, who->mesh->rest[3].y + 0.02f, 1e-6f);
    assert_true(vec3_distance(shape[9], who->mesh->rest[9]) < 0.4f && vec3_distance(shape[9], who->mesh->rest[9]) > 0.05f);
    free(shape);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flesh_that_strays_is_held_back_and_the_rest_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
