// Small nodes and random cuts: eight columns at once, each in a lane of its own.
//
// Method  numbers (or codes as numbers) of eight columns are put side by side; one cut a lane is drawn between its
//         extremes, the sides are counted, and the first of the best cuts is named. Nothing branches on what cannot be
//         foreseen: which columns are constant, which cut is the best one.                [GeurtsEtAl06, table 1]
#pragma once

#include "solver/lanes.hpp"

namespace widemargin {

// Puts the numbers into `space` and names the extremes of each column.
template <class T>
void lane_extremes(const SmallNode<T>& node, const std::uint32_t* columns, LaneSpace& space, float* low, float* high);

// In each lane a float below `high` and not below `low`, at its share of the way. `shares` has eight numbers: those of
// the lanes in `useful`, one after the other, come first. What other lanes get is of no use.
void lane_thresholds(unsigned useful, const double* shares, const float* low, const float* high, float* threshold);

struct LaneSides {
  std::int32_t left[LANE_COLUMNS], right[LANE_COLUMNS], rows[LANE_COLUMNS];  // sums of squares; rows on the left
};

// What is at most `cut` goes left; rows of class k are first[k] .. first[k + 1] - 1. After lane_extremes.
void lane_sides(const LaneSpace& space, const Index* first, Index classes, const float* cut, LaneSides& out);

// What is asked of a cut of m rows: on each side `fewest`, and a score above all earlier ones by more than `slack`.
struct LaneTest {
  std::int32_t m;
  double fewest, slack;
};

// The last lane of those in `useful` whose score L/n + R/(m - n) is better than all before it, and than `best`, which
// follows; -1: none.
int lane_choice(unsigned useful, const LaneSides& sides, const LaneTest& test, double& best);

}  // namespace widemargin
