// What a sum of stumps with two values says of rows of two classes, stump by stump.
//
// Problem  before stump t: the weight of the rows that it gets wrong, and of all rows; after it: the share of rows
//          whose margin is not positive
// Symbols  weights share_i exp(-m_i), times a factor of the caller's choice a round, which keeps them in range and does
//          not change their ratios;  m margins
// Method   some rows at a time through all stumps, so that they stay in the cache; sums are added in the order of rows
#pragma once

#include "base/poll.hpp"
#include "base/types.hpp"
#include "model/stump_tables.hpp"

namespace widemargin {

struct ReplayedStumps {
  const std::int64_t* column;
  const float* threshold;
  const double* values;  // three a stump: left, right, missing; what is not negative counts as +1
  const double* steps;
  const double* factor;  // what weights are divided by after each stump
  Index size;
};

// negative: whether a row belongs to the first class. wrong, all, undecided: one a stump; margins: one a row.
void replay_stumps(const FloatRows& rows, const std::uint8_t* negative, const double* share,
                   const ReplayedStumps& stumps, double* margins, double* wrong, double* all, double* undecided,
                   int threads, Poll poll);

}  // namespace widemargin
