/// The command: finds the sub-command and runs it.
#include "cli.h"

#include <stdio.h>
#include <string.h>

extern const CliCommand cli_inspect, cli_bake, cli_compare, cli_measure, cli_render, cli_make, cli_demo, cli_methods,
    cli_operator, pelti_studio_command, cli_bench, cli_batch, cli_convert, cli_distil, cli_sample;

// clang-format off
const CliCommand *const cli_commands[] = {
    &cli_inspect,
    &cli_bake,
    &cli_convert,
    &cli_batch,
    &cli_distil,
    &cli_sample,
    &cli_compare,
    &cli_measure,
    &cli_render,
    &cli_make,
    &cli_demo,
    &cli_methods,
    &cli_operator,
    &pelti_studio_command,
    &cli_bench,
    NULL,
};
// clang-format on

static void print_help(void)
{
    printf("pelt %s: character skinning that folds, slides, touches and keeps its volume\n\nusage: pelt COMMAND ...\n\n",
           pelt_version());
    for (int c = 0; cli_commands[c]; c++)
        printf("  %-10s %s\n", cli_commands[c]->name, cli_commands[c]->summary);
    printf("\n`pelt COMMAND --help` tells the rest. `pelt --version` prints the version.\n"
           "exit codes: 0 done, 1 command line, 2 input/output, 3 invalid input, 4 run-time failure, 5 unsupported\n");
}

/// What `pelt` itself says, without a sub-command: 0, or that it could not be written.
static int said(void)
{
    return fflush(stdout) ? cli_fail(NULL, PELT_IO, "standard output could not be written") : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return PELT_BAD_ARGUMENT;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help();
        return said();
    }
    if (!strcmp(name, "--version") || !strcmp(name, "version")) {
        printf("pelt %s\n", pelt_version());
        return said();
    }
    for (int c = 0; cli_commands[c]; c++)
        if (!strcmp(cli_commands[c]->name, name)) {
            int code = cli_commands[c]->run(cli_commands[c], argc - 2, argv + 2);
            if (fflush(stdout) && !code)
                return cli_fail(cli_commands[c], PELT_IO, "standard output could not be written");
            return code;
        }
    fprintf(stderr, "pelt: there is no command '%s' (try pelt --help)\n", name);
    return PELT_BAD_ARGUMENT;
}
