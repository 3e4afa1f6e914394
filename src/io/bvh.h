/// Biovision motion (.bvh): a skeleton and one clip, as text.
#ifndef PELTI_IO_BVH_H
#define PELTI_IO_BVH_H

#include "character/character.h"

/// By the end of its name.
bool pelti_bvh_is(const char *path);

/// Nodes, their order and one clip, no bones and no mesh: what retargeting needs. Joints turn in the order of their channels;
/// only the root is shifted (others keep their offsets), and where its offset is nothing it stands on its lowest joint at rest.
/// PELT_IO: cannot be read. PELT_BAD_INPUT: not sound, with the line. The caller destroys what `out` gets.
PeltStatus pelti_bvh_read(const char *path, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);
/// The same from bytes in memory. `name` of the clip.
PeltStatus pelti_bvh_parse(const char *text, size_t size, const char *name, const PeltAllocator *allocator, PeltiCharacter **out,
                           PeltError *err);

#endif
