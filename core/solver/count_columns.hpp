// Histograms of classes by code, of some columns of a node at once: one does not wait for the other, as the same bin is
// often met again while its last sum is still on its way to memory.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace widemargin {

// Rows of a node, with their classes and weights, and histograms that lie `pitch` counts apart.
struct Counting {
  const std::uint32_t* rows;
  const std::uint16_t* node;
  Index m;
  std::uint16_t* counts;
  Index pitch;
};

// The code of row r in column c is at[c][r * step]; a bin has 2^SHIFT counts. One column does not wait for the other.
template <int SHIFT, int COUNT, class Code>
void count_columns(const Counting& to, const Code* const* columns, Index step) {
  const Code* at[COUNT];
  std::copy_n(columns, COUNT, at);
  for (Index i = 0; i < to.m; ++i) {
    const Index row = static_cast<Index>(to.rows[i]) * step;
    const auto x = static_cast<std::uint16_t>(to.node[i] & 255);
    std::uint16_t* own = to.counts + (to.node[i] >> 8);
    for (int c = 0; c < COUNT; ++c, own += to.pitch) own[static_cast<Index>(at[c][row]) << SHIFT] += x;
  }
}

template <int SHIFT, class Code>
void count_columns(Counting to, const Code* const* columns, Index step, int count) {
  for (; count >= 4; count -= 4, columns += 4, to.counts += 4 * to.pitch)
    count_columns<SHIFT, 4, Code>(to, columns, step);
  if (count == 3) return count_columns<SHIFT, 3, Code>(to, columns, step);
  if (count == 2) return count_columns<SHIFT, 2, Code>(to, columns, step);
  if (count == 1) return count_columns<SHIFT, 1, Code>(to, columns, step);
}

}  // namespace widemargin
