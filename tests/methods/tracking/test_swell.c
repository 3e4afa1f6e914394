/// Volume that contacts squeeze away rises elsewhere; tethers hold skin of one bone.
#include "shared_rig.h"

static void reset(void)
{
    Tracking *t = rig.state;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        t->surface.x[v] = t->mesh->rest[v];
        t->surface.contact[v] = 0;
        t->surface.pressed[v] = 0;
        t->surface.must_look[v] = 0;
        t->swelling.height[v] = 0;
    }
    memset(t->swelling.grown, 0, sizeof(float) * (size_t)t->fields->part_count);
    t->swelling.swollen = false;
    t->set.keep_volume = 1;
}

/// Presses in a tenth of one part's skin along its normals.
static int press(int part, float depth)
{
    Tracking *t = rig.state;
    int count = 0;
    Vec3 *normal = t->surface.normal;
    pelti_mesh_normals(t->mesh, t->mesh->rest, normal);
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        if (t->fields->vertex_part[v] != part || t->skin.kind[v] != TRACKING_VERTEX_TRACKED || normal[v].x + normal[v].y < 0.8f)
            continue;
        t->surface.x[v] = vec3_mad(t->mesh->rest[v], normal[v], -depth);
        t->surface.contact[v] = 1;
        t->surface.pressed[v] = 0.9375f * depth / t->skin.reach[v];
        count++;
    }
    return count;
}

static double risen(void)
{
    const Tracking *t = rig.state;
    double sum = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        sum += t->surface.contact[v] ? 0 : (double)(t->swelling.height[v] * t->skin.area[v]);
    return sum;
}

static void the_free_skin_rises_by_what_is_missing(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int part = 0;
    reset();
    float depth = 0.01f * t->fields->parts[part].radius;
    assert_true(press(part, depth) > 5);
    double missing = t->skin.volume - pelti_mesh_volume(t->mesh, t->surface.x);
    assert_true(missing > 0);
    pelti_tracking_swell(t, &t->surface, &t->swelling);
    assert_true(t->swelling.swollen);
    CHECK_NEAR(risen() / missing, 1, 0.15);
    for (int p = 1; p < t->fields->part_count; p++)
        CHECK_NEAR(t->swelling.grown[p], 0, 0); // parts that nothing presses do not
    int looking = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        looking += t->surface.must_look[v];
    assert_true(looking > 5);
    reset();
    t->set.keep_volume = 0;
    press(part, depth);
    pelti_tracking_swell(t, &t->surface, &t->swelling);
    CHECK_NEAR(risen(), 0, 0);
}

/// However deep it is pressed, the rise is bounded; when the contact opens it goes.
static void it_is_no_balloon_and_goes_down_again(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    reset();
    press(0, 0.5f * t->fields->parts[0].radius);
    pelti_tracking_swell(t, &t->surface, &t->swelling);
    float most = t->fields->parts[0].radius / 18;
    CHECK_NEAR(t->swelling.grown[0], most, 1e-5 * (double)most);
    for (int v = 0; v < t->mesh->vertex_count; v++)
        t->surface.contact[v] = 0;
    pelti_tracking_swell(t, &t->surface, &t->swelling);
    CHECK_NEAR(risen(), 0, 0);
    assert_false(t->swelling.swollen);
}

static void only_skin_of_one_bone_is_tethered(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int pure = 0, mixed = 0, n = t->weights.influences;
    assert_int_equal(pelti_tracking_find_holds(t, NULL), PELT_OK);
    float weakest = INFINITY, firmest = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++) {
        bool one = t->weights.weight[v * n] > 0.999f;
        pure += one;
        mixed += t->weights.weight[v * n] < 0.9f;
        assert_true(one ? t->energy.hold[v] > 0 : t->weights.weight[v * n] > 0.9f || t->energy.hold[v] == 0);
        if (one)
            weakest = fminf(weakest, t->energy.hold[v] / t->energy.diagonal[v]);
    }
    assert_true(pure > 50 && mixed > 5);
    int v = 0;
    while (t->weights.weight[v * n] < 0.999f || t->skin.kind[v] != TRACKING_VERTEX_TRACKED)
        v++;
    t->skin.kind[v] = TRACKING_VERTEX_FREE; // where the field says nothing the tether is firm
    assert_int_equal(pelti_tracking_find_holds(t, NULL), PELT_OK);
    firmest = t->energy.hold[v] / t->energy.diagonal[v];
    assert_true(firmest > 0.9f * t->set.hold && weakest < 0.5f * t->set.hold);
    t->skin.kind[v] = TRACKING_VERTEX_TRACKED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_free_skin_rises_by_what_is_missing),
                                       cmocka_unit_test(it_is_no_balloon_and_goes_down_again),
                                       cmocka_unit_test(only_skin_of_one_bone_is_tethered)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
