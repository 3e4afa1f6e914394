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
/// while the character lives if a .glb is to be written from it. `allocator` NULL: malloc; it must be good from any thread that
/// uses the character. From any thread. The time goes with the file's size, some 8 ms a MB. The caller destroys what `out` gets;
/// on failure that is NULL, and `err` (may be NULL) says why in a line: PELT_IO the file cannot be read, PELT_BAD_INPUT it is not
/// sound, PELT_UNSUPPORTED it needs what Pelt does not have, PELT_FAILED there was no memory.
PELT_API PeltStatus pelt_character_load(const char *path, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err);
/// The same, with the clips of `motion` (any of those files, or a .bvh; it needs no mesh) before the character's own. Joints are
/// paired by the names of the usual rigs, or by equal names, and differences of the rest poses are taken out (docs/files.md).
/// What has no pair is a warning of the character; PELT_BAD_INPUT: nothing has. Costs reading both files, and the character
/// twice.
PELT_API PeltStatus pelt_character_load_motion(const char *path, const char *motion, const PeltAllocator *allocator,
                                               PeltCharacter **out, PeltError *err);
/// The same from bytes in memory, from any thread; the bytes stay the caller's and must outlive the character; external buffers
/// are refused. PELT_FAILED: there was no memory.
PELT_API PeltStatus pelt_character_load_memory(const void *bytes, size_t size, const PeltAllocator *allocator,
                                               PeltCharacter **out, PeltError *err);

/// Writes the file a character came from as .glb, .vrm or .gltf, unbaked: everything that was read, whatever the format was, in
/// one file that stands alone. `warned` (may be NULL) is told what could not be taken along. From any thread. Costs reading and
/// writing the file once. PELT_BAD_ARGUMENT: another kind of file, PELT_IO: it cannot be written, PELT_UNSUPPORTED: the character
/// was made by pelt_character_create.
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
/// Y up, metres; nothing else is said yet. From any thread, at no cost.
PELT_API PeltCharacterDef pelt_character_def_default(void);

/// Checked as hard as a file: PELT_BAD_INPUT names the first mesh, joint, point or face that is wrong. Inside, such a character
/// stands y up in metres: pelt_pose_set_matrices takes the host's matrices, pelt_skin_positions gives the host's space back,
/// scenes and pelt_pose_set speak metres with y up. It has no clips but "range" and cannot be written to .glb. From any thread;
/// costs what reading a file of that size does. The caller destroys what `out` gets. PELT_FAILED: there was no memory.
PELT_API PeltStatus pelt_character_create(const PeltCharacterDef *def, PeltCharacter **out, PeltError *err);
PELT_API void pelt_character_destroy(PeltCharacter *who); ///< NULL is fine; skins of it must be gone

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
/// A character never changes: this and all that follows reads it, from any thread, and neither allocates nor fails. Names are
/// UTF-8 and live as long as the character. Indices out of range give NULL or -1. Finding by name looks at each in turn.
PELT_API PeltCharacterInfo pelt_character_info(const PeltCharacter *who);
PELT_API const char *pelt_character_node_name(const PeltCharacter *who, int node); ///< as the file has it, may be empty
PELT_API int pelt_character_node_parent(const PeltCharacter *who, int node);       ///< -1: a root
PELT_API int pelt_character_node_find(const PeltCharacter *who, const char *name); ///< first of that name; -1: none
PELT_API int pelt_character_joint_node(const PeltCharacter *who, int joint);       ///< joint in [0, joint_count)
PELT_API const char *pelt_character_clip_name(const PeltCharacter *who, int clip); ///< as the file has it, may be empty
PELT_API double pelt_character_clip_seconds(const PeltCharacter *who, int clip);   ///< its last key's time
/// By name, or by index written as text; -1: none. "range" is a range of motion made from the skeleton, for files without a
/// clip (unless the file has a clip of that name); its index is clip_count.
PELT_API int pelt_character_clip_find(const PeltCharacter *who, const char *name_or_index);
/// Output frames of a clip: round(seconds * fps) + 1.
PELT_API int pelt_character_clip_frames(const PeltCharacter *who, int clip, double fps);

/// Zero copy, at no cost: triangles over points [count x 3]. Owned by the character.
PELT_API const int *pelt_character_triangles(const PeltCharacter *who, int *count);
PELT_API const float *pelt_character_rest(const PeltCharacter *who); ///< the same of rest positions [point_count x 3]

/// How many things were odd in the file.
PELT_API int pelt_character_warning_count(const PeltCharacter *who);
PELT_API const PeltWarning *pelt_character_warning(const PeltCharacter *who,
                                                   int index); ///< what was odd, what was done instead; the character's

/// A pose: a local transform for every node of the file. It belongs to one thread at a time. Only create allocates and can fail
/// (PELT_FAILED, for want of memory, from the character's allocator); the character must outlive the pose. An index that is no
/// node's or clip's is the caller's mistake (asserts). Reading a clip costs a search in each of its channels.
typedef struct PeltPose PeltPose;
typedef struct PeltTransform {
    float translation[3];
    float rotation[4]; ///< unit quaternion x, y, z, w
    float scale[3];
} PeltTransform;
/// A pose as the file's nodes stand. The caller destroys it, before the character; one thread at a time may use it. Costs a few
/// allocations, from the character's allocator. Fails only for want of memory.
PELT_API PeltStatus pelt_pose_create(const PeltCharacter *who, PeltPose **out, PeltError *err);
PELT_API void pelt_pose_destroy(PeltPose *pose);                            ///< NULL is fine
PELT_API void pelt_pose_reset(PeltPose *pose);                              ///< back to the file's nodes
PELT_API void pelt_pose_from_clip(PeltPose *pose, int clip, double time_s); ///< before its first key a channel holds it
PELT_API PeltTransform pelt_pose_get(const PeltPose *pose, int node);       ///< local, of a node in [0, node_count)
PELT_API void pelt_pose_set(PeltPose *pose, int node, PeltTransform local); ///< finite, else it asserts

/// All joints at once: `matrices` [joint_count x 16] by rows, joint -> host space (of a loaded file: its world), in the order of
/// pelt_character_joint_node. Nodes that are no joints keep what they have. A pose holds a turn, a place and a scale along the
/// axes for each joint, against its parent: shear, as a turned child of an unevenly scaled parent has it, is not kept; places of
/// joints always are. Returns the largest entry by which a joint's matrix (turn and scale, no unit) differs from the one given: 0
/// to rounding where there is no shear. Not finite or not invertible ones leave their joint as it is against its parent. From the
/// pose's thread; costs about a microsecond for each joint, does not allocate.
PELT_API float pelt_pose_set_matrices(PeltPose *pose, const float *matrices, int joint_count);

/// Morph targets (shape keys) of the mesh a node shows.
PELT_API int pelt_character_morph_count(const PeltCharacter *who, int node);
/// A target's weight in a pose; 0 where there is no such target.
PELT_API float pelt_pose_morph(const PeltPose *pose, int node, int target);
/// Sets it, where there is such a target; a clip that has curves for them sets them too. From the pose's thread, at no cost.
PELT_API void pelt_pose_set_morph(PeltPose *pose, int node, int target, float weight);

#ifdef __cplusplus
}
#endif
#endif
