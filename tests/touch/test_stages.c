/// The stages of a touching step, one by one, do what each of them promises.
/// Budget, gather, hooked, catch_up, exempt, crossings, path, patches, smooth, draw_in, iron, rigid.
#include "geometry/triangles.h"
#include "touch/constants.def"
#include "touch/parts.h"
#include "two.h"

static Vec3 random_vec(unsigned *seed)
{
    float v[3];
    for (int i = 0; i < 3; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        v[i] = (float)(*seed >> 8) / 8388608.0f - 1;
    }
    return vec3(v[0], v[1], v[2]);
}

static void a_budget_ends_one_beyond_what_is_allowed_and_stays_spent(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouch *t = two.touch;
    pelti_touch_allow(&t->budget, t->count);
    long long all = WORK * (long long)(t->count + 256);
    assert_true(pelti_touch_spend(&t->budget, all));
    assert_false(pelti_touch_spend(&t->budget, 1));
    assert_false(pelti_touch_spend(&t->budget, 0));
    pelti_touch_allow(&t->budget, t->count); // a new substep begins at nothing
    assert_true(pelti_touch_spend(&t->budget, all));
    pelti_touch_overflow(&t->budget, true);
    pelti_touch_overflow(&t->budget, false);
    assert_true(t->budget.overflow && !t->budget.spent);
    pelti_touch_forget_overflow(&t->budget);
    assert_false(t->budget.overflow);
    pelti_touch_overflow(&t->budget, true);
    pelti_touch_allow(&t->budget, t->count);
    assert_false(t->budget.overflow);
    drop(&two);
}

/// What is in trouble is held, with rings around it, what lags is loose, with fewer; the rest is free, and nothing is listed
/// twice.
static void a_round_looks_after_trouble_and_what_lags(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouch *t = two.touch;
    const PeltiMesh *mesh = t->mesh;
    int held[2] = {0, 0}, lags = POINTS - 1;
    t->state.trouble[0] = 1;
    t->state.lag[lags] = vec3(0, 0, 0.01f);
    for (int wide = 0; wide < 2; wide++) {
        int listed[POINTS] = {0}, loose = 0;
        pelti_touch_gather(t, wide);
        for (int i = 0; i < t->gathered.count; i++)
            assert_int_equal(listed[t->gathered.list[i]]++, 0);
        for (int v = 0; v < POINTS; v++) {
            assert_int_equal(listed[v], t->gathered.ring[v] != TOUCH_FREE);
            assert_true(t->gathered.ring[v] != (v < TUBE ? TOUCH_LOOSE : TOUCH_HELD));
            assert_true(!t->gathered.core[v] || t->gathered.ring[v] == TOUCH_HELD);
            held[wide] += t->gathered.ring[v] == TOUCH_HELD;
            loose += t->gathered.ring[v] == TOUCH_LOOSE;
        }
        assert_true(t->gathered.core[0] && t->gathered.ring[lags] == TOUCH_LOOSE);
        for (int r = mesh->ring_start[0]; r < mesh->ring_start[1]; r++)
            assert_int_equal(t->gathered.ring[mesh->ring[r]], TOUCH_HELD);
        assert_in_range(loose, 1, TUBE - 1);
    }
    assert_true(held[1] > held[0]);
    int count = t->gathered.count;
    pelti_touch_gather_one(&t->gathered, lags, TOUCH_HELD);
    assert_true(t->gathered.ring[lags] == TOUCH_LOOSE && t->gathered.count == count); // it is looked after already
    pelti_touch_gather_forced(&t->gathered, 1);
    pelti_touch_gather(t, 0);
    assert_true(t->gathered.forced[1]); // for the whole substep
    pelti_touch_gather_begin(t);
    assert_true(t->gathered.count == 0 && !t->gathered.forced[1] && !t->gathered.ring[0] && !t->gathered.core[0]);
    drop(&two);
}

