/// A correction is no larger than its contacts need: how far skin is taken, beside how far the contacts ask. (A contact near a
/// joint turns it by a large angle, and what hangs farther out swings by many times the depth of the contact.)
#ifndef PELTI_CONTACT_SWING_H
#define PELTI_CONTACT_SWING_H

#include "contact/skin.h"

typedef struct PeltiSwingScratch { ///< from pelti_swing_begin to pelti_swing_end
    PeltiNodeMatrix *node_matrix;  ///< [node_count] of the free pose
    Mat34 *bones;                  ///< [bone_count] of the free pose
    double *asked;                 ///< [joint_count] how far contacts below a joint are taken along their normals, units
    double *went;                  ///< [joint_count] how far any skin below it is
    bool touches;                  ///< anything below any joint
} PeltiSwingScratch;

typedef struct PeltiSwing {
    int *tips; ///< [bone_count][14] vertices that lie farthest out, -1: none; made once
    PeltiSwingScratch scratch;
} PeltiSwing;

PeltStatus pelti_swing_init(PeltiSwing *swing, PeltiPool *pool, const PeltiContactSkin *skin, PeltError *err);
void pelti_swing_begin(PeltiSwing *swing, const PeltiContactSkin *skin); ///< after a solve: forgets the last one's
void pelti_swing_contact(PeltiSwing *swing, const PeltiContactSkin *skin, const PeltiContactTouch *touch);
/// With how far contacts below a joint are taken along their normals (asked) and how far any skin below it is (went), the joint
/// is stiffer by went / asked from the next step on, again and again until the two are alike: what then turns less is made up for
/// by what swings less, at last by the shift of the whole body, which takes no point farther than the contact. Joints that swing
/// nothing too far soften again.
void pelti_swing_end(PeltiSwing *swing, PeltiContactSkin *skin, double alarm);

#endif
