#include "tube.h"

/// How far the joint in the middle of a tube is turned back when it is bent by 150 degrees; the far head keeps its distance.
static float turned_back(const char *two_way, const char *stiffness, Tube *tube)
{
    const char *options[] = {"two-way", two_way, "joint-stiffness", stiffness, "crush", "0.05", "iterations", "8", NULL};
    tube_make(tube, 2, NULL, NULL, options);
    tube_step(tube, 0, true);
    for (int frame = 1; frame <= 24; frame++) {
        tube_pose(tube, fminf((float)frame / 12, 1) * 2.6f, vec3(0, 0, 0));
        tube_step(tube, 1 / 30.0f, false);
    }
    assert_true(tube->flesh->collide.count > 0);
    return -tube->flesh->turn[1].z; // bent about +z: flesh opens it about -z
}

static void pressed_flesh_opens_a_joint_against_its_stiffness(void **state)
{
    (void)state;
    Tube tube;
    float turn[3];
    static const char *const stiffness[3] = {"0.1", "1", "10"};
    for (int i = 0; i < 3; i++) {
        turn[i] = turned_back("true", stiffness[i], &tube);
        Vec3 w = tube.flesh->turn[1];
        assert_true(fabsf(w.x) + fabsf(w.y) < 0.25f * fabsf(w.z)); // about the axis it was bent about
        assert_true(vec3_length(tube.flesh->turn[0]) == 0);        // the root carries both sides: it stays
        tube_release(&tube);
    }
    printf("turned back by %.1f, %.1f, %.1f degrees for a stiffness of 0.1, 1, 10\n", (double)turn[0] * 57.3,
           (double)turn[1] * 57.3, (double)turn[2] * 57.3);
    assert_true(turn[0] > 0.03f && turn[0] > 1.5f * turn[1] && turn[1] > 2 * turn[2] && turn[2] > 0);
}

static void without_it_bones_stay_where_the_clip_has_them(void **state)
{
    (void)state;
    Tube tube;
    turned_back("false", "0.1", &tube);
    PeltiFlesh *flesh = tube.flesh;
    for (int s = 0; s < flesh->n; s++) { // goals of the bone layer are lbs of the given bones
        Vec3 rest = vec3_add(pelti_lane(flesh->match.rest, s, PELTI_BONE_LAYER), flesh->centre), at = {0, 0, 0};
        for (int k = 0; k < flesh->influences; k++) {
            size_t i = (size_t)s * (size_t)flesh->influences + (size_t)k;
            at = vec3_mad(at, mat34_apply(tube.bones[flesh->bone[i]], rest), flesh->weight[i]);
        }
        CHECK_NEAR(vec3_distance(vec3_sub(at, flesh->origin), pelti_lane(flesh->goal, s, PELTI_BONE_LAYER)), 0, 1e-5);
    }
    tube_release(&tube);
}

static void a_turned_joint_carries_what_hangs_on_it(void **state)
{
    (void)state;
    Tube tube;
    Mat34 out[8];
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_pose(&tube, 0.4f, vec3(1, 2, 3));
    tube.flesh->turn[1] = vec3(0.02f, 0.1f, -0.3f);
    pelti_react_pose(tube.flesh, tube.bones, out);
    Vec3 head = tube.who->bones[1].head, next = tube.who->bones[2].head;
    CHECK_NEAR(vec3_distance(mat34_apply(out[1], head), mat34_apply(tube.bones[1], head)), 0, 1e-5); // it turns about its head
    CHECK_NEAR(vec3_distance(mat34_apply(out[1], next), mat34_apply(out[2], next)), 0, 1e-5);        // nothing comes apart
    assert_true(vec3_distance(mat34_apply(out[2], next), mat34_apply(tube.bones[2], next)) > 0.1f);
    CHECK_NEAR(vec3_distance(mat34_apply(out[0], head), mat34_apply(tube.bones[0], head)), 0, 1e-6);
    tube_release(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pressed_flesh_opens_a_joint_against_its_stiffness),
                                       cmocka_unit_test(without_it_bones_stay_where_the_clip_has_them),
                                       cmocka_unit_test(a_turned_joint_carries_what_hangs_on_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
