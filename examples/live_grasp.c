/// A hand that is posed live, as by a data glove, picks up a ball: poses come frame by frame, contact corrects them.
///   example_live_grasp [METHOD]
#include <pelt/tools.h>

#include <math.h>
#include <stdio.h>

/// Where the "glove" is at a time: here it plays the hand's own clip, at a pace of its own.
static void read_glove(PeltPose *pose, const PeltCharacter *hand, double time_s)
{
    pelt_pose_from_clip(pose, pelt_character_clip_find(hand, "grasp"), fmin(time_s, 1.6));
}

static PeltScene describe(PeltSceneObject objects[2], PeltScenePair *slippery)
{
    PeltScene scene = pelt_scene_default();
    objects[0] = objects[1] = pelt_scene_object_default();
    PeltSceneObject *ball = &objects[0], *peg = &objects[1];
    ball->name = "ball", ball->shape = PELT_SHAPE_SPHERE, ball->size[0] = 0.025f, ball->density = 500, ball->detail = 40;
    ball->position[0] = -0.163f, ball->position[1] = -0.063f, ball->position[2] = -0.0385f;
    peg->name = "peg", peg->kind = PELT_OBJECT_FIXED, peg->shape = PELT_SHAPE_CYLINDER, peg->size[0] = 0.004f,
    peg->size[1] = 0.2f;
    peg->position[0] = -0.163f, peg->position[1] = -0.1882f, peg->position[2] = -0.0385f;
    *slippery = (PeltScenePair){"character", "peg", 0, -1};
    scene.objects = objects, scene.object_count = 2, scene.pairs = slippery, scene.pair_count = 1, scene.joint_stiffness = 2;
    return scene;
}

static PeltStatus play(PeltWorld *world, const PeltCharacter *hand, PeltPose *pose)
{
    double slowest = 0;
    float start = pelt_world_object(world, 0).centre[1];
    for (int frame = 0; frame < 150; frame++) { // five seconds
        PeltWorldInfo info;
        read_glove(pose, hand, frame / 30.0);
        pelt_world_step(world, (const PeltPose *const[]){pose}, 1 / 30.0f, &info);
        slowest = fmax(slowest, info.ms);
        if (frame % 15 == 0)
            printf("%.1f s: the ball is %+.3f up, %d contacts of %d push\n", frame / 30.0,
                   (double)(pelt_world_object(world, 0).centre[1] - start), info.pushing, info.watched);
    }
    printf("slowest correction %.1f ms\n", slowest);
    return pelt_world_object(world, 0).centre[1] - start > 0.08f ? PELT_OK : PELT_FAILED;
}

int main(int argc, char **argv)
{
    PeltError err = {0};
    PeltCharacter *hand = NULL;
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltWorld *world = NULL;
    PeltMakeDef make = pelt_make_def_default();
    make.name = "hand", make.vertices = 1500;
    PeltSkinDef skin_def = pelt_skin_def_default();
    skin_def.method = argc > 1 ? argv[1] : "dqs";
    PeltSceneObject objects[2];
    PeltScenePair slippery;
    PeltScene scene = describe(objects, &slippery);
    PeltWorldDef def = pelt_world_def_default();
    PeltStatus status = pelt_make_character(&make, &hand, &err);
    if (status == PELT_OK)
        status = pelt_skin_create(&skin_def, hand, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(hand, &pose, &err);
    def.scene = &scene, def.skins = &skin, def.skin_count = 1;
    if (status == PELT_OK)
        status = pelt_world_create(&def, &world, &err);
    if (status == PELT_OK)
        status = play(world, hand, pose);
    else
        fprintf(stderr, "%s\n", err.text);
    pelt_world_destroy(world);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(hand);
    return (int)status;
}
