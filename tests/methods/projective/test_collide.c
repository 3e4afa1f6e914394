/// Forces of contacts: raised by what is missing, never pulling, bounded, and added along the plane.
#include "shared_tube.h"

/// Bent so far that skin meets in the fold.
static void bend(void)
{
    tube_pose(&tube, mat34_identity(), 0, 0);
    tube_step(&tube, 0, true);
    for (int k = 1; k <= 8; k++) {
        tube_pose(&tube, mat34_identity(), 0.3f * (float)k, 0);
        tube_step(&tube, 1.0f / 30, false);
    }
}

static void contacts_are_listed_by_piece(void **state)
{
    (void)state;
    Projective *p = tube.p;
    bend();
    assert_true(pelti_proj_find_contacts(p));
    int total = 0;
    for (int piece = 0; piece * PROJ_PIECE < p->count; piece++) {
        int first = pelti_proj_piece_first(&p->contacts.folds, piece);
        for (int k = first; k < first + p->contacts.in_piece[piece]; k++) {
            assert_in_range(p->contacts.list[k].unknown, piece * PROJ_PIECE, piece * PROJ_PIECE + PROJ_PIECE - 1);
            total++;
        }
    }
    assert_int_equal(total, p->contacts.count);
    assert_true(total > 10);
}

static void forces_rise_by_what_is_missing(void **state)
{
    (void)state;
    Projective *p = tube.p;
    bend();
    assert_true(pelti_proj_find_contacts(p));
    int first = pelti_proj_piece_first(&p->contacts.folds, 0), tried = 0;
    for (int k = first; k < first + p->contacts.in_piece[0]; k++) {
        ProjContact *c = &p->contacts.list[k];
        float *x = p->state.x[c->unknown], rate = p->contacts.rate[PROJ_STILL][c->unknown], before[3];
        int in_piece = p->contacts.in_piece[0];
        ProjContact kept = p->contacts.list[first];
        p->contacts.list[first] = *c; // this one alone
        p->contacts.in_piece[0] = 1;
        float lacks = c->d - (c->n[0] * x[0] + c->n[1] * x[1] + c->n[2] * x[2]);
        float most = p->contacts.most_force[c->unknown];
        for (int round = 0; round < 3; round++) { // gently, as it is, and far on the free side
            float force = round == 0 ? 0.1f * most : round == 1 ? *c->force : 0.01f * rate;
            float shift = round == 2 ? 1 : 0;
            for (int j = 0; j < 3; j++) {
                x[j] += shift * c->n[j];
                before[j] = p->scratch.solved[c->unknown][j];
            }
            *c->force = force;
            pelti_proj_contact_forces(p, PROJ_STILL, 0, PROJ_PIECE);
            float want = fminf(fmaxf(force + rate * (lacks - shift), 0), most);
            CHECK_NEAR(*c->force, want, 1e-4 * (double)(rate + most));
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(p->scratch.solved[c->unknown][j] - before[j], c->share * *c->force * c->n[j],
                           1e-3 * (double)(rate + most));
                x[j] -= shift * c->n[j];
            }
            if (round == 2)
                CHECK_NEAR(*c->force, 0, 0);
        }
        p->contacts.list[first] = kept;
        p->contacts.in_piece[0] = in_piece;
        tried++;
    }
    assert_true(tried > 10);
}

static void rates_keep_the_ascent_stable(void **state)
{
    (void)state;
    const Projective *p = tube.p;
    for (int i = 0; i < p->count; i++) {
        float own = (float)p->tissue.entries[p->system.order[i]].value;
        for (int mode = 0; mode < PROJ_MODE_COUNT; mode++) {
            float rate = p->contacts.rate[mode][i];
            assert_true(rate > 0 && rate <= own + (mode == PROJ_MOVING ? p->system.inertia[i] : 0));
        }
        assert_true(p->contacts.rate[PROJ_MOVING][i] >= p->contacts.rate[PROJ_STILL][i]);
        assert_true(p->contacts.most_force[i] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_are_listed_by_piece),
                                       cmocka_unit_test(forces_rise_by_what_is_missing),
                                       cmocka_unit_test(rates_keep_the_ascent_stable)};
    return cmocka_run_group_tests(tests, open_tube, close_tube);
}
