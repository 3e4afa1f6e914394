/// Flesh within its bounds is left alone; thrown particles, drawn out edges and haste are brought back.
#include "tube.h"

static const float MOST = 2; // times its length at rest, see guard.c

static float stretch_at(const PeltiFlesh *flesh, int s)
{
    const PeltiMesh *mesh = flesh->mesh;
    float most = 0;
    int v = flesh->paths.vertex[s];
    for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
        int other = flesh->paths.slot[mesh->ring[r]];
        float now = vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN),
                                  pelti_flesh_lane(flesh->match.x, other, PELTI_LAYER_SKIN));
        float rest = vec3_distance(pelti_flesh_lane(flesh->match.rest, s, PELTI_LAYER_SKIN),
                                   pelti_flesh_lane(flesh->match.rest, other, PELTI_LAYER_SKIN));
        most = fmaxf(most, now / rest);
    }
    return most;
}

/// It has been there since the last step, so that it is not its speed that is too much.
static void put(PeltiFlesh *flesh, int s, int layer, Vec3 x)
{
    pelti_flesh_set_lane(flesh->match.x, s, layer, x);
    pelti_flesh_set_lane(flesh->moving.before, s, layer, x);
}

static void flesh_within_its_bounds_is_left_alone(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    tube_pose(&tube, 0.6f, vec3(0, 0, 0));
    tube_step(&tube, 0, true);
    PeltiFlesh *flesh = tube.flesh;
    size_t bytes = sizeof(float) * (size_t)flesh->n * PELTI_LAYERS;
    float *before = malloc(3 * bytes);
    for (int k = 0; k < 3; k++)
        memcpy((char *)before + (size_t)k * bytes, flesh->match.x[k], bytes);
    pelti_layered_guard(flesh, 0.005f);
    for (int k = 0; k < 3; k++)
        assert_memory_equal((char *)before + (size_t)k * bytes, flesh->match.x[k], bytes);
    free(before);
    tube_release(&tube);
}

static void a_particle_thrown_away_is_brought_back_to_its_bone(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int s = flesh->n / 2;
    for (int l = 0; l < PELTI_LAYER_BONE; l++)
        put(flesh, s, l, vec3(30, -20, 10));
    pelti_layered_guard(flesh, 0.005f);
    for (int l = 0; l < PELTI_LAYER_BONE; l++) {
        float far = vec3_distance(pelti_flesh_lane(flesh->match.x, s, l), pelti_flesh_lane(flesh->moving.goal, s, l));
        float reach = flesh->hold.reach[(size_t)s * PELTI_LAYERS + (size_t)l];
        assert_true(far > 0 && far <= reach * 1.0001f);
    }
    tube_release(&tube);
}

static void an_edge_drawn_out_is_shortened(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int s = flesh->n / 2;
    Vec3 x = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), step = vec3(0, 0.001f, 0);
    while (stretch_at(flesh, s) < 1.2f * MOST) // along the normal or the surface: both draw its edges out
        put(flesh, s, PELTI_LAYER_SKIN, x = vec3_add(x, step));
    float drawn = stretch_at(flesh, s);
    pelti_layered_guard(flesh, 0.005f);
    printf("longest edge %.3f -> %.3f of its length at rest\n", (double)drawn, (double)stretch_at(flesh, s));
    assert_true(stretch_at(flesh, s) < MOST + 0.05f * (drawn - MOST));
    tube_release(&tube);
}

static void flesh_is_no_faster_than_contacts_look(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int s = flesh->n / 2;
    Vec3 from = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), way = vec3(0, flesh->set.margin, 0);
    pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN, vec3_add(from, way));
    flesh->moving.settled = false;
    pelti_layered_guard(flesh, 0.005f);
    float looks = fminf(flesh->set.margin, flesh->rest.edge[s]),
          went = vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), from);
    assert_true(went > 0 && 2 * went <= looks * 1.0001f); // two that meet each other go half of it each
    pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN, vec3_add(from, way));
    pelti_layered_guard(flesh, 0.010f); // twice as long: twice as far
    assert_true(fabsf(vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), from) - 2 * went) < 1e-3f * went);
    for (int b = 0; b < flesh->who->bone_count; b++)
        flesh->skeleton.carry[b] = mat34_from(mat3_identity(), way);
    pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN, vec3_add(from, way));
    pelti_layered_guard(flesh, 0.005f);
    went = vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), from);
    assert_true(fabsf(went - flesh->set.margin) < 1e-5f * flesh->rest.size); // as fast as its bones is not too fast
    tube_release(&tube);
}

/// Flesh goes on from skin that is shown elsewhere, and only from that.
static void flesh_goes_on_from_what_is_shown(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int n = flesh->n, held = n / 2, rounded = n / 3;
    Vec3 *wrote = calloc((size_t)n, sizeof *wrote), *change = calloc((size_t)n, sizeof *change),
         *next = calloc((size_t)n, sizeof *next);
    pelti_flesh_show(flesh, wrote);
    change[held] = vec3(0, 0.01f * flesh->rest.size, 0);
    change[rounded] = vec3(0, 1e-7f * flesh->rest.size, 0);
    pelti_flesh_held(flesh, change);
    pelti_flesh_show(flesh, next);
    for (int v = 0; v < n; v++)
        assert_true(vec3_distance(next[v], vec3_add(wrote[v], v == rounded ? vec3(0, 0, 0) : change[v])) <=
                    (v == held ? 1e-6f * flesh->rest.size : 0));
    free(wrote);
    free(change);
    free(next);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flesh_within_its_bounds_is_left_alone),
        cmocka_unit_test(a_particle_thrown_away_is_brought_back_to_its_bone),
        cmocka_unit_test(an_edge_drawn_out_is_shortened),
        cmocka_unit_test(flesh_is_no_faster_than_contacts_look),
        cmocka_unit_test(flesh_goes_on_from_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
