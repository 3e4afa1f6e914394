/// `pelt distil`: a method's skin for engines.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct DistilRequest {
    const char *file;
    CliList settings;
    bool quiet;
    PeltDistilDef def;
} DistilRequest;

static bool read_part(const CliCommand *command, const char *text, void *request)
{
    PeltDistilDef *def = &((DistilRequest *)request)->def;
    int part[2];
    if (cli_read_ints(text, '/', 2, part) && part[0] >= 0 && part[0] < part[1]) {
        def->part = part[0], def->parts = part[1];
        return true;
    }
    cli_usage(command, "--part wants I/N with 0 <= I < N, not '%s'", text);
    return false;
}

/// A length: a number in the file's units, or with mm, cm or m (glTF's unit is a metre).
static bool read_error(const CliCommand *command, const char *text, void *request)
{
    static const struct {
        const char *unit;
        double metres;
    } units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
    char *end = NULL;
    double value = strtod(text, &end);
    for (int i = 0; i < 4 && end != text && value >= 0 && isfinite(value); i++)
        if (!strcmp(end, units[i].unit)) {
            ((DistilRequest *)request)->def.error = value * units[i].metres;
            return true;
        }
    cli_usage(command, "--error wants a length such as 2mm or 0.002, not '%s'", text);
    return false;
}

static const CliOption options[] = {
    {"method", 'm', "NAME", "whose skin: `pelt methods` lists them", CLI_TO(CLI_TEXT, DistilRequest, def.skin.method)},
    {"output", 'o', "OUT.glb", "the engine-ready file; its rules go to OUT.drivers.json",
     CLI_TO(CLI_TEXT, DistilRequest, def.output)},
    {"weights", 0, "4|8", "a vertex (default 4)", CLI_TO(CLI_INT, DistilRequest, def.weights)},
    {"helpers", 0, "N", "joints between joints, at most (default: one for each joint that bends; more: twists and pushes)",
     CLI_TO(CLI_INT, DistilRequest, def.helpers)},
    {"correctives", 0, "M", "morph targets, at most (default 64)", CLI_TO(CLI_INT, DistilRequest, def.correctives)},
    {"error", 0, "E", "no more correctives than this root mean square takes: 2mm, or in the file's units", .read = read_error},
    {"bytes", 0, "B", "of weights and morph targets, at most", CLI_TO(CLI_DOUBLE, DistilRequest, def.bytes)},
    {"poses", 0, "N", "to learn from (default 1000)", CLI_TO(CLI_INT, DistilRequest, def.poses)},
    {"held-out", 0, "N", "poses no fit sees, for the error (default: a fifth of them, 200 at most)",
     CLI_TO(CLI_INT, DistilRequest, def.held_out)},
    {"unseen", 0, "CLIP", "a clip that no pose is taken from, for the error", CLI_TO(CLI_TEXT, DistilRequest, def.unseen_clip)},
    {"no-clips", 0, NULL, "does not look at the error in clips: saves playing them by the method",
     CLI_TO(CLI_FLAG, DistilRequest, def.no_clips)},
    {"seed", 0, "S", "of the poses (default 1): the same seed, the same bytes", CLI_TO(CLI_INT, DistilRequest, def.seed)},
    {"samples", 0, "FILE", "keeps the samples there, and goes on with those it holds",
     CLI_TO(CLI_TEXT, DistilRequest, def.samples_path)},
    {"part", 0, "I/N", "makes only this part of the samples, into FILE.part-I-N, and stops", .read = read_part},
    {"parts", 0, "N", "takes in what --part I/N of other runs has made", CLI_TO(CLI_INT, DistilRequest, def.parts)},
    {"set", 0, "KEY=VALUE", "an option of the method; may be given several times", CLI_TO(CLI_LIST, DistilRequest, settings)},
    {"rig", 0, "X.json", "what an artist adds (docs/rig.md)", CLI_TO(CLI_TEXT, DistilRequest, def.skin.rig_path)},
    {"threads", 0, "N", "0: as many as there are (default); the result does not depend on it",
     CLI_TO(CLI_COUNT, DistilRequest, def.skin.threads)},
    {"report", 0, "R.json", "errors by pose set, clip and joint", CLI_TO(CLI_TEXT, DistilRequest, def.report_path)},
    {"page", 0, "P.html", "errors and pictures of the worst poses: the method's, the distilled and the file's own weights' skin",
     CLI_TO(CLI_TEXT, DistilRequest, def.page_path)},
    {"quiet", 'q', NULL, "no progress, no summary; errors and warnings only", CLI_TO(CLI_FLAG, DistilRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, DistilRequest, file)},
    {0},
};

