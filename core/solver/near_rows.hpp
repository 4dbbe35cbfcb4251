// Which nodes get a copy of their rows, so that those below have all they need close by.
#pragma once

#include <algorithm>

#include "base/simd.hpp"
#include "solver/splitter.hpp"

namespace widemargin {

// Most rows of a node that is copied: as many as a quarter of a megabyte holds. Where all rows do not fit into the
// cache, and numbers are short or one cut a column is asked for (`random`), a copy pays off twice as early; where they
// do, one cut is asked for and sixteen rows are gathered at a time, only once it lies in the nearest cache.
template <class T>
Index near_rows(const Table<T>& table, bool random) {
  const Index row = table.d * static_cast<Index>(sizeof(T));
  const bool early = table.n * row > (Index{1} << 22) && (random || sizeof(T) == 1);
  if (random && !early && simd::level() == simd::Level::avx512)
    return std::clamp<Index>((Index{1} << 16) / row, 64, 256);
  return std::clamp<Index>((Index{1} << (early ? 19 : 18)) / row, 64, early ? 4096 : LANE_ROWS);
}

}  // namespace widemargin
