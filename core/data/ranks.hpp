// Columns of numbers as ranks: what a tree needs to know of a value is only where it stands among those of its column.
//
// Problem  code[i] in 0 .. k-1 with code[i] <= code[j] iff x[i] <= x[j], for each column of n float32 numbers
// Symbols  d columns;  k_f codes of column f;  low, high least and largest number behind a code (equal unless binned)
//          a missing value (NaN) has the code k_f, one above all others
// Method   at most 256 different numbers: a small hash table, then their order; else radix sort of (number, row). Where
//          `bins` is given and there are more different numbers, codes are bins with about equally many rows.
//          Codes have 1, 2 or 4 bytes, the same for all columns; beside longer ones stands a coarse code of one byte.
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

struct RankedColumns {
  Index n = 0, d = 0;
  int width = 1;                      // bytes of a code
  Buffer<std::uint8_t> columns;       // codes, column by column, and some bytes beyond
  Buffer<std::uint8_t> rows;          // the same, row by row
  Buffer<std::uint8_t> coarse;        // one byte each, column by column; only where width > 1
  std::vector<Index> first;           // d + 1: where the numbers of column f begin
  std::vector<float> low, high;       // of each code
  std::vector<std::uint8_t> missing;  // whether the column has missing values
  std::vector<std::uint8_t> fits;     // whether coarse codes are the codes themselves
  std::vector<std::uint8_t> cells;    // CELLS + 1 a column, or none: the code before the first number in each cell
  std::vector<float> per_cell;        // of each column: 1 / the width of its cells

  bool ranked() const { return !first.empty(); }
  Index codes(Index f) const { return first[static_cast<std::size_t>(f) + 1] - first[static_cast<std::size_t>(f)]; }

  template <class Code>
  const Code* column(Index f) const {
    return reinterpret_cast<const Code*>(columns.data()) + f * n;
  }
  template <class Code>
  const Code* row_major() const {
    return reinterpret_cast<const Code*>(rows.data());
  }
  // The largest code whose number is at most t, which is not below the first. No branch to mispredict but for the
  // cell of t: equal parts of the way from the least number to the largest tell most codes apart.
  Index code_at(Index f, float t) const {
    const float* begin = low.data() + first[static_cast<std::size_t>(f)];
    const float* at = begin;
    Index left = codes(f);
    if (!cells.empty()) {
      const std::uint8_t* cell = cells.data() + f * (CELLS + 1) + cell_of(f, t);
      at += cell[0];
      left = cell[1] - cell[0] + 1;
    }
    for (Index half; left > 1; left -= half) {
      half = left / 2;
      at += at[half] <= t ? half : 0;
    }
    return at - begin;
  }

  // Larger numbers never have smaller cells, so the codes of other cells need not be looked at.
  static constexpr Index CELLS = 256;
  Index cell_of(Index f, float t) const {
    const float way =
        (t - low[static_cast<std::size_t>(first[static_cast<std::size_t>(f)])]) * per_cell[static_cast<std::size_t>(f)];
    return static_cast<Index>(std::min(static_cast<float>(CELLS - 1), way));  // also where it overflows
  }
  void make_cells();

  // One byte a row: the code, or a coarse one.
  const std::uint8_t* bytes(Index f) const { return (width == 1 ? columns : coarse).data() + f * n; }
};

enum class Ranking {
  columns,  // without `rows`
  both,
  if_short,  // only where all codes have one byte, with cells; else only the width and what is missing are known
};

// x has d numbers a row; bins 0: exact. Row i of the ranks is row order[i] of x, where an order is given.
RankedColumns rank_columns(const float* x, Index n, Index d, Index stride, const std::uint32_t* order, int bins,
                           int threads, Poll poll = never, Ranking wanted = Ranking::both);

// 0: all numbers are finite; 1: some are NaN, none infinite; 2: some are infinite.
int number_kinds(const float* x, Index size);

}  // namespace widemargin
