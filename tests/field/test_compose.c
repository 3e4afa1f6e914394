/// The composed field: one half on the rest skin, gradients as differences say, contact in a deep bend, no change by its index.
#include "check.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "core/clock.h"
#include "field/compose.h"
#include "field/constants.def"

#include <string.h>

static PeltiCharacter *tube;
static PeltiPool pool;
static PeltiFields *fields;
static PeltiFieldFrame frame;
static Mat34 matrices[64];

static int build(void **state)
{
    (void)state;
    PeltiBuiltinOptions options = {.vertices = 2000};
    pelti_pool_init(&pool, NULL);
    if (pelti_builtin_make("cylinder", &options, NULL, NULL, &tube, NULL) != PELT_OK)
        return 1;
    PeltiWeights weights;
    if (pelti_weights_from_file(tube, &pool, &weights, NULL) != PELT_OK)
        return 1;
    PeltiFieldOptions o = pelti_field_options_default();
    PeltError err = {0};
    if (pelti_fields_build(&pool, tube, &weights, &o, &fields, &err) != PELT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    PeltiArena arena = {0};
    pelti_frame_in(&arena, fields, &frame);
    arena.base = pelti_pool_take(&pool, arena.used, 1);
    arena.used = 0;
    pelti_frame_in(&arena, fields, &frame);
    return fields->part_count > 64;
}

static int release(void **state)
{
    (void)state;
    pelti_pool_release(&pool);
    pelti_character_destroy(tube);
    return 0;
}

/// The last part turned about its bone's head by an angle, all else at rest.
static void bend(float angle)
{
    for (int p = 0; p < fields->part_count; p++)
        matrices[p] = mat34_identity();
    int last = 0;
    for (int p = 0; p < fields->part_count; p++)
        last = fields->parts[p].parent >= 0 ? p : last;
    Vec3 head = tube->bones[fields->parts[last].bone].head, side = vec3_orthogonal(fields->parts[last].axis);
    Mat3 r = quat_to_mat3(quat_axis_angle(side, angle));
    matrices[last] = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
    pelti_frame_set(&frame, matrices);
}

static void rest_skin_lies_near_one_half(void **state)
{
    (void)state;
    bend(0);
    double sum = 0;
    for (int v = 0; v < tube->mesh->vertex_count; v++) {
        PeltiFieldSample s;
        pelti_frame_eval(&frame, -1, fields->vertex_part[v], tube->mesh->rest[v], &s);
        sum += fabs((double)s.value - 0.5);
    }
    CHECK_NEAR(sum / tube->mesh->vertex_count, 0, 0.03);
}

static void gradient_matches_differences(void **state)
{
    (void)state;
    int tried = 0;
    double worst = 0, sum = 0;
    bend(1.0f);
    for (int v = 0; v < tube->mesh->vertex_count; v += 7) {
        Vec3 x = vec3_mad(tube->mesh->rest[v], vec3(0.3f, 0.2f, 0.1f), 0.01f * tube->mesh->diagonal);
        PeltiFieldSample s, a, b;
        float h = 2e-3f * tube->mesh->diagonal, want[3];
        pelti_frame_eval(&frame, -1, -1, x, &s);
        float length = vec3_length(s.gradient);
        if (!(s.value > 0.1f && s.value < 0.9f && length * fields->parts[0].radius > 0.3f))
            continue;
        for (int i = 0; i < 3; i++) {
            Vec3 e = vec3(h * (float)(i == 0), h * (float)(i == 1), h * (float)(i == 2));
            pelti_frame_eval(&frame, -1, -1, vec3_add(x, e), &a);
            pelti_frame_eval(&frame, -1, -1, vec3_sub(x, e), &b);
            want[i] = (a.value - b.value) / (2 * h);
        }
        double off = (double)(vec3_distance(s.gradient, vec3(want[0], want[1], want[2])) / length);
        worst = fmax(worst, off);
        sum += off;
        tried++;
    }
    assert_true(tried > 50);
    CHECK_NEAR(sum / tried, 0, 0.05);
    CHECK_NEAR(worst, 0, 0.6); // the angle's own change is left out of the gradient, as in the paper
}

static void index_changes_nothing(void **state)
{
    (void)state;
    bend(2.3f);
    assert_true(frame.indexed);
    for (int v = 0; v < tube->mesh->vertex_count; v++) {
        PeltiFieldSample a, b;
        Vec3 x = vec3_scale(tube->mesh->rest[v], 0.9f);
        pelti_frame_eval(&frame, -1, fields->vertex_part[v], x, &a);
        frame.indexed = false;
        pelti_frame_eval(&frame, -1, fields->vertex_part[v], x, &b);
        frame.indexed = true;
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void far_away_there_is_nothing(void **state)
{
    (void)state;
    PeltiFieldSample s;
    bend(1);
    pelti_frame_eval(&frame, -1, 0, vec3(1e4f, 0, 0), &s);
    CHECK_NEAR(s.value, 0, 0);
    CHECK_NEAR(vec3_length(s.gradient), 0, 0);
    assert_int_equal(s.other_part, -1);
}

static void deep_bend_opens_a_contact_surface(void **state)
{
    (void)state;
    // walk along the fold from the joint outwards: between the two limbs the field must come down to one half, at rest not
    int last = 0;
    for (int p = 0; p < fields->part_count; p++)
        last = fields->parts[p].parent >= 0 ? p : last;
    const PeltiPart *part = &fields->parts[last];
    Vec3 head = tube->bones[part->bone].head, side = vec3_orthogonal(part->axis);
    float r = part->radius / 1.3f, least[2] = {1, 1};
    for (int bent = 0; bent < 2; bent++) {
        bend(bent ? 2.7f : 0);
        Vec3 swing = mat34_apply_vector(matrices[last], part->axis),
             mid = vec3_normalize_or(vec3_add(swing, vec3_scale(part->axis, -1)), side);
        for (float t = 0.8f; t < 2.0f; t += 0.05f) {
            PeltiFieldSample s;
            pelti_frame_eval(&frame, -1, last, vec3_mad(head, bent ? mid : part->axis, t * r), &s);
            least[bent] = fminf(least[bent], s.value);
        }
    }
    assert_true(least[0] > 0.62f);
    CHECK_NEAR(least[1], 0.5, 0.02);
}

/// Whatever the bend, the skin on the outer side of the joint is in contact with nothing.
static void the_outer_side_of_a_bend_does_not_fold(void **state)
{
    (void)state;
    int last = 0, seen = 0;
    for (int p = 0; p < fields->part_count; p++)
        last = fields->parts[p].parent >= 0 ? p : last;
    const PeltiPart *part = &fields->parts[last];
    Vec3 head = tube->bones[part->bone].head;
    float r = part->radius / 1.7f; // of the tube
    for (float angle = 1.2f; angle < 2.7f; angle += 0.2f) {
        bend(angle);
        Vec3 swing = mat34_apply_vector(matrices[last], part->axis),
             out = vec3_normalize_or(vec3_sub(part->axis, swing), part->axis); // away from the inner side, square to neither limb
        for (float along = -1.5f; along <= 0; along += 0.1f, seen++) {
            PeltiFieldSample s; // on the skin of the limb that stays, which ends at the joint
            Vec3 square = vec3_normalize_or(vec3_mad(out, part->axis, -vec3_dot(out, part->axis)), out);
            pelti_frame_eval(&frame, -1, part->parent, vec3_mad(vec3_mad(head, part->axis, along * r), square, r), &s);
            assert_int_equal(s.other_part, -1);
        }
    }
    assert_true(seen > 100);
}

/// The tilt multiplies the odds of a field alone, and moves no point of the surface on which two parts are equal.
static void a_tilt_multiplies_the_odds(void **state)
{
    (void)state;
    int alone = 0;
    bend(2.6f);
    for (int v = 0; v < tube->mesh->vertex_count; v += 3) {
        PeltiFieldPoint at = {tube->mesh->rest[v], -1, fields->vertex_part[v], 0};
        PeltiFieldSample plain, tilted;
        pelti_frame_eval_many(&frame, 1, &at, &plain);
        at.tilt = 1.5f;
        pelti_frame_eval_many(&frame, 1, &at, &tilted);
        if (plain.other > 0)
            assert_int_equal(plain.own > plain.other, tilted.own > tilted.other);
        int reach = 0;
        for (int p = 0; p < fields->part_count; p++) {
            float value;
            Vec3 gradient;
            reach += pelti_frame_part(&frame, p, at.x, &value, &gradient);
        }
        if (reach != 1 || plain.value < 0.05f || plain.value > 0.95f)
            continue;
        CHECK_NEAR(tilted.value / (1 - tilted.value), 1.5 * (double)(plain.value / (1 - plain.value)), 1e-4);
        alone++;
    }
    assert_true(alone > 50);
}

static void broken_matrices_leave_a_part_out(void **state)
{
    (void)state;
    bend(0);
    matrices[0] = (Mat34){{{0}}};
    matrices[fields->part_count - 1].m[0][0] = NAN;
    pelti_frame_set(&frame, matrices);
    for (int v = 0; v < tube->mesh->vertex_count; v += 11) {
        PeltiFieldSample s;
        pelti_frame_eval(&frame, -1, fields->vertex_part[v], tube->mesh->rest[v], &s);
        assert_true(isfinite(s.value) && vec3_finite(s.gradient));
    }
}

/// Blocks that the grids call empty hold nothing, and many points at a time give what each gives alone, bit for bit.
static void many_points_and_empty_blocks_change_nothing(void **state)
{
    (void)state;
    bend(2.0f);
    int n = tube->mesh->vertex_count, seen = 0, empty = 0;
    for (int first = 0; first + 37 < n; first += 37) {
        PeltiFieldPoint points[37];
        PeltiFieldSample many[37], one;
        float value[37];
        Vec3 gradient[37], g;
        for (int k = 0; k < 37; k++)
            points[k] = (PeltiFieldPoint){tube->mesh->rest[first + k], -1, fields->vertex_part[first + k], 0};
        pelti_frame_eval_many(&frame, 37, points, many);
        pelti_frame_max_many(&frame, 37, points, value, gradient);
        for (int k = 0; k < 37; k++, seen++) {
            float f;
            pelti_frame_eval(&frame, -1, points[k].own, points[k].x, &one);
            assert_memory_equal(&one, &many[k], sizeof one);
            pelti_frame_max(&frame, -1, points[k].x, &f, &g);
            assert_true(f == value[k] && !memcmp(&g, &gradient[k], sizeof g));
        }
    }
    for (int p = 0; p < fields->part_count; p++) {
        const PeltiGrid *grid = &fields->parts[p].grid;
        for (int k = 0; k < 20000; k++) {
            Vec3 at = vec3((float)(k * 7919 % 1000) * 1e-3f * (float)(grid->size[0] - 1),
                           (float)(k * 104729 % 997) / 997 * (float)(grid->size[1] - 1),
                           (float)(k % 991) / 991 * (float)(grid->size[2] - 1));
            float f;
            Vec3 g;
            if (pelti_grid_fetch(grid, at, &f, &g) && !pelti_grid_reaches(grid, (int)at.x, (int)at.y, (int)at.z)) {
                assert_true(f <= NOTHING);
                empty++;
            }
        }
    }
    assert_true(seen > 100 && empty > 1000);
}

static void evaluation_is_fast(void **state)
{
    (void)state;
    bend(2.0f);
    int n = tube->mesh->vertex_count;
    double best = 1e9, sum = 0;
    for (int round = 0; round < 20; round++) {
        double start = pelti_clock_ms();
        for (int v = 0; v < n; v++) {
            PeltiFieldSample s;
            pelti_frame_eval(&frame, -1, fields->vertex_part[v], tube->mesh->rest[v], &s);
            sum += (double)s.value;
        }
        best = fmin(best, (pelti_clock_ms() - start) * 1e6 / n);
    }
    printf("composed evaluation with gradient: %.0f ns (sum %.1f)\n", best, sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_skin_lies_near_one_half),
        cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(index_changes_nothing),
        cmocka_unit_test(far_away_there_is_nothing),
        cmocka_unit_test(deep_bend_opens_a_contact_surface),
        cmocka_unit_test(the_outer_side_of_a_bend_does_not_fold),
        cmocka_unit_test(a_tilt_multiplies_the_odds),
        cmocka_unit_test(broken_matrices_leave_a_part_out),
        cmocka_unit_test(many_points_and_empty_blocks_change_nothing),
        cmocka_unit_test(evaluation_is_fast),
    };
    return cmocka_run_group_tests(tests, build, release);
}
