/// Composition operators: how two parts of a body join, from a union to touching skin. An operator is data: a profile curve
/// in the square of the two fields, and a controller that says how far it has turned at an angle. docs/tracking.md. All functions
/// may be called from any thread; operators are plain structs that the caller owns and that hold no pointers.
#ifndef PELT_OPERATOR_H
#define PELT_OPERATOR_H

#include <pelt/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PELT_OPERATOR_CONTROLS = 12, PELT_OPERATOR_POINTS = 8 };

/// Where the composed field is 0.5 in the square (f1, f2). The branch below the diagonal is a clamped cubic B-spline from
/// (0.5, 0) to the diagonal, whose control points go from `open` (d = 0) to `closed` (d = 1); the other is its mirror image.
/// From its mouth the contact line follows the diagonal for d * reach of the way to (1, 1).
typedef struct PeltOperator {
    char name[32];
    int control_count; ///< 2: a straight line; else 4 to PELT_OPERATOR_CONTROLS
    float open[PELT_OPERATOR_CONTROLS][2], closed[PELT_OPERATOR_CONTROLS][2]; ///< f1, f2 with f1 >= f2, in [0, 1]
    float reach;                                                              ///< 0 to 1; 0: no contact
    int point_count;                                                          ///< of the controller, 1 to PELT_OPERATOR_POINTS
    float controller[PELT_OPERATOR_POINTS][2]; ///< angle in degrees (rising, 0 to 180), d in [0, 1]; smooth between
} PeltOperator;

/// The built-in ones: "contact", "bulge", "union". PELT_BAD_ARGUMENT for any other name. Costs a copy.
PELT_API PeltStatus pelt_operator_builtin(const char *name, PeltOperator *out, PeltError *err);
/// A new one from the control points of its closed profile [count][2], which are copied; its open profile is the clean union's.
/// PELT_BAD_INPUT: a number of points that no profile has; a longer name is cut. Costs a copy: pelt_operator_check says whether
/// it is sound.
PELT_API PeltStatus pelt_operator_from_profile(const char *name, int count, const float (*closed)[2], PeltOperator *out,
                                               PeltError *err);
/// PELT_BAD_INPUT with the story where it makes no operator: found by solving its slices, a second of work.
PELT_API PeltStatus pelt_operator_check(const PeltOperator *op, PeltError *err);

/// Reads JSON, as docs/tracking.md has it; takes a few ms. PELT_IO: it cannot be read, PELT_BAD_INPUT: it is not sound, with the
/// line; pelt_operator_check looks closer.
PELT_API PeltStatus pelt_operator_load(const char *path, PeltOperator *out, PeltError *err);
/// Writes it; the file appears whole or not at all. PELT_IO: it cannot be written, PELT_BAD_INPUT: it is not sound. Costs a few
/// ms of the disk.
PELT_API PeltStatus pelt_operator_save(const PeltOperator *op, const char *path, PeltError *err);

/// The composed value of two fields in [0, 1] at a slice d. Solves the slice, which takes a good part of a second: for looking,
/// not for frames. PELT_BAD_ARGUMENT: a d outside 0 to 1, PELT_BAD_INPUT: it makes no operator.
PELT_API PeltStatus pelt_operator_value(const PeltOperator *op, float f1, float f2, float d, float *out, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
