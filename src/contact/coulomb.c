/// Gauss-Seidel over contacts with the exact friction cone [Duriez2008 sec. 5], faster by conjugate gradients [Silcowitz2010].
#include "contact/coulomb.h"

#include "contact/newton.h"
#include "contact/constants.def"

#include <math.h>
#include <stddef.h>
#include <string.h>

static bool solve3(const double w[3][3], const double b[3], double x[3]) // by cofactors; w symmetric positive
{
    double c00 = w[1][1] * w[2][2] - w[1][2] * w[2][1], c01 = w[1][2] * w[2][0] - w[1][0] * w[2][2];
    double c02 = w[1][0] * w[2][1] - w[1][1] * w[2][0], det = w[0][0] * c00 + w[0][1] * c01 + w[0][2] * c02;
    if (!(fabs(det) > 1e-300))
        return false;
    double c11 = w[0][0] * w[2][2] - w[0][2] * w[2][0], c12 = w[0][1] * w[2][0] - w[0][0] * w[2][1];
    double c22 = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    x[0] = (c00 * b[0] + c01 * b[1] + c02 * b[2]) / det;
    x[1] = (c01 * b[0] + c11 * b[1] + c12 * b[2]) / det;
    x[2] = (c02 * b[0] + c12 * b[1] + c22 * b[2]) / det;
    return true;
}

/// Slipping, delta_n = 0 and delta_t = -s f_t with s >= 0: with f_n eliminated, (A + s I) f_t = -c.
typedef struct Slip {
    double a, d, e; // A = [a e; e d]
    double c[2], mu;
    const double (*w)[3], *b;
} Slip;

/// Distance out of the cone, |f_t| - mu f_n, for a given s.
static double beyond(const Slip *p, double s, double f[3])
{
    double a = p->a + s, d = p->d + s, det = a * d - p->e * p->e;
    f[1] = -(d * p->c[0] - p->e * p->c[1]) / det;
    f[2] = -(a * p->c[1] - p->e * p->c[0]) / det;
    f[0] = -(p->b[0] + p->w[0][1] * f[1] + p->w[0][2] * f[2]) / p->w[0][0];
    return sqrt(f[1] * f[1] + f[2] * f[2]) - p->mu * f[0];
}

/// s = 0 is the sticking force, outside the cone; for s -> infinity f_t -> 0, inside it: the root between is the slipping
/// force. Regula falsi with the Illinois rule, bisecting in between so that the bracket always halves.
static void solve_slip(const double w[3][3], const double b[3], double mu, double f[3])
{
    Slip p = {.w = w, .b = b, .mu = mu};
    p.a = w[1][1] - w[1][0] * w[0][1] / w[0][0];
    p.d = w[2][2] - w[2][0] * w[0][2] / w[0][0];
    p.e = w[1][2] - w[1][0] * w[0][2] / w[0][0];
    p.c[0] = b[1] - w[1][0] * b[0] / w[0][0];
    p.c[1] = b[2] - w[2][0] * b[0] / w[0][0];
    double scale = p.a + p.d > 0 ? p.a + p.d : w[0][0], low = 1e-14 * scale, high = scale;
    double at_low = beyond(&p, low, f), at_high = beyond(&p, high, f);
    if (!(at_low > 0))
        return; // on the cone already; f is close to the sticking force
    for (int k = 0; k < 200 && at_high > 0; k++)
        low = high, at_low = at_high, high *= 4, at_high = beyond(&p, high, f);
    double floor = 1e-14 * (mu * fabs(b[0]) / w[0][0]);
    for (int k = 0; k < 100; k++) {
        double middle = low + (high - low) * at_low / (at_low - at_high);
        if (k % 3 == 2 || !(middle > low && middle < high))
            middle = 0.5 * (low + high);
        double value = beyond(&p, middle, f);
        if (fabs(value) <= floor || high - low <= 1e-15 * high)
            break;
        if (value > 0)
            low = middle, at_low = value, at_high *= 0.5;
        else
            high = middle, at_high = value, at_low *= 0.5;
    }
    double norm = sqrt(f[1] * f[1] + f[2] * f[2]), cone = mu * (f[0] > 0 ? f[0] : 0);
    if (norm > cone && norm > 0) // the last digits: never outside the cone
        f[1] *= cone / norm, f[2] *= cone / norm;
}

