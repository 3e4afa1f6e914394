/// Arenas, pools and arrays: what they give, what they give back, and that refused memory is a clean failure.
#include "check.h"
#include "core/log.h"
#include "core/memory.h"

#include <string.h>

typedef struct Counting {
    int live, calls, refuse_at;
    size_t bytes;
} Counting;

static void *counting_alloc(size_t bytes, void *user)
{
    Counting *c = user;
    if (c->calls++ == c->refuse_at)
        return NULL;
    c->live++;
    c->bytes += bytes;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counting_free(void *memory, size_t bytes, void *user)
{
    Counting *c = user;
    c->live--;
    c->bytes -= bytes;
    free(memory);
}

static PeltAllocator counting(Counting *c)
{
    return (PeltAllocator){counting_alloc, counting_free, c};
}

static void a_pool_gives_zeroed_memory_and_returns_all_of_it(void **state)
{
    (void)state;
    Counting c = {.refuse_at = -1};
    PeltAllocator allocator = counting(&c);
    PeltiPool pool;
    pelti_pool_init(&pool, &allocator);
    for (size_t size = 0; size < 40000; size = size * 2 + 1) {
        unsigned char *p = pelti_pool_take(&pool, size, 3);
        assert_non_null(p);
        for (size_t i = 0; i < size * 3; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size * 3);
        if (size * 3 >= 64)
            assert_int_equal((uintptr_t)p % 64, 0);
    }
    assert_string_equal(pelti_pool_text(&pool, "skin"), "skin");
    assert_null(pelti_pool_text(&pool, NULL));
    pelti_pool_release(&pool);
    assert_int_equal(c.live, 0);
    assert_int_equal(c.bytes, 0);
}

static void a_refused_or_absurd_request_fails_for_good(void **state)
{
    (void)state;
    Counting c = {.refuse_at = 1};
    PeltAllocator allocator = counting(&c);
    PeltiPool pool;
    pelti_pool_init(&pool, &allocator);
    assert_non_null(pelti_pool_take(&pool, 10, 4));
    assert_null(pelti_pool_take(&pool, 1 << 20, 4));
    assert_true(pool.failed);
    assert_null(pelti_pool_take(&pool, 1, 1));
    pelti_pool_release(&pool);
    assert_null(pelti_pool_take(&pool, SIZE_MAX / 2, 16)); // the product overflows
    pelti_pool_release(&pool);
    pool.limit_bytes = 1000;
    assert_null(pelti_pool_take(&pool, 1001, 1));
    pelti_pool_release(&pool);
    assert_int_equal(c.live, 0);
}

static void an_array_keeps_its_elements_while_it_grows(void **state)
{
    (void)state;
    Counting c = {.refuse_at = -1};
    PeltAllocator allocator = counting(&c);
    PeltiArray array;
    pelti_array_init(&array, &allocator, sizeof(int));
    for (int i = 0; i < 1000; i++)
        assert_non_null(pelti_array_push(&array, &i));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(((int *)(void *)array.data)[i], i);
    pelti_array_release(&array);
    assert_int_equal(c.live, 0);
}

static void a_layout_measures_what_it_places(void **state)
{
    (void)state;
    PeltiArena measure = {0};
    assert_null(PELTI_TAKE(&measure, float, 3));
    assert_null(PELTI_TAKE(&measure, char, 65));
    assert_int_equal(measure.used, 64 + 128);
    char *block = aligned_alloc(64, measure.used);
    PeltiArena place = {.base = block};
    assert_ptr_equal(PELTI_TAKE(&place, float, 3), block);
    assert_ptr_equal(PELTI_TAKE(&place, char, 65), block + 64);
    assert_int_equal(place.used, measure.used);
    free(block);
}

static void the_log_keeps_one_of_each_and_one_line(void **state)
{
    (void)state;
    PeltiLog log;
    pelti_log_init(&log, NULL);
    pelti_warn(&log, "code", "bone %s", "a\nb");
    pelti_warn(&log, "code", "bone %s", "a\nb");
    pelti_warn(&log, "code", "bone %s", "c");
    pelti_warn(NULL, "code", "nobody listens");
    assert_int_equal(pelti_log_count(&log), 2);
    assert_string_equal(pelti_log_get(&log, 0)->text, "bone a b");
    pelti_log_release(&log);
}

static void a_failure_tells_its_story_in_one_line(void **state)
{
    (void)state;
    PeltError err;
    assert_int_equal(PELT_FAIL(&err, PELT_BAD_INPUT, "accessor %d:\n%s", 7, "short"), PELT_BAD_INPUT);
    pelti_error_prefix(&err, "%s", "hero.glb");
    assert_string_equal(err.text, "hero.glb: accessor 7: short");
    assert_int_equal(PELT_FAIL(NULL, PELT_IO, "no one to tell"), PELT_IO);
    char huge[2000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = 0;
    PELT_FAIL(&err, PELT_IO, "%s", huge);
    assert_true(strlen(err.text) < sizeof err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_gives_zeroed_memory_and_returns_all_of_it),
        cmocka_unit_test(a_refused_or_absurd_request_fails_for_good),
        cmocka_unit_test(an_array_keeps_its_elements_while_it_grows),
        cmocka_unit_test(a_layout_measures_what_it_places),
        cmocka_unit_test(the_log_keeps_one_of_each_and_one_line),
        cmocka_unit_test(a_failure_tells_its_story_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
