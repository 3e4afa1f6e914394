/// Point caches: bytes as the formats say, nothing before the end or after a crash, hostile ones refused.
#define _XOPEN_SOURCE 700 // mkdtemp, RLIMIT_FSIZE
#include "folder.h"
#include "io/cache.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { POINTS = 3000, FRAMES = 7 }; // more points than one block of the writer
static Vec3 g_frame[FRAMES][POINTS];
static const PeltiSinkFrames g_frames = {POINTS, FRAMES, 12, 24};

static void fill(void)
{
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < POINTS; i++)
            g_frame[f][i] = vec3((float)f + 0.1f * (float)i, -1e-3f * (float)i, 1.0f / (float)(i + f + 1));
}

static PeltStatus push_all(PeltiSink *sink, PeltError *err)
{
    for (int f = 0; f < FRAMES; f++)
        PELT_TRY(pelti_sink_frame(sink, g_frame[f], NULL, err));
    PELT_TRY(pelti_sink_complete(sink, err));
    return pelti_sink_publish(sink, err);
}

static PeltStatus open_cache(const char *path, PeltiCache **out, PeltError *err)
{
    return pelti_cache_open(&(PeltiCacheSource){.path = path}, out, err);
}

typedef PeltStatus (*OpenSink)(const PeltAllocator *, const char *, const PeltiSinkFrames *, PeltiSink **, PeltError *);

static void round_trip(OpenSink open, const char *path, size_t header_bytes)
{
    PeltError err;
    PeltiSink *sink;
    fill();
    assert_int_equal(open(NULL, path, &g_frames, &sink, &err), PELT_OK);
    assert_int_equal(push_all(sink, &err), PELT_OK);
    pelti_sink_destroy(sink);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, header_bytes + 12 * POINTS * FRAMES);
    PeltiCache *cache;
    assert_int_equal(open_cache(path, &cache, &err), PELT_OK);
    assert_int_equal(cache->frames.point_count, POINTS);
    assert_int_equal(cache->frames.frame_count, FRAMES);
    assert_int_equal(cache->frames.start_frame, 12);
    static Vec3 back[POINTS];
    for (int f = FRAMES - 1; f >= 0; f--) {
        assert_int_equal(pelti_cache_frame(cache, f, back, &err), PELT_OK);
        assert_memory_equal(back, g_frame[f], sizeof back);
    }
    pelti_cache_close(cache);
    assert_int_equal(entries(false), 1);
}

static void pc2_gives_the_same_floats_back(void **state)
{
    (void)state;
    round_trip(pelti_pc2_sink, at("a.pc2"), 32);
    unsigned char header[32];
    FILE *f = fopen(at("a.pc2"), "rb");
    assert_int_equal(fread(header, 1, 32, f), 32);
    fclose(f);
    const unsigned char expected[32] = "POINTCACHE2\0\1\0\0\0\xb8\x0b\0\0\0\0\x40\x41\0\0\x80\x3f\7"; // 3000 points, 12.0, 1.0
    assert_memory_equal(header, expected, 32);
}

static void mdd_is_big_endian_with_times_in_seconds(void **state)
{
    (void)state;
    round_trip(pelti_mdd_sink, at("a.mdd"), 8 + 4 * FRAMES);
    unsigned char header[16];
    FILE *f = fopen(at("a.mdd"), "rb");
    assert_int_equal(fread(header, 1, 16, f), 16);
    fclose(f);
    const unsigned char expected[12] = {0, 0, 0, FRAMES, 0, 0, 0x0b, 0xb8, 0x3f, 0, 0, 0}; // 12 / 24 = 0.5 s
    assert_memory_equal(header, expected, 12);
    PeltError err;
    PeltiCache *cache;
    assert_int_equal(open_cache(at("a.mdd"), &cache, &err), PELT_OK);
    CHECK_NEAR(cache->frames.fps, 24, 0);
    pelti_cache_close(cache);
}

static void nothing_appears_before_the_end(void **state)
{
    (void)state;
    PeltError err;
    PeltiSink *sink;
    fill();
    OpenSink open[2] = {pelti_pc2_sink, pelti_mdd_sink};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(open[k](NULL, at("a.x"), &g_frames, &sink, &err), PELT_OK);
        assert_int_equal(pelti_sink_frame(sink, g_frame[0], NULL, &err), PELT_OK);
        assert_int_not_equal(access(at("a.x"), F_OK), 0);
        assert_int_equal(pelti_sink_complete(sink, &err), PELT_FAILED); // frames are missing
        pelti_sink_destroy(sink);
        assert_int_equal(entries(false), 0);
    }
}

