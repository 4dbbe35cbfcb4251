// Pairwise steps on a few variables whose kernel values all lie at hand.
//
// Problem  min 1/2 b'Kb - t'b,  lower <= b <= upper,  the sum of b in each group fixed; a step moves b_i up and b_j
//          down by the same amount, i and j of one group
// Symbols  F = Kb - t (the gradient), up: b < upper, down: b > lower
// Stops    when max F over down - min F over up <= epsilon in every group, or after `most` steps
// Method   i the least F that can go up; j the largest decrease (F_j - F_i)^2 / (K_ii + K_jj - 2 K_ij) among those that
//          can go down [FanChenLin05, WSS 2]; where the curvature is not positive, a tiny one stands in
// Numbers  b is float64. The gradient follows the steps in float32, from the middle of its extremes and in units of the
//          violation that there is at first, so that it says enough of what is left until that is `finest` of it:
//          whoever asked for less has to come again with gradients anew
#pragma once

#include <vector>

#include "base/types.hpp"

namespace widemargin {

class PairAscent {
 public:
  static constexpr Index lanes = 16;  // groups begin at multiples of it
  static constexpr double finest = 1e-4;

  explicit PairAscent(Index most_variables);
  Index most() const { return most_; }

  // Clears the problem; variables are then added group by group.
  void begin();
  void add(double b, double lower, double upper, double F, double diag);
  void end_group();
  Index size() const { return size_; }
  // Where variable number a (in the order of `add`) stands in K.
  Index place(Index a) const { return place_[static_cast<std::size_t>(a)]; }
  Index places() const { return end_; }

  // K has `stride()` columns a row, one for each place; any finite values will do where no variable stands.
  float* K() { return K_.data(); }
  Index stride() const { return stride_; }
  // Returns the steps made.
  Index run(double epsilon, Index most);

  double beta(Index a) const { return b_[static_cast<std::size_t>(place(a))]; }

 private:
  struct Choice {
    Index i = -1;
    float up = 0, down = 0;  // least F that can go up, largest that can go down
  };
  struct Pair {
    Index i = -1, j = -1;
    float gain = 0;
  };
  void set_room(Index p);
  // F in float32 and in units of the violation, which is returned.
  double rescale();
  // F += s (K_i - K_j), and the extremes of the places begin .. end.
  Choice shift(Index i, Index j, float s, Index begin, Index end);
  // The best partner of i, and the gain of that pair.
  Pair partner(Index i, Index begin, Index end) const;

  Index size_ = 0, end_ = 0, most_, stride_;
  std::vector<Index> place_, group_begin_;
  std::vector<double> b_, lower_, upper_, F_, diag_;
  std::vector<float> scaled_, up_, down_;  // up, down: 0, or +infinity and -infinity where there is no room
  std::vector<float> K_, diag32_;
};

}  // namespace widemargin
