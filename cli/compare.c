#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

enum { METHODS, OUTPUT, CLIP, FPS, FRAMES, PICTURES, SIZE, NO_FILMS, THREADS, QUIET };
static const CliOption options[] = {
    [METHODS] = {"methods", 'm', "A,B,...", "which methods (default: all)"},
    [OUTPUT] = {"output", 'o', "DIR", "folder for index.html, compare.json and pictures/"},
    [CLIP] = {"clip", 0, "NAME|INDEX", "which animation (default: the first)"},
    [FPS] = {"fps", 0, "F", "frames a second (default 30)"},
    [FRAMES] = {"frames", 0, "N,N,...", "frames to picture (default: the worst are chosen)"},
    [PICTURES] = {"pictures", 0, "N", "how many frames to choose (default 4)"},
    [SIZE] = {"size", 0, "WxH", "of the pictures (default 640x480)"},
    [NO_FILMS] = {"no-films", 0, NULL, "leave out the moving pictures"},
    [THREADS] = {"threads", 0, "N", "0: as many as there are (default)"},
    [QUIET] = {"quiet", 'q', NULL, "no progress, no summary"},
    {0},
};

const CliCommand cli_compare = {
    "compare",
    "FILE [--methods a,b,...] -o DIR [options]",
    "methods side by side: one page with pictures, plots and numbers",
    "Runs each method over a clip and writes DIR/index.html, which opens from disk: pictures of the worst\n"
    "frames and places with the same camera, heat maps, plots of the measures and a table. An interrupted\n"
    "run goes on where it stopped.\n"
    "  pelt compare hero.glb -o hero-compare\n"
    "  pelt compare hero.glb --methods lbs,dqs,tracking --frames 12,30 -o hero-compare\n",
    options,
    run,
};

typedef struct Request {
    const char *file, *output;
    char methods[600];
    bool quiet;
    PeltCompareDef def;
} Request;

static bool split_methods(const CliCommand *command, Request *r, const char *value)
{
    if (strlen(value) >= sizeof r->methods) {
        cli_usage(command, "--methods: too long");
        return false;
    }
    memcpy(r->methods, value, strlen(value) + 1);
    r->def.method_count = 0;
    for (char *name = strtok(r->methods, ","); name; name = strtok(NULL, ",")) {
        if (r->def.method_count == (int)(sizeof r->def.methods / sizeof *r->def.methods)) {
            cli_usage(command, "--methods: too many");
            return false;
        }
        r->def.methods[r->def.method_count++] = name;
    }
    if (r->def.method_count)
        return true;
    cli_usage(command, "--methods: which?");
    return false;
}

static bool split_frames(const CliCommand *command, Request *r, const char *value)
{
    r->def.frame_count = 0;
    for (const char *at = value; *at;) {
        char *end;
        long frame = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || frame < 0 || frame > 1000000 || r->def.frame_count == 16) {
            cli_usage(command, "--frames wants up to 16 numbers with commas between, not '%s'", value);
            return false;
        }
        r->def.frames[r->def.frame_count++] = (int)frame;
        at = *end ? end + 1 : end;
    }
    return true;
}

static bool take(const CliCommand *command, Request *r, int option, const char *value)
{
    char rest;
    switch (option) {
    case METHODS:
        return split_methods(command, r, value);
    case OUTPUT:
        r->output = value;
        return true;
    case CLIP:
        r->def.clip = value;
        return true;
    case FPS:
        return cli_double(command, value, "--fps", &r->def.fps);
    case FRAMES:
        return split_frames(command, r, value);
    case PICTURES:
        return cli_int(command, value, "--pictures", &r->def.pictures);
    case SIZE:
        if (sscanf(value, "%dx%d%c", &r->def.width, &r->def.height, &rest) == 2)
            return true;
        cli_usage(command, "--size: '%s' is not WxH", value);
        return false;
    case NO_FILMS:
        r->def.films = 0;
        return true;
    case THREADS:
        return cli_int(command, value, "--threads", &r->def.threads);
    case QUIET:
        r->quiet = true;
        return true;
    default:
        if (r->file) {
            cli_usage(command, "one file at a time, not also %s", value);
            return false;
        }
        r->file = value;
        return true;
    }
}

static int run(const CliCommand *command, int argc, char **argv)
{
    Request r = {.def = pelt_compare_def_default()};
    CliArgs args = cli_args(command, argc, argv);
    for (int option; (option = cli_next(&args)) != CLI_END;)
        if (!take(command, &r, option, args.value))
            return PELT_BAD_ARGUMENT;
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.output)
        return cli_usage(command, "nothing to write: give -o DIR");
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltCompareResult result;
    CliProgress progress = cli_progress_start(r.quiet);
    r.def.file = r.file;
    r.def.progress = cli_progress;
    r.def.progress_user = &progress;
    cli_catch_interrupts();
    PeltStatus status = pelt_character_load(r.file, NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_compare(&r.def, who, r.output, &result, &err);
    cli_progress_end(&progress);
    pelt_character_destroy(who);
    if (status != PELT_OK)
        return cli_fail_error(command, &err);
    if (!r.quiet)
        printf("%s/index.html: %d methods, %d pictures, %.1f MB%s\n", r.output, result.methods - result.failed, result.pictures,
               (double)result.page_bytes / 1e6, result.resumed ? " (went on from an earlier run)" : "");
    return 0;
}