/// A limit on file size stands for the full disk: write fails half-way with the old file in place.
static void a_full_disk_leaves_no_half_file(void **state)
{
    (void)state;
    fill();
    FILE *old = fopen(at("a.pc2"), "wb");
    fputs("old", old);
    fclose(old);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        PeltError err;
        PeltiSink *sink;
        PeltStatus status = pelti_pc2_sink(NULL, at("a.pc2"), &g_frames, &sink, &err);
        if (status == PELT_OK) {
            status = push_all(sink, &err);
            pelti_sink_destroy(sink);
        }
        _exit(status);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), PELT_IO);
    assert_int_equal(entries(false), 1);
    struct stat about;
    assert_int_equal(stat(at("a.pc2"), &about), 0);
    assert_int_equal(about.st_size, 3);
}

static void a_killed_process_leaves_no_half_file(void **state)
{
    (void)state;
    fill();
    pid_t child = fork();
    if (child == 0) {
        PeltError err;
        PeltiSink *sink;
        if (pelti_pc2_sink(NULL, at("a.pc2"), &g_frames, &sink, &err) == PELT_OK)
            for (int f = 0; f < 3; f++)
                pelti_sink_frame(sink, g_frame[f], NULL, &err);
        raise(SIGKILL);
    }
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFSIGNALED(result));
    assert_int_not_equal(access(at("a.pc2"), F_OK), 0);
}

static const int g_triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
static const PeltiObjGroup g_groups[2] = {{"left hand", 0, 3, NULL}, {"right", 3, 3, NULL}};
static const float g_uv[6][2] = {{0, 0.25f}, {1, 0}, {0, 1}, {0, 0}, {0, 0}, {0, 0}};

static void obj_sequence_appears_together(void **state)
{
    (void)state;
    PeltError err;
    PeltiSink *sink;
    PeltiSinkFrames frames = {6, 2, 9, 30};
    PeltiObjShape shape = {2, 2, g_triangles, g_groups, g_uv};
    Vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1f, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    Vec3 normals[6] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    assert_int_equal(pelti_obj_sink(NULL, at("hand.obj"), &frames, &shape, &sink, &err), PELT_OK);
    for (int f = 0; f < 2; f++)
        assert_int_equal(pelti_sink_frame(sink, points, normals, &err), PELT_OK);
    assert_int_equal(entries(false), 1); // the hidden folder
    assert_int_equal(pelti_sink_complete(sink, &err), PELT_OK);
    assert_int_equal(pelti_sink_publish(sink, &err), PELT_OK);
    pelti_sink_destroy(sink);
    assert_int_equal(entries(false), 2);
    char text[4096] = {0};
    FILE *f = fopen(at("hand_0010.obj"), "rb");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_non_null(strstr(text, "v 0.100000001 0 1\n"));
    assert_non_null(strstr(text, "vt 0 0.75\n"));
    assert_non_null(strstr(text, "g left_hand\nf 1/1/1 2/2/2 3/3/3\ng right\nf 4/4/4 5/5/5 6/6/6\n"));
}

static void an_obj_sequence_that_cannot_be_moved_is_taken_back(void **state)
{
    (void)state;
    PeltError err;
    PeltiSink *sink;
    PeltiSinkFrames frames = {6, 2, 0, 30};
    PeltiObjShape shape = {2, 2, g_triangles, g_groups, NULL};
    Vec3 points[6] = {{0, 0, 0}};
    for (int late = 0; late < 2;
         late++) { // a folder in the way of the second frame is seen before any appears, or at the last moment
        assert_int_equal(pelti_obj_sink(NULL, at("a.obj"), &frames, &shape, &sink, &err), PELT_OK);
        for (int f = 0; f < 2; f++)
            assert_int_equal(pelti_sink_frame(sink, points, NULL, &err), PELT_OK);
        if (late)
            assert_int_equal(pelti_sink_complete(sink, &err), PELT_OK);
        assert_int_equal(mkdir(at("a_0001.obj"), 0700), 0);
        assert_int_equal(late ? pelti_sink_publish(sink, &err) : pelti_sink_complete(sink, &err), PELT_IO);
        pelti_sink_destroy(sink);
        assert_int_equal(entries(false), 1);
        rmdir(at("a_0001.obj"));
    }
}

