/// Keeps skin behind its planes of contact by forces, without touching the matrix (unlike [Komaritzan2018 sec. 5.3]).
/// [Komaritzan2018] sec. 5.3 adds a constraint to the matrix for every vertex that may collide, and a second matrix without
/// them, because one that does not collide is held back by its own do-nothing target. We keep one matrix and give each plane
/// n.x >= d a force f >= 0 on the right-hand side, raised with every iteration by what is missing (dual ascent). Forces live on
/// from step to step, so resting contacts rest, and neighbours follow through the solve.
///
/// Tried and dropped: the two-matrix form with multipliers (soft parts far from any contact lagged by a tenth of the size of an
/// arm); planes from the nearest facing triangle of each vertex, searched in every step (15 times the cost of the solve,
/// forces flickered where the search changed its mind).
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

int pelti_proj_piece_first(const ProjFolds *folds, int piece)
{
    return folds->start[piece * PROJ_PIECE] + piece * PROJ_PIECE; // as many planes as folds have members, and one of pairs
}

static void press(Projective *p, ProjMode mode, const ProjContact *c)
{
    const float *x = p->state.x[c->unknown], *n = c->n;
    float *rhs = p->scratch.solved[c->unknown];
    float force = *c->force + p->contacts.rate[mode][c->unknown] * (c->d - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]));
    *c->force = fminf(fmaxf(force, 0), p->contacts.most_force[c->unknown]);
    for (int j = 0; j < 3; j++)
        rhs[j] += c->share * *c->force * n[j];
}

void pelti_proj_contact_forces(Projective *p, ProjMode mode, int begin, int end)
{
    for (int piece = begin / PROJ_PIECE; piece * PROJ_PIECE < end; piece++) {
        const ProjContact *c = p->contacts.list + pelti_proj_piece_first(&p->contacts.folds, piece),
                          *last = c + p->contacts.in_piece[piece];
        for (; c < last && c->unknown < end; c++) // a piece may reach over both ends
            if (c->unknown >= begin)
                press(p, mode, c);
    }
}

static void find_in_piece(void *context, int begin, int end, int worker)
{
    (void)worker;
    Projective *p = context;
    ProjPairs *pairs = &p->contacts.pairs;
    float near = CONTACT_NEAR * p->contacts.folds.gap;
    ProjContact *out = p->contacts.list + pelti_proj_piece_first(&p->contacts.folds, begin / PROJ_PIECE);
    int count = 0;
    for (int i = begin; i < end; i++) {
        count += pelti_proj_fold_contacts(&p->contacts.folds, i, p->state.x[i], near, out + count);
        if (!pairs->start)
            continue;
        const float *n = pairs->plane[i];
        if (pairs->depth[i] > -near)
            out[count++] = (ProjContact){i, {n[0], n[1], n[2]}, n[3], 1, &pairs->force[i]};
        else
            pairs->force[i] = 0;
    }
    p->contacts.in_piece[begin / PROJ_PIECE] = count;
}

void pelti_proj_forget_contacts(Projective *p)
{
    size_t segments = (size_t)p->skeleton.segment_count;
    for (int m = 0; p->contacts.folds.start && m < p->contacts.folds.start[p->count]; m++)
        p->contacts.folds.members[m].force = 0;
    if (p->contacts.pairs.start) {
        memset(p->contacts.pairs.force, 0, (size_t)p->count * sizeof *p->contacts.pairs.force);
        memset(p->contacts.pairs.plane, 0, (size_t)p->count * sizeof *p->contacts.pairs.plane);
        memset(p->contacts.pairs.ways, 0, segments * segments * sizeof *p->contacts.pairs.ways);
    }
}

bool pelti_proj_find_contacts(Projective *p)
{
    p->contacts.count = 0;
    if (!p->contacts.folds.start)
        return false;
    pelti_parallel_for(p->jobs, p->count, PROJ_PIECE, find_in_piece, p);
    for (int k = 0; k * PROJ_PIECE < p->count; k++)
        p->contacts.count += p->contacts.in_piece[k];
    return p->contacts.count > 0;
}

/// Dual ascent with A for the matrix is stable while rate < 2 / |A^-1|. The row sums t of A (what ties a vertex to base points
/// and inertia) bound it: A 1 = t, so |A^-1 t| = 1 where A is an M-matrix, and rate = t is safe. It need not quite be one: a
/// floor.
static void set_rates(Projective *p)
{
    const ProjTissue *t = &p->tissue;
    for (int i = 0; i < p->count; i++) {
        float sum = t->pin[i], own = (float)t->entries[p->system.order[i]].value;
        for (int e = t->near_start[i]; e < t->near_start[i + 1]; e++)
            if (t->near_index[e] < 0)
                sum -= t->near_value[e];
        p->contacts.rate[PROJ_STILL][i] = fminf(fmaxf(sum, RATE_LEAST * own), own);
        p->contacts.rate[PROJ_MOVING][i] = fminf(fmaxf(sum + p->system.inertia[i], RATE_LEAST * own), own + p->system.inertia[i]);
        p->contacts.most_force[i] = FORCE_MOST * p->mesh->diagonal * p->contacts.rate[PROJ_MOVING][i];
    }
}

PeltStatus pelti_proj_contacts(Projective *p, bool everywhere, PeltError *err)
{
    float gap = CONTACT_GAP * p->mesh->diagonal;
    for (int mode = 0; mode < PROJ_MODE_COUNT; mode++)
        p->contacts.rate[mode] = PELTI_NEW(&p->pool, float, (size_t)p->count + 1);
    p->contacts.most_force = PELTI_NEW(&p->pool, float, (size_t)p->count + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)p->count * sizeof(float));
    set_rates(p);
    p->contacts.folds.gap = gap;
    const ProjSource source = {.who = p->who, .pool = &p->pool};
    PELT_TRY(pelti_proj_folds(&source, &p->skeleton, p->feet, p->system.order, &p->contacts.folds, err));
    p->contacts.folds.bulge = p->settings.bulge;
    size_t most = (size_t)p->contacts.folds.start[p->count] + (size_t)p->count;
    p->contacts.list = PELTI_NEW(&p->pool, ProjContact, most + 1);
    p->contacts.in_piece = PELTI_NEW(&p->pool, int, (size_t)p->count / PROJ_PIECE + 2);
    if (p->pool.failed)
        return pelti_no_memory(err, most * sizeof(ProjContact));
    return everywhere ? pelti_proj_pairs(p, gap, &p->contacts.pairs, err) : PELT_OK;
}
