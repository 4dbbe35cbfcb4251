// The perceptron in its dual form: u(x) = sum_j c_j (k(x_j, x) + 1), one row at a time.
//
// Problem  if y_i u(x_i) <= 0:  c_i += eta s_i y_i;   without an intercept the kernel has no + 1
// Symbols  c signed sums of steps (c_j = alpha_j y_j), s_i the step of row i (its weight), b = sum_j c_j
// Stops    as solver/online.hpp: an epoch without update, a limit of epochs, no fewer updates for long, or the budget.
//          Any cut into calls gives the same state, bit for bit: every decision is that of the float64 referee
//          (kernel/exact.hpp).
// Method   [AizermanEtAl64]; orders and lazy average as in solver/online.hpp.
//          All scores are kept up to date (kernel_scores.hpp): a mistake costs n kernel values. Summing afresh at each
//          visit costs as many as there are support rows, over an epoch never fewer (after the first). 64 visits make
//          a block; its scores are corrected for the mistakes not yet added and for those inside the block. A sign
//          that the error bound of float32 leaves open is asked from the referee.
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "kernel/exact.hpp"
#include "solver/kernel_scores.hpp"
#include "solver/online.hpp"

namespace widemargin {

struct KernelPerceptronOptions {
  double eta = 1.0;
  bool intercept = true;
  Shuffle shuffle = Shuffle::every_epoch;
  std::uint64_t seed = 0;
  int birth = 1;
  Index patience = 0;
  Index first = 0;   // rows before it are only summed over, never visited
  Index memory = 0;  // bytes for rows of kernel values
  int threads = 1;
};

struct KernelPerceptronProblem {
  const KernelRows<float>& rows;
  AnyRows exact_rows;
  KernelSpec kernel;
  const double* y;
  Span<const double> step;    // per row, empty = 1
  Span<const Column> visits;  // rows of an epoch in the given order, empty = first .. n-1
};

struct KernelPerceptronArrays {
  double* c;           // n
  double* a;           // n or null: no averaging
  Column* updates_of;  // n or null
};

class KernelPerceptron {
 public:
  KernelPerceptron(const KernelPerceptronProblem& problem, const KernelPerceptronOptions& options);
  OnlineStop advance(OnlineCounters& c, KernelPerceptronArrays state, Index budget, Index until_epoch,
                     std::vector<Mistake>* log, Poll poll);
  Index visits_per_epoch() const { return m_; }
  Index exact_scores() const { return asked_; }  // how often the referee was asked

 private:
  static constexpr Index block = Panel<float>::most;

  void set_order(Index epoch);
  void follow(const double* c, Poll poll);
  void run_block(OnlineCounters& c, KernelPerceptronArrays state, const Column* rows, Index size,
                 std::vector<Mistake>* log);
  void score_block(const Column* rows, Index size);
  bool wrong(Index p, const Column* rows, const double* c);
  void update(Index p, const Column* rows, Index size, double step, double* c);
  void flush(Poll poll);
  void forget();
  OnlineStop run(OnlineCounters& c, KernelPerceptronArrays state, Index budget, Index until_epoch,
                 std::vector<Mistake>* log, Poll poll);

  KernelPerceptronProblem p_;
  KernelPerceptronOptions o_;
  Index m_, asked_ = 0;
  ExactScore exact_;

  // All below is derived from the state and only saves work.
  std::vector<Column> order_;
  Index order_of_ = -1;
  KernelScores scores_;
  std::vector<double> known_;    // the c that scores_ and pending steps stand for
  std::vector<Column> support_;  // rows with c != 0, in their order
  double bias_ = 0;
  std::vector<Column> pending_;  // steps made, not yet in scores_
  std::vector<double> pending_step_;
  double pending_length_ = 0;
  Panel<float> panel_;
  Picked<float> block_;
  std::vector<float> pair_;  // kernel values inside the block, or of pending rows with the block
  bool pair_ready_ = false;
  double u_[block], size_[block];  // corrections of the scores of the block and the sum of |terms|
};

}  // namespace widemargin
