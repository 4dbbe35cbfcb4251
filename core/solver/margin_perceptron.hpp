// The perceptron with dynamic margin: a separator whose margin is within 1 - eps of the largest, with the proof.
//
// Problem  maximise over unit u  min_i y_i u.x_i   (x extended by a constant 1, or by 0 without an intercept)
// Symbols  a = sum_i c_i s_i y_i x_i with c_i updates by row i of step s_i, t = sum_i c_i s_i, q = |a|^2
// Rule     if y a.x <= (1 - eps) q / t:   a += s y x,  t += s
// Stops    when an epoch had no update. Then y a.x / |a| > (1 - eps) |a| / t for all rows; and for any unit u of margin
//          g > 0, |a| >= a.u >= g t, so that |a| / t bounds the largest margin from above: a is within 1 - eps of it.
//          Also after `until_epoch` epochs, when the budget of visits is spent, or when it may give up no more rows.
//          Any cut into calls gives the same state, bit for bit.
// Method   [PanagiotakopoulosTsampouka11, sec. 2].  Rows in the way are given up: when the fewest rows on the wrong
//          side (y a.x <= 0) in an epoch have not fallen for max(patience, epochs until then) epochs, those that were
//          wrong in at least 3/4 of these epochs go, worst first, at most half as many as the fewest wrong, and at
//          least one. It starts again from zero without them, so the bound holds for the rows that stay. (The giving
//          up is ours.)
#pragma once

#include <vector>

#include "base/types.hpp"
#include "data/rows.hpp"
#include "solver/online.hpp"

namespace widemargin {

struct MarginOptions {
  double eps = 0.1;
  bool intercept = true;
  Shuffle shuffle = Shuffle::every_epoch;
  std::uint64_t seed = 0;
  Index patience = 50;  // epochs; 0: neither give up nor stall
  Index most = 0;       // visits of an epoch that may be given up in all
};

struct MarginCounters {
  Index epoch = 0;     // epochs done
  Index position = 0;  // visits done in the current one
  Index visits = 0;
  Index updates = 0;  // of all starts
  Index epoch_updates = 0;
  Index epoch_wrong = 0;  // visits with y a.x <= 0 in the current epoch
  Index best_wrong = -1;  // fewest of an epoch since rows were last given up, -1 before
  Index best_epoch = 0;
  Index round_epoch = 0;  // when rows were last given up
  Index given_up = 0;
  double loss = 0;  // sum of s over the updates of the epoch
  double t = 0;
  double q = 0;  // summed afresh at the start of every epoch, carried along inside
};

struct MarginArrays {
  double* a;            // d + 1
  Column* updates_of;   // n: updates by each row since the last start
  Column* wrong_of;     // n: visits on the wrong side since best_epoch
  Column* given_up_at;  // n: epoch in which the row was given up, or 0
};

class MarginSolver {
 public:
  MarginSolver(OnlineProblem problem, MarginOptions options);
  OnlineStop advance(MarginCounters& c, MarginArrays state, Index budget, Index until_epoch);
  Index visits_per_epoch() const { return m_; }

 private:
  void set_order(Index epoch);
  double step_of(Index i) const { return p_.step.empty() ? 1.0 : p_.step[static_cast<std::size_t>(i)]; }
  template <class Rows>
  void visit_rows(const Rows& rows, MarginCounters& c, MarginArrays state, Index end);
  template <class Rows>
  OnlineStop run(const Rows& rows, MarginCounters& c, MarginArrays state, Index budget, Index until_epoch);
  OnlineStop end_epoch(MarginCounters& c, MarginArrays state, Index until_epoch);
  std::vector<Index> troublesome(const MarginCounters& c, MarginArrays state) const;
  void start_again(MarginCounters& c, MarginArrays state) const;

  OnlineProblem p_;
  MarginOptions o_;
  Index n_, d_, m_;
  std::vector<Column> order_;  // derived from (seed, epoch): a cache, not state
  Index order_of_ = -1;
};

}  // namespace widemargin