/// A tube that is pushed into another while both are carried off: where they would meet they go as one body, with what both have
/// in common, the rest arrives, and nothing crosses.
static void only_what_hooks_stays_and_goes_along(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.22f, NULL); // 0.02 between them
    PeltiTouch *t = two.touch;
    pelti_touch_to_rest(t);
    for (int v = 0; v < POINTS; v++)
        t->state.wanted[v] = vec3_add(t->state.wanted[v], vec3(0.05f, 0, v < TUBE ? 0 : -0.04f));
    assert_true(pelti_touch_leave_hooked(t));
    int bound[2] = {0, 0}, first = -1;
    for (int v = 0; v < POINTS; v++) {
        float lag = vec3_distance(t->state.x[v], t->state.wanted[v]);
        if (lag < 1e-6f)
            continue;
        first = first < 0 ? v : first;
        bound[v >= TUBE]++;
        assert_true(t->scratch.zones.is_bound[v] && lag < 0.04f);
        assert_true(t->state.x[v].x - t->mesh->rest[v].x > 0.04f); // standing still it was 0
        CHECK_NEAR(vec3_distance(t->state.x[v], t->state.x[first]), vec3_distance(t->mesh->rest[v], t->mesh->rest[first]), 1e-6);
    }
    assert_in_range(bound[0], 8, TUBE / 2);
    assert_in_range(bound[1], 8, TUBE / 2);
    assert_int_equal(pelti_touch_find_crossings(t, t->state.x), 0);
    assert_true(pelti_touch_find_crossings(t, t->state.wanted) > 0);
    memcpy(t->state.wanted, t->state.x, sizeof *t->state.x * POINTS); // nothing meets: all arrives
    assert_true(pelti_touch_leave_hooked(t));
    assert_memory_equal(t->state.x, t->state.wanted, sizeof *t->state.x * POINTS);
    drop(&two);
}

/// A tube that was left far above the other one, into which it is wanted: it comes as near as a touch allows, and what is near
/// already is left as it is.
static void what_was_left_far_behind_catches_up_and_crosses_nothing(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.22f, NULL); // 0.02 between them
    PeltiTouch *t = two.touch;
    const float ups[] = {0.9f * LEFT_BEHIND * t->rest.size - 0.04f, 0.3f};
    two.report.spent = 1; // that is why
    for (int far = 0; far < 2; far++) {
        static Vec3 before[POINTS];
        float most;
        pelti_touch_to_rest(t);
        for (int v = TUBE; v < POINTS; v++) {
            t->state.x[v].z += ups[far];
            t->state.wanted[v].z -= 0.04f;
            t->state.lag[v] = vec3_sub(t->state.x[v], t->state.wanted[v]);
        }
        memcpy(before, t->state.x, sizeof before);
        pelti_touch_catch_up(t, &two.report);
        pelti_touch_behind(t, t->state.x, &most);
        assert_true(most < LEFT_BEHIND * t->rest.size && most > 0.02f / 2); // both tubes give way
        assert_int_equal(!memcmp(before, t->state.x, sizeof before), !far);
        assert_int_equal(pelti_touch_find_crossings(t, t->state.x), 0);
    }
    assert_in_range(two.report.substeps, 2, GO_ON);
    drop(&two);
}

/// A tube that something pushes away from the other follows; pushed through each other they do not, and all is as before.
static void a_push_that_skin_does_not_follow_changes_nothing(void **state)
{
    (void)state;
    static Vec3 shown[POINTS], before[POINTS];
    for (int through = 0; through < 2; through++) {
        Two two;
        two_tubes(&two, 0.22f, NULL); // 0.02 between them
        PeltiTouch *t = two.touch;
        Mat34 bone = mat34_identity();
        PeltiJoint joint = {quat_identity(), two.who->bones[0].head, mat3_identity()};
        PeltiTouchPose pose = {&bone, &joint, false, 0};
        memcpy(shown, t->mesh->rest, sizeof shown);
        pelti_touch_step(t, pose, shown, &two.report);
        memcpy(before, shown, sizeof before);
        for (int v = 0; v < POINTS; v++) { // through: only where they lie over each other, since elsewhere they would bend
            bool middle = fabsf(shown[v].x - 0.487f) < 0.12f && fabsf(shown[v].y) < 0.12f;
            shown[v].z += through ? (middle ? (v < TUBE ? 0.2f : -0.2f) : 0) : v < TUBE ? 0 : 0.1f;
        }
        assert_int_equal(pelti_touch_push(t, pose, shown, &two.report), !through);
        for (int v = 0; v < POINTS; v++)
            CHECK_NEAR(shown[v].z - before[v].z, v >= TUBE && !through ? 0.1f : 0, 1e-6);
        assert_memory_equal(shown, t->state.x, sizeof shown);
        if (through) // what it goes on from, too
            assert_memory_equal(t->state.wanted, t->mesh->rest, sizeof before);
        drop(&two);
    }
}

