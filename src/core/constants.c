/// Tuning constants changed from outside, in a sweep build only.
#include "core/constants.h"

#ifdef PELT_SWEEP
#include <stdlib.h>
#include <string.h>

double pelti_constant_swept(const char *table, const char *name, double value)
{
    const char *swept = getenv("PELT_SWEEP");
    const char *colon = swept ? strchr(swept, ':') : NULL;
    if (!colon)
        return value;
    size_t room = (size_t)(colon - swept), all = strlen(table), length = strlen(name);
    if (all < room || strncmp(table + all - room, swept, room) != 0 || strncmp(colon + 1, name, length) != 0 ||
        colon[1 + length] != '=')
        return value;
    return strtod(colon + length + 2, NULL);
}
#else
typedef int no_constant_is_swept; // ISO C wants a declaration in every source
#endif
