#include "kernel/products.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))
#else
#define WIDEMARGIN_NO_AVX2
#endif

namespace widemargin {
namespace {

#ifndef WIDEMARGIN_NO_AVX2
// R rows with one group: two registers a row and parity, so that 3 rows fill the register file.
template <int R>
AVX2 inline void tile(const float* a, const float* b, Index d, float* out, Index ld) {
  __m256 even[R][2], odd[R][2];
#pragma GCC unroll 3
  for (int r = 0; r < R; ++r) even[r][0] = even[r][1] = odd[r][0] = odd[r][1] = _mm256_setzero_ps();
  Index k = 0;
  for (; k + 2 <= d; k += 2, b += 2 * packed_width) {
    const __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 3
    for (int r = 0; r < R; ++r) {
      const __m256 s = _mm256_broadcast_ss(a + r * d + k);
      even[r][0] = _mm256_fmadd_ps(s, b0, even[r][0]);
      even[r][1] = _mm256_fmadd_ps(s, b1, even[r][1]);
    }
    const __m256 c0 = _mm256_loadu_ps(b + 16), c1 = _mm256_loadu_ps(b + 24);
#pragma GCC unroll 3
    for (int r = 0; r < R; ++r) {
      const __m256 s = _mm256_broadcast_ss(a + r * d + k + 1);
      odd[r][0] = _mm256_fmadd_ps(s, c0, odd[r][0]);
      odd[r][1] = _mm256_fmadd_ps(s, c1, odd[r][1]);
    }
  }
#pragma GCC unroll 3
  for (int r = 0; r < R; ++r) {
    if (k < d) {
      const __m256 s = _mm256_broadcast_ss(a + r * d + k);
      even[r][0] = _mm256_fmadd_ps(s, _mm256_loadu_ps(b), even[r][0]);
      even[r][1] = _mm256_fmadd_ps(s, _mm256_loadu_ps(b + 8), even[r][1]);
    }
    _mm256_storeu_ps(out + r * ld, _mm256_add_ps(even[r][0], odd[r][0]));
    _mm256_storeu_ps(out + r * ld + 8, _mm256_add_ps(even[r][1], odd[r][1]));
  }
}

// R rows with one group: a register a row and each of four sums, over the features 0, 4, 8, ..., over 1, 5, 9, ..., ...
template <int R>
AVX512 inline void wide_tile(const float* a, const float* b, Index d, float* out, Index ld) {
  __m512 sum[R][4];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = sum[r][2] = sum[r][3] = _mm512_setzero_ps();
  Index k = 0;
  for (; k + 4 <= d; k += 4, b += 4 * packed_width)
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) {
      const __m512 x = _mm512_loadu_ps(b + p * packed_width);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r][p] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * d + k + p]), x, sum[r][p]);
    }
  for (; k < d; ++k, b += packed_width)
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
      sum[r][0] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * d + k]), _mm512_loadu_ps(b), sum[r][0]);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
    _mm512_storeu_ps(out + r * ld,
                     _mm512_add_ps(_mm512_add_ps(sum[r][0], sum[r][1]), _mm512_add_ps(sum[r][2], sum[r][3])));
}

AVX512 void wide_group_products(const float* a, Index m, const float* b, Index d, float* out, Index ld) {
  Index i = 0;
  for (; i + 4 <= m; i += 4) wide_tile<4>(a + i * d, b, d, out + i * ld, ld);
  for (; i < m; ++i) wide_tile<1>(a + i * d, b, d, out + i * ld, ld);
}

AVX2 void group_products(const float* a, Index m, const float* b, Index d, float* out, Index ld) {
  if (simd::level() == simd::Level::avx512) return wide_group_products(a, m, b, d, out, ld);
  Index i = 0;
  for (; i + 3 <= m; i += 3) tile<3>(a + i * d, b, d, out + i * ld, ld);
  if (m - i == 2) tile<2>(a + i * d, b, d, out + i * ld, ld);
  if (m - i == 1) tile<1>(a + i * d, b, d, out + i * ld, ld);
}
#else
void group_products(const float* a, Index m, const float* b, Index d, float* out, Index ld) {
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < packed_width; ++j) {
      float even = 0, odd = 0;
      for (Index k = 0; k < d; ++k) (k % 2 ? odd : even) += a[i * d + k] * b[k * packed_width + j];
      out[i * ld + j] = even + odd;
    }
}
#endif

}  // namespace

Index packed_roundings(Index d) { return simd::level() == simd::Level::avx512 ? d / 4 + d % 4 + 2 : (d + 1) / 2 + 1; }

void packed_products(const float* a, Index m, const float* packed, Index n, Index d, float* out, Index ld) {
  Index j = 0;
  for (; j + packed_width <= n; j += packed_width) group_products(a, m, packed + j * d, d, out + j, ld);
  if (j == n) return;
  float rest[3 * packed_width];
  for (Index i = 0; i < m; i += 3) {
    const Index rows = std::min<Index>(3, m - i);
    group_products(a + i * d, rows, packed + j * d, d, rest, packed_width);
    for (Index r = 0; r < rows; ++r) std::copy_n(rest + r * packed_width, n - j, out + (i + r) * ld + j);
  }
}

}  // namespace widemargin
