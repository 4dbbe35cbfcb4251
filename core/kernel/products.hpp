// Dot products of a few rows with many, in float32, for rows that are packed 16 together.
//
// Why not BLAS  it packs the many rows again at every call, which at 50 features costs half as much as the products;
//               here they are packed once. Two sums, over even and odd features, halve the rounding error as well;
//               with AVX-512 there are four.
// Needs AVX2; the caller looks.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace widemargin {

constexpr Index packed_width = 16;

// Rows 0 .. n-1, each of d contiguous values at row(i), as groups of 16: value k of row j at [j / 16][k][j % 16].
template <class RowAt>
void pack_rows(Index n, Index d, RowAt row, std::vector<float>& out) {
  const Index groups = (n + packed_width - 1) / packed_width;
  out.assign(static_cast<std::size_t>(groups * packed_width * d), 0.0f);
  for (Index j = 0; j < n; ++j) {
    const float* x = row(j);
    float* p = out.data() + j / packed_width * packed_width * d + j % packed_width;
    for (Index k = 0; k < d; ++k) p[k * packed_width] = x[k];
  }
}

// out[i * ld + j] = a_i . b_j for m contiguous rows a and n rows b from the beginning of a group on.
void packed_products(const float* a, Index m, const float* packed, Index n, Index d, float* out, Index ld);

// How many roundings a product goes through on its way into the sum.
Index packed_roundings(Index d);

}  // namespace widemargin
