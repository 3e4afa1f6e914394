/// Contacts of the skin with itself: forces along planes, found without touching the matrix. [Komaritzan2018] sec. 5.3 adds a
/// constraint to the matrix for every vertex that may collide, and a second matrix without them, because one that does not
/// collide is held back by its own do-nothing target. We keep one matrix and give each plane n.x >= d a force f >= 0 on the
/// right-hand side, raised with every iteration by what is missing (dual ascent). Forces live on from step to step, so resting
/// contacts rest, and neighbours follow through the solve.
///
/// Tried and dropped: the two-matrix form with multipliers (soft parts far from any contact lagged by a tenth of the size of an
/// arm); planes from the nearest facing triangle of each vertex, searched in every step (15 times the cost of the solve,
/// forces flickered where the search changed its mind).
#include "methods/projective/parts.h"

void pelti_proj_contact_forces(Projective *p, int mode)
{
    for (int k = 0; k < p->contact_count; k++) {
        const ProjContact *c = &p->contacts[k];
        const float *x = p->x[c->unknown], *n = c->n;
        float *y = p->y[c->unknown];
        float force = *c->force + p->rate[mode][c->unknown] * (c->d - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]));
        *c->force = fminf(fmaxf(force, 0), p->most_force[c->unknown]);
        for (int j = 0; j < 3; j++)
            y[j] += c->share * *c->force * n[j];
    }
}

bool pelti_proj_find_contacts(Projective *p)
{
    p->contact_count = 0;
    if (!p->folds.members)
        return false;
    float near = 20 * p->folds.gap; // farther than skin comes in a step
    p->contact_count = pelti_proj_fold_contacts(&p->folds, (const ProjRow *)p->x, near, p->contacts);
    if (p->pairs.start)
        p->contact_count += pelti_proj_pair_contacts(&p->pairs, p->count, near, p->contacts + p->contact_count);
    return p->contact_count > 0;
}

/// Dual ascent with A for the matrix is stable while rate < 2 / |A^-1|. The row sums t of A (what ties a vertex to base points
/// and inertia) bound it: A 1 = t, so |A^-1 t| = 1 where A is an M-matrix, and rate = t is safe. It need not quite be one: a
/// floor.
static void set_rates(Projective *p)
{
    const ProjTissue *t = &p->tissue;
    for (int i = 0; i < p->count; i++) {
        float sum = t->pin[i], own = (float)t->entries[p->order[i]].value;
        for (int e = t->near_start[i]; e < t->near_start[i + 1]; e++)
            if (t->near_index[e] < 0)
                sum -= t->near_value[e];
        p->rate[PROJ_STILL][i] = fminf(fmaxf(sum, 0.01f * own), own);
        p->rate[PROJ_MOVING][i] = fminf(fmaxf(sum + p->inertia[i], 0.01f * own), own + p->inertia[i]);
        p->most_force[i] = 0.1f * p->mesh->diagonal * p->rate[PROJ_MOVING][i];
    }
}

PeltStatus pelti_proj_contacts(Projective *p, bool everywhere, PeltError *err)
{
    float gap = 4e-4f * p->mesh->diagonal;
    for (int mode = 0; mode < 2; mode++)
        p->rate[mode] = PELTI_NEW(&p->pool, float, (size_t)p->count + 1);
    p->most_force = PELTI_NEW(&p->pool, float, (size_t)p->count + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)p->count * sizeof(float));
    set_rates(p);
    PELT_TRY(pelti_proj_folds(p->who, &p->skeleton, p->feet, p->order, gap, &p->pool, &p->folds, err));
    p->folds.bulge = p->bulge;
    p->contacts = PELTI_NEW(&p->pool, ProjContact, (size_t)p->folds.member_count + (size_t)p->count + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)p->folds.member_count * sizeof(ProjContact));
    return everywhere ? pelti_proj_pairs(p, gap, &p->pairs, err) : PELT_OK;
}
