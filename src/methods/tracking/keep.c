/// What tracking carries from step to step.
#include "methods/tracking/tracking.h"

static void keep_bones(PeltiSnapshot *s, Bones *bones, int count)
{
    PELTI_KEEP(s, bones->matrix, count);
    PELTI_KEEP(s, bones->joint, count);
    PELTI_KEEP(s, bones->turn, count);
    PELTI_KEEP(s, bones->scale, count);
}

void tracking_keep(void *state, PeltiSnapshot *s)
{
    Tracking *t = state;
    size_t n = (size_t)t->mesh->vertex_count;
    PELTI_KEEP(s, &t->started, 1);
    PELTI_KEEP(s, &t->swollen, 1);
    PELTI_KEEP(s, &t->turn, 1);
    keep_bones(s, &t->now, t->who->bone_count);
    Vec3 *vectors[] = {t->x, t->normal, t->shown};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        PELTI_KEEP(s, vectors[k], n);
    float *floats[] = {t->own_bias, t->wall, t->pressed, t->lean, t->swell, t->residual, t->rotation_scale, t->drift};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        PELTI_KEEP(s, floats[k], n);
    PELTI_KEEP(s, t->grown, t->fields->part_count);
    PELTI_KEEP(s, t->rotation, n);
    PELTI_KEEP(s, t->other, n);
    PELTI_KEEP(s, t->contact, n);
    PELTI_KEEP(s, t->stirred, n);
    PELTI_KEEP(s, t->around, n * (size_t)t->frame.words);
}
