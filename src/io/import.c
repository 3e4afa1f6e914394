/// Runs `pelt-import` and reads what it writes.
#define _GNU_SOURCE // memfd_create
#include "io/import.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char NAME[] = "pelt-import";
static const double WAIT_MS = 60000, WAIT_MS_PER_BYTE = 1e-3; // a minute, and one more for 60 MB

bool pelti_import_is_foreign(const char *path)
{
    char head[24] = "";
    const char *dot = strrchr(path, '.');
    if (dot && (!strcasecmp(dot, ".fbx") || !strcasecmp(dot, ".dae")))
        return true;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = file >= 0 ? read(file, head, sizeof head - 1) : 0;
    if (file >= 0)
        close(file);
    return size > 0 && (!strncmp(head, "Kaydara FBX Binary", 18) || !strncmp(head, "; FBX", 5));
}

/// The program to run into `path`; one without a slash is looked for on the PATH.
static void find_program(char *path, size_t room)
{
    static const char *const places[] = {"", "../libexec/pelt/"};
    const char *given = getenv("PELT_IMPORT");
    char self[4000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    snprintf(path, room, "%s", given ? given : NAME);
    if (given || !slash)
        return;
    slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char tried[4200];
        snprintf(tried, sizeof tried, "%s%s%s", self, places[i], NAME);
        if (access(tried, X_OK) == 0) {
            snprintf(path, room, "%s", tried);
            return;
        }
    }
}

/// Starts the helper: the result to `result`, its words to the pipe whose reading end comes back; -1: it cannot be started.
static int start(const char *program, const char *path, int result, pid_t *child)
{
    int words[2];
    if (pipe2(words, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, result, 1);
    posix_spawn_file_actions_adddup2(&actions, words[1], 2);
    char *arguments[] = {(char *)(uintptr_t)NAME, (char *)(uintptr_t)path, NULL};
    int failed = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(words[1]);
    if (!failed)
        return words[0];
    close(words[0]);
    return -1;
}

/// Reads the helper's words until it ends or its time is over; false: it had to be ended.
static bool listen_to(int words, double wait_ms, char *text, size_t room)
{
    double end_ms = pelti_clock_ms() + wait_ms;
    size_t used = 0;
    for (;;) {
        char more[512];
        struct pollfd ready = {words, POLLIN, 0};
        double left_ms = end_ms - pelti_clock_ms();
        int events = left_ms > 0 ? poll(&ready, 1, left_ms < 1e6 ? (int)left_ms + 1 : 1000000) : 0;
        if (events < 0 && errno == EINTR)
            continue;
        if (events <= 0)
            return false;
        ssize_t size = read(words, more, sizeof more);
        if (size <= 0)
            break;
        size_t kept = (size_t)size < room - 1 - used ? (size_t)size : room - 1 - used;
        memcpy(text + used, more, kept);
        used += kept;
    }
    text[used] = 0;
    while (used > 0 && text[used - 1] == '\n')
        text[--used] = 0;
    return true;
}

/// How the helper ended, as a status and a sentence.
static PeltStatus judge(int status, bool timely, const char *words, PeltError *err)
{
    if (!timely)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the import of this file took too long and was ended");
    if (WIFSIGNALED(status))
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "the import of this file failed inside another program's reader (%s): the file is damaged, or export it "
                         "as .glb",
                         strsignal(WTERMSIG(status)));
    int code = WEXITSTATUS(status);
    if (code == 0)
        return PELT_OK;
    return PELT_FAIL(err,
                     code == 5   ? PELT_UNSUPPORTED
                     : code == 2 ? PELT_IO
                                 : PELT_BAD_INPUT,
                     "%.400s", *words ? words : "the import failed without a word");
}

/// "origin: ..." first, then what was not taken over, a line each. Notes are no part of the file: without memory they are not
/// kept.
static void keep_notes(PeltiGltf *doc, char *words)
{
    static const char origin[] = "origin: ";
    if (strncmp(words, origin, sizeof origin - 1) != 0)
        return;
    char *rest = strchr(words, '\n');
    if (rest)
        *rest++ = 0;
    doc->origin = pelti_pool_text(&doc->pool, words + sizeof origin - 1);
    doc->notes = rest && *rest ? pelti_pool_text(&doc->pool, rest) : NULL;
}

PeltStatus pelti_import(const char *path, const PeltAllocator *allocator, bool *found, PeltiGltf **out, PeltError *err)
{
    char program[4400], words[2000] = "", result_path[40];
    struct stat facts = {0};
    int result = memfd_create("pelt-import", MFD_CLOEXEC), status = 0;
    pid_t child = -1;
    *out = NULL;
    *found = true;
    if (access(path, R_OK) != 0) {
        if (result >= 0)
            close(result);
        return PELT_FAIL(err, PELT_IO, "cannot open %.300s: %s", path, strerror(errno));
    }
    if (result < 0)
        return PELT_FAIL(err, PELT_FAILED, "no memory for the import: %s", strerror(errno));
    find_program(program, sizeof program);
    int listen = start(program, path, result, &child);
    if (listen < 0) {
        *found = false;
        close(result);
        return PELT_FAIL(err, PELT_UNSUPPORTED, "the program %s, which reads such files, is not here", NAME);
    }
    stat(path, &facts);
    bool timely = listen_to(listen, WAIT_MS + WAIT_MS_PER_BYTE * (double)facts.st_size, words, sizeof words);
    close(listen);
    if (!timely)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    PeltStatus judged = judge(status, timely, words, err);
    snprintf(result_path, sizeof result_path, "/proc/self/fd/%d", result);
    if (judged == PELT_OK)
        judged = pelti_gltf_open(result_path, allocator, out, err);
    if (judged == PELT_OK)
        keep_notes(*out, words);
    close(result);
    return judged;
}
