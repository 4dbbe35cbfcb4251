// Sixteen rows at a time through one tree, where the processor can gather and compress.
//
// Problem  the leaf of each row of a block in one tree, of nodes of two words without categories
// Symbols  a lane: one row; h: place of a node in the upper levels, which has the children 2h and 2h + 1
// Method   the upper levels of a tree lie in registers, so that only numbers of rows must be gathered; below, rows fall
//          some steps at a time, and those that have come to their leaves leave the ranks, which close up: a row costs
//          about as many steps as its leaf is deep, not as the deepest leaf of its company.
#pragma once

#include "base/buffer.hpp"
#include "model/tree.hpp"

namespace widemargin {

class LaneWalk {
 public:
  // Whether n rows can fall through the trees of such a forest this way, and gain by it.
  static bool suits(const ForestView& forest, const RowsView& rows, Index n);

  // For rows from .. to-1.
  LaneWalk(const ForestView& forest, const RowsView& rows, Index from, Index to);

  // Each row once, in an order of their own: number of the row (0 is `from`), its leaf and the line of that.
  struct Arrived {
    const std::uint32_t *row, *leaf, *line;
  };
  Arrived fall(Index tree, bool more);  // whether the next tree comes next

 private:
  const ForestView& forest_;
  const float* x_;
  Index n_, stride_;
  bool missing_;
  Buffer<std::uint32_t> row_, at_;            // of rows that are still falling
  Buffer<std::uint32_t> came_, leaf_, line_;  // of rows that have arrived
};

}  // namespace widemargin
