// Matrix products from the BLAS that SciPy has loaded anyway: a table of two function pointers, set once from outside.
//
// One BLAS thread a call: OpenBLAS stays on the calling thread up to m n k = 2^18 multiplications, so products are cut
// into tiles not larger than that (64 x 80 at k = 50). Such tiles run as fast as large ones (79 against 81 GFLOP/s
// measured at k = 50, one thread), and nothing of the process is switched for it. The sum over k is cut at 256, which
// also keeps the rounding error of a long dot product small.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace widemargin::blas {

template <class T>
using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                      const T*, const int*, const T*, T*, const int*);

void set(Gemm<float> sgemm, Gemm<double> dgemm);
bool ready();

constexpr Index depth = 256;              // terms summed in one call
constexpr Index volume = Index{1} << 18;  // multiplications in one call

// How many columns to take at once when there are m <= 64 rows of width d.
inline Index tile_columns(Index m, Index d) {
  const Index most = volume / (std::max<Index>(m, 16) * std::clamp<Index>(d, 1, depth));
  return std::clamp<Index>(most / 16 * 16, 16, 256);
}

// c[i * ldc + j] = sum_k a[i * lda + k] b[j * ldb + k]: products of rows with rows, one tile of them
// (m n min(d, depth) <= volume).
template <class T>
void row_products(const T* a, Index lda, Index m, const T* b, Index ldb, Index n, Index d, T* c, Index ldc);

}  // namespace widemargin::blas
