/// The active set finds the weights that trying all sets finds, and pruning keeps their rules.
#include "check.h"

#include "distil/simplex.h"

#include <stdbool.h>
#include <string.h>

enum { COUNT = 6, ROWS = 12 };

static double next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static void gram(unsigned seed, double g[COUNT * COUNT])
{
    double a[ROWS][COUNT];
    unsigned state = seed;
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < COUNT; k++)
            a[r][k] = next(&state) + 0.3 * next(&state) * k;
    for (int i = 0; i < COUNT * COUNT; i++) {
        g[i] = 0;
        for (int r = 0; r < ROWS; r++)
            g[i] += a[r][i / COUNT] * a[r][i % COUNT];
    }
}

/// On one subset, without the sign: G_FF z = 1 by elimination. False: a weight is negative.
static bool on_subset(const double *g, unsigned subset, double *w)
{
    double a[COUNT][COUNT + 1], sum = 0;
    int of[COUNT], n = 0;
    for (int k = 0; k < COUNT; k++)
        if (subset >> k & 1)
            of[n++] = k;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = g[of[i] * COUNT + of[j]];
        a[i][n] = 1;
    }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < n; r++) {
            double share = a[r][i] / a[i][i];
            for (int c = i; c <= n && r != i; c++)
                a[r][c] -= share * a[i][c];
        }
    memset(w, 0, COUNT * sizeof *w);
    for (int i = 0; i < n; i++)
        sum += w[of[i]] = a[i][n] / a[i][i];
    bool good = true;
    for (int k = 0; k < COUNT; k++)
        good = good && (w[k] /= sum) >= 0;
    return good;
}

static double value_of(const double *g, const double *w)
{
    double sum = 0;
    for (int i = 0; i < COUNT * COUNT; i++)
        sum += w[i / COUNT] * w[i % COUNT] * g[i];
    return sum;
}

/// The best of all subsets of at most `most`.
static double brute(const double *g, int most, double *best)
{
    double least = INFINITY;
    for (unsigned subset = 1; subset < 1u << COUNT; subset++) {
        double w[COUNT];
        if (__builtin_popcount(subset) > most || !on_subset(g, subset, w) || value_of(g, w) >= least)
            continue;
        least = value_of(g, w);
        memcpy(best, w, sizeof w);
    }
    return least;
}

static void the_active_set_finds_what_trying_all_finds(void **state)
{
    (void)state;
    int zeros = 0;
    for (unsigned seed = 1; seed <= 300; seed++) {
        double g[COUNT * COUNT], w[COUNT], best[COUNT];
        gram(seed, g);
        double found = pelti_distil_simplex(COUNT, g, w), wanted = brute(g, COUNT, best);
        CHECK_NEAR(found, wanted, 1e-8 * wanted);
        for (int k = 0; k < COUNT; k++) {
            assert_true(w[k] >= 0);
            zeros += w[k] == 0;
            CHECK_NEAR(w[k], best[k], 1e-4);
        }
    }
    assert_true(zeros > 100 && zeros < 300 * COUNT - 400); // both kinds of weights were met
}

/// Step by step is no search over all, but keeps the rules and is never better than it; mostly it finds the same.
static void pruning_keeps_the_rules(void **state)
{
    (void)state;
    int same = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        double g[COUNT * COUNT], w[COUNT], best[COUNT], sum = 0;
        int used = 0;
        gram(seed, g);
        pelti_distil_simplex(COUNT, g, w);
        double found = pelti_distil_simplex_prune(COUNT, g, 2, w), wanted = brute(g, 2, best);
        for (int k = 0; k < COUNT; k++) {
            assert_true(w[k] >= 0);
            used += w[k] > 0;
            sum += w[k];
        }
        assert_true(used <= 2);
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK_NEAR(found, value_of(g, w), 1e-9);
        assert_true(found >= wanted * (1 - 1e-9));
        same += found <= wanted * (1 + 1e-6);
    }
    assert_true(same > 100);
}

/// Where the data say nothing the prior is the answer; where they say all it is not heard.
static void a_prior_speaks_where_data_are_silent(void **state)
{
    (void)state;
    const double prior[COUNT] = {0.5, 0.25, 0.25, 0, 0, 0};
    double g[COUNT * COUNT] = {0}, w[COUNT];
    pelti_distil_simplex_prior(COUNT, 1e-3, prior, g);
    pelti_distil_simplex(COUNT, g, w);
    for (int k = 0; k < COUNT; k++)
        CHECK_NEAR(w[k], prior[k], 1e-6);
    for (int k = 0; k < COUNT; k++)
        g[k * COUNT + k] += k == 4 ? 0 : 1e6;
    pelti_distil_simplex(COUNT, g, w);
    CHECK_NEAR(w[4], 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_active_set_finds_what_trying_all_finds),
        cmocka_unit_test(pruning_keeps_the_rules),
        cmocka_unit_test(a_prior_speaks_where_data_are_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
