/// Pictures of known things show what they should, with the same bytes for any number of threads.
/// Silhouettes, light from where the lamp is, shadows, wires, veils, cuts.
#include "check.h"
#include "shapes.h"

#include "core/hash.h"

#include <string.h>

static PeltiView front(void)
{
    return (PeltiView){.zoom = 1};
}

static PeltiImage render(const PeltiRenderScene *scene, const PeltiLook *look, int threads)
{
    PeltiImage image;
    PeltError err = {0};
    PeltiJobs *jobs = threads > 1 ? pelti_jobs_create(threads) : NULL;
    PeltStatus status = pelti_render(scene, look, jobs, &image, &err);
    pelti_jobs_destroy(jobs);
    if (status != PELT_OK)
        fail_msg("%s", err.text);
    return image;
}

static const uint8_t *at(const PeltiImage *image, float x, float y) ///< shares of the picture
{
    return image->rgba + 4 * ((size_t)(y * (float)image->height) * (size_t)image->width + (size_t)(x * (float)image->width));
}

static int brightness(const uint8_t *p)
{
    return p[0] + p[1] + p[2];
}

static double covered(const PeltiImage *image) ///< pixels
{
    double sum = 0;
    for (int i = 0; i < image->width * image->height; i++)
        sum += image->rgba[4 * i + 3] / 255.0;
    return sum;
}

static void sphere_covers_the_disc_it_should(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(3, -2, 5), 2, 128);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    for (int flat = 0; flat < 2; flat++) {
        PeltiView view = front();
        view.orthographic = flat;
        PeltiLook look = shape_look(1, &mesh, view, 200, 160);
        look.background = PELTI_BACKGROUND_NONE;
        PeltiImage image = render(&scene, &look, 2);
        double radius = 0.9 * 80; // framed to 0.9 of the shorter half side
        CHECK_NEAR(covered(&image), 3.14159265 * radius * radius, 0.01 * 3.14159265 * radius * radius);
        assert_int_equal(at(&image, 0.5f, 0.5f)[3], 255);
        assert_int_equal(at(&image, 0.02f, 0.5f)[3], 0);
        pelti_image_release(&image);
    }
    shape_free(&ball);
}

static void light_comes_from_above_left_and_shadow_falls_on_the_floor(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 1, 0), 1, 64);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    PeltiLook look = shape_look(1, &mesh, (PeltiView){.elevation_deg = 20, .zoom = 0.6f}, 240, 200);
    PeltiImage bare = render(&scene, &look, 2);
    look.ground = true;
    PeltiImage image = render(&scene, &look, 2);
    assert_true(brightness(at(&image, 0.43f, 0.41f)) > brightness(at(&image, 0.58f, 0.62f)) + 100);
    assert_true(brightness(at(&image, 0.43f, 0.41f)) > 450);
    long darker = 0, lighter = 0; // the floor only ever takes light away
    for (int i = 0; i < 240 * 200; i++) {
        int change = brightness(image.rgba + 4 * i) - brightness(bare.rgba + 4 * i);
        darker += change < -60;
        lighter += change > 6;
    }
    assert_in_range(darker, 1500, 12000);
    assert_true(lighter < 100);
    // right of the ball, away from the lamp, it is darker than left of it
    assert_true(brightness(at(&image, 0.25f, 0.75f)) > brightness(at(&image, 0.75f, 0.72f)) + 40);
    pelti_image_release(&bare);
    pelti_image_release(&image);
    shape_free(&ball);
}

/// Everything at once.
static void full_scene(PeltiRenderScene *scene, PeltiRenderSceneMesh meshes[2], const Shape *ring, const Shape *ball,
                       const float *values)
{
    meshes[0] = shape_mesh(ring);
    meshes[1] = shape_mesh(ball);
    meshes[0].values = values;
    meshes[0].low = -1;
    meshes[0].high = 1;
    meshes[0].map = PELTI_MAP_DIVERGING;
    meshes[0].wire = true;
    meshes[1].see_through = true;
    pelti_render_scene_init(scene);
    scene->mesh_count = 2;
    scene->meshes = meshes;
    pelti_array_push(&scene->lines, &(PeltiRenderSceneLine){{0, 0, 0}, {0, 1, 0}, 0.03f, {0.1f, 0.3f, 0.8f}});
    pelti_array_push(&scene->points, &(PeltiRenderScenePoint){{0, 1, 0}, 0, {0.8f, 0.3f, 0.1f}});
    pelti_array_push(&scene->arrows, &(PeltiRenderSceneArrow){{0, 0, 0}, {1, 1, 0}, 0, {0.1f, 0.7f, 0.1f}});
    pelti_array_push(&scene->triangles, &(PeltiRenderSceneTriangle){{{0, 0, 0}, {0.4f, 0, 0}, {0, 0.4f, 0}}, {0.9f, 0.9f, 0.1f}});
    scene->title = "title";
    scene->legend = (PeltiDrawLegend){.title = "stretch", .map = PELTI_MAP_DIVERGING, .low = -1, .high = 1};
}

