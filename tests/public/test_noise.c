/// Poses that no clip has, noise and jumps by half a turn: the skin stays finite, crosses nothing and keeps its edges.
/// 20 degrees of noise for every joint in every frame, by every method with a last word.
#include "check.h"

#include <pelt/tools.h>

#include <math.h>
#include <string.h>

enum { VERTICES = 500, NOISY = 5, JUMPS = 3 };

static PeltCharacter *make(const char *name)
{
    PeltCharacter *who = NULL;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = name;
    def.vertices = VERTICES;
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static unsigned noise_state = 1;
static float noise(void) // in -1 to 1
{
    noise_state = noise_state * 1664525u + 1013904223u;
    return (float)(noise_state >> 8) / 8388608.0f - 1;
}

/// `q` times a turn by so many degrees about a drawn axis.
static void turn(float q[4], float degrees)
{
    float x = noise(), y = noise(), z = noise(), length = sqrtf(x * x + y * y + z * z) + 1e-6f, half = degrees * 0.0087266463f;
    float s = sinf(half) / length, b[4] = {x * s, y * s, z * s, cosf(half)}, a[4];
    memcpy(a, q, sizeof a);
    q[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    q[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    q[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    q[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/// Frames of noise, then frames in which the joint `jumps` turns by half a turn and back.
static void set_pose(const PeltCharacter *who, PeltPose *pose, int frame, int jumps)
{
    pelt_pose_reset(pose);
    for (int j = 0; j < pelt_character_info(who).joint_count; j++) {
        int node = pelt_character_joint_node(who, j);
        PeltTransform local = pelt_pose_get(pose, node);
        if (frame < NOISY)
            turn(local.rotation, 20);
        else if (j == jumps && (frame - NOISY) % 2 == 0)
            turn(local.rotation, 180);
        pelt_pose_set(pose, node, local);
    }
}

static bool has_last_word(const PeltStepInfo *info)
{
    for (int k = 0; k < info->stat_count; k++)
        if (strcmp(info->stats[k].name, "touch_lag") == 0)
            return true;
    return false;
}

static void noise_and_jumps(const PeltCharacter *who, const char *method)
{
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltMeasure *measure = NULL;
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    PeltStepInfo info;
    PeltQuality q;
    double stretch = 0;
    def.method = method;
    def.threads = 1;
    noise_state = 1;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
    assert_int_equal(pelt_pose_create(who, &pose, &err), PELT_OK);
    assert_int_equal(pelt_measure_create(who, 1, &measure, &err), PELT_OK);
    for (int frame = 0; frame < NOISY + JUMPS; frame++) {
        set_pose(who, pose, frame, pelt_character_info(who).joint_count / 2);
        pelt_skin_step(skin, pose, 1.0f / 30, &info);
        pelt_measure_frame(measure, pose, pelt_skin_positions(skin), &q);
        assert_true(has_last_word(&info));
        assert_int_equal(q.nonfinite, 0);
        assert_int_equal(q.torn, 0);
        assert_int_equal(q.self_intersections_new, 0);
        stretch = fmax(stretch, q.stretch_max);
    }
    printf("%s: edges up to %.2f of their length\n", method, stretch);
    assert_true(stretch < 3);
    pelt_measure_destroy(measure);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
}

static void noise_crosses_nothing(void **state)
{
    (void)state;
    static const char *const methods[] = {"tracking", "projective", "layered"};
    PeltCharacter *arm = make("arm"), *hand = make("hand");
    for (int m = 0; m < 3; m++) {
        noise_and_jumps(hand, methods[m]);
        if (TEST_WORK(1, 0))
            noise_and_jumps(arm, methods[m]);
    }
    pelt_character_destroy(arm);
    pelt_character_destroy(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noise_crosses_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
