/// What the opaque types of include/pelt are made of.
#ifndef PELTI_BAKE_OBJECTS_H
#define PELTI_BAKE_OBJECTS_H

#include "bake/anchors.h"
#include "bake/normals.h"
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

/// A host's matrix, joint -> host space, as Pelt has it (y up, metres), and points back: see bake/create.c.
Mat34 pelti_host_matrix(const PeltCharacter *character, const float rows[16]);
Mat34 pelti_host_from_own(const PeltCharacter *character);

struct PeltPose {
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiPose pose;
    PeltiWorld *world; ///< [node_count] work of pelt_pose_set_matrices
    int *joint;        ///< [node_count] number of the joint that a node is; -1: none
    Mat34 *given;      ///< [node_count] by joint
};

struct PeltSkin {
    const PeltCharacter *character;
    PeltiBody *body;           ///< NULL: the file's own mesh
    const PeltiCharacter *who; ///< what the method sees: the body's or the character itself; NULL: nothing bends
    PeltiLimit *limit;         ///< how far flesh may stray; NULL: no body was made
    PeltiLean *lean;           ///< keeps the shown skin from tearing where blending does not
    PeltiParted *parted;       ///< parts what passes through itself
    const PeltiMethod *method;
    void *state;
    void *blending; // of lbs, where nothing bends; NULL: the method
    PeltiJobs *jobs;
    PeltiLog log;
    PeltiPool pool; ///< weights and everything below
    PeltiOptions options;
    PeltiArtist artist;
    PeltiRig *loaded_rig;                ///< what artist.rig points into; NULL: none, or the caller's
    bool by_point;                       ///< the method writes points, by point_weights; else vertices
    PeltiWeights weights, point_weights; ///< of the character's welded vertices, of its points
    PeltiWeights body_weights;           ///< of the vertices of `who`
    const char *weight_source;           ///< "file", "mixed", "auto", "rigid"
    PeltiWorld *node_world;              ///< [node_count]
    Mat34 *bones;                        ///< [bone_count]
    Mat34 *asked;                        ///< [bone_count] of the pose before joints gave way; only where skin leans
    PeltiJoint *joints;                  ///< [bone_count] each against its parent
    PeltiTargetMix targets;              ///< morph targets of the character
    PeltiAnchors anchors;                ///< what is held or pulled
    PeltiTouch *touch;                   ///< the last word on what is shown; NULL: not wanted
    PeltiGiveWay *give_way;              ///< joints give way to the body itself before the method; NULL: off
    Vec3 *held;                          ///< [who->mesh->vertex_count] scratch: what `touch` changed; NULL: nobody asks
    Vec3 *shape;                         ///< [who->mesh->vertex_count] what the method makes; `points` where it is by_point
    Vec3 *shown;                         ///< [vertex_count] of the character: its skin; `shape` where that is it
    Vec3 *points;                        ///< [point_count] of the character: what is shown
    Vec3 *normals;                       ///< [point_count] of the character
    PeltiNormals normal_maker;
    Vec3 *handed; ///< [point_count] `points` by `output`; NULL: as they are
    Mat34 output; ///< own -> what is handed out
    bool shown_fresh, handed_fresh, normals_fresh;
    bool restart, stepped;
    double time_s; ///< of the last step, or of the first one to come
    double prepare_ms;
};

/// Opens a file of any kind that is read, through the helper program where it must.
PeltStatus pelti_bake_open(const char *path, const PeltAllocator *allocator, PeltiGltf **document, PeltError *err);
/// The character of a document, which is taken over.
PeltStatus pelti_bake_from_document(PeltiGltf *document, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err);
/// Wraps a finished character (taken over; destroyed on failure too). `document` may be NULL.
PeltStatus pelti_bake_character_wrap(PeltiCharacter *who, PeltiGltf *document, const PeltAllocator *allocator,
                                     PeltCharacter **out, PeltError *err);

/// One step of a skin; the public step hands out what a user may see of the report.
/// Loads what an artist adds: --rig, --set joint.NAME.key=value.
PeltStatus pelti_skin_rig(PeltSkin *skin, const PeltSkinDef *def, PeltError *err);
/// The rig for what the method sees: where that is a body, points of the file become those of the body.
PeltStatus pelti_skin_rig_on_body(PeltSkin *skin, const PeltRig **rig, PeltError *err);
/// The pose in which the body does not overlap itself by more than flesh can take: the first half of a step. `pose` itself where
/// nothing gives way.
const PeltiPose *pelti_skin_give_way(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report);
void pelti_skin_tell_give_way(PeltSkin *skin); ///< warns of the joints that turned most, once the clip is through
/// The second half: the skin of a pose as it is.
void pelti_skin_step_posed(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms);
void pelti_skin_step(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms);
/// The vertices of the last step. A blend by point has none of its own: each is where its first point is.
Vec3 *pelti_skin_vertices(PeltSkin *skin);
/// Tells the corrector what is shown, and moves that out of objects; returns how far, as a share of the size.
double pelti_skin_push_out(PeltSkin *skin, PeltiCorrector *corrector, int character);

#endif
