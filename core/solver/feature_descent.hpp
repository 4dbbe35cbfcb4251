// Coordinate descent over features, for a penalty of |w|_1 and a smooth loss.
//
// Problem  min over (w, c)   sum_j |w_j| + r |c| + sum_i C_i l(z_i),   z = X w + c;   r = 0: a free bias
// Symbols  columns of X are the rows of its transpose; g_j = dP/dw_j without the penalty; w has d + 1 entries, c last
// Stops    at the end of an epoch, when `until_epoch` are done, or when the budget of visits is spent. Any cut into
//          calls gives the same state, bit for bit. Whether w is good enough is for the caller to say.
// Method   features in random order, a step of Newton's method in each, halved until the objective falls enough
//          [FanEtAl08, app. F; YuanEtAl10]; features held more firmly at 0 than the violations of the epoch before are
//          left out.
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "data/rows.hpp"
#include "loss/losses.hpp"

namespace widemargin {

struct FeatureProblem {
  AnyRows columns;  // d rows of n entries
  const double* t;
  const double* C;
  LossKind loss;
  double eps;
  bool intercept;
  double bias_penalty;  // r
  std::uint64_t seed;
};

struct FeatureState {
  double* w;        // d + 1
  double* z;        // n
  Column* left_at;  // d + 1: 1 + the epoch in which the feature was left out, or 0
  Index epoch = 0, position = 0, visits = 0, updates = 0, active = 0;
  double violation = 0;       // the largest of the epoch so far
  double bound = 0;           // what a feature must be held by to be left out; 0: leave out nothing
  double last_violation = 0;  // the largest of the epoch before
};

// The p that nearly minimises  g.p + 1/2 p'Hp + sum_j r_j |w_j + p_j|, from 0: coordinate by coordinate, until no
// coordinate moves by more than `tol` times the largest move of the first round, each measured by its curvature.
void penalised_step(const double* H, const double* g, const double* w, const double* r, double* p, Index d, double tol,
                    Index rounds, Poll poll = never);

class FeatureDescent {
 public:
  explicit FeatureDescent(FeatureProblem problem);
  void advance(FeatureState& s, Index budget, Index until_epoch, Poll poll = never);
  Index n() const { return n_; }
  Index d() const { return d_; }

 private:
  void set_order(const FeatureState& s);
  template <class L, class Column>
  void visit(const L& loss, const Column& column, Index j, double penalty, FeatureState& s);
  template <class L, class Rows>
  void visits(const L& loss, const Rows& columns, FeatureState& s, Index end, Poll poll);

  FeatureProblem p_;
  Index n_, d_;
  std::vector<Column> order_;  // derived from (seed, epoch, left_at): a cache, not state
  Index order_of_ = -1;
};

}  // namespace widemargin
