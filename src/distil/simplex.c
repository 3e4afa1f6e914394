/// Weights by an exact active set on a Gram matrix.
#include "distil/simplex.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { N = PELTI_SIMPLEX_MOST };

void pelti_distil_cholesky_solve(int n, double *a, int columns, double *b, double least)
{
    for (int j = 0; j < n; j++) {
        double *row = a + (long)j * n, diagonal = row[j];
        for (int i = 0; i < j; i++) {
            double sum = row[i], *upper = a + (long)i * n;
            for (int k = 0; k < i; k++)
                sum -= row[k] * upper[k];
            row[i] = upper[i] > 0 ? sum / upper[i] : 0;
        }
        for (int k = 0; k < j; k++)
            row[j] -= row[k] * row[k];
        row[j] = row[j] > least * fabs(diagonal) && row[j] > 0 ? sqrt(row[j]) : 0;
    }
    for (int j = 0; j < n; j++)
        for (int c = 0; c < columns; c++) {
            double sum = b[(long)j * columns + c];
            for (int k = 0; k < j; k++)
                sum -= a[(long)j * n + k] * b[(long)k * columns + c];
            b[(long)j * columns + c] = a[(long)j * n + j] > 0 ? sum / a[(long)j * n + j] : 0;
        }
    for (int j = n - 1; j >= 0; j--)
        for (int c = 0; c < columns; c++) {
            double sum = b[(long)j * columns + c];
            for (int k = j + 1; k < n; k++)
                sum -= a[(long)k * n + j] * b[(long)k * columns + c];
            b[(long)j * columns + c] = a[(long)j * n + j] > 0 ? sum / a[(long)j * n + j] : 0;
        }
}

typedef struct Active {
    int n, count, of[N]; // the free ones
    const double *g;
} Active;

static double value(int n, const double *g, const double *w)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += w[i] * w[j] * g[(long)i * n + j];
    return sum;
}

/// z on the free ones: G_FF z = 1, scaled to sum one. A ridge of rounding's size where G does not tell them apart.
static void solve_free(const Active *active, double z[N])
{
    double a[N * N], one[N], trace = 0, sum = 0;
    int count = active->count;
    for (int i = 0; i < count; i++)
        trace += active->g[(long)active->of[i] * active->n + active->of[i]];
    for (int i = 0; i < count; i++) {
        one[i] = 1;
        for (int j = 0; j < count; j++)
            a[i * count + j] = active->g[(long)active->of[i] * active->n + active->of[j]];
        a[i * count + i] += 1e-12 * trace + 1e-300;
    }
    pelti_distil_cholesky_solve(count, a, 1, one, 1e-13);
    for (int i = 0; i < count; i++)
        sum += one[i];
    for (int i = 0; i < count; i++)
        z[i] = sum > 0 ? one[i] / sum : 1.0 / count;
}

/// From w towards z until the first weight is used up; true: all the way.
static bool walk(Active *active, const double z[N], double *w)
{
    double share = 1;
    int last = -1, kept = 0;
    for (int i = 0; i < active->count; i++) {
        double now = w[active->of[i]];
        if (z[i] > 0 || now - z[i] <= 0)
            continue;
        if (now / (now - z[i]) <= share) {
            share = now / (now - z[i]);
            last = i;
        }
    }
    for (int i = 0; i < active->count; i++)
        w[active->of[i]] += share * (z[i] - w[active->of[i]]);
    if (last < 0)
        return true;
    for (int i = 0; i < active->count; i++) {
        if (i == last || w[active->of[i]] <= 0)
            w[active->of[i]] = 0;
        else
            active->of[kept++] = active->of[i];
    }
    active->count = kept;
    return false;
}

/// The one outside whose weight would lower the value most steeply; -1: none.
static int steepest(const Active *active, const double *w, const bool *barred, double now)
{
    int best = -1;
    double least = now - 1e-9 * fabs(now);
    for (int k = 0; k < active->n; k++) {
        double slope = 0;
        bool inside = barred && barred[k];
        for (int i = 0; i < active->count; i++) {
            inside = inside || active->of[i] == k;
            slope += active->g[(long)k * active->n + active->of[i]] * w[active->of[i]];
        }
        if (!inside && slope < least) {
            least = slope;
            best = k;
        }
    }
    return best;
}

/// Those with `barred` stay out.
static double solve(int n, const double *g, const bool *barred, double *w)
{
    Active active = {.n = n, .count = 1, .g = g};
    int start = -1;
    for (int k = 0; k < n; k++)
        if (!(barred && barred[k]) && (start < 0 || g[(long)k * n + k] < g[(long)start * n + start]))
            start = k;
    memset(w, 0, (unsigned long)n * sizeof *w);
    if (start < 0)
        return INFINITY;
    active.of[0] = start;
    w[start] = 1;
    double now = value(n, g, w);
    for (int round = 0; round < 4 * N; round++) {
        double z[N];
        int more = steepest(&active, w, barred, now);
        if (more < 0)
            break;
        active.of[active.count++] = more;
        do
            solve_free(&active, z);
        while (!walk(&active, z, w));
        double next = value(n, g, w);
        if (!(next < now))
            break;
        now = next;
    }
    return now;
}

double pelti_distil_simplex(int n, const double *g, double *w)
{
    return solve(n, g, NULL, w);
}

double pelti_distil_simplex_prune(int n, const double *g, int most, double *w)
{
    bool barred[N] = {false};
    double now = value(n, g, w);
    for (;;) {
        int used = 0, gone = -1;
        double least = INFINITY, best[N] = {0}, trial[N];
        for (int k = 0; k < n; k++) {
            used += w[k] > 0;
            barred[k] = !(w[k] > 0);
        }
        if (used <= most)
            return now;
        for (int k = 0; k < n; k++) {
            if (barred[k])
                continue;
            barred[k] = true;
            double without = solve(n, g, barred, trial);
            barred[k] = false;
            if (without < least) {
                least = without;
                gone = k;
                memcpy(best, trial, (unsigned long)n * sizeof *best);
            }
        }
        if (gone < 0)
            return now;
        memcpy(w, best, (unsigned long)n * sizeof *w);
        now = least;
    }
}

void pelti_distil_simplex_prior(int n, double strength, const double *prior, double *g)
{
    double square = 0;
    for (int k = 0; k < n; k++)
        square += prior[k] * prior[k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[(long)i * n + j] += strength * ((i == j) - prior[i] - prior[j] + square);
}
