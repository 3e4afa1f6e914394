/// Built-in characters (libpelt-tools), made by the program at any resolution: cylinder, arm, hand, biped, beast.
#ifndef PELT_MAKE_H
#define PELT_MAKE_H

#include <pelt/character.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeltMakeDef {
    const char *name;        ///< as pelt_make_name lists them
    int vertices;            ///< of the skin, wanted, met within 10 %: 500 to 2000000; 0: the character's own default
    bool no_weights;         ///< every weight on the root, as a file with a skeleton that was never painted
    bool uv;                 ///< texture coordinates; vertices are split at their seams
    uint64_t seed;           ///< 0: as planned; else size, girth, joints, mesh, clothes and weights are drawn from it
    const char *dress;       ///< "none", "some" (as the seed draws), "all"; NULL: some with a seed, else none
    const char *weights;     ///< "smooth", "one-joint", "unnormalised", "missing", "none"; NULL: as the seed draws, else smooth
    const char *clip;        ///< this clip alone; "random": drawn from the seed; NULL: all clips but that
    int threads;             ///< 0: as many as there are; the result does not depend on it
    PeltAllocator allocator; ///< all zero: malloc
    uint32_t guard;          ///< filled by pelt_make_def_default
} PeltMakeDef;
/// A character as planned, with weights and all its clips; `name` is still to be said. From any thread, at no cost.
PELT_API PeltMakeDef pelt_make_def_default(void);
PELT_API const char *pelt_make_name(int index); ///< static text; NULL past the last; from any thread

/// The character itself, as if it had been read from a file; it cannot be written to .glb by baking. The caller destroys it.
/// From any thread. PELT_BAD_ARGUMENT: no such name or count, PELT_FAILED: there was no memory. Cost: see docs/characters.md.
PELT_API PeltStatus pelt_make_character(const PeltMakeDef *def, PeltCharacter **out, PeltError *err);

typedef struct PeltMakeResult {
    int vertices, triangles, joints, clips;
    double make_ms;
} PeltMakeResult;
/// Makes it and writes a .glb (or .gltf with the buffer inside), which appears whole or not at all. `result` may be NULL. From
/// any thread; costs what making it does, and the disk. PELT_IO: `path` cannot be written, else as pelt_make_character.
PELT_API PeltStatus pelt_make_file(const PeltMakeDef *def, const char *path, PeltMakeResult *result, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
