/// Percentiles by selection agree with sorting.
#include "check.h"
#include "measure/parts.h"

static int order(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void percentiles_agree_with_sorting(void **state)
{
    (void)state;
    float values[501], sorted[501];
    unsigned seed = 5;
    for (int count = 1; count <= 501; count += 50) {
        for (int i = 0; i < count; i++) {
            seed = seed * 1664525u + 1013904223u;
            values[i] = sorted[i] = (float)(seed >> 24) / 16; // many ties
        }
        qsort(sorted, (size_t)count, sizeof(float), order);
        for (double percent = 0; percent <= 100; percent += 12.5) {
            double at = percent / 100 * (count - 1);
            int k = (int)at, next = k + 1 < count ? k + 1 : k;
            CHECK_NEAR(pelti_measure_percentile(values, count, percent),
                       (double)sorted[k] + (at - k) * ((double)sorted[next] - (double)sorted[k]), 1e-9);
        }
    }
    assert_true(isnan(pelti_measure_percentile(values, 0, 50)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(percentiles_agree_with_sorting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
