/// Joints stiffen by how much farther they swing skin than contacts ask; cuts of a limb that no clip bends are no joints.
#include "chain.h"
#include "contact/bends.h"
#include "contact/constants.def"
#include "contact/swing.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

/// A tube of length 3 along x on two bones with their joints at 0 and 1.5, each point on one of them.
static PeltiCharacter *arm(PeltiWeights *w)
{
    int n = make_tube(3, 0.2f, p, t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who = make_chain((ChainBones){2, 0, 1.5f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    int *bone = PELTI_NEW(&who->pool, int, who->mesh->vertex_count);
    float *weight = PELTI_NEW(&who->pool, float, who->mesh->vertex_count);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        bone[v] = who->mesh->rest[v].x > 1.5f, weight[v] = 1;
    *w = (PeltiWeights){1, bone, weight};
    return who;
}

static int vertex_at(const PeltiMesh *mesh, float x)
{
    int best = 0;
    for (int v = 1; v < mesh->vertex_count; v++)
        best = fabsf(mesh->rest[v].x - x) < fabsf(mesh->rest[best].x - x) ? v : best;
    return best;
}

/// One solve that turned the first joint by `angle` for a contact at x with a wall of this normal; how firm the joints are after
/// it.
static void solve_against(PeltiContactSkin *skin, PeltiSwing *swing, double angle, float x, Vec3 normal)
{
    skin->joints[0].turn[2] = angle;
    pelti_contact_skin_pose(skin);
    pelti_swing_begin(swing, skin);
    PeltiContactTouch touch = {.normal = normal, .spot_a = {.vertex = {vertex_at(skin->who->mesh, x)}, .weight = {1}}};
    pelti_swing_contact(swing, skin, &touch);
    pelti_swing_end(swing, skin, 0.01);
}

static void solve(PeltiContactSkin *skin, PeltiSwing *swing, double angle, float x)
{
    solve_against(skin, swing, angle, x, vec3(0, 1, 0));
}

static void a_joint_stiffens_by_what_it_swings_beyond_what_is_asked(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltError err = {0};
    PeltiCharacter *who = arm(&w);
    PeltScene scene = pelt_scene_default();
    PeltiContactSkin skin;
    PeltiSwing swing;
    PeltiContactSkinDef def = {.who = who, .weights = &w, .scene = &scene, .name = "character"};
    assert_int_equal(pelti_contact_skin_init(&skin, &who->pool, &def, &err), PELT_OK);
    assert_int_equal(pelti_swing_init(&swing, &who->pool, &skin, &err), PELT_OK);
    solve(&skin, &swing, 0.1, 3); // the contact is where it swings most: nothing is too far
    CHECK_NEAR(skin.joints[0].firm, 0, 0.03);
    solve(&skin, &swing, 0.1, 1);                      // the tip goes three times as far as the contact
    double asked = sin(0.1), went = 2 * sin(0.05) * 3; // along the normal; in all
    CHECK_NEAR(1 + skin.joints[0].firm, went / asked, 0.15);
    double once = 1 + skin.joints[0].firm;
    solve(&skin, &swing, 0.1, 0.2f); // some ten times: no more than its pace at once
    CHECK_NEAR((1 + skin.joints[0].firm) / once, SWING_PACE, 1e-9);
    for (int i = 0; i < 20; i++)
        solve(&skin, &swing, 0.1, 0.2f);
    CHECK_NEAR(1 + skin.joints[0].firm, FIRMEST, 1e-6);
    for (int i = 0; i < 20; i++) { // nothing touches any more: it softens, to what it was
        pelti_swing_begin(&swing, &skin);
        pelti_swing_end(&swing, &skin, 0.01);
    }
    CHECK_NEAR(skin.joints[0].firm, 0, 0);
    solve_against(&skin, &swing, 0.1, 3, vec3(0, 0, 1)); // dragged along a wall by friction: that is not asked
    CHECK_NEAR(1 + skin.joints[0].firm, SWING_PACE, 1e-9);
    PeltSceneJoint loose = {NULL, "bone0", 5, false}; // what a scene says of a joint is its last word
    scene.joints = &loose, scene.joint_count = 1;
    assert_int_equal(pelti_contact_skin_init(&skin, &who->pool, &def, &err), PELT_OK);
    solve(&skin, &swing, 0.1, 0.2f);
    CHECK_NEAR(skin.joints[0].firm, 0, 0);
    pelti_character_destroy(who);
}

/// A clip that turns a bone of a straight chain about `axis`.
static void turn_in_a_clip(PeltiCharacter *who, int node, Vec3 axis)
{
    static float times[2] = {0, 1};
    static Quat turns[2];
    turns[0] = quat_axis_angle(axis, 0);
    turns[1] = quat_axis_angle(axis, 1);
    PeltiChannel *channel = PELTI_NEW(&who->pool, PeltiChannel, 1);
    *channel = (PeltiChannel){
        .node = node, .path = PELTI_CHANNEL_ROTATION, .key_count = 2, .times = times, .values = &turns[0].x, .width = 4};
    who->clips = PELTI_NEW(&who->pool, PeltiClip, 1);
    who->clips[0] = (PeltiClip){.name = "turn", .duration_s = 1, .channel_count = 1, .channels = channel};
    who->clip_count = 1;
}

static void only_what_a_clip_bends_is_a_limb_of_its_own(void **state)
{
    (void)state;
    int n = make_tube(4, 0.2f, p, t, 0), points[] = {TUBE_POINTS}, limb[4];
    PeltError err = {0};
    for (int round = 0; round < 3; round++) {
        PeltiCharacter *who = make_chain((ChainBones){4, 0, 1}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
        PeltiPool work;
        pelti_pool_init(&work, NULL);
        if (round > 0) // about the bones: a twist; across them: a bend
            turn_in_a_clip(who, 2, round == 1 ? vec3(1, 0, 0) : vec3(0, 0, 1));
        assert_int_equal(pelti_contact_bone_limbs(who, &work, limb, &err), PELT_OK);
        for (int b = 0; b < 4; b++)
            assert_int_equal(limb[b], round < 2 ? b : b < 2 ? 0 : 2); // without any bend nothing is known: each its own
        pelti_pool_release(&work);
        pelti_character_destroy(who);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_stiffens_by_what_it_swings_beyond_what_is_asked),
        cmocka_unit_test(only_what_a_clip_bends_is_a_limb_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
