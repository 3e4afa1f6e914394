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
/// Returns a description of the biped as planned, with weights and all its clips. Any thread may call it, and it costs nothing.
PELT_API PeltMakeDef pelt_make_def_default(void);
/// Returns the name of built-in character `index`, from 0 on, and NULL past the last. The text is static. Any thread may call it,
/// and it costs nothing.
PELT_API const char *pelt_make_name(int index);

/// Makes a character as if it had been read from a file; it cannot be written to .glb by baking. Any thread may call it; it costs
/// what docs/characters.md says. The caller destroys what `out` gets. It fails with PELT_BAD_ARGUMENT where there is no such name
/// or count, and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_make_character(const PeltMakeDef *def, PeltCharacter **out, PeltError *err);

typedef struct PeltMakeResult {
    int vertices, triangles, joints, clips;
    double make_ms;
} PeltMakeResult;
/// Makes a character and writes a .glb (or .gltf with the buffer inside), which appears whole or not at all. `result` may be
/// NULL. Any thread may call it; it costs what making the character does, and the disk. It fails with PELT_IO where `path` cannot
/// be written, and else as pelt_make_character does.
PELT_API PeltStatus pelt_make_file(const PeltMakeDef *def, const char *path, PeltMakeResult *result, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
