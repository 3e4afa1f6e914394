/// Contact forces obey Signorini's and Coulomb's laws, alone and coupled, and stay finite where nothing can resolve them.
#include "check.h"
#include "contact/coulomb.h"
#include "contact/newton.h"
#include "contact_laws.h"

#include <string.h>

static unsigned seed = 11;
static double noise(void) // in [-1, 1]
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

static void random_spd(double w[3][3])
{
    double g[3][3];
    for (int i = 0; i < 9; i++)
        (&g[0][0])[i] = noise();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            w[i][j] = i == j ? 0.05 : 0;
            for (int k = 0; k < 3; k++)
                w[i][j] += g[i][k] * g[j][k];
        }
}

static void one_contact_obeys_both_laws(void **state)
{
    (void)state;
    int slips = 0, sticks = 0, free = 0;
    for (int round = 0; round < 20000; round++) {
        double w[3][3], b[3] = {noise(), noise(), noise()}, f[3], delta[3], mu = fabs(noise());
        random_spd(w);
        pelti_coulomb_local((const double(*)[3])w, b, mu, f);
        for (int i = 0; i < 3; i++)
            delta[i] = b[i] + w[i][0] * f[0] + w[i][1] * f[1] + w[i][2] * f[2];
        double force = fmax(1e-3, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        double r = law_residual(delta, f, mu, 1, force);
        if (!(r < 1e-9))
            fail_msg("round %d: residual %g, mu %g", round, r, mu);
        if (f[0] == 0)
            free++;
        else if (hypot(delta[1], delta[2]) > 1e-9)
            slips++;
        else
            sticks++;
    }
    assert_true(free > 5000 && slips > 2000 && sticks > 300);
}

enum { CONTACTS = 40, SLOTS = 14, SOFT = 5, BLOCKS = 4 };
typedef struct Problem {
    PeltiCoulombConstraint constraints[CONTACTS];
    PeltiContactBlock blocks[CONTACTS * BLOCKS];
    double u[SLOTS][3], soft[9 * SOFT * SOFT];
    int slot_group[SLOTS];
    PeltiCoulombCompliance group;
    PeltiContactSystem system;
} Problem;

/// Contacts over shared slots, the last five a soft body with a dense compliance.
static void make_problem(Problem *p)
{
    memset(p, 0, sizeof *p);
    enum { N = 3 * SOFT };
    double g[N][N];
    for (int i = 0; i < N * N; i++)
        (&g[0][0])[i] = noise();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            p->soft[i * N + j] = i == j ? 0.1 : 0;
            for (int k = 0; k < N; k++)
                p->soft[i * N + j] += g[i][k] * g[j][k] / N;
        }
    for (int s = 0; s < SLOTS; s++)
        p->slot_group[s] = s >= SLOTS - SOFT ? 0 : -1;
    p->group = (PeltiCoulombCompliance){SLOTS - SOFT, SOFT, p->soft};
    for (int c = 0; c < CONTACTS; c++) {
        PeltiCoulombConstraint *k = &p->constraints[c];
        k->first_block = c * BLOCKS, k->block_count = BLOCKS, k->mu = 0.2 + 0.3 * fabs(noise());
        k->free[0] = 0.5 * noise() - 0.2, k->free[1] = 0.3 * noise(), k->free[2] = 0.3 * noise();
        for (int b = 0; b < BLOCKS; b++) {
            PeltiContactBlock *block = &p->blocks[c * BLOCKS + b];
            block->slot = (c * 5 + b * 3) % SLOTS;
            for (int i = 0; i < 9; i++)
                (&block->j[0][0])[i] = noise();
        }
    }
    p->system = (PeltiContactSystem){.constraint_count = CONTACTS,
                                     .slot_count = SLOTS,
                                     .group_count = 1,
                                     .constraints = p->constraints,
                                     .blocks = p->blocks,
                                     .slot_group = p->slot_group,
                                     .groups = &p->group,
                                     .u = p->u};
}

