/// What the opaque types of include/pelt are made of.
#ifndef PELTI_BAKE_OBJECTS_H
#define PELTI_BAKE_OBJECTS_H

#include "bake/anchors.h"
#include "bake/normals.h"
#include "bake/calm.h"
#include "body/automatic.h"
#include "body/body.h"
#include "body/lean.h"
#include "body/parted.h"
#include "body/limit.h"
#include "body/trial.h"
#include "character/targets.h"
#include "contact/corrector.h"
#include "contact/give_way.h"
#include "io/gltf.h"
#include "io/rig.h"
#include "methods/method.h"
#include "touch/touch.h"

#include <pelt/pelt.h>

struct PeltCharacter {
    PeltAllocator allocator;
    PeltiCharacter *who;
    PeltiGltf *document; ///< kept for writing .glb; NULL: made by the program
    float unit_m;        ///< of the host, pelt_character_create; 0: a file's own space
    bool z_up;
};

Mat34 pelti_bake_host_from_own(const PeltCharacter *character);

struct PeltPose {
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix_scratch; ///< [node_count] of pelt_pose_set_matrices
    int *joint;                           ///< [node_count] number of the joint that a node is; -1: none
    Mat34 *given;                         ///< [node_count] by joint
};

/// Whose weights. Preparing chooses them; methods, the stages around them, worlds, measures and pictures read them.
typedef struct PeltiSkinWeights {
    PeltiWeights vertices; ///< of the character's welded vertices
    PeltiWeights points;   ///< of its points; influences 0: by vertex
    const char *source;    ///< "file", "mixed", "auto", "rigid"
} PeltiSkinWeights;

/// What the method is prepared for: the character itself, or a body made of it. Preparing writes it, steps read it.
typedef struct PeltiSkinSolved {
    PeltiBody *body;           ///< NULL: the file's own mesh
    const PeltiCharacter *who; ///< what the method sees: the body's or the character itself; NULL: nothing bends
    PeltiWeights weights;      ///< of the vertices of `who`
} PeltiSkinSolved;

/// What others than the method add: the rig (written by pelti_skin_rig), morph targets, anchors (of the rig and of hosts). The
/// method reads the artist's part while preparing, steps the other two.
typedef struct PeltiSkinAdded {
    PeltiArtist artist;
    PeltiIoRig *loaded_rig; ///< what artist.rig points into; NULL: none, or the caller's
    PeltiTargetMix targets; ///< morph targets of the character
    PeltiAnchors anchors;   ///< what is held or pulled
} PeltiSkinAdded;

/// The pose of the last step. pelti_skin_give_way writes `asked`, pelti_skin_step_among the rest; the stages that follow, distil
/// and pictures read it.
typedef struct PeltiSkinPosed {
    PeltiNodeMatrix *node_matrix_scratch; ///< [node_count]
    Mat34 *bones;                         ///< [bone_count]
    Mat34 *asked;                         ///< [bone_count] of the pose before joints gave way; only where skin leans
    PeltiJoint *joints;                   ///< [bone_count] each against its parent
} PeltiSkinPosed;

/// Stages around the method, each NULL where it is not wanted. Preparing makes them; steps run them; states keep what they hold.
typedef struct PeltiSkinMends {
    PeltiGiveWay *give_way; ///< joints give way to the body itself before the method
    PeltiLimit *limit;      ///< how far flesh may stray; NULL: no body was made
    PeltiLean *lean;        ///< takes skin towards blending where the method tears it and blending does not
    PeltiParted *parted;    ///< parts what passes through itself
    PeltiTouch *touch;      ///< the last word (touch/touch.h); NULL: what is shown crosses itself at rest, or may be left alone
    PeltiTouch *body_touch; ///< the same for the body that what is shown rides on
    PeltiCalm *calm;        ///< a pose that is held comes to rest; NULL: a frame depends on no other
    bool swings_on;         ///< the method is asked to go on beyond that: nothing is calmed. pelt_skin_set writes it too
    Vec3 *held_scratch;     ///< [who->mesh->vertex_count] what the last word on it changed; NULL: nobody asks
} PeltiSkinMends;

