/// Saves and restores what tracking carries from step to step.
#include "methods/tracking/tracking.h"

static void keep_bones(PeltiSnapshot *s, TrackingBones *bones, int count)
{
    PELTI_KEEP(s, bones->matrix, count);
    PELTI_KEEP(s, bones->joint, count);
    PELTI_KEEP(s, bones->turn, count);
    PELTI_KEEP(s, bones->scale, count);
}

void pelti_tracking_keep(void *state, PeltiSnapshot *s)
{
    Tracking *t = state;
    size_t n = (size_t)t->mesh->vertex_count;
    PELTI_KEEP(s, &t->started, 1);
    PELTI_KEEP(s, &t->swelling.swollen, 1);
    PELTI_KEEP(s, &t->stale.virtual_frame, 1);
    PELTI_KEEP(s, &t->awake.fresh, 1);
    keep_bones(s, &t->bones.now, t->who->bone_count);
    enum { VECTORS = 6 };
    Vec3 *vectors[VECTORS] = {t->surface.x, t->surface.normal, t->show.shown, t->target.rhs, t->awake.left, t->predict.way};
    for (int k = 0; k < VECTORS; k++)
        PELTI_KEEP(s, vectors[k], n);
    float *floats[] = {t->surface.wall,     t->surface.pressed, t->surface.tilt_now, t->swelling.height,
                       t->surface.residual, t->target.scale,    t->surface.drift};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        PELTI_KEEP(s, floats[k], n);
    PELTI_KEEP(s, t->swelling.grown, t->fields->part_count);
    PELTI_KEEP(s, t->predict.turned, t->who->bone_count);
    PELTI_KEEP(s, &t->predict.gain, 1);
    PELTI_KEEP(s, &t->predict.length, 1);
    PELTI_KEEP(s, t->target.rotation, n);
    PELTI_KEEP(s, t->surface.other, n);
    PELTI_KEEP(s, t->surface.contact, n);
    PELTI_KEEP(s, t->surface.must_look, n);
    PELTI_KEEP(s, t->awake.changed, n);
    PELTI_KEEP(s, t->awake.restless, n);
    PELTI_KEEP(s, t->stale.around, n * (size_t)t->frame.words);
}
