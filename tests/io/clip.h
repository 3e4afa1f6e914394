/// A clip of a few points for tests of files that hold frames, and a file's bytes.
#ifndef PELT_TESTS_IO_CLIP_H
#define PELT_TESTS_IO_CLIP_H

#include "folder.h"

#include "io/cache.h"

enum { CLIP_POINTS = 1500, CLIP_FRAMES = 3, CLIP_SPLIT = 700 }; // more points than a block of any writer; two meshes

static const int clip_triangles[2][3] = {{0, 1, 2}, {CLIP_SPLIT, CLIP_SPLIT + 1, CLIP_POINTS - 1}};
static const PeltiObjGroup clip_groups[2] = {{"3rd arm", 0, CLIP_SPLIT, NULL},
                                             {"Hut \"x\"", CLIP_SPLIT, CLIP_POINTS - CLIP_SPLIT, NULL}};
static const PeltiObjShape clip_shape = {2, 2, clip_triangles, clip_groups, NULL};
static const PeltiSinkFrames clip_frames = {CLIP_POINTS, CLIP_FRAMES, 7, 24};

static inline Vec3 clip_point(int frame, int i)
{
    return vec3((float)frame + 0.1f * (float)i, -1e-3f * (float)i, 1.0f / (float)(i + frame + 1));
}

static inline Vec3 clip_normal(int frame, int i)
{
    return vec3_normalize_or(vec3((float)(i % 7) - 3, (float)frame, 1), vec3(0, 1, 0));
}

/// Writes the clip through a sink and ends it.
static inline void clip_write(PeltiSink *sink, bool with_normals)
{
    static Vec3 points[CLIP_POINTS], normals[CLIP_POINTS];
    PeltError err;
    for (int f = 0; f < CLIP_FRAMES; f++) {
        for (int i = 0; i < CLIP_POINTS; i++) {
            points[i] = clip_point(f, i);
            normals[i] = clip_normal(f, i);
        }
        assert_int_equal(pelti_sink_frame(sink, points, with_normals ? normals : NULL, &err), PELT_OK);
    }
    assert_int_equal(pelti_sink_complete(sink, &err), PELT_OK);
    assert_int_equal(pelti_sink_publish(sink, &err), PELT_OK);
    pelti_sink_destroy(sink);
}

/// All bytes of a file, with a zero behind them; test_free ends them.
static inline char *file_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *bytes = test_malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    bytes[*size] = 0;
    fclose(f);
    return bytes;
}

#endif
