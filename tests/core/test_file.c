/// Files appear by rename, whole or not at all, and failures name the file.
#define _XOPEN_SOURCE 700
#include "folder.h"
#include "core/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static void expect(const char *path, const char *text)
{
    char got[64] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
}

static void appears_only_when_committed(void **state)
{
    (void)state;
    PeltError err;
    PeltiFile file;
    assert_int_equal(pelti_file_begin(&file, at("a"), &err), PELT_OK);
    assert_int_equal(pelti_file_write(&file, "0000 body", 9, &err), PELT_OK);
    assert_int_equal(pelti_file_patch(&file, 0, "head", 4, &err), PELT_OK);
    assert_int_equal(pelti_file_write(&file, " tail", 5, &err), PELT_OK);
    assert_int_not_equal(access(at("a"), F_OK), 0);
    assert_int_equal(pelti_file_commit(&file, &err), PELT_OK);
    expect(at("a"), "head body tail");
    assert_int_equal(entries(false), 1);
}

static void abort_keeps_the_old_file(void **state)
{
    (void)state;
    PeltError err;
    PeltiFile file;
    assert_int_equal(pelti_file_save(at("a"), "old", 3, &err), PELT_OK);
    assert_int_equal(pelti_file_begin(&file, at("a"), &err), PELT_OK);
    assert_int_equal(pelti_file_write(&file, "new", 3, &err), PELT_OK);
    pelti_file_abort(&file);
    pelti_file_abort(&file); // an ended file is fine
    expect(at("a"), "old");
    assert_int_equal(entries(false), 1);
}

static void complete_files_wait_for_their_name(void **state)
{
    (void)state;
    PeltError err;
    PeltiFile file;
    assert_int_equal(pelti_file_save(at("a"), "old", 3, &err), PELT_OK);
    assert_int_equal(pelti_file_begin(&file, at("a"), &err), PELT_OK);
    assert_int_equal(pelti_file_write(&file, "new", 3, &err), PELT_OK);
    assert_int_equal(pelti_file_complete(&file, &err), PELT_OK);
    expect(at("a"), "old");
    assert_int_equal(entries(false), 2);
    assert_int_equal(pelti_file_commit(&file, &err), PELT_OK);
    expect(at("a"), "new");
    assert_int_equal(pelti_file_begin(&file, at("a"), &err), PELT_OK);
    assert_int_equal(pelti_file_complete(&file, &err), PELT_OK);
    pelti_file_abort(&file);
    expect(at("a"), "new");
    assert_int_equal(entries(false), 1);
}

static void a_link_is_followed(void **state)
{
    (void)state;
    PeltError err;
    assert_int_equal(pelti_file_save(at("a"), "old", 3, &err), PELT_OK);
    assert_int_equal(symlink("a", at("link")), 0);
    assert_int_equal(pelti_file_save(at("link"), "new", 3, &err), PELT_OK);
    expect(at("a"), "new");
    struct stat about;
    assert_int_equal(lstat(at("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    unlink(at("link"));
}

static void failures_name_the_file(void **state)
{
    (void)state;
    PeltError err;
    PeltiFile file;
    assert_int_equal(pelti_file_begin(&file, at("none/x"), &err), PELT_IO);
    assert_non_null(strstr(err.text, "none/x"));
    assert_int_equal(pelti_file_begin(&file, folder_path, &err), PELT_IO);
    assert_int_equal(pelti_file_begin(&file, "", &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelti_file_save("/dev/null", "x", 1, &err), PELT_OK);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(pelti_file_save("/dev/full", "x", 1, &err), PELT_IO);
}

static void folders_are_made_with_parents(void **state)
{
    (void)state;
    PeltError err;
    char deep[256];
    snprintf(deep, sizeof deep, "%s", at("p/q/r"));
    assert_int_equal(pelti_folder_make(deep, &err), PELT_OK);
    assert_int_equal(pelti_folder_make(deep, &err), PELT_OK);
    assert_int_equal(pelti_file_save(at("a"), "x", 1, &err), PELT_OK);
    assert_int_equal(pelti_folder_make(at("a/b"), &err), PELT_IO);
    rmdir(at("p/q/r"));
    rmdir(at("p/q"));
    rmdir(at("p"));
}

/// What a reader at the other end took cannot be taken back: it gets nothing before the commit, and all of it then.
static void a_pipe_gets_its_bytes_at_the_commit(void **state)
{
    (void)state;
    char got[64], path[64];
    int ends[2];
    PeltError err;
    PeltiFile file;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]); // as /dev/stdout is, where that is a pipe
    OK(pelti_file_begin(&file, path, &err));
    OK(pelti_file_write(&file, "0000 body", 9, &err));
    OK(pelti_file_patch(&file, 0, "head", 4, &err));
    OK(pelti_file_complete(&file, &err));
    assert_int_equal(read(ends[0], got, sizeof got), -1);
    OK(pelti_file_commit(&file, &err));
    assert_int_equal(read(ends[0], got, sizeof got), 9);
    assert_memory_equal(got, "head body", 9);
    OK(pelti_file_begin(&file, path, &err));
    OK(pelti_file_write(&file, "never", 5, &err));
    pelti_file_abort(&file);
    assert_int_equal(read(ends[0], got, sizeof got), -1);
    close(ends[0]), close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(appears_only_when_committed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(abort_keeps_the_old_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(complete_files_wait_for_their_name, make_folder, remove_folder),
        cmocka_unit_test(a_pipe_gets_its_bytes_at_the_commit),
        cmocka_unit_test_setup_teardown(a_link_is_followed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(failures_name_the_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(folders_are_made_with_parents, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
