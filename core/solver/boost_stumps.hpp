// AdaBoost on stumps for two classes.
//
// Problem  minimise sum_i u_i exp(-m_i), m_i = y_i F(x_i), one stump f = a h with values +-1 at a time
// Symbols  e weighted error of h;  a = rate/2 ln((1 - e) / e);  margins m, those of + rows first as in the ground
// Stops    after so many rounds; when no stump has an edge (e >= 1/2); when one is always right (e = 0: a is capped)
// Method   [FreundSchapire97, fig. 2], with the stump of least weighted error in every round
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

void boost_stumps(StumpGround& ground, double* m, double rate, Index rounds, StumpRounds& out, int threads, Poll poll);

}  // namespace widemargin
