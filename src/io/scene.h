/// Reads a scene: what a character touches (--scene S.json).
#ifndef PELTI_IO_SCENE_H
#define PELTI_IO_SCENE_H

#include "character/character.h"

#include <pelt/scene.h>

typedef struct PeltiIoScene {
    PeltiPool pool; ///< of everything below
    PeltScene scene;
} PeltiIoScene;

/// Meshes are read too; their files are found from the scene file's folder. Joints are checked against `who` (NULL: not)
/// where no other character could have them. The caller destroys `*out`.
PeltStatus pelti_scene_load(const char *path, const PeltiCharacter *who, const PeltAllocator *allocator, PeltiIoScene **out,
                            PeltError *err);
void pelti_scene_destroy(PeltiIoScene *scene); ///< NULL is fine

#endif
