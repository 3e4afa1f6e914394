/// The Jacobian of the skin agrees with differences, and joints give way as their stiffness says.
#include "chain.h"
#include "contact/skin.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// A chain of three bones in a tube, bent and turned, with smooth weights.
static PeltiCharacter *bent_chain(PeltiWeights *w)
{
    int n = make_tube(4, 0.4f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){3, 0, 1.4f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, who->mesh->vertex_count * 4);
    float *weight = PELTI_NEW(&who->pool, float, who->mesh->vertex_count * 4);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float x = who->mesh->rest[v].x / 1.4f, sum = 0;
        for (int b = 0; b < 3; b++) {
            bone[4 * v + b] = b;
            sum += weight[4 * v + b] = expf(-3 * (x - (float)b - 0.5f) * (x - (float)b - 0.5f));
        }
        for (int b = 0; b < 3; b++)
            weight[4 * v + b] /= sum;
    }
    *w = (PeltiWeights){4, bone, weight};
    return who;
}

static PeltiContactSkin make_skin(PeltiCharacter *who, const PeltiWeights *w, float root_stiffness)
{
    PeltScene scene = pelt_scene_default();
    PeltSceneJoint joints[] = {{NULL, "bone1", 5, false}};
    scene.joints = joints, scene.joint_count = 1, scene.root_stiffness = root_stiffness;
    PeltiContactSkin skin;
    PeltError err = {0};
    PeltiContactSkinDef def = {.who = who, .weights = w, .scene = &scene, .name = "character"};
    if (pelti_contact_skin_init(&skin, &who->pool, &def, &err) != PELT_OK)
        fail_msg("%s", err.text);
    for (int b = 0; b < 3; b++)
        skin.pose.free.local[b].rotation =
            quat_axis_angle(vec3_normalize_or(vec3(0.3f, 1, 0.2f * (float)b), vec3(1, 0, 0)), 0.5f + 0.3f * (float)b);
    skin.pose.free.local[0].translation = vec3(1, 2, 3);
    skin.joints[1].turn[2] = 0.2; // about a corrected pose, too
    pelti_contact_skin_pose(&skin);
    return skin;
}

static void jacobian_agrees_with_finite_differences(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltiCharacter *who = bent_chain(&w);
    PeltiContactSkin skin = make_skin(who, &w, 300);
    int slots = pelti_contact_skin_slots(&skin), n = who->mesh->vertex_count;
    assert_int_equal(slots, 4);
    assert_true(skin.joints[1].stiffness == 5 && skin.joints[0].stiffness > skin.joints[2].stiffness &&
                skin.joints[2].stiffness > 0);
    Vec3 *high = calloc((size_t)n, sizeof(Vec3)), *low = calloc((size_t)n, sizeof(Vec3));
    double u[4][3], v[4][3], worst = 0, largest = 0;
    pelti_contact_skin_get(&skin, u);
    for (int slot = 0; slot < slots; slot++)
        for (int axis = 0; axis < 3; axis++) {
            double step = 1e-2 * (slot < 3 ? sqrt(skin.joints[slot].stiffness) : sqrt(300.0));
            for (int side = 0; side < 2; side++) {
                PeltiContactSkin moved = skin;
                PeltiGive joints[3];
                memcpy(joints, skin.joints, sizeof joints);
                moved.joints = joints;
                memcpy(v, u, sizeof u);
                v[slot][axis] += side ? -step : step;
                pelti_contact_skin_set(&moved, (const double(*)[3])v);
                pelti_contact_skin_pose(&moved);
                pelti_contact_skin_place(&moved, moved.pose.bones, side ? low : high);
            }
            pelti_contact_skin_pose(&skin);
            for (int i = 0; i + 40 < n; i += 7) {
                PeltiSurfaceSpot spot = {{i, i + 20, i + 40}, {0.2, 0.3, 0.5}, 0};
                PeltiContactBlock blocks[5];
                int count = pelti_contact_skin_blocks(&skin, &spot, blocks);
                Vec3 a = pelti_contact_spot_point(&spot, high), b = pelti_contact_spot_point(&spot, low);
                double difference[3] = {(double)(a.x - b.x) / (2 * step), (double)(a.y - b.y) / (2 * step),
                                        (double)(a.z - b.z) / (2 * step)};
                for (int r = 0; r < 3; r++) {
                    double analytic = 0;
                    for (int k = 0; k < count; k++)
                        analytic += blocks[k].slot == slot ? blocks[k].j[r][axis] : 0;
                    largest = fmax(largest, fabs(analytic));
                    worst = fmax(worst, fabs(analytic - difference[r]));
                }
            }
        }
    if (skin.joints[1].turn[2] == 0 || !(worst < 1e-4 * largest))
        fail_msg("largest entry %g, worst difference %g", largest, worst);
    free(high);
    free(low);
    pelti_character_destroy(who);
}

