/// The tests' tiny character, a tube with a skin and a box that hangs on a joint, and some frames of its clip: written as a cache
/// of any kind, read again, and spoiled. Include it after `#define _XOPEN_SOURCE 700`.
#ifndef PELT_TESTS_IO_CACHES_H
#define PELT_TESTS_IO_CACHES_H

#include "folder.h"

#include "character/targets.h"
#include "io/output.h"
#include "tiny_gltf.h"

#include <float.h>

enum { CACHES_FRAMES = 4, CACHES_START = 5, CACHES_FPS = 24 };

typedef struct CachesClip {
    unsigned char *bytes;
    PeltiGltf *doc;
    PeltiCharacter *who;
    PeltiPool pool;
    Vec3 *points[CACHES_FRAMES];
    PeltiOutputReport report; ///< of the last writing
} CachesClip;

/// Linear blending, without the tube's morph targets; frame `still` and the one after it are the same (-1: none are).
static inline CachesClip caches_clip(TinyGltf *tiny, int still)
{
    PeltError err;
    CachesClip c = {0};
    size_t size;
    c.bytes = tiny_glb(tiny, &size);
    OK(pelti_gltf_open_memory(c.bytes, size, NULL, NULL, &c.doc, &err));
    OK(pelti_gltf_character(c.doc, NULL, &c.who, &err));
    pelti_pool_init(&c.pool, NULL);
    const PeltiCharacter *who = c.who;
    const PeltiWeights *weights = &who->file_weights;
    PeltiPose pose = pelti_pose_new(&c.pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&c.pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bones = PELTI_NEW(&c.pool, Mat34, who->bone_count);
    PeltiTargetMix mix;
    OK(pelti_targets_create(&mix, who, &c.pool, &err));
    for (int f = 0; f < CACHES_FRAMES; f++) {
        c.points[f] = PELTI_NEW(&c.pool, Vec3, who->point_count);
        assert_false(c.pool.failed);
        double time = (double)(CACHES_START + f - (still >= 0 && f > still)) / CACHES_FPS;
        pelti_pose_clip(who, who->clip_count ? &who->clips[0] : NULL, time, &pose);
        pelti_pose_bones(who, &pose, node_matrix, bones);
        bool morphed = pelti_targets_mix(&mix, &pose);
        for (int p = 0; p < who->point_count; p++) {
            const PeltiInstance *instance = &who->instances[who->point_instance[p]];
            Vec3 sum = vec3(0, 0, 0), rest = morphed ? vec3_add(who->rest_points[p], mix.offsets[p]) : who->rest_points[p];
            for (int k = 0; instance->skin >= 0 && k < weights->influences; k++) {
                size_t i = (size_t)p * (size_t)weights->influences + (size_t)k;
                sum = vec3_mad(sum, mat34_apply(bones[weights->bone[i]], who->rest_points[p]), weights->weight[i]);
            }
            c.points[f][p] = instance->skin >= 0 ? sum : mat34_apply(bones[instance->bones[0]], rest);
        }
    }
    return c;
}

static inline void caches_end(CachesClip *c)
{
    pelti_pool_release(&c->pool);
    pelti_character_destroy(c->who);
    pelti_gltf_close(c->doc);
    free(c->bytes);
}

/// Frames of it, by `frame_count` (0: all), into a file of the folder.
static inline void caches_write(CachesClip *c, const char *name, PeltiOutputDef def)
{
    PeltError err;
    PeltiOutput *output;
    const char *path = at(name);
    def.who = c->who;
    def.document = c->doc;
    def.frames = (PeltiSinkFrames){.frame_count = def.frames.frame_count ? def.frames.frame_count : CACHES_FRAMES,
                                   .start_frame = CACHES_START,
                                   .fps = CACHES_FPS};
    OK(pelti_output_open(&def, &path, 1, &output, &err));
    for (int f = 0; f < def.frames.frame_count; f++) {
        Trs placement = trs_identity();
        if (def.object_count)
            pelti_output_place(output, &placement, NULL);
        OK(pelti_output_frame(output, c->points[f], NULL, NULL, &err));
    }
    OK(pelti_output_commit(output, NULL, &c->report, &err));
    pelti_output_destroy(output);
}

static inline PeltiCache *caches_open(const char *name, const PeltiCharacter *who)
{
    PeltError err;
    PeltiCache *cache;
    OK(pelti_cache_open(&(PeltiCacheSource){.path = at(name), .who = who}, &cache, &err));
    return cache;
}

/// Reads all frames, last first, and compares them: the same floats, or not farther than `most`.
static inline void caches_expect(const CachesClip *c, const char *name, float most, double fps)
{
    PeltError err;
    PeltiCache *cache = caches_open(name, c->who);
    assert_int_equal(cache->frames.point_count, c->who->point_count);
    assert_int_equal(cache->frames.frame_count, CACHES_FRAMES);
    assert_int_equal(cache->frames.start_frame, CACHES_START);
    CHECK_NEAR(cache->frames.fps, fps, 0);
    Vec3 *back = test_malloc((size_t)c->who->point_count * sizeof *back);
    for (int f = CACHES_FRAMES - 1; f >= 0; f--) {
        OK(pelti_cache_frame(cache, f, back, &err));
        if (most == 0)
            assert_memory_equal(back, c->points[f], (size_t)c->who->point_count * sizeof *back);
        for (int p = 0; p < c->who->point_count; p++)
            CHECK_NEAR(vec3_length(vec3_sub(back[p], c->points[f][p])), 0, most);
    }
    test_free(back);
    pelti_cache_close(cache);
}

static inline void caches_save(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(at(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/// It is refused so, in one line that holds `text`.
static inline void caches_refused(const char *name, const PeltiCharacter *who, PeltStatus status, const char *text)
{
    PeltError err = {0};
    PeltiCache *cache = NULL;
    PeltStatus got = pelti_cache_open(&(PeltiCacheSource){.path = at(name), .who = who}, &cache, &err);
    if (got != status || !strstr(err.text, text) || !strstr(err.text, name) || strchr(err.text, '\n'))
        fail_msg("%s: %d '%s', not %d '%s'", name, (int)got, err.text, (int)status, text);
    assert_null(cache);
}

/// Whatever it is, it is refused with a story or read; counts are borne out by `size` bytes. Whether all of it could be read.
static inline bool caches_try(const char *name, size_t size)
{
    PeltError err = {0};
    PeltiCache *cache = NULL;
    PeltStatus status = pelti_cache_open(&(PeltiCacheSource){.path = at(name)}, &cache, &err);
    assert_true((status == PELT_OK) == (cache != NULL));
    if (status != PELT_OK) {
        if ((status != PELT_BAD_INPUT && status != PELT_UNSUPPORTED) || !err.text[0])
            fail_msg("%s: %d '%s'", name, (int)status, err.text);
        return false;
    }
    assert_in_range(cache->frames.point_count, 1, size);
    assert_in_range(cache->frames.frame_count, 1, 100000);
    assert_true(cache->frames.fps >= 0 && cache->frames.fps <= 1e5);
    Vec3 *points = malloc((size_t)cache->frames.point_count * sizeof *points); // as long as it says: a sanitizer sees more
    for (int f = 0; f < cache->frames.frame_count && f < 8 && status == PELT_OK; f++)
        status = pelti_cache_frame(cache, f, points, &err);
    assert_true(status == PELT_OK || (status == PELT_BAD_INPUT && err.text[0]));
    free(points);
    pelti_cache_close(cache);
    return status == PELT_OK;
}

/// Cuts a file at every `step`-th length, none of which can be read whole, and changes every `step`-th byte.
static inline void caches_spoil(const char *name, size_t step)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff, '9', '[', '}', '\n'};
    FILE *f = fopen(at(name), "rb");
    assert_non_null(f);
    static char good[1 << 16], bad[1 << 16];
    size_t size = fread(good, 1, sizeof good, f);
    char other[32];
    fclose(f);
    assert_in_range(size, 1, sizeof good - 1);
    snprintf(other, sizeof other, "bad%s", strrchr(name, '.'));
    for (size_t cut = 0; cut + 2 < size; cut += step) {
        caches_save(other, good, cut);
        if (caches_try(other, size))
            fail_msg("%s, cut to %zu of %zu bytes, is read", name, cut, size);
    }
    int read = 0, all = 0;
    for (size_t i = 0; i < size * sizeof values; i += step, all++) {
        memcpy(bad, good, size);
        bad[i / sizeof values] = (char)values[i % sizeof values];
        caches_save(other, bad, size);
        read += caches_try(other, size);
    }
    printf("%s: %zu bytes, %d changes, %d of them read\n", name, size, all, read);
}

#endif
