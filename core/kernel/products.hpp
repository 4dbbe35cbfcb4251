// Dot products of a few rows with many, in float32, for rows that are packed 16 together.
//
// Why not BLAS  it packs the many rows again at every call, which at 50 features costs half as much as the products;
//               here they are packed once. Long sums are cut in two, with AVX-512 in four, to keep the rounding error
//               small, and every product is summed in one order: x.z and z.x are the same bits wherever they stand.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace widemargin {

constexpr Index packed_width = 16;

// Where value k of row j lies among packed rows of width d: groups of 16 rows, [j / 16][k][j % 16].
constexpr Index packed_place(Index j, Index k, Index d) {
  return (j / packed_width * d + k) * packed_width + j % packed_width;
}

// Rows 0 .. n-1 of value(j, k), k < d, packed.
template <class Value>
void pack_rows(Index n, Index d, Value value, std::vector<float>& out) {
  const Index groups = (n + packed_width - 1) / packed_width;
  out.assign(static_cast<std::size_t>(groups * packed_width * d), 0.0f);
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < d; ++k) out[static_cast<std::size_t>(packed_place(j, k, d))] = value(j, k);
}

// out[i][j] = a_i . b_(first + j) for m contiguous rows a and n packed rows b.
void packed_products(const float* a, Index m, const float* packed, Index first, Index n, Index d, float* const* out);

// Where long sums are cut in half.
constexpr Index first_half(Index d) { return d <= 64 ? d : d / 2; }

// How many roundings a product goes through on its way into the sum.
Index packed_roundings(Index d);

}  // namespace widemargin
