/// `pelt compare`: several methods over one clip, as a page.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct CompareRequest {
    const char *file, *output;
    char methods[600];
    bool quiet;
    int size[2];
    PeltCompareDef def;
} CompareRequest;

static bool read_methods(const CliCommand *command, const char *value, void *request)
{
    CompareRequest *r = request;
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

static bool read_frames(const CliCommand *command, const char *value, void *request)
{
    CompareRequest *r = request;
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

static const CliOption options[] = {
    {"methods", 'm', "A,B,...", "which methods (default: all)", .read = read_methods},
    {"output", 'o', "DIR", "folder for index.html, compare.json and pictures/", CLI_TO(CLI_TEXT, CompareRequest, output)},
    {"clip", 0, "NAME|INDEX", "which animation (default: the first); range: a range of motion made from the skeleton",
     CLI_TO(CLI_TEXT, CompareRequest, def.clip)},
    {"fps", 0, "F", "frames a second (default 30)", CLI_TO(CLI_DOUBLE, CompareRequest, def.fps)},
    {"frames", 0, "N,N,...", "frames to picture (default: the worst are chosen)", .read = read_frames},
    {"pictures", 0, "N", "how many frames to choose (default 4)", CLI_TO(CLI_INT, CompareRequest, def.pictures)},
    {"size", 0, "WxH", "of the pictures (default 640x480)", CLI_TO(CLI_SIZE, CompareRequest, size)},
    {"no-films", 0, NULL, "leave out the moving pictures", CLI_TO(CLI_OFF, CompareRequest, def.films)},
    {"threads", 0, "N", "0: as many as there are (default)", CLI_TO(CLI_COUNT, CompareRequest, def.threads)},
    {"quiet", 'q', NULL, "no progress, no summary", CLI_TO(CLI_FLAG, CompareRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, CompareRequest, file)},
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

static int run(const CliCommand *command, int argc, char **argv)
{
    CompareRequest r = {.def = pelt_compare_def_default()};
    r.size[0] = r.def.width, r.size[1] = r.def.height;
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.output)
        return cli_usage(command, "nothing to write: give -o DIR");
    r.def.width = r.size[0], r.def.height = r.size[1];
    r.def.file = r.file;
    CliSession session;
    PeltCompareResult result = {0};
    PeltStatus status = cli_open(&session, command, r.file, r.quiet);
    r.def.progress = cli_progress;
    r.def.progress_user = &session.progress;
    if (status == PELT_OK)
        status = pelt_compare(&r.def, session.who, r.output, &result, &session.err);
    int code = cli_close(&session, status);
    if (code == 0 && !r.quiet)
        printf("%s/index.html: %d methods, %d pictures, %.1f MB%s\n", r.output, result.methods - result.failed, result.pictures,
               (double)result.page_bytes / 1e6, result.resumed ? " (went on from an earlier run)" : "");
    return code;
}