/// The skin of the last step in the character's own space. Steps write it, objects push it; what is handed
/// out, measured, drawn and learned reads it.
typedef struct PeltiSkinShown {
    bool by_point;       ///< the method writes points, by weights.points; else vertices
    bool vertices_fresh; ///< `vertices` are those of `points`: ask pelti_skin_vertices
    Vec3 *shape;         ///< [who->mesh->vertex_count] what the method makes; `points` where it is by_point
    Vec3 *vertices;      ///< [vertex_count] of the character: its skin; `shape` where that is it
    Vec3 *points;        ///< [point_count] of the character
} PeltiSkinShown;

/// What a host gets, made of what is shown when it is asked for. hand_out.c writes and reads it; skin.c writes where it goes, and
/// like state.c that it is stale.
typedef struct PeltiSkinHanded {
    Mat34 output;  ///< own -> what is handed out
    Vec3 *points;  ///< [point_count] what is shown by `output`; NULL: as it is
    Vec3 *normals; ///< [point_count]
    PeltiNormals normal_maker;
    bool points_fresh, normals_fresh;
} PeltiSkinHanded;

/// Where in time a skin is. Steps write and read it; who plays sets the start, or asks for one anew.
typedef struct PeltiSkinClock {
    bool restart, stepped;
    double time_s; ///< of the last step, or of the first one to come
} PeltiSkinClock;

/// In the order in which it comes about: what is chosen and made once, then what a step goes through.
struct PeltSkin {
    const PeltCharacter *character;
    PeltiJobs *jobs;
    PeltiLog log;
    PeltiPool pool; ///< weights and everything below
    const PeltiMethod *method;
    void *state;
    void *blending; // of lbs, where nothing bends; NULL: the method
    PeltiOptions options;
    PeltiSkinAdded added;
    PeltiSkinWeights weights;
    PeltiSkinSolved solved;
    PeltiSkinMends mends;
    double prepare_ms;
    PeltiSkinClock clock;
    PeltiSkinPosed posed;
    PeltiSkinShown shown;
    PeltiSkinHanded handed;
};

/// Opens a file of any kind that is read, through the helper program where it must.
PeltStatus pelti_bake_open(const char *path, const PeltAllocator *allocator, PeltiGltf **document, PeltError *err);
/// The character of a document, which is taken over.
PeltStatus pelti_bake_from_document(PeltiGltf *document, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err);
/// Wraps a finished character (taken over; destroyed on failure too). `document` may be NULL.
PeltStatus pelti_bake_character_wrap(PeltiCharacter *who, PeltiGltf *document, const PeltAllocator *allocator,
                                     PeltCharacter **out, PeltError *err);

/// Loads what an artist adds: --rig, --set joint.NAME.key=value.
PeltStatus pelti_skin_rig(PeltSkin *skin, const PeltSkinDef *def, PeltError *err);
/// The rig for what the method sees: where that is a body, points of the file become those of the body.
PeltStatus pelti_skin_rig_on_body(PeltSkin *skin, const PeltRig **rig, PeltError *err);
/// The pose in which the body does not overlap itself by more than flesh can take: the first half of a step. `pose` itself where
/// nothing gives way.
const PeltiPose *pelti_skin_give_way(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report);
/// Warns of the joints that turned most and of the parts that were held on their side, once the clip is through.
void pelti_skin_tell_give_way(PeltSkin *skin, int first_frame);
/// The objects that a skin is among while it is stepped.
typedef struct PeltiSkinAmong {
    PeltiCorrector *corrector; ///< told what the method made of the pose, and asked what is inside an object
    int character;             ///< of the corrector's
    double pushed, ms;         ///< out: how far skin was moved out of objects at most, share of the size; time this took
} PeltiSkinAmong;
/// The second half: the skin of a pose as it is. No skin ends inside a fixed or rigid object; `among` may be NULL.
void pelti_skin_step_among(PeltSkin *skin, PeltiSkinAmong *among, const PeltiPose *pose, float dt_s, PeltiStepReport *report,
                           double *ms);
/// The same without objects.
void pelti_skin_step_posed(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms);
/// One step of a skin, both halves; the public step hands out what a user may see of the report.
void pelti_skin_step(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms);
/// The vertices of the last step. A blend by point has none of its own: each is where its first point is.
Vec3 *pelti_skin_vertices(PeltSkin *skin);

#endif