void pelti_coulomb_local(const double w[3][3], const double b[3], double mu, double f[3])
{
    f[0] = f[1] = f[2] = 0;
    if (!(b[0] < 0))
        return; // separates by itself
    if (!(mu > 0)) {
        f[0] = -b[0] / w[0][0];
        return;
    }
    double stick[3];
    const double minus[3] = {-b[0], -b[1], -b[2]};
    if (solve3(w, minus, stick) && stick[0] >= 0 && stick[1] * stick[1] + stick[2] * stick[2] <= mu * mu * stick[0] * stick[0]) {
        memcpy(f, stick, sizeof stick);
        return;
    }
    solve_slip(w, b, mu, f);
}

// ---- the whole system ----

static const PeltiCoulombCompliance *group_of(const PeltiContactSystem *s, int slot)
{
    int g = s->slot_group ? s->slot_group[slot] : -1;
    return g < 0 ? NULL : &s->groups[g];
}

/// u += C J^T f for one block.
static void push(const PeltiContactSystem *s, const PeltiContactBlock *block, const double f[3])
{
    double t[3];
    for (int k = 0; k < 3; k++)
        t[k] = block->j[0][k] * f[0] + block->j[1][k] * f[1] + block->j[2][k] * f[2];
    const PeltiCoulombCompliance *group = group_of(s, block->slot);
    if (!group) {
        for (int k = 0; k < 3; k++)
            s->u[block->slot][k] += t[k];
        return;
    }
    int local = block->slot - group->first_slot, n = 3 * group->slot_count;
    double *u = &s->u[group->first_slot][0];
    const double *row = group->c + (size_t)(3 * local) * (size_t)n; // symmetric: rows are columns
    for (int i = 0; i < n; i++)
        u[i] += row[i] * t[0] + row[n + i] * t[1] + row[2 * n + i] * t[2];
}

void pelti_coulomb_coupling(const PeltiContactSystem *s, const PeltiCoulombConstraint *c, const PeltiCoulombConstraint *d,
                            double w[3][3])
{
    memset(w, 0, sizeof(double[3][3]));
    for (int i = 0; i < c->block_count; i++) {
        const PeltiContactBlock *p = &s->blocks[c->first_block + i];
        const PeltiCoulombCompliance *group = group_of(s, p->slot);
        for (int k = 0; k < d->block_count; k++) {
            const PeltiContactBlock *q = &s->blocks[d->first_block + k];
            if (!group && p->slot != q->slot)
                continue;
            if (group && group_of(s, q->slot) != group)
                continue;
            double jc[3][3]; // J_p C_pq
            memcpy(jc, p->j, sizeof jc);
            if (group) {
                int n = 3 * group->slot_count;
                const double *at =
                    group->c + (size_t)(3 * (p->slot - group->first_slot)) * (size_t)n + 3 * (q->slot - group->first_slot);
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        jc[a][b] = p->j[a][0] * at[b] + p->j[a][1] * at[n + b] + p->j[a][2] * at[2 * n + b];
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    w[a][b] += jc[a][0] * q->j[b][0] + jc[a][1] * q->j[b][1] + jc[a][2] * q->j[b][2];
        }
    }
}

/// u of the present forces.
static void gather_motion(PeltiContactSystem *s)
{
    memset(s->u, 0, (size_t)s->slot_count * sizeof *s->u);
    for (int i = 0; i < s->constraint_count; i++) {
        const PeltiCoulombConstraint *c = &s->constraints[i];
        for (int k = 0; k < c->block_count && (c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0); k++)
            push(s, &s->blocks[c->first_block + k], c->force);
    }
}

/// Gives every contact its own compliance.
static void regularise(PeltiContactSystem *s, double regularisation)
{
    for (int i = 0; i < s->constraint_count; i++) {
        PeltiCoulombConstraint *c = &s->constraints[i];
        double own = (c->w[0][0] + c->w[1][1] + c->w[2][2]) / 3 - c->epsilon, last = c->epsilon;
        c->epsilon = regularisation * fmax(own, s->scratch.least_w);
        if (!(c->epsilon > 0) && !(own > 0))
            c->epsilon = 1e-300; // nothing can move: forces stay finite, nothing else to do
        for (int k = 0; k < 3; k++)
            c->w[k][k] += c->epsilon - last;
    }
}

/// W_cc of every contact, with its regularisation, and u of the guessed forces.
static void prepare(PeltiContactSystem *s, double regularisation)
{
    double trace = 0;
    gather_motion(s);
    for (int i = 0; i < s->constraint_count; i++) {
        PeltiCoulombConstraint *c = &s->constraints[i];
        pelti_coulomb_coupling(s, c, c, c->w);
        trace += c->w[0][0] + c->w[1][1] + c->w[2][2];
    }
    s->scratch.least_w = s->constraint_count ? LEAST_BLOCK * trace / (3.0 * s->constraint_count) : 0;
    for (int i = 0; i < s->constraint_count; i++)
        s->constraints[i].epsilon = 0;
    regularise(s, regularisation);
}

/// delta of one contact: what the bodies give, plus its own regularisation.
static void read_delta(const PeltiContactSystem *s, const PeltiCoulombConstraint *c, double delta[3])
{
    for (int a = 0; a < 3; a++)
        delta[a] = c->free[a] + c->epsilon * c->force[a];
    for (int k = 0; k < c->block_count; k++) {
        const PeltiContactBlock *block = &s->blocks[c->first_block + k];
        const double *u = s->u[block->slot];
        for (int a = 0; a < 3; a++)
            delta[a] += block->j[a][0] * u[0] + block->j[a][1] * u[1] + block->j[a][2] * u[2];
    }
}

static double visit(PeltiContactSystem *s, PeltiCoulombConstraint *c)
{
    double delta[3], b[3], f[3], change[3], moved = 0;
    read_delta(s, c, delta);
    c->delta[0] = delta[0];
    for (int a = 0; a < 3; a++)
        b[a] = delta[a] - (c->w[a][0] * c->force[0] + c->w[a][1] * c->force[1] + c->w[a][2] * c->force[2]);
    pelti_coulomb_local((const double(*)[3])c->w, b, c->mu, f);
    for (int a = 0; a < 3; a++)
        change[a] = f[a] - c->force[a];
    if (change[0] == 0 && change[1] == 0 && change[2] == 0)
        return 0;
    memcpy(c->force, f, sizeof f);
    for (int k = 0; k < c->block_count; k++)
        push(s, &s->blocks[c->first_block + k], change);
    for (int a = 0; a < 3; a++)
        moved = fmax(moved, fabs(c->w[a][0] * change[0] + c->w[a][1] * change[1] + c->w[a][2] * change[2]));
    return moved;
}

/// A sweep over all contacts, or (hot) over those that push or nearly do. Most watched contacts are apart and stay so:
/// leaving them out of most sweeps is several times faster and, as every accepted result ends with a whole sweep, changes
/// nothing.
static double sweep(PeltiContactSystem *s, bool hot, double near)
{
    double change = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        PeltiCoulombConstraint *c = &s->constraints[i];
        if (!hot || c->force[0] > 0 || c->delta[0] < near)
            change = fmax(change, visit(s, c)), s->scratch.work++;
    }
    return change;
}

