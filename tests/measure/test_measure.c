/// Measures on boxes and chains where the answer is known: depth, cracks, jitter, loops, rigid motion, any number of threads.
#include "chain.h"

#include "geometry/exact.h"
#include "measure/measure.h"
#include "points.h"

static const int box_faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

static void place_box(Vec3 low, float edge, Vec3 *out) // 8 corners
{
    for (int i = 0; i < 8; i++)
        out[i] = vec3_mad(low, vec3((float)(i >> 2), (float)(i >> 1 & 1), (float)(i & 1)), edge);
}

static PeltiCharacter *two_boxes(Vec3 *p) // a unit box, and one of 0.8 apart from it at rest; one instance each
{
    int t[24][3], points[] = {8, 8};
    place_box(vec3(0, 0, 0), 1, p);
    place_box(vec3(3, 0.1f, 0.15f), 0.8f, p + 8);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 3; k++)
            t[i][k] = box_faces[i % 12][k] + (i < 12 ? 0 : 8);
    return make_chain((ChainBones){2, 0, 3}, 2, points, (ChainSkin){16, p, 24, (const int(*)[3])t});
}

static PeltiMeasure *measure_new(const PeltiCharacter *who, PeltiJobs *jobs, const PeltAllocator *allocator)
{
    PeltiMeasure *m = NULL;
    PeltError err = {0};
    if (pelti_measure_create(who, jobs, allocator, &m, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return m;
}

static Mat34 unmoved[2];
static int set_up(void **state)
{
    (void)state;
    unmoved[0] = unmoved[1] = mat34_identity();
    return 0;
}

static void boxes_pushed_into_each_other_are_as_deep_as_they_are(void **state)
{
    (void)state;
    Vec3 p[16];
    PeltiCharacter *who = two_boxes(p);
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    measure_points(m, p, unmoved, NULL, &f);
    assert_int_equal(f.self_intersections + f.coplanar_overlaps + f.inside_vertices + f.inverted, 0);
    double size = (double)who->mesh->diagonal;
    for (int step = 1; step <= 8; step++) {
        float deep = 0.03f * (float)step;
        place_box(vec3(1 - deep, 0.1f, 0.15f), 0.8f, p + 8);
        measure_points(m, p, unmoved, NULL, &f);
        long brute = 0;
        for (int a = 0; a < who->mesh->triangle_count; a++)
            for (int b = a + 1; b < who->mesh->triangle_count; b++) {
                const int *s = who->mesh->triangles[a], *t = who->mesh->triangles[b];
                Vec3 x[3], y[3];
                bool shared = false;
                for (int i = 0; i < 3; i++) {
                    x[i] = p[who->mesh->first_point[s[i]]], y[i] = p[who->mesh->first_point[t[i]]];
                    shared |= s[i] == t[0] || s[i] == t[1] || s[i] == t[2];
                }
                brute += !shared && pelti_triangles_meet(x, y) == PELTI_TRIANGLES_CROSSING;
            }
        assert_true(brute > 8);
        assert_int_equal(f.self_intersections, brute);
        assert_int_equal(f.self_intersections_new, brute);
        assert_int_equal(f.deep_pairs, brute);
        assert_int_equal(f.inside_vertices, 4); // the near corners of the small box
        CHECK_NEAR(f.depth * size, deep, 1e-6);
        CHECK_NEAR(f.volume_ratio_min, 1, 1e-6);
        const float *depth = pelti_measure_depth(m);
        for (int v = 0; v < 16; v++)
            CHECK_NEAR((double)depth[who->mesh->weld[v]] * size, v >= 8 && v < 12 ? deep : 0, 1e-6);
        int flagged = 0;
        for (int t = 0; t < 24; t++)
            flagged += pelti_measure_crossing(m)[t] == 2;
        assert_int_equal(flagged, f.triangles_intersecting);
    }
    PeltQuality q;
    pelti_measure_summary(m, &q);
    assert_int_equal(q.frames, 9);
    assert_int_equal(q.self_intersecting_frames, 8);
    CHECK_NEAR(q.depth * size, 0.24, 1e-6);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void boxes_that_touch_are_not_deep(void **state)
{
    (void)state;
    Vec3 p[16];
    PeltiCharacter *who = two_boxes(p);
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    place_box(vec3(1, 0.125f, 0.0625f), 0.75f, p + 8); // a face in the face of the other
    measure_points(m, p, unmoved, NULL, &f);
    assert_true(f.coplanar_overlaps > 0); // and edges of one run through the border of the other: crossings without depth
    assert_int_equal(f.deep_pairs + f.inside_vertices, 0);
    CHECK_NEAR(f.pair_depth, 0, 0);
    place_box(vec3(1, 1, 1), 0.75f, p + 8); // a corner in a corner: two vertices at one place, but not one vertex
    measure_points(m, p, unmoved, NULL, &f);
    assert_int_equal(f.self_intersections + f.coplanar_overlaps + f.inside_vertices, 0);
    place_box(vec3(1, 0.25f, 1), 0.5f, p + 8); // an edge on an edge
    measure_points(m, p, unmoved, NULL, &f);
    assert_int_equal(f.deep_pairs + f.coplanar_overlaps + f.inside_vertices, 0);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static Vec3 tube[TUBE_POINTS], moved[TUBE_POINTS], more[TUBE_POINTS];
static int faces[TUBE_TRIANGLES][3];

static PeltiCharacter *tube_new(void)
{
    int points[] = {TUBE_POINTS}, n = make_tube(4, 0.4f, tube, faces, 0);
    return make_chain((ChainBones){2, 0, 1.9f}, 1, points, (ChainSkin){TUBE_POINTS, tube, n, (const int(*)[3])faces});
}

static void rigid_motion_changes_nothing_and_scaling_scales(void **state)
{
    (void)state;
    PeltiCharacter *who = tube_new();
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    Mat34 turn = mat34_from(quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(1, 2, 3), vec3(1, 0, 0)), 2.5f)), vec3(1, -2, 5));
    for (int i = 0; i < TUBE_POINTS; i++)
        moved[i] = mat34_apply(turn, tube[i]);
    measure_points(m, moved, (Mat34[2]){turn, turn}, NULL, &f);
    assert_int_equal(f.self_intersections + f.inside_vertices + f.everted_vertices + f.flipped_vs_bone + f.flipped_vs_neighbours,
                     0);
    CHECK_NEAR(f.volume_ratio_min, 1, 1e-5);
    CHECK_NEAR(f.stretch_min, 1, 1e-4);
    CHECK_NEAR(f.stretch_max, 1, 1e-4);
    for (int i = 0; i < TUBE_POINTS; i++)
        moved[i] = vec3_scale(tube[i], 1.1f);
    measure_points(m, moved, unmoved, NULL, &f);
    CHECK_NEAR(f.volume_ratio_min, 1.331, 1e-4);
    CHECK_NEAR(f.stretch_p1, 1.1, 1e-5);
    CHECK_NEAR(f.stretch_p99, 1.1, 1e-5);
    CHECK_NEAR(f.area_p99, 1.21, 1e-5);
    CHECK_NEAR(pelti_measure_stretch(m)[5], 1.1, 1e-5);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void a_mirrored_skin_is_turned_against_its_bones(void **state)
{
    (void)state;
    PeltiCharacter *who = tube_new();
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    for (int i = 0; i < TUBE_POINTS; i++)
        moved[i] = vec3(tube[i].x, tube[i].y * 0.1f, -tube[i].z); // inside out: normals along z turn
    measure_points(m, moved, unmoved, NULL, &f);
    int turned = 0;
    for (int t = 0; t < who->mesh->triangle_count; t++) {
        const int *v = who->mesh->triangles[t];
        Vec3 a = moved[who->mesh->first_point[v[0]]], b = moved[who->mesh->first_point[v[1]]],
             c = moved[who->mesh->first_point[v[2]]];
        Vec3 d = who->mesh->rest[v[0]], e = who->mesh->rest[v[1]], g = who->mesh->rest[v[2]];
        turned += vec3_dot(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3_cross(vec3_sub(e, d), vec3_sub(g, d))) < 0;
    }
    assert_true(turned > 100);
    assert_int_equal(f.flipped_vs_bone, turned);
    CHECK_NEAR(f.volume_ratio_min, -0.1, 1e-4);
    assert_true(f.everted_vertices > 0);
    // one vertex dragged along the skin beyond its ring folds triangles over their neighbours
    memcpy(moved, tube, sizeof tube);
    moved[10 * AROUND].x += 0.3f;
    measure_points(m, moved, unmoved, NULL, &f);
    assert_true(f.inverted >= 1 && f.inverted <= 6);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void jitter_and_loop_error_follow_their_definitions(void **state)
{
    (void)state;
    PeltiCharacter *who = tube_new();
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    double size = (double)who->mesh->diagonal;
    const float shake[5] = {0, 0.01f, 0, 0.02f, 0.005f};
    for (int frame = 0; frame < 5; frame++) {
        for (int i = 0; i < TUBE_POINTS; i++)
            more[i] = moved[i] = vec3_add(tube[i], vec3((float)(frame * frame), 0, 0)); // both accelerate alike
        moved[77].y += shake[frame];
        measure_points(m, moved, unmoved, more, &f);
        if (frame < 2) {
            assert_true(isnan(f.jitter));
            continue;
        }
        double expected = fabs((double)shake[frame] - 2 * (double)shake[frame - 1] + (double)shake[frame - 2]);
        CHECK_NEAR(f.jitter * size, expected, 1e-6);
        CHECK_NEAR(f.jitter_world * size, sqrt(4 + expected * expected), 1e-5);
    }
    PeltQuality q;
    pelti_measure_summary(m, &q);
    CHECK_NEAR(q.jitter * size, 0.035, 1e-6);
    CHECK_NEAR(q.loop_error * size, sqrt(16 * 16 + 0.005 * 0.005), 1e-5);
    pelti_measure_restart(m);
    measure_points(m, tube, unmoved, NULL, &f);
    pelti_measure_summary(m, &q);
    CHECK_NEAR(q.loop_error, 0, 0);
    assert_true(isnan(q.jitter));
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static void cracks_and_numbers_that_are_none_are_counted(void **state)
{
    (void)state;
    int points[] = {TUBE_POINTS}, n = make_tube(4, 0.4f, tube, faces, 0);
    tube[AROUND] = tube[AROUND + 1]; // two points, one vertex
    PeltiCharacter *who =
        make_chain((ChainBones){2, 0, 1.9f}, 1, points, (ChainSkin){TUBE_POINTS, tube, n, (const int(*)[3])faces});
    PeltiMeasure *m = measure_new(who, NULL, NULL);
    PeltQuality f;
    memcpy(moved, tube, sizeof tube);
    moved[AROUND + 1].z += 0.25f;
    measure_points(m, moved, unmoved, NULL, &f);
    CHECK_NEAR(f.crack * (double)who->mesh->diagonal, 0.25, 1e-6);
    moved[40].x = NAN;
    moved[41] = vec3(INFINITY, -INFINITY, NAN);
    moved[100].y = 1e35f;
    measure_points(m, moved, unmoved, moved, &f);
    assert_int_equal(f.nonfinite, 4);
    assert_true(isfinite(f.volume_ratio_min) && isfinite(f.stretch_p99) && isfinite(f.stretch_p50_min) && isfinite(f.depth));
    for (int i = 0; i < TUBE_POINTS; i++)
        moved[i] = vec3(NAN, NAN, NAN);
    measure_points(m, moved, unmoved, NULL, &f);
    assert_int_equal(f.nonfinite, 3 * TUBE_POINTS);
    PeltQuality q;
    pelti_measure_summary(m, &q);
    assert_int_equal(q.nonfinite, 3 * TUBE_POINTS + 4);
    pelti_measure_destroy(m);
    pelti_character_destroy(who);
}

static long live_allocations, all_allocations;
static void *counted(size_t bytes, void *user)
{
    (void)user;
    live_allocations++, all_allocations++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void uncounted(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    live_allocations--;
    free(memory);
}

/// Folds the tube flat upon itself: many crossings, the same ones for any number of threads, and no memory taken.
static void frames_are_the_same_for_any_thread_count_and_take_no_memory(void **state)
{
    (void)state;
    PeltiCharacter *who = tube_new();
    for (int i = 0; i < TUBE_POINTS; i++) {
        float a = tube[i].x * 2.2f, r = 0.6f + tube[i].y + 0.05f * tube[i].x;
        moved[i] = vec3(r * cosf(a), r * sinf(a), 0.05f * tube[i].x * sinf(9 * a) - tube[i].z);
    }
    PeltQuality reference = {0};
    for (int threads = 1; threads <= 4; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        PeltiMeasure *m = measure_new(who, jobs, &(PeltAllocator){counted, uncounted, NULL});
        long before = all_allocations;
        PeltQuality f;
        for (int k = 0; k < 3; k++)
            measure_points(m, moved, unmoved, tube, &f);
        assert_int_equal(all_allocations, before);
        if (threads == 1)
            reference = f;
        assert_memory_equal(&f, &reference, sizeof f);
        assert_true(f.self_intersections > 50);
        assert_true(f.inside_vertices > 5);
        pelti_measure_destroy(m);
        pelti_jobs_destroy(jobs);
    }
    assert_int_equal(live_allocations, 0);
    pelti_character_destroy(who);
}

static long refuse_after;
static void *refused(size_t bytes, void *user)
{
    return refuse_after-- > 0 ? counted(bytes, user) : NULL;
}

static void refused_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    PeltiCharacter *who = tube_new();
    PeltAllocator allocator = {refused, uncounted, NULL};
    int failures = 0;
    for (long n = 0;; n++) {
        refuse_after = n;
        PeltiMeasure *m = NULL;
        PeltError err = {0};
        PeltStatus status = pelti_measure_create(who, NULL, &allocator, &m, &err);
        if (status == PELT_OK) {
            pelti_measure_destroy(m);
            break;
        }
        assert_int_equal(status, PELT_FAILED);
        assert_int_equal(live_allocations, 0);
        failures++;
    }
    assert_true(failures > 2);
    assert_int_equal(live_allocations, 0);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_pushed_into_each_other_are_as_deep_as_they_are),
                                       cmocka_unit_test(boxes_that_touch_are_not_deep),
                                       cmocka_unit_test(rigid_motion_changes_nothing_and_scaling_scales),
                                       cmocka_unit_test(a_mirrored_skin_is_turned_against_its_bones),
                                       cmocka_unit_test(jitter_and_loop_error_follow_their_definitions),
                                       cmocka_unit_test(cracks_and_numbers_that_are_none_are_counted),
                                       cmocka_unit_test(frames_are_the_same_for_any_thread_count_and_take_no_memory),
                                       cmocka_unit_test(refused_memory_is_an_error_and_leaks_nothing)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
