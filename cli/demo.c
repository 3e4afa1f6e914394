#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

enum { OUTPUT, THREADS, QUIET };
static const CliOption options[] = {
    [OUTPUT] = {"output", 'o', "DIR", "folder for index.html and the files it links (default: demo)"},
    [THREADS] = {"threads", 0, "N", "0: as many as there are (default)"},
    [QUIET] = {"quiet", 'q', NULL, "no progress, no summary"},
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
    const char *folder = "demo";
    int threads = 0;
    bool quiet = false;
    CliArgs args = cli_args(command, argc, argv);
    for (int option; (option = cli_next(&args)) != CLI_END;) {
        if (option == OUTPUT)
            folder = args.value;
        else if (option == THREADS && !cli_int(command, args.value, "--threads", &threads))
            return PELT_BAD_ARGUMENT;
        else if (option == CLI_POSITIONAL)
            return cli_usage(command, "what is %s?", args.value);
        quiet = quiet || option == QUIET;
    }
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    PeltError err = {0};
    CliProgress progress = cli_progress_start(quiet);
    cli_catch_interrupts();
    PeltStatus status = pelt_demo(folder, threads, cli_progress, &progress, &err);
    cli_progress_end(&progress);
    if (status != PELT_OK)
        return cli_fail_error(command, &err);
    if (!quiet)
        printf("%s/index.html\n", folder);
    return 0;
}
