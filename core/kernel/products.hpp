// Dot products of a few rows with many, for rows that are packed into groups as wide as a cache line.
//
// Why not BLAS  it packs the many rows again at every call, which at 50 features costs half as much as the products;
//               here they are packed once. Long sums are cut in two, with AVX-512 in four, to keep the rounding error
//               small, and every product is summed in one order: x.z and z.x are the same bits wherever they stand.
#pragma once

#include "base/types.hpp"

namespace widemargin {

template <class T>
constexpr Index packed_width = 64 / sizeof(T);

// Where value k of row j lies among packed rows of width d: [group of j][k][place of j in its group].
template <class T>
constexpr Index packed_place(Index j, Index k, Index d) {
  constexpr Index w = packed_width<T>;
  return (j / w * d + k) * w + j % w;
}

// out[i][j] = a_i . b_(first + j) for m contiguous rows a and n packed rows b.
template <class T>
void packed_products(const T* a, Index m, const T* packed, Index first, Index n, Index d, T* const* out);

// sum[a] += rows[a] . c for m rows of n values: each dot product in the type of the values, the sums in float64.
template <class T>
void row_dots(const T* const* rows, Index m, const T* c, Index n, double* sum);

// out[b] += sum_a c[a] rows[a][b].
template <class T>
void add_rows(const T* const* rows, Index m, const T* c, Index n, T* out);

// How many roundings a product goes through on its way into the sum.
Index packed_roundings(Index d);

}  // namespace widemargin
