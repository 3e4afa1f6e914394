/// Characters, poses and clips: what a file holds and how it moves.
#ifndef PELT_CHARACTER_H
#define PELT_CHARACTER_H

#include <pelt/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rigged character, read once and never changed afterwards: any number of threads and skins may use one.
typedef struct PeltCharacter PeltCharacter;

/// Reads a .glb, .vrm or .gltf (with files beside it, or data URIs); .fbx, .dae and compressed glTF through the program
/// `pelt-import`, which is run as a child process (docs/files.md). The file is not kept open for writing; it must stay unchanged
/// while the character lives if a .glb is to be written from it. `allocator` may be NULL, which means malloc; it must be good
/// from any thread that uses the character. Any thread may call this. The time goes with the file's size, some 8 ms a MB. The
/// caller destroys what `out` gets; on failure that is NULL, and `err` (may be NULL) says why in a line. It fails with PELT_IO
/// where the file cannot be read, PELT_BAD_INPUT where it is not sound, PELT_UNSUPPORTED where it needs what Pelt does not have,
/// and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_character_load(const char *path, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err);
/// Does the same as pelt_character_load, with the clips of `motion` (any of those files, or a .bvh; it needs no mesh) before the
/// character's own. Joints are paired by the names of the usual rigs, or by equal names, and differences of the rest poses are
/// taken out (docs/files.md). What has no pair is a warning of the character. Any thread may call it; it costs reading both
/// files, and the character twice. The caller destroys what `out` gets. It fails as pelt_character_load does (PELT_FAILED where
/// there is no memory), and with PELT_BAD_INPUT where no joint has a pair.
PELT_API PeltStatus pelt_character_load_motion(const char *path, const char *motion, const PeltAllocator *allocator,
                                               PeltCharacter **out, PeltError *err);
/// Does the same as pelt_character_load from the bytes of a .glb or .gltf in memory, from any thread and at the same cost. The
/// bytes stay the caller's and must outlive the character; the caller destroys what `out` gets. It fails with PELT_BAD_INPUT
/// where the bytes are not sound or name files beside them, PELT_UNSUPPORTED where they need what Pelt does not have, and
/// PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_character_load_memory(const void *bytes, size_t size, const PeltAllocator *allocator,
                                               PeltCharacter **out, PeltError *err);

/// Writes the file a character came from as .glb, .vrm or .gltf, unbaked: everything that was read, whatever the format was, in
/// one file that stands alone. `warned` (may be NULL) is told what could not be taken along. Any thread may call it; the
/// character is only read and stays the caller's. It costs reading and writing the file once. It fails with PELT_BAD_ARGUMENT for
/// another kind of file, PELT_IO where it cannot be written, PELT_UNSUPPORTED where the character was made by
/// pelt_character_create, and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_character_save(const PeltCharacter *who, const char *path,
                                        void (*warned)(const PeltWarning *warning, void *user), void *user, PeltError *err);

/// A character from arrays: what a host holds anyway. Matrices are 4 x 4 by rows, x' = M x, the last row 0 0 0 1, in the host's
/// space and units. Everything is copied.
typedef struct PeltJointDef {
    const char *name; ///< UTF-8, unique
    int parent;       ///< index of a joint; -1: none. Any order, no cycles
    float rest[16];   ///< joint -> host space in the pose the points are given in; invertible
} PeltJointDef;

/// Points and weights of one mesh. Points that lie on each other become one vertex, so that seams hold.
typedef struct PeltMeshDef {
    const char *name;
    int point_count;
    const float *points; ///< [point_count x 3] rest pose
    int face_count;
    const int *face_sizes;      ///< [face_count] corners each, at least 3, fanned into triangles; NULL: all triangles
    const int *corners;         ///< points of all faces, one after the other, outward by the right hand
    int influences;             ///< weights a point; 0: none, they are made automatically
    const int *weight_joints;   ///< [point_count x influences]; looked at where the weight is above 0
    const float *weight_values; ///< [point_count x influences] shares, need not sum to one
} PeltMeshDef;

