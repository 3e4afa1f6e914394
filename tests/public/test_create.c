/// Characters from arrays and poses from matrices: linear blending by the book, in any host's axes and units.
#include "check.h"

#include <pelt/pelt.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 60, RINGS = JOINTS + 1, POINTS = 4 * RINGS, FACES = 4 * JOINTS + 2 };

typedef struct Chain { ///< a square tube along a joint chain with scale and turns
    float points[POINTS][3], weights[POINTS][2];
    int joints_of[POINTS][2], sizes[FACES], corners[4 * FACES];
    char names[JOINTS][24];
    PeltJointDef joints[JOINTS];
    PeltMeshDef mesh;
    PeltCharacterDef def;
} Chain;

static void matrix(float m[16], float angle, float scale, const float at[3]) // a turn about (1, 2, 2) / 3
{
    const float a[3] = {1.0f / 3, 2.0f / 3, 2.0f / 3};
    float c = cosf(angle), s = sinf(angle);
    memset(m, 0, 16 * sizeof *m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            float cross = i == j ? 0 : (j == (i + 1) % 3 ? -a[(i + 2) % 3] : a[(i + 1) % 3]);
            m[4 * i + j] = scale * ((i == j ? c : 0) + (1 - c) * a[i] * a[j] + s * cross);
        }
    for (int i = 0; i < 3; i++)
        m[4 * i + 3] = at[i];
    m[15] = 1;
}

static void make(Chain *c)
{
    memset(c, 0, sizeof *c);
    for (int j = 0; j < JOINTS; j++) {
        const float at[3] = {0.02f * (float)j, 0.05f * (float)j, 0.01f * (float)j};
        snprintf(c->names[j], sizeof c->names[j], "joint %d", j);
        c->joints[j].name = c->names[j];
        c->joints[j].parent = j - 1;
        matrix(c->joints[j].rest, 0.3f * (float)j, 1, at);
    }
    for (int p = 0; p < POINTS; p++) {
        int ring = p / 4, joint = ring < JOINTS ? ring : JOINTS - 1;
        c->points[p][0] = 0.02f * (float)ring + (p % 4 == 0 || p % 4 == 3 ? -0.05f : 0.05f);
        c->points[p][1] = 0.05f * (float)ring;
        c->points[p][2] = 0.01f * (float)ring + (p % 4 < 2 ? -0.05f : 0.05f);
        c->joints_of[p][0] = joint, c->joints_of[p][1] = joint > 0 ? joint - 1 : 0;
        c->weights[p][0] = 0.7f, c->weights[p][1] = 0.3f;
    }
    for (int f = 0; f < FACES; f++) {
        int a = f / 4 * 4 + f % 4, b = f / 4 * 4 + (f + 1) % 4;
        const int side[4] = {a, a + 4, b + 4, b}, low[4] = {0, 1, 2, 3},
                  high[4] = {POINTS - 1, POINTS - 2, POINTS - 3, POINTS - 4};
        memcpy(c->corners + 4 * f, f < 4 * JOINTS ? side : f == 4 * JOINTS ? low : high, sizeof side);
        c->sizes[f] = 4;
    }
    c->mesh = (PeltMeshDef){"tube", POINTS, c->points[0], FACES, c->sizes, c->corners, 2, c->joints_of[0], c->weights[0]};
    c->def = pelt_character_def_default();
    c->def.joints = c->joints, c->def.joint_count = JOINTS;
    c->def.meshes = &c->mesh, c->def.mesh_count = 1;
}

static void apply(const float m[16], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)m[4 * i] * x[0] + (double)m[4 * i + 1] * x[1] + (double)m[4 * i + 2] * x[2] + (double)m[4 * i + 3];
}

/// Rest matrices are rotations and places: the inverse is the transposed.
static void blend(const Chain *c, float (*pose)[16], int p, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < 2; k++) {
        const float *r = c->joints[c->joints_of[p][k]].rest;
        double local[3], posed[3];
        for (int i = 0; i < 3; i++) {
            local[i] = 0;
            for (int j = 0; j < 3; j++)
                local[i] += (double)r[4 * j + i] * ((double)c->points[p][j] - (double)r[4 * j + 3]);
        }
        apply(pose[c->joints_of[p][k]], local, posed);
        for (int i = 0; i < 3; i++)
            out[i] += (double)c->weights[p][k] * posed[i];
    }
}

