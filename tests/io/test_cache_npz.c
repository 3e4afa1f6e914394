/// .npz as a cache: of ours and of numpy's arrays.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"
#include "io/zip.h"

typedef struct Array {
    const char *name, *header;
    const void *data;
    size_t bytes;
} Array;

/// An .npz of these arrays.
static void write_npz(const char *name, const Array *arrays, int count)
{
    PeltError err;
    PeltiZip zip;
    OK(pelti_zip_begin(&zip, NULL, at(name), &err));
    for (int i = 0; i < count; i++) {
        char head[128] = "\x93NUMPY\x01";
        memset(head + 10, ' ', sizeof head - 10);
        head[8] = (char)(sizeof head - 10);
        memcpy(head + 10, arrays[i].header, strlen(arrays[i].header));
        head[127] = '\n';
        OK(pelti_zip_entry(&zip, arrays[i].name, sizeof head + arrays[i].bytes, &err));
        OK(pelti_zip_write(&zip, head, sizeof head, &err));
        OK(pelti_zip_write(&zip, arrays[i].data, arrays[i].bytes, &err));
        OK(pelti_zip_entry_end(&zip, &err));
    }
    OK(pelti_zip_complete(&zip, &err));
    OK(pelti_zip_commit(&zip, &err));
}

#define POINTS_AS(type, fortran, shape) "{'descr': '" type "', 'fortran_order': " fortran ", 'shape': " shape ", }"

static void a_bake_is_read_to_the_last_bit(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.npz", (PeltiOutputDef){0});
    caches_expect(&c, "a.npz", 0, CACHES_FPS);
    caches_end(&c);
}

static void arrays_of_numpy_are_read_whatever_their_numbers(void **state)
{
    (void)state;
    const double wide[2][2][3] = {{{1, 2, 3}, {4, 5, 1e300}}, {{-1, 0.1, 3}, {NAN, 5, -1e300}}};
    const int32_t fps = 25;
    const int8_t start = -7;
    unsigned char big[24];
    for (int i = 0; i < 6; i++) { // 1, 2, 4, 8, 16, 32 as big-endian floats
        float value = (float)(1 << i);
        uint32_t bits;
        memcpy(&bits, &value, 4);
        for (int k = 0; k < 4; k++)
            big[4 * i + k] = (unsigned char)(bits >> (24 - 8 * k));
    }
    const Array arrays[] = {{"fps.npy", POINTS_AS("<i4", "False", "()"), &fps, sizeof fps},
                            {"points.npy", POINTS_AS("<f8", "False", "(2, 2, 3)"), wide, sizeof wide},
                            {"start_frame.npy", POINTS_AS("|i1", "False", "(1,)"), &start, 1},
                            {"else.npy", "no array", "x", 1}};
    PeltError err;
    Vec3 back[2];
    write_npz("wide.npz", arrays, 4);
    PeltiCache *cache = caches_open("wide.npz", NULL);
    assert_int_equal(cache->frames.point_count, 2);
    assert_int_equal(cache->frames.frame_count, 2);
    assert_int_equal(cache->frames.start_frame, -7);
    CHECK_NEAR(cache->frames.fps, 25, 0);
    OK(pelti_cache_frame(cache, 1, back, &err));
    assert_true(back[0].y == 0.1f && isnan(back[1].x) && back[1].y == 5 && isinf(back[1].z) && back[1].z < 0);
    pelti_cache_close(cache);
    write_npz("big.npz", &(Array){"points.npy", POINTS_AS(">f4", "False", "(1, 2, 3)"), big, sizeof big}, 1);
    cache = caches_open("big.npz", NULL);
    CHECK_NEAR(cache->frames.fps, 0, 0); // it does not say
    OK(pelti_cache_frame(cache, 0, back, &err));
    assert_true(back[0].x == 1 && back[0].z == 4 && back[1].z == 32);
    pelti_cache_close(cache);
}

static void others_are_refused_with_the_cure(void **state)
{
    (void)state;
    const float data[6] = {1, 2, 3, 4, 5, 6}, none = NAN;
    const struct {
        const char *header, *text;
        PeltStatus status;
    } cases[] = {{POINTS_AS("<f4", "True", "(1, 2, 3)"), "ascontiguousarray", PELT_UNSUPPORTED},
                 {POINTS_AS("<i4", "False", "(1, 2, 3)"), "numpy.float32", PELT_UNSUPPORTED},
                 {POINTS_AS("<f2", "False", "(1, 2, 3)"), "numpy.float32", PELT_UNSUPPORTED},
                 {POINTS_AS("<f4", "False", "(2, 3)"), "[frame][point][3]", PELT_BAD_INPUT},
                 {POINTS_AS("<f4", "False", "(3, 1, 2)"), "[frame][point][3]", PELT_BAD_INPUT},
                 {POINTS_AS("<f4", "False", "(1, 1, 2, 3)"), "no array of plain numbers", PELT_BAD_INPUT},
                 {POINTS_AS("<f4", "False", "(1, 3, 3)"), "short", PELT_BAD_INPUT},
                 {POINTS_AS("<f4", "False", "(4000000000, 4000000000, 3)"), "frames", PELT_BAD_INPUT},
                 {POINTS_AS("<f4", "False", "(0, 2, 3)"), "0 frames", PELT_BAD_INPUT},
                 {"[('x', '<f4')]", "no array of plain numbers", PELT_BAD_INPUT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_npz("a.npz", &(Array){"points.npy", cases[i].header, data, sizeof data}, 1);
        caches_refused("a.npz", NULL, cases[i].status, cases[i].text);
    }
    write_npz("a.npz", &(Array){"other.npy", POINTS_AS("<f4", "False", "(1, 2, 3)"), data, sizeof data}, 1);
    caches_refused("a.npz", NULL, PELT_BAD_INPUT, "no array `points`");
    Array two[] = {{"points.npy", POINTS_AS("<f4", "False", "(1, 2, 3)"), data, sizeof data},
                   {"fps.npy", POINTS_AS("<f4", "False", "()"), &none, sizeof none}};
    write_npz("a.npz", two, 2);
    caches_refused("a.npz", NULL, PELT_BAD_INPUT, "`fps` is");
    two[1].name = "start_frame.npy";
    write_npz("a.npz", two, 2);
    caches_refused("a.npz", NULL, PELT_BAD_INPUT, "`start_frame` is");
    // compressed: as the directory says it
    write_npz("a.npz", two, 1);
    char bytes[1024];
    FILE *f = fopen(at("a.npz"), "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i + 4 < size; i++)
        if (!memcmp(bytes + i, "PK\1\2", 4))
            bytes[i + 10] = 8;
    caches_save("a.npz", bytes, size);
    caches_refused("a.npz", NULL, PELT_UNSUPPORTED, "numpy.savez in place of numpy.savez_compressed");
    caches_save("a.npz", "PK", 2);
    caches_refused("a.npz", NULL, PELT_BAD_INPUT, "too short");
}

static void a_spoiled_one_is_refused_or_read(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.npz", (PeltiOutputDef){0});
    caches_spoil("a.npz", TEST_WORK(17, 61));
    caches_end(&c);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_bake_is_read_to_the_last_bit),
                                       IN_FOLDER(arrays_of_numpy_are_read_whatever_their_numbers),
                                       IN_FOLDER(others_are_refused_with_the_cure), IN_FOLDER(a_spoiled_one_is_refused_or_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
