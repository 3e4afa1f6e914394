/// `pelt batch`: many bakes, resumed and hashed, here or on a cluster.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct BatchRequest {
    PeltBatchDef def;
    bool list, slurm, state, quiet, json;
} BatchRequest;

static bool read_shard(const CliCommand *command, const char *text, void *request)
{
    PeltBatchDef *def = &((BatchRequest *)request)->def;
    int shard[2];
    if (cli_read_ints(text, '/', 2, shard) && shard[0] >= 0 && shard[0] < shard[1]) {
        def->shard = shard[0], def->shards = shard[1];
        return true;
    }
    cli_usage(command, "--shard wants I/N with 0 <= I < N, not '%s'", text);
    return false;
}

static const CliOption options[] = {
    {"list", 0, NULL, "print one self-contained command a line for what is left (parallel, cuecmd, ...)",
     CLI_TO(CLI_FLAG, BatchRequest, list)},
    {"slurm", 0, NULL, "write and submit a job array, watch it, submit again what is missing",
     CLI_TO(CLI_FLAG, BatchRequest, slurm)},
    {"state", 0, NULL, "only say what is done and what is not", CLI_TO(CLI_FLAG, BatchRequest, state)},
    {"shard", 0, "I/N", "every N-th entry, from the I-th (0 to N-1)", .read = read_shard},
    {"stage", 0, "1|2", "only what waits for nothing, or only fits, which wait for samples (default: both, in turn)",
     CLI_TO(CLI_INT, BatchRequest, def.stage)},
    {"only", 0, "KEY", "the one entry that --list names so", CLI_TO(CLI_TEXT, BatchRequest, def.only)},
    {"manifest", 0, "M", "what was made from what (default: JOBS.manifest)", CLI_TO(CLI_TEXT, BatchRequest, def.manifest)},
    {"method", 'm', "NAME", "for a folder or a pattern: the method for all", CLI_TO(CLI_TEXT, BatchRequest, def.method)},
    {"clip", 0, "NAME|INDEX|all", "for a folder or a pattern: which animation (default: the first)",
     CLI_TO(CLI_TEXT, BatchRequest, def.clip)},
    {"output", 'o', "PATTERN", "for a folder or a pattern (default baked/{character}-{clip}-{method}.pc2)",
     CLI_TO(CLI_TEXT, BatchRequest, def.output)},
    {"workers", 0, "N", "entries at once (default: as many as cores, fewer where memory is short)",
     CLI_TO(CLI_COUNT, BatchRequest, def.workers)},
    {"threads", 0, "N", "of each entry (default 1)", CLI_TO(CLI_COUNT, BatchRequest, def.threads)},
    {"timeout", 0, "S", "seconds after which an entry is ended and has failed (default: none)",
     CLI_TO(CLI_DOUBLE, BatchRequest, def.timeout_s)},
    {"chunk", 0, "N", "--slurm: entries a task (default 8)", CLI_TO(CLI_COUNT, BatchRequest, def.chunk)},
    {"verify", 0, NULL, "hash every output again, whatever its size and time say", CLI_TO(CLI_FLAG, BatchRequest, def.verify)},
    {"json", 0, NULL, "print the result as JSON", CLI_TO(CLI_FLAG, BatchRequest, json)},
    {"quiet", 'q', NULL, "no progress, no summary; failures only", CLI_TO(CLI_FLAG, BatchRequest, quiet)},
    {"", 0, NULL, "one jobs file, folder or pattern at a time", CLI_TO(CLI_TEXT, BatchRequest, def.jobs)},
    {0},
};

const CliCommand cli_batch = {
    "batch",
    "JOBS.json|FOLDER|PATTERN [options]",
    "many bakes: resumed, hashed, here or on a cluster",
    "Bakes characters x clips x methods as JOBS.json says (docs/scale.md, docs/schema/batch.schema.json), or every character of "
    "a\n"
    "folder or pattern by one method. A manifest keeps the hash of every input, option, build and output: what is done and\n"
    "unharmed is skipped, what has changed or was damaged is made again, so the same command goes on after any\n"
    "interruption. An entry that fails does not stop the others; exit code 4 then, and each is told with its line.\n"
    "  pelt batch shots.json\n"
    "  pelt batch 'heroes/*.glb' -m tracking --clip all -o 'out/{character}/{clip}.pc2'\n"
    "  pelt batch shots.json --list | parallel\n"
    "  pelt batch shots.json --slurm\n",
    options,
    run,
};

/// The bar, and on a terminal how many are done and how long the rest will take.
static int show_progress(const char *stage, double share, void *user)
{
    const CliProgress *progress = user;
    int stop = cli_progress("batch", share, user);
    if (progress->terminal && !progress->quiet)
        fprintf(stderr, "  %-32s", stage);
    return stop;
}

static void print_line(const char *line, void *user)
{
    fprintf(user, "%s\n", line);
}

static void print_result(const BatchRequest *r, const PeltBatchResult *result)
{
    if (r->json)
        printf("{\"entries\": %d, \"skipped\": %d, \"made\": %d, \"failed\": %d, \"left\": %d, \"seconds\": %.3f}\n",
               result->entries, result->skipped, result->made, result->failed, result->left, result->seconds);
    else
        printf("%d entries: %d done before, %d made, %d failed, %d left, in %.1f s\n", result->entries, result->skipped,
               result->made, result->failed, result->left, result->seconds);
}

static int run(const CliCommand *command, int argc, char **argv)
{
    BatchRequest r = {.def = pelt_batch_def_default()};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.def.jobs)
        return cli_usage(command, "which jobs?");
    if (r.list + r.slurm + r.state > 1)
        return cli_usage(command, "one of --list, --slurm and --state");
    if (r.def.timeout_s < 0)
        return cli_usage(command, "--timeout %g: seconds, 0 (none) or more", r.def.timeout_s);
    r.def.mode = r.list ? PELT_BATCH_LIST : r.slurm ? PELT_BATCH_SLURM : r.state ? PELT_BATCH_STATE : PELT_BATCH_RUN;
    r.def.print = print_line;
    r.def.print_user = r.list ? stdout : stderr;
    CliProgress progress = cli_progress_start(r.quiet || r.list || r.state);
    PeltBatchResult result;
    PeltError err;
    cli_catch_interrupts();
    r.def.progress = show_progress;
    r.def.progress_user = &progress;
    PeltStatus status = pelt_batch(&r.def, &result, &err);
    cli_progress_end(&progress);
    if (!r.list && (!r.quiet || r.json) && (status == PELT_OK || status == PELT_FAILED))
        print_result(&r, &result);
    return status == PELT_OK ? 0 : cli_fail_error(command, &err);
}
