/// One tube that all tests of a file share: cmocka's set-up and tear-down.
#ifndef PELT_TESTS_PROJECTIVE_SHARED_TUBE_H
#define PELT_TESTS_PROJECTIVE_SHARED_TUBE_H

#include "tube.h"

static Tube tube;

static inline int open_tube(void **state)
{
    (void)state;
    tube_open(&tube, 1, NULL);
    return 0;
}

static inline int close_tube(void **state)
{
    (void)state;
    tube_close(&tube);
    return 0;
}

#endif
