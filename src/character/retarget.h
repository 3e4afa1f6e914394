/// Motion of one skeleton on another: joints are paired by name, and differences of the rest poses are taken out.
#ifndef PELTI_CHARACTER_RETARGET_H
#define PELTI_CHARACTER_RETARGET_H

#include "character/humanoid.h"

/// A skeleton as retargeting sees it: nodes in order, bones where it has a skin, names that a file says (humanoid.h).
typedef struct PeltiRetargetEnd {
    const PeltiCharacter *who;
    const char *const *said; ///< [node_count] or NULL
} PeltiRetargetEnd;

typedef struct PeltiRetarget {
    int clip_count;
    PeltiClip *clips;               ///< of `to`: rotations of paired joints, places of those that no paired joint carries
    int pair_count, from_count;     ///< joints of `to` that move; joints of `from` that its clips move
    int unmatched_count;            ///< of those, how many move nothing here
    const char *unmatched[4];       ///< the first of them
    const char *from_words, *words; ///< conventions of the two, NULL: by equal names alone
} PeltiRetarget;

/// All clips of `from` on `to`, into the pool. With D the turn of a joint of `from` against its rest, F the turn that takes the
/// one's left and up to the other's, and A the turn from a limb's direction at rest to that of its pair at rest (none for the
/// trunk, feet and collar bones), a joint of `to` stands at F D F^-1 A times its own rest: limbs point where those of `from`
/// point, whatever pose either was bound in. Chains of unlike length (spines) take turns in between. Hips go as those of `from`,
/// times the ratio of the legs. Keys are those of the clip, and at least 30 a second. PELT_BAD_INPUT: no joint has a pair.
PeltStatus pelti_retarget(const PeltiRetargetEnd *from, const PeltiRetargetEnd *to, PeltiPool *pool, PeltiRetarget *out,
                          PeltError *err);

#endif
