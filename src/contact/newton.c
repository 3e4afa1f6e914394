/// Newton steps on the contacts that push, with the exact cone [Alart1991].
#include "contact/newton.h"

#include "contact/constants.def"
#include "math/elementary.h"
#include "math/wide.h"

#include <math.h>
#include <string.h>

enum { MOST = 3 * PELTI_NEWTON_MOST };

typedef struct State { ///< of one contact, [Alart1991]: pushes if f_n - r delta_n > 0, slips if f_t - r delta_t leaves the cone
    bool pushes, slips;
    double push, tau[2], length; ///< f_n - r delta_n; direction and length of f_t - r delta_t
} State;

struct PeltiNewton { ///< all of it scratch of one pelti_newton_solve; rows and columns n, t, s of each contact
    // the problem, by gather
    int contacts[PELTI_NEWTON_MOST], count;
    double w[MOST * MOST];                               ///< W of the chosen contacts, by rows
    double free[MOST];                                   ///< delta without their forces
    double rn[PELTI_NEWTON_MOST], rt[PELTI_NEWTON_MOST]; ///< force for displacement: what makes the two comparable
    // the forces, what they leave, and the best so far
    double f[MOST], delta[MOST], rest[MOST], best[MOST];
    // a step, by find_step
    State states[PELTI_NEWTON_MOST];
    double step[MOST];     ///< of all forces
    int unknown[MOST];     ///< those that are solved for
    double m[MOST * MOST]; ///< their part of the Jacobian
    double right[MOST];    ///< right-hand side, then their step
    double rows[3 * MOST]; ///< of the Jacobian, of one contact
};

PeltiNewton *pelti_newton_new(PeltiPool *pool)
{
    return PELTI_NEW(pool, PeltiNewton, 1);
}

/// Chooses the contacts and forms their W. False: none, or too many.
static bool gather(PeltiContactSystem *s, double near)
{
    PeltiNewton *n = s->newton;
    n->count = 0;
    for (int i = 0; i < s->constraint_count; i++) {
        const PeltiCoulombConstraint *c = &s->constraints[i];
        if (!(c->force[0] > 0) && !(c->delta[0] < near))
            continue;
        if (n->count == PELTI_NEWTON_MOST)
            return false;
        n->contacts[n->count++] = i;
    }
    int size = 3 * n->count;
    for (int a = 0; a < n->count; a++) {
        const PeltiCoulombConstraint *c = &s->constraints[n->contacts[a]];
        for (int b = 0; b < a; b++) {
            double w[3][3];
            pelti_coulomb_coupling(s, c, &s->constraints[n->contacts[b]], w);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    n->w[(3 * a + i) * size + 3 * b + k] = n->w[(3 * b + k) * size + 3 * a + i] = w[i][k];
        }
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                n->w[(3 * a + i) * size + 3 * a + k] = c->w[i][k];
            n->f[3 * a + i] = c->force[i];
            n->free[3 * a + i] = c->free[i];
        }
        n->rn[a] = 1 / c->w[0][0];
        n->rt[a] = 2 / (c->w[1][1] + c->w[2][2]);
    }
    return n->count > 0;
}

enum { LANES = 4 };

/// to += share from, a few at a time.
PELTI_WIDE void add_row(double *restrict to, const double *restrict from, double share, int count)
{
    int k = 0;
    for (; k + LANES <= count; k += LANES) {
        PeltiDouble4 a, b;
        memcpy(&a, to + k, sizeof a);
        memcpy(&b, from + k, sizeof b);
        a += share * b;
        memcpy(to + k, &a, sizeof a);
    }
    for (; k < count; k++)
        to[k] += share * from[k];
}

PELTI_CLONES static void find_delta(PeltiNewton *n, const double *f)
{
    int size = 3 * n->count;
    memcpy(n->delta, n->free, (size_t)size * sizeof(double));
    for (int k = 0; k < size; k++) // W is symmetric: its rows are its columns
        add_row(n->delta, n->w + k * size, f[k], size);
}

static State state_of(const PeltiContactSystem *s, int a, const double *f)
{
    const PeltiNewton *n = s->newton;
    double mu = s->constraints[n->contacts[a]].mu, x = f[3 * a + 1] - n->rt[a] * n->delta[3 * a + 1],
           y = f[3 * a + 2] - n->rt[a] * n->delta[3 * a + 2];
    State st = {.push = f[3 * a] - n->rn[a] * n->delta[3 * a], .length = sqrt(x * x + y * y)};
    st.pushes = st.push > 0;
    st.slips = st.pushes && st.length > mu * st.push;
    st.tau[0] = st.length > 0 ? x / st.length : 0;
    st.tau[1] = st.length > 0 ? y / st.length : 0;
    return st;
}

/// What is left of the equations, as displacements; returns the largest.
static double find_rest(PeltiContactSystem *s, const double *f)
{
    PeltiNewton *n = s->newton;
    double worst = 0;
    find_delta(n, f);
    for (int a = 0; a < n->count; a++) {
        State st = state_of(s, a, f);
        double mu = s->constraints[n->contacts[a]].mu, *r = &n->rest[3 * a];
        r[0] = st.pushes ? n->delta[3 * a] : f[3 * a] / n->rn[a];
        for (int k = 0; k < 2; k++)
            r[1 + k] = !st.pushes ? f[3 * a + 1 + k] / n->rt[a]
                       : st.slips ? (f[3 * a + 1 + k] - mu * st.push * st.tau[k]) / n->rt[a]
                                  : n->delta[3 * a + 1 + k];
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(r[k]));
    }
    return worst;
}

