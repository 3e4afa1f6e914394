/// `pelt sample`: what a method makes of many poses, for those who train deformers of their own.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct SampleRequest {
    const char *file;
    CliList settings;
    bool quiet;
    PeltDistilDef def;
} SampleRequest;

static const CliOption options[] = {
    {"method", 'm', "NAME", "whose skin: `pelt methods` lists them", CLI_TO(CLI_TEXT, SampleRequest, def.skin.method)},
    {"output", 'o', "OUT", ".npz, .pc2 or .mdd of the points; OUT.poses.npy and OUT.poses.json hold the poses",
     CLI_TO(CLI_TEXT, SampleRequest, def.output)},
    {"poses", 0, "N", "how many (default 1000)", CLI_TO(CLI_INT, SampleRequest, def.poses)},
    {"seed", 0, "S", "of the poses (default 1): the same seed, the same bytes", CLI_TO(CLI_INT, SampleRequest, def.seed)},
    {"unseen", 0, "CLIP", "a clip that neither poses nor limits are taken from",
     CLI_TO(CLI_TEXT, SampleRequest, def.unseen_clip)},
    {"set", 0, "KEY=VALUE", "an option of the method; may be given several times", CLI_TO(CLI_LIST, SampleRequest, settings)},
    {"rig", 0, "X.json", "what an artist adds (docs/rig.md)", CLI_TO(CLI_TEXT, SampleRequest, def.skin.rig_path)},
    {"threads", 0, "N", "0: as many as there are (default); the result does not depend on it",
     CLI_TO(CLI_COUNT, SampleRequest, def.skin.threads)},
    {"quiet", 'q', NULL, "no progress, no summary; errors and warnings only", CLI_TO(CLI_FLAG, SampleRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, SampleRequest, file)},
    {0},
};

const CliCommand cli_sample = {
    "sample",
    "FILE [-m METHOD] -o OUT.npz|.pc2|.mdd [options]",
    "a method's skin in many poses, for training",
    "Poses from the clips, sweeps of each joint, pairs of neighbours and few joints at random, spread evenly; the skin settled "
    "in\n"
    "each. Interrupted, the same command goes on where it was. docs/distil.md tells what is in the files.\n"
    "  pelt sample hero.glb -m tracking -o hero.npz --poses 20000\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    SampleRequest r = {.def = pelt_distil_def_default()};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.def.output)
        return cli_usage(command, "nothing to write: give -o");
    if (!cli_keeps(command, CLI_FILES(r.file, r.def.skin.rig_path), CLI_FILES(r.def.output)))
        return PELT_BAD_ARGUMENT;
    r.def.skin.settings = r.settings.items;
    r.def.skin.setting_count = r.settings.count;
    CliSession session;
    PeltDistilResult result = {0};
    PeltStatus status = cli_open(&session, command, r.file, r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &session.progress;
    r.def.warned = cli_warn;
    r.def.warned_user = &session;
    if (status == PELT_OK)
        status = pelt_distil_sample(&r.def, session.who, &result, &session.err);
    int code = cli_close(&session, status);
    if (code == 0 && !r.quiet)
        printf("%s: %d poses by %s in %.1f s (%d were there)\n", r.def.output, r.def.poses, r.def.skin.method, result.sample_s,
               result.samples_found);
    return code;
}
