// Cuts of a column with the numbers of rows of each class on both sides, and the best of them.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace widemargin {

constexpr Index LANES = 32;             // most classes of histograms that are walked by vectors
constexpr std::int64_t MOST = 32767;    // most weight of a class, and
constexpr std::int64_t NARROW = 65535;  // most weight of a node whose sums of squares fit into 31 bits

// Cut j lies behind `at[j]`: a bin, or a place in the order of the keys.
struct Cuts {
  std::vector<std::int32_t> left, right, weight;  // sums of squares on both sides, weight on the left
  std::vector<std::uint32_t> at;
  std::vector<double> low, high, score;  // left/weight, right/(w - weight), their sum
  Index size = 0;

  void reserve(Index m) {
    const auto room = static_cast<std::size_t>(m) + 16;
    if (at.size() >= room) return;
    left.resize(room), right.resize(room), weight.resize(room), at.resize(room);
    low.resize(room), high.resize(room), score.resize(room);
  }
};

// Counts of `bins` bins, `lanes` (2, 16 or 32) to a bin; total: of all bins. `before`, if given, gets the counts below
// each bin that is not empty. Empty bins are passed over; the cut behind the last bin stands behind the others.
void walk_bins(const std::uint16_t* counts, Index bins, Index lanes, const std::uint16_t* total, Cuts& cuts,
               std::uint16_t* before);

// Scores of all cuts; returns the first of the largest, -1 where there is no cut.
Index best_gini(Cuts& cuts, std::int32_t w);

// One bin: its counts, those below it, and the sums of squares over the weight of what lies on both sides of it.
struct BinSides {
  const std::uint16_t *counts, *before, *total;
  Index lanes;
  double low, high;           // left/below, right/beyond; 0 where there is nothing
  double below, beyond, own;  // weight on both sides of the bin, and inside
};

// No cut inside of the bin has a score above this.
double inner_bound(const BinSides& bin);

}  // namespace widemargin
