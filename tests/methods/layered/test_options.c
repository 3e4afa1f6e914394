/// Options that nothing else tries: each does what it says.
#include "methods/layered/constants.def"
#include "tube.h"

/// A tube whose root is shaken: the points after some frames.
static void shake(const char *const *options, Vec3 *points)
{
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, options);
    tube_step(&tube, 0, true);
    for (int i = 1; i <= 3; i++) {
        tube_pose(&tube, 0, vec3(0, 0.05f * (float)(i * i), 0)); // ever faster
        tube_step(&tube, 1 / 30.0f, false);
    }
    memcpy(points, tube.points, sizeof(Vec3[TUBE_POINTS]));
    tube_release(&tube);
}

static double apart(const Vec3 *a, const Vec3 *b)
{
    double sum = 0;
    for (int p = 0; p < TUBE_POINTS; p++)
        sum += (double)vec3_distance(a[p], b[p]);
    return sum / TUBE_POINTS;
}

/// Flesh that hangs on no bone: six iterations of which one matches shapes are one iteration, and not six that do.
static void match_every_leaves_shape_matching_out(void **state)
{
    (void)state;
    static Vec3 every[TUBE_POINTS], sixth[TUBE_POINTS], once[TUBE_POINTS];
    shake((const char *const[]){"coupling", "0", "joint-keep", "0", "iterations", "6", NULL}, every);
    shake((const char *const[]){"coupling", "0", "joint-keep", "0", "iterations", "6", "match-every", "6", NULL}, sixth);
    shake((const char *const[]){"coupling", "0", "joint-keep", "0", "iterations", "1", NULL}, once);
    printf("a sixth matched: %.2g from one iteration, %.2g from six\n", apart(sixth, once), apart(sixth, every));
    assert_true(apart(sixth, once) < 1e-5 && apart(sixth, every) > 1e-3);
}

static void without_coupling_flesh_stays_behind(void **state)
{
    (void)state;
    static Vec3 points[3][TUBE_POINTS];
    double lag[3];
    const char *const shares[3] = {"1", "0.1", "0"};
    for (int k = 0; k < 3; k++) {
        shake((const char *const[]){"coupling", shares[k], NULL}, points[k]);
        static Vec3 goal[TUBE_POINTS];
        Tube tube;
        tube_make(&tube, 2, NULL, NULL, NULL);
        for (int p = 0; p < TUBE_POINTS; p++)
            goal[p] = vec3_add(tube.who->rest_points[p], vec3(0, 0.45f, 0));
        tube_release(&tube);
        lag[k] = apart(points[k], goal);
    }
    printf("coupling 1, 0.1, 0: behind by %.3g, %.3g, %.3g\n", lag[0], lag[1], lag[2]);
    assert_true(lag[1] > 1.5 * lag[0] && lag[2] > 3 * lag[0]);
}

/// How deep points of the one half of a bent tube lie beyond the plane between both halves, the mean over all that do.
static double crossed(const Tube *tube, float angle)
{
    Vec3 joint = tube->who->bones[1].head, normal = vec3(cosf(0.5f * angle), sinf(0.5f * angle), 0);
    double sum = 0;
    for (int p = 0; p < TUBE_POINTS; p++) {
        float side = tube->who->rest_points[p].x < joint.x ? -1 : 1;
        sum += fmax(0, (double)(-side * vec3_dot(vec3_sub(tube->points[p], joint), normal)));
    }
    return sum / TUBE_POINTS;
}

