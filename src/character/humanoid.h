/// Which joints of a skeleton are the hips, the left upper arm and so on, by the names of the usual rigs.
#ifndef PELTI_CHARACTER_HUMANOID_H
#define PELTI_CHARACTER_HUMANOID_H

#include "character/character.h"

typedef enum PeltiHumanoidPart {
#define CONVENTION(id, name)
#define PART(id, ...) PELTI_HUMANOID_##id,
#include "character/humanoid.def"
    PELTI_HUMANOID_PARTS
} PeltiHumanoidPart;

enum { PELTI_HUMANOID_CHAIN = 8 };

typedef struct PeltiHumanoid {
    const char *convention;                                  ///< "Mixamo"; NULL: no joint has a name that is known
    int count[PELTI_HUMANOID_PARTS][2];                      ///< joints of the part, left and right; those in the middle are left
    int node[PELTI_HUMANOID_PARTS][2][PELTI_HUMANOID_CHAIN]; ///< from the trunk outwards
    int found;                                               ///< joints in all
} PeltiHumanoid;

/// `said` [node_count] (may be NULL): names that stand above the nodes' own, where a file says which joint is what (VRM); nodes
/// without one are then nobody. `usable` [node_count] (may be NULL): nodes that may be joints. The convention that names most
/// joints counts.
PeltiHumanoid pelti_humanoid_find(const PeltiCharacter *who, const char *const *said, const bool *usable);

/// Whether enough joints have names to take the skeleton for a humanoid: what is known of one then holds.
bool pelti_humanoid_is(const PeltiHumanoid *parts);

/// The name without what stands before a colon or bar ("mixamorig:", "Armature|").
const char *pelti_humanoid_short(const char *name);

#endif