static void distances_have_weights_and_a_normal_that_give_them(void **state)
{
    (void)state;
    float w[4];
    Vec3 n, above[4] = {{0.25f, 0.25f, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK_NEAR(pelti_touch_distance(&(TouchFeature){.edges = false}, above, w, &n), 2, 1e-6);
    CHECK_NEAR(n.z, 1, 1e-6);
    CHECK_NEAR(w[0], 1, 1e-6);
    CHECK_NEAR(w[1], -0.5, 1e-6); // barycentric: 1 - 1/4 - 1/4
    CHECK_NEAR(w[2], -0.25, 1e-6);
    Vec3 crossed[4] = {{-1, 0, 3}, {3, 0, 3}, {0, -1, 0}, {0, 1, 0}};
    CHECK_NEAR(pelti_touch_distance(&(TouchFeature){.edges = true}, crossed, w, &n), 3, 1e-6);
    CHECK_NEAR(w[0], 0.75, 1e-6);
    CHECK_NEAR(w[1], 0.25, 1e-6);
    CHECK_NEAR(w[2], -0.5, 1e-6);
    CHECK_NEAR(n.z, 1, 1e-6);
}

static void a_fall_is_cut_before_it_lands_and_common_motion_is_not(void **state)
{
    (void)state;
    const Vec3 p[4] = {{0.25f, 0.25f, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    TouchFeature f = {.edges = false, .start = 1};
    Vec3 fall[4] = {{0, 0, -2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    float share = pelti_touch_safe_share(&f, p, fall, 1e-4f); // 0.9 of the distance, of a way twice as long
    assert_true(share > 0.4f && share <= 0.45f);
    fall[0].z = -0.8f;
    CHECK_NEAR(pelti_touch_safe_share(&f, p, fall, 1e-4f), 1, 0);
    Vec3 together[4] = {{9, -5, -7}, {9, -5, -7}, {9, -5, -7}, {9, -5, -7}};
    CHECK_NEAR(pelti_touch_safe_share(&f, p, together, 1e-4f), 1, 0);
}

static void what_is_called_safe_never_comes_nearer_than_a_tenth(void **state)
{
    (void)state;
    unsigned seed = 7;
    int cut = 0;
    for (int k = 0; k < 2000; k++) {
        TouchFeature f = {.edges = k & 1};
        Vec3 p[4], d[4];
        for (int i = 0; i < 4; i++)
            p[i] = random_vec(&seed), d[i] = vec3_scale(random_vec(&seed), 2);
        f.start = (float)pelti_touch_distance(&f, p, NULL, NULL);
        if (f.start < 0.01f)
            continue;
        float share = pelti_touch_safe_share(&f, p, d, 1e-5f);
        cut += share < 1;
        for (int s = 1; s <= 16; s++) {
            Vec3 at[4];
            for (int i = 0; i < 4; i++)
                at[i] = vec3_mad(p[i], d[i], share * (float)s / 16);
            // of four points that never lie in one plane all of the way is safe, however near they come
            if (share < 1 && !(pelti_touch_distance(&f, at, NULL, NULL) >= 0.0999 * (double)f.start))
                fail_msg("pair %d comes to %g of its distance", k, pelti_touch_distance(&f, at, NULL, NULL) / (double)f.start);
            if (!(pelti_touch_distance(&f, at, NULL, NULL) > 0))
                fail_msg("pair %d meets", k);
        }
    }
    assert_true(cut > 60);
}

/// Pairs of triangles that share no vertex and meet, one by one.
static int every_crossing(const PeltiMesh *mesh, const Vec3 *x)
{
    int found = 0;
    for (int a = 0; a < mesh->triangle_count; a++)
        for (int b = a + 1; b < mesh->triangle_count; b++) {
            const int *s = mesh->triangles[a], *u = mesh->triangles[b];
            bool shared = false;
            for (int i = 0; i < 9; i++)
                shared |= s[i / 3] == u[i % 3];
            const Vec3 p[3] = {x[s[0]], x[s[1]], x[s[2]]}, q[3] = {x[u[0]], x[u[1]], x[u[2]]};
            PeltiBox l = {vec3_min(p[0], vec3_min(p[1], p[2])), vec3_max(p[0], vec3_max(p[1], p[2]))};
            PeltiBox h = {vec3_min(q[0], vec3_min(q[1], q[2])), vec3_max(q[0], vec3_max(q[1], q[2]))};
            found += !shared && pelti_box_overlap(&l, &h, 0) && pelti_triangles_meet(p, q) != PELTI_TRIANGLES_APART;
        }
    return found;
}

static void crossings_are_those_found_one_by_one(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    const PeltiMesh *mesh = two.who->mesh;
    static Vec3 x[POINTS];
    assert_int_equal(pelti_touch_find_crossings(two.touch, mesh->rest), 0);
    for (int v = 0; v < mesh->vertex_count; v++) // one tube into the other, and a fold of the first into itself
        x[v] = vec3_add(mesh->rest[v], vec3(0, 0, mesh->component[v] == mesh->component[0] ? 0 : -0.213f));
    int expected = every_crossing(mesh, x);
    assert_true(expected > 20);
    assert_int_equal(pelti_touch_find_crossings(two.touch, x), expected);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (x[v].x > 0.7f)
            x[v].x = 1.15f - 0.643f * x[v].x, x[v].z += 0.011f;
    expected = every_crossing(mesh, x);
    assert_int_equal(pelti_touch_find_crossings(two.touch, x), expected);
    drop(&two);
}

static void what_crosses_at_rest_may_cross_there_and_nowhere_else(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.1f, NULL); // tubes of radius 0.1: they cross where they lie over each other
    const PeltiTouch *t = two.touch;
    const PeltiMesh *mesh = two.who->mesh;
    int crossing = every_crossing(mesh, mesh->rest), near = 0, far = 0;
    assert_true(crossing > 0);
    assert_int_equal(t->rest.crossings, crossing);
    assert_int_equal(pelti_touch_find_crossings(two.touch, mesh->rest), 0); // exempt from now on
    for (int p = 0; p < mesh->vertex_count; p += 3)
        for (int q = 0; q < mesh->vertex_count; q += 3) {
            bool two_parts = mesh->component[p] != mesh->component[q];
            bool close = vec3_distance(mesh->rest[p], mesh->rest[q]) < NEAR_AT_REST * t->rest.size;
            assert_int_equal(pelti_touch_exempt_vertices(t, p, q), pelti_touch_exempt_vertices(t, q, p));
            assert_int_equal(pelti_touch_exempt_vertices(t, p, q), two_parts && close);
            near += two_parts && close, far += two_parts && !close;
        }
    assert_true(near > 0 && far > 0);
    drop(&two);
}

static void patches_have_every_triangle_once_and_one_owner_of_everything(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    const TouchPatches *patches = &two.touch->patches;
    const PeltiMesh *mesh = two.who->mesh;
    int triangles = 0, vertices = 0, edges = 0;
    for (int k = 0; k < patches->count; k++) {
        const TouchPatch *p = &patches->patch[k];
        triangles += p->triangle_count;
        for (int i = 0; i < p->triangle_count; i++)
            assert_int_equal(patches->of[p->triangle[i]], k);
        for (int i = 0; i < p->vertex_count; i++)
            vertices += p->owns_vertex[i];
        for (int i = 0; i < p->edge_count; i++)
            edges += p->owns_edge[i];
        assert_int_equal(pelti_touch_patches_steps(patches, k, k), 0);
        for (int n = patches->neighbour_start[k]; n < patches->neighbour_start[k + 1]; n++) {
            assert_int_equal(pelti_touch_patches_steps(patches, k, patches->neighbour[n]), 1);
            assert_int_equal(pelti_touch_patches_steps(patches, patches->neighbour[n], k), 1);
        }
    }
    assert_int_equal(triangles, mesh->triangle_count);
    assert_int_equal(vertices, mesh->vertex_count);
    assert_int_equal(edges, mesh->edge_count);
    drop(&two);
}

static void a_shape_is_the_linear_map_and_bounds_what_is_left(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    const PeltiMesh *mesh = two.who->mesh;
    const TouchPatches *patches = &two.touch->patches;
    static Vec3 x[POINTS];
    unsigned seed = 3;
    const Mat3 turned = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}; // a turn
    for (int v = 0; v < mesh->vertex_count; v++)
        x[v] = vec3_add(mat3_apply(turned, mesh->rest[v]), vec3(3, -2, 1));
    for (int k = 0; k < patches->count; k++) {
        TouchShape shape;
        pelti_touch_patch_shape(&patches->patch[k], x, &shape, NULL);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(shape.linear.m[i / 3][i % 3], turned.m[i / 3][i % 3], 1e-3);
        CHECK_NEAR(shape.strain, 0, 1e-3);
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        x[v] = vec3_mad(x[v], random_vec(&seed), 0.01f);
    for (int k = 0; k < patches->count; k++) {
        const TouchPatch *p = &patches->patch[k];
        TouchShape shape;
        pelti_touch_patch_shape(p, x, &shape, NULL);
        for (int e = 0; e < p->edge_count; e++) {
            int a = p->vertex[p->edge[e][0]], b = p->vertex[p->edge[e][1]];
            Vec3 rest = vec3_sub(mesh->rest[b], mesh->rest[a]), now = vec3_sub(x[b], x[a]);
            float off = vec3_distance(now, mat3_apply(shape.linear, rest)) / vec3_length(rest);
            if (!(off <= shape.strain * 1.001f + 1e-5f))
                fail_msg("patch %d: an edge is off by %g, strain %g", k, (double)off, (double)shape.strain);
        }
    }
    drop(&two);
}

static void a_join_that_is_called_smooth_has_no_triangles_that_cross(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouch *t = two.touch;
    const PeltiMesh *mesh = two.who->mesh;
    static Vec3 x[POINTS];
    int smooth_at_rest = 0, crossing = 0, smooth = 0;
    unsigned seed = 11;
    pelti_touch_find_crossings(t, mesh->rest);
    for (int k = 0; k < t->patches.join_count; k++)
        smooth_at_rest += pelti_touch_join_smooth(&t->patches.join[k], t->scratch.search.skin.shape);
    for (int round = 1; round <= 4; round++) {
        for (int v = 0; v < mesh->vertex_count; v++)
            x[v] = vec3_mad(mesh->rest[v], random_vec(&seed), 0.01f * (float)(round * round));
        pelti_touch_find_crossings(t, x);
        for (int k = 0; k < t->patches.join_count; k++) {
            const TouchJoin *join = &t->patches.join[k];
            int crosses = pelti_touch_patches_cross(t, &t->scratch.search.skin, join->a, join->b, NULL);
            if (pelti_touch_join_smooth(join, t->scratch.search.skin.shape)) {
                assert_int_equal(crosses, 0);
                smooth++;
            }
            crossing += crosses;
        }
    }
    assert_true(smooth_at_rest > t->patches.join_count / 4 && smooth > 0 && crossing > 100);
    drop(&two);
}

/// Skin that is bent, then crumpled ever more: what a first look calls flat, smooth or not drawn out is so, and at first most is.
static void a_first_look_spares_only_what_is_flat_smooth_and_short(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouch *t = two.touch;
    const PeltiMesh *mesh = two.who->mesh;
    static Vec3 x[POINTS];
    unsigned seed = 5;
    for (int round = 0; round < 13; round++) {
        int eased = 0, flat = 0, against = 0, joins = 0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            Vec3 p = mesh->rest[v];
            float turn = 0.3f * p.x;
            Vec3 bent = vec3(sinf(turn) / 0.3f - p.z * sinf(turn), p.y, p.z * cosf(turn) + (1 - cosf(turn)) / 0.3f);
            x[v] = vec3_mad(bent, random_vec(&seed), 0.0005f * (float)(round * round));
        }
        pelti_touch_look(t, x);
        for (int k = 0; k < t->patches.join_count; k++) {
            joins += t->patches.join[k].limit > 0;
            if (!pelti_touch_join_eased(&t->patches.join[k], t->look.ease))
                continue;
            assert_true(pelti_touch_join_smooth(&t->patches.join[k], t->look.shape));
            eased++;
        }
        for (int k = 0; k < mesh->triangle_count; k++) {
            const Vec3 area = pelti_triangle_normal(x, mesh->triangles[k]);
            assert_memory_equal(&t->look.area[k], &area, sizeof area);
            bool turned = pelti_touch_against_neighbours(t->mesh, &t->patches, x, k) < 0;
            assert_false(turned && t->look.ease[t->patches.of[k]].flat);
            against += turned;
        }
        for (int k = 0; k < t->patches.count; k++) {
            const TouchPatch *p = &t->patches.patch[k];
            flat += t->look.ease[k].flat;
            for (int e = 0; e < p->edge_count && !pelti_touch_may_be_drawn(&t->look.shape[k], 2.2f); e++)
                assert_true(vec3_distance(x[p->vertex[p->edge[e][0]]], x[p->vertex[p->edge[e][1]]]) * p->edge_inverse[e] < 2.2f);
        }
        assert_true(round > 0 || (2 * eased > joins && 3 * flat > t->patches.count));
        assert_true(round < 12 || (against > 0 && flat < t->patches.count));
    }
    drop(&two);
}

static float longest_edge(const PeltiMesh *mesh, const Vec3 *x)
{
    float most = 0;
    for (int e = 0; e < mesh->edge_count; e++)
        most = fmaxf(most, vec3_distance(x[mesh->edges[e][0]], x[mesh->edges[e][1]]) /
                               vec3_distance(mesh->rest[mesh->edges[e][0]], mesh->rest[mesh->edges[e][1]]));
    return most;
}

static void torn_edges_are_drawn_in_and_what_bones_stretch_is_left(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    const PeltiMesh *mesh = two.who->mesh;
    static Vec3 x[POINTS], before[POINTS];
    Mat34 still = mat34_identity(), large = mat34_identity();
    memcpy(x, mesh->rest, sizeof x);
    int torn = mesh->vertex_count / 4;
    x[torn].z += 0.4f;
    memcpy(before, x, sizeof x);
    float was = longest_edge(mesh, x);
    pelti_touch_look(two.touch, x);
    pelti_touch_draw_in(two.touch, &still, x);
    float now = longest_edge(mesh, x);
    if (!(was > 1.5f * DRAWN_IN && now < 1.1f * DRAWN_IN))
        fail_msg("edges of %g of their length are drawn in to %g", (double)was, (double)now);
    for (int v = 0; v < mesh->vertex_count; v++) // the other tube, which nothing joins to it
        if (mesh->component[v] != mesh->component[torn])
            assert_memory_equal(&x[v], &before[v], sizeof *x);
    for (int i = 0; i < 3; i++)
        large.m[i][i] = 5;
    for (int v = 0; v < mesh->vertex_count; v++)
        x[v] = before[v] = mat34_apply(large, mesh->rest[v]);
    pelti_touch_look(two.touch, x);
    pelti_touch_draw_in(two.touch, &large, x);
    assert_memory_equal(x, before, sizeof x);
    drop(&two);
}

/// Two bones that move apart draw an edge out by blending itself: it is drawn in as well, and no more than it must be where one
/// of them is larger.
static void edges_that_bones_tear_are_drawn_in(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    const PeltiMesh *mesh = two.who->mesh;
    static Vec3 x[POINTS];
    int torn = mesh->vertex_count / 4;
    two.touch->rest.bone[torn][0] = 1;
    for (int k = 0; k < 2; k++) { // the second time the bone is scaled by 1.5 about the vertex
        float scale = k ? 1.5f : 1;
        Vec3 to = vec3_add(mesh->rest[torn], vec3(0, 0, 0.4f));
        Mat34 bones[2] = {mat34_identity(),
                          mat34_from(mat3_scale(mat3_identity(), scale), vec3_sub(to, vec3_scale(mesh->rest[torn], scale)))};
        for (int v = 0; v < mesh->vertex_count; v++)
            x[v] = pelti_touch_blend(two.touch, bones, v);
        float was = longest_edge(mesh, x);
        pelti_touch_look(two.touch, x);
        pelti_touch_draw_in(two.touch, bones, x);
        float now = longest_edge(mesh, x) / scale;
        if (!(was > 1.5f * scale * DRAWN_IN && now < 1.1f * DRAWN_IN && now > 0.9f * DRAWN_IN))
            fail_msg("edges of %g of their length are drawn in to %g times %g", (double)was, (double)now, (double)scale);
    }
    drop(&two);
}

static int inside_out(const PeltiMesh *mesh, const Vec3 *x)
{
    int count = 0;
    for (int k = 0; k < mesh->triangle_count; k++)
        count +=
            vec3_dot(pelti_triangle_normal(x, mesh->triangles[k]), pelti_triangle_normal(mesh->rest, mesh->triangles[k])) < 0;
    return count;
}

/// A method that lays triangles over their neighbours; far from there nothing changes, nor where its bone turns all skin over.
static void triangles_inside_out_are_ironed(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 1, NULL);
    const PeltiMesh *mesh = two.touch->mesh;
    Vec3 x[POINTS], before[POINTS];
    Mat34 still = mat34_identity(), over = mat34_from(mat3_scale(mat3_identity(), -1), vec3(0, 0, 0));
    memcpy(x, mesh->rest, sizeof x);
    x[5 * AROUND].x += 1.6f * vec3_distance(mesh->rest[5 * AROUND], mesh->rest[6 * AROUND]);
    memcpy(before, x, sizeof x);
    assert_true(inside_out(mesh, x) > 0);
    pelti_touch_look(two.touch, x);
    pelti_touch_iron(two.touch, &still, x);
    assert_int_equal(inside_out(mesh, x), 0);
    assert_memory_equal(x + TUBE, before + TUBE, sizeof *x * TUBE);
    for (int v = 0; v < POINTS; v++)
        x[v] = before[v] = mat34_apply(over, mesh->rest[v]);
    pelti_touch_look(two.touch, x);
    pelti_touch_iron(two.touch, &over, x);
    assert_memory_equal(x, before, sizeof x);
    drop(&two);
}

/// A dent that a method made for the tip of another tube, with triangles inside out: flat again, more would cross. That is
/// left to what follows, unless something stays behind already.
static void ironing_makes_no_more_cross_while_skin_stays_behind(void **state)
{
    (void)state;
    Two two;
    two_tubes(&two, 0.3f, NULL);
    PeltiTouch *t = two.touch;
    Mat34 still = mat34_identity();
    Vec3 x[POINTS], before[POINTS], top = vec3(0.487f, 0, 0.1f);
    int dent = 0;
    for (int v = 1; v < TUBE; v++)
        dent = vec3_distance(t->mesh->rest[v], top) < vec3_distance(t->mesh->rest[dent], top) ? v : dent;
    memcpy(x, t->mesh->rest, sizeof x);
    int tip = TUBE;
    for (int v = TUBE; v < POINTS; v++)
        tip = vec3_distance(t->mesh->rest[v], top) < vec3_distance(t->mesh->rest[tip], top) ? v : tip;
    x[tip] = vec3_add(x[dent], vec3(0, 0, -0.002f));
    x[dent] = vec3_add(x[dent], vec3(1.6f * vec3_distance(t->mesh->rest[5 * AROUND], t->mesh->rest[6 * AROUND]), 0, -0.01f));
    memcpy(before, x, sizeof x);
    assert_true(inside_out(t->mesh, x) > 0);
    for (int behind = 1; behind >= 0; behind--) {
        t->state.behind = behind;
        pelti_touch_look(t, x);
        pelti_touch_iron(t, &still, x);
        assert_true((memcmp(x, before, sizeof x) != 0) == !behind);
    }
    assert_true(pelti_touch_find_crossings(t, x) > pelti_touch_find_crossings(t, before));
    drop(&two);
}

/// The motion that carried points is found again, far from the origin too; of points that went apart, what they have in common.
static void the_common_motion_is_found_again(void **state)
{
    (void)state;
    unsigned seed = 3;
    Mat3 turn = quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(1, -2, 0.5f), vec3(1, 0, 0)), 2.2f));
    for (int far = 0; far < 2; far++) {
        double sum[TOUCH_SUMS] = {0}, apart[TOUCH_SUMS] = {0};
        Vec3 a = vec3(far ? 1e3f : 0, 0, 0), b = vec3(0, far ? -2e3f : 0, 0), p[40], q;
        for (int i = 0; i < 40; i++) {
            p[i] = vec3_add(a, random_vec(&seed));
            q = vec3_add(b, mat3_apply(turn, vec3_sub(p[i], a)));
            pelti_touch_sum_pair(sum, a, p[i], b, q);
            pelti_touch_sum_pair(apart, a, p[i], b, vec3_mad(q, vec3(0, 0, 1), i % 2 ? 0.5f : -0.5f));
        }
        Mat34 found = pelti_touch_rigid(sum, 40, 1, a, b), mean = pelti_touch_rigid(apart, 40, 1, a, b);
        for (int i = 0; i < 40; i++) {
            q = vec3_add(b, mat3_apply(turn, vec3_sub(p[i], a)));
            assert_true(vec3_distance(mat34_apply(found, p[i]), q) < (far ? 2e-3f : 1e-5f)); // floats a thousand from the origin
            assert_true(vec3_distance(mat34_apply(mean, p[i]), q) < 0.5f);
        }
        Mat3 r = mat34_linear(mean);
        CHECK_NEAR(vec3_length(mat3_apply(r, vec3(0, 1, 0))), 1, 1e-5); // rigid, whatever the points did
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_ends_one_beyond_what_is_allowed_and_stays_spent),
        cmocka_unit_test(a_round_looks_after_trouble_and_what_lags),
        cmocka_unit_test(only_what_hooks_stays_and_goes_along),
        cmocka_unit_test(what_was_left_far_behind_catches_up_and_crosses_nothing),
        cmocka_unit_test(a_push_that_skin_does_not_follow_changes_nothing),
        cmocka_unit_test(triangles_inside_out_are_ironed),
        cmocka_unit_test(ironing_makes_no_more_cross_while_skin_stays_behind),
        cmocka_unit_test(distances_have_weights_and_a_normal_that_give_them),
        cmocka_unit_test(a_fall_is_cut_before_it_lands_and_common_motion_is_not),
        cmocka_unit_test(what_is_called_safe_never_comes_nearer_than_a_tenth),
        cmocka_unit_test(crossings_are_those_found_one_by_one),
        cmocka_unit_test(what_crosses_at_rest_may_cross_there_and_nowhere_else),
        cmocka_unit_test(patches_have_every_triangle_once_and_one_owner_of_everything),
        cmocka_unit_test(a_shape_is_the_linear_map_and_bounds_what_is_left),
        cmocka_unit_test(a_join_that_is_called_smooth_has_no_triangles_that_cross),
        cmocka_unit_test(a_first_look_spares_only_what_is_flat_smooth_and_short),
        cmocka_unit_test(torn_edges_are_drawn_in_and_what_bones_stretch_is_left),
        cmocka_unit_test(edges_that_bones_tear_are_drawn_in),
        cmocka_unit_test(the_common_motion_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