static void skin_that_may_not_collide_passes_through(void **state)
{
    (void)state;
    double deep[2];
    for (int off = 0; off < 2; off++) {
        Tube tube;
        tube_make(&tube, 2, NULL, NULL, (const char *const[]){"collide", off ? "false" : "true", NULL});
        tube_step(&tube, 0, true);
        int contacts = 0;
        for (int i = 1; i <= 20; i++) {
            tube_pose(&tube, 0.14f * (float)i, vec3(0, 0, 0));
            tube_step(&tube, 1 / 30.0f, false);
            contacts += tube.flesh->collide.contacts.count;
        }
        deep[off] = crossed(&tube, 2.8f);
        assert_true(off ? contacts == 0 : contacts > 0);
        tube_release(&tube);
    }
    printf("bent by 160 degrees: %.3g beyond the other half with contacts, %.3g without\n", deep[0], deep[1]);
    assert_true(deep[1] > 1.5 * deep[0]);
}

/// A tube bent in one go, and the least distance between points of its halves that are two radii apart at rest.
static double nearest_in_a_bend(const char *const *options, float angle, int steps)
{
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, options);
    tube_step(&tube, 0, true);
    for (int i = 1; i <= steps; i++) {
        tube_pose(&tube, angle * (float)i / (float)steps, vec3(0, 0, 0));
        tube_step(&tube, 1 / 30.0f, false);
    }
    const Vec3 *rest = tube.who->rest_points;
    double least = INFINITY;
    for (int a = 0; a < TUBE_POINTS; a++)
        for (int b = 0; b < a; b++)
            if (vec3_distance(rest[a], rest[b]) > 1)
                least = fmin(least, (double)vec3_distance(tube.points[a], tube.points[b]));
    tube_release(&tube);
    return least;
}

static void touching_skin_keeps_the_gap(void **state)
{
    (void)state;
    double narrow = nearest_in_a_bend((const char *const[]){"gap", "0.0006", NULL}, 2.8f, 20),
           wide = nearest_in_a_bend((const char *const[]){"gap", "0.01", NULL}, 2.8f, 20);
    printf("nearest %.3g, with a gap of .01 of the size, 4.2, %.3g\n", narrow, wide);
    assert_true(narrow < 0.8 * wide && wide > 0.042);
}

/// The least share of its distance to the joint that skin beside it keeps in a bend, were there no contacts.
static double share_kept(const char *keep)
{
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, (const char *const[]){"joint-keep", keep, "collide", "false", NULL});
    tube_step(&tube, 0, true);
    for (int i = 1; i <= 20; i++) {
        tube_pose(&tube, 0.07f * (float)i, vec3(0, 0, 0));
        tube_step(&tube, 1 / 30.0f, false);
    }
    Vec3 joint = tube.who->bones[1].head;
    double kept = INFINITY;
    for (int p = 0; p < TUBE_POINTS; p++) {
        Vec3 rest = tube.who->rest_points[p];
        if (fabsf(rest.x - joint.x) < 0.4f)
            kept = fmin(kept, (double)(vec3_distance(tube.points[p], joint) / vec3_distance(rest, joint)));
    }
    tube_release(&tube);
    return kept;
}

static void flesh_keeps_its_share_of_the_distance_to_a_joint(void **state)
{
    (void)state;
    double none = share_kept("0"), some = share_kept("0.75"), most = share_kept("0.9");
    printf("bent by 80 degrees, least share kept: %.3g, %.3g and %.3g\n", none, some, most);
    assert_true(none < 0.7);
    CHECK_NEAR(some, 0.75, 0.03);
    CHECK_NEAR(most, 0.9, 0.03);
}

