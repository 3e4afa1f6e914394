/// Built-in characters, made by the program at any resolution: a shape around a skeleton, its skin, weights and clips.
#ifndef PELTI_BUILTIN_BUILTIN_H
#define PELTI_BUILTIN_BUILTIN_H

#include "character/character.h"

typedef struct PeltiBuiltinOptions {
    int vertices;    ///< wanted, met within 10 %; 0: the character's own default
    bool no_weights; ///< every weight on the root
    bool uv;         ///< texture coordinates; points are split at their seams
} PeltiBuiltinOptions;

enum { PELTI_BUILTIN_LEAST = 500, PELTI_BUILTIN_MOST = 2000000 }; ///< vertices

/// A finished character with what a file of it holds beside.
typedef struct PeltiBuiltin {
    PeltiCharacter *who;
    const float (*uv)[2]; ///< [who->point_count]; NULL: none
} PeltiBuiltin;

/// Names of the characters: "cylinder", "arm", "hand", "biped"; NULL past the last.
const char *pelti_builtin_name(int index);

/// The same bytes for any number of threads. PELT_BAD_ARGUMENT: no such name, or a count out of range. The caller destroys
/// the character (pelti_character_destroy), which owns uv.
PeltStatus pelti_builtin_make_all(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                                  const PeltAllocator *allocator, PeltiBuiltin *out, PeltError *err);
/// The character alone.
PeltStatus pelti_builtin_make(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                              const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);

#endif
