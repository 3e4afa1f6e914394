/// What projective skinning carries from step to step.
#include "methods/projective/parts.h"

static void keep_contacts(Projective *p, PeltiSnapshot *s)
{
    size_t segments = (size_t)p->skeleton.segment_count;
    for (int m = 0; p->folds.start && m < p->folds.start[p->count]; m++)
        PELTI_KEEP(s, &p->folds.members[m].force, 1);
    if (!p->pairs.start)
        return;
    PELTI_KEEP(s, p->pairs.plane, p->count);
    PELTI_KEEP(s, p->pairs.last, p->count);
    PELTI_KEEP(s, p->pairs.ways, segments * segments);
    PELTI_KEEP(s, p->pairs.depth, p->count);
    PELTI_KEEP(s, p->pairs.margin, p->count);
    PELTI_KEEP(s, p->pairs.force, p->count);
}

void pelti_proj_keep(void *state, PeltiSnapshot *s)
{
    Projective *p = state;
    PELTI_KEEP(s, &p->started, 1);
    PELTI_KEEP(s, &p->swell_turn, 1);
    PELTI_KEEP(s, &p->swollen, 1);
    PELTI_KEEP(s, &p->residual, 1);
    ProjRow *rows[] = {p->x, p->last, p->velocity, p->q, p->q_last, p->origin};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        PELTI_KEEP(s, rows[k], p->count);
    PELTI_KEEP(s, p->swell, p->tissue.block_count);
    PELTI_KEEP(s, p->warm, p->tissue.block_count);
    PELTI_KEEP(s, p->bones_from, p->who->bone_count);
    keep_contacts(p, s);
}
