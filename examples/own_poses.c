/// Drives a skin from poses of your own, frame by frame, as a game or a physics engine does.
/// Here the first joint that has a parent joint swings to and fro.
///   example_own_poses hero.glb
#include <pelt/pelt.h>

#include <math.h>
#include <stdio.h>

/// Turns a node by `angle_rad` about its local z axis, on top of the transform it has in the file.
static void turn(PeltPose *pose, int node, float angle_rad)
{
    PeltTransform t = pelt_pose_get(pose, node);
    float s = sinf(angle_rad / 2), c = cosf(angle_rad / 2);
    const float *q = t.rotation;
    float turned[4] = {q[0] * c + q[1] * s, q[1] * c - q[0] * s, q[3] * s + q[2] * c, q[3] * c - q[2] * s};
    for (int k = 0; k < 4; k++)
        t.rotation[k] = turned[k];
    pelt_pose_set(pose, node, t);
}

int main(int argc, char **argv)
{
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: %s CHARACTER.glb\n", argv[0]);
        return 1;
    }
    PeltStatus status = pelt_character_load(argv[1], NULL, &who, &err);
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "dqs";
    if (status == PELT_OK)
        status = pelt_skin_create(&def, who, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, &err);
    if (status == PELT_OK) {
        int count = pelt_character_info(who).joint_count;
        int node = pelt_character_joint_node(who, count > 1 ? 1 : 0);
        double slowest_ms = 0;
        for (int frame = 0; frame < 120 && node >= 0; frame++) {
            pelt_pose_reset(pose);
            turn(pose, node, 0.8f * sinf((float)frame * 0.1f));
            PeltStepInfo info;
            pelt_skin_step(skin, pose, 1.0f / 60, &info);
            slowest_ms = fmax(slowest_ms, info.ms);
        }
        printf("120 frames of %s, slowest %.3f ms\n", pelt_character_node_name(who, node), slowest_ms);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return (int)status;
}
