// Codes column by column become codes row by row.
#pragma once

#include <bit>
#include <cstring>

#include "base/types.hpp"

namespace widemargin {

// Eight bytes of each of eight columns become eight bytes of each of eight rows.
inline void turn_eight(const std::uint8_t* from, Index n, std::uint8_t* to, Index d) {
  std::uint64_t w[8];
  for (Index k = 0; k < 8; ++k) std::memcpy(w + k, from + k * n, 8);
  const auto swap = [&](int apart, int bits, std::uint64_t mask) {
    for (int k = 0; k < 8; ++k)
      if (!(k & apart)) {
        const std::uint64_t t = ((w[k] >> bits) ^ w[k + apart]) & mask;
        w[k] ^= t << bits;
        w[k + apart] ^= t;
      }
  };
  swap(4, 32, 0x00000000ffffffffu);
  swap(2, 16, 0x0000ffff0000ffffu);
  swap(1, 8, 0x00ff00ff00ff00ffu);
  for (Index k = 0; k < 8; ++k) std::memcpy(to + k * d, w + k, 8);
}

// Rows begin .. end - 1 and columns first .. last - 1 of them.
template <class Code>
void turn_block(const Code* from, Index n, Code* to, Index d, Index begin, Index end, Index first, Index last) {
  Index f = first;
  if constexpr (sizeof(Code) == 1 && std::endian::native == std::endian::little)
    for (; f + 8 <= last; f += 8) {
      Index i = begin;
      for (; i + 8 <= end; i += 8) turn_eight(from + f * n + i, n, to + i * d + f, d);
      for (; i < end; ++i)
        for (Index k = f; k < f + 8; ++k) to[i * d + k] = from[k * n + i];
    }
  for (; f < last; ++f)
    for (Index i = begin; i < end; ++i) to[i * d + f] = from[f * n + i];
}

}  // namespace widemargin
