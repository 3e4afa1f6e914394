#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

enum { METHOD, OUTPUT, CLIP, FPS, FRAMES, SET, RIG, SCENE, THREADS, REPORT, MORPH, NO_MEASURE, JSON, QUIET };
static const CliOption options[] = {
    [METHOD] = {"method", 'm', "NAME", "how the skin is made: `pelt methods` lists them"},
    [OUTPUT] = {"output", 'o', "FILE", "by extension .glb .gltf .pc2 .mdd .obj (numbered); may be given several times"},
    [CLIP] = {"clip", 0, "NAME|INDEX", "which animation (default: the first)"},
    [FPS] = {"fps", 0, "F", "output frames a second (default 30)"},
    [FRAMES] = {"frames", 0, "A:B", "only these output frames, inclusive; the skin starts settled in frame A"},
    [SET] = {"set", 0, "KEY=VALUE", "an option of the method; may be given several times"},
    [RIG] = {"rig", 0, "X.json", "what an artist adds: operators, muscles, layers, anchors (docs/rig.md)"},
    [SCENE] = {"scene", 0, "S.json", "the world the character touches (docs/contact.md)"},
    [THREADS] = {"threads", 0, "N", "0: as many as there are (default); the result does not depend on it"},
    [REPORT] = {"report", 0, "R.json", "times and quality, per frame and worst over the clip"},
    [MORPH] = {"morph-per-frame", 0, NULL, ".glb: one morph target a frame (exact, large) in place of few principal ones"},
    [NO_MEASURE] = {"no-measure", 0, NULL, "leave the quality measures out of the report"},
    [JSON] = {"json", 0, NULL, "print the result as JSON"},
    [QUIET] = {"quiet", 'q', NULL, "no progress, no summary; errors and warnings only"},
    {0},
};

const CliCommand cli_bake = {
    "bake",
    "FILE [-m METHOD] -o OUT... [options]",
    "bake a clip: from a rigged file to an animation",
    "Reads a rigged .glb or .gltf, deforms the skin for every frame of a clip, and writes what the\n"
    "extension of each OUT asks for. Outputs appear whole or not at all.\n"
    "  pelt bake hero.glb -o hero-baked.glb\n"
    "  pelt bake hero.glb -m lbs -o hero.pc2 -o hero.mdd --clip walk --report walk.json\n",
    options,
    run,
};

enum { MOST_LISTS = 64 };
typedef struct Request {
    const char *path;
    const char *outputs[MOST_LISTS], *settings[MOST_LISTS];
    bool quiet, json;
    PeltBakeDef def;
} Request;

static bool read_frames(const CliCommand *command, const char *text, PeltBakeDef *def)
{
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

static bool add(const CliCommand *command, const char **list, int *count, const char *value)
{
    if (*count == MOST_LISTS) {
        cli_usage(command, "too many of one option (at most %d)", MOST_LISTS);
        return false;
    }
    list[(*count)++] = value;
    return true;
}

static bool take(const CliCommand *command, Request *r, int option, const char *value)
{
    switch (option) {
    case METHOD:
        r->def.skin.method = value;
        return true;
    case OUTPUT:
        return add(command, r->outputs, &r->def.output_count, value);
    case CLIP:
        r->def.clip = value;
        return true;
    case FPS:
        return cli_double(command, value, "--fps", &r->def.fps);
    case FRAMES:
        return read_frames(command, value, &r->def);
    case SET:
        return add(command, r->settings, &r->def.skin.setting_count, value);
    case RIG:
        r->def.skin.rig_path = value;
        return true;
    case SCENE:
        r->def.scene_path = value;
        return true;
    case THREADS:
        return cli_int(command, value, "--threads", &r->def.skin.threads);
    case REPORT:
        r->def.report_path = value;
        return true;
    case MORPH:
        r->def.morph_per_frame = 1;
        return true;
    case NO_MEASURE:
        r->def.measure = 0;
        return true;
    case JSON:
        r->json = true;
        return true;
    case QUIET:
        r->quiet = true;
        return true;
    default:
        if (r->path) {
            cli_usage(command, "one file at a time, not also %s", value);
            return false;
        }
        r->path = value;
        return true;
    }
}

static void print_result(const Request *r, const PeltBakeResult *result)
{
    const PeltQuality *q = &result->quality;
    if (r->json) {
        printf("{\"frames\": %d, \"prepare_ms\": %.3f, \"step_ms\": %.4f, \"total_ms\": %.1f, \"morph_targets\": %d, "
               "\"morph_error\": %.3g, \"self_intersections\": %d, \"deep_pairs\": %d, \"depth\": %.6g, "
               "\"volume_ratio_min\": %.6g, \"stretch_p99\": %.6g, \"nonfinite\": %d}\n",
               result->frames, result->prepare_ms, result->step_mean_ms, result->total_ms, result->morph_targets,
               result->morph_error, q->self_intersections, q->deep_pairs, q->depth, q->volume_ratio_min, q->stretch_p99,
               q->nonfinite);
        return;
    }
    printf("%s: %d frames by %s in %.2f s (prepare %.0f ms, %.3f ms a frame)\n", r->path, result->frames, r->def.skin.method,
           result->total_ms / 1000, result->prepare_ms, result->step_mean_ms);
    if (result->morph_targets)
        printf("morph targets: %d, largest error %.2g of the size\n", result->morph_targets, result->morph_error);
    if (q->frames)
        printf("worst frame: %d crossing pairs (%d deep), depth %.4f, volume %.3f to %.3f, stretch p99 %.2f\n",
               q->self_intersections, q->deep_pairs, q->depth, q->volume_ratio_min, q->volume_ratio_max, q->stretch_p99);
}

static int run(const CliCommand *command, int argc, char **argv)
{
    Request r = {.def = pelt_bake_def_default()};
    r.def.outputs = r.outputs;
    r.def.skin.settings = r.settings;
    CliArgs args = cli_args(command, argc, argv);
    for (int option; (option = cli_next(&args)) != CLI_END;)
        if (!take(command, &r, option, args.value))
            return PELT_BAD_ARGUMENT;
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!r.path)
        return cli_usage(command, "which file?");
    if (r.def.output_count == 0 && !r.def.report_path)
        return cli_usage(command, "nothing to write: give -o or --report");
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltBakeResult result;
    CliProgress progress = cli_progress_start(r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &progress;
    cli_catch_interrupts();
    PeltStatus status = pelt_character_load(r.path, NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_bake(&r.def, who, &result, &err);
    cli_progress_end(&progress);
    if (status == PELT_OK)
        for (int i = 0; i < pelt_character_warning_count(who); i++)
            cli_warn(command, pelt_character_warning(who, i));
    if (status == PELT_OK && (!r.quiet || r.json))
        print_result(&r, &result);
    pelt_character_destroy(who);
    return status == PELT_OK ? 0 : cli_fail_error(command, &err);
}
