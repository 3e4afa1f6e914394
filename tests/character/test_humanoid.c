/// Names of the usual rigs, as their exporters write them.
#include "check.h"

#include "character/humanoid.h"
#include "character/skeleton.h"

#include <stdlib.h>
#include <string.h>

/// A chain of nodes by these names, one below the other.
static PeltiCharacter *named(const char *const *names)
{
    PeltiCharacter *who = pelti_character_create(NULL);
    assert_non_null(who);
    int count = 0;
    while (names[count])
        count++;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, count);
    for (int n = 0; n < count; n++)
        who->nodes[n] = (PeltiNode){.name = names[n], .parent = n - 1, .trs = trs_identity()};
    who->node_count = count;
    assert_int_equal(pelti_skeleton_order(who, NULL), PELT_OK);
    return who;
}

typedef struct Rig {
    const char *convention;
    const char *names[40];
    int spine, neck; ///< joints of the chains
} Rig;

// The order of PARTS below: hips, spines, necks, head, then left collar, upper arm, lower arm, hand, upper leg, lower leg, foot,
// toes, the index finger, and after them words that must not be taken for a part.
static const Rig RIGS[] = {
    {"Mixamo",
     {"mixamorig:Hips",           "mixamorig:Spine",          "mixamorig:Spine1",
      "mixamorig:Spine2",         "mixamorig:Neck",           "mixamorig:Head",
      "mixamorig:LeftShoulder",   "mixamorig:LeftArm",        "mixamorig:LeftForeArm",
      "mixamorig:LeftHand",       "mixamorig:LeftUpLeg",      "mixamorig:LeftLeg",
      "mixamorig:LeftFoot",       "mixamorig:LeftToeBase",    "mixamorig:LeftHandIndex1",
      "mixamorig:LeftHandIndex2", "mixamorig:LeftHandIndex3", "mixamorig:HeadTop_End",
      "mixamorig:LeftHandIndex4", "mixamorig:LeftToe_End",    NULL},
     3,
     1},
    {"VRM",
     {"hips",
      "spine",
      "chest",
      "upperChest",
      "neck",
      "head",
      "leftShoulder",
      "leftUpperArm",
      "leftLowerArm",
      "leftHand",
      "leftUpperLeg",
      "leftLowerLeg",
      "leftFoot",
      "leftToes",
      "leftIndexProximal",
      "leftIndexIntermediate",
      "leftIndexDistal",
      "leftEye",
      "jaw",
      NULL},
     3,
     1},
    {"VRM",
     {"J_Bip_C_Hips",     "J_Bip_C_Spine",    "J_Bip_C_Chest",    "J_Bip_C_UpperChest", "J_Bip_C_Neck",
      "J_Bip_C_Head",     "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",   "J_Bip_L_Hand",
      "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot",     "J_Bip_L_ToeBase",    "J_Bip_L_Index1",
      "J_Bip_L_Index2",   "J_Bip_L_Index3",   "J_Sec_L_Bust1",    "J_Adj_L_FaceEye",    NULL},
     3,
     1},
    {"Rigify",
     {"DEF-spine",           "DEF-spine.001",
      "DEF-spine.002",       "DEF-spine.003",
      "DEF-spine.004",       "DEF-spine.005",
      "DEF-spine.006",       "DEF-shoulder.L",
      "DEF-upper_arm.L",     "DEF-forearm.L",
      "DEF-hand.L",          "DEF-thigh.L",
      "DEF-shin.L",          "DEF-foot.L",
      "DEF-toe.L",           "DEF-f_index.01.L",
      "DEF-f_index.02.L",    "DEF-f_index.03.L",
      "DEF-upper_arm.L.001", "DEF-pelvis.L",
      "ORG-spine",           "ORG-hand.L",
      "hand_ik.L",           "MCH-spine.001",
      "upper_arm_fk.L",      NULL},
     3,
     2},
    {"Unreal",
     {"pelvis",    "spine_01", "spine_02", "spine_03", "neck_01", "head",       "clavicle_l", "upperarm_l", "lowerarm_l",
      "hand_l",    "thigh_l",  "calf_l",   "foot_l",   "ball_l",  "index_01_l", "index_02_l", "index_03_l", "upperarm_twist_01_l",
      "ik_hand_l", "root",     NULL},
     3,
     1},
    {"MakeHuman",
     {"root",         "spine05",      "spine04",      "spine03",      "neck01",       "neck02",        "head",     "clavicle.L",
      "upperarm01.L", "lowerarm01.L", "wrist.L",      "upperleg01.L", "lowerleg01.L", "foot.L",        "toe2-1.L", "finger2-1.L",
      "finger2-2.L",  "finger2-3.L",  "upperarm02.L", "shoulder01.L", "pelvis.L",     "metacarpal1.L", NULL},
     3,
     2},
    {"3ds Max",
     {"Bip01 Pelvis",     "Bip01 Spine",  "Bip01 Spine1",     "Bip01 Spine2",
      "Bip01 Neck",       "Bip01 Head",   "Bip01 L Clavicle", "Bip01 L UpperArm",
      "Bip01 L Forearm",  "Bip01 L Hand", "Bip01 L Thigh",    "Bip01 L Calf",
      "Bip01 L Foot",     "Bip01 L Toe0", "Bip01 L Finger1",  "Bip01 L Finger11",
      "Bip01 L Finger12", "Bip01",        "Bip01 Footsteps",  NULL},
     3,
     1},
};

