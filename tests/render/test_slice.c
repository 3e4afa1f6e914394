/// A plane through a known field: where rays meet it, what it shows, and where its lines are drawn.
#include "check.h"

#include "render/trace.h"

static float slope(const void *state, Vec3 x)
{
    (void)state;
    return 0.5f + 0.2f * x.x; // 0.5 at x = 0
}

enum { SIDE = 65 };
static float values[SIDE * SIDE];

static void fill(PeltiTrace *trace, PeltiRenderScene *scene)
{
    *scene = (PeltiRenderScene){.slice_count = 1};
    scene->slice.centre = vec3(0, 0, 0);
    scene->slice.right = vec3(2, 0, 0);
    scene->slice.up = vec3(0, 1, 0);
    scene->slice.iso = 0.5f;
    scene->slice.value = slope;
    *trace = (PeltiTrace){.scene = scene, .slice = {.width = SIDE, .height = SIDE, .value = values}};
    for (int k = 0; k < 257; k++)
        trace->maps[PELTI_MAP_FIELD][k] = vec3(1, (float)k / 256, 1);
    pelti_slice_rows(trace, 0, SIDE, 0);
}

static PeltiTrace trace;
static PeltiRenderScene scene;

static void rays_meet_the_rectangle(void **state)
{
    (void)state;
    float distance, cut;
    fill(&trace, &scene);
    assert_true(pelti_slice_hit(&trace, vec3(1, 0.5f, 3), vec3(0, 0, -1), &distance, &cut));
    CHECK_NEAR(distance, 3, 1e-6);
    CHECK_NEAR(cut, 3, 1e-6);                                                                 // in front of it all is cut away
    assert_false(pelti_slice_hit(&trace, vec3(2.1f, 0, 3), vec3(0, 0, -1), &distance, &cut)); // beside it
    assert_false(pelti_slice_hit(&trace, vec3(0, 1.1f, 3), vec3(0, 0, -1), &distance, &cut));
    assert_false(pelti_slice_hit(&trace, vec3(0, 0, 3), vec3(0, 0, 1), &distance, &cut)); // away from it
    assert_true(isinf(cut));
    assert_true(pelti_slice_hit(&trace, vec3(0, 0, -3), vec3(0, 0, 1), &distance, &cut)); // from behind nothing is cut
    CHECK_NEAR(cut, 0, 0);
}

static void colours_follow_the_field(void **state)
{
    (void)state;
    fill(&trace, &scene);
    float before = -1;
    for (int k = 0; k < 20; k++) {
        float x = -1.9f + 0.2f * (float)k + 0.013f, value = slope(NULL, vec3(x, 0, 0));
        Vec3 c = pelti_slice_colour(&trace, vec3(x, 0.3f, 0), 1e-4f); // tiny pixels: lines are thin
        CHECK_NEAR(c.y, value, 0.01);
        assert_true(c.y > before);
        before = c.y;
    }
    Vec3 skin = pelti_slice_colour(&trace, vec3(0, 0.3f, 0), 0.01f); // on the iso-line it is black
    assert_true(skin.x < 0.05f && skin.y < 0.05f);
    Vec3 level = pelti_slice_colour(&trace, vec3(0.5f, 0.3f, 0), 0.01f),
         beside = pelti_slice_colour(&trace, vec3(0.25f, 0.3f, 0), 0.01f);
    assert_true(level.x < 0.7f && beside.x > 0.95f); // 0.6 is a level, 0.55 is none
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_meet_the_rectangle), cmocka_unit_test(colours_follow_the_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
