// What the primal solvers of linear machines and the looks of the dual one ask of all rows at once.
//
// Problem  P(w) = 1/2 |w|^2 + sum_i C_i l(z_i),   z_i = w.x_i + c;   w has d + 1 entries, the last is c
// Symbols  b_i the dual variable of row i, g = sum_i b_i [x_i, 1];  r_i >= 0 the residual of b_i and z_i, so that
//          P(w) - D(b) = 1/2 |w - g|^2 + sum_i r_i - c sum_i b_i   for every w and b   (losses.hpp)
// Method   one walk along the rows does scores, dual variables, sums and g while a row is at hand.
//          variables: given      b as it is
//                     slope      b_i = -C_i l'(z_i): those of a smooth loss
//                     proximal   b_i = argmax D_i(b) - b z_i - (b - a_i)^2 / (2 k C_i), whose greatest value psi_i(z)
//                                is a smooth l from below, of curvature k C_i where b_i moves [Rockafellar76]
#pragma once

#include "base/poll.hpp"
#include "solver/dual_descent.hpp"

namespace widemargin {

enum class Variables { given, slope, proximal };

struct LinearSums {
  double loss = 0;      // sum_i C_i l(z_i)
  double residual = 0;  // sum_i r_i
  double smooth = 0;    // sum_i psi_i(z_i); the loss itself unless proximal
  double total = 0;     // sum_i b_i
};

struct PassArrays {
  const double* w;  // d + 1; none: z is given
  double* b;        // n
  double* z;        // n
  double* h;        // n: d^2 psi / dz^2
  double* g;        // d + 1; none: not asked for
  const double* a;  // n: centres, if proximal
};

LinearSums linear_pass(const LinearProblem& p, Variables how, double k, PassArrays arrays, Poll poll = never);

// The same figures at scores z + s v, without a look at the rows: what a search along a line needs.
LinearSums along_line(const LinearProblem& p, Variables how, double k, const double* z, const double* v, double s,
                      const double* a, double& slope);

// Into `out`, which has room for n: the rows whose curvatures h, none below 0, differ from those `before` (0 without
// any) by more than `unlike` times their sum. Their number is returned.
Index unlike_rows(Index n, const double* h, const double* before, double unlike, Column* out);

// H += sum over `among` of h_i [x_i, 1][x_i, 1]', its lower triangle; H has (d + 1)^2 entries.
void add_normal_matrix(const AnyRows& rows, Span<const Column> among, const double* h, double* H, Poll poll = never);

// out = sum over `among` of h_i ([x_i, 1].v) [x_i, 1].
void normal_product(const AnyRows& rows, Span<const Column> among, const double* h, const double* v, double* out,
                    Poll poll = never);

// out = sum over `among` of h_i [x_i, 1]^2, by entry: the diagonal of that matrix.
void normal_diagonal(const AnyRows& rows, Span<const Column> among, const double* h, double* out, Poll poll = never);

}  // namespace widemargin
