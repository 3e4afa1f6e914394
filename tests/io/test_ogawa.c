/// The container of Alembic files, by its own rules: what is written is found where it is named.
#define _XOPEN_SOURCE 700
#include "folder.h"
#include "io/ogawa.h"

static uint64_t number(const unsigned char *bytes, uint64_t at)
{
    uint64_t n = 0;
    for (int i = 0; i < 8; i++)
        n |= (uint64_t)bytes[at + (uint64_t)i] << (8 * i);
    return n;
}

static void blocks_and_groups_are_found_where_they_are_named(void **state)
{
    (void)state;
    PeltiOgawa out;
    PeltError err = {0};
    uint64_t first, second, none, group, empty, root;
    static unsigned char bytes[4096];
    assert_int_equal(pelti_ogawa_begin(&out, at("a.abc"), &err), PELT_OK);
    assert_int_equal(pelti_ogawa_data(&out, "hello", 5, &first, &err), PELT_OK);
    assert_int_equal(pelti_ogawa_data(&out, "skin and bones", 14, &second, &err), PELT_OK);
    assert_int_equal(pelti_ogawa_data(&out, NULL, 0, &none, &err), PELT_OK);
    assert_true(none == PELTI_OGAWA_NO_DATA);
    assert_int_equal(pelti_ogawa_group(&out, NULL, 0, &empty, &err), PELT_OK);
    assert_int_equal(empty, 0);
    assert_int_equal(pelti_ogawa_group(&out, (const uint64_t[]){first, none}, 2, &group, &err), PELT_OK);
    assert_int_equal(pelti_ogawa_group(&out, (const uint64_t[]){group, second}, 2, &root, &err), PELT_OK);
    assert_int_equal(pelti_ogawa_complete(&out, root, &err), PELT_OK);
    assert_int_equal(pelti_file_commit(&out.file, &err), PELT_OK);
    FILE *file = fopen(at("a.abc"), "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size == out.at && size < sizeof bytes);
    assert_memory_equal(bytes, "Ogawa", 5);
    assert_int_equal(bytes[5], 0xff); // complete
    const uint64_t no_data = PELTI_OGAWA_NO_DATA;
    uint64_t top = number(bytes, 8);
    assert_true(top == root && number(bytes, top) == 2); // a group: how many, then where
    uint64_t inner = number(bytes, top + 8), block = number(bytes, top + 16) & ~no_data;
    assert_true((number(bytes, top + 16) & no_data) != 0); // data has the highest bit
    assert_int_equal(number(bytes, block), 14);
    assert_memory_equal(bytes + block + 8, "skin and bones", 14);
    assert_int_equal(number(bytes, inner), 2);
    assert_true(number(bytes, inner + 16) == no_data);
    block = number(bytes, inner + 8) & ~no_data;
    assert_int_equal(number(bytes, block), 5);
    assert_memory_equal(bytes + block + 8, "hello", 5);
}

static void a_sample_like_the_last_is_not_written_again(void **state)
{
    (void)state;
    PeltiOgawa out;
    PeltError err = {0};
    uint64_t where[6];
    PeltiOgawaSamples samples = {.where = where};
    const char *frames[6] = {"aa", "aa", "bb", "bb", "cc", "cc"};
    assert_int_equal(pelti_ogawa_begin(&out, at("b.abc"), &err), PELT_OK);
    for (int i = 0; i < 6; i++) {
        uint64_t before = out.at;
        assert_int_equal(pelti_ogawa_sample(&out, &samples, frames[i], 2, &err), PELT_OK);
        assert_int_equal(out.at == before, i % 2 == 1);
    }
    assert_int_equal(samples.count, 6);
    assert_int_equal(samples.first_change, 2);
    assert_int_equal(samples.last_change, 4);
    assert_true(where[0] == where[1] && where[2] == where[3] && where[0] != where[2]);
    pelti_file_abort(&out.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_and_groups_are_found_where_they_are_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_sample_like_the_last_is_not_written_again, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
