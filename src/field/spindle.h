/// The shape of a muscle: an ellipsoid of revolution between two places.
#ifndef PELTI_FIELD_SPINDLE_H
#define PELTI_FIELD_SPINDLE_H

#include "field/part.h"

/// Samples with normals for a fit. `radius` is that of the middle; a and b are its tips.
void pelti_spindle_samples(Vec3 a, Vec3 b, float radius, PeltiPartSamples *out);

#endif
