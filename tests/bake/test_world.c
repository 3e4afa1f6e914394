/// include/pelt/world.h from outside: poses of one's own, frame by frame.
#include "check.h"

#include <pelt/tools.h>

#include <math.h>
#include <string.h>

static PeltCharacter *hand;
static PeltSkin *skin;
static PeltPose *pose;

static int set_up(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltMakeDef make = pelt_make_def_default();
    make.name = "hand", make.vertices = 1000, make.threads = 1;
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "dqs", def.threads = 1;
    if (pelt_make_character(&make, &hand, &err) != PELT_OK || pelt_skin_create(&def, hand, &skin, &err) != PELT_OK ||
        pelt_pose_create(hand, &pose, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelt_character_destroy(hand);
    return 0;
}

static PeltWorld *world_of(const PeltScene *scene)
{
    PeltWorldDef def = pelt_world_def_default();
    PeltError err = {0};
    PeltWorld *world;
    def.scene = scene, def.skins = &skin, def.skin_count = 1;
    pelt_skin_restart(skin);
    if (pelt_world_create(&def, &world, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return world;
}

static double step(PeltWorld *world, double time_s, PeltWorldInfo *info)
{
    pelt_pose_from_clip(pose, pelt_character_clip_find(hand, "grasp"), time_s);
    pelt_world_step(world, (const PeltPose *const[]){pose}, 1 / 30.0f, info);
    return (double)pelt_world_object(world, 0).centre[1];
}

static void a_ball_is_picked_up_live(void **state)
{
    (void)state;
    PeltSceneObject o[2] = {pelt_scene_object_default(), pelt_scene_object_default()};
    o[0].name = "ball", o[0].shape = PELT_SHAPE_SPHERE, o[0].size[0] = 0.025f, o[0].density = 500, o[0].detail = 40;
    memcpy(o[0].position, (float[3]){-0.163f, -0.063f, -0.0385f}, sizeof o[0].position);
    o[1].name = "peg", o[1].kind = PELT_OBJECT_FIXED, o[1].shape = PELT_SHAPE_CYLINDER, o[1].size[0] = 0.004f,
    o[1].size[1] = 0.2f;
    memcpy(o[1].position, (float[3]){-0.163f, -0.1882f, -0.0385f}, sizeof o[1].position);
    PeltScenePair slippery = {"character", "peg", 0, -1};
    PeltScene scene = pelt_scene_default();
    scene.objects = o, scene.object_count = 2, scene.pairs = &slippery, scene.pair_count = 1, scene.joint_stiffness = 2;
    PeltWorld *world = world_of(&scene);
    PeltWorldInfo info = {0};
    double start = step(world, 0, &info), low = INFINITY, high = -INFINITY, at = start;
    for (int f = 1; f <= 48 + 150; f++) {
        at = step(world, fmin(f / 30.0, 1.6), &info);
        if (f > 48) // held for five seconds
            low = fmin(low, at), high = fmax(high, at);
    }
    if (!(at - start > 0.08 && high - low < 1e-3 && info.converged && info.pushing >= 2))
        fail_msg("rose by %g, moved by %g while held, %d contacts push", at - start, high - low, info.pushing);
    double weight = 0; // the hand's forces carry the ball
    for (int i = 0; i < pelt_world_contact_count(world); i++) {
        PeltWorldContact c = pelt_world_contact(world, i);
        if (strcmp(c.a, "character") == 0 && strcmp(c.b, "ball") == 0)
            weight -= (double)c.force[1];
    }
    double expected = (double)pelt_world_object(world, 0).mass_kg * 9.81;
    CHECK_NEAR(weight, expected, 0.02 * expected);
    PeltPose *corrected;
    assert_int_equal(pelt_pose_create(hand, &corrected, NULL), PELT_OK);
    pelt_world_pose(world, 0, corrected);
    double turned = 0;
    for (int n = 0; n < pelt_character_info(hand).node_count; n++)
        for (int k = 0; k < 4; k++)
            turned = fmax(turned, fabs((double)(pelt_pose_get(corrected, n).rotation[k] - pelt_pose_get(pose, n).rotation[k])));
    assert_true(turned > 1e-3); // the fingers gave way
    pelt_pose_destroy(corrected);
    pelt_world_destroy(world);
}

/// A start in deep penetration: pushed out over frames at a bounded speed, and nothing explodes.
static void an_object_that_starts_inside_the_hand_leaves_it_slowly(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind += 2) {
        PeltSceneObject o = pelt_scene_object_default();
        o.name = "ball", o.shape = kind == 2 ? PELT_SHAPE_BOX : PELT_SHAPE_SPHERE, o.detail = 12, o.density = 500;
        o.size[0] = o.size[1] = o.size[2] = 0.03f;
        memcpy(o.position, (float[3]){-0.1f, -0.05f, -0.01f}, sizeof o.position); // in the palm
        PeltScene scene = pelt_scene_default();
        scene.objects = &o, scene.object_count = 1, scene.gravity[1] = 0;
        PeltWorld *world = world_of(&scene);
        PeltWorldInfo info;
        double fastest = 0, x[3] = {-0.1, -0.05, -0.01};
        for (int f = 0; f < 10; f++) {
            step(world, 0, &info);
            PeltWorldObject ball = pelt_world_object(world, 0);
            double centre[3] = {0, 0, 0}, moved = 0;
            for (int v = 0; v < ball.vertex_count; v++)
                for (int k = 0; k < 3; k++)
                    centre[k] += (double)ball.positions[3 * v + k] / ball.vertex_count;
            for (int k = 0; k < 3; k++)
                moved += (centre[k] - x[k]) * (centre[k] - x[k]), x[k] = centre[k];
            if (f > 0)
                fastest = fmax(fastest, 30 * sqrt(moved));
            for (int i = 0; i < pelt_character_info(hand).point_count * 3; i++)
                assert_true(fabs((double)pelt_skin_positions(skin)[i]) < 1);
        }
        if (!(fastest < 1.0)) // three hands a second
            fail_msg("kind %d: %g m/s", kind, fastest);
        pelt_world_destroy(world);
    }
}

static void two_skins_meet_and_wrong_counts_are_refused(void **state)
{
    (void)state;
    PeltSceneCharacter other = {.name = "other"};
    PeltScene scene = pelt_scene_default();
    scene.characters = &other, scene.character_count = 1;
    PeltWorldDef def = pelt_world_def_default();
    PeltError err = {0};
    PeltWorld *world;
    def.scene = &scene, def.skins = &skin, def.skin_count = 1;
    assert_int_equal(pelt_world_create(&def, &world, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "2 characters, 1 skins"));
    PeltSkinDef skin_def = pelt_skin_def_default();
    PeltSkin *both[2] = {skin, NULL};
    skin_def.method = "lbs";
    assert_int_equal(pelt_skin_create(&skin_def, hand, &both[1], &err), PELT_OK);
    def.skins = both, def.skin_count = 2;
    if (pelt_world_create(&def, &world, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltPose *second;
    assert_int_equal(pelt_pose_create(hand, &second, NULL), PELT_OK);
    int touching = 0, node = pelt_character_joint_node(hand, 0);
    for (int f = 0; f < 20; f++) { // the second hand comes down on the first
        PeltTransform t;
        PeltWorldInfo info;
        pelt_pose_from_clip(pose, pelt_character_clip_find(hand, "grasp"), 0);
        pelt_pose_from_clip(second, pelt_character_clip_find(hand, "grasp"), 0);
        t = pelt_pose_get(second, node);
        t.translation[1] += 0.16f - 0.005f * (float)f;
        pelt_pose_set(second, node, t);
        pelt_world_step(world, (const PeltPose *const[]){pose, second}, 1 / 30.0f, &info);
        touching += info.pushing > 0;
    }
    assert_true(touching > 3);
    pelt_pose_destroy(second);
    pelt_world_destroy(world);
    pelt_skin_destroy(both[1]);
    def.scene = NULL;
    assert_int_equal(pelt_world_create(&def, &world, &err), PELT_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_is_picked_up_live),
                                       cmocka_unit_test(an_object_that_starts_inside_the_hand_leaves_it_slowly),
                                       cmocka_unit_test(two_skins_meet_and_wrong_counts_are_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