typedef enum PeltUp { PELT_UP_Y, PELT_UP_Z } PeltUp;
typedef struct PeltCharacterDef {
    const PeltJointDef *joints;
    int joint_count;
    const PeltMeshDef *meshes; ///< prepared together, so that clothes and body know each other; cache order is theirs
    int mesh_count;
    PeltUp up;               ///< of the host: gravity and grounds need it
    float unit_m;            ///< metres of a unit of the host: 1, 0.01, ...
    PeltAllocator allocator; ///< all zero means malloc
    uint32_t guard;          ///< filled by pelt_character_def_default, checked by create
} PeltCharacterDef;
/// Returns a description with y up and metres, in which nothing else is said yet. Any thread may call it, and it costs nothing.
PELT_API PeltCharacterDef pelt_character_def_default(void);

/// Makes a character from arrays, which are copied. Inside, such a character stands y up in metres: pelt_pose_set_matrices takes
/// the host's matrices, pelt_skin_positions gives the host's space back, scenes and pelt_pose_set speak metres with y up. It has
/// no clips but "range" and cannot be written to .glb. Any thread may call this; it costs what reading a file of that size does.
/// The caller destroys what `out` gets; on failure that is NULL. The arrays are checked as hard as a file: it fails with
/// PELT_BAD_INPUT, which names the first mesh, joint, point or face that is wrong, and with PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_character_create(const PeltCharacterDef *def, PeltCharacter **out, PeltError *err);
/// Frees a character; NULL is fine. Its poses, skins, worlds and measures must be gone, and no other thread may be using it.
PELT_API void pelt_character_destroy(PeltCharacter *who);

typedef struct PeltCharacterInfo {
    int point_count;     ///< vertices as in the file, of all instances: the length of a cache's frame
    int welded_count;    ///< vertices after welding seams
    int triangle_count;  ///< after dropping degenerate and duplicate ones
    int component_count; ///< pieces not joined by edges
    int border_edge_count, nonmanifold_edge_count;
    bool closed; ///< no border, no non-manifold edge
    int node_count, joint_count, mesh_count, skin_count, clip_count;
    int influences;    ///< most joints at a point in the file; 0: the file has no weights
    bool weights_sane; ///< the file's weights are used by default where they pass a trial; else automatic ones
    float size;        ///< diagonal of the rest pose's bounds, the file's units: "the character's size"
    float low[3], high[3];
} PeltCharacterInfo;
/// A character never changes: the functions below only read it. None allocates or can fail. What is owned by the character lives
/// as long as it does. Names are UTF-8, as the file has them, and may be empty.

/// Returns the counts and bounds of a character. Any thread may call it. It costs a look at each point's weights and at each
/// bone.
PELT_API PeltCharacterInfo pelt_character_info(const PeltCharacter *who);
/// Returns the name of a node in [0, node_count), and NULL for any other number. It is owned by the character. Any thread may
/// call it, at no cost.
PELT_API const char *pelt_character_node_name(const PeltCharacter *who, int node);
/// Returns the index of the node above a node, and -1 for a root or a number that is no node's. Any thread may call it, at no
/// cost.
PELT_API int pelt_character_node_parent(const PeltCharacter *who, int node);
/// Returns the index of the first node of that name, and -1 where there is none. Any thread may call it; it costs a look at each
/// node in turn.
PELT_API int pelt_character_node_find(const PeltCharacter *who, const char *name);
/// Returns the node of a joint in [0, joint_count), and -1 for any other number. Any thread may call it; it costs a look at each
/// bone before it.
PELT_API int pelt_character_joint_node(const PeltCharacter *who, int joint);
/// Returns the name of a clip in [0, clip_count], of which the last is "range", and NULL for any other number. It is owned by the
/// character. Any thread may call it, at no cost.
PELT_API const char *pelt_character_clip_name(const PeltCharacter *who, int clip);
/// Returns the time of a clip's last key in seconds, and 0 for a number that is no clip's. Any thread may call it, at no cost.
PELT_API double pelt_character_clip_seconds(const PeltCharacter *who, int clip);
/// Returns the index of the clip of that name, or of that index written as text, and -1 where there is none. "range" is a range
/// of motion made from the skeleton, for files without a clip (unless the file has a clip of that name); its index is clip_count.
/// Any thread may call it; it costs a look at each clip in turn.
PELT_API int pelt_character_clip_find(const PeltCharacter *who, const char *name_or_index);
/// Returns how many frames a bake of a clip has: round(seconds * fps) + 1, and 1 for a number that is no clip's. Any thread may
/// call it, at no cost.
PELT_API int pelt_character_clip_frames(const PeltCharacter *who, int clip, double fps);
/// Returns the triangles over points [count x 3] without a copy: they are owned by the character. Any thread may call it, at no
/// cost.
PELT_API const int *pelt_character_triangles(const PeltCharacter *who, int *count);
/// Returns the rest positions [point_count x 3] without a copy: they are owned by the character. Any thread may call it, at no
/// cost.
PELT_API const float *pelt_character_rest(const PeltCharacter *who);
/// Returns how many things were odd in the file. Any thread may call it, at no cost.
PELT_API int pelt_character_warning_count(const PeltCharacter *who);
/// Returns one of them, which says what was odd and what was done instead, and NULL for a number outside [0, count). It is owned
/// by the character. Any thread may call it, at no cost.
PELT_API const PeltWarning *pelt_character_warning(const PeltCharacter *who, int index);

