/// Built-in characters, made by the program at any resolution: a shape around a skeleton, its skin, weights and clips.
#ifndef PELTI_BUILTIN_BUILTIN_H
#define PELTI_BUILTIN_BUILTIN_H

#include "character/character.h"

/// What a character wears: nothing, what the seed draws, everything there is for it.
typedef enum PeltiBuiltinDress { PELTI_DRESS_NONE, PELTI_DRESS_SOME, PELTI_DRESS_ALL } PeltiBuiltinDress;

/// How the weights of the file are painted.
typedef enum PeltiPainting {
    PELTI_PAINT_DRAWN,        ///< as the seed draws: mostly smooth
    PELTI_PAINT_SMOOTH,       ///< faded across the joints
    PELTI_PAINT_ONE_JOINT,    ///< every point on its nearest bone
    PELTI_PAINT_UNNORMALISED, ///< smooth, with rows in the file that sum to 0.77 ... 1
    PELTI_PAINT_MISSING,      ///< smooth, with one row in fifty left empty in the file
    PELTI_PAINT_NONE,         ///< every weight on the root
} PeltiPainting;

typedef struct PeltiBuiltinOptions {
    int vertices;  ///< of the skin, wanted, met within 10 %; 0: the character's own default (with a seed: as it draws)
    bool uv;       ///< texture coordinates; points are split at their seams
    uint64_t seed; ///< 0: as planned; else proportions, girth, joints, mesh, clothes and weights are drawn from it
    PeltiBuiltinDress dressing;
    PeltiPainting painting;
    const char *clip; ///< this one alone; "random": drawn from the seed; NULL: all but that
} PeltiBuiltinOptions;

enum { PELTI_BUILTIN_LEAST = 500, PELTI_BUILTIN_MOST = 2000000 }; ///< vertices

typedef struct PeltiBuiltinPart {
    const char *name, *material;
    float colour[3]; ///< linear
    int instance;    ///< of the character; several parts may share the first
    int first_point, point_count, first_triangle, triangle_count;
} PeltiBuiltinPart;

/// A finished character with what a file of it holds beside.
typedef struct PeltiBuiltin {
    PeltiCharacter *who;
    const float (*uv)[2];          ///< [parts[0].point_count]; NULL: none
    int part_count;                ///< the skin and the pieces it wears
    const PeltiBuiltinPart *parts; ///< the skin first; points, triangles and instances in rising order
    const float *row_sums;         ///< [who->point_count] what the weights of a point sum to in a file; NULL: 1
} PeltiBuiltin;

/// Names of the characters: "cylinder", "arm", "hand", "biped", "beast"; NULL past the last.
const char *pelti_builtin_name(int index);

/// The same bytes for any number of threads. PELT_BAD_ARGUMENT: no such name or clip, or a count out of range. The caller
/// destroys the character (pelti_character_destroy), which owns the rest.
PeltStatus pelti_builtin_make_all(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                                  const PeltAllocator *allocator, PeltiBuiltin *out, PeltError *err);
/// The character alone.
PeltStatus pelti_builtin_make(const char *name, const PeltiBuiltinOptions *options, PeltiJobs *jobs,
                              const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);

#endif
