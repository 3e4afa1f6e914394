/// A character: points of all mesh instances in cache order, the welded mesh, the skeleton, weights and clips.
/// Filled by io (from glTF) or by the built-in makers; read by everybody; never changed after `pelti_character_finish`.
#ifndef PELTI_CHARACTER_CHARACTER_H
#define PELTI_CHARACTER_CHARACTER_H

#include "core/jobs.h"
#include "core/log.h"
#include "geometry/mesh.h"

typedef struct PeltiNode {
    const char *name; ///< never NULL; "node 7" where the file gives none
    int parent;       ///< -1: root
    bool has_matrix;  ///< local transform given as `matrix` and not animated; else `trs`
    Trs trs;
    double matrix[3][4];
    Quat matrix_turn; ///< of `matrix`, from pelti_joints_bind
} PeltiNode;

/// A bone carries points: a joint of a skin with its inverse bind matrix, or the node of an unskinned mesh. Joints that
/// several skins share with the same bind are one bone. rest space -> world is node_matrix * rest_to_bone.
typedef struct PeltiBone {
    int node;
    int parent;                       ///< nearest ancestor that is a bone of the same skeleton; -1: none
    bool is_prop;                     ///< node of an unskinned mesh: moves rigidly, is no joint
    bool is_repeat;                   ///< a bone before it has the same node, with another bind
    double rest_to_bone[3][4];        ///< inverse bind, scaled so that rest space has world units
    double bone_to_rest[3][4];        ///< its inverse; the identity where there is none
    Quat bind_turn;                   ///< the turn in rest_to_bone
    Vec3 head;                        ///< joint position in rest space
    int segment_first, segment_count; ///< into segments: one to each child bone, or one to the tip of a leaf
    int skeleton; ///< bones that hang together (share a root bone) have the same number; rest poses of different skeletons may
                  ///< overlap in rest space
} PeltiBone;

typedef struct PeltiSkeletonSegment { ///< of a bone, rest space
    int bone, child;                  ///< child bone at b, -1: b is a tip
    Vec3 a, b;
} PeltiSkeletonSegment;

typedef struct PeltiInstance { ///< one node that shows one mesh
    int node, mesh, skin;      ///< file indices; skin -1: unskinned
    int first_point, point_count;
    int bone_count;
    const int *bones;               ///< [bone_count] skin joint index -> bone
    float scale;                    ///< file units of the mesh -> rest units
    int first_target, target_count; ///< its morph targets; a pose has a weight for each
} PeltiInstance;

typedef struct PeltiTarget { ///< a morph target of an instance: what it adds to rest points at weight 1
    int count;
    const int *points;   ///< [count] ascending
    const Vec3 *offsets; ///< [count] rest space
} PeltiTarget;

/// Influences of all points, a fixed number each (the widest vertex, at least 4, padded with weight 0), normalised.
typedef struct PeltiWeights {
    int influences;      ///< per point
    const int *bone;     ///< [count x influences] sorted by falling weight
    const float *weight; ///< [count x influences] sums to 1
} PeltiWeights;

/// Rows of file_weights nothing can be taken from. io marks and counts them and puts a placeholder there;
/// pelti_character_finish mends them (pelti_weights_mend) and says so in the log.
typedef struct PeltiWeightsBad {
    bool *bad;                        ///< [point_count] still to be mended; NULL: none ever was
    int not_finite, negative, absent; ///< by reason, the first that fits
    int from_neighbours, from_bone;   ///< by cure; the others are in a file without a good row
} PeltiWeightsBad;

typedef enum PeltiChannelPath {
    PELTI_CHANNEL_TRANSLATION,
    PELTI_CHANNEL_ROTATION,
    PELTI_CHANNEL_SCALE,
    PELTI_CHANNEL_MORPH
} PeltiChannelPath;
typedef enum PeltiChannelInterpolation {
    PELTI_CHANNEL_LINEAR,
    PELTI_CHANNEL_STEP,
    PELTI_CHANNEL_CUBIC
} PeltiChannelInterpolation;
typedef struct PeltiChannel {
    int node;
    PeltiChannelPath path;
    PeltiChannelInterpolation interpolation;
    int key_count;
    const float *times;  ///< [key_count] strictly rising, s
    const float *values; ///< [key_count x (cubic: 3) x width]
    int width;           ///< 4 rotation, 3 translation and scale, morph weights as many as the instance has targets
    int first_target;    ///< of morph weights
} PeltiChannel;
typedef struct PeltiClip {
    const char *name; ///< never NULL; "anim0"... where the file gives none
    float duration_s; ///< latest key
    int channel_count;
    const PeltiChannel *channels;
} PeltiClip;

