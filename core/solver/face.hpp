// The last digits of a box problem: with the right variables at their bounds, the others solve linear equations.
//
// Problem  min 1/2 b'Kb - t'b over the box and the sums of solver/box.hpp, from a point close to the optimum
// Symbols  S the free variables, F = Kb - t, o_g the offset of group g: at the optimum F_v = -o_g on S
// Stops    when all of S fulfils that to rounding and, where all kernel values are known, no bound is held wrongly; the
//          objective never rises, so any earlier end is a point at least as good as the start
// Method   (K_SS + mu I) d + A o = -F_S, A'd = what is missing from the sums: a step of the proximal point method,
//          which also ends where K_SS is singular, as it is for repeated rows. What leaves the box is brought back to
//          the nearest point that keeps the sums, if that lowers the objective; otherwise the step ends at the first
//          bound [NocedalWright06, sec. 16.5, 16.7]
#pragma once

#include <vector>

#include "base/lapack.hpp"
#include "base/poll.hpp"
#include "base/types.hpp"
#include "solver/box.hpp"

namespace widemargin {

// Values in float64: those of item i with item j are in row place[i] and column column[j] of K. Without a row a
// variable cannot move, without a column its score is not known; -1 = there is none.
struct FaceValues {
  const double* K;
  Index stride;
  const Column *place, *column;
  Index n;          // items
  double diagonal;  // its mean
};

// f = Kb of all items, all of which have rows.
void score_all(const FaceValues& values, const BoxProblem& problem, const double* b, double* f);

class Face {
 public:
  explicit Face(Dsysv solve) : solve_(solve) {}

  // b and f = Kb (of the items that have a column) are moved; offset[g] is NaN where no variable is free. `whole`: the
  // scores of all items are known, so that variables may also leave their bounds. Returns the items without a row that
  // should.
  std::vector<Column> polish(const FaceValues& values, const BoxProblem& problem, bool whole, double* b, double* f,
                             double* offset, Poll poll);

 private:
  Index item(Index v) const { return v < values_->n ? v : v - values_->n; }
  const double* row(Index v) const { return values_->K + values_->place[item(v)] * values_->stride; }
  int group(Index v) const { return p_->group ? p_->group[v] : 0; }
  bool step(Poll poll);
  bool equations();
  bool to_nearest(bool& inside);
  void to_bound();
  void move(const std::vector<double>& to);
  void shift(Index v, double change);
  bool release();
  void settle();
  double sum_of(int g) const;
  // change'K change among the free variables.
  double curvature(const std::vector<double>& change) const;

  Dsysv solve_;
  const FaceValues* values_ = nullptr;
  const BoxProblem* p_ = nullptr;
  double *b_ = nullptr, *f_ = nullptr, *offset_ = nullptr;
  std::vector<char> free_;
  std::vector<Column> missing_;
  std::vector<Index> S_, at_;  // the free variables, and the columns of their items
  std::vector<int> pivots_;
  std::vector<double> M_, right_, work_, F_, d_, to_, change_;
};

}  // namespace widemargin
