/// A number that a step tells, by its name.
#ifndef PELT_TESTS_STATS_H
#define PELT_TESTS_STATS_H

#include "check.h"

#include <pelt/skin.h>

#include <string.h>

static inline double test_stat(const PeltStepInfo *told, const char *name)
{
    for (int i = 0; i < told->stat_count; i++)
        if (!strcmp(told->stats[i].name, name))
            return told->stats[i].value;
    fail_msg("no step tells %s", name);
    return 0;
}

#endif
