/// Caches of every kind, with each place that asks for memory refused once: a clean failure and nothing left behind.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"
#include "refusing.h"

static PeltStatus read_all(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    PeltiCache *cache;
    Vec3 points[TINY_POINTS];
    PELT_TRY(pelti_cache_open(&(PeltiCacheSource){.path = at(user), .allocator = allocator}, &cache, err));
    PeltStatus status = PELT_OK;
    assert_int_equal(cache->frames.point_count, TINY_POINTS);
    for (int f = 0; f < cache->frames.frame_count && status == PELT_OK; f++)
        status = pelti_cache_frame(cache, f, points, err);
    pelti_cache_close(cache);
    return status;
}

static void every_kind_fails_cleanly(void **state)
{
    (void)state;
    static const char *const names[] = {"a.pc2", "a.mdd", "a.npz", "a.obj", "a.usda", "a.abc", "a.glb", "a.gltf"};
    static Places places;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        caches_write(&c, names[k], (PeltiOutputDef){0});
        int count = refuse_each_place(read_all, names[k], &places);
        printf("%s: %d places\n", names[k], count);
    }
    assert_true(places.count > 20);
    caches_end(&c);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(every_kind_fails_cleanly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
