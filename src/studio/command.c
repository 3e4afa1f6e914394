/// `pelt studio`: starts the session and the server, prints the address, and waits for Ctrl-C or the page's Quit.
#include "cli.h"
#include "core/error.h"
#include "studio/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct StudioRequest {
    const char *file;
    int port, threads;
    bool open;
    double slow_ms;
} StudioRequest;

static const CliOption options[] = {
    {"port", 0, "N", "where the page is served on 127.0.0.1 (default: a free port)", CLI_TO(CLI_INT, StudioRequest, port)},
    {"no-open", 0, NULL, "print the address and open no browser", CLI_TO(CLI_OFF, StudioRequest, open)},
    {"threads", 0, "N", "0: as many as there are (default); the skin does not depend on it",
     CLI_TO(CLI_COUNT, StudioRequest, threads)},
    {"slow", 0, "MS", "every step takes at least this long: how the page feels with a slow method",
     CLI_TO(CLI_DOUBLE, StudioRequest, slow_ms)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, StudioRequest, file)},
    {0},
};

const CliCommand pelti_studio_command = {
    "studio",
    "[FILE] [--port N] [--no-open]",
    "pose a character in the browser and see its skin fold, by any method",
    "Serves a page on this machine alone and opens the browser there; the address works for one browser, once.\n"
    "Without FILE a built-in character stands there; others can be dropped on the page (.glb, .gltf with its\n"
    "files, .vrm). A .pelt.json that the page saved is opened as it was. Runs until Ctrl-C or the page's Quit.\n"
    "  pelt studio\n"
    "  pelt studio hero.glb\n",
    options,
    run,
};

typedef struct Opening { ///< what is done with an address
    int open;            ///< 1: the first one goes to the browser
    int told;
} Opening;

/// The desktop's own way; its words are not for this terminal.
static void open_browser(const char *address)
{
    pid_t child = fork();
    if (child != 0) {
        if (child > 0)
            waitpid(child, NULL, 0);
        return;
    }
    if (fork() == 0) { // a grandchild, which nobody has to wait for
        FILE *out = freopen("/dev/null", "w", stdout), *err = freopen("/dev/null", "w", stderr);
        if (out && err)
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
    }
    _exit(0);
}

static void opened(const char *address, void *user)
{
    Opening *opening = user;
    bool first = opening->told++ == 0;
    printf(first ? "%s\n" : "opened; for another browser: %s\n", address);
    fflush(stdout);
    if (first && opening->open && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")))
        open_browser(address);
}

static volatile sig_atomic_t interrupted;
static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static void wait_for_the_end(PeltiStudioTalk *talk)
{
    struct sigaction action = {.sa_handler = interrupt};
    const struct timespec nap = {0, 50000000};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (!interrupted && !talk->quit)
        nanosleep(&nap, NULL);
}

static bool is_project(const char *file)
{
    static const char ending[] = ".pelt.json";
    size_t length = file ? strlen(file) : 0;
    return length > strlen(ending) && !strcasecmp(file + length - strlen(ending), ending);
}

/// The character to begin with. A project brings its own with it: until the page has unpacked it the built-in one stands there.
static PeltStatus first_character(const StudioRequest *r, PeltiServerDef *server, PeltiCast **cast, PeltError *err)
{
    void *bytes;
    if (is_project(r->file)) {
        PELT_TRY(pelti_cast_slurp(r->file, (size_t)2 << 30, &bytes, &server->project_size, err));
        server->project = bytes;
    } else if (r->file)
        return pelti_cast_load(r->file, cast, err);
    return pelti_cast_make("biped", 0, cast, err);
}

static PeltStatus serve(const StudioRequest *r, PeltError *err)
{
    Opening opening = {.open = r->open};
    PeltiStudioTalk talk = {0};
    PeltiServerDef def = {.port = r->port, .talk = &talk, .opened = opened, .user = &opening};
    PeltiServer *server = NULL;
    PeltiCast *cast = NULL;
    PeltStatus status = first_character(r, &def, &cast, err);
    if (status == PELT_OK)
        status = pelti_session_create(&(PeltiSessionDef){r->threads, r->slow_ms}, &talk.session, err);
    if (status == PELT_OK) {
        pelti_session_show(talk.session, cast);
        cast = NULL;
        status = pelti_server_start(&def, &server, err);
    }
    if (status == PELT_OK)
        wait_for_the_end(&talk);
    pelti_server_stop(server);
    pelti_session_destroy(talk.session);
    pelti_cast_destroy(cast);
    free((void *)def.project);
    return status;
}

static int run(const CliCommand *command, int argc, char **argv)
{
    StudioRequest r = {.open = 1};
    PeltError err = {0};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.port < 0 || r.port > 65535)
        return cli_usage(command, "--port wants a number from 0 to 65535, not %d", r.port);
    if (!(r.slow_ms >= 0 && r.slow_ms <= 60000))
        return cli_usage(command, "--slow wants milliseconds from 0 to 60000");
    return serve(&r, &err) == PELT_OK ? 0 : cli_fail_error(command, &err);
}
