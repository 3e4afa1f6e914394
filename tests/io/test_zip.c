/// A stored zip: what another would read of it, byte by byte, and that nothing stays of one that was not committed.
#define _XOPEN_SOURCE 700
#include "folder.h"

#include "io/zip.h"

static uint32_t word(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static size_t read_all(const char *path, unsigned char *out, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(out, 1, most, file);
    fclose(file);
    return size;
}

static void entries_are_stored_with_their_checksum(void **state)
{
    (void)state;
    PeltiZip zip;
    PeltError err = {0};
    unsigned char bytes[2048];
    assert_int_equal(pelti_zip_begin(&zip, NULL, at("a.zip"), &err), PELT_OK);
    assert_int_equal(pelti_zip_entry(&zip, "digits", 9, &err), PELT_OK);
    assert_int_equal(pelti_zip_write(&zip, "1234", 4, &err), PELT_OK); // in two pieces
    assert_int_equal(pelti_zip_write(&zip, "56789", 5, &err), PELT_OK);
    assert_int_equal(pelti_zip_entry_end(&zip, &err), PELT_OK);
    assert_int_equal(pelti_zip_entry(&zip, "nothing", 0, &err), PELT_OK);
    assert_int_equal(pelti_zip_entry_end(&zip, &err), PELT_OK);
    assert_int_equal(pelti_zip_complete(&zip, &err), PELT_OK);
    assert_int_equal(pelti_zip_commit(&zip, &err), PELT_OK);
    size_t size = read_all(at("a.zip"), bytes, sizeof bytes);
    assert_int_equal(word(bytes), 0x04034b50); // a local header
    int digits = 0, directory = 0, check = 0;
    for (size_t i = 0; i + 9 <= size; i++) {
        digits += memcmp(bytes + i, "123456789", 9) == 0;
        directory += word(bytes + i) == 0x02014b50;
        check += word(bytes + i) == 0xcbf43926; // CRC-32 of these nine, as its definition gives it
    }
    assert_int_equal(digits, 1);
    assert_int_equal(directory, 2);
    assert_in_range(check, 1, 3); // in the directory, and where the entry says it itself
    assert_int_equal(word(bytes + size - 22), 0x06054b50);
    assert_int_equal(bytes[size - 22 + 10] | bytes[size - 22 + 11] << 8, 2); // entries in all
}

static void one_that_is_given_up_leaves_nothing(void **state)
{
    (void)state;
    PeltiZip zip;
    PeltError err = {0};
    assert_int_equal(pelti_zip_begin(&zip, NULL, at("b.zip"), &err), PELT_OK);
    assert_int_equal(pelti_zip_entry(&zip, "digits", 9, &err), PELT_OK);
    pelti_zip_abort(&zip);
    pelti_zip_abort(&zip);
    assert_int_equal(entries(false), 0);
    assert_int_equal(pelti_zip_begin(&zip, NULL, at("no/b.zip"), &err), PELT_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_are_stored_with_their_checksum, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(one_that_is_given_up_leaves_nothing, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