static void same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    Shape ring = shape_torus(vec3(0, 0, 0), 1, 0.2f, 40, 16), ball = shape_sphere(vec3(0, 0.3f, 0), 0.7f, 24);
    float *values = calloc((size_t)ring.vertex_count, sizeof *values);
    PeltiRenderScene scene;
    PeltiRenderSceneMesh meshes[2];
    full_scene(&scene, meshes, &ring, &ball, values);
    PeltiLook look = shape_look(2, meshes, pelti_view_default(), 170, 130);
    look.ground = true;
    uint64_t first = 0;
    for (int threads = 1; threads <= 5; threads++) {
        PeltiImage image = render(&scene, &look, threads);
        uint64_t hash = pelti_hash(PELTI_HASH_START, image.rgba, 170 * 130 * 4);
        first = threads == 1 ? hash : first;
        assert_true(hash == first);
        pelti_image_release(&image);
    }
    pelti_render_scene_release(&scene);
    free(values);
    shape_free(&ring);
    shape_free(&ball);
}

static void values_show_as_the_colours_of_the_legend(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 64);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    float *values = malloc(sizeof(float) * (size_t)ball.vertex_count);
    for (int i = 0; i < ball.vertex_count; i++)
        values[i] = ball.x[i].x; // blue left, red right
    mesh.values = values;
    mesh.low = -1;
    mesh.high = 1;
    mesh.map = PELTI_MAP_DIVERGING;
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    PeltiLook look = shape_look(1, &mesh, front(), 200, 200);
    PeltiImage plain = render(&scene, &look, 2);
    const uint8_t *left = at(&plain, 0.15f, 0.5f), *right = at(&plain, 0.85f, 0.5f), *middle = at(&plain, 0.5f, 0.45f);
    assert_true(left[2] > left[0] + 50);
    assert_true(right[0] > right[2] + 20);
    assert_true(abs(middle[0] - middle[2]) < 30);
    scene.legend = (PeltiDrawLegend){.title = "x", .map = PELTI_MAP_DIVERGING, .low = -1, .high = 1};
    PeltiImage legend = render(&scene, &look, 2);
    int changed = 0;
    for (int i = 0; i < 200 * 200; i++)
        changed += memcmp(plain.rgba + 4 * i, legend.rgba + 4 * i, 4) != 0;
    assert_in_range(changed, 300, 200 * 200 / 5);
    pelti_image_release(&plain);
    pelti_image_release(&legend);
    free(values);
    shape_free(&ball);
}

static void wires_darken_edges_only(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 16);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    PeltiLook look = shape_look(1, &mesh, front(), 300, 300);
    PeltiImage plain = render(&scene, &look, 2);
    mesh.wire = true;
    PeltiImage wired = render(&scene, &look, 2);
    int darker = 0, same = 0, inside = 0;
    for (int y = 75; y < 225; y++)
        for (int x = 75; x < 225; x++) {
            const uint8_t *p = plain.rgba + 4 * (y * 300 + x), *q = wired.rgba + 4 * (y * 300 + x);
            darker += brightness(q) < brightness(p) - 60;
            same += abs(brightness(q) - brightness(p)) < 6;
            inside++;
        }
    assert_in_range(darker, inside / 50, inside / 4);
    assert_true(same > inside / 2);
    pelti_image_release(&plain);
    pelti_image_release(&wired);
    shape_free(&ball);
}

static float ball_field(const void *state, Vec3 x)
{
    (void)state;
    return fminf(fmaxf(1 - 0.5f * vec3_length(x), 0), 1); // 0.5 at distance 1
}

