/// A character's file with another skin: new weights, joints the file does not have, more morph targets, and curves for both in
/// every clip. All else of the file stays as it is: materials, pictures, other nodes, extensions, its own targets.
#ifndef PELTI_IO_GLTF_RESKIN_H
#define PELTI_IO_GLTF_RESKIN_H

#include "io/gltf_out.h"

/// A rule that players of avatars know (VRMC_node_constraint 1.0): a share of a node's turn against the file's pose.
typedef enum PeltiReskinLinkKind {
    PELTI_RESKIN_FREE, ///< none
    PELTI_RESKIN_TURN, ///< "rotation"
    PELTI_RESKIN_ROLL  ///< "roll", about an axis
} PeltiReskinLinkKind;

typedef struct PeltiReskinJoint { ///< a joint the file does not have
    const char *name;
    int parent;                ///< node of the file it hangs below
    Trs local;                 ///< in the file's pose
    double rest_to_bone[3][4]; ///< as of a PeltiBone
    PeltiReskinLinkKind link;
    int source;       ///< node of the link
    float share;      ///< of the link, 0 to 1
    const char *axis; ///< "X", "Y" or "Z" of a roll: the source's own
} PeltiReskinJoint;

typedef struct PeltiReskinTarget {
    const char *name;
    PeltiTarget moves; ///< of the character's points, rest space
} PeltiReskinTarget;

typedef struct PeltiReskinClip { ///< curves of one clip; no keys: it gets none
    int key_count;
    const float *times;   ///< [key_count] rising, s
    const Trs *joints;    ///< [key_count x joint_count] local
    const float *targets; ///< [key_count x target_count]
    const float *morph;   ///< [key_count x who->target_count] weights of the file's own targets
} PeltiReskinClip;

typedef struct PeltiReskin {
    const PeltiGltf *document;
    const PeltiCharacter *who; ///< read from it
    PeltiWeights weights;      ///< of points, 4 or 8 influences; bone who->bone_count + j is joint j
    int joint_count, target_count;
    const PeltiReskinJoint *joints;
    const PeltiReskinTarget *targets;
    const PeltiReskinClip *clips; ///< [who->clip_count]
    PeltiLog *log;
    const PeltAllocator *allocator;
} PeltiReskin;

typedef struct PeltiReskinPlace { ///< where a target went: number `index` of the mesh that a node shows
    int target, node, mesh, index;
} PeltiReskinPlace;

typedef struct PeltiReskinResult {
    int *nodes; ///< [joint_count] of the joints
    int place_count;
    PeltiReskinPlace *places; ///< by instance, then by target
} PeltiReskinResult;

/// Writes it to a file that was begun, as a .glb or a .gltf with the buffer inside. The result is in `pool`.
PeltStatus pelti_gltf_reskin(const PeltiReskin *def, PeltiFile *file, bool is_glb, PeltiPool *pool, PeltiReskinResult *result,
                             PeltError *err);

// ---- the steps, in their order

typedef struct PeltiReskinSkin { ///< a skin of the file, by its number
    bool used;
    double to_rest[3][4]; ///< the space of its meshes -> rest space
    int *slot;            ///< [bone_count + joint_count] joint number in the skin, -1: it has none
    int joint_count;
} PeltiReskinSkin;

typedef struct PeltiReskinWork {
    const PeltiReskin *def;
    PeltiGltfOut *out;
    PeltiReskinSkin *skins;    ///< [skin_count]
    PeltiReskinResult *result; ///< its arrays have room
    int *instance_places;      ///< [instance_count + 1] into places
} PeltiReskinWork;

PeltStatus pelti_gltf_reskin_joints(PeltiReskinWork *work, PeltError *err); ///< nodes, skins
PeltStatus pelti_gltf_reskin_meshes(PeltiReskinWork *work, PeltError *err); ///< weights, targets
PeltStatus pelti_gltf_reskin_clips(PeltiReskinWork *work, PeltError *err);

#endif