/// delta from the forces by W formed entry by entry (eq. 10, 11), checked against both laws.
static double worst_residual(const Problem *p)
{
    double most = 0, worst = 0;
    for (int c = 0; c < CONTACTS; c++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(p->constraints[c].force[i]));
    for (int a = 0; a < CONTACTS; a++) {
        double delta[3];
        for (int i = 0; i < 3; i++)
            delta[i] = p->constraints[a].free[i] + p->constraints[a].epsilon * p->constraints[a].force[i];
        for (int b = 0; b < CONTACTS; b++)
            for (int x = 0; x < BLOCKS; x++)
                for (int y = 0; y < BLOCKS; y++) {
                    const PeltiContactBlock *j = &p->blocks[a * BLOCKS + x], *k = &p->blocks[b * BLOCKS + y];
                    bool soft = j->slot >= SLOTS - SOFT && k->slot >= SLOTS - SOFT;
                    if (!soft && j->slot != k->slot)
                        continue;
                    for (int i = 0; i < 3; i++)
                        for (int q = 0; q < 3; q++)
                            for (int m = 0; m < 3; m++)
                                for (int n = 0; n < 3; n++) {
                                    double c = soft ? p->soft[(3 * (j->slot - SLOTS + SOFT) + m) * 3 * SOFT +
                                                              3 * (k->slot - SLOTS + SOFT) + n]
                                                    : m == n;
                                    delta[i] += j->j[i][m] * c * k->j[q][n] * p->constraints[b].force[q];
                                }
                }
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(delta[i], p->constraints[a].delta[i], 1e-8);
        worst = fmax(worst, law_residual(delta, p->constraints[a].force, p->constraints[a].mu, 1, most));
    }
    return worst;
}

static void many_coupled_contacts_obey_both_laws(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiNewton *room = pelti_newton_new(&pool);
    int sweeps = 0, steps = 0;
    for (int round = 0; round < 20; round++) {
        Problem p;
        make_problem(&p);
        p.system.newton = round % 2 ? room : NULL;
        PeltiCoulombResult r = pelti_coulomb_solve(&p.system, &(PeltiCoulombSettings){1e-10, 200000, 1e-4, 0});
        assert_true(r.converged);
        double worst = worst_residual(&p);
        if (!(worst < 1e-6))
            fail_msg("round %d: residual %g after %d iterations", round, worst, r.iterations);
        *(round % 2 ? &steps : &sweeps) += r.iterations;
        // the solution as a guess: there in a few iterations, and it stays
        double before = p.constraints[0].force[0];
        PeltiCoulombResult again = pelti_coulomb_solve(&p.system, &(PeltiCoulombSettings){1e-9, 200000, 1e-4, 0});
        assert_true(again.iterations <= 3 && r.iterations > 10);
        CHECK_NEAR(p.constraints[0].force[0], before, 1e-5);
    }
    pelti_pool_release(&pool);
    if (!(2 * steps < sweeps))
        fail_msg("%d iterations with Newton steps, %d without", steps, sweeps);
}

static void a_block_pressed_on_a_plane_sticks_until_the_cone(void **state)
{
    (void)state;
    for (int pull = 0; pull <= 20; pull++) { // weight 1 down, 0.05 pull sideways, mu 0.5: h^2/m = 1
        PeltiContactBlock block = {0, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        PeltiCoulombConstraint c = {.block_count = 1, .mu = 0.5, .free = {-1, 0.05 * pull, 0}};
        double u[1][3];
        PeltiContactSystem s = {.constraint_count = 1, .slot_count = 1, .constraints = &c, .blocks = &block, .u = u};
        pelti_coulomb_solve(&s, &(PeltiCoulombSettings){1e-12, 100, 0, 0});
        CHECK_NEAR(c.force[0], 1, 1e-9);
        CHECK_NEAR(c.force[1], -fmin(0.05 * pull, 0.5), 1e-9);
        CHECK_NEAR(c.delta[1], fmax(0.05 * pull - 0.5, 0), 1e-9);
    }
}

static void contacts_nothing_can_resolve_stay_finite(void **state)
{
    (void)state;
    PeltiContactBlock blocks[2] = {{0, {{0}}}, {0, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};
    PeltiCoulombConstraint c[2] = {{.block_count = 1, .mu = 0.5, .free = {-1, 0.3, 0}},
                                   {.first_block = 1, .block_count = 1, .mu = 0.5, .free = {-1, 0.3, 0}}};
    double u[1][3];
    PeltiContactSystem s = {.constraint_count = 2, .slot_count = 1, .constraints = c, .blocks = blocks, .u = u};
    pelti_coulomb_solve(&s, &(PeltiCoulombSettings){1e-9, 1000, 1e-6, 0});
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            assert_true(isfinite(c[k].force[i]) && fabs(c[k].force[i]) < 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_contact_obeys_both_laws),
                                       cmocka_unit_test(many_coupled_contacts_obey_both_laws),
                                       cmocka_unit_test(a_block_pressed_on_a_plane_sticks_until_the_cone),
                                       cmocka_unit_test(contacts_nothing_can_resolve_stay_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