static void every_convention_is_known(void **state)
{
    (void)state;
    static const PeltiHumanoidPart left[] = {PELTI_HUMANOID_CLAVICLE, PELTI_HUMANOID_UPPER_ARM, PELTI_HUMANOID_LOWER_ARM,
                                             PELTI_HUMANOID_HAND,     PELTI_HUMANOID_UPPER_LEG, PELTI_HUMANOID_LOWER_LEG,
                                             PELTI_HUMANOID_FOOT,     PELTI_HUMANOID_TOES};
    for (size_t r = 0; r < sizeof RIGS / sizeof *RIGS; r++) {
        PeltiCharacter *who = named(RIGS[r].names);
        PeltiHumanoid h = pelti_humanoid_find(who, NULL, NULL);
        int at = 0;
        assert_string_equal(h.convention, RIGS[r].convention);
        assert_int_equal(h.node[PELTI_HUMANOID_HIPS][0][0], at++);
        assert_int_equal(h.count[PELTI_HUMANOID_SPINE][0], RIGS[r].spine);
        for (int i = 0; i < RIGS[r].spine; i++)
            assert_int_equal(h.node[PELTI_HUMANOID_SPINE][0][i], at++);
        assert_int_equal(h.count[PELTI_HUMANOID_NECK][0], RIGS[r].neck);
        for (int i = 0; i < RIGS[r].neck; i++)
            assert_int_equal(h.node[PELTI_HUMANOID_NECK][0][i], at++);
        assert_int_equal(h.node[PELTI_HUMANOID_HEAD][0][0], at++);
        for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
            assert_int_equal(h.count[left[i]][0], 1);
            assert_int_equal(h.count[left[i]][1], 0);
            assert_int_equal(h.node[left[i]][0][0], at++);
        }
        assert_int_equal(h.count[PELTI_HUMANOID_INDEX][0], 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(h.node[PELTI_HUMANOID_INDEX][0][i], at++);
        assert_int_equal(h.found, at); // nothing else was taken for a part
        pelti_character_destroy(who);
    }
}

/// "Shoulder" is the collar bone where an arm follows, and the arm where a collar bone comes before it.
static void words_mean_what_their_rig_means(void **state)
{
    (void)state;
    static const char *const bvh[] = {"Hips",         "Chest",       "Neck",          "Head",       "LeftCollar",
                                      "LeftShoulder", "LeftElbow",   "LeftWrist",     "LeftHip",    "LeftKnee",
                                      "LeftAnkle",    "RightCollar", "RightShoulder", "RightElbow", NULL};
    static const char *const poser[] = {"hip",      "abdomen", "chest",  "neck",  "head",  "lCollar", "lShldr",
                                        "lForeArm", "lHand",   "lThigh", "lShin", "lFoot", "rShldr",  NULL};
    PeltiCharacter *who = named(bvh);
    PeltiHumanoid h = pelti_humanoid_find(who, NULL, NULL);
    assert_string_equal(h.convention, "BVH");
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_ARM][0][0], 5);
    assert_int_equal(h.node[PELTI_HUMANOID_CLAVICLE][0][0], 4);
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_LEG][0][0], 8);
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_ARM][1][0], 12);
    pelti_character_destroy(who);
    who = named(poser);
    h = pelti_humanoid_find(who, NULL, NULL);
    assert_string_equal(h.convention, "Poser");
    assert_int_equal(h.node[PELTI_HUMANOID_HIPS][0][0], 0);
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_ARM][0][0], 6);
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_ARM][1][0], 12);
    pelti_character_destroy(who);
}

/// What a file says of its joints stands above their names; nodes that may not be used are nobody.
static void said_names_go_first(void **state)
{
    (void)state;
    static const char *const names[] = {"hips", "a", "b", "head", NULL};
    static const char *const said[] = {NULL, "hips", "leftUpperArm", NULL};
    static const bool usable[] = {true, true, false, true};
    PeltiCharacter *who = named(names);
    PeltiHumanoid h = pelti_humanoid_find(who, said, NULL);
    assert_int_equal(h.found, 2);
    assert_int_equal(h.node[PELTI_HUMANOID_HIPS][0][0], 1);
    assert_int_equal(h.node[PELTI_HUMANOID_UPPER_ARM][0][0], 2);
    h = pelti_humanoid_find(who, said, usable);
    assert_int_equal(h.found, 1);
    assert_false(pelti_humanoid_is(&h)); // one joint with a name is no humanoid
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_convention_is_known),
                                       cmocka_unit_test(words_mean_what_their_rig_means), cmocka_unit_test(said_names_go_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
