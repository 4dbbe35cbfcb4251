// Votes of all the vectors that a perceptron passed through, without ever forming one of them.
//
// Problem  for z: sum_n c_n sgn(u_n) and sum_n c_n u_n, where u_n = w_n.z + b_n,  w_{n+1} = w_n + step_n x_{at(n)}
// Symbols  c_n life of w_n, n = 0 .. mistakes;  x the support: the rows of which some mistake was made;
//          G = x.z for the support and a block of rows z;  sgn(0) = 0: a vector that cannot tell abstains
// Method   all u_n of a block by prefix sums over the mistakes: u_{n+1} = u_n + step_n (G_{at(n)} + 1)
//          [FreundSchapire99, sec. 3].  Each product is summed in the order of the columns, whatever the block, so that
//          a row gets the same votes alone and in company.
#pragma once

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

// out[i * b + k] = x_i . z_{begin + k} for all rows i of x and k = 0 .. b-1.
void products(const AnyRows& x, const AnyRows& z, Index begin, Index b, double* out, int threads, Poll poll = never);

struct Mistakes {
  Span<const Column> at;    // row of the support, one a mistake
  Span<const double> step;  // one a mistake
  Span<const double> life;  // one more than mistakes
  bool intercept;
};

// u: in w_0.z + b_0, out the last; vote and score are added to. All have b entries.
void cast_votes(const Mistakes& m, const double* products, Index b, double* u, double* vote, double* score);

}  // namespace widemargin
