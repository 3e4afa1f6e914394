/// Flesh follows joints that slide and bones that are scaled; turns do not stretch it.
#include "tube.h"

static double volume_now(Tube *tube, const Vec3 *at)
{
    Vec3 *x = PELTI_NEW(&tube->who->pool, Vec3, tube->who->mesh->vertex_count);
    for (int p = 0; p < tube->who->point_count; p++)
        x[tube->who->mesh->weld[p]] = at[p];
    return pelti_mesh_volume(tube->who->mesh, x);
}

/// Farthest point from lbs as a share of the size; lbs into `lbs`.
static float farthest(const Tube *tube, Vec3 *lbs)
{
    const PeltiFlesh *flesh = tube->flesh;
    float most = 0;
    for (int p = 0; p < tube->who->point_count; p++) {
        lbs[p] = vec3_add(pelti_flesh_lane(flesh->moving.goal, flesh->paths.slot[flesh->mesh->weld[p]], PELTI_LAYER_SKIN),
                          flesh->moving.origin);
        most = fmaxf(most, vec3_distance(tube->points[p], lbs[p]));
    }
    return most / flesh->rest.size;
}

static void a_scaled_character_is_scaled_and_no_more(void **state)
{
    (void)state;
    Tube tube;
    static Vec3 lbs[TUBE_POINTS];
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_step(&tube, 0, true);
    for (int frame = 1; frame <= 10; frame++) {
        float scale = 1 + 0.1f * (float)frame;
        for (int b = 0; b < 3; b++)
            tube.bones[b] = mat34_from((Mat3){{{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}}}, vec3(0, 0, 0));
        tube_step(&tube, 1 / 30.0f, false);
        assert_true(farthest(&tube, lbs) < 2e-3f); // flesh lags behind its growth, little
    }
    tube_step(&tube, 0, false);
    assert_true(farthest(&tube, lbs) < 1e-4f);
    for (int b = 0; b < 3; b++)
        tube.bones[b] = mat34_identity();
    tube_step(&tube, 0, false); // and back: the rest shape is the bind pose again, to the bit
    for (int k = 0; k < 3; k++)
        assert_memory_equal(tube.flesh->match.rest[k], tube.flesh->stretch.rest[k],
                            sizeof(float) * (size_t)tube.flesh->n * PELTI_LAYERS);
    tube_release(&tube);
}

/// A joint that slides out along its bone while it is bent, too.
static void a_joint_that_slides_stretches_the_flesh(void **state)
{
    (void)state;
    Tube tube;
    static Vec3 lbs[TUBE_POINTS];
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_pose(&tube, 0.4f, vec3(0, 0, 0));
    for (int b = 1; b < 3; b++) // 0.6 of a tube of length 4, along the first bone
        tube.bones[b] = mat34_mul(mat34_from(mat3_identity(), vec3(0.6f, 0, 0)), tube.bones[b]);
    tube_step(&tube, 0, true);
    float far = farthest(&tube, lbs);
    double ours = volume_now(&tube, tube.points), theirs = volume_now(&tube, lbs);
    printf("slid by 0.6 of 4: %.2g of the size from lbs, volume %.3f of its\n", (double)far, ours / theirs);
    assert_true(tube.flesh->stretch.active && far < 0.02f && fabs(ours / theirs - 1) < 0.05);
    tube_release(&tube);
}

/// Turning joints alone leaves the rest shape untouched.
static void turns_do_not_stretch(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_pose(&tube, 1.2f, vec3(3, 0, 0));
    tube_step(&tube, 0, true);
    assert_false(tube.flesh->stretch.active);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scaled_character_is_scaled_and_no_more),
        cmocka_unit_test(a_joint_that_slides_stretches_the_flesh),
        cmocka_unit_test(turns_do_not_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
