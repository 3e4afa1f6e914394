/// glTF 2.0 documents (.glb, .gltf): the JSON, the buffers, and the character Pelt takes from them. A document that was
/// opened is checked: every view lies in its buffer and every accessor in its view, node, mesh and skin indices exist and
/// the node tree is one. Read only, any number of threads.
#ifndef PELTI_IO_GLTF_H
#define PELTI_IO_GLTF_H

#include "character/character.h"
#include "io/json.h"

typedef struct PeltiGltfBuffer {
    const unsigned char *bytes; ///< NULL: the file gives none (an extension's buffer)
    size_t size;                ///< byteLength
    void *map;                  ///< mapped file of its own, NULL: none
    size_t map_size;
} PeltiGltfBuffer;

typedef struct PeltiGltfView {
    int buffer;
    size_t offset, size;
    int stride; ///< bytes; 0: packed
} PeltiGltfView;

typedef enum PeltiGltfComponent {
    PELTI_GLTF_I8 = 5120,
    PELTI_GLTF_U8 = 5121,
    PELTI_GLTF_I16 = 5122,
    PELTI_GLTF_U16 = 5123,
    PELTI_GLTF_U32 = 5125,
    PELTI_GLTF_F32 = 5126
} PeltiGltfComponent;

typedef struct PeltiGltfAccessor {
    int view; ///< -1: zeros
    size_t offset;
    int count, components; ///< 1 scalar .. 16 4x4 matrix
    int columns;           ///< of a matrix (2, 3, 4), else 1
    PeltiGltfComponent type;
    bool normalized;
    int sparse_count; ///< 0: not sparse
    int sparse_index_view, sparse_value_view;
    size_t sparse_index_offset, sparse_value_offset;
    PeltiGltfComponent sparse_index_type;
} PeltiGltfAccessor;

typedef struct PeltiGltfPrimitive {
    int position;                ///< accessor; -1: none, contributes no points
    int normal;                  ///< accessor; -1: none
    int indices;                 ///< accessor; -1: none
    int mode;                    ///< 4 triangles, 5 strip, 6 fan; others give points without triangles
    int point_count;             ///< of POSITION
    int set_count;               ///< of JOINTS_n with WEIGHTS_n
    const int *joints, *weights; ///< [set_count] accessors
    int target_count;
    const int *targets; ///< [target_count] accessors of position offsets; -1: the target moves none
} PeltiGltfPrimitive;

typedef struct PeltiGltfMesh {
    int first_primitive, primitive_count; ///< into primitives, as in the file
    int point_count;                      ///< of one instance
    int target_count;                     ///< morph targets, of the primitive that has most
} PeltiGltfMesh;

typedef struct PeltiGltfNode {
    int parent, mesh, skin; ///< -1: none
    bool live;              ///< in the default scene (all are, where the file has no scene)
} PeltiGltfNode;

typedef struct PeltiGltf {
    PeltiPool pool;
    PeltiJson *root;
    char *path;   ///< NULL: opened from memory
    char *origin; ///< what it was before the helper program read it ("FBX, through Assimp 5.2"); NULL: glTF from the start
    char *notes;  ///< what the helper could not take along: lines "code: text"; NULL: none
    char *folder; ///< where relative URIs start; NULL: external buffers are refused
    bool is_glb;
    bool is_packed;            ///< opened by pelti_gltf_open_packed
    const unsigned char *file; ///< the whole file
    size_t file_size;
    bool mapped;              ///< `file` is ours to unmap
    const unsigned char *bin; ///< the binary chunk of a .glb, NULL: none
    size_t bin_size;
    int buffer_count, view_count, accessor_count, mesh_count, primitive_count, node_count, skin_count, clip_count;
    PeltiGltfBuffer *buffers;
    PeltiGltfView *views;
    PeltiGltfAccessor *accessors;
    PeltiGltfMesh *meshes;
    PeltiGltfPrimitive *primitives;
    PeltiGltfNode *nodes;
    int *node_order;    ///< [node_count] parents first
    size_t point_limit; ///< most points of a character, half its most triangles: grows with the bytes in the file
} PeltiGltf;

/// Maps the file (it must not shrink while it is open; replacing it by rename is fine) and reads external buffers of its
/// folder. PELT_IO: cannot be read. PELT_BAD_INPUT: malformed. PELT_UNSUPPORTED: needs an extension that changes geometry.
PeltStatus pelti_gltf_open(const char *path, const PeltAllocator *allocator, PeltiGltf **out, PeltError *err);
/// The same for a file that may be compressed: accessors, views and buffers whose bytes an extension is to make are without
/// data. For the helper that unpacks it.
PeltStatus pelti_gltf_open_packed(const char *path, const PeltAllocator *allocator, PeltiGltf **out, PeltError *err);
/// Extensions that compress meshes and buffers.
bool pelti_gltf_is_packing(const char *extension);
/// As above from memory, which must outlive the document. `folder` NULL: no external buffers.
PeltStatus pelti_gltf_open_memory(const void *bytes, size_t size, const char *folder, const PeltAllocator *allocator,
                                  PeltiGltf **out, PeltError *err);
void pelti_gltf_close(PeltiGltf *doc); ///< NULL is fine

/// Decodes elements [first, first + count) of an accessor (strided, sparse, normalised, of any component type) to
/// [count x components]; fails if it has another number of components, fewer elements or no data. Floats are not checked for
/// being finite. The caller has bounded count by the accessor's own.
typedef struct PeltiGltfSpan { ///< elements [first, first + count) of an accessor that has so many components
    int accessor, components, first, count;
} PeltiGltfSpan;
PeltStatus pelti_gltf_floats_of(const PeltiGltf *doc, PeltiGltfSpan span, float *out, PeltError *err);
/// The same for all elements.
PeltStatus pelti_gltf_floats(const PeltiGltf *doc, int accessor, int components, float *out, PeltError *err);
/// Whole numbers, never normalised; fails on float accessors.
PeltStatus pelti_gltf_indices_of(const PeltiGltf *doc, PeltiGltfSpan span, uint32_t *out, PeltError *err);
int pelti_gltf_component_size(PeltiGltfComponent type);            ///< bytes
size_t pelti_gltf_element_size(const PeltiGltfAccessor *accessor); ///< bytes, padded columns of matrices included

/// The character of the default scene, finished (welded, segments...). What was odd and what was done instead is in its
/// log. The document may be closed afterwards.
PeltStatus pelti_gltf_character(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);
/// Of a file whose motion is wanted: its character where it shows one, else nodes, their order and clips alone.
PeltStatus pelti_gltf_motion(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);
/// Names that a VRM file gives its joints ("leftUpperArm"), [node_count] in the pool, NULL for all others; NULL: it says nothing.
const char *const *pelti_gltf_said(const PeltiGltf *doc, PeltiPool *pool);
/// A copy of the document, in memory, with these clips before its own. Pictures in files beside it come inside.
PeltStatus pelti_gltf_with_clips(const PeltiGltf *doc, const PeltiClip *clips, int clip_count, const PeltAllocator *allocator,
                                 PeltiGltf **out, PeltError *err);
/// The reading alone, without pelti_character_finish (no welded mesh, node order, parents or segments): for benches.
PeltStatus pelti_gltf_decode(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);

#endif
