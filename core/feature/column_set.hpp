// The columns of one row, put in order without comparing any.
//
// Method  a bit for each column, one for each 64 bits that are not all 0, and one for each 64 of these: who looks for
//         the next column passes by 262144 of them at a time
#pragma once

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

class ColumnSet {
 public:
  explicit ColumnSet(Index width) {
    for (auto& level : levels_) level.resize(static_cast<std::size_t>(width = (width + 63) / 64));
  }

  void insert(Column column) {
    auto c = static_cast<std::uint32_t>(column);
    for (auto& level : levels_) {
      level[c >> 6] |= std::uint64_t{1} << (c & 63);
      c >>= 6;
    }
  }

  // take(column) for every one, rising; none is left.
  template <class Take>
  void empty(Take&& take) {
    auto& [columns, words, groups] = levels_;
    const auto each = [](std::uint64_t& bits, std::size_t word, auto&& go) {
      for (std::uint64_t b = std::exchange(bits, 0); b; b &= b - 1)
        go(64 * word + static_cast<std::size_t>(std::countr_zero(b)));
    };
    for (std::size_t g = 0; g < groups.size(); ++g)
      each(groups[g], g, [&](std::size_t w) {
        each(words[w], w,
             [&](std::size_t v) { each(columns[v], v, [&](std::size_t c) { take(static_cast<Column>(c)); }); });
      });
  }

 private:
  std::array<std::vector<std::uint64_t>, 3> levels_;
};

}  // namespace widemargin
