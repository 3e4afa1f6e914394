/// The list of methods, and what all of them do around a step.
#include "methods/method.h"

#include <string.h>

extern const PeltiMethod pelti_method_lbs, pelti_method_dqs, pelti_method_implicit, pelti_method_tracking, pelti_method_layered,
    pelti_method_projective;

const PeltiMethod *const pelti_methods[] = {
    &pelti_method_lbs,
    &pelti_method_dqs,
    &pelti_method_implicit,
    &pelti_method_tracking,
    &pelti_method_projective,
    &pelti_method_layered,
    NULL,
};

const PeltiMethod *pelti_method_find(const char *name)
{
    for (const PeltiMethod *const *method = pelti_methods; *method; method++)
        if (!strcmp((*method)->name, name))
            return *method;
    return NULL;
}

void pelti_step_stat(PeltiStepReport *report, const char *name, double value, PeltiStepMerge merge)
{
    if (!report || report->told.stat_count >= PELT_MAX_STATS)
        return;
    report->merge[report->told.stat_count] = merge;
    report->told.stats[report->told.stat_count++] = (PeltStat){name, value};
}

void pelti_scatter(const PeltiMesh *mesh, const Vec3 *vertices, Vec3 *points)
{
    for (int p = 0; p < mesh->point_count; p++)
        points[p] = vertices[mesh->weld[p]];
}
