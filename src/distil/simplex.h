/// Least squares over weights: non-negative, of sum one, few.
#ifndef PELTI_DISTIL_SIMPLEX_H
#define PELTI_DISTIL_SIMPLEX_H

enum { PELTI_SIMPLEX_MOST = 32 }; ///< unknowns

/// min w^T G w with w >= 0, sum w = 1. G [n x n] symmetric, not indefinite; with G_kl = sum (q_k - t) . (q_l - t) that is the
/// squared distance of sum w_k q_k from t. An active set, exact: the result meets the conditions of Karush, Kuhn and Tucker to
/// rounding. Returns the least value.
double pelti_distil_simplex(int n, const double *g, double *w);
/// At most `most` weights that are not zero, given the optimum w: the one whose absence costs least goes, all others are solved
/// anew, until few enough are left.
double pelti_distil_simplex_prune(int n, const double *g, int most, double *w);
/// G becomes that of w^T G w + strength |w - prior|^2 on sum w = 1; prior [n] need not sum to one.
void pelti_distil_simplex_prior(int n, double strength, const double *prior, double *g);

/// A x = b by Cholesky in place: A [n x n] by rows, its lower triangle is used; b [n x columns]. A pivot below `least` of its
/// diagonal drops that unknown (x = 0).
void pelti_distil_cholesky_solve(int n, double *a, int columns, double *b, double least);

#endif
