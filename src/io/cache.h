/// Frames of points on disk: sinks that take a clip frame by frame, and a reader for every kind that a bake writes.
/// Nothing appears under its final name before `publish`.
#ifndef PELTI_IO_CACHE_H
#define PELTI_IO_CACHE_H

#include "character/character.h"
#include "io/spool.h"

typedef struct PeltiSinkFrames { ///< what will be pushed
    int point_count, frame_count;
    int start_frame; ///< clip frame of the first one
    double fps;
} PeltiSinkFrames;

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
    PeltiSinkFrames frames;
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
PeltStatus pelti_pc2_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames, PeltiSink **out,
                          PeltError *err);
PeltStatus pelti_mdd_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames, PeltiSink **out,
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
PeltStatus pelti_obj_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err);
/// For numpy: `points` [frame][point][3], `triangles` [triangle][3], `fps`, `start_frame`. Streams.
PeltStatus pelti_npz_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err);
/// USD as text, a Mesh a group with time samples; normals if each frame brings them.
PeltStatus pelti_usd_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err);
/// Alembic (Ogawa): an Xform and a PolyMesh a group; normals if each frame brings them. Streams.
PeltStatus pelti_abc_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err);
void pelti_obj_path(const char *path, int frame, char *out, size_t capacity); ///< name of one frame's file

/// What is to be read.
typedef struct PeltiCacheSource {
    const char *path;               ///< .pc2 .mdd .npz .obj .usda .abc .glb .vrm .gltf
    const PeltiCharacter *who;      ///< whose points they are: the meshes of a .glb are put into its order; NULL: into the file's
    double fps;                     ///< of a .glb that moves nodes alone, and of one frame whose time is known; 0: 30
    const PeltAllocator *allocator; ///< NULL: malloc
} PeltiCacheSource;

/// A cache to read. Its counts are checked against the length of the file; numbers of .pc2, .mdd, .npz and .abc may be anything.
typedef struct PeltiCache PeltiCache;
typedef struct PeltiCacheKind {
    const char *endings; ///< of names, each with a blank behind it
    size_t size;         ///< bytes of the struct, which begins with a PeltiCache
    PeltStatus (*open)(PeltiCache *cache, const PeltiCacheSource *source, PeltError *err); ///< fills `frames`
    PeltStatus (*frame)(PeltiCache *cache, int index, Vec3 *points, PeltError *err);
    void (*close)(PeltiCache *cache); ///< of one that `open` has seen, whatever came of it
} PeltiCacheKind;
struct PeltiCache { ///< the head of every cache
    const PeltiCacheKind *kind;
    PeltiPool pool;
    PeltiSinkFrames frames; ///< fps 0: the file does not say
    bool timeless;          ///< one frame, and nothing in the file says which of a clip
    const char *path;       ///< for stories; NULL: they name a file already
};

/// PELT_BAD_ARGUMENT: an ending nobody knows. PELT_UNSUPPORTED: a file of its kind in a form that is not read, with the cure.
/// PELT_BAD_INPUT: not sound. PELT_IO: cannot be read. The caller closes what `out` gets.
PeltStatus pelti_cache_open(const PeltiCacheSource *source, PeltiCache **out, PeltError *err);
PeltStatus pelti_cache_frame(PeltiCache *cache, int index, Vec3 *points, PeltError *err); ///< [point_count]
void pelti_cache_close(PeltiCache *cache);                                                ///< NULL is fine

#endif
