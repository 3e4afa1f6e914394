/// A skin cut into parts: which there are, which may touch, what is inside of them.
#include "fingers.h"

#include <math.h>

static const PeltiContactParts *parts_of(const Fingers *f)
{
    return &f->give_way->parts;
}

static int part_of(const PeltiContactParts *parts, int bone)
{
    for (int p = 0; p < parts->part_count; p++)
        if (parts->parts[p].bone == bone)
            return p;
    fail_msg("bone %d has no part", bone);
    return -1;
}

static void every_limb_is_a_part(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0, NULL);
    const PeltiContactParts *parts = parts_of(&f);
    assert_int_equal(parts->part_count, BONES);
    int palm = part_of(parts, PALM), left = part_of(parts, LEFT), right = part_of(parts, RIGHT);
    assert_int_equal(parts->parts[palm].parent, -1);
    assert_int_equal(parts->parts[left].parent, palm);
    assert_int_equal(parts->parts[right].parent, palm);
    assert_int_equal(parts->apart[left * BONES + left], PELTI_APART_NEVER);
    assert_int_equal(parts->apart[palm * BONES + left], PELTI_APART_NEVER); // a joint folds them into each other
    assert_int_not_equal(parts->apart[left * BONES + right], PELTI_APART_NEVER);
    for (int i = 0; i < BONES * BONES; i++)
        assert_int_equal(parts->apart[i], parts->apart[i % BONES * BONES + i / BONES]);
    close_fingers(&f);
}

/// Samples lie on their part's own skin, apart from each other, in the middle of it and at its ends.
static void samples_cover_their_part(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0, NULL);
    const PeltiContactParts *parts = parts_of(&f);
    int sum = 0;
    for (int p = 0; p < parts->part_count; p++) {
        const PeltiContactPart *part = &parts->parts[p];
        assert_int_equal(part->first_sample, sum);
        sum += part->sample_count;
        assert_true(part->sample_count >= 24);
    }
    assert_int_equal(sum, parts->sample_count);
    const PeltiContactPart *left = &parts->parts[part_of(parts, LEFT)];
    float low = INFINITY, high = -INFINITY, nearest = INFINITY;
    for (int s = left->first_sample; s < left->first_sample + left->sample_count; s++) {
        Vec3 x = parts->rest[s];
        low = fminf(low, x.y), high = fmaxf(high, x.y);
        if (!(fabsf(x.x + apart / 2) < radius + 1e-4f && fabsf(x.z) < radius + 1e-4f))
            fail_msg("sample %d of the left finger is at %g, %g, %g", s, (double)x.x, (double)x.y, (double)x.z);
        for (int o = left->first_sample; o < s; o++)
            nearest = fminf(nearest, vec3_distance(x, parts->rest[o]));
    }
    assert_true(low < 0.1f * length && high > 0.9f * length && nearest > 1e-3f);
    close_fingers(&f);
}

/// The field of a part is its signed distance: as deep as the finger is thick on its axis, 0 on its skin, positive outside.
static void a_field_knows_its_part(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0, NULL);
    const PeltiContactParts *parts = parts_of(&f);
    const PeltiContactPartField *field = &parts->parts[part_of(parts, LEFT)].field;
    const float across[4] = {0, 0.5f * radius, radius, 1.15f * radius};
    for (int i = 0; i < 4; i++) {
        float phi = 0;
        Vec3 gradient = {0, 0, 0};
        assert_true(pelti_contact_part_field_at(field, vec3(-apart / 2 + across[i], length / 2, 0), &phi, &gradient));
        if (!(fabsf(phi - (across[i] - radius)) < field->cell)) // a third of the radius; on the axis it is rounded off
            fail_msg("%g from the axis the field is %g", (double)across[i], (double)phi);
        assert_true(i == 0 || vec3_normalize_or(gradient, vec3(0, 0, 0)).x > 0.9f);
    }
    assert_true(field->cell < 0.4f * radius);
    assert_true(field->radius > 0.7f * radius && field->radius < 1.05f * radius);
    close_fingers(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limb_is_a_part),
        cmocka_unit_test(samples_cover_their_part),
        cmocka_unit_test(a_field_knows_its_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