/// Rows of the Jacobian of the rest, for one contact that pushes.
static void fill_rows(const PeltiContactSystem *s, int a, const State *st, double *rows[3])
{
    const PeltiNewton *n = s->newton;
    int size = 3 * n->count;
    double mu = s->constraints[n->contacts[a]].mu;
    const double *w = &n->w[3 * a * size];
    memcpy(rows[0], w, (size_t)size * sizeof(double));
    if (!st->slips) {
        memcpy(rows[1], w + size, (size_t)size * sizeof(double));
        memcpy(rows[2], w + 2 * size, (size_t)size * sizeof(double));
        return;
    }
    // d (f_t - mu push tau) = df_t - mu tau (df_n - rn ddelta_n) - mu push / length (1 - tau tau^T) (df_t - rt ddelta_t)
    double turn = mu * st->push / st->length;
    for (int k = 0; k < 2; k++) {
        double along[2] = {turn * ((k == 0) - st->tau[k] * st->tau[0]), turn * ((k == 1) - st->tau[k] * st->tau[1])};
        for (int i = 0; i < size; i++)
            rows[1 + k][i] =
                (mu * st->tau[k] * n->rn[a] * w[i] + n->rt[a] * (along[0] * w[size + i] + along[1] * w[2 * size + i])) / n->rt[a];
        rows[1 + k][3 * a] -= mu * st->tau[k] / n->rt[a];
        rows[1 + k][3 * a + 1] += ((k == 0) - along[0]) / n->rt[a];
        rows[1 + k][3 * a + 2] += ((k == 1) - along[1]) / n->rt[a];
    }
}

/// Gauss's elimination with partial pivoting, in place; x: right-hand side, then solution.
PELTI_CLONES static bool eliminate(double *m, int size, double *x)
{
    for (int c = 0; c < size; c++) {
        int best = c;
        for (int r = c + 1; r < size; r++)
            if (fabs(m[r * size + c]) > fabs(m[best * size + c]))
                best = r;
        double pivot = m[best * size + c];
        if (!(fabs(pivot) > 1e-300))
            return false;
        if (best != c) {
            for (int k = c; k < size; k++) {
                double swap = m[c * size + k];
                m[c * size + k] = m[best * size + k], m[best * size + k] = swap;
            }
            double swap = x[c];
            x[c] = x[best], x[best] = swap;
        }
        for (int r = c + 1; r < size; r++) {
            double share = m[r * size + c] / pivot;
            if (share == 0)
                continue;
            add_row(m + r * size + c + 1, m + c * size + c + 1, -share, size - c - 1);
            x[r] -= share * x[c];
        }
    }
    for (int c = size - 1; c >= 0; c--) {
        for (int k = c + 1; k < size; k++)
            x[c] -= m[c * size + k] * x[k];
        x[c] /= m[c * size + c];
    }
    return true;
}

/// The step of contacts that part is known (their forces go), so that only those that push are solved for.
static bool find_step(PeltiContactSystem *s)
{
    PeltiNewton *n = s->newton;
    int size = 3 * n->count, used = 0;
    for (int a = 0; a < n->count; a++) {
        State st = state_of(s, a, n->f);
        n->states[a] = st;
        for (int k = 0; k < 3; k++) {
            n->step[3 * a + k] = -n->f[3 * a + k];
            if (st.pushes)
                n->unknown[used++] = 3 * a + k;
        }
    }
    for (int r = 0; r < used; r += 3) {
        int a = n->unknown[r] / 3;
        fill_rows(s, a, &n->states[a], (double *[3]){n->rows, n->rows + size, n->rows + 2 * size});
        for (int k = 0; k < 3; k++) {
            double right = -n->rest[3 * a + k];
            for (int b = 0; b < n->count; b++)
                if (!n->states[b].pushes)
                    for (int e = 3 * b; e < 3 * b + 3; e++)
                        right -= n->rows[k * size + e] * n->step[e];
            for (int c = 0; c < used; c++)
                n->m[(r + k) * used + c] = n->rows[k * size + n->unknown[c]];
            n->right[r + k] = right;
        }
    }
    if (!eliminate(n->m, used, n->right))
        return false;
    for (int r = 0; r < used; r++)
        n->step[n->unknown[r]] = n->right[r];
    return true;
}

/// The forces, back inside their cones.
static void give_back(PeltiContactSystem *s)
{
    const PeltiNewton *n = s->newton;
    for (int a = 0; a < n->count; a++) {
        PeltiCoulombConstraint *c = &s->constraints[n->contacts[a]];
        double push = fmax(n->f[3 * a], 0), length = pelti_hypot(n->f[3 * a + 1], n->f[3 * a + 2]), most = c->mu * push;
        double keep = length > most ? most / length : 1;
        c->force[0] = push;
        c->force[1] = keep * n->f[3 * a + 1];
        c->force[2] = keep * n->f[3 * a + 2];
    }
}

int pelti_newton_solve(PeltiContactSystem *s, double near, double tolerance)
{
    PeltiNewton *n = s->newton;
    if (!n || !gather(s, near))
        return -1;
    int steps = 0, size = 3 * n->count;
    double start = find_rest(s, n->f), best = start, now = start;
    memcpy(n->best, n->f, (size_t)size * sizeof(double));
    while (steps < NEWTON_STEPS && now > NEWTON_ENOUGH * tolerance && find_step(s)) {
        for (int i = 0; i < size; i++)
            n->f[i] += n->step[i];
        steps++;
        s->scratch.work += (long)size * size * size / NEWTON_VISIT;
        now = find_rest(s, n->f);
        if (now < best)
            best = now, memcpy(n->best, n->f, (size_t)size * sizeof(double));
    }
    if (!(best < start))
        return 0;
    memcpy(n->f, n->best, (size_t)size * sizeof(double));
    give_back(s);
    return steps;
}
