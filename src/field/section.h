/// The composed field as planar sections show it [Vaillant2014 fig. 3, 5].
#ifndef PELTI_FIELD_SECTION_H
#define PELTI_FIELD_SECTION_H

#include "field/compose.h"

float pelti_section_value(const PeltiFieldFrame *frame, Vec3 x);
/// Changes its sign where two parts touch, f1 = f2, as far in as their contact surface goes; NaN elsewhere.
float pelti_section_contact(const PeltiFieldFrame *frame, Vec3 x);

#endif
