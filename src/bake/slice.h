/// Slices of an operator, solved for looking at: no part of a frame's work.
#ifndef PELTI_BAKE_SLICE_H
#define PELTI_BAKE_SLICE_H

#include "core/error.h"

#include <pelt/operator.h>

/// PELT_BAD_INPUT: its profile cannot be one; costs nothing. pelt_operator_check looks closer.
PeltStatus pelti_bake_sound(const PeltOperator *op, PeltError *err);
/// The composed field at d in [0, 1] into g [PELTI_OPERATOR_NODES^2], f1 the slower index.
PeltStatus pelti_bake_slice(const PeltOperator *op, float d, double *g, PeltError *err);
/// Bilinear value of a slice and its slope, per unit of f.
double pelti_bake_slice_at(const double *g, double f1, double f2, double *slope);

#endif
