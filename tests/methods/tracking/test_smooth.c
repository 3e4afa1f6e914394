/// Smoothing for show: nothing where nothing touches; in contact bumps go, but not across the contact surface.
#include "shared_rig.h"

static void reset(void)
{
    Tracking *t = rig.state;
    pelti_mesh_normals(t->mesh, t->mesh->rest, t->surface.normal);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        t->surface.x[v] = t->mesh->rest[v];
        t->surface.contact[v] = 0;
        t->surface.wall[v] = 0;
    }
}

static int middle_vertex(void)
{
    Vec3 middle = vec3_lerp(rig.who->mesh->low, rig.who->mesh->high, 0.5f);
    int best = 0;
    for (int v = 0; v < rig.who->mesh->vertex_count; v++)
        if (vec3_distance(rig.who->mesh->rest[v], middle) < vec3_distance(rig.who->mesh->rest[best], middle))
            best = v;
    return best;
}

static void nothing_is_smoothed_where_nothing_touches(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    reset();
    t->surface.x[3] = vec3_add(t->surface.x[3], vec3(0.1f, 0.2f, 0.3f));
    assert_int_equal(pelti_tracking_smooth_contacts(t, &t->show), 0);
    assert_memory_equal(t->show.shown, t->surface.x, sizeof(Vec3) * (size_t)t->mesh->vertex_count);
}

/// A vertex pulled out by an edge's length, in contact: it goes back, skin far away stays, what is kept is not changed.
static void bumps_in_contact_go(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    reset();
    int v = middle_vertex();
    Vec3 n = t->surface.normal[v], bump = vec3_mad(t->surface.x[v], n, t->skin.edge[v]);
    t->surface.x[v] = bump;
    t->surface.contact[v] = 1;
    assert_int_equal(pelti_tracking_smooth_contacts(t, &t->show), 1);
    assert_true(vec3_dot(vec3_sub(t->show.shown[v], bump), n) < -0.3f * t->skin.edge[v]);
    CHECK_NEAR(vec3_distance(t->surface.x[v], bump), 0, 0);
    int moved = 0;
    for (int k = 0; k < t->mesh->vertex_count; k++) {
        float by = vec3_distance(t->show.shown[k], t->surface.x[k]);
        moved += by > 0;
        if (vec3_distance(t->mesh->rest[k], t->mesh->rest[v]) > 8 * t->skin.edge[v])
            CHECK_NEAR(by, 0, 1e-3 * (double)t->skin.edge[k]);
    }
    assert_in_range(moved, 5, t->mesh->vertex_count / 2);
}

static void skin_on_a_wall_stays_on_it(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    reset();
    int v = middle_vertex();
    Vec3 n = t->surface.normal[v], aside = vec3_orthogonal(n);
    t->surface.x[v] = vec3_mad(vec3_mad(t->surface.x[v], n, 0.3f * t->skin.edge[v]), aside, 0.3f * t->skin.edge[v]);
    t->surface.contact[v] = 1;
    t->surface.wall[v] = 1;
    t->set.smooth_passes = 1;
    pelti_tracking_smooth_contacts(t, &t->show);
    Vec3 by = vec3_sub(t->show.shown[v], t->surface.x[v]);
    CHECK_NEAR(vec3_dot(by, n), 0, 1e-6);
    assert_true(vec3_dot(by, aside) < -0.05f * t->skin.edge[v]); // along it the bump goes
    t->skin.kind[v] = TRACKING_VERTEX_RIGID;
    pelti_tracking_smooth_contacts(t, &t->show);
    CHECK_NEAR(vec3_distance(t->show.shown[v], t->surface.x[v]), 0, 0);
    t->skin.kind[v] = TRACKING_VERTEX_TRACKED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_smoothed_where_nothing_touches),
                                       cmocka_unit_test(bumps_in_contact_go), cmocka_unit_test(skin_on_a_wall_stays_on_it)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
