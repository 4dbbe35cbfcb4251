// One pass of the batch perceptron over all rows.
//
// Problem  E(w) = 1/W sum_i s_i (-y_i u_i)+,   u = w.x + b,   W = sum_i s_i;   the pass gives W times the way
//          downhill,
//          g = sum of s_i y_i [x_i, 1] over all rows with y_i u_i <= 0
// Symbols  w, g have d + 1 entries, the last for b (0 without an intercept); s the weights
// Method   [DudaHart73, sec. 5.5].  The sums are kept in two doubles each [Knuth97, sec. 4.2.2, thm. B], so that they
//          do not depend on the order of the rows, and a row of weight 3 gives the same bits as three rows: a
//          perceptron decides by the sign of u, and one bit could send it another way.
#pragma once

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

struct BatchProblem {
  AnyRows rows;
  const double* y;            // +1, -1
  Span<const double> weight;  // per row, empty = 1
  Span<const Column> among;   // the rows that count, empty = all
  bool intercept;
};

struct BatchPass {
  Index wrong = 0;          // rows with y u <= 0
  double wrong_weight = 0;  // their weight
  double loss = 0;          // W E(w)
};

BatchPass batch_pass(const BatchProblem& p, const double* w, double* g, int threads, Poll poll = never);

}  // namespace widemargin
