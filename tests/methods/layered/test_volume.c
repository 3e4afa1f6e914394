/// Volume constraints: gradients are those of the volume, parts tile the body, and a squeezed end bulges there alone.
#include "tube.h"

static double part_error(const Tube *tube)
{
    double worst = 0;
    for (int p = 0; p < tube->flesh->volume.part_count; p++) {
        const PeltiLayeredVolumePart *part = &tube->flesh->volume.parts[p];
        worst = fmax(
            worst,
            fabs(pelti_layered_volume_of(&tube->flesh->volume, tube->flesh->match.x, part, NULL, NULL) / part->rest_volume - 1));
    }
    return worst;
}

static void parts_tile_the_body(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        Tube tube;
        const char *options[] = {"volume-cut", cut ? "0.5" : "0", NULL};
        tube_make(&tube, 4, NULL, NULL, options);
        const PeltiLayeredVolume *volume = &tube.flesh->volume;
        assert_true(volume->part_count >= 3);
        double sum = 0;
        int triangles = 0;
        for (int p = 0; p < volume->part_count; p++) {
            assert_true(volume->parts[p].rest_volume > 0);
            assert_true(volume->parts[p].loop_count <= 2);
            sum += volume->parts[p].rest_volume;
            triangles += volume->parts[p].triangle_count;
        }
        assert_int_equal(triangles, tube.who->mesh->triangle_count);
        CHECK_NEAR(sum, pelti_mesh_volume(tube.who->mesh, tube.who->mesh->rest), 1e-4); // shared fans cancel
        tube_release(&tube);
    }
}

static void gradient_is_that_of_the_volume(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    const PeltiLayeredVolumePart *part = &flesh->volume.parts[1];
    Vec3 *gradient = PELTI_NEW(&tube.who->pool, Vec3, flesh->n);
    pelti_layered_volume_of(&flesh->volume, flesh->match.x, part, gradient, NULL);
    for (int i = 1; i < part->slot_count; i += 7) // the first slot is the origin of the sums
        for (int axis = 0; axis < 3; axis++) {
            size_t at = (size_t)flesh->volume.slots[part->slot_first + i] * PELTI_LAYERS;
            float keep = flesh->match.x[axis][at], h = 1e-2f;
            flesh->match.x[axis][at] = keep + h;
            double up = pelti_layered_volume_of(&flesh->volume, flesh->match.x, part, NULL, NULL);
            flesh->match.x[axis][at] = keep - h;
            double down = pelti_layered_volume_of(&flesh->volume, flesh->match.x, part, NULL, NULL);
            flesh->match.x[axis][at] = keep;
            CHECK_NEAR((&gradient[flesh->volume.slots[part->slot_first + i]].x)[axis], (up - down) / (2 * (double)h), 1e-5);
        }
    tube_release(&tube);
}

static void a_squeezed_end_bulges_there_and_nowhere_else(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 4, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int far = 0;
    for (int s = 0; s < flesh->n; s++) { // pinch the tube where x < 0.6, one side only
        Vec3 p = flesh->mesh->rest[flesh->paths.vertex[s]];
        if (p.x < 0.6f && p.y > 0)
            flesh->match.x[1][(size_t)s * PELTI_LAYERS] -= 0.3f * p.y;
    }
    float *before = PELTI_NEW(&tube.who->pool, float, flesh->n *PELTI_LAYERS);
    memcpy(before, flesh->match.x[1], sizeof(float) * (size_t)flesh->n * PELTI_LAYERS);
    pelti_layered_volume_start(flesh, 0.005f);
    assert_true(part_error(&tube) > 0.02);
    for (int i = 0; i < 60; i++)
        pelti_layered_volume_project(flesh);
    assert_true(part_error(&tube) < 1e-4);
    for (int s = 0; s < flesh->n; s++)
        if (flesh->mesh->rest[flesh->paths.vertex[s]].x > 2.4f) { // two joints on
            CHECK_NEAR(flesh->match.x[1][(size_t)s * PELTI_LAYERS], before[(size_t)s * PELTI_LAYERS], 1e-3);
            far++;
        }
    assert_true(far > 100);
    tube_release(&tube);
}

