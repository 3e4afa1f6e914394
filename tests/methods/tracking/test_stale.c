/// Which skin looks at the field again: what is near a joint that moved, and all of it once in a while.
#include "shared_rig.h"

static int looking(int part)
{
    const Tracking *t = rig.state;
    int count = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        count += t->surface.must_look[v] && (part < 0 || t->fields->vertex_part[v] == part);
    return count;
}

static void all_have_looked(void)
{
    memset(rig.state->surface.must_look, 0, (size_t)rig.state->mesh->vertex_count);
}

/// At rest, with all places noted.
static void settle(void)
{
    Tracking *t = rig.state;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        t->surface.x[v] = t->mesh->rest[v];
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.now);
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.goal);
    for (int p = 0; p < t->fields->part_count; p++)
        t->bones.part_matrix[p] = mat34_identity();
    pelti_frame_set(&t->frame, t->bones.part_matrix);
    pelti_tracking_find_stale(t, &t->bones.now, &t->bones.goal);
    all_have_looked();
}

static void nothing_moved_leaves_one_turn_in_many(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int count = t->mesh->vertex_count, before = 0, rounds = 0;
    settle();
    for (; looking(-1) < count; rounds++) {
        assert_true(rounds < 1000);
        pelti_tracking_find_stale(t, &t->bones.now, &t->bones.goal);
        assert_true(looking(-1) - before <= count / 8);
        before = looking(-1);
    }
    assert_true(rounds >= 8); // but every vertex has its turn
}

/// The last finger joint turns: its own skin and its neighbour's look, other fingers need not.
static void skin_near_a_joint_that_turned_looks(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    PeltiJoint joints[BONES];
    int last = t->fields->skin_part_count - 1, bone = t->fields->parts[last].bone;
    settle();
    turn(&rig, bone, vec3(1, 0, 0), 0.2f);
    test_joints(rig.who, rig.bones, joints);
    PeltiStepInput in = {.bones = rig.bones, .joints = joints};
    pelti_tracking_bones_from(t->who, t->bones.order, &in, &t->bones.now, &t->bones.goal);
    pelti_tracking_find_stale(t, &t->bones.now, &t->bones.goal);
    int own = 0, near = 0, n = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        if (vec3_distance(t->mesh->rest[v], rig.who->bones[bone].head) < 0.8f * t->fields->parts[last].radius) {
            near++;
            n += t->surface.must_look[v];
        }
    own = looking(last);
    assert_true(near > 0 && n == near);
    assert_true(own > 0);
    assert_true(looking(-1) < t->mesh->vertex_count * 3 / 4);
    t->set.everywhere = true;
    pelti_tracking_find_stale(t, &t->bones.now, &t->bones.goal);
    assert_int_equal(looking(-1), t->mesh->vertex_count);
    t->set.everywhere = false;
}

static int open_rig(void **state)
{
    (void)state;
    rig = start("hand", 800, 1, "samples", "8");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_moved_leaves_one_turn_in_many),
                                       cmocka_unit_test(skin_near_a_joint_that_turned_looks)};
    return cmocka_run_group_tests(tests, open_rig, close_rig);
}
