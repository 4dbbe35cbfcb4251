#include "data/column_order.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/sort_keys.hpp"

namespace widemargin {
namespace {

// A key is the column above the place in the row, so that keys are unequal and tell where a number comes from.
template <class Key, class T>
bool sorted_by(const SparseRows<T>& rows, Index longest, unsigned place_bits, T* x, Column* j, Poll poll) {
  constexpr Index between_polls = 1 << 12;
  std::vector<Key> keys(static_cast<std::size_t>(room_for_keys(longest))), spare(keys.size());
  const Key place = (Key{1} << place_bits) - 1;
  bool unique = true;
  for (Index i = 0; i < rows.n; ++i) {
    if (i % between_polls == 0) poll();
    const Index first = rows.offset[i], m = rows.offset[i + 1] - first;
    const Column* from = rows.j + first;
    for (Index k = 0; k < m; ++k)
      keys[static_cast<std::size_t>(k)] =
          static_cast<Key>(static_cast<Key>(from[k]) << place_bits) | static_cast<Key>(k);
    sort_keys(keys.data(), m, spare.data());
    for (Index k = 0; k < m; ++k) {
      const auto at = static_cast<Index>(keys[static_cast<std::size_t>(k)] & place);
      x[first + k] = rows.x[first + at];
      j[first + k] = from[at];
      unique &= k == 0 || j[first + k] != j[first + k - 1];
    }
  }
  return unique;
}

unsigned bits_of(Index count) { return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(count))); }

}  // namespace

template <class T>
bool sort_columns(const SparseRows<T>& rows, T* x, Column* j, Poll poll) {
  Index longest = 0;
  for (Index i = 0; i < rows.n; ++i) longest = std::max(longest, rows.offset[i + 1] - rows.offset[i]);
  const unsigned place_bits = bits_of(longest);
  if (bits_of(rows.d) + place_bits <= 32) return sorted_by<std::uint32_t>(rows, longest, place_bits, x, j, poll);
  return sorted_by<std::uint64_t>(rows, longest, place_bits, x, j, poll);
}

template bool sort_columns(const SparseRows<double>&, double*, Column*, Poll);
template bool sort_columns(const SparseRows<float>&, float*, Column*, Poll);

}  // namespace widemargin
