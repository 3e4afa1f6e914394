/// Motion from one skeleton to another: limbs point where those of the other point, whatever pose either rests in.
#include "check.h"

#include "character/retarget.h"
#include "character/skeleton.h"
#include "character/pose_math.h"

#include <string.h>

enum {
    HIPS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    L_ARM,
    L_ELBOW,
    L_HAND,
    R_ARM,
    R_ELBOW,
    R_HAND,
    L_LEG,
    L_KNEE,
    L_FOOT,
    R_LEG,
    R_KNEE,
    R_FOOT,
    COUNT
};

static const int PARENT[COUNT] = {-1,    HIPS,    SPINE, CHEST, NECK,   CHEST, L_ARM, L_ELBOW, CHEST,
                                  R_ARM, R_ELBOW, HIPS,  L_LEG, L_KNEE, HIPS,  R_LEG, R_KNEE};
static const char *const MIXAMO[COUNT] = {"Hips",        "Spine",    "Spine1",     "Neck",         "Head",      "LeftArm",
                                          "LeftForeArm", "LeftHand", "RightArm",   "RightForeArm", "RightHand", "LeftUpLeg",
                                          "LeftLeg",     "LeftFoot", "RightUpLeg", "RightLeg",     "RightFoot"};
static const char *const UNREAL[COUNT] = {"pelvis",     "spine_01", "spine_02",   "neck_01",    "head",   "upperarm_l",
                                          "lowerarm_l", "hand_l",   "upperarm_r", "lowerarm_r", "hand_r", "thigh_l",
                                          "calf_l",     "foot_l",   "thigh_r",    "calf_r",     "foot_r"};

typedef struct Shape {
    const char *const *names;
    float size, droop; ///< radians the arms hang below the T
    Quat turn;         ///< of the whole body: which way it faces, which way is up
    Quat frame[COUNT]; ///< how each joint's own axes lie at rest
} Shape;

/// Heads of a body in the T pose, facing +z, one metre of leg.
static Vec3 t_pose(int joint, float droop)
{
    static const Vec3 heads[COUNT] = {{0, 1, 0},         {0, 1.1f, 0},    {0, 1.3f, 0},     {0, 1.5f, 0},     {0, 1.6f, 0},
                                      {.2f, 1.45f, 0},   {.5f, 1.45f, 0}, {.75f, 1.45f, 0}, {-.2f, 1.45f, 0}, {-.5f, 1.45f, 0},
                                      {-.75f, 1.45f, 0}, {.1f, 1, 0},     {.1f, .5f, 0},    {.1f, .08f, 0},   {-.1f, 1, 0},
                                      {-.1f, .5f, 0},    {-.1f, .08f, 0}};
    Vec3 p = heads[joint];
    bool left = joint > L_ARM && joint <= L_HAND, right = joint > R_ARM && joint <= R_HAND;
    if (left || right) {
        Vec3 shoulder = heads[left ? L_ARM : R_ARM];
        p = vec3_add(shoulder, quat_rotate(quat_axis_angle(vec3(0, 0, 1), left ? -droop : droop), vec3_sub(p, shoulder)));
    }
    return p;
}

static PeltiCharacter *make(const Shape *shape)
{
    PeltiCharacter *who = pelti_character_create(NULL);
    assert_non_null(who);
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, COUNT);
    who->node_count = COUNT;
    for (int n = 0; n < COUNT; n++) {
        Vec3 head = quat_rotate(shape->turn, vec3_scale(t_pose(n, shape->droop), shape->size));
        Vec3 above =
            PARENT[n] >= 0 ? quat_rotate(shape->turn, vec3_scale(t_pose(PARENT[n], shape->droop), shape->size)) : vec3(0, 0, 0);
        Quat up = PARENT[n] >= 0 ? shape->frame[PARENT[n]] : quat_identity();
        who->nodes[n] = (PeltiNode){.name = shape->names[n],
                                    .parent = PARENT[n],
                                    .trs = {quat_rotate(quat_conjugate(up), vec3_sub(head, above)),
                                            quat_mul(quat_conjugate(up), shape->frame[n]),
                                            {1, 1, 1}}};
    }
    assert_int_equal(pelti_skeleton_order(who, NULL), PELT_OK);
    return who;
}

