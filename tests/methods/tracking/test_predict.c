/// A joint that turns on takes its skin along beforehand, in fewer steps to the same skin; one that stops or turns back does not.
#include "rig.h"

enum { VERTICES = 3000, FRAMES = 10 };

static void bend(Rig *rig, float angle, bool restart)
{
    turn(rig, last_bone(rig), vec3(1, 0, 0), angle);
    step(rig, restart);
}

/// Largest distance of the two skins, in sizes of the character.
static double apart(const Rig *a, const Rig *b)
{
    double most = 0;
    for (int v = 0; v < a->who->mesh->vertex_count; v++)
        most = fmax(most, (double)(vec3_distance(a->points[v], b->points[v]) / a->who->mesh->diagonal));
    return most;
}

static void turning_on_takes_fewer_steps_to_the_same_skin(void **state)
{
    (void)state;
    Rig rig = start("hand", VERTICES, 2, NULL, NULL), patient = start("hand", VERTICES, 1, "tolerance", "0");
    patient.state->set.iterations = 200;
    int taken = 0;
    for (int frame = 0; frame <= FRAMES; frame++) {
        float angle = 0.03f * (float)frame;
        bend(&rig, angle, frame == 0);
        bend(&patient, angle, frame == 0);
        taken += frame > 2 ? rig.state->counters.relaxations : 0;
        assert_true(rig.state->counters.residual_p99 < 3e-4);
        if (!(apart(&rig, &patient) < 3e-4))
            fail_msg("frame %d: %g", frame, apart(&rig, &patient));
    }
    if (!(taken < 4 * (FRAMES - 2))) // a first solve alone is four steps
        fail_msg("%d steps in %d frames", taken, FRAMES - 2);
    stop(&rig);
    stop(&patient);
}

static void nothing_is_taken_where_a_joint_stops_or_turns_back(void **state)
{
    (void)state;
    static const float angles[] = {0, 0.03f, 0.06f, 0.09f, 0.105f, 0.105f, 0.135f, 0.105f};
    static const float shares[] = {0, 0, 1, 1, 0.5f, 0, 0, 0};
    Rig rig = start("hand", VERTICES, 1, NULL, NULL);
    for (int frame = 0; frame < 8; frame++) {
        bend(&rig, angles[frame], frame == 0);
        if (frame < 2 ? rig.state->predict.share > 0 : fabsf(rig.state->predict.share - 0.95f * shares[frame]) > 0.01f)
            fail_msg("frame %d: %g", frame, (double)rig.state->predict.share);
    }
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_on_takes_fewer_steps_to_the_same_skin),
        cmocka_unit_test(nothing_is_taken_where_a_joint_stops_or_turns_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
