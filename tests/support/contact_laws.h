#ifndef CONTACT_LAWS_H
#define CONTACT_LAWS_H

#include "contact/coulomb.h"

#include <math.h>
#include <stdlib.h>

/// How far (delta, f) is from Signorini's and Coulomb's laws, as a share of `length` and `force`: shares nothing with the
/// solver. Signorini: both >= 0 and one of them 0. Coulomb: inside the cone; sliding only against the full friction.
static inline double law_residual(const double delta[3], const double f[3], double mu, double length, double force)
{
    double gap = delta[0] / length, push = f[0] / force;
    double worst = fmax(fmax(-gap, -push), fmin(gap, push));
    double slip = hypot(delta[1], delta[2]) / length, drag = hypot(f[1], f[2]) / force;
    worst = fmax(worst, drag - mu * push);
    if (slip > 1e-9 && push > 1e-9) { // f_t must be -mu f_n delta_t / |delta_t|
        double tx = f[1] / force + mu * push * delta[1] / hypot(delta[1], delta[2]);
        double ty = f[2] / force + mu * push * delta[2] / hypot(delta[1], delta[2]);
        worst = fmax(worst, fmin(hypot(tx, ty), slip));
    }
    return worst;
}

/// Largest residual of a solved system without soft bodies, as a share of `length` and of its largest force: displacements from
/// the forces alone, contact by contact, and each contact's laws.
static inline double system_residual(const PeltiContactSystem *s, double length)
{
    double(*u)[3] = calloc((size_t)s->slot_count + 1, sizeof *u), most = 0, worst = 0;
    for (int c = 0; c < s->constraint_count; c++) {
        const PeltiCoulombConstraint *k = &s->constraints[c];
        for (int b = k->first_block; b < k->first_block + k->block_count; b++)
            for (int col = 0; col < 3; col++)
                for (int row = 0; row < 3; row++)
                    u[s->blocks[b].slot][col] += s->blocks[b].j[row][col] * k->force[row];
        most = fmax(most, sqrt(k->force[0] * k->force[0] + k->force[1] * k->force[1] + k->force[2] * k->force[2]));
    }
    for (int c = 0; c < s->constraint_count && most > 0; c++) {
        const PeltiCoulombConstraint *k = &s->constraints[c];
        double delta[3];
        for (int row = 0; row < 3; row++) {
            delta[row] = k->free[row] + k->epsilon * k->force[row];
            for (int b = k->first_block; b < k->first_block + k->block_count; b++)
                for (int col = 0; col < 3; col++)
                    delta[row] += s->blocks[b].j[row][col] * u[s->blocks[b].slot][col];
        }
        worst = fmax(worst, law_residual(delta, k->force, k->mu, length, most));
    }
    free(u);
    return worst;
}

#endif
