/// Gives the defaults of scenes and objects to those who fill them by hand.
#include <pelt/scene.h>

enum { SCENE_GUARD = 0x50534331 };

PeltScene pelt_scene_default(void)
{
    return (PeltScene){.gravity = {0, -9.81f, 0}, .friction = 0.6f, .joint_damping_s = 0.03f, .guard = SCENE_GUARD};
}

PeltSceneObject pelt_scene_object_default(void)
{
    return (PeltSceneObject){.name = "object",
                             .kind = PELT_OBJECT_RIGID,
                             .shape = PELT_SHAPE_BOX,
                             .size = {1, 1, 1},
                             .scale = 1,
                             .rotation = {0, 0, 0, 1},
                             .density = 1000,
                             .friction = -1,
                             .restitution = -1};
}
