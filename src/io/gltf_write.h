/// Baked characters as glTF: the file they came from, with the skinned meshes morphing instead of being skinned.
#ifndef PELTI_IO_GLTF_WRITE_H
#define PELTI_IO_GLTF_WRITE_H

#include "io/gltf_morph.h"
#include "io/gltf_out.h"

/// A sink (cache.h) for .glb or .gltf. `complete` does the compressing; `progress` NULL: silent.
PeltStatus pelti_gltf_sink(const PeltiOutputDef *def, const char *path, bool is_glb, PeltiSink **out, PeltError *err);
void pelti_gltf_sink_progress(PeltiSink *sink, const PeltiProgressSink *progress);
void pelti_gltf_sink_pose(PeltiSink *sink, const PeltiPose *pose); ///< of the next frame; with play_pose
void pelti_gltf_sink_place(PeltiSink *sink, const Trs *placements, const Vec3 *soft_points); ///< of the next frame
void pelti_gltf_sink_report(const PeltiSink *sink, PeltiOutputReport *report);               ///< after complete

/// The steps of a bake, in their order; the first is taken before any frame, the others after the last one make `out`, the
/// document of the result. A baked instance is a skinned one that the document's default scene shows.
typedef struct PeltiGltfBaked {
    int instance;               ///< of the character
    int node;                   ///< that shows it in the result
    int first_part, part_count; ///< one a primitive that has points
} PeltiGltfBaked;
typedef struct PeltiGltfOwn PeltiGltfOwn; ///< of gltf_bake_own.c
typedef struct PeltiGltfBake {
    const PeltiOutputDef *def;
    PeltiGltfBaked *baked;
    int baked_count;
    PeltiMorphPart *parts;
    int part_count;
    PeltiMorph morph;
    PeltiSpool data;       ///< frames as they come, then their targets
    const Trs *poses;      ///< [frame_count x node_count] with play_pose, else NULL
    int first_soft_part;   ///< soft objects' parts follow those of the character, one each
    int *object_nodes;     ///< [object_count]
    const Trs *placements; ///< [frame_count x object_count]
    const Vec3 *first;     ///< [points of the character] of frame 0; NULL: the character has no morph targets
    PeltiGltfOwn *own;     ///< NULL without
} PeltiGltfBake;

/// Finds what is to be baked: fills baked and parts. Memory of `pool`.
PeltStatus pelti_gltf_bake_parts(PeltiGltfBake *bake, PeltiPool *pool, PeltError *err);
/// Meshes get positions, normals and targets; nodes lose skins and stand at the root of their scenes.
PeltStatus pelti_gltf_bake_meshes(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err);
/// The file's own morph targets: what carries them to frame 0, how many a baked mesh has, those of one part into the empty list
/// of its primitive, their names with those of the bake behind. Before the meshes.
PeltStatus pelti_gltf_bake_own(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err);
int pelti_gltf_bake_own_count(const PeltiGltfBake *bake, const PeltiGltfBaked *baked);
bool pelti_gltf_bake_own_targets(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, PeltiJson *targets);
bool pelti_gltf_bake_own_names(const PeltiGltfBake *bake, const PeltiGltfBaked *baked, PeltiJson *extras);
/// Expressions of a VRM play the morph targets of baked meshes where those are now.
PeltStatus pelti_gltf_bake_vrm(const PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err);
/// Nodes, meshes and materials of the objects, in the default scene.
PeltStatus pelti_gltf_bake_objects(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err);
/// {"POSITION": a, "NORMAL": b} of a part, or of one of its targets (-1: frame 0), into `attributes`; false: no memory.
bool pelti_gltf_bake_arrays(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, int view, int target,
                            PeltiJson *attributes);
/// The view of a part's arrays, and the targets of a primitive that shows it.
int pelti_gltf_bake_view(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part);
bool pelti_gltf_bake_targets(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, int view,
                             PeltiJson *primitive);
bool pelti_gltf_bake_weights(PeltiJson *mesh, int count); ///< zeros: frame 0 is the shape itself
/// The baked clip first, with weights (and poses); then those of the other clips that move something that can be seen.
PeltStatus pelti_gltf_bake_clips(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err);

#endif