/// A pose: a local transform for every node of the file. It belongs to one thread at a time. Only pelt_pose_create allocates and
/// can fail; the character must outlive the pose.
typedef struct PeltPose PeltPose;
typedef struct PeltTransform {
    float translation[3];
    float rotation[4]; ///< unit quaternion x, y, z, w
    float scale[3];
} PeltTransform;
/// Makes a pose as the file's nodes stand. Any thread may call it; then one thread at a time may use the pose. The caller
/// destroys what `out` gets, before the character. It costs a few allocations from the character's allocator, and fails only for
/// want of memory (PELT_FAILED).
PELT_API PeltStatus pelt_pose_create(const PeltCharacter *who, PeltPose **out, PeltError *err);
/// Frees a pose; NULL is fine. No other thread may be using it.
PELT_API void pelt_pose_destroy(PeltPose *pose);
/// Sets every node and morph target back to what the file says. It must be called from the pose's thread and costs a copy of the
/// nodes.
PELT_API void pelt_pose_reset(PeltPose *pose);
/// Sets the pose to a clip at a time in seconds: nodes and morph targets that it has no channel for are as in the file, before
/// its first key a channel holds that, after its last that one. A number that is no clip's gives the file's pose. It must be
/// called from the pose's thread and costs a search in each channel of the clip.
PELT_API void pelt_pose_from_clip(PeltPose *pose, int clip, double time_s);
/// Returns the transform of a node in [0, node_count) against its parent. A number that is no node's asserts. It must be called
/// from the pose's thread, at no cost.
PELT_API PeltTransform pelt_pose_get(const PeltPose *pose, int node);
/// Sets the transform of a node in [0, node_count) against its parent. Numbers must be finite and the node's one that there is,
/// else it asserts; the rotation is made a unit quaternion. It must be called from the pose's thread, at no cost.
PELT_API void pelt_pose_set(PeltPose *pose, int node, PeltTransform local);

/// Sets all joints at once: `matrices` [joint_count x 16] by rows, joint -> host space (of a loaded file: its world), in the
/// order of pelt_character_joint_node; they are copied. Nodes that are no joints keep what they have. A pose holds a turn, a
/// place and a scale along the axes for each joint, against its parent: shear, as a turned child of an unevenly scaled parent has
/// it, is not kept; places of joints always are. It returns the largest entry by which a joint's matrix (turn and scale, no unit)
/// differs from the one given: 0 to rounding where there is no shear. Matrices that are not finite or not invertible leave their
/// joint as it is against its parent. It must be called from the pose's thread, costs about a microsecond for each joint and does
/// not allocate.
PELT_API float pelt_pose_set_matrices(PeltPose *pose, const float *matrices, int joint_count);

/// Morph targets (shape keys) of the mesh that a node shows. None of these allocates or can fail.

/// Returns how many there are, 0 for a node that shows no mesh. Any thread may call it; it costs a look at the instances of
/// meshes in turn.
PELT_API int pelt_character_morph_count(const PeltCharacter *who, int node);
/// Returns a target's weight in a pose, and 0 where there is no such target. It must be called from the pose's thread and costs a
/// look at the instances of meshes in turn.
PELT_API float pelt_pose_morph(const PeltPose *pose, int node, int target);
/// Sets a target's weight, where there is such a target and the weight is finite; a clip that has curves for them sets them too.
/// It must be called from the pose's thread and costs a look at the instances of meshes in turn.
PELT_API void pelt_pose_set_morph(PeltPose *pose, int node, int target, float weight);

#ifdef __cplusplus
}
#endif
#endif