/// The farthest ring that hears of a push on one vertex in a step of one iteration.
static int heard(const char *omega)
{
    Tube tube[2]; // one is pushed
    for (int k = 0; k < 2; k++) {
        const char *const options[] = {"region", omega, "iterations", "1", "volume-iterations", "0", "collide", "false", NULL};
        tube_make(&tube[k], 2, NULL, NULL, options);
        tube_step(&tube[k], 0, true);
        tube_step(&tube[k], 1 / 30.0f, false); // speeds count from here on
    }
    const PeltiMesh *mesh = tube[0].flesh->mesh;
    int pushed = ALONG / 2 * AROUND, ring[TUBE_POINTS], farthest = 0;
    for (int k = 0; k < 2; k++) {
        PeltiFlesh *flesh = tube[k].flesh;
        if (k)
            pelti_flesh_set_lane(flesh->moving.velocity, flesh->paths.slot[mesh->weld[pushed]], PELTI_LAYER_SKIN, vec3(0, 1, 0));
        pelti_flesh_substep(flesh, tube[k].bones, 0.005f, false);
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        ring[v] = v == mesh->weld[pushed] ? 0 : TUBE_POINTS;
    for (int round = 0; round < 12; round++)
        for (int v = 0; v < mesh->vertex_count; v++)
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
                if (ring[mesh->ring[e]] + 1 < ring[v])
                    ring[v] = ring[mesh->ring[e]] + 1;
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 x[2];
        for (int k = 0; k < 2; k++)
            x[k] = pelti_flesh_lane(tube[k].flesh->match.x, tube[k].flesh->paths.slot[v], PELTI_LAYER_SKIN);
        if (ring[v] > farthest && vec3_distance(x[0], x[1]) > 1e-5f)
            farthest = ring[v];
    }
    tube_release(&tube[0]);
    tube_release(&tube[1]);
    return farthest;
}

/// A vertex takes part in the regions of all vertices within omega rings, each of which moves what is within omega of its middle.
static void a_push_is_heard_over_two_regions(void **state)
{
    (void)state;
    assert_int_equal(heard("1"), 2);
    assert_int_equal(heard("2"), 4);
    assert_int_equal(heard("3"), 6);
}

/// A point that approaches a triangle leaves it with the share of its speed that `bounce` says, less what pressed flesh loses.
static void bounce_is_the_share_of_speed_that_comes_back(void **state)
{
    (void)state;
    const char *const shares[3] = {"0", "0.5", "1"};
    for (int k = 0; k < 3; k++) {
        Tube tube;
        tube_make(&tube, 2, NULL, NULL, (const char *const[]){"bounce", shares[k], NULL});
        tube_step(&tube, 0, true);
        PeltiFlesh *flesh = tube.flesh;
        PeltiLayeredContact contact = {.weight = {1, -0.25f, -0.25f, -0.5f}, .push = 1e-3f, .normal = vec3(0, 1, 0)};
        Vec3 relative = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            contact.slot[i] = 10 * i;
        assert_true(flesh->collide.contacts.capacity > 0);
        flesh->collide.contacts.list[0] = contact;
        flesh->collide.contacts.count = 1;
        for (int i = 0; i < 4; i++)
            pelti_flesh_set_lane(flesh->moving.velocity, contact.slot[i], PELTI_LAYER_SKIN, vec3(0, i ? 1 : -1, 0));
        for (int l = 0; l < 3; l++) // bones that stand
            memcpy(flesh->moving.goal_before[l], flesh->moving.goal[l], sizeof(float) * PELTI_LAYERS * (size_t)flesh->n);
        pelti_layered_collide_velocities(flesh, 0.005f);
        for (int i = 0; i < 4; i++)
            relative = vec3_mad(relative, pelti_flesh_lane(flesh->moving.velocity, contact.slot[i], PELTI_LAYER_SKIN),
                                contact.weight[i]);
        CHECK_NEAR(relative.y, 2 * atof(shares[k]) * (1 - (double)PRESSED_REST), 1e-5);
        tube_release(&tube);
    }
}

