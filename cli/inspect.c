#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

static const CliOption options[] = {
    {"json", 0, NULL, "the same as JSON, for programs"},
    {0},
};

const CliCommand cli_inspect = {
    "inspect",
    "FILE [--json]",
    "what is in a character and what each method will do with it",
    "Lists meshes, joints, clips, welded vertices, every component with its borders, every bone that\n"
    "moves nothing, and problems by stable code with a cure. Nothing is written.\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    CliArgs args = cli_args(command, argc, argv);
    const char *path = NULL;
    int json = 0;
    for (int option; (option = cli_next(&args)) != CLI_END;) {
        if (option == 0)
            json = 1;
        else if (path)
            return cli_usage(command, "one file at a time, not also %s", args.value);
        else
            path = args.value;
    }
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!path)
        return cli_usage(command, "which file?");
    PeltError err = {0};
    PeltCharacter *who = NULL;
    char *text = NULL;
    PeltStatus status = pelt_character_load(path, NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_inspect(who, json, &text, &err);
    if (status == PELT_OK)
        fputs(text, stdout);
    pelt_text_free(text);
    pelt_character_destroy(who);
    return status == PELT_OK ? 0 : cli_fail_error(command, &err);
}
