/// Parts: which bones carry a field, which vertices they own, and the samples each field is fitted to.
#ifndef PELTI_FIELD_PART_H
#define PELTI_FIELD_PART_H

#include "character/character.h"
#include "field/grid.h"

enum { PELTI_PART_SAMPLES = 192 }; ///< most samples of a part, caps included

/// How the bones of a character are grouped into parts.
typedef struct PeltiPartition {
    int part_count;
    int *part_bone;   ///< [part_count] the bone a part moves with
    int *part_parent; ///< [part_count] nearest part towards the root; -1: none
    int *bone_part;   ///< [bone_count] part that carries the bone's skin; -1: none
    int *vertex_part; ///< [vertex_count] owner; -1: none
    int *part_size;   ///< [part_count] vertices owned
    bool *small;      ///< [part_count] too few vertices for a fit: a capsule stands in
} PeltiPartition;

/// A bone that no clip turns or shifts against its parent joins its parent's part (`join_still`); bones that own no vertex
/// have none. Vertices go to the bone of their largest weight.
PeltStatus pelti_partition(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights, bool join_still,
                           PeltiPartition *out, PeltError *err);

/// Samples of one part: points on the rest skin with normals, and caps at its joints.
typedef struct PeltiPartSamples {
    int count;
    Vec3 point[PELTI_PART_SAMPLES], normal[PELTI_PART_SAMPLES];
    Vec3 axis;    ///< unit, along the longest segment
    float radius; ///< r of the compact support: farthest sample from the bone
    bool capsule;
    PeltiFieldGuard guard;
} PeltiPartSamples;

/// The skin that samples are taken of.
typedef struct PeltiPartSkin {
    const PeltiCharacter *who;
    const PeltiPartition *partition;
    const Vec3 *normals; ///< [vertex_count] of the rest mesh
    int wanted;          ///< samples of a part
} PeltiPartSkin;

/// Samples of one part by Poisson-disk sampling.
PeltStatus pelti_part_samples(const PeltiPartSkin *skin, int part, PeltiPartSamples *out, PeltError *err);

/// A closed capsule around a segment: stands in for small parts, and is the shape of a muscle at rest. a == b: a sphere.
void pelti_part_capsule(Vec3 a, Vec3 b, float radius, PeltiPartSamples *out);

#endif
