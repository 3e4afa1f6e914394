/// Turning one finger costs one finger: which skin takes part in the relaxation, and what leaving the rest out changes.
#include "rig.h"

enum { VERTICES = 3000, FRAMES = 4, HELD = 10 };

static void bend_tip(Rig *rig, int frame)
{
    turn(rig, last_bone(rig), vec3(1, 0, 0), 0.05f * (float)(frame < FRAMES ? frame : FRAMES));
    step(rig, frame == 0);
}

static double share_awake(const Rig *rig)
{
    return (double)rig->state->awake.vertex_count / rig->who->mesh->vertex_count;
}

/// Largest distance from the skin of which all takes part in every frame, in sizes of the character.
static double distance(const Rig *a, const Rig *b)
{
    double most = 0;
    for (int v = 0; v < a->who->mesh->vertex_count; v++)
        most = fmax(most, (double)(vec3_distance(a->points[v], b->points[v]) / a->who->mesh->diagonal));
    return most;
}

/// docs/tracking.md, "Speed", says how far apart the two may be.
static void one_joint_wakes_its_own_skin_and_changes_next_to_nothing(void **state)
{
    (void)state;
    Rig rig = start("hand", VERTICES, 2, NULL, NULL), all = start("hand", VERTICES, 2, NULL, NULL);
    all.state->set.everywhere = true;
    for (int frame = 0; frame <= FRAMES + TEST_WORK(HELD, 1); frame++) {
        bend_tip(&rig, frame);
        bend_tip(&all, frame);
        assert_true(share_awake(&all) == 1);
        assert_true(frame == 0 ? share_awake(&rig) == 1
                               : share_awake(&rig) < 0.4); // what is taken along beforehand wakes what it pushes
        assert_true(distance(&rig, &all) < 1e-4);
    }
    stop(&rig);
    stop(&all);
}

static void skin_at_rest_is_left_alone(void **state)
{
    (void)state;
    Rig rig = start("hand", VERTICES, 1, NULL, NULL);
    size_t bytes = sizeof(Vec3) * (size_t)rig.who->mesh->vertex_count;
    for (int frame = 0; frame <= FRAMES + HELD; frame++)
        bend_tip(&rig, frame);
    assert_true(share_awake(&rig) < 0.05);
    Vec3 *before = PELTI_NEW(&rig.who->pool, Vec3, rig.who->mesh->vertex_count);
    memcpy(before, rig.points, bytes);
    bend_tip(&rig, FRAMES);
    int same = 0;
    for (int v = 0; v < rig.who->mesh->vertex_count; v++)
        same += !memcmp(&before[v], &rig.points[v], sizeof(Vec3));
    assert_true(same > 0.95 * rig.who->mesh->vertex_count);
    turn(&rig, last_bone(&rig), vec3(1, 0, 0), 0.05f * FRAMES); // the whole character carried away: nothing to relax
    Mat34 away = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 1, 0), 0.3f)), vec3(1, 2, 3));
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_mul(away, rig.bones[b]);
    step(&rig, false);
    assert_true(share_awake(&rig) < 0.1);
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joint_wakes_its_own_skin_and_changes_next_to_nothing),
        cmocka_unit_test(skin_at_rest_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
