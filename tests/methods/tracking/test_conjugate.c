/// The linear solver of the relaxation: it takes away the energy it says, moves only along the surface, and ends at no force.
#include "shared_rig.h"

/// The quadratic part of the energy that the solver lowers: x A x / 2 - b x, in double.
static double energy(const Tracking *t, const Vec3 *x)
{
    double sum = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        Vec3 b = t->target.rhs[v];
        sum += 0.5 * (double)t->energy.hold[v] * (double)vec3_dot(x[v], x[v]) - (double)vec3_dot(b, x[v]);
        for (int e = t->mesh->ring_start[v]; e < t->mesh->ring_start[v + 1]; e++) {
            Vec3 d = vec3_sub(x[v], x[t->mesh->ring[e]]);
            sum += 0.25 * (double)t->energy.ring_weight[e] * (double)vec3_dot(d, d);
        }
    }
    return sum;
}

/// The rest shape dragged about along its surface; targets at rest.
static void drag(void)
{
    Tracking *t = rig.state;
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.goal);
    pelti_tracking_target_rotations(t, &t->bones.goal);
    pelti_tracking_right_hand_side(t, &t->bones.goal);
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->surface.normal);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        Vec3 n = t->surface.normal[v], d = vec3(sinf(7 * (float)v), cosf(3 * (float)v), sinf((float)v));
        t->surface.x[v] = vec3_mad(t->mesh->rest[v], vec3_mad(d, n, -vec3_dot(d, n)), 0.2f * t->skin.edge[v]);
        t->surface.contact[v] = 0;
    }
}

static double tangential_force(void)
{
    Tracking *t = rig.state;
    double most = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        most = fmax(most, (double)vec3_length(tracking_tangential(t, v, tracking_force(t, v))));
    return most;
}

static void it_takes_away_the_energy_it_says(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    drag();
    double before = energy(t, t->surface.x), gain;
    assert_int_equal(pelti_tracking_conjugate_steps(t, 3, &gain), 3);
    for (int k = 0; k < t->mesh->vertex_count; k++) {
        int v = t->solver.order[k];
        Vec3 u = tracking_row(t->solver.slid[k]);
        if (t->skin.kind[v] == TRACKING_VERTEX_TRACKED)
            CHECK_NEAR(vec3_dot(u, t->surface.normal[v]), 0, 1e-5 * (double)t->skin.edge[v]);
        t->surface.x[v] = vec3_add(t->surface.x[v], u);
    }
    double after = energy(t, t->surface.x);
    assert_true(gain > 0);
    CHECK_NEAR((before - after) / (gain / 2), 1, 0.01);
}

static void it_ends_where_no_force_is_left(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    double gain, first;
    drag();
    first = tangential_force();
    int steps = pelti_tracking_conjugate_steps(t, 200, &gain);
    assert_true(steps >= 2 && steps < 50); // it stops by itself
    for (int k = 0; k < t->mesh->vertex_count; k++)
        t->surface.x[t->solver.order[k]] = vec3_add(t->surface.x[t->solver.order[k]], tracking_row(t->solver.slid[k]));
    assert_true(tangential_force() < 0.01 * first);
    double left;
    pelti_tracking_conjugate_steps(t, 200, &left);
    assert_true(left < 1e-4 * gain); // there is hardly anything to gain any more
}

static void skin_that_follows_its_bone_does_not_slide(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    double gain;
    drag();
    unsigned char kind = t->skin.kind[5];
    t->skin.kind[5] = TRACKING_VERTEX_RIGID;
    pelti_tracking_conjugate_steps(t, 4, &gain);
    CHECK_NEAR(vec3_length(tracking_row(t->solver.slid[t->solver.place[5]])), 0, 0);
    assert_true(vec3_length(tracking_row(t->solver.slid[t->solver.place[6]])) > 0);
    t->skin.kind[5] = kind;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_takes_away_the_energy_it_says),
                                       cmocka_unit_test(it_ends_where_no_force_is_left),
                                       cmocka_unit_test(skin_that_follows_its_bone_does_not_slide)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
