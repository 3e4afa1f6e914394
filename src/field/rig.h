/// What a rig (pelt/rig.h) adds to the fields of a character: operators at joints, muscles.
#ifndef PELTI_FIELD_RIG_H
#define PELTI_FIELD_RIG_H

#include "character/artist.h"
#include "character/joints.h"
#include "field/fields.h"

/// A spindle between two places of the body; [Vaillant2014] sec. 6.2, fig. 10.
typedef struct PeltiMuscle {
    int bones[2];   ///< that carry its ends
    Vec3 ends[2];   ///< rest space
    int driver;     ///< bone of the joint that contracts it; -1: none
    Vec3 axis;      ///< of the driver, rest space
    float from, to; ///< rad: relaxed up to, contracted from
    float swell;
} PeltiMuscle;

typedef struct PeltiRigFields {
    int muscle_count;
    PeltiMuscle *muscles; ///< muscle k is primitive k
} PeltiRigFields;

/// Index of the bone of that joint, -1: none.
int pelti_rig_bone(const PeltiCharacter *who, const char *joint);
/// A place of the rig in rest space.
PeltStatus pelti_rig_place(const PeltiCharacter *who, const PeltRigPlace *place, int *bone, Vec3 *out, PeltError *err);

/// Completes `options` for pelti_fields_build. All memory is `pool`'s.
PeltStatus pelti_rig_fields(PeltiPool *pool, const PeltiCharacter *who, const PeltiArtist *artist, PeltiFieldOptions *options,
                            PeltiRigFields *out, PeltError *err);

/// A pose as parts need it: where bones are, and for muscles how joints turn. Both [bone_count].
typedef struct PeltiRigPose {
    const Mat34 *bones;       ///< rest space -> world
    const PeltiJoint *joints; ///< each bone against its parent; not read where the rig has no muscles
} PeltiRigPose;

/// Share of its contraction, 0 to 1, in a pose.
float pelti_muscle_contraction(const PeltiMuscle *muscle, const PeltiJoint *joints);
/// Matrices of all parts in a pose: a piece of skin moves with its bone, a muscle spans its two ends and swells.
void pelti_rig_matrices(const PeltiRigFields *rig, const PeltiFields *fields, const PeltiRigPose *pose, Mat34 *part_matrix);

#endif
