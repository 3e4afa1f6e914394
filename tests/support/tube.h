/// A small built-in cylinder for tests of the public library.
#ifndef PELT_TESTS_TUBE_H
#define PELT_TESTS_TUBE_H

#include "check.h"

#include <pelt/make.h>

static inline PeltCharacter *tube(void)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = "cylinder";
    def.vertices = 500;
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

#endif
