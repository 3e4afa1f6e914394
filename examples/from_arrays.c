/// A character from arrays, posed by matrices, as a host does that holds its own meshes.
/// Here it is a bar of two joints in centimetres, z up, whose upper half bends. Options change, the skin is pulled,
/// and a state is kept and taken back.
///   example_from_arrays
#include <pelt/pelt.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 21, CORNERS = 8, POINTS = RINGS * CORNERS };

static float points[POINTS][3], weights[POINTS][2];
static int joints_of[POINTS][2], corners[(RINGS - 1) * CORNERS * 4 + 2 * CORNERS], sizes[(RINGS - 1) * CORNERS + 2];

/// A round bar from (0, 0, 0) to (0, 0, 100): quads around, one face of eight corners at each end.
static int make_bar(void)
{
    int face = 0, corner = 0;
    for (int p = 0; p < POINTS; p++) {
        float angle = 6.2831853f * (float)(p % CORNERS) / CORNERS, z = 100.0f * (float)(p / CORNERS) / (RINGS - 1);
        float upper = fminf(fmaxf((z - 40) / 20, 0), 1);
        points[p][0] = 8 * cosf(angle), points[p][1] = 8 * sinf(angle), points[p][2] = z;
        joints_of[p][1] = 1;
        weights[p][0] = 1 - upper, weights[p][1] = upper;
    }
    for (int r = 0; r + 1 < RINGS; r++)
        for (int c = 0; c < CORNERS; c++) {
            int a = r * CORNERS + c, b = r * CORNERS + (c + 1) % CORNERS;
            const int quad[4] = {a, b, b + CORNERS, a + CORNERS};
            memcpy(corners + corner, quad, sizeof quad);
            corner += 4;
            sizes[face++] = 4;
        }
    for (int end = 0; end < 2; end++, sizes[face++] = CORNERS)
        for (int c = 0; c < CORNERS; c++)
            corners[corner++] = end ? POINTS - CORNERS + c : CORNERS - 1 - c;
    return face;
}

static PeltStatus create(PeltCharacter **who, PeltError *err)
{
    const PeltJointDef joints[2] = {{"lower", -1, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                                    {"upper", 0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 50, 0, 0, 0, 1}}};
    const PeltMeshDef mesh = {.name = "bar",
                              .point_count = POINTS,
                              .points = points[0],
                              .face_count = make_bar(),
                              .face_sizes = sizes,
                              .corners = corners,
                              .influences = 2,
                              .weight_joints = joints_of[0],
                              .weight_values = weights[0]};
    PeltCharacterDef def = pelt_character_def_default();
    def.joints = joints, def.joint_count = 2;
    def.meshes = &mesh, def.mesh_count = 1;
    def.up = PELT_UP_Z, def.unit_m = 0.01f;
    return pelt_character_create(&def, who, err);
}

/// The upper half turned about x by an angle: matrices of both joints, by rows, host space.
static void bend(PeltPose *pose, float angle)
{
    float c = cosf(angle), s = sinf(angle);
    const float matrices[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                   {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 50, 0, 0, 0, 1}};
    pelt_pose_set_matrices(pose, matrices[0], 2);
}

static PeltStatus play(PeltSkin *skin, PeltPose *pose, PeltError *err)
{
    int anchor;
    size_t size = pelt_skin_state_size(skin);
    void *state = malloc(size);
    if (!state)
        return PELT_FAILED;
    for (int f = 0; f <= 30; f++) {
        bend(pose, 1.8f * (float)f / 30);
        pelt_skin_step(skin, pose, 1.0f / 30, NULL);
        if (f == 15)
            pelt_skin_state_save(skin, state, size); // to come back to
    }
    const float *x = pelt_skin_positions(skin) + 3 * (POINTS - 1), pull[3] = {5, 0, 0};
    printf("bent: the last point is at (%.2f %.2f %.2f) cm\n", (double)x[0], (double)x[1], (double)x[2]);
    PeltStatus status = pelt_skin_state_restore(skin, state, size, err);
    free(state);
    if (status == PELT_OK)
        status = pelt_skin_set(skin, "iterations", "20", err); // live
    if (status == PELT_OK)
        status = pelt_skin_anchor_add(skin, POINTS - 1, 0.1f, &anchor, err);
    if (status != PELT_OK)
        return status;
    pelt_skin_anchor_pull(skin, anchor, pull, 1);
    bend(pose, 0.9f);
    pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    x = pelt_skin_positions(skin) + 3 * (POINTS - 1);
    printf("back half way and pulled by 5: (%.2f %.2f %.2f) cm\n", (double)x[0], (double)x[1], (double)x[2]);
    return PELT_OK;
}

int main(void)
{
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltRigJoint joint = pelt_rig_joint_default("upper");
    joint.operator_name = "bulge";
    const PeltRig rig = {.joint_count = 1, .joints = &joint};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "tracking";
    def.rig = &rig;
    PeltStatus status = create(&who, &err);
    if (status == PELT_OK)
        status = pelt_skin_create(&def, who, &skin, &err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, &err);
    if (status == PELT_OK)
        status = play(skin, pose, &err);
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(who);
    return (int)status;
}
