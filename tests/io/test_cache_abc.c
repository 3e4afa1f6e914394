/// .abc as a cache: ours, with a mesh that is placed by its object, and spoiled.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"

static char g_bytes[1 << 16];

static size_t load(const char *name)
{
    FILE *f = fopen(at(name), "rb");
    assert_non_null(f);
    size_t size = fread(g_bytes, 1, sizeof g_bytes, f);
    fclose(f);
    assert_in_range(size, 1, sizeof g_bytes - 1);
    return size;
}

static void a_bake_is_read_through_what_places_its_meshes(void **state)
{
    (void)state;
    for (int still = -1; still < 3; still++) { // equal samples are stored once: before, between and after others
        CachesClip c = caches_clip(tiny_make((TinyOptions){.scale = 2}), still);
        caches_write(&c, "a.abc", (PeltiOutputDef){0});
        caches_expect(&c, "a.abc", 2e-6f, CACHES_FPS); // the box is kept in the space of its node
        PeltError err;
        Vec3 back[TINY_POINTS];
        PeltiCache *cache = caches_open("a.abc", c.who);
        for (int f = 0; f < CACHES_FRAMES; f++) {
            OK(pelti_cache_frame(cache, f, back, &err));
            assert_memory_equal(back, c.points[f], TINY_TUBE * sizeof *back); // the tube's in the world
        }
        pelti_cache_close(cache);
        caches_end(&c);
    }
}

static void what_stands_still_has_all_its_frames(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    for (int f = 1; f < CACHES_FRAMES; f++)
        memcpy(c.points[f], c.points[0], (size_t)c.who->point_count * sizeof(Vec3));
    caches_write(&c, "a.abc", (PeltiOutputDef){0});
    caches_expect(&c, "a.abc", 2e-6f, CACHES_FPS);
    caches_end(&c);
}

/// The sample of .ops: a digest and one byte, the operation.
static char *find_operation(size_t size)
{
    static const char before[8] = {17, 0, 0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i + 25 <= size; i++)
        if (!memcmp(g_bytes + i, before, 8) && g_bytes[i + 24] == 0x30)
            return g_bytes + i + 24;
    fail_msg("no operation");
    return NULL;
}

/// The matrix of the box is (1, 0, 0, 0, ...) and its place is (0, 2.25, 0): other operations take its first numbers.
static void every_operation_places(void **state)
{
    (void)state;
    PeltError err;
    Vec3 own[TINY_BOX], back[TINY_POINTS];
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.abc", (PeltiOutputDef){0});
    size_t size = load("a.abc");
    char *operation = find_operation(size);
    for (int v = 0; v < TINY_BOX; v++)
        own[v] = vec3_sub(c.points[1][TINY_TUBE + v], vec3(0, 2.25f, 0));
    for (int op = 0; op < 8; op++) {
        *operation = (char)(op << 4);
        caches_save("b.abc", g_bytes, size);
        if (op == 7) {
            caches_refused("b.abc", NULL, PELT_BAD_INPUT, "operation 7");
            continue;
        }
        PeltiCache *cache = caches_open("b.abc", NULL);
        OK(pelti_cache_frame(cache, 1, back, &err));
        pelti_cache_close(cache);
        float s = sinf(0.017453293f), t = cosf(0.017453293f);
        for (int v = 0; v < TINY_BOX; v++) {
            Vec3 p = own[v], want[7] = {{p.x, 0, 0},
                                        {p.x + 1, p.y, p.z},
                                        p, // a turn by 0 about x
                                        {p.x, p.y + 2.25f, p.z},
                                        {p.x, t * p.y - s * p.z, s * p.y + t * p.z},
                                        {t * p.x + s * p.z, p.y, t * p.z - s * p.x},
                                        {t * p.x - s * p.y, s * p.x + t * p.y, p.z}};
            CHECK_NEAR(vec3_length(vec3_sub(back[TINY_TUBE + v], want[op])), 0, 2e-6);
        }
    }
    caches_end(&c);
}

static void others_are_refused_with_a_sentence(void **state)
{
    (void)state;
    caches_save("a.abc", "\x89HDF\r\n\x1a\n and more of it", 24);
    caches_refused("a.abc", NULL, PELT_UNSUPPORTED, "abcconvert -toOgawa");
    caches_save("a.abc", "Ogawa\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00", 16);
    caches_refused("a.abc", NULL, PELT_BAD_INPUT, "did not end it");
    caches_save("a.abc", "Ogawa\xff\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00", 16);
    caches_refused("a.abc", NULL, PELT_BAD_INPUT, "not Alembic");
    caches_save("a.abc", "something else altogether", 25);
    caches_refused("a.abc", NULL, PELT_BAD_INPUT, "Ogawa");
    caches_save("a.abc", "Ogawa", 5);
    caches_refused("a.abc", NULL, PELT_BAD_INPUT, "too short");
    caches_refused("none.abc", NULL, PELT_IO, "No such file");
}

/// Every word that may be a place or a count, made large, made nothing, or made to point back at the group that everything hangs
/// from.
static void words_that_lead_astray_are_refused(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.abc", (PeltiOutputDef){0});
    size_t size = load("a.abc");
    uint64_t root, good;
    memcpy(&root, g_bytes + 8, 8);
    const uint64_t words[] = {0,    root,         UINT64_MAX,      (uint64_t)1 << 63,
                              size, 0x100000000u, UINT64_MAX >> 1, ((uint64_t)1 << 63) | 16};
    for (size_t i = 8; i + 8 <= size; i += TEST_WORK(11, 17))
        for (size_t k = 0; k < sizeof words / sizeof *words; k += TEST_WORK(1, 3)) {
            if (i > 400 && i + 1600 < size && i % 32) // mostly points
                continue;
            memcpy(&good, g_bytes + i, 8);
            memcpy(g_bytes + i, &words[k], 8);
            caches_save("b.abc", g_bytes, size);
            memcpy(g_bytes + i, &good, 8);
            caches_try("b.abc", size);
        }
    caches_end(&c);
}

static void a_spoiled_one_is_refused_or_read(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.abc", (PeltiOutputDef){0});
    caches_spoil("a.abc", TEST_WORK(17, 61));
    caches_end(&c);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_bake_is_read_through_what_places_its_meshes),
                                       IN_FOLDER(what_stands_still_has_all_its_frames),
                                       IN_FOLDER(every_operation_places),
                                       IN_FOLDER(others_are_refused_with_a_sentence),
                                       IN_FOLDER(words_that_lead_astray_are_refused),
                                       IN_FOLDER(a_spoiled_one_is_refused_or_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