static void blending_is_by_the_book_in_any_axes_and_units(void **state)
{
    (void)state;
    static Chain c;
    static float pose_rows[JOINTS][16];
    for (int z_up = 0; z_up < 2; z_up++) {
        PeltCharacter *who = NULL;
        PeltSkin *skin = NULL;
        PeltPose *pose = NULL;
        PeltError err = {0};
        make(&c);
        c.def.up = z_up ? PELT_UP_Z : PELT_UP_Y;
        c.def.unit_m = z_up ? 0.01f : 1;
        if (pelt_character_create(&c.def, &who, &err) != PELT_OK)
            fail_msg("%s", err.text);
        PeltCharacterInfo info = pelt_character_info(who);
        assert_int_equal(info.point_count, POINTS);
        assert_int_equal(info.joint_count, JOINTS);
        assert_int_equal(info.triangle_count, 2 * FACES);
        assert_true(info.weights_sane && info.closed);
        assert_int_equal(pelt_character_warning_count(who), 0);
        PeltSkinDef def = pelt_skin_def_default();
        def.method = "lbs";
        assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
        assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
        pelt_skin_step(skin, pose, 0, NULL); // as created: the rest pose
        for (int i = 0; i < 3 * POINTS; i++)
            CHECK_NEAR(pelt_skin_positions(skin)[i], c.points[i / 3][i % 3], 1e-5);
        for (int j = 0; j < JOINTS; j++) { // far from rest, scaled evenly: nothing a pose cannot hold
            const float at[3] = {0.04f * (float)j, 3 + 0.01f * (float)(j % 7), -0.03f * (float)j};
            matrix(pose_rows[j], 1 + 0.7f * (float)j, 1.2f, at);
        }
        assert_true(pelt_pose_set_matrices(pose, pose_rows[0], JOINTS) < 1e-5f);
        pelt_skin_step(skin, pose, 0, NULL);
        for (int p = 0; p < POINTS; p++) {
            double expected[3];
            blend(&c, pose_rows, p, expected);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(pelt_skin_positions(skin)[3 * p + i], expected[i], 1e-5);
        }
        const float mirrored[16] = {-2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1}, flat[16] = {0};
        float x = pelt_skin_positions(skin)[0], y = pelt_skin_positions(skin)[1];
        assert_int_equal(pelt_skin_output(skin, mirrored, &err), PELT_OK);
        CHECK_NEAR(pelt_skin_positions(skin)[0], -2 * x, 1e-5);
        CHECK_NEAR(pelt_skin_positions(skin)[1], 2 * y + 1, 1e-5);
        assert_int_equal(pelt_skin_output(skin, flat, &err), PELT_BAD_ARGUMENT);
        assert_int_equal(pelt_skin_output(skin, NULL, &err), PELT_OK);
        CHECK_NEAR(pelt_skin_positions(skin)[0], x, 1e-6);
        pose_rows[3][5] = NAN; // that joint keeps to its parent; nothing else is harmed
        pelt_pose_set_matrices(pose, pose_rows[0], JOINTS);
        PeltStepInfo step;
        pelt_skin_step(skin, pose, 0, &step);
        assert_int_equal(step.nonfinite, 0);
        pelt_pose_destroy(pose);
        pelt_skin_destroy(skin);
        pelt_character_destroy(who);
    }
}

static void shear_is_told(void **state)
{
    (void)state;
    static Chain c;
    static float rows[JOINTS][16];
    PeltCharacter *who = NULL;
    PeltPose *pose = NULL;
    make(&c);
    assert_int_equal(pelt_character_create(&c.def, &who, NULL), PELT_OK);
    assert_int_equal(pelt_pose_create(who, &pose, NULL), PELT_OK);
    for (int j = 0; j < JOINTS; j++)
        memcpy(rows[j], c.joints[j].rest, sizeof rows[j]);
    rows[5][1] += 0.5f;
    float lost = pelt_pose_set_matrices(pose, rows[0], JOINTS);
    assert_true(lost > 0.05f && lost < 0.5f);
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
}

/// Makes fault number `k`.
static void spoil(Chain *c, size_t k)
{
    switch (k) {
    case 0:
        c->def.joint_count = 0;
        break;
    case 1:
        c->joints[3].name = NULL;
        break;
    case 2:
        c->joints[3].parent = JOINTS;
        break;
    case 3:
        c->joints[0].parent = JOINTS - 1;
        break;
    case 4:
        memset(c->joints[2].rest, 0, sizeof c->joints[2].rest);
        break;
    case 5:
        c->joints[2].rest[12] = 4;
        break; // by columns
    case 6:
        c->def.mesh_count = 0;
        break;
    case 7:
        c->mesh.point_count = 0;
        break;
    case 8:
        c->points[7][1] = INFINITY;
        break;
    case 9:
        c->sizes[2] = 2;
        break;
    case 10:
        c->corners[9] = 999;
        break;
    case 11:
        c->joints_of[4][0] = -1;
        break;
    case 12:
        c->mesh.weight_joints = NULL;
        break;
    case 13:
        c->def.unit_m = 0;
        break;
    case 14:
        c->mesh.face_count = -1;
        break;
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static Chain c;
    static const char *const words[] = {"joints",      "no name",  "parent",      "cycle",      "rest matrix",
                                        "rest matrix", "mesh",     "0 points",    "not finite", "corners",
                                        "point 999",   "joint -1", "their lists", "unit_m",     "-1 faces"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        PeltCharacter *who = NULL;
        PeltError err = {0};
        make(&c);
        spoil(&c, k);
        PeltStatus status = pelt_character_create(&c.def, &who, &err);
        assert_true(status == PELT_BAD_INPUT || (status == PELT_BAD_ARGUMENT && k == 13));
        assert_null(who);
        if (!strstr(err.text, words[k]))
            fail_msg("'%s' was expected in: %s", words[k], err.text);
    }
}

static void rows_without_use_are_mended_and_no_weights_are_made(void **state)
{
    (void)state;
    static Chain c;
    PeltCharacter *who = NULL;
    make(&c);
    for (int p = 0; p < 8; p++)
        c.weights[p][0] = p < 4 ? NAN : 0, c.weights[p][1] = p < 4 ? 1 : 0;
    assert_int_equal(pelt_character_create(&c.def, &who, NULL), PELT_OK);
    assert_string_equal(pelt_character_warning(who, 0)->code, "weights-mended");
    pelt_character_destroy(who);
    make(&c);
    c.mesh.influences = 0;
    assert_int_equal(pelt_character_create(&c.def, &who, NULL), PELT_OK);
    assert_int_equal(pelt_character_info(who).influences, 0);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blending_is_by_the_book_in_any_axes_and_units),
        cmocka_unit_test(shear_is_told),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(rows_without_use_are_mended_and_no_weights_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
