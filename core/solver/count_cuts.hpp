// Cuts of a column with the numbers of rows of each class on both sides, and the best of them.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace widemargin {

constexpr Index LANES = 32;             // most classes of histograms that are walked by vectors
constexpr std::int32_t NARROW = 32767;  // most weight of a node whose squares fit into 32 bits

// Cut j lies behind `at[j]`: a bin, or a place in the order of the keys.
struct Cuts {
  std::vector<std::int32_t> left, right, weight;  // sums of squares on both sides, weight on the left
  std::vector<std::uint32_t> at;
  std::vector<double> score;
  Index size = 0;

  void reserve(Index m) {
    const auto room = static_cast<std::size_t>(m) + 16;
    if (at.size() >= room) return;
    left.resize(room), right.resize(room), weight.resize(room), at.resize(room), score.resize(room);
  }
};

// Counts of `bins` bins, `lanes` (16 or 32) to a bin; total: of all bins, w its sum. `before`, if given, gets the
// counts below each bin. Empty bins are passed over; the cut behind the last bin stands behind the others.
void walk_bins(const std::uint16_t* counts, Index bins, Index lanes, const std::uint16_t* total, std::int32_t w,
               Cuts& cuts, std::uint16_t* before);

// left/weight + right/(w - weight) of all cuts; returns the first of the largest, -1 where there is no cut.
Index best_gini(Cuts& cuts, std::int32_t w);

}  // namespace widemargin
