/// Reads positions, normals and triangles without a copy: what you would hand to a graphics library each frame.
///   example_zero_copy hero.glb
#include <pelt/pelt.h>

#include <stdio.h>

/// Stands for an upload to the graphics card: bounds of the interleaved x,y,z positions.
static void upload(const float *positions, const float *normals, int point_count, const int *triangles, int triangle_count)
{
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
    for (int p = 0; p < point_count; p++)
        for (int k = 0; k < 3; k++) {
            float x = positions[3 * p + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    printf("%d points, %d triangles, from (%g %g %g) to (%g %g %g), first normal (%g %g %g)\n", point_count, triangle_count,
           (double)low[0], (double)low[1], (double)low[2], (double)high[0], (double)high[1], (double)high[2],
           point_count ? (double)normals[0] : 0, point_count ? (double)normals[1] : 0, point_count ? (double)normals[2] : 0);
    (void)triangles;
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
    def.method = "lbs";
    if (status == PELT_OK)
        status = pelt_skin_create(&def, who, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, &err);
    if (status == PELT_OK) {
        int triangle_count;
        const int *triangles = pelt_character_triangles(who, &triangle_count);
        int points = pelt_character_info(who).point_count;
        for (int frame = 0; frame < 3; frame++) {
            pelt_pose_from_clip(pose, 0, frame / 30.0);
            pelt_skin_step(skin, pose, 1.0f / 30, NULL);
            upload(pelt_skin_positions(skin), pelt_skin_normals(skin), points, triangles, triangle_count);
        }
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return (int)status;
}
