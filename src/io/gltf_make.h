/// A character that came from no file as a fresh glTF document: mesh, skin, clips and a plain material.
#ifndef PELTI_IO_GLTF_MAKE_H
#define PELTI_IO_GLTF_MAKE_H

#include "character/character.h"

/// `who` has one skinned instance, and its bones are its nodes 0 ... in order, as the built-in makers give it. `uv`
/// [point_count], NULL: none. By extension .glb, or .gltf with the buffer inside. Appears whole or not at all.
PeltStatus pelti_gltf_make(const PeltiCharacter *who, const float (*uv)[2], const char *path, PeltError *err);

#endif