/// Every truncation and every changed header word gives a failure with a story or frames that can be read.
static void hostile_caches_are_refused(void **state)
{
    (void)state;
    PeltError err;
    PeltiSinkFrames frames = {2, 3, 0, 24};
    Vec3 points[2] = {{1, 2, 3}, {4, 5, 6}};
    OpenSink open[2] = {pelti_pc2_sink, pelti_mdd_sink};
    for (int k = 0; k < 2; k++) {
        PeltiSink *sink;
        assert_int_equal(open[k](NULL, at("good"), &frames, &sink, &err), PELT_OK);
        for (int f = 0; f < 3; f++)
            assert_int_equal(pelti_sink_frame(sink, points, NULL, &err), PELT_OK);
        assert_int_equal(pelti_sink_complete(sink, &err), PELT_OK);
        assert_int_equal(pelti_sink_publish(sink, &err), PELT_OK);
        pelti_sink_destroy(sink);
        unsigned char good[256], bad[256];
        FILE *f = fopen(at("good"), "rb");
        size_t size = fread(good, 1, sizeof good, f);
        fclose(f);
        const unsigned char words[5] = {0, 0x7f, 0x80, 0xff, 3};
        size_t header = k ? 20 : 32;
        for (size_t trial = 0; trial < size + header * 5; trial++) {
            memcpy(bad, good, size);
            size_t bytes = trial < size ? trial : size;
            if (trial >= size)
                memset(bad + (trial - size) / 5 / 4 * 4, words[(trial - size) % 5], 1 + (trial - size) / 5 % 4);
            f = fopen(at("bad"), "wb");
            fwrite(bad, 1, bytes, f);
            fclose(f);
            PeltiCache *cache;
            PeltStatus status = open_cache(at("bad"), &cache, &err);
            if (status != PELT_OK) {
                assert_int_equal(status, PELT_BAD_INPUT);
                continue;
            }
            assert_true(trial >= size);
            assert_true((size_t)cache->frames.point_count * (size_t)cache->frames.frame_count * 12 <= size);
            Vec3 back[32];
            for (int i = 0; i < cache->frames.frame_count; i++)
                assert_int_equal(pelti_cache_frame(cache, i, back, &err), PELT_OK);
            pelti_cache_close(cache);
        }
    }
}

/// Whether it is there or not: an .mdd would be made of its bytes.
static void a_cache_is_known_by_its_ending(void **state)
{
    (void)state;
    PeltError err;
    PeltiCache *cache;
    const char *others[] = {"a.zip", "a.", "a.fbx", "a.pc2.zip", "a.pc", "a.usda2"};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(open_cache(at(others[k]), &cache, &err), PELT_BAD_ARGUMENT);
        assert_non_null(strstr(err.text, ".pc2 .mdd .npz .obj .usda .abc .glb .vrm .gltf"));
        assert_null(cache);
    }
    const char *known[] = {"a.usd", "a.usdc", "a.USDZ", "a.npy"}, *cures[] = {"usdcat", "usdcat", "usdcat", "numpy.savez"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(open_cache(at(known[k]), &cache, &err), PELT_UNSUPPORTED);
        assert_non_null(strstr(err.text, cures[k]));
    }
    const char *read[] = {"A.MDD", "a.Pc2", "a.npz", "a.obj", "a.usda", "a.ABC", "a.glb", "a.vrm", "a.gltf", "none"};
    for (int k = 0; k < 10; k++) // were they there
        assert_int_equal(open_cache(at(read[k]), &cache, &err), PELT_IO);
    assert_int_equal(open_cache(folder_path, &cache, &err), PELT_IO);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(pc2_gives_the_same_floats_back),
        IN_FOLDER(mdd_is_big_endian_with_times_in_seconds),
        IN_FOLDER(nothing_appears_before_the_end),
        IN_FOLDER(a_full_disk_leaves_no_half_file),
        IN_FOLDER(a_killed_process_leaves_no_half_file),
        IN_FOLDER(obj_sequence_appears_together),
        IN_FOLDER(an_obj_sequence_that_cannot_be_moved_is_taken_back),
        IN_FOLDER(hostile_caches_are_refused),
        IN_FOLDER(a_cache_is_known_by_its_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