static float hashed(int i)
{
    unsigned x = (unsigned)i * 2654435761u;
    return (float)(x >> 8 & 0xffff) / 32768.0f - 1;
}

static Quat any_turn(int seed, float most)
{
    Vec3 axis = vec3_normalize_or(vec3(hashed(seed), hashed(seed + 1), hashed(seed + 2)), vec3(1, 0, 0));
    return quat_axis_angle(axis, most * hashed(seed + 3));
}

enum { KEYS = 5 };

/// Every joint turns about some axis, the hips walk off.
static void add_clip(PeltiCharacter *who, float size)
{
    PeltiChannel *channels = PELTI_NEW(&who->pool, PeltiChannel, COUNT + 1);
    float *times = PELTI_NEW(&who->pool, float, KEYS), *places = PELTI_NEW(&who->pool, float, 3 * KEYS);
    who->clips = PELTI_NEW(&who->pool, PeltiClip, 2);
    for (int n = 0; n < COUNT; n++) {
        Quat *turns = PELTI_NEW(&who->pool, Quat, KEYS);
        for (int k = 0; k < KEYS; k++)
            turns[k] = quat_mul(who->nodes[n].trs.rotation, any_turn(100 * n + 7 * k, 0.7f));
        channels[n] = (PeltiChannel){n, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, KEYS, times, &turns[0].x, 4, 0};
    }
    for (int k = 0; k < KEYS; k++) {
        Vec3 p = vec3_add(who->nodes[0].trs.translation,
                          vec3_scale(vec3(0.1f * (float)k, 0.02f * (float)(k % 2), -0.3f * (float)k), size));
        memcpy(places + 3 * k, &p.x, sizeof p);
        times[k] = 0.4f * (float)k;
    }
    channels[COUNT] = (PeltiChannel){0, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, KEYS, times, places, 3, 0};
    who->clips[0] = (PeltiClip){"walk", times[KEYS - 1], COUNT + 1, channels};
    who->clip_count = 1;
}

static void heads_at(const PeltiCharacter *who, const PeltiClip *clip, double time_s, Vec3 *out)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    pelti_pose_clip(who, clip, time_s, &pose);
    for (int k = 0; k < who->node_count; k++)
        pelti_pose_node_matrix(who, &pose, who->node_order[k], node_matrix);
    for (int n = 0; n < who->node_count; n++)
        out[n] = vec3((float)node_matrix[n].m[0][3], (float)node_matrix[n].m[1][3], (float)node_matrix[n].m[2][3]);
    pelti_pool_release(&pool);
}

static Vec3 direction(const Vec3 *heads, int a, int b)
{
    return vec3_normalize_or(vec3_sub(heads[b], heads[a]), vec3(0, 0, 0));
}