static void section_cuts_away_and_shows_the_field(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 48);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    scene.slice_count = 1;
    scene.slice = (PeltiRenderSceneSlice){.right = {1.9f, 0, 0}, .up = {0, 1.9f, 0}, .value = ball_field, .iso = 0.5f};
    PeltiLook look = shape_look(1, &mesh, (PeltiView){.zoom = 0.5f, .orthographic = true}, 240, 240);
    PeltiImage image = render(&scene, &look, 2);
    const uint8_t *inside = at(&image, 0.5f, 0.5f), *outside = at(&image, 0.5f, 0.12f);
    assert_true(inside[0] > inside[2] + 80);
    assert_true(outside[2] > outside[0] + 80);
    int darkest = 1000;
    float where = 0;
    for (float y = 0.15f; y < 0.45f; y += 1.0f / 480) // the iso-line is black and lies at distance 1
        if (brightness(at(&image, 0.5f, y)) < darkest) {
            darkest = brightness(at(&image, 0.5f, y));
            where = y;
        }
    CHECK_NEAR(0.5f - where, 0.9 * 0.25, 0.01); // 0.9 of the half side, halved by the zoom
    pelti_image_release(&image);
    scene.slice.up = vec3(0, 0, 0);
    PeltError err;
    assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_BAD_ARGUMENT);
    shape_free(&ball);
}

static void what_is_inside_is_seen_through_a_veil(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 32);
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    pelti_array_push(&scene.lines, &(PeltiRenderSceneLine){{0, -0.5f, 0}, {0, 0.5f, 0}, 0.1f, {0.02f, 0.05f, 0.8f}});
    PeltiLook look = shape_look(1, &mesh, front(), 120, 120);
    PeltiImage hidden = render(&scene, &look, 2);
    mesh.see_through = true;
    PeltiImage seen = render(&scene, &look, 2);
    const uint8_t *h = at(&hidden, 0.5f, 0.5f), *s = at(&seen, 0.5f, 0.5f);
    assert_true(h[0] > h[2]);
    assert_true(s[2] > s[0] + 60);
    pelti_image_release(&hidden);
    pelti_image_release(&seen);
    pelti_render_scene_release(&scene);
    shape_free(&ball);
}

static void odd_input_is_refused_or_harmless(void **state)
{
    (void)state;
    PeltError err;
    PeltiImage image;
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    const int sizes[][2] = {{0, 0}, {0, 100}, {-5, 10}, {100000, 10}, {8192, 8192}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        PeltiLook look = pelti_look_default();
        look.width = sizes[i][0];
        look.height = sizes[i][1];
        assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_BAD_ARGUMENT);
        assert_non_null(strstr(err.text, "pixels"));
        assert_null(image.rgba);
    }
    PeltiLook look = shape_look(0, NULL, pelti_view_default(), 1, 1); // nothing, in one pixel
    look.size = 1;
    look.samples = 0;
    assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_BAD_ARGUMENT);
    look.samples = 1;
    look.size = NAN;
    assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_BAD_ARGUMENT);
    look.size = 1;
    assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_OK);
    pelti_image_release(&image);
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 16); // vertices that are no numbers, indices out of range
    for (int i = 0; i < ball.vertex_count; i += 3)
        ball.x[i] = vec3(NAN, INFINITY, 0);
    ball.t[7][1] = 1 << 30;
    ball.t[9][2] = -4;
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    pelti_array_push(&scene.lines, &(PeltiRenderSceneLine){{NAN, 0, 0}, {0, 1, 0}, 0, {1, 1, 1}});
    pelti_array_push(&scene.arrows, &(PeltiRenderSceneArrow){{0, 0, 0}, {0, 0, 0}, 0, {1, 1, 1}});
    look.width = look.height = 64;
    look.ground = true;
    assert_int_equal(pelti_render(&scene, &look, NULL, &image, &err), PELT_OK);
    pelti_image_release(&image);
    pelti_render_scene_release(&scene);
    shape_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_covers_the_disc_it_should),
        cmocka_unit_test(light_comes_from_above_left_and_shadow_falls_on_the_floor),
        cmocka_unit_test(same_bytes_for_any_number_of_threads),
        cmocka_unit_test(values_show_as_the_colours_of_the_legend),
        cmocka_unit_test(wires_darken_edges_only),
        cmocka_unit_test(section_cuts_away_and_shows_the_field),
        cmocka_unit_test(what_is_inside_is_seen_through_a_veil),
        cmocka_unit_test(odd_input_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
