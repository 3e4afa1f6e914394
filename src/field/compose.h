/// The composed field of a character in one pose: f = g(f1, g(f2, ...)) over the parts that reach a point
/// [Vaillant2014 sec. 4.1].
#ifndef PELTI_FIELD_COMPOSE_H
#define PELTI_FIELD_COMPOSE_H

#include "field/fields.h"

typedef struct PeltiPartPose { ///< a part in the present pose
    Mat34 world_to_grid;
    float column[4][4];      ///< the same by columns, the fourth lane 0
    float least[4], most[4]; ///< first and last node along each axis of what is not 0 in the grid
    Vec3 across;             ///< unit, across a fold at the joint with the parent part, towards this part
    Vec3 out;                ///< unit, out of that fold, in its contact surface; zero where the joint is straight
    float bend;              ///< d (in slices) that the bend against the parent part asks for
    bool live;               ///< false: its matrix has no inverse, or is not finite; the part is absent
} PeltiPartPose;

enum { PELTI_FIELD_CELLS = 12000 }; ///< of the grid below, at most: the size of an array; a part too many in a cell gives 0

/// A coarse grid over the character says which parts reach each cell.
typedef struct PeltiFieldFrame {
    const PeltiFields *fields;
    PeltiPartPose *pose; ///< [part_count]
    Vec3 low;
    float per_cell; ///< cells by length
    int dims[3];
    int words;           ///< of a cell's mask
    uint64_t *cell_mask; ///< [(PELTI_FIELD_CELLS + 1) x words] a bit for each part; the last cell: none
    bool indexed;        ///< false: no part is anywhere, every one is tried
} PeltiFieldFrame;

/// Places a frame in a layout arena; pelti_frame_set fills it, as often as the pose changes. Does not allocate.
void pelti_frame_in(PeltiArena *arena, const PeltiFields *fields, PeltiFieldFrame *out);
/// `matrices` [part_count]: rest space -> world of each part.
void pelti_frame_set(PeltiFieldFrame *frame, const Mat34 *matrices);

typedef struct PeltiFieldSample {
    float value;   ///< composed field: 0 far outside, 0.5 on the skin, 1 deep inside
    Vec3 gradient; ///< by length, world space
    float own;     ///< the owner's side: its own field, or a stronger one whose gradient lies within 60 degrees of it
    Vec3 own_gradient;
    float mine;  ///< the owner's own field
    float other; ///< strongest field in contact with the owner's side (their composition opens a valley); 0: none
    Vec3 other_gradient;
    int other_part; ///< -1: none
    float mouth;    ///< field value at which the contact surface of the two begins: 0.5, less beside a bulge
    float depth;    ///< field value at which it ends: mouth + d reach (1 - mouth), nearly; 0: no contact
} PeltiFieldSample;

/// Evaluates at x among the parts of one skeleton (-1: all). `own`: the part that owns the point, -1: none (then own, other are
/// 0).
void pelti_frame_eval(const PeltiFieldFrame *frame, int skeleton, int own, Vec3 x, PeltiFieldSample *out);

/// Many points at a time: the same values, with the waits for memory overlapped.
enum { PELTI_FIELD_BATCH = 16 };
typedef struct PeltiFieldPoint {
    Vec3 x;
    int skeleton, own;
    /// Multiplies the odds f / (1 - f) of every part's field before they compose; 0: as 1. The operators are clean only on the
    /// surface 0.5: a point that tracks another value is dragged along where their other iso-surfaces blend. With the tilt
    /// that makes its own value 0.5 it meets other parts as the skin does.
    float tilt;
} PeltiFieldPoint;
void pelti_frame_eval_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, PeltiFieldSample *out);

/// Parts that may reach the surroundings of x: one bit each, frame->words words; NULL: not known.
const uint64_t *pelti_frame_around(const PeltiFieldFrame *frame, Vec3 x);

/// The union of the parts [Ricci1973]: the strongest field at x and its gradient; 0 where none reaches.
void pelti_frame_max(const PeltiFieldFrame *frame, int skeleton, Vec3 x, float *value, Vec3 *gradient);

void pelti_frame_max_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, float *value, Vec3 *gradient);

/// One part alone, world space. False: it does not reach x.
bool pelti_frame_part(const PeltiFieldFrame *frame, int part, Vec3 x, float *value, Vec3 *gradient);

#endif
