/// Profiles as include/pelt/operator.h describes them.
#ifndef PELTI_FIELD_DESCRIBED_H
#define PELTI_FIELD_DESCRIBED_H

#include "core/error.h"
#include "field/profile.h"

#include <pelt/operator.h>

PeltiProfile pelti_profile_from(const PeltOperator *op);
PeltOperator pelti_profile_describe(const PeltiProfile *profile);
/// "contact", "bulge" or "union"; false: none of them.
bool pelti_profile_named(const char *name, PeltiProfile *out);

#endif