/// [Silcowitz2010]: a sweep's change of force, g = f_old - f_new, serves as a gradient; while it shrinks, the forces are carried
/// on along the conjugate direction p = beta p - g, beta = |g|^2 / |g_last|^2, here in the metric of W_cc. What leaves the cone
/// comes back in the next sweep. A ball of radius 30 mm on facets of 5 mm needed more than 500 plain sweeps, and 30 of these.
static double accelerate(PeltiContactSystem *s, double last)
{
    double now = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        const PeltiCoulombConstraint *c = &s->constraints[i];
        double g[3] = {c->scratch.old[0] - c->force[0], c->scratch.old[1] - c->force[1], c->scratch.old[2] - c->force[2]};
        for (int a = 0; a < 3; a++)
            now += g[a] * (c->w[a][0] * g[0] + c->w[a][1] * g[1] + c->w[a][2] * g[2]);
    }
    double beta = last > 0 ? now / last : 2;
    for (int i = 0; i < s->constraint_count; i++) {
        PeltiCoulombConstraint *c = &s->constraints[i];
        if (beta > 1 || (c->force[0] == 0 && c->scratch.old[0] == 0)) { // start over; or apart
            for (int a = 0; a < 3; a++)
                c->scratch.step[a] = beta > 1 ? 0 : c->force[a] - c->scratch.old[a];
            continue;
        }
        double carry[3];
        for (int a = 0; a < 3; a++) {
            carry[a] = beta * c->scratch.step[a];
            c->scratch.step[a] = carry[a] + c->force[a] - c->scratch.old[a];
            c->force[a] += carry[a];
        }
        for (int k = 0; k < c->block_count && (carry[0] != 0 || carry[1] != 0 || carry[2] != 0); k++)
            push(s, &s->blocks[c->first_block + k], carry);
    }
    return now;
}

