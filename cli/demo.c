/// `pelt demo`: the main job on the built-in characters, as a page.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct DemoRequest {
    const char *folder;
    int threads;
    bool quiet;
} DemoRequest;

static const CliOption options[] = {
    {"output", 'o', "DIR", "folder for index.html and the files it links (default: demo)", CLI_TO(CLI_TEXT, DemoRequest, folder)},
    {"threads", 0, "N", "0: as many as there are (default)", CLI_TO(CLI_COUNT, DemoRequest, threads)},
    {"quiet", 'q', NULL, "no progress, no summary", CLI_TO(CLI_FLAG, DemoRequest, quiet)},
    {0},
};

const CliCommand cli_demo = {
    "demo",
    "[-o DIR]",
    "the built-in characters by every method, on one page",
    "Makes biped, arm and hand, skins a clip of each by every method, and writes DIR/index.html with pictures\n"
    "and measures, and beside it the baked .glb and .pc2 files.\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    DemoRequest r = {.folder = "demo"};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    PeltError err = {0};
    CliProgress progress = cli_progress_start(r.quiet);
    cli_catch_interrupts();
    PeltStatus status = pelt_demo(r.folder, r.threads, cli_progress, &progress, &err);
    cli_progress_end(&progress);
    if (status != PELT_OK)
        return cli_fail_error(command, &err);
    if (!r.quiet)
        printf("%s/index.html\n", r.folder);
    return 0;
}
