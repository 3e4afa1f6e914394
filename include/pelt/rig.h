/// What an artist adds to a character without touching its file: plain descriptions, filled by a reader (--rig) or by hand,
/// read by the methods. Angles are in degrees, lengths are shares of the character's size, times in s. Strings and arrays
/// belong to whoever filled them and must outlive what is made from them. docs/rig.md describes the file.
#ifndef PELT_RIG_H
#define PELT_RIG_H

#include <pelt/operator.h>

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PELT_RIG_LAYERS = 4 }; ///< skin, fat, muscle, bone interface

/// What is said of one joint. Numbers below 0 mean: as without this entry.
typedef struct PeltRigJoint {
    const char *joint;         ///< name of its node
    const char *operator_name; ///< "contact", "bulge", "union", one of the rig's own, or a .json file of `pelt operator`; NULL:
                               ///< the method's
    int controller_count;      ///< 0: the operator's own curve
    const float (*controller)[2]; ///< angle in degrees (rising, 0 to 180), d in [0, 1]
    bool has_bend_limits, has_twist_limits;
    float bend_limits_deg[2], twist_limits_deg[2]; ///< away from the rest pose
    float joint_stiffness;                         ///< N m / rad, where flesh or objects move the joint
    float crush;    ///< share of its thickness by which this bone's flesh may be pressed before joints give way
    float firmness; ///< multiplies the method's firmness around this bone
    float projection[PELT_RIG_LAYERS - 1];  ///< depth of fat, muscle and bone along the way from skin to bone; rising, 0 to 1
    float layer_stiffness[PELT_RIG_LAYERS]; ///< 0 to 1
    float layer_density[PELT_RIG_LAYERS];   ///< kg per unit^3
} PeltRigJoint;

/// A place in the rest pose: on a bone, and away from it.
typedef struct PeltRigPlace {
    const char *bone;
    float along;     ///< 0: the joint, 1: the bone's end
    float offset[3]; ///< world axes of the rest pose, shares of the size
} PeltRigPlace;

/// A spindle between two places that swells as a joint bends.
typedef struct PeltRigMuscle {
    const char *name;
    PeltRigPlace from, to;
    float radius;        ///< of its middle while relaxed
    const char *driver;  ///< the joint whose bend contracts it
    float angles_deg[2]; ///< relaxed up to the first, contracted from the second on
    float swell;         ///< the radius is multiplied by this when contracted
} PeltRigMuscle;

/// Points that follow one bone rigidly: armour, buttons, teeth. A point belongs if any of the three ways names it.
typedef struct PeltRigRegion {
    const char *name;
    const char *bone; ///< that carries them
    int point_count;
    const int *points; ///< indices in cache order
    int owner_count;
    const char *const *owners; ///< all points whose strongest weight is on one of these bones
    float radius;              ///< all points this near to `centre`; 0: none
    PeltRigPlace centre;
    float falloff; ///< beyond the region the skin takes over within this distance
} PeltRigRegion;

typedef struct PeltRigAnchorKey {
    float time_s;
    float offset[3]; ///< from where the skin would be, in the frame of `bone` or world axes; shares of the size
    float strength;  ///< 0: free, 1: held
} PeltRigAnchorKey;

/// A point of the skin that is held or pulled, with its surroundings.
typedef struct PeltRigAnchor {
    const char *name;
    int point;        ///< index in cache order
    const char *bone; ///< the frame of the offsets; NULL: world
    float falloff;    ///< along the surface
    int key_count;    ///< >= 1; linear between keys
    const PeltRigAnchorKey *keys;
} PeltRigAnchor;

/// Bones whose flesh keeps its volume together.
typedef struct PeltRigVolume {
    const char *name;
    int bone_count;
    const char *const *bones;
    float cut; ///< where along an adjoining bone it ends: 0 at the joint, 1 at the far end
} PeltRigVolume;

/// What a piece (a mesh, or one connected part of it) is to the body that flesh is solved on.
typedef enum PeltRigKind {
    PELT_PIECE_SKIN,   ///< bends, part of the body
    PELT_PIECE_SHELL,  ///< the same, open: cloth, hair, a wing
    PELT_PIECE_RIGID,  ///< moves with one bone, by every method
    PELT_PIECE_THING,  ///< a rigid body that rides on the skin below it: a button, a buckle
    PELT_PIECE_INSIDE, ///< follows the body, but is no part of it: teeth, a tongue, skin under clothes
} PeltRigKind;
typedef struct PeltRigPiece {
    const char *name; ///< of the node that shows it (all its connected parts), or "component N" as pelt_inspect lists them
    PeltRigKind kind;
    const char *bone; ///< rigid: the bone it moves with; NULL: the one that has most of its weight
} PeltRigPiece;

/// A number of the flesh, painted on points of the skin: in place of what the bones there say.
typedef enum PeltRigPaint {
    PELT_PAINT_FIRMNESS, ///< multiplies the method's firmness
    PELT_PAINT_SKIN,     ///< thickness of the skin, of fat, of muscle: share of the way from skin to bone
    PELT_PAINT_FAT,
    PELT_PAINT_MUSCLE,
} PeltRigPaint;
typedef struct PeltRigPainted {
    PeltRigPaint what;
    int count;
    const int *points;   ///< [count] indices in cache order
    const float *values; ///< [count]
} PeltRigPainted;

typedef struct PeltRig {
    int joint_count, muscle_count, region_count, anchor_count, volume_count, piece_count;
    const PeltRigJoint *joints;
    const PeltRigMuscle *muscles;
    const PeltRigRegion *regions;
    const PeltRigAnchor *anchors;
    const PeltRigVolume *volumes;
    const PeltRigPiece *pieces;
    int operator_count;
    const PeltOperator *operators; ///< of its own: joints call them by `name`, which is none of the built-in ones
    int painted_count;
    const PeltRigPainted *painted;
} PeltRig;

/// Returns an entry that says nothing of `joint` yet: what is not set stays as without it. The name is not copied. Any thread may
/// call it, and it costs nothing.
PELT_API PeltRigJoint pelt_rig_joint_default(const char *joint);

/// Returns what is said of a joint, and NULL where nothing is; `rig` may be NULL. Any thread may call it; it costs a look at each
/// entry in turn.
static inline const PeltRigJoint *pelt_rig_joint(const PeltRig *rig, const char *joint)
{
    for (int i = 0; rig && i < rig->joint_count; i++)
        if (!strcmp(rig->joints[i].joint, joint))
            return &rig->joints[i];
    return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
