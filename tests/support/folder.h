/// A folder of a test's own, made before it and removed with what is in it after it: cmocka's set-up and tear-down.
/// Include it after `#define _XOPEN_SOURCE 700` at the top of the file.
#ifndef PELT_TESTS_FOLDER_H
#define PELT_TESTS_FOLDER_H

#include "check.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder_path[64];

/// Path of a file in the folder; four of them are good at a time.
static const char *at(const char *name)
{
    static char path[4][512];
    static int turn;
    char *p = path[turn++ & 3];
    snprintf(p, 512, "%s/%s", folder_path, name);
    return p;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder_path, sizeof folder_path, "/tmp/pelt-test-XXXXXX");
    return mkdtemp(folder_path) ? 0 : -1;
}

/// Files in the folder, hidden ones too; removes them when asked.
static int entries(bool clean)
{
    int count = 0;
    DIR *d = opendir(folder_path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        count++;
        if (clean)
            remove(at(e->d_name));
    }
    closedir(d);
    return count;
}

static int remove_folder(void **state)
{
    (void)state;
    entries(true);
    return rmdir(folder_path);
}

#endif