static void remember(PeltiContactSystem *s)
{
    for (int i = 0; i < s->constraint_count; i++)
        memcpy(s->constraints[i].scratch.old, s->constraints[i].force, sizeof(double[3]));
}

static bool exhausted(const PeltiContactSystem *s, const PeltiCoulombSettings *settings)
{
    return settings->work > 0 && s->scratch.work >= settings->work;
}

/// `count` sweeps over the contacts that push, then one over all.
static void sweeps(PeltiContactSystem *s, const PeltiCoulombSettings *settings, int count, double near, double *last,
                   PeltiCoulombResult *result)
{
    for (int k = 0; k < count && result->iterations < settings->iterations && !exhausted(s, settings); k++) {
        remember(s);
        result->iterations++;
        if (sweep(s, true, near) <= settings->tolerance)
            break;
        *last = accelerate(s, *last);
    }
    remember(s);
    result->iterations++;
    result->change = sweep(s, false, near);
    result->converged = result->change <= settings->tolerance;
}

static int most_misses(const PeltiCoulombSettings *settings)
{
    bool few = settings->iterations < (NEWTON_MISSES_MOST - NEWTON_MISSES) * SWEEPS_A_MISS;
    return few ? NEWTON_MISSES + settings->iterations / SWEEPS_A_MISS : NEWTON_MISSES_MOST;
}

/// Newton steps, and a sweep over all to see what they are worth; forces stay as they were if nothing.
static void newton(PeltiContactSystem *s, const PeltiCoulombSettings *settings, double near, PeltiCoulombResult *result)
{
    double before = result->change;
    remember(s);
    int steps = pelti_newton_solve(s, NEWTON_NEAR * settings->tolerance, settings->tolerance);
    result->misses += steps < 0 ? most_misses(settings) : steps == 0;
    if (steps <= 0)
        return;
    result->iterations += steps;
    gather_motion(s);
    result->iterations++;
    result->change = sweep(s, false, near);
    result->converged = result->change <= settings->tolerance;
    if (result->change > NEWTON_WORSE * before)
        for (int i = 0; i < s->constraint_count; i++)
            memcpy(s->constraints[i].force, s->constraints[i].scratch.old, sizeof(double[3]));
    if (result->change > NEWTON_WORSE * before)
        gather_motion(s), result->change = before;
    for (int i = 0; i < s->constraint_count; i++)
        memset(s->constraints[i].scratch.step, 0, sizeof(double[3]));
}

static void rounds(PeltiContactSystem *s, const PeltiCoulombSettings *settings, int most, PeltiCoulombResult *result)
{
    double last = 0, near = HOT_NEAR * settings->tolerance;
    int end = result->iterations + most < settings->iterations ? result->iterations + most : settings->iterations;
    result->converged = false;
    for (int round = 0; result->iterations < end && !result->converged && !exhausted(s, settings); round++) {
        bool steps = s->newton && result->misses < most_misses(settings);
        sweeps(s, settings, steps && round < FIRST_ROUNDS ? FIRST_SWEEPS : ROUND_SWEEPS, near, &last, result);
        if (!result->converged && steps && !exhausted(s, settings))
            newton(s, settings, near, result);
        if (!result->converged)
            last = steps ? 0 : accelerate(s, last);
    }
}

PeltiCoulombResult pelti_coulomb_solve(PeltiContactSystem *system, const PeltiCoulombSettings *settings)
{
    PeltiCoulombResult result = {0};
    system->scratch.work = 0;
    prepare(system, settings->regularisation);
    rounds(system, settings, system->newton ? STIFF_SWEEPS : settings->iterations, &result);
    // Contacts that contradict each other: softer ones do less, and the way back from their solution leads to this one.
    bool few = system->newton && result.misses < most_misses(settings);
    for (double soft = SOFTEST;
         few && soft >= 1 && !result.converged && result.iterations < settings->iterations && !exhausted(system, settings);
         soft /= SOFTER_BY) {
        regularise(system, soft * settings->regularisation);
        rounds(system, settings, SOFT_SWEEPS, &result);
        result.converged = result.converged && soft <= 1;
    }
    regularise(system, settings->regularisation);
    if (!result.converged)
        rounds(system, settings, settings->iterations, &result);
    for (int i = 0; i < system->constraint_count; i++)
        read_delta(system, &system->constraints[i], system->constraints[i].delta);
    result.work = system->scratch.work;
    return result;
}
