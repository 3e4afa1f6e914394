/// What one point and eight points at a time have in common; only .c files of this room include it.
#ifndef PELTI_FIELD_COMPOSE_INNER_H
#define PELTI_FIELD_COMPOSE_INNER_H

#include "field/compose.h"
#include "field/operator_fetch.h"

enum { PELTI_FIELD_REACH = 32 }; ///< most fields at one point

/// VALLEY (constants.def: the d from which a composition opens a valley between two parts, a contact) in slices.
#define PELTI_FIELD_VALLEY (VALLEY * (PELTI_OPERATOR_SLICES - 1))

/// d by slices; where a contact line ends at the latest.
#define PELTI_FIELD_SLICE   (1.0f / (PELTI_OPERATOR_SLICES - 1))
#define PELTI_FIELD_DEEPEST (1 - LINE_ENDS / (PELTI_OPERATOR_NODES - 1))

/// One point; pelti_frame_eval_many is to agree with it to the bit.
void pelti_frame_eval_one(const PeltiFieldFrame *frame, const PeltiFieldPoint *at, PeltiFieldSample *out);

/// Cell of x in the index; -1: outside.
static inline int pelti_frame_cell(const PeltiFieldFrame *frame, Vec3 x)
{
    Vec3 u = vec3_scale(vec3_sub(x, frame->low), frame->per_cell);
    if (!((u.x >= 0) & (u.y >= 0) & (u.z >= 0) & (u.x < (float)frame->dims[0]) & (u.y < (float)frame->dims[1]) &
          (u.z < (float)frame->dims[2])))
        return -1;
    return ((int)u.z * frame->dims[1] + (int)u.y) * frame->dims[0] + (int)u.x;
}

/// What two parts ask of their composition: the bend of the joint between neighbours, full contact for parts that share no skin.
static inline PeltiFold pelti_frame_fold(const PeltiFieldFrame *frame, int a, int b)
{
    const PeltiFields *fields = frame->fields;
    PeltiFold fold = {.kind = PELTI_FOLD_NONE};
    if (fields->apart[a * fields->part_count + b])
        fold = (PeltiFold){.kind = PELTI_FOLD_APART, .bend = PELTI_OPERATOR_SLICES - 1};
    else if (fields->parts[b].parent == a)
        fold = (PeltiFold){PELTI_FOLD_JOINT, frame->pose[b].bend, frame->pose[b].across, frame->pose[b].out,
                           BEND_FLAT / fields->parts[b].radius};
    else if (fields->parts[a].parent == b)
        fold = (PeltiFold){PELTI_FOLD_JOINT, frame->pose[a].bend, vec3_scale(frame->pose[a].across, -1), frame->pose[a].out,
                           BEND_FLAT / fields->parts[a].radius};
    return fold;
}

/// The operator at the joint of two parts; contact where they share none.
static inline const PeltiOperatorTables *pelti_frame_operator(const PeltiFieldFrame *frame, int a, int b)
{
    const PeltiPart *parts = frame->fields->parts;
    return &frame->fields->operators[parts[a].target == b ? parts[a].op : parts[b].target == a ? parts[b].op : 0];
}

/// Ends of the contact line at d (in slices): its mouth and where it stops.
static inline void pelti_frame_line(const PeltiOperatorTables *op, float d, float *mouth, float *depth)
{
    const PeltiProfile *p = &op->profile;
    float open = p->open[p->control_count - 1].x;
    *mouth = open + d * PELTI_FIELD_SLICE * (p->closed[p->control_count - 1].x - open);
    *depth = *mouth + d * PELTI_FIELD_SLICE * p->reach * (PELTI_FIELD_DEEPEST - *mouth);
}

#endif
