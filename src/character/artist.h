/// What an artist adds to a character: the rig, and the operators of the files that it names, read by whoever loads it.
#ifndef PELTI_CHARACTER_ARTIST_H
#define PELTI_CHARACTER_ARTIST_H

#include <pelt/operator.h>
#include <pelt/rig.h>

typedef struct PeltiArtist {
    const PeltRig *rig; ///< NULL: nothing is added
    int operator_count;
    const char *const *operator_names; ///< as the rig spells them
    const PeltOperator *operators;
} PeltiArtist;

#endif