/// Skin that slides over skin is braked by the friction's share of the push, and comes to rest where that is more than its speed.
static void friction_brakes_by_its_share_of_the_push(void **state)
{
    (void)state;
    const char *const coefficients[3] = {"0", "0.5", "10"};
    const float push = 1e-3f, dt_s = 0.005f, speed = 2;
    for (int k = 0; k < 3; k++) {
        Tube tube;
        tube_make(&tube, 2, NULL, NULL, (const char *const[]){"friction", coefficients[k], NULL});
        tube_step(&tube, 0, true);
        PeltiFlesh *flesh = tube.flesh;
        PeltiLayeredContact contact = {.weight = {1, -0.25f, -0.25f, -0.5f}, .push = push, .normal = vec3(0, 1, 0)};
        Vec3 relative = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            contact.slot[i] = 10 * i;
        flesh->collide.contacts.list[0] = contact;
        flesh->collide.contacts.count = 1;
        for (int i = 0; i < 4; i++)
            pelti_flesh_set_lane(flesh->moving.velocity, contact.slot[i], PELTI_LAYER_SKIN,
                                 vec3(i ? -0.5f * speed : 0.5f * speed, 0, 0));
        for (int l = 0; l < 3; l++) // bones that stand
            memcpy(flesh->moving.goal_before[l], flesh->moving.goal[l], sizeof(float) * PELTI_LAYERS * (size_t)flesh->n);
        pelti_layered_collide_velocities(flesh, dt_s);
        for (int i = 0; i < 4; i++)
            relative = vec3_mad(relative, pelti_flesh_lane(flesh->moving.velocity, contact.slot[i], PELTI_LAYER_SKIN),
                                contact.weight[i]);
        double left = fmax(0, (double)speed - atof(coefficients[k]) * (double)(push / dt_s));
        CHECK_NEAR(relative.x, left * (1 - (double)PRESSED_REST), 1e-5);
        tube_release(&tube);
    }
}

/// How far the bone layer below the other vertices goes when that below one is pushed, in a step that only matches shapes.
static double bone_layer_follows(const char *firmness)
{
    Tube tube[2]; // one is pushed
    for (int k = 0; k < 2; k++) {
        const char *const options[] = {"bone-firmness", firmness, "iterations", "1", "coupling", "0", "collide", "false", NULL};
        tube_make(&tube[k], 2, NULL, NULL, options);
        tube_step(&tube[k], 0, true);
        tube_step(&tube[k], 1 / 30.0f, false); // speeds count from here on
    }
    const PeltiMesh *mesh = tube[0].flesh->mesh;
    int pushed = mesh->weld[ALONG / 2 * AROUND];
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        PeltiFlesh *flesh = tube[k].flesh;
        if (k)
            pelti_flesh_set_lane(flesh->moving.velocity, flesh->paths.slot[pushed], PELTI_LAYER_BONE, vec3(0, 1, 0));
        pelti_flesh_substep(flesh, tube[k].bones, 0.005f, false);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 x[2];
        for (int k = 0; k < 2; k++)
            x[k] = pelti_flesh_lane(tube[k].flesh->match.x, tube[k].flesh->paths.slot[v], PELTI_LAYER_BONE);
        if (v != pushed)
            sum += (double)vec3_distance(x[0], x[1]);
    }
    tube_release(&tube[0]);
    tube_release(&tube[1]);
    return sum;
}

/// Shape matching hands a push on to the rest of the bone layer, the more the stiffer it is; without stiffness not at all.
static void bone_firmness_is_the_stiffness_of_the_bone_layer(void **state)
{
    (void)state;
    double none = bone_layer_follows("0"), half = bone_layer_follows("0.5"), whole = bone_layer_follows("1");
    printf("the rest of the bone layer goes %.3g, %.3g and %.3g\n", none, half, whole);
    assert_true(none < 1e-3 * half && half < whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(match_every_leaves_shape_matching_out),
        cmocka_unit_test(without_coupling_flesh_stays_behind),
        cmocka_unit_test(skin_that_may_not_collide_passes_through),
        cmocka_unit_test(touching_skin_keeps_the_gap),
        cmocka_unit_test(flesh_keeps_its_share_of_the_distance_to_a_joint),
        cmocka_unit_test(a_push_is_heard_over_two_regions),
        cmocka_unit_test(friction_brakes_by_its_share_of_the_push),
        cmocka_unit_test(bounce_is_the_share_of_speed_that_comes_back),
        cmocka_unit_test(bone_firmness_is_the_stiffness_of_the_bone_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
