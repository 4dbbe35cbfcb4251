// Sorting of few whole numbers, many times: small nodes of trees are most of the work of growing them.
//
// Method   up to 512 keys of 32 bits: a bitonic network on vectors of eight (AVX2), which has no branches to mispredict
//          [Batcher68]; else, and on other processors, insertion or radix sort.
#pragma once

#include "base/types.hpp"

namespace widemargin {

// Sorts m keys. There must be room for 8 more, rounded up to a power of two times 8 (at most 512), and for `spare` keys
// as many; what stands behind the m keys is lost. Keys that differ only below bit `from` may come in any order.
void sort_keys(std::uint32_t* keys, Index m, std::uint32_t* spare, unsigned from = 0);
void sort_keys(std::uint64_t* keys, Index m, std::uint64_t* spare, unsigned from = 0);

// Entries that arrays for m keys must have.
inline Index room_for_keys(Index m) { return (m < 512 ? 512 : m) + 16; }

}  // namespace widemargin
