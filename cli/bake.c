/// `pelt bake`: a clip by a method into files.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct BakeRequest {
    const char *file, *motion;
    CliList outputs, settings;
    bool quiet, json, no_measure;
    PeltBakeDef def;
} BakeRequest;

static bool read_frames(const CliCommand *command, const char *text, void *request)
{
    PeltBakeDef *def = &((BakeRequest *)request)->def;
    char *end;
    long first = strtol(text, &end, 10), last = first;
    bool good = end != text;
    if (good && *end == ':') {
        const char *second = end + 1;
        last = *second ? strtol(second, &end, 10) : -1;
        good = *second == 0 || end != second;
        end = *second ? end : (char *)second;
    }
    if (!good || *end || first < 0 || first > 100000000 || last > 100000000 || (last >= 0 && last < first)) {
        cli_usage(command, "--frames wants A:B with 0 <= A <= B, not '%s'", text);
        return false;
    }
    def->first_frame = (int)first;
    def->last_frame = (int)last;
    return true;
}

static const CliOption options[] = {
    {"method", 'm', "NAME", "how the skin is made: `pelt methods` lists them", CLI_TO(CLI_TEXT, BakeRequest, def.skin.method)},
    {"output", 'o', "FILE", "by extension .glb .vrm .gltf .abc .usda .pc2 .mdd .npz .obj (numbered); may be given several times",
     CLI_TO(CLI_LIST, BakeRequest, outputs)},
    {"clip", 0, "NAME|INDEX", "which animation (default: the first); range: a range of motion made from the skeleton",
     CLI_TO(CLI_TEXT, BakeRequest, def.clip)},
    {"motion", 0, "FILE", CLI_MOTION_HELP, CLI_TO(CLI_TEXT, BakeRequest, motion)},
    {"fps", 0, "F", "output frames a second (default 30)", CLI_TO(CLI_DOUBLE, BakeRequest, def.fps)},
    {"frames", 0, "A:B", "only these output frames, inclusive; the skin starts settled in frame A", .read = read_frames},
    {"set", 0, "KEY=VALUE", "an option of the method; may be given several times", CLI_TO(CLI_LIST, BakeRequest, settings)},
    {"rig", 0, "X.json", "what an artist adds: operators, muscles, layers, anchors (docs/rig.md)",
     CLI_TO(CLI_TEXT, BakeRequest, def.skin.rig_path)},
    {"scene", 0, "S.json", "what the character touches (docs/contact.md)", CLI_TO(CLI_TEXT, BakeRequest, def.scene_path)},
    {"threads", 0, "N", "0: as many as there are (default); the result does not depend on it",
     CLI_TO(CLI_COUNT, BakeRequest, def.skin.threads)},
    {"report", 0, "R.json", "measure: times and quality, per frame and worst over the clip",
     CLI_TO(CLI_TEXT, BakeRequest, def.report_path)},
    {"morph-per-frame", 0, NULL, ".glb: one morph target a frame (exact, large) in place of few principal ones",
     CLI_TO(CLI_FLAG, BakeRequest, def.morph_per_frame)},
    {"no-measure", 0, NULL, "--report with times only", CLI_TO(CLI_FLAG, BakeRequest, no_measure)},
    {"json", 0, NULL, "print the result as JSON", CLI_TO(CLI_FLAG, BakeRequest, json)},
    {"quiet", 'q', NULL, "no progress, no summary; errors and warnings only", CLI_TO(CLI_FLAG, BakeRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, BakeRequest, file)},
    {0},
};

const CliCommand cli_bake = {
    "bake",
    "FILE [-m METHOD] -o OUT... [options]",
    "bake a clip: from a rigged file to an animation",
    "Reads a rigged .glb, .vrm, .gltf, .fbx or .dae, deforms the skin for every frame of a clip, and writes what the\n"
    "extension of each OUT asks for. Outputs appear whole or not at all.\n"
    "  pelt bake hero.glb -o hero-baked.glb\n"
    "  pelt bake hero.glb -m lbs -o hero.pc2 -o hero.mdd --clip walk --report walk.json\n",
    options,
    run,
};

static void print_result(const BakeRequest *r, const PeltBakeResult *result)
{
    if (r->json) {
        printf("{\"frames\": %d, \"prepare_ms\": %.3f, \"step_ms\": %.4f, \"total_ms\": %.1f, \"morph_targets\": %d, "
               "\"morph_error\": %.3g",
               result->frames, result->prepare_ms, result->step_mean_ms, result->total_ms, result->morph_targets,
               result->morph_error);
        if (result->quality.frames)
            cli_print_quality_json(", ", &result->quality, result->verdict, result->verdict_text);
        printf("}\n");
        return;
    }
    printf("%s: %d frames by %s in %.2f s (prepare %.0f ms, %.3f ms a frame)\n", r->file, result->frames, r->def.skin.method,
           result->total_ms / 1000, result->prepare_ms, result->step_mean_ms);
    if (result->morph_targets)
        printf("morph targets: %d, largest error %.2g of the size\n", result->morph_targets, result->morph_error);
    if (result->quality.frames)
        cli_print_quality(&result->quality, &result->lbs_quality, result->verdict_text);
}

static int run(const CliCommand *command, int argc, char **argv)
{
    BakeRequest r = {.def = pelt_bake_def_default()};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (r.outputs.count == 0 && !r.def.report_path)
        return cli_usage(command, "nothing to write: give -o or --report");
    const CliFiles *read = CLI_FILES(r.file, r.motion, r.def.skin.rig_path, r.def.scene_path);
    const CliFiles *written = &(CliFiles){r.outputs.items, r.outputs.count};
    if (!cli_keeps(command, read, written) || !cli_keeps(command, read, CLI_FILES(r.def.report_path)) ||
        !cli_writes_once(command, written, r.def.report_path))
        return PELT_BAD_ARGUMENT;
    if (r.no_measure)
        r.def.measure = PELT_BAKE_MEASURE_NEVER;
    r.def.outputs = r.outputs.items;
    r.def.output_count = r.outputs.count;
    r.def.skin.settings = r.settings.items;
    r.def.skin.setting_count = r.settings.count;
    CliSession session;
    PeltBakeResult result = {0};
    PeltStatus status = cli_open_motion(&session, command, r.file, r.motion, r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &session.progress;
    r.def.warned = cli_warn;
    r.def.warned_user = &session;
    if (status == PELT_OK)
        status = pelt_bake(&r.def, session.who, &result, &session.err);
    int code = cli_close(&session, status);
    if (code == 0 && (!r.quiet || r.json))
        print_result(&r, &result);
    return code;
}
