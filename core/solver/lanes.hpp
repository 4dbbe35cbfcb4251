// Small nodes: eight columns at once, each in a lane of its own.
//
// Problem  of each of eight columns the best cut by Gini
// Symbols  m rows of the node, w their weight, n the weight on the left;  L = sum of squared class weights there, R on
//          the right. The score L/n + R/(w - n) is kept as a fraction of whole numbers: equal scores are equal.
// Method   keys (code, class, weight) are sorted by a network whose comparisons are the same in all lanes [Batcher68];
//          on the walk along them the counts of all classes of a lane share a word.
#pragma once

#include "base/types.hpp"

namespace widemargin {

constexpr int LANE_COLUMNS = 8;
constexpr Index LANE_ROWS = 1024;           // most rows of a node
constexpr std::int32_t LANE_WEIGHT = 2047;  // most weight: n (w - n) w fits into 32 bits

// Rows of a node close by: the code (or number) of its row i and column f is at[rows[i] * stride + f]. Three bytes
// behind the last one may be read.
template <class T>
struct SmallNode {
  const T* at;
  Index stride;
  const std::uint32_t* rows;
  Index m;
};

// Classes whose counts of 8 bits (up to a weight of 255) or 16 bits fill at most four words.
struct LaneClasses {
  const std::uint16_t* payload = nullptr;  // class and weight (a byte each) of the rows of the node
  std::int32_t total[32] = {};
  std::int32_t w = 0;
  Index classes = 0;

  int bits() const { return w <= 255 ? 8 : 16; }
  Index words() const { return (classes * bits() + 63) / 64; }
  bool fit() const { return w <= LANE_WEIGHT && words() <= 4; }
};

struct LaneSpace {
  alignas(64) std::uint32_t keys[(LANE_ROWS + 8) * LANE_COLUMNS];
};

struct LaneCuts {
  double above[LANE_COLUMNS], below[LANE_COLUMNS];      // score; `above` is -1 where the column is constant
  std::uint32_t cut[LANE_COLUMNS], next[LANE_COLUMNS];  // largest code on the left, smallest on the right
};

template <class T>
void best_cuts(const SmallNode<T>& node, const LaneClasses& classes, const std::uint32_t* columns, LaneSpace& space,
               LaneCuts& out);

}  // namespace widemargin
