/// Caches only, until io writes every kind of output: weak, so that io's own definitions win.
#include "io/output.h"

#include <string.h>

enum { MOST = 16 };
struct PeltiOutput {
    PeltAllocator allocator;
    int count;
    PeltiSink *sinks[MOST];
};

__attribute__((weak)) void pelti_output_destroy(PeltiOutput *output)
{
    for (int i = 0; output && i < output->count; i++)
        pelti_sink_destroy(output->sinks[i]);
    if (output) {
        PeltAllocator allocator = output->allocator;
        pelti_free(&allocator, output, sizeof *output);
    }
}

__attribute__((weak)) PeltStatus pelti_output_open(const PeltiOutputDef *def, const char *const *paths, int path_count,
                                                   PeltiOutput **out, PeltError *err)
{
    PeltiOutput *output = pelti_alloc(def->allocator, sizeof *output);
    if (!output)
        return pelti_no_memory(err, sizeof *output);
    memset(output, 0, sizeof *output);
    if (def->allocator)
        output->allocator = *def->allocator;
    *out = output;
    for (int i = 0; i < path_count && i < MOST; i++) {
        const char *dot = strrchr(paths[i], '.');
        if (!dot || (strcmp(dot, ".pc2") && strcmp(dot, ".mdd")))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s: .pc2 and .mdd only", paths[i]);
        PELT_TRY((strcmp(dot, ".pc2") ? pelti_mdd_sink : pelti_pc2_sink)(def->allocator, paths[i], &def->frames,
                                                                         &output->sinks[output->count], err));
        output->count++;
    }
    return PELT_OK;
}

__attribute__((weak)) PeltStatus pelti_output_frame(PeltiOutput *output, const Vec3 *points, const Vec3 *normals,
                                                    const PeltiPose *pose, PeltError *err)
{
    (void)normals;
    (void)pose;
    for (int i = 0; i < output->count; i++)
        PELT_TRY(pelti_sink_frame(output->sinks[i], points, NULL, err));
    return PELT_OK;
}

__attribute__((weak)) PeltStatus pelti_output_commit(PeltiOutput *output, const PeltiProgress *progress,
                                                     PeltiOutputReport *report, PeltError *err)
{
    (void)progress;
    (void)report;
    for (int i = 0; i < output->count; i++)
        PELT_TRY(pelti_sink_complete(output->sinks[i], err));
    for (int i = 0; i < output->count; i++)
        PELT_TRY(pelti_sink_publish(output->sinks[i], err));
    return PELT_OK;
}
