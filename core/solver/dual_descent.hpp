// Dual coordinate descent for linear machines of any loss.
//
// Problem  max over b   sum_i D_i(b_i) - 1/2 |w|^2 - c^2 / (2 tau)      with w = sum_i b_i x_i, c = tau sum_i b_i + c0
//          (loss/losses.hpp has D; without an intercept tau = 0 and c = 0)
// Symbols  z_i = w.x_i + c the score, q_i = |x_i|^2 + tau; tau = s^2 gives LIBLINEAR's regularised bias for a constant
//          feature s, with c0 = 0.  A free bias is the limit of c0 <- c, repeated: then sum_i b_i -> 0
// Stops    at the end of an epoch whose residuals, summed as the rows were visited, are below `aim` |dual|, or in the
//          first epochs are about to be: then the caller looks at all rows (solver/linear_pass). Also after
//          `until_epoch` epochs, and when the budget ends. Any cut into calls gives the same state, bit for bit.
// Method   rows in random order, each variable set to its optimum [HsiehEtAl08]; rows held more firmly at a kink than
//          the largest violation of the epoch before are left out; others that one visit after the other finds held
//          rest for some epochs, the longer the oftener: most rows of most problems. The free bias by the method of
//          multipliers, a step an epoch [Bertsekas96, sec. 2.2].
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "data/rows.hpp"
#include "loss/losses.hpp"

namespace widemargin {

struct LinearProblem {
  AnyRows rows;
  const double* t;  // targets
  const double* C;  // prices
  LossKind loss;
  double eps;  // half-width of a tube
};

struct DescentOptions {
  double tau = 0;
  bool free_bias = false;
  bool shrink = true;
  std::uint64_t seed = 0;
};

enum class DescentStop { budget, epoch, look };

struct DescentState {
  double* w;      // d + 1, the last is c
  double* b;      // n
  Column* marks;  // n: 0, or when the last visit found the row held, and how many did so (dual_descent.cpp)
  // counters
  Index epoch = 0, position = 0, visits = 0, updates = 0, active = 0;
  // sums
  double residual = 0;       // of the epoch so far
  double violation = 0;      // the largest of the epoch so far
  double bound = 0;          // the largest of the epoch before; 0 = none: leave out nothing
  double last_residual = 0;  // of the epoch before
  double dual = 0;           // sum_i D_i(b_i) - 1/2 |w|^2 at its end
  double aim = 0;            // look when the residual of an epoch is not above this times |dual|
};

class DualDescent {
 public:
  // `norms` are the squared lengths of the rows, where they are known; else they are computed.
  DualDescent(LinearProblem problem, DescentOptions options, const double* norms = nullptr);
  DescentStop advance(DescentState& s, Index budget, Index until_epoch, Poll poll = never);
  Index n() const { return n_; }
  Index d() const { return d_; }

 private:
  void set_order(const DescentState& s);
  template <class L, class Rows>
  void visit(const L& loss, const Rows& rows, DescentState& s, Index end);
  void begin_epoch(DescentState& s);
  double dual(const DescentState& s) const;
  DescentStop end_epoch(DescentState& s, Index until_epoch);

  LinearProblem p_;
  DescentOptions o_;
  Index n_, d_;
  std::vector<double> q_;
  std::vector<Column> order_;  // derived from (seed, epoch, marks): a cache, not state
  Index order_of_ = -1;
};

}  // namespace widemargin
