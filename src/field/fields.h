/// All fields of a character: parts with their grids, operators, and the order in which they compose.
#ifndef PELTI_FIELD_FIELDS_H
#define PELTI_FIELD_FIELDS_H

#include "field/grid.h"
#include "field/operator.h"
#include "field/part.h"

/// Something added to the flesh of `bone`: a spindle (a muscle). Owns no vertex; its pose is the caller's to give.
typedef struct PeltiFieldPrimitive {
    int bone;
    Vec3 a, b;    ///< rest space
    float radius; ///< at rest
} PeltiFieldPrimitive;

typedef struct PeltiFieldOptions {
    int samples;      ///< of the skin, per part (about 50)
    float fold_depth; ///< multiplies the controllers' d
    bool join_still;  ///< bones that no clip moves join their parent's part
    int most_nodes;   ///< of one grid
    /// Operators by index: 0 contact, 1 bulge, then `profiles`. Per bone: the operator at the joint with its parent.
    const int *bone_operator; ///< [bone_count], NULL: contact everywhere
    int profile_count;
    const PeltiProfile *profiles;
    int primitive_count;
    const PeltiFieldPrimitive *primitives;
    PeltiJobs *jobs; ///< may be NULL
    PeltiLog *log;   ///< may be NULL
} PeltiFieldOptions;
PeltiFieldOptions pelti_field_options_default(void);

typedef struct PeltiPart {
    int bone;   ///< moves with it
    int parent; ///< part, -1
    int target; ///< part this one composes into with `op` before all others (a bulge chain, a muscle); -1: contact with the rest
    int op;     ///< operator at the joint with `target`
    int skeleton;
    int primitive; ///< index of the primitive it is, -1: a piece of skin
    int sample_count;
    float radius;
    Vec3 axis; ///< unit, along the bone, rest space
    bool capsule;
    PeltiGrid grid;
} PeltiPart;

typedef struct PeltiFields {
    const PeltiCharacter *who;
    int part_count, skin_part_count, operator_count;
    PeltiPart *parts;               ///< in the order of composition: a part comes before its target
    int *bone_part;                 ///< [bone_count] part that carries the bone's skin; -1: none
    int *vertex_part;               ///< [vertex_count] owner; -1: none
    PeltiOperatorTables *operators; ///< [operator_count]; unused ones have no table
    unsigned char *apart;           ///< [part_count x part_count] 1: the two share no skin at rest, so where they meet they touch
    size_t bytes;                   ///< of grids and tables
} PeltiFields;

static inline bool pelti_fields_apart(const PeltiFields *fields, int a, int b)
{
    return fields->apart[a * fields->part_count + b] != 0;
}

/// Builds into `pool`. Parts whose fit fails become capsules, said in the log.
PeltStatus pelti_fields_build(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights,
                              const PeltiFieldOptions *options, PeltiFields **out, PeltError *err);

#endif
