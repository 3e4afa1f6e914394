/// Saves and restores what projective skinning carries from step to step.
#include "methods/projective/parts.h"

static void keep_contacts(Projective *p, PeltiSnapshot *s)
{
    size_t segments = (size_t)p->skeleton.segment_count;
    for (int m = 0; p->contacts.folds.start && m < p->contacts.folds.start[p->count]; m++)
        PELTI_KEEP(s, &p->contacts.folds.members[m].force, 1);
    if (!p->contacts.pairs.start)
        return;
    PELTI_KEEP(s, p->contacts.pairs.plane, p->count);
    PELTI_KEEP(s, p->contacts.pairs.ways, segments * segments);
    PELTI_KEEP(s, p->contacts.pairs.depth, p->count);
    PELTI_KEEP(s, p->contacts.pairs.margin, p->count);
    PELTI_KEEP(s, p->contacts.pairs.force, p->count);
}

void pelti_proj_keep(void *state, PeltiSnapshot *s)
{
    enum { ROWS = 5 };
    Projective *p = state;
    PELTI_KEEP(s, &p->travel.started, 1);
    PELTI_KEEP(s, &p->swelling.steps, 1);
    PELTI_KEEP(s, &p->swelling.steps_left, 1);
    PELTI_KEEP(s, &p->figures.residual, 1);
    ProjRow *rows[ROWS] = {p->state.x, p->state.last, p->state.velocity, p->state.q, p->state.q_last};
    for (int k = 0; k < ROWS; k++)
        PELTI_KEEP(s, rows[k], p->count);
    PELTI_KEEP(s, p->swelling.share, p->tissue.block_count);
    PELTI_KEEP(s, p->state.warm, p->tissue.block_count);
    for (int b = 0; b < p->base.bone_count; b++)
        PELTI_KEEP(s, &p->base.joints[b].between, 1);
    pelti_motion_keep(&p->travel.motion, s);
    keep_contacts(p, s);
}
