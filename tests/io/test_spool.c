/// What is written anywhere in scratch on disk reads back, and no file is left.
#include "check.h"

#include "io/spool.h"

#include <dirent.h>
#include <string.h>

static void what_is_written_anywhere_reads_back_and_leaves_no_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/pelt-spool-XXXXXX", path[64], back[8];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.glb", folder);
    PeltiSpool spool;
    PeltError err = {0};
    assert_int_equal(pelti_spool_open(path, &spool, &err), PELT_OK);
    assert_int_equal(pelti_spool_write(&spool, 1000, "later", 6, &err), PELT_OK);
    assert_int_equal(pelti_spool_write(&spool, 0, "first", 6, &err), PELT_OK);
    assert_int_equal(pelti_spool_read(&spool, 1000, back, 6, &err), PELT_OK);
    assert_string_equal(back, "later");
    assert_int_equal(pelti_spool_read(&spool, 0, back, 6, &err), PELT_OK);
    assert_string_equal(back, "first");
    assert_int_equal(pelti_spool_read(&spool, 1004, back, 6, &err), PELT_BAD_INPUT); // beyond the end
    DIR *dir = opendir(folder);
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        seen += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(dir);
    assert_int_equal(seen, 0); // it has no name while it is open
    pelti_spool_close(&spool);
    pelti_spool_close(&spool);
    assert_int_equal(rmdir(folder), 0);
}

static void what_cannot_be_opened_says_so(void **state)
{
    (void)state;
    PeltiSpool spool;
    PeltiSource source;
    PeltError err = {0};
    assert_int_equal(pelti_spool_open("/no such folder/out.glb", &spool, &err), PELT_IO);
    assert_non_null(strstr(err.text, "/no such folder/out.glb"));
    assert_int_equal(pelti_source_open("/no such file", &source, &err), PELT_IO);
    assert_int_equal(pelti_source_open("/dev/null", &source, &err), PELT_IO); // not a regular file
    assert_int_equal(source.descriptor, -1);
    assert_int_equal(pelti_spool_open("/dev/null", &spool, &err), PELT_OK); // beside a device: in /tmp
    pelti_spool_close(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_anywhere_reads_back_and_leaves_no_file),
                                       cmocka_unit_test(what_cannot_be_opened_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