const CliCommand cli_distil = {
    "distil",
    "FILE [-m METHOD] -o OUT.glb [options]",
    "a method's skin as weights, helper joints and morph targets for engines",
    "Samples the method in many poses and fits what every engine plays: linear blending with few weights, helper joints\n"
    "between joints and morph targets that joints drive. Tells how near that comes, in poses the fit did not see.\n"
    "  pelt distil hero.glb -m tracking -o hero-engine.glb --report hero-engine.json\n"
    "  pelt distil hero.glb -m tracking -o hero-small.glb --helpers 16 --correctives 24 --unseen walk\n",
    options,
    run,
};

/// A line a set of poses, when all is done.
typedef struct ErrorLines {
    CliSession session;
    char *text;
    size_t size;
    FILE *to;
} ErrorLines;

static void tell(const char *poses, const PeltDistilError *e, void *user)
{
    fprintf(((ErrorLines *)user)->to, "%-12.24s %5d | %9.4g %9.4g %9.4g | %9.4g %9.4g %9.4g | %d\n", poses, e->poses, e->rms,
            e->p99, e->largest, e->original_rms, e->original_p99, e->original_largest, e->worse);
}

static void print_result(const DistilRequest *r, const PeltDistilResult *result, const char *lines)
{
    printf("%s: %d joints, %d helpers, %d correctives, %.0f kB\n", r->file, result->joints, result->helpers, result->correctives,
           (double)result->bytes / 1000);
    printf("sampled in %.1f s (%d samples were there), fitted in %.1f s\n", result->sample_s, result->samples_found,
           result->fit_s);
    printf("distances in the file's units (size %.4g):\n"
           "poses              |  distilled: rms, p99, largest |  the file's weights: as well  | poses that are worse\n%s",
           result->size, lines);
}

static int run(const CliCommand *command, int argc, char **argv)
{
    DistilRequest r = {.def = pelt_distil_def_default()};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.def.output && !r.def.report_path && !r.def.page_path && r.def.part < 0)
        return cli_usage(command, "nothing to write: give -o, --report or --page");
    if (!cli_keeps(command, CLI_FILES(r.file, r.def.skin.rig_path), CLI_FILES(r.def.output, r.def.report_path, r.def.page_path)))
        return PELT_BAD_ARGUMENT;
    r.def.skin.settings = r.settings.items;
    r.def.skin.setting_count = r.settings.count;
    ErrorLines lines = {0};
    PeltDistilResult result = {0};
    lines.to = open_memstream(&lines.text, &lines.size);
    if (!lines.to)
        return cli_fail(command, PELT_FAILED, "out of memory");
    PeltStatus status = cli_open(&lines.session, command, r.file, r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &lines.session.progress;
    r.def.warned = cli_warn;
    r.def.warned_user = &lines.session;
    r.def.told = tell;
    r.def.told_user = &lines;
    if (status == PELT_OK)
        status = pelt_distil(&r.def, lines.session.who, &result, &lines.session.err);
    int code = cli_close(&lines.session, status);
    fclose(lines.to);
    if (code == 0 && !r.quiet && r.def.part >= 0)
        printf("part %d of %d sampled in %.1f s (%d samples were there)\n", r.def.part, r.def.parts, result.sample_s,
               result.samples_found);
    else if (code == 0 && !r.quiet)
        print_result(&r, &result, lines.text);
    free(lines.text);
    return code;
}
