/// Weights by limb: the largest four are kept and sum to one, and between two bones lies their mean.
#include "builtin/weights.h"
#include "check.h"

static float weight_of(const PeltiInfluences *i, int bone)
{
    float sum = 0;
    for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++)
        sum += i->bone[k] == bone ? i->weight[k] : 0;
    return sum;
}

static void the_largest_four_are_kept_and_sum_to_one(void **state)
{
    (void)state;
    const int bone[] = {7, 3, 9, 1, 4, 2};
    const float weight[] = {0.05f, 0.4f, 0.1f, 0.25f, 0.15f, 0.05f};
    PeltiInfluences kept = pelti_influences_largest(6, bone, weight);
    CHECK_NEAR(weight_of(&kept, 3), 0.4 / 0.9, 1e-6);
    CHECK_NEAR(weight_of(&kept, 1), 0.25 / 0.9, 1e-6);
    CHECK_NEAR(weight_of(&kept, 4), 0.15 / 0.9, 1e-6);
    CHECK_NEAR(weight_of(&kept, 9), 0.1 / 0.9, 1e-6);
    for (int k = 1; k < PELTI_BUILTIN_INFLUENCES; k++)
        assert_true(kept.weight[k] <= kept.weight[k - 1]);
}

static void between_two_lies_the_mean(void **state)
{
    (void)state;
    PeltiInfluences a = {{1, 2, 0, 0}, {0.75f, 0.25f, 0, 0}}, b = {{2, 3, 0, 0}, {0.5f, 0.5f, 0, 0}};
    PeltiInfluences mean = pelti_influences_between(&a, &b);
    CHECK_NEAR(weight_of(&mean, 1), 0.375, 1e-6);
    CHECK_NEAR(weight_of(&mean, 2), 0.375, 1e-6);
    CHECK_NEAR(weight_of(&mean, 3), 0.25, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_four_are_kept_and_sum_to_one),
        cmocka_unit_test(between_two_lies_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
