/// A point of the skin is pulled live by an anchor, let go, and the result handed out in a host's own space (centimetres, z up).
///   example_pull_skin hero.glb
#include <pelt/pelt.h>

#include <stdio.h>

/// Height of a point as the host has it, where z is up.
static float height(const PeltSkin *skin, int point)
{
    return pelt_skin_positions(skin)[3 * point + 2];
}

static PeltStatus pull(PeltSkin *skin, const PeltPose *pose, float size, PeltError *err)
{
    static const float to_host[16] = {100, 0, 0, 0, 0, 0, -100, 0, 0, 100, 0, 0, 0, 0, 0, 1}; // metres, y up -> centimetres, z up
    const float up[3] = {0, 0.1f * size, 0};
    int anchor, point = 0;
    PeltStatus status = pelt_skin_output(skin, to_host, err);
    if (status == PELT_OK)
        status = pelt_skin_anchor_add(skin, point, 0.2f, &anchor, err); // its pull fades over a fifth of the size
    if (status != PELT_OK)
        return status;
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    float before = height(skin, point);
    pelt_skin_anchor_pull(skin, anchor, up, 1);
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    printf("pulled: point %d is %.2f higher\n", point, (double)(height(skin, point) - before));
    pelt_skin_anchor_let_go(skin, anchor);
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    printf("let go: %.2f\n", (double)(height(skin, point) - before));
    return PELT_OK;
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
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "lbs";
    PeltStatus status = pelt_character_load(argv[1], NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_skin_create(&def, who, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, &err);
    if (status == PELT_OK)
        status = pull(skin, pose, pelt_character_info(who).size, &err);
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return (int)status;
}
