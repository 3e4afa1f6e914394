/// Baked .glb as a cache: by targets a frame, by principal ones, with nodes that move, and in the order of the character.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"

/// Text of a document, once, with something else in its place.
static void replace(TinyGltf *t, const char *old, const char *new)
{
    char *place = strstr(t->json, old), tail[sizeof t->json];
    assert_non_null(place);
    snprintf(tail, sizeof tail, "%s", place + strlen(old));
    t->json_size = (size_t)(place - t->json);
    tiny_print(t->json, sizeof t->json, &t->json_size, "%s%s", new, tail);
}

/// A second node that shows the tube, after the hat's.
static TinyGltf *make_twins(void)
{
    TinyGltf *t = tiny_make((TinyOptions){0});
    replace(t, "\"hat\",\"mesh\":1,\"translation\":[0,1.25,0]}",
            "\"hat\",\"mesh\":1,\"translation\":[0,1.25,0]},{\"mesh\":0,\"skin\":0}");
    replace(t, "\"nodes\":[0,1]", "\"nodes\":[0,1,4]");
    return t;
}

static void a_target_a_frame_gives_the_points_back(void **state)
{
    (void)state;
    const char *const names[] = {"a.glb", "a.gltf", "a.vrm"};
    CachesClip c = caches_clip(tiny_make((TinyOptions){.targets = true, .sleeve = true}), -1);
    for (int k = 0; k < 3; k++) {
        caches_write(&c, names[k], (PeltiOutputDef){.morph = PELTI_MORPH_EACH_FRAME});
        caches_expect(&c, names[k], 1e-6f + 2 * c.report.morph_error, CACHES_FPS);
    }
    caches_end(&c);
}

static void principal_targets_stay_within_what_was_reported(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){.morph_most = 1, .morph_tolerance = 1e-6f});
    assert_true(c.report.morph_targets == 1 && c.report.morph_error > 1e-5f);
    caches_expect(&c, "a.glb", 1.01f * c.report.morph_error + 1e-6f, CACHES_FPS);
    caches_end(&c);
}

/// The bake copies the mesh, so that its points come in another order.
static void a_mesh_that_two_nodes_show_is_found_again(void **state)
{
    (void)state;
    CachesClip c = caches_clip(make_twins(), -1);
    for (int f = 0; f < CACHES_FRAMES; f++)
        for (int p = TINY_TUBE; p < 2 * TINY_TUBE; p++)
            c.points[f][p].x += 5; // the twins can be told apart
    caches_write(&c, "a.glb", (PeltiOutputDef){.morph = PELTI_MORPH_EACH_FRAME});
    caches_expect(&c, "a.glb", 4e-6f, CACHES_FPS);
    caches_end(&c);
}

static void objects_of_a_scene_are_left_out(void **state)
{
    (void)state;
    static const Vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int triangles[1][3] = {{0, 1, 2}};
    const PeltiOutputObject ball = {.name = "ball",
                                    .vertex_count = 3,
                                    .triangle_count = 1,
                                    .positions = corners,
                                    .triangles = triangles,
                                    .colour = {1, 1, 1, 1}};
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){.morph = PELTI_MORPH_EACH_FRAME, .objects = &ball, .object_count = 1});
    caches_expect(&c, "a.glb", 1e-6f, CACHES_FPS);
    PeltiCache *cache = caches_open("a.glb", NULL); // nobody's: all that is shown
    assert_int_equal(cache->frames.point_count, TINY_POINTS + 3);
    pelti_cache_close(cache);
    caches_end(&c);
}

/// One frame has no curve: what stands still is one, but which frame of the hat's motion it is nobody knows.
static void one_frame_is_read_where_nothing_moves(void **state)
{
    (void)state;
    PeltError err;
    Vec3 back[TINY_POINTS];
    CachesClip c = caches_clip(tiny_make((TinyOptions){.matrices = true}), -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){.frames = {.frame_count = 1}, .clip = -1});
    PeltiCache *cache = caches_open("a.glb", c.who);
    assert_int_equal(cache->frames.frame_count, 1);
    OK(pelti_cache_frame(cache, 0, back, &err));
    for (int p = 0; p < TINY_POINTS; p++)
        CHECK_NEAR(vec3_length(vec3_sub(back[p], c.points[0][p])), 0, 4e-7);
    pelti_cache_close(cache);
    caches_end(&c);
    c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){.frames = {.frame_count = 1}});
    caches_refused("a.glb", c.who, PELT_BAD_INPUT, "no curve of weights");
    caches_end(&c);
}

/// A character of props alone: its bake is its own file.
static void nodes_alone_move_by_frames_a_second(void **state)
{
    (void)state;
    PeltError err;
    PeltiCache *cache;
    Vec3 back[TINY_POINTS];
    TinyGltf *t = tiny_make((TinyOptions){.no_weights = true});
    replace(t, "\"mesh\":0,\"skin\":0", "\"mesh\":0");
    CachesClip c = caches_clip(t, -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){0});
    OK(pelti_cache_open(&(PeltiCacheSource){.path = at("a.glb"), .who = c.who, .fps = CACHES_FPS}, &cache, &err));
    assert_int_equal(cache->frames.frame_count, CACHES_FPS + 1); // a second
    CHECK_NEAR(cache->frames.fps, CACHES_FPS, 0);
    for (int f = 0; f < CACHES_FRAMES; f++) {
        OK(pelti_cache_frame(cache, CACHES_START + f, back, &err));
        for (int p = 0; p < TINY_POINTS; p++)
            CHECK_NEAR(vec3_length(vec3_sub(back[p], c.points[f][p])), 0, 1e-6);
    }
    pelti_cache_close(cache);
    caches_end(&c);
}

static void what_is_no_bake_is_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    caches_save("a.glb", glb, size);
    free(glb);
    caches_refused("a.glb", NULL, PELT_BAD_INPUT, "not a bake");
    TinyGltf *t = tiny_make((TinyOptions){.targets = true}); // keys at 0, 0.5 and 1 s, which are made uneven
    replace(t, "\"mesh\":0,\"skin\":0", "\"mesh\":0");
    float *times = (float *)(void *)t->bin;
    for (size_t i = 0; i + 3 <= t->bin_size / 4; i++)
        if (times[i] == 0 && times[i + 1] == 0.5f && times[i + 2] == 1)
            times[i + 1] = 0.25f;
    glb = tiny_glb(t, &size);
    caches_save("a.glb", glb, size);
    free(glb);
    caches_refused("a.glb", NULL, PELT_BAD_INPUT, "a key a frame");
    caches_save("a.glb", "", 0);
    caches_refused("a.glb", NULL, PELT_BAD_INPUT, "empty");
}

static void a_spoiled_one_is_refused_or_read(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.glb", (PeltiOutputDef){.frames = {.frame_count = 2}, .morph = PELTI_MORPH_EACH_FRAME});
    caches_spoil("a.glb", TEST_WORK(23, 61));
    caches_end(&c);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_target_a_frame_gives_the_points_back),
                                       IN_FOLDER(principal_targets_stay_within_what_was_reported),
                                       IN_FOLDER(a_mesh_that_two_nodes_show_is_found_again),
                                       IN_FOLDER(objects_of_a_scene_are_left_out),
                                       IN_FOLDER(one_frame_is_read_where_nothing_moves),
                                       IN_FOLDER(nodes_alone_move_by_frames_a_second),
                                       IN_FOLDER(what_is_no_bake_is_refused),
                                       IN_FOLDER(a_spoiled_one_is_refused_or_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
