/// Foot points lie on bones, base points on the way from there to the skin, on the bones' surface.
#include "tube.h"

static ProjFoot *shrink(Tube *tube, const PeltiWeights *weights)
{
    ProjFoot *feet = NULL;
    const ProjSource source = {.who = tube->who, .weights = weights, .pool = &tube->pool, .jobs = tube->jobs};
    assert_int_equal(pelti_proj_shrink(&source, &tube->p->skeleton, &feet, NULL), PELT_OK);
    return feet;
}

static void feet_are_on_bones_and_bases_on_their_surface(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    const ProjSkeleton *k = &tube.p->skeleton;
    const ProjFoot *feet = shrink(&tube, &tube.weights);
    int middle = 0;
    for (int v = 0; v < tube.who->mesh->vertex_count; v++) {
        const ProjFoot *foot = &feet[v];
        Vec3 x = tube.who->mesh->rest[v];
        assert_in_range(foot->segment, 0, k->segment_count - 1);
        const ProjSegment *s = &k->segments[foot->segment];
        float along = vec3_dot(vec3_sub(foot->foot, s->a), s->axis);
        CHECK_NEAR(vec3_distance(vec3_mad(s->a, s->axis, along), foot->foot), 0, 1e-5); // on the axis
        assert_true(along > -1e-5f && along < s->length + 1e-5f);
        float whole = vec3_distance(x, foot->foot), way = vec3_distance(foot->base, foot->foot);
        CHECK_NEAR(way + vec3_distance(foot->base, x), whole, 1e-5); // on the line between
        assert_true(way <= 0.7501f * whole);
        if (fabsf(x.x - 0.5f) < 0.1f && whole > 0.2f) { // half-way along a bone: its cylinder
            Vec3 out = vec3_sub(foot->base, foot->foot);
            CHECK_NEAR(vec3_length(vec3_mad(out, s->axis, -vec3_dot(out, s->axis))), s->radius, 1e-3);
            middle++;
        }
    }
    assert_true(middle > 20);
    tube_close(&tube);
}

/// Weights say which bones may carry a vertex: all on the last bone, none is carried by the first.
static void feet_follow_the_weights(void **state)
{
    (void)state;
    Tube tube;
    tube_open(&tube, 1, NULL);
    int n = tube.who->mesh->vertex_count, *bone = PELTI_NEW(&tube.pool, int, n);
    float *weight = PELTI_NEW(&tube.pool, float, n);
    for (int v = 0; v < n; v++) {
        bone[v] = 2;
        weight[v] = 1;
    }
    const PeltiWeights all_last = {1, bone, weight}, none = {0};
    const ProjFoot *feet = shrink(&tube, &all_last), *nearest = shrink(&tube, &none);
    int near_first = 0;
    for (int v = 0; v < n; v++) {
        const ProjSegment *s = &tube.p->skeleton.segments[feet[v].segment];
        assert_true(s->bone == 2 || s->child == 2);
        near_first += tube.p->skeleton.segments[nearest[v].segment].bone == 0;
    }
    assert_true(near_first > n / 5); // without weights the nearest one does
    tube_close(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(feet_are_on_bones_and_bases_on_their_surface),
                                       cmocka_unit_test(feet_follow_the_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
