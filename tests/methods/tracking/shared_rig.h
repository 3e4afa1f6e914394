/// One rig that all tests of a file share: cmocka's set-up and tear-down.
#ifndef PELT_TESTS_TRACKING_SHARED_RIG_H
#define PELT_TESTS_TRACKING_SHARED_RIG_H

#include "rig.h"

static Rig rig;

static inline int open_cylinder(void **state)
{
    (void)state;
    rig = start("cylinder", 800, 1, NULL, NULL);
    return 0;
}

static inline int close_rig(void **state)
{
    (void)state;
    stop(&rig);
    return 0;
}

#endif
