// Scores of all rows under a kernel expansion, kept up to date in float32 blocks, with a bound on their error.
//
// Problem  f_i = sum_j c_j k(x_i, x_j) for the rows i >= first, while c changes at a few rows at a time
// Symbols  u = 2^-24; r_i = |x_i|, R the longest; D the roundings that a product in a dot product goes through;
//          s_j a step made at row j, L = sum |s_j|, M their number
// Bound    |f_i - exact| <= rho_i S_i + L ((kmax_i + 1) (M + d + 20) 2^-52 + tiny)          [Higham02, sec. 3.1] and
//            rbf         rho_i = (h_i + 18) u                S_i = sum |s_j| k_ij   kmax_i = 1 + gamma (r_i + R)^2
//            linear      rho_i = gamma r_i (D + 16) u        S_i = sum |s_j| r_j    kmax_i = gamma r_i R
//            polynomial  rho_i = (p (D + 10) + 10) u T_i^p   S_i = L                kmax_i = T_i^p
//            tanh        rho_i = ((D + 6) T_i + 26) u        S_i = L                kmax_i = 1 + T_i
//          where h_i = gamma (2 (D + 4) r_i R + 7 (r_i^2 + R^2)),  T_i = |gamma| r_i R + |offset|; in h, each norm is
//          rounded once, their sum once, the exponent (at most 2 gamma (r^2 + R^2)) and what it is the difference of
//          once each
//          The second term covers all of float64: these sums, the bias, and the referee's (kernel/exact.hpp).
//          A kernel value that overflows float32 makes f_i NaN, which no comparison calls certain.
// Method   new rows of kernel values in panels of 64; a row that comes again is kept, if there is memory
//          for it: the second time, or the fourth where a value costs little
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "base/warm.hpp"
#include "kernel/panel.hpp"

namespace widemargin {

class KernelScores {
 public:
  // Scores of the rows first .. n-1; `memory` bytes for kept rows of kernel values.
  KernelScores(const KernelRows<float>& rows, Index first, Index memory, int threads);

  // f += sum over a of step[a] k(., x_I[a]).
  void add(const Column* I, const double* step, Index m, Poll poll);
  // Back to c = 0; kept rows stay.
  void clear();

  double score(Index i) const { return f_[at(i)]; }
  // Bounds the error of score(i), of the pending steps that the caller adds himself (their sum |s_j| k_ij is
  // `pending`), and of the referee.
  double error(Index i, double pending) const;
  // A step that is made, whether its row was added yet or not.
  void count(Index j, double step);
  // Replaces score(i) by a value which has no error of its own; `pending` as in error().
  void set(Index i, double value, double pending, double pending_length);
  // What a step at row j adds to S_i if that does not depend on i.
  double length(Index j, double step) const;
  bool has_spread() const { return rows_.spec().kind == KernelKind::rbf; }

 private:
  std::size_t at(Index i) const { return static_cast<std::size_t>(i - first_); }
  void add_panel(const Column* I, const double* step, Index m, Poll poll);
  float* place_for(Index j);
  float* kept(std::int32_t slot);

  const KernelRows<float>& rows_;
  Index first_, n_;
  int threads_;
  std::vector<double> f_;
  std::vector<double> spread_;  // rbf: S_i;  else: minus the length at which score(i) was set
  std::vector<double> rho_, kmax_;
  double total_ = 0, length_ = 0, steps_ = 0, tiny_ = 0;
  Panel<float> panel_;
  WarmMemory kept_;
  Index room_, a_block_, kept_count_ = 0;  // rows: most, in a block, kept
  std::vector<std::int32_t> slot_of_;      // per row: place of its kept values, -1 seen never, -2 seen once
};

}  // namespace widemargin
