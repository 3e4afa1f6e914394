/// What the opaque types of include/pelt are made of.
#ifndef PELTI_BAKE_OBJECTS_H
#define PELTI_BAKE_OBJECTS_H

#include "bake/normals.h"
#include "character/targets.h"
#include "io/gltf.h"
#include "io/rig.h"
#include "methods/method.h"

#include <pelt/pelt.h>

struct PeltCharacter {
    PeltAllocator allocator;
    PeltiCharacter *who;
    PeltiGltf *document; ///< kept for writing .glb; NULL: made by the program
};

struct PeltPose {
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiPose pose;
};

struct PeltSkin {
    const PeltCharacter *character;
    PeltiCharacter *fine;      ///< the refined copy that a coarse character is worked on with; NULL: none
    const PeltiCharacter *who; ///< what the method sees: `fine` or the character itself. Its first points are the character's
    const PeltiMethod *method;
    void *state;
    PeltiJobs *jobs;
    PeltiLog log;
    PeltiPool pool; ///< weights and everything below
    PeltiOptions options;
    PeltiRig *rig; ///< NULL: none
    PeltiWeights weights, point_weights;
    const char *weight_source; ///< "file", "auto", "rigid"
    PeltiWorld *node_world;    ///< [node_count]
    Mat34 *bones;              ///< [bone_count]
    PeltiTargetMix targets;    ///< morph targets of the character
    Vec3 *points;              ///< [who->point_count]
    Vec3 *normals;             ///< [point_count] of the character
    PeltiNormals normal_maker;
    bool normals_fresh, restart, stepped;
    double time_s; ///< of the last step, or of the first one to come
    double prepare_ms;
};

/// Wraps a finished character (taken over; destroyed on failure too). `document` may be NULL.
PeltStatus pelti_character_wrap(PeltiCharacter *who, PeltiGltf *document, const PeltAllocator *allocator, PeltCharacter **out,
                                PeltError *err);

/// One step of a skin; the public step hands out what a user may see of the report.
/// Loads what an artist adds (--rig, --set joint.NAME.key=value) into the skin's options.
PeltStatus pelti_skin_rig(PeltSkin *skin, const PeltSkinDef *def, PeltError *err);
void pelti_skin_step(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms);

#endif