static void held_particles_stay(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    for (int s = 0; s < flesh->n; s++)
        flesh->match.x[1][(size_t)s * PELTI_LAYERS] *= 0.9f;
    flesh->collide.contacts.count = 1;
    flesh->collide.contacts.list[0] = (PeltiLayeredContact){.slot = {10, 11, 12, 13}, .push = 1};
    float kept = flesh->match.x[1][10 * PELTI_LAYERS], moved = flesh->match.x[1][40 * PELTI_LAYERS];
    pelti_layered_volume_start(flesh, 0.005f);
    pelti_layered_volume_project(flesh);
    assert_true(flesh->match.x[1][10 * PELTI_LAYERS] == kept);
    assert_true(flesh->match.x[1][40 * PELTI_LAYERS] != moved);
    tube_release(&tube);
}

static void velocities_lose_their_divergence(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    pelti_layered_volume_start(flesh, 0.005f);
    for (int s = 0; s < flesh->n; s++)
        for (int k = 0; k < 3; k++)
            flesh->moving.velocity[k][(size_t)s * PELTI_LAYERS] =
                flesh->match.x[k][(size_t)s * PELTI_LAYERS] + (k == 0); // swelling, and drifting
    double before = 0, after = 0;
    Vec3 *gradient = PELTI_NEW(&tube.who->pool, Vec3, flesh->n);
    const PeltiLayeredVolumePart *part = &flesh->volume.parts[flesh->volume.part_count - 1];
    pelti_layered_volume_of(&flesh->volume, flesh->match.x, part, gradient, NULL);
    for (int i = part->slot_first; i < part->slot_first + part->slot_count; i++)
        before += (double)vec3_dot(gradient[flesh->volume.slots[i]],
                                   pelti_flesh_lane(flesh->moving.velocity, flesh->volume.slots[i], PELTI_LAYER_SKIN));
    pelti_layered_volume_velocities(flesh);
    for (int i = part->slot_first; i < part->slot_first + part->slot_count; i++)
        after += (double)vec3_dot(gradient[flesh->volume.slots[i]],
                                  pelti_flesh_lane(flesh->moving.velocity, flesh->volume.slots[i], PELTI_LAYER_SKIN));
    assert_true(fabs(before) > 0.1);
    assert_true(fabs(after) < 1e-4 * fabs(before)); // the last part is done last
    tube_release(&tube);
}

/// Parts that share particles keep their order over the colours, and never have the same one.
static void colours_keep_the_order_of_neighbours(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 6, NULL, NULL, NULL);
    const PeltiLayeredVolume *volume = &tube.flesh->volume;
    int *last = PELTI_NEW(&tube.flesh->pool, int, tube.flesh->n), *colour_of = PELTI_NEW(&tube.flesh->pool, int, tube.flesh->n),
        seen = 0;
    assert_true(volume->part_count > 2 && volume->colour_count > 1);
    for (int s = 0; s < tube.flesh->n; s++)
        last[s] = colour_of[s] = -1;
    for (int t = 0; t < volume->colour_count; t++)
        for (int i = volume->colour_start[t]; i < volume->colour_start[t + 1]; i++, seen++) {
            const PeltiLayeredVolumePart *part = &volume->parts[volume->order[i]];
            for (int k = part->slot_first; k < part->slot_first + part->slot_count; k++) {
                int s = volume->slots[k];
                assert_true(colour_of[s] < t && last[s] < volume->order[i]);
                colour_of[s] = t;
                last[s] = volume->order[i];
            }
        }
    assert_int_equal(seen, volume->part_count);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_tile_the_body),
        cmocka_unit_test(gradient_is_that_of_the_volume),
        cmocka_unit_test(a_squeezed_end_bulges_there_and_nowhere_else),
        cmocka_unit_test(held_particles_stay),
        cmocka_unit_test(velocities_lose_their_divergence),
        cmocka_unit_test(colours_keep_the_order_of_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