typedef struct PeltiCharacter {
    PeltiPool pool;
    PeltiLog log; ///< problems of the file and what was done instead
    int node_count, bone_count, segment_count, instance_count, clip_count, point_count, skin_count;
    PeltiNode *nodes;
    int *node_order; ///< [node_count] parents first
    PeltiBone *bones;
    PeltiSkeletonSegment *segments;
    PeltiInstance *instances;
    bool faces_back; ///< looks along -z (VRM 0.x), not +z as glTF has it
    int target_count;
    PeltiTarget *targets;  ///< [target_count] morph targets of all instances
    float *target_weights; ///< [target_count] in the file's pose
    PeltiClip *clips;      ///< [clip_count + 1] the last is "range" (range.h), made from the skeleton
    Vec3 *rest_points;     ///< [point_count] rest space, world units
    Vec3 *file_normals;    ///< [point_count] unit, rest space, zero where the file gives none; NULL: it gives none at all
    int *point_instance;   ///< [point_count]
    int triangle_count;
    int (*point_triangles)[3]; ///< as in the file, over points
    PeltiMesh *mesh;
    PeltiWeights file_weights; ///< as the file has them (influences 0: it has none)
    PeltiWeightsBad bad_rows;  ///< what of file_weights the file does not say
    bool file_weights_sane;    ///< more than one joint, and at least half of the skinned rows were good in the file
    PeltiWeights auto_weights; ///< per welded vertex; influences 0 until pelti_weights_automatic ran
} PeltiCharacter;

/// What io or a maker fills in; everything is copied or lives in the character's pool already.
/// After filling nodes, bones (node, rest_to_bone, is_prop), instances, rest_points, point_instance, point_triangles, clips
/// and file_weights, this derives: node_order, bone parents, heads, skeleton numbers, segments with tips, the welded mesh,
/// sanity of the weights. `file_positions` [point_count] is what welding compares (positions as in the file).
PeltStatus pelti_character_finish(PeltiCharacter *who, const Vec3 *file_positions, PeltError *err);
PeltiCharacter *pelti_character_create(const PeltAllocator *allocator); ///< empty; NULL when refused
void pelti_character_destroy(PeltiCharacter *who);                      ///< NULL is fine

/// Whether a vertex' piece goes by this name: that of its node, or "component N" for one connected component of the mesh.
bool pelti_character_vertex_in_piece(const PeltiCharacter *who, int vertex, const char *name);

/// A pose: a local transform per node. Bones' matrices (rest space -> world) come from pelti_pose_bones.
typedef struct PeltiPose {
    Trs *local;    ///< [node_count]; nodes with has_matrix ignore theirs unless `touched`
    bool *touched; ///< [node_count] the pose gives this node a TRS of its own
    float *morph;  ///< [target_count] weights of morph targets
} PeltiPose;
PeltiPose pelti_pose_new(PeltiPool *pool, const PeltiCharacter *who);
void pelti_pose_file(const PeltiCharacter *who, PeltiPose *out); ///< node transforms as the file has them
void pelti_pose_clip(const PeltiCharacter *who, const PeltiClip *clip, double time_s, PeltiPose *out);
void pelti_pose_copy(const PeltiCharacter *who, const PeltiPose *from, PeltiPose *to);
void pelti_pose_blend(const PeltiCharacter *who, const PeltiPose *a, const PeltiPose *b, float t,
                      PeltiPose *out); ///< slerp per node

typedef struct PeltiNodeMatrix { ///< of a node: its space -> world, rows
    double m[3][4];
} PeltiNodeMatrix;

/// Sets the nodes that `joint` [node_count] numbers to be at world matrices [joint], the others as they are; `node_matrix` is an
/// output. Returns the largest entry of a linear part that a transform without shear misses.
float pelti_pose_from_matrices(const PeltiCharacter *who, const int *joint, const Mat34 *matrices, PeltiNodeMatrix *node_matrix,
                               PeltiPose *pose);

/// World matrices of bones: rest space -> world, [bone_count]. `node_matrix` scratch [node_count]: double 3x4, also an output.
void pelti_pose_bones(const PeltiCharacter *who, const PeltiPose *pose, PeltiNodeMatrix *node_matrix, Mat34 *bone_matrix);

/// Rotation, in radians, of the joint that turns most between two sets of bone matrices (relative to its parent bone).
float pelti_pose_largest_turn(const PeltiCharacter *who, const Mat34 *from, const Mat34 *to);

/// Frames of a clip at `fps`: round(duration * fps) + 1.
int pelti_clip_frames(const PeltiClip *clip, double fps);
/// By name or, if none matches and it is a number, by index; "range" where the file has no clip of that name; -1: none.
int pelti_clip_find(const PeltiCharacter *who, const char *name_or_index);

#endif
