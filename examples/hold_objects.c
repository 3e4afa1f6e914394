/// A world from a scene filled by hand, whose objects are led from outside: a ball is carried in an arc, let go and falls.
///   example_hold_objects hero.glb
#include <pelt/pelt.h>

#include <math.h>
#include <stdio.h>

static PeltStatus play(PeltWorld *world, const PeltPose *pose, float x, PeltError *err)
{
    int ball = pelt_world_object_find(world, "ball");
    for (int f = 0; f <= 60; f++) {
        PeltTransform goal = {{x, 2 + sinf(0.1f * (float)f), 0}, {0, 0, 0, 1}, {1, 1, 1}};
        PeltStatus status = f < 16 ? pelt_world_hold(world, ball, &goal, err) : PELT_OK;
        if (status != PELT_OK)
            return status;
        if (f == 16)
            pelt_world_let_go(world, ball); // thrown upwards
        pelt_world_step(world, &pose, 1.0f / 60, NULL);
        if (f % 20 == 0)
            printf("frame %d: the ball is at height %.3f\n", f, (double)pelt_world_object(world, ball).origin[1]);
    }
    return PELT_OK;
}

int main(int argc, char **argv)
{
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltWorld *world = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: %s CHARACTER.glb\n", argv[0]);
        return 1;
    }
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "lbs";
    PeltStatus status = pelt_character_load(argv[1], NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_skin_create(&def, who, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, &err);
    if (status == PELT_OK) {
        PeltCharacterInfo info = pelt_character_info(who);
        PeltSceneObject ball = pelt_scene_object_default();
        PeltScene scene = pelt_scene_default();
        ball.name = "ball";
        ball.shape = PELT_SHAPE_SPHERE;
        ball.size[0] = 0.1f;
        ball.position[0] = info.high[0] + 1; // beside the character
        ball.position[1] = 2;
        scene.objects = &ball, scene.object_count = 1;
        PeltWorldDef make = pelt_world_def_default();
        make.scene = &scene;
        make.skins = &skin, make.skin_count = 1;
        status = pelt_world_create(&make, &world, &err);
        if (status == PELT_OK)
            status = play(world, pose, ball.position[0], &err);
        pelt_world_destroy(world);
    }
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return (int)status;
}
