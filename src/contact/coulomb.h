/// Frictional contact forces that obey Signorini's and Coulomb's laws with the exact cone ([Duriez2008] sec. 5, eq. 1, 2, 11):
/// a non-linear Gauss-Seidel over 3 x 3 contact blocks, accelerated as a non-smooth conjugate gradient ([Silcowitz2010]) and,
/// where few contacts push, by Newton steps on those (contact/newton.h).
///
/// Bodies enter as slots of three coordinates each. A contact c has blocks J_cs (3 x 3: rows n, t, s; columns the slot's
/// coordinates). Most slots have compliance 1: a joint of stiffness K or a mass m is folded into its blocks as J / sqrt(K) or
/// J h / sqrt(m). Slots of a soft body form a group with a dense compliance C. Then W_cd = sum J_cs C_st J_dt^T (eq. 10), never
/// formed: u_s = sum C_st J_dt^T f_d is kept instead, so a visit costs the contact's own blocks.
#ifndef PELTI_CONTACT_COULOMB_H
#define PELTI_CONTACT_COULOMB_H

#include <stdbool.h>

typedef struct PeltiContactBlock {
    int slot;
    double j[3][3];
} PeltiContactBlock;

typedef struct PeltiCoulombConstraint {
    int first_block, block_count;
    double mu;
    double free[3];  ///< delta without contact forces: gap, and slip over the step; length
    double force[3]; ///< in: the guess; out: the solution (n, t, s)
    double delta[3]; ///< out: free + W f; while it is solved [0] is as visited last
    double epsilon;  ///< out: the regularisation used, length / force; part of w and delta
    double w[3][3];  ///< W_cc with the regularisation, by pelti_coulomb_solve
    struct {
        double old[3];  ///< force before the last sweep, or the last go of Newton
        double step[3]; ///< direction of acceleration
    } scratch;          ///< of pelti_coulomb_solve
} PeltiCoulombConstraint;

typedef struct PeltiCoulombCompliance { ///< a soft body's slots
    int first_slot, slot_count;
    const double *c; ///< [3 slot_count x 3 slot_count] symmetric, row major
} PeltiCoulombCompliance;

typedef struct PeltiNewton PeltiNewton; ///< contact/newton.h

typedef struct PeltiContactSystem {
    int constraint_count, slot_count, group_count;
    PeltiCoulombConstraint *constraints;
    const PeltiContactBlock *blocks;
    const int *slot_group; ///< [slot_count] -1: compliance 1; NULL: all
    const PeltiCoulombCompliance *groups;
    double (*u)[3];      ///< [slot_count] out: sum C J^T f
    PeltiNewton *newton; ///< room for Newton steps; NULL: sweeps alone
    struct {
        double least_w; ///< the smallest W_cc that a regularisation is a share of
        long work;      ///< visits to contacts so far
    } scratch;          ///< of pelti_coulomb_solve, which begins it anew
} PeltiContactSystem;

typedef struct PeltiCoulombSettings {
    double tolerance; ///< length: iteration ends when no contact's displacement changes by more
    int iterations;   ///< at most
    /// Compliance of each contact's own, as a share of the mean of its W_cc: contacts that contradict each other, or that nothing
    /// can resolve, then share the load and stay bounded.
    double regularisation;
    long work; ///< visits to a contact at most, Newton steps counted for as many as take their time; 0: any. Counted, not timed
} PeltiCoulombSettings;

typedef struct PeltiCoulombResult {
    int iterations;
    double change; ///< of the last iteration, length
    bool converged;
    long work;  ///< visits made
    int misses; ///< Newton steps that led nowhere; after a few, or with too many contacts, sweeps go on alone
} PeltiCoulombResult;

/// Solves in place; starts from the forces given. Serial, does not allocate.
PeltiCoulombResult pelti_coulomb_solve(PeltiContactSystem *system, const PeltiCoulombSettings *settings);

/// W_cd of two contacts, 3 x 3, without regularisation.
void pelti_coulomb_coupling(const PeltiContactSystem *s, const PeltiCoulombConstraint *c, const PeltiCoulombConstraint *d,
                            double w[3][3]);

/// One contact alone: delta = w f + b. Stick, slip or separation.
void pelti_coulomb_local(const double w[3][3], const double b[3], double mu, double f[3]);

#endif