/// `back`: the turn from the target's world to the source's.
static void compare(const Shape *from_shape, const Shape *to_shape, Quat back)
{
    static const int limbs[][2] = {{L_ARM, L_ELBOW}, {L_ELBOW, L_HAND}, {R_ARM, R_ELBOW}, {R_ELBOW, R_HAND}, {L_LEG, L_KNEE},
                                   {L_KNEE, L_FOOT}, {R_LEG, R_KNEE},   {R_KNEE, R_FOOT}, {HIPS, SPINE},     {SPINE, CHEST}};
    PeltiCharacter *from = make(from_shape), *to = make(to_shape);
    PeltiRetarget moved;
    PeltError err = {0};
    Vec3 a[COUNT], b[COUNT], rest_a[COUNT], rest_b[COUNT];
    add_clip(from, from_shape->size);
    if (pelti_retarget(&(PeltiRetargetEnd){from, NULL}, &(PeltiRetargetEnd){to, NULL}, &to->pool, &moved, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(moved.pair_count, COUNT);
    assert_int_equal(moved.unmatched_count, 0);
    assert_int_equal(moved.clip_count, 1);
    CHECK_NEAR(moved.clips[0].duration_s, 0.4 * (KEYS - 1), 1e-6);
    heads_at(from, NULL, 0, rest_a);
    heads_at(to, NULL, 0, rest_b);
    for (int k = 0; k < KEYS; k++) {
        heads_at(from, &from->clips[0], 0.4 * k, a);
        heads_at(to, &moved.clips[0], 0.4 * k, b);
        for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++)
            CHECK_NEAR(
                vec3_distance(direction(a, limbs[i][0], limbs[i][1]), quat_rotate(back, direction(b, limbs[i][0], limbs[i][1]))),
                0, 2e-5);
        for (int n = 1; n < COUNT; n++) // bones keep their length
            CHECK_NEAR(vec3_distance(b[n], b[PARENT[n]]), vec3_distance(rest_b[n], rest_b[PARENT[n]]), 1e-5);
        Vec3 gone = vec3_scale(vec3_sub(a[0], rest_a[0]), to_shape->size / from_shape->size);
        CHECK_NEAR(vec3_distance(gone, quat_rotate(back, vec3_sub(b[0], rest_b[0]))), 0, 2e-5);
    }
    pelti_character_destroy(from);
    pelti_character_destroy(to);
}

static Shape shape_of(const char *const *names, float size, float droop, Quat turn, int seed)
{
    Shape shape = {.names = names, .size = size, .droop = droop, .turn = turn};
    for (int n = 0; n < COUNT; n++)
        shape.frame[n] = seed ? any_turn(1000 * seed + 10 * n, 3) : quat_identity();
    return shape;
}

static void limbs_point_alike_whatever_the_rest_poses(void **state)
{
    (void)state;
    Quat half = quat_axis_angle(vec3(0, 1, 0), 3.14159265f), lying = quat_axis_angle(vec3(1, 0, 0), 1.57079633f);
    Shape t = shape_of(MIXAMO, 1, 0, quat_identity(), 1), drooping = shape_of(UNREAL, 1.7f, 0.9f, quat_identity(), 2),
          turned = shape_of(UNREAL, 0.4f, 0.6f, half, 3), z_up = shape_of(MIXAMO, 60, 0.3f, lying, 0);
    compare(&t, &drooping, quat_identity());
    compare(&drooping, &t, quat_identity());
    compare(&t, &turned, quat_conjugate(half));
    compare(&z_up, &turned, quat_mul(lying, quat_conjugate(half)));
}

/// The same skeleton: the same motion, at keys and in between.
static void a_clip_on_its_own_skeleton_is_itself(void **state)
{
    (void)state;
    Shape shape = shape_of(MIXAMO, 1, 0.5f, quat_identity(), 5);
    PeltiCharacter *who = make(&shape);
    PeltiRetarget moved;
    Vec3 a[COUNT], b[COUNT];
    add_clip(who, 1);
    assert_int_equal(pelti_retarget(&(PeltiRetargetEnd){who, NULL}, &(PeltiRetargetEnd){who, NULL}, &who->pool, &moved, NULL),
                     PELT_OK);
    for (int k = 0; k <= 8; k++) {
        heads_at(who, &who->clips[0], 0.2 * k, a);
        heads_at(who, &moved.clips[0], 0.2 * k, b);
        for (int n = 0; n < COUNT; n++)
            CHECK_NEAR(vec3_distance(a[n], b[n]), 0, k % 2 ? 5e-4 : 1e-5);
    }
    pelti_character_destroy(who);
}

/// A spine of two on one of one and of three: the top turns as the top, what is between as much as it is between.
static void chains_of_unlike_length_share_turns(void **state)
{
    (void)state;
    static const char *const three[] = {"pelvis", "spine_01", "spine_02", "spine_03", "head", "thigh_l", "thigh_r", "calf_l"};
    static const int parents[] = {-1, 0, 1, 2, 3, 0, 0, 5};
    Shape shape = shape_of(MIXAMO, 1, 0, quat_identity(), 0);
    PeltiCharacter *from = make(&shape), *to = pelti_character_create(NULL);
    PeltiRetarget moved;
    to->nodes = PELTI_NEW(&to->pool, PeltiNode, 8);
    to->node_count = 8;
    for (int n = 0; n < 8; n++)
        to->nodes[n] = (PeltiNode){.name = three[n], .parent = parents[n], .trs = trs_identity()};
    for (int n = 1; n < 5; n++)
        to->nodes[n].trs.translation = vec3(0, 0.1f, 0);
    to->nodes[5].trs.translation = vec3(.1f, 0, 0);
    to->nodes[6].trs.translation = vec3(-.1f, 0, 0);
    to->nodes[7].trs.translation = vec3(0, -.4f, 0);
    assert_int_equal(pelti_skeleton_order(to, NULL), PELT_OK);
    static const float times[1] = {0};
    static const Quat bends[2] = {{0.19866933f, 0, 0, 0.98006658f}, {0.19866933f, 0, 0, 0.98006658f}}; // 0.4 rad each about x
    PeltiChannel channels[2] = {{SPINE, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, 1, times, &bends[0].x, 4, 0},
                                {CHEST, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, 1, times, &bends[1].x, 4, 0}};
    PeltiClip clip = {"bend", 0, 2, channels};
    from->clips = &clip;
    from->clip_count = 1;
    assert_int_equal(pelti_retarget(&(PeltiRetargetEnd){from, NULL}, &(PeltiRetargetEnd){to, NULL}, &to->pool, &moved, NULL),
                     PELT_OK);
    float sum = 0;
    for (int c = 0; c < moved.clips[0].channel_count; c++) {
        const PeltiChannel *channel = &moved.clips[0].channels[c];
        if (channel->path != PELTI_CHANNEL_ROTATION || channel->node < 1 || channel->node > 3)
            continue;
        float angle = quat_angle((Quat){channel->values[0], channel->values[1], channel->values[2], channel->values[3]});
        CHECK_NEAR(angle, 0.8 / 3, 1e-5); // an even bend stays even
        sum += angle;
    }
    CHECK_NEAR(sum, 0.8, 3e-5);
    pelti_character_destroy(from);
    pelti_character_destroy(to);
}

static void strangers_are_refused(void **state)
{
    (void)state;
    static const char *const other[COUNT] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"};
    Shape shape = shape_of(MIXAMO, 1, 0, quat_identity(), 0), strange = shape_of(other, 1, 0, quat_identity(), 0);
    PeltiCharacter *from = make(&shape), *to = make(&strange);
    PeltiRetarget moved;
    PeltError err = {0};
    add_clip(from, 1);
    assert_int_equal(pelti_retarget(&(PeltiRetargetEnd){from, NULL}, &(PeltiRetargetEnd){to, NULL}, &to->pool, &moved, &err),
                     PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "pair"));
    pelti_character_destroy(from);
    from = make(&strange); // but equal names will do
    add_clip(from, 1);
    assert_int_equal(pelti_retarget(&(PeltiRetargetEnd){from, NULL}, &(PeltiRetargetEnd){to, NULL}, &to->pool, &moved, &err),
                     PELT_OK);
    assert_int_equal(moved.pair_count, COUNT);
    assert_null(moved.words);
    pelti_character_destroy(from);
    pelti_character_destroy(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_point_alike_whatever_the_rest_poses), cmocka_unit_test(a_clip_on_its_own_skeleton_is_itself),
        cmocka_unit_test(chains_of_unlike_length_share_turns), cmocka_unit_test(strangers_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
