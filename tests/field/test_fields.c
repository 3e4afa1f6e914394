/// The fields of a character: memory refused wherever building them asks for some.
#include "tube.h"

#include "field/fields.h"
#include "refusing.h"

static PeltStatus build(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    const Tube *tube = user;
    PeltiPool pool;
    PeltiFields *fields;
    PeltiFieldOptions options = pelti_field_options_default();
    options.most_nodes = 1000;
    pelti_pool_init(&pool, allocator);
    PeltStatus status = pelti_fields_build(&pool, tube->who, &tube->weights, &options, &fields, err);
    if (status == PELT_OK)
        assert_int_equal(fields->part_count, 3);
    pelti_pool_release(&pool);
    return status;
}

/// Also that of the fits and grids, which workers make where there are any.
static void refused_memory_is_told(void **state)
{
    (void)state;
    static Places places;
    Tube tube = start();
    assert_in_range(refuse_each_place(build, &tube, &places), 9, 4096);
    stop(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
