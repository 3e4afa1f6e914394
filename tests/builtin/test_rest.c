/// Built-in characters at rest: no triangle crosses another where the mesh is coarse (others: test_builtin.c).
#include "builtin/builtin.h"
#include "measure/measure.h"
#include "check.h"

static long crossings_at_rest(const char *name, int vertices, uint64_t seed)
{
    PeltiBuiltinOptions options = {.vertices = vertices, .seed = seed};
    PeltiJobs *jobs = pelti_jobs_create(0);
    PeltiCharacter *who = NULL;
    PeltiMeasure *measure = NULL;
    PeltError err = {0};
    if (pelti_builtin_make(name, &options, jobs, NULL, &who, &err) != PELT_OK)
        fail_msg("%s: %s", name, err.text);
    if (pelti_measure_create(who, jobs, NULL, &measure, &err) != PELT_OK)
        fail_msg("%s: %s", name, err.text);
    PeltQuality quality;
    pelti_measure_summary(measure, &quality);
    pelti_measure_destroy(measure);
    pelti_character_destroy(who);
    pelti_jobs_destroy(jobs);
    return quality.rest_self_intersections;
}

static void nothing_crosses_at_rest(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int vertices;
        uint64_t seed;
    } cases[] = {{"beast", 1000, 0}, {"biped", 500, 0}, {"biped", 600, 1}, {"biped", 1000, 0}};
    for (size_t i = 0; i < TEST_WORK(sizeof cases / sizeof cases[0], 1); i++) {
        long crossings = crossings_at_rest(cases[i].name, cases[i].vertices, cases[i].seed);
        if (crossings != 0)
            fail_msg("%s, %d vertices, seed %d: %ld pairs of triangles cross at rest", cases[i].name, cases[i].vertices,
                     (int)cases[i].seed, crossings);
    }
}

int main(int argc, char **argv)
{
    if (argc >= 3) { // by hand: NAME VERTICES [SEED]
        printf("%s %s: %ld pairs cross at rest\n", argv[1], argv[2],
               crossings_at_rest(argv[1], atoi(argv[2]), argc > 3 ? (uint64_t)atoi(argv[3]) : 0));
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_crosses_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
