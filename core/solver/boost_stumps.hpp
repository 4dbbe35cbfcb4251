// AdaBoost on stumps for two classes.
//
// Problem  minimise sum_i u_i exp(-m_i), m_i = y_i F(x_i), one stump f = a h with values +-1 at a time
// Symbols  e weighted error of h;  a = rate/2 ln((1 - e) / e);  margins m, those of + rows first as in the ground;
//          weights of rows u exp(level - m)
// Stops    after so many rounds; when no stump has an edge (e >= 1/2); when one is always right (e = 0: a is capped)
// Method   [FreundSchapire97, fig. 2], with the stump of least weighted error in every round. A round moves the margins
//          of all rows by a, up or down. If the level goes the way of the rows that are right, their weights stay as
//          they are and only those of wrong rows are counted anew; or the other way round, where right ones are fewer.
//          Before numbers leave their range all rows are weighed anew.
#pragma once

#include "solver/stumps.hpp"

namespace widemargin {

enum class BoostStop { rounds, no_edge, perfect };

struct StumpRounds {
  std::vector<std::int32_t> column;
  std::vector<float> threshold;
  std::vector<double> values;  // three a round: left, right, missing
  std::vector<double> error, step;
  BoostStop stop = BoostStop::rounds;
};

// Errors below this count as this in the step: a learner without errors has no vote without end.
constexpr double least_error = 1e-10;

double edge_step(double error, double rate);

// Signs of the sides; one without an edge says what all rows say.
void edge_signs(const Stump& stump, double* values);

class StumpBooster {
 public:
  explicit StumpBooster(StumpGround& ground);

  void boost(double rate, Index rounds, StumpRounds& out, int threads, Poll poll);

  // A round that is known already; values are 1 or -1.
  void apply(Index column, float threshold, const double* values, double step, int threads, Poll poll);

  const StumpGround& ground() const { return ground_; }
  const std::vector<double>& margins() const { return m_; }

 private:
  void weigh_all(int threads, Poll poll);
  Index pick(const bool (*wrong)[3], bool which, Index& plus);
  void take(Index column, Index cut, const double* values, double step, int threads, Poll poll);

  StumpGround& ground_;
  std::vector<double> m_, w_;  // w: some more than there are rows
  std::vector<std::uint8_t> side_;
  std::vector<std::uint32_t> rows_;  // whose weights change
  double level_ = 0;
  double begun_ = 0;  // sum of weights when all were given
};

}  // namespace widemargin
