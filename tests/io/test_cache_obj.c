/// Numbered .obj as a cache.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"

static void a_bake_is_read_by_its_name_and_by_that_of_any_frame(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "walk.obj", (PeltiOutputDef){0}); // frames 5 to 8
    caches_expect(&c, "walk.obj", 0, 0);
    caches_expect(&c, "walk_0005.obj", 0, 0);
    caches_expect(&c, "walk_0007.obj", 0, 0);
    caches_save("walk_0010.obj", "v 1 2 3\n", 8); // behind a gap: another run
    caches_save("walk_12.obj", "v 1 2 3\n", 8);   // no number of ours
    caches_save("walker_0001.obj", "v 1 2 3\n", 8);
    caches_expect(&c, "walk.obj", 0, 0);
    PeltiCache *cache = caches_open("walk_0010.obj", NULL);
    assert_int_equal(cache->frames.start_frame, 10);
    assert_int_equal(cache->frames.frame_count, 1);
    pelti_cache_close(cache);
    caches_end(&c);
}

static void one_file_is_one_frame(void **state)
{
    (void)state;
    PeltError err;
    Vec3 back[4];
    static const char text[] = "# v 9 9 9\no a\nv 1 -2.5e-1 .5\r\n  v\t0.1 +3 -0 1.0\nvn 0 0 1\nvt 0 0\nv 16777217 1e-45 "
                               "123456789012345678901234567890e-20 0.5 0.5 0.5\nf 1 2 3\nv 3.40282347e+38 1E2 7";
    caches_save("one.obj", text, sizeof text - 1);
    PeltiCache *cache = caches_open("one.obj", NULL);
    assert_int_equal(cache->frames.frame_count, 1);
    assert_int_equal(cache->frames.start_frame, 0);
    assert_int_equal(cache->frames.point_count, 4);
    OK(pelti_cache_frame(cache, 0, back, &err));
    const Vec3 points[4] = {{1, -0.25f, 0.5f}, {0.1f, 3, -0.0f}, {16777216, 1e-45f, 1234567890.1234567f}, {FLT_MAX, 100, 7}};
    assert_memory_equal(back, points, sizeof points);
    pelti_cache_close(cache);
}

static void what_is_no_number_is_refused_with_its_line(void **state)
{
    (void)state;
    static const char *const bad[] = {"v nan 0 0\n", "v 0 inf 0\n", "v 1 2\n",   "v 1 2 3x\n", "v 1e99 0 0\n",
                                      "v 1e 0 0\n",  "v - 0 0\n",   "v 1,5 0 0", "v . 0 0\n",  "v 0x10 0 0\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[64];
        snprintf(text, sizeof text, "v 0 0 0\n%s", bad[i]);
        caches_save("a.obj", text, strlen(text));
        caches_refused("a.obj", NULL, PELT_BAD_INPUT, "line 2");
    }
    caches_save("a.obj", "f 1 2 3\n", 8);
    caches_refused("a.obj", NULL, PELT_BAD_INPUT, "no points");
    caches_save("a.obj", "", 0);
    caches_refused("a.obj", NULL, PELT_BAD_INPUT, "no points");
    caches_refused("none.obj", NULL, PELT_IO, "No such file");
}

static void frames_of_other_lengths_are_refused_when_they_are_read(void **state)
{
    (void)state;
    PeltError err;
    Vec3 back[2];
    caches_save("a_0000.obj", "v 0 0 0\nv 1 1 1\n", 16);
    caches_save("a_0001.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\n", 24);
    caches_save("a_0002.obj", "v 0 0 0\n", 8);
    caches_save("a_0003.obj", "v 0 0 0\nv 1 1 one\n", 18);
    PeltiCache *cache = caches_open("a.obj", NULL);
    assert_int_equal(cache->frames.frame_count, 4);
    OK(pelti_cache_frame(cache, 0, back, &err));
    for (int f = 1; f < 4; f++) {
        char name[32];
        snprintf(name, sizeof name, "a_000%d.obj", f);
        assert_int_equal(pelti_cache_frame(cache, f, back, &err), PELT_BAD_INPUT);
        assert_non_null(strstr(err.text, name));
    }
    assert_int_equal(remove(at("a_0002.obj")), 0);
    assert_int_equal(pelti_cache_frame(cache, 2, back, &err), PELT_IO);
    pelti_cache_close(cache);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_bake_is_read_by_its_name_and_by_that_of_any_frame),
                                       IN_FOLDER(one_file_is_one_frame), IN_FOLDER(what_is_no_number_is_refused_with_its_line),
                                       IN_FOLDER(frames_of_other_lengths_are_refused_when_they_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