static void halving_the_stiffness_doubles_the_turn(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltiCharacter *who = bent_chain(&w);
    PeltiContactSkin skin = make_skin(who, &w, 0);
    PeltiSurfaceSpot spot = {{300, 300, 300}, {1, 0, 0}, 0};
    double turned[2];
    for (int round = 0; round < 2; round++) {
        PeltiContactBlock blocks[5];
        double u[4][3] = {{0}};
        pelti_contact_skin_soften(&skin);
        int count = pelti_contact_skin_blocks(&skin, &spot, blocks);
        for (int k = 0; k < count; k++)
            for (int c = 0; c < 3; c++) // u = J^T f, f = (0, 0.1, 0)
                u[blocks[k].slot][c] += 0.1 * blocks[k].j[1][c];
        PeltiContactSkin moved = skin;
        PeltiGive joints[3];
        memcpy(joints, skin.joints, sizeof joints);
        moved.joints = joints;
        pelti_contact_skin_set(&moved, (const double(*)[3])u);
        turned[round] = sqrt(joints[1].turn[0] * joints[1].turn[0] + joints[1].turn[1] * joints[1].turn[1] +
                             joints[1].turn[2] * joints[1].turn[2]);
        skin.joints[1].stiffness /= 2;
    }
    assert_true(turned[0] > 1e-4);
    CHECK_NEAR(turned[1] / turned[0], 2, 1e-9);
    pelti_character_destroy(who);
}

static void the_shown_skin_is_what_is_placed(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltiCharacter *who = bent_chain(&w);
    PeltiContactSkin skin = make_skin(who, &w, 0);
    Vec3 shown[TUBE_POINTS], x[TUBE_POINTS];
    pelti_contact_skin_place(&skin, skin.pose.bones, x);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        shown[v] = vec3_add(x[v], vec3(0.01f * sinf((float)v), 0.02f, 0));
    pelti_contact_skin_shown(&skin, shown, 1);
    pelti_contact_skin_place(&skin, skin.pose.bones, x);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        assert_true(vec3_distance(x[v], shown[v]) < 1e-4f);
    pelti_character_destroy(who);
}

static void a_pose_that_is_tried_is_that_of_its_turns_and_leaves_the_corrected_one(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltiCharacter *who = bent_chain(&w);
    PeltiContactSkin skin = make_skin(who, &w, 300);
    skin.root.shift[1] = 0.3;
    pelti_contact_skin_pose(&skin);
    PeltiContactSkinTrial trial = {pelti_pose_new(&who->pool, who), PELTI_NEW(&who->pool, PeltiNodeMatrix, who->node_count),
                                   PELTI_NEW(&who->pool, Mat34, who->bone_count)};
    Mat34 corrected[3];
    double turn[3][3];
    size_t bytes = sizeof(Mat34) * (size_t)who->bone_count;
    assert_true(bytes == sizeof corrected && skin.joint_count == 3);
    memcpy(corrected, skin.pose.bones, bytes);
    for (int j = 0; j < 3; j++)
        memcpy(turn[j], skin.joints[j].turn, sizeof turn[j]);
    pelti_contact_skin_try(&skin, (const double(*)[3])turn, &trial);
    assert_memory_equal(trial.bones, corrected, bytes);
    pelti_contact_skin_try(&skin, NULL, &trial);
    assert_memory_equal(skin.pose.bones, corrected, bytes);
    assert_true(skin.joints[1].turn[2] == 0.2 && memcmp(trial.bones, corrected, bytes) != 0);
    skin.joints[1].turn[2] = 0; // what NULL says
    pelti_contact_skin_pose(&skin);
    assert_memory_equal(trial.bones, skin.pose.bones, bytes);
    pelti_character_destroy(who);
}

static void the_root_shifts_unless_it_is_held(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        PeltiWeights w;
        PeltiCharacter *who = bent_chain(&w);
        PeltScene scene = pelt_scene_default();
        PeltSceneJoint joints[] = {{NULL, "bone0", 0, true}};
        scene.joints = joints, scene.joint_count = held;
        PeltiContactSkin skin;
        PeltError err = {0};
        PeltiContactSkinDef def = {.who = who, .weights = &w, .scene = &scene, .name = "character"};
        if (pelti_contact_skin_init(&skin, &who->pool, &def, &err) != PELT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(pelti_contact_skin_slots(&skin), held ? 2 : 4);
        assert_true(held ? skin.root.stiffness == 0 : skin.root.stiffness > 0);
        pelti_character_destroy(who);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jacobian_agrees_with_finite_differences),
                                       cmocka_unit_test(halving_the_stiffness_doubles_the_turn),
                                       cmocka_unit_test(the_shown_skin_is_what_is_placed),
                                       cmocka_unit_test(a_pose_that_is_tried_is_that_of_its_turns_and_leaves_the_corrected_one),
                                       cmocka_unit_test(the_root_shifts_unless_it_is_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
