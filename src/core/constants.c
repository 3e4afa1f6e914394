/// Tuning constants changed from outside, in a sweep build only.
#include "core/constants.h"

#ifdef PELT_SWEEP
#include <stdlib.h>
#include <string.h>

double pelti_constant_swept(const char *name, double value)
{
    const char *swept = getenv("PELT_SWEEP");
    size_t length = strlen(name);
    if (!swept || strncmp(swept, name, length) != 0 || swept[length] != '=')
        return value;
    return value * strtod(swept + length + 1, NULL);
}
#else
typedef int no_constant_is_swept; // ISO C wants a declaration in every source
#endif
