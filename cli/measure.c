/// `pelt measure`: what a cache looks like in numbers.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct MeasureRequest {
    const char *file, *motion;
    bool quiet, json;
    PeltMeasureDef def;
} MeasureRequest;

static const CliOption options[] = {
    {"cache", 0, "C", "the cache to measure, of any kind that `pelt bake` writes; points in the order it writes them",
     CLI_TO(CLI_TEXT, MeasureRequest, def.cache_path)},
    {"clip", 0, "NAME|INDEX", "the animation it was made from (default: the first)", CLI_TO(CLI_TEXT, MeasureRequest, def.clip)},
    {"motion", 0, "FILE", CLI_MOTION_HELP, CLI_TO(CLI_TEXT, MeasureRequest, motion)},
    {"fps", 0, "F", "frames a second it was made with (default: as the cache says; 30)",
     CLI_TO(CLI_DOUBLE, MeasureRequest, def.fps)},
    {"first", 0, "N", "frame of the clip that its first frame shows (default: as the cache says)",
     CLI_TO(CLI_COUNT, MeasureRequest, def.first_frame)},
    {"report", 0, "R.json", "every measure, per frame and worst over the clip (docs/report.md)",
     CLI_TO(CLI_TEXT, MeasureRequest, def.report_path)},
    {"threads", 0, "N", "0: as many as there are (default); the result does not depend on it",
     CLI_TO(CLI_COUNT, MeasureRequest, def.threads)},
    {"json", 0, NULL, "print the measures as JSON", CLI_TO(CLI_FLAG, MeasureRequest, json)},
    {"quiet", 'q', NULL, "no progress, no table; errors and warnings only", CLI_TO(CLI_FLAG, MeasureRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, MeasureRequest, file)},
    {0},
};

const CliCommand cli_measure = {
    "measure",
    "FILE --cache C [options]",
    "measure a point cache: crossings, volume, stretch, beside linear blending",
    "Measures every frame of a cache of FILE, whoever made it, and linear blending with the file's\n"
    "weights in the clip's pose beside it; prints the worst of each and a verdict: worse than lbs, as good, or better, and\n"
    "by what. What each measure means stands in docs/measures.md. The verdict is no failure: the exit\n"
    "code is 0 whatever it says; scripts read quality.verdict_worse of the report. A cache is a .pc2, .mdd,\n"
    ".npz (numpy.savez), .usda, .abc (Ogawa), a baked .glb, .vrm or .gltf, or numbered .obj: walk.obj stands\n"
    "for walk_0000.obj and those after it.\n"
    "  pelt bake hero.glb -m tracking --clip walk -o walk.pc2\n"
    "  pelt measure hero.glb --cache walk.pc2 --clip walk\n"
    "  pelt measure hero.glb --motion run.bvh --cache run.pc2\n"
    "  pelt measure hero.glb --cache baked.glb --clip walk\n"
    "  pelt measure hero.glb --cache other-tool.mdd --clip walk --fps 24 --report walk.json\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    MeasureRequest r = {.def = pelt_measure_def_default()};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.def.cache_path)
        return cli_usage(command, "which cache? --cache C");
    if (!cli_keeps(command, CLI_FILES(r.file, r.motion, r.def.cache_path), CLI_FILES(r.def.report_path)))
        return PELT_BAD_ARGUMENT;
    CliSession session;
    PeltMeasureResult result;
    PeltStatus status = cli_open_motion(&session, command, r.file, r.motion, r.quiet);
    r.def.progress = cli_progress;
    r.def.progress_user = &session.progress;
    r.def.warned = cli_warn;
    r.def.warned_user = &session;
    if (status == PELT_OK)
        status = pelt_measure_cache(&r.def, session.who, &result, &session.err);
    int code = cli_close(&session, status);
    if (code || (r.quiet && !r.json))
        return code;
    if (r.json) {
        printf("{\"frames\": %d", result.quality.frames);
        cli_print_quality_json(", ", &result.quality, result.verdict, result.verdict_text);
        printf("}\n");
        return code;
    }
    printf("%s, %s: %d frames\n", r.file, r.def.cache_path, result.quality.frames);
    cli_print_quality(&result.quality, &result.lbs, result.verdict_text);
    return code;
}
