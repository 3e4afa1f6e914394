/// `pelt inspect`: what is in a file and what each method will do with it.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct InspectRequest {
    const char *file;
    const char *rig, *motion;
    bool json;
} InspectRequest;

static const CliOption options[] = {
    {"json", 0, NULL, "the same as JSON, for programs", CLI_TO(CLI_FLAG, InspectRequest, json)},
    {"motion", 0, "FILE", CLI_MOTION_HELP, CLI_TO(CLI_TEXT, InspectRequest, motion)},
    {"rig", 0, "FILE", "with a rig's pieces (docs/rig.md)", CLI_TO(CLI_TEXT, InspectRequest, rig)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, InspectRequest, file)},
    {0},
};

const CliCommand cli_inspect = {
    "inspect",
    "FILE [--rig X.json] [--json]",
    "what is in a character and what each method will do with it",
    "Lists meshes, joints, clips, welded vertices, every component with its borders, every bone that\n"
    "moves nothing, and problems by stable code with a cure. Nothing is written.\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    InspectRequest r = {0};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    PeltError err = {0};
    PeltCharacter *who = NULL;
    char *text = NULL;
    PeltStatus status =
        r.motion ? pelt_character_load_motion(r.file, r.motion, NULL, &who, &err) : pelt_character_load(r.file, NULL, &who, &err);
    if (status == PELT_OK)
        status = r.rig ? pelt_inspect_rig(who, r.rig, NULL, r.json, &text, &err) : pelt_inspect(who, r.json, &text, &err);
    if (status == PELT_OK)
        fputs(text, stdout);
    pelt_text_free(text);
    pelt_character_destroy(who);
    return status == PELT_OK ? 0 : cli_fail_error(command, &err);
}
