/// Objects of a scene file: shapes, their measures and their meshes.
#ifndef PELTI_IO_SCENE_OBJECT_H
#define PELTI_IO_SCENE_OBJECT_H

#include "io/form.h"

#include <pelt/scene.h>

PeltStatus pelti_scene_objects(PeltiForm *form, const PeltiJsonAt *at, int *count, const PeltSceneObject **objects,
                               PeltError *err);

/// Readers of PELTI_FORM_CUSTOM: a path as seen from the scene file's folder; a quaternion, or three angles in degrees about
/// x, then y, then z.
PeltStatus pelti_scene_path(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err);
PeltStatus pelti_scene_rotation(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err);

#endif
