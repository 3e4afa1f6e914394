/// Composition operators: how two parts of a body join, from a union to touching skin. An operator is data: a profile curve
/// in the square of the two fields, and a controller that says how far it has turned at an angle. docs/tracking.md. All functions
/// may be called from any thread; operators are plain structs that the caller owns and that hold no pointers. What they cost and
/// which errors they give is said at each.
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

/// Copies a built-in operator into `out`: "contact", "bulge" or "union". Any thread may call it. It costs a copy, and fails with
/// PELT_BAD_ARGUMENT for any other name.
PELT_API PeltStatus pelt_operator_builtin(const char *name, PeltOperator *out, PeltError *err);
/// Makes an operator from the control points of its closed profile [count][2], which are copied; its open profile is the clean
/// union's, and a name that is too long is cut. Any thread may call it. It costs a copy, and fails with PELT_BAD_INPUT for a
/// number of points that no profile has. Whether the operator is sound is pelt_operator_check's to say.
PELT_API PeltStatus pelt_operator_from_profile(const char *name, int count, const float (*closed)[2], PeltOperator *out,
                                               PeltError *err);
/// Finds out whether it makes an operator, by solving its slices. Any thread may call it, and it takes some 20 ms. The operator
/// is only read and stays the caller's. It fails with PELT_BAD_INPUT and the story where it makes none, and with PELT_FAILED
/// where there is no memory.
PELT_API PeltStatus pelt_operator_check(const PeltOperator *op, PeltError *err);

/// Reads an operator from JSON, as docs/tracking.md has it, into `out`, which holds nothing to free. Any thread may call it, and
/// it takes a few ms. It fails with PELT_IO where the file cannot be read and PELT_BAD_INPUT, with the line, where it is not
/// sound; pelt_operator_check looks closer.
PELT_API PeltStatus pelt_operator_load(const char *path, PeltOperator *out, PeltError *err);
/// Writes an operator as JSON; the file appears whole or not at all. Any thread may call it; it costs a few ms of the disk. It
/// fails with PELT_IO where the file cannot be written and PELT_BAD_INPUT where the operator, which stays the caller's, is not
/// sound.
PELT_API PeltStatus pelt_operator_save(const PeltOperator *op, const char *path, PeltError *err);

/// Computes the composed value of two fields in [0, 1] at a slice d, into `out`. The operator is only read and stays the
/// caller's. Any thread may call it. It solves the slice, which takes some 5 ms: this is for looking, not for
/// frames. It fails with PELT_BAD_ARGUMENT for a d outside 0 to 1, PELT_BAD_INPUT where it makes no operator, and PELT_FAILED
/// where there is no memory.
PELT_API PeltStatus pelt_operator_value(const PeltOperator *op, float f1, float f2, float d, float *out, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
