/// Morph targets carried by a skin: as if the rest points had moved before they were skinned.
#include "chain.h"

#include "character/targets.h"

static Vec3 p[TUBE_POINTS], skin[TUBE_POINTS], moved[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];
static const int first_points[] = {0, 7, 40, 300}, second_points[] = {7, 8};
static const Vec3 first_offsets[] = {{0.1f, 0, 0}, {0, 0.2f, 0.3f}, {-0.1f, 0.1f, 0}, {0, 0, 1}},
                  second_offsets[] = {{0.5f, 0, 0}, {0, -0.5f, 0}};

typedef struct Smile {
    PeltiCharacter *who;
    PeltiPool pool;
    PeltiTargetMix mix;
    PeltiPose pose;
    PeltiWeights weights;
    Mat34 bones[3];
} Smile;

/// Two bones share each vertex, by its place along the tube.
static void start(Smile *s)
{
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    s->who = make_chain((ChainBones){3, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    pelti_pool_init(&s->pool, NULL);
    static const PeltiTarget targets[2] = {{4, first_points, first_offsets}, {2, second_points, second_offsets}};
    s->who->target_count = 2;
    s->who->targets = (PeltiTarget *)targets;
    s->who->target_weights = PELTI_NEW(&s->pool, float, 2);
    s->pose = pelti_pose_new(&s->pool, s->who);
    int *bone = PELTI_NEW(&s->pool, int, 2 * TUBE_POINTS);
    float *weight = PELTI_NEW(&s->pool, float, 2 * TUBE_POINTS);
    for (int i = 0; i < TUBE_POINTS; i++) {
        float share = fminf(fmaxf(p[i].x / 3, 0.05f), 0.45f);
        bone[2 * i] = 1, bone[2 * i + 1] = 2;
        weight[2 * i] = 1 - share, weight[2 * i + 1] = share;
    }
    s->weights = (PeltiWeights){2, bone, weight};
    for (int b = 0; b < 3; b++)
        s->bones[b] = mat34_from(mat3_scale(quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), 0.7f * (float)b)), 1 + 0.1f * (float)b),
                                 vec3((float)b, 2, 3));
    assert_int_equal(pelti_targets_create(&s->mix, s->who, &s->pool, NULL), PELT_OK);
}

static void stop(Smile *s)
{
    s->who->target_count = 0;
    pelti_character_destroy(s->who);
    pelti_pool_release(&s->pool);
}

static Vec3 blend(const Smile *s, int i, Vec3 x)
{
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < 2; k++)
        sum = vec3_mad(sum, mat34_apply(s->bones[s->weights.bone[2 * i + k]], x), s->weights.weight[2 * i + k]);
    return sum;
}

static void offsets_add_up_by_weight(void **state)
{
    (void)state;
    Smile s;
    start(&s);
    assert_int_equal(s.mix.count, 5); // points that some target moves
    assert_false(pelti_targets_mix(&s.mix, &s.pose));
    s.pose.morph[0] = 0.5f;
    s.pose.morph[1] = -2;
    assert_true(pelti_targets_mix(&s.mix, &s.pose));
    CHECK_NEAR(vec3_distance(s.mix.offsets[7], vec3(-1, 0.1f, 0.15f)), 0, 1e-6);
    CHECK_NEAR(vec3_distance(s.mix.offsets[8], vec3(0, 1, 0)), 0, 1e-6);
    s.pose.morph[0] = 0; // nothing of the pose before stays
    assert_true(pelti_targets_mix(&s.mix, &s.pose));
    CHECK_NEAR(vec3_distance(s.mix.offsets[300], vec3(0, 0, 0)), 0, 0);
    stop(&s);
}

static void linear_blending_of_moved_points_is_met(void **state)
{
    (void)state;
    Smile s;
    start(&s);
    s.pose.morph[0] = 0.8f;
    s.pose.morph[1] = 0.3f;
    PeltiTargetCarry carry = {.pose = &s.pose, .bones = s.bones, .weights = &s.weights, .linear = true};
    assert_true(pelti_targets_mix(&s.mix, &s.pose));
    for (int i = 0; i < TUBE_POINTS; i++) {
        skin[i] = blend(&s, i, p[i]);
        moved[i] = blend(&s, i, vec3_add(p[i], s.mix.offsets[i]));
    }
    pelti_targets_carry(&s.mix, &carry, skin);
    for (int i = 0; i < TUBE_POINTS; i++)
        CHECK_NEAR(vec3_distance(skin[i], moved[i]), 0, 2e-6);
    stop(&s);
}

/// Where all bones move alike, both ways are that motion; between two turns, the turned one keeps lengths.
static void turned_offsets_keep_their_length(void **state)
{
    (void)state;
    Smile s;
    start(&s);
    s.pose.morph[0] = 1;
    PeltiTargetCarry carry = {
        .pose = &s.pose, .bones = s.bones, .weights = &s.weights, .row = s.who->mesh->weld, .by_vertex = true};
    s.bones[1] = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 1, 0), 0.2f)), vec3(1, 0, 0));
    s.bones[2] = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 1, 0), 2.9f)), vec3(0, 1, 0));
    memset(skin, 0, sizeof skin);
    pelti_targets_carry(&s.mix, &carry, skin);
    for (int k = 0; k < 4; k++) {
        int v = s.who->mesh->weld[first_points[k]];
        CHECK_NEAR(vec3_length(skin[v]), vec3_length(first_offsets[k]), 1e-5);
    }
    for (int b = 1; b < 3; b++) // across half a turn, where quaternions change their sign
        s.bones[b] = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 1, 0), b == 1 ? 2.9f : -1.4f)), vec3(0, 0, 0));
    memset(skin, 0, sizeof skin);
    pelti_targets_carry(&s.mix, &carry, skin);
    double share = (double)s.weights.weight[2 * 300 + 1], one = 2.9 / 2,
           two = (6.2831853 - 1.4) / 2; // half the turns, on one side
    double between = 2 * atan2((1 - share) * sin(one) + share * sin(two), (1 - share) * cos(one) + share * cos(two));
    CHECK_NEAR(skin[s.who->mesh->weld[300]].z, cos(between), 1e-4); // of (0, 0, 1)
    s.bones[2] = s.bones[1];
    memset(skin, 0, sizeof skin);
    pelti_targets_carry(&s.mix, &carry, skin);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(vec3_distance(skin[s.who->mesh->weld[first_points[k]]], mat34_apply_vector(s.bones[1], first_offsets[k])), 0,
                   1e-5);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_add_up_by_weight),
                                       cmocka_unit_test(linear_blending_of_moved_points_is_met),
                                       cmocka_unit_test(turned_offsets_keep_their_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
