/// Frames of points on disk: sinks that take a clip frame by frame (.pc2, .mdd, numbered .obj) and a reader for the first two.
/// Nothing appears under its final name before `publish`.
#ifndef PELTI_IO_CACHE_H
#define PELTI_IO_CACHE_H

#include "core/memory.h"
#include "io/spool.h"
#include "math/vec.h"

typedef struct PeltiFrames { ///< what will be pushed
    int point_count, frame_count;
    int start_frame; ///< clip frame of the first one
    double fps;
} PeltiFrames;

typedef struct PeltiSink PeltiSink;
typedef struct PeltiSinkKind {
    PeltStatus (*frame)(PeltiSink *sink, const Vec3 *points, const Vec3 *normals, PeltError *err);
    PeltStatus (*complete)(PeltiSink *sink, PeltError *err);
    PeltStatus (*publish)(PeltiSink *sink, PeltError *err);
    void (*destroy)(PeltiSink *sink);
} PeltiSinkKind;
struct PeltiSink { ///< the head of every sink
    const PeltiSinkKind *kind;
    PeltAllocator allocator;
    PeltiFrames frames;
    int pushed; ///< frames so far
};

/// The next frame [point_count]; `normals` may be NULL where the sink was not told to want them. Asserts on one too many.
PeltStatus pelti_sink_frame(PeltiSink *sink, const Vec3 *points, const Vec3 *normals, PeltError *err);
/// All that can run out of space. PELT_FAILED when frames are missing.
PeltStatus pelti_sink_complete(PeltiSink *sink, PeltError *err);
/// The files appear, by rename. On failure those of this sink that appeared are removed again.
PeltStatus pelti_sink_publish(PeltiSink *sink, PeltError *err);
/// Frees; removes all that was not published. NULL is fine.
void pelti_sink_destroy(PeltiSink *sink);

/// PC2: 32-byte little-endian header, then float triples. MDD: big-endian counts, a time table in seconds, float triples.
PeltStatus pelti_pc2_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, PeltiSink **out,
                          PeltError *err);
PeltStatus pelti_mdd_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, PeltiSink **out,
                          PeltError *err);

/// What stays the same in all frames of an .obj sequence; the caller's, must outlive the sink.
typedef struct PeltiObjGroup {
    const char *name;
    int first_point, point_count;
    const Mat34 *placement; ///< of an object that hangs on a node: its points -> world in the file's pose; NULL: none
} PeltiObjGroup;
typedef struct PeltiObjShape {
    int triangle_count, group_count;
    const int (*triangles)[3];   ///< over points, in the order of the groups
    const PeltiObjGroup *groups; ///< ascending, cover all points
    const float (*uv)[2];        ///< [point_count] as in glTF (0,0 is the top left corner); NULL: none
} PeltiObjShape;
/// "walk.obj" gives walk_0000.obj, walk_0001.obj... numbered by clip frame. With normals only if each frame brings them.
PeltStatus pelti_obj_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, const PeltiObjShape *shape,
                          PeltiSink **out, PeltError *err);
/// For numpy: `points` [frame][point][3], `triangles` [triangle][3], `fps`, `start_frame`. Streams.
PeltStatus pelti_npz_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, const PeltiObjShape *shape,
                          PeltiSink **out, PeltError *err);
/// USD as text, a Mesh a group with time samples; normals if each frame brings them.
PeltStatus pelti_usd_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, const PeltiObjShape *shape,
                          PeltiSink **out, PeltError *err);
/// Alembic (Ogawa): an Xform and a PolyMesh a group; normals if each frame brings them. Streams.
PeltStatus pelti_abc_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, const PeltiObjShape *shape,
                          PeltiSink **out, PeltError *err);
void pelti_obj_path(const char *path, int frame, char *out, size_t capacity); ///< name of one frame's file

/// A .pc2 or .mdd to read. Its counts are checked against the length of the file; its numbers may be anything.
typedef struct PeltiCache {
    PeltiSource source;
    bool big_endian;
    uint64_t first_byte; ///< of the first frame
    PeltiFrames frames;  ///< fps 0: the file does not say
} PeltiCache;
/// PELT_BAD_ARGUMENT: another ending than those two.
PeltStatus pelti_cache_open(const char *path, PeltiCache *out, PeltError *err);
PeltStatus pelti_cache_frame(const PeltiCache *cache, int index, Vec3 *points, PeltError *err); ///< [point_count]
void pelti_cache_close(PeltiCache *cache);

#endif
