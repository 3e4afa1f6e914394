/// What planar sections show: the composed field's value, and a sign that changes where two parts touch.
#include "check.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "field/section.h"

static PeltiCharacter *who;
static PeltiPool pool;
static PeltiFields *fields;
static PeltiFieldFrame frame;
static Mat34 matrices[64];

static int build(void **state)
{
    (void)state;
    PeltiBuiltinOptions options = {.vertices = 1500};
    PeltiWeights weights;
    PeltiFieldOptions o = pelti_field_options_default();
    o.most_nodes = 6000;
    pelti_pool_init(&pool, NULL);
    if (pelti_builtin_make("cylinder", &options, NULL, NULL, &who, NULL) != PELT_OK ||
        pelti_weights_from_file(who, &pool, &weights, NULL) != PELT_OK ||
        pelti_fields_build(&pool, who, &weights, &o, &fields, NULL) != PELT_OK || fields->part_count > 64)
        return 1;
    PeltiArena arena = {0};
    pelti_frame_in(&arena, fields, &frame);
    arena.base = pelti_pool_take(&pool, arena.used, 1);
    arena.used = 0;
    pelti_frame_in(&arena, fields, &frame);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    pelti_pool_release(&pool);
    pelti_character_destroy(who);
    return 0;
}

/// Bends at the joint of the last part by an angle; returns the joint.
static Vec3 bend(float angle, Vec3 *axis)
{
    int last = fields->part_count - 1, bone = fields->parts[last].bone;
    Vec3 head = who->bones[bone].head;
    *axis = fields->parts[last].axis;
    Mat3 r = quat_to_mat3(quat_axis_angle(vec3_orthogonal(*axis), angle));
    for (int k = 0; k < fields->part_count; k++)
        matrices[k] = k == last ? mat34_from(r, vec3_sub(head, mat3_apply(r, head))) : mat34_identity();
    pelti_frame_set(&frame, matrices);
    return head;
}

static void the_skin_is_where_the_value_is_a_half(void **state)
{
    (void)state;
    Vec3 axis;
    bend(0, &axis);
    double sum = 0;
    for (int v = 0; v < who->mesh->vertex_count; v++)
        sum += fabs((double)pelti_section_value(&frame, who->mesh->rest[v]) - 0.5);
    CHECK_NEAR(sum / who->mesh->vertex_count, 0, 0.03);
    assert_true(pelti_section_value(&frame, vec3_mad(who->mesh->high, vec3(1, 1, 1), who->mesh->diagonal)) == 0);
    assert_true(pelti_section_value(&frame, vec3_mad(who->bones[fields->parts[0].bone].head, axis, 0.1f)) > 0.5f);
}

/// Across the fold of a sharp bend the two parts change places once; along a straight limb nothing touches.
static void the_sign_changes_where_parts_touch(void **state)
{
    (void)state;
    Vec3 axis, head = bend(0, &axis);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        assert_true(isnan(pelti_section_contact(&frame, who->mesh->rest[v])));
    head = bend(2.4f, &axis);
    int last = fields->part_count - 1, changes = 0, seen = 0;
    Vec3 turned = mat34_apply_vector(matrices[last], axis), out = vec3_normalize_or(vec3_sub(turned, axis), axis);
    Vec3 across = vec3_normalize_or(vec3_add(turned, axis), axis); // from one limb to the other
    for (int k = 1; k < 40; k++) {
        Vec3 at = vec3_mad(head, out, 0.02f * (float)k * fields->parts[last].radius);
        float before = 0;
        for (int i = -30; i <= 30; i++) {
            float s = pelti_section_contact(&frame, vec3_mad(at, across, 0.01f * (float)i * fields->parts[last].radius));
            if (isnan(s))
                continue;
            seen++;
            changes += before != 0 && (s > 0) != (before > 0);
            before = s;
        }
    }
    assert_true(seen > 50);
    assert_true(changes > 3 && changes <= 39); // at most once a line
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_skin_is_where_the_value_is_a_half),
                                       cmocka_unit_test(the_sign_changes_where_parts_touch)};
    return cmocka_run_group_tests(tests, build, drop);
}
