/// A glTF document being written: JSON that is edited, and one buffer made of pieces that lie in memory, in another
/// document or in a spool. Starts as a copy of a document that was read, or empty.
#ifndef PELTI_IO_GLTF_OUT_H
#define PELTI_IO_GLTF_OUT_H

#include "core/file.h"
#include "io/gltf.h"
#include "io/spool.h"

typedef struct PeltiGltfOut {
    PeltiPool pool;
    PeltiJson *root;
    PeltiArray pieces, maps; ///< of the buffer; of image files
    uint64_t bytes;          ///< of the buffer so far
    bool ok;                 ///< false: memory was refused somewhere; `pelti_gltf_out_write` fails then
} PeltiGltfOut;

/// A copy of all `doc` has (NULL: {"asset": ...} only). Its buffers become one; images in files beside it are put inside, so
/// that the result stands alone in any folder. `doc` must outlive the result. An image that cannot be read keeps its
/// name, with a warning.
PeltStatus pelti_gltf_out_begin(PeltiGltfOut *out, const PeltiGltf *doc, const PeltAllocator *allocator, PeltiLog *log,
                                PeltError *err);
void pelti_gltf_out_end(PeltiGltfOut *out); ///< zeroed is fine

/// The array of the root with this name, made where absent.
PeltiJson *pelti_gltf_out_list(PeltiGltfOut *out, const char *name);
/// Appends to an array of the root, taking `item` over; its index.
int pelti_gltf_out_push(PeltiGltfOut *out, const char *list, PeltiJson *item);

PeltiJson *pelti_gltf_out_floats(const float *values, int count); ///< an array of numbers; NULL when refused
bool pelti_gltf_out_lists(const PeltiJson *list, int value);      ///< is the whole number in the array?

/// Appends bytes (which must outlive `out`), or some of a spool; the offset, a multiple of 4.
uint64_t pelti_gltf_out_bytes(PeltiGltfOut *out, const void *bytes, size_t size);
uint64_t pelti_gltf_out_spool(PeltiGltfOut *out, const PeltiSpool *spool, uint64_t from, uint64_t size);

enum { PELTI_GLTF_VERTICES = 34962, PELTI_GLTF_CORNERS = 34963 }; ///< what a view is for; 0: neither
int pelti_gltf_out_view(PeltiGltfOut *out, uint64_t offset, uint64_t size, int stride, int target);

typedef struct PeltiGltfOutAccessor {
    int view;        ///< -1: zeros
    uint64_t offset; ///< in the view
    int count;
    const char *type; ///< "VEC3"
    PeltiGltfComponent component;
    int bound_count; ///< of low and high; 0: none
    const float *low, *high;
    int sparse_count; ///< elements that differ; 0: not sparse
    int sparse_index_view, sparse_value_view;
    PeltiGltfComponent sparse_index_component;
} PeltiGltfOutAccessor;
int pelti_gltf_out_accessor(PeltiGltfOut *out, const PeltiGltfOutAccessor *accessor);

typedef struct PeltiGltfOutOffsets { ///< of a morph target on a primitive
    int count;
    uint32_t *points; ///< [count] that it moves, ascending
    Vec3 *moves;      ///< [count]
} PeltiGltfOutOffsets;
/// Accessor of the offsets of all points: zeros, sparse or dense, whatever takes fewest bytes. They must outlive `out`.
int pelti_gltf_out_offsets(PeltiGltfOut *out, int point_count, const PeltiGltfOutOffsets *offsets);

/// Curves of a clip, an object with "samplers" and "channels". Values and times must outlive `out`.
int pelti_gltf_out_times(PeltiGltfOut *out, const float *times, int count); ///< accessor of key times, rising
typedef struct PeltiGltfOutCurve {
    int times;           ///< accessor
    const float *values; ///< [count x components]
    int count, components;
} PeltiGltfOutCurve;
int pelti_gltf_out_sampler(PeltiGltfOut *out, PeltiJson *clip, const PeltiGltfOutCurve *curve); ///< its index in the clip
void pelti_gltf_out_channel(PeltiGltfOut *out, PeltiJson *clip, int sampler, int node, const char *path);
typedef struct PeltiGltfOutTrack { ///< a node's local transform at every key
    int times, key_count;
    const Trs *transforms; ///< the first of them
    size_t stride;         ///< from one key to the next
    int node;
} PeltiGltfOutTrack;
/// Sampler and channel of its translation, rotation or scale; quaternions stay on one side of the sphere.
void pelti_gltf_out_track(PeltiGltfOut *out, PeltiJson *clip, const PeltiGltfOutTrack *track, PeltiChannelPath path);

/// How many nodes of the document show each of its meshes, [mesh_count] in the pool; NULL when refused.
int *pelti_gltf_out_mesh_users(PeltiGltfOut *out, const PeltiGltf *doc);
/// A mesh for one of its users alone: itself for the last of them, a copy for those before. -1: no memory.
int pelti_gltf_out_own_mesh(PeltiGltfOut *out, const PeltiGltf *doc, int *users, int mesh);
/// Removes JOINTS_n and WEIGHTS_n, and the compressed copy that would bring them back.
void pelti_gltf_out_drop_influences(PeltiJson *primitive);

/// Writes a .glb, or a .gltf with the buffer inside. PELT_UNSUPPORTED: larger than a .glb can be.
PeltStatus pelti_gltf_out_write(PeltiGltfOut *out, PeltiFile *file, bool is_glb, PeltError *err);

/// All of a document as a .glb, .vrm or .gltf by the name's end; PELT_BAD_ARGUMENT for another. Whole or not at all.
PeltStatus pelti_gltf_save(const PeltiGltf *doc, const char *path, const PeltAllocator *allocator, PeltiLog *log, PeltError *err);

#endif
