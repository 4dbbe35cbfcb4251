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
// R rows with one group: two registers a row, so that 6 rows, a group and one value fill the register file.
template <int R>
AVX2 inline void sums(const float* a, Index d, const float* b, Index from, Index to, __m256 (&s)[R][2]) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) s[r][0] = s[r][1] = _mm256_setzero_ps();
  for (Index k = from; k < to; ++k) {
    const __m256 b0 = _mm256_loadu_ps(b + k * packed_width), b1 = _mm256_loadu_ps(b + k * packed_width + 8);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const __m256 v = _mm256_broadcast_ss(a + r * d + k);
      s[r][0] = _mm256_fmadd_ps(v, b0, s[r][0]);
      s[r][1] = _mm256_fmadd_ps(v, b1, s[r][1]);
    }
  }
}

template <int R>
AVX2 inline void tile(const float* a, const float* b, Index d, float* const* out, Index at) {
  __m256 s[R][2];
  const Index half = first_half(d);
  sums<R>(a, d, b, 0, half, s);
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
    _mm256_storeu_ps(out[r] + at, s[r][0]);
    _mm256_storeu_ps(out[r] + at + 8, s[r][1]);
  }
  if (half == d) return;
  sums<R>(a, d, b, half, d, s);
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
    _mm256_storeu_ps(out[r] + at, _mm256_add_ps(_mm256_loadu_ps(out[r] + at), s[r][0]));
    _mm256_storeu_ps(out[r] + at + 8, _mm256_add_ps(_mm256_loadu_ps(out[r] + at + 8), s[r][1]));
  }
}

// R rows with one group: a register a row and each of four sums, over the features 0, 4, 8, ..., over 1, 5, 9, ..., ...
template <int R>
AVX512 inline void wide_tile(const float* a, const float* b, Index d, float* const* out, Index at) {
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
    _mm512_storeu_ps(out[r] + at,
                     _mm512_add_ps(_mm512_add_ps(sum[r][0], sum[r][1]), _mm512_add_ps(sum[r][2], sum[r][3])));
}

AVX512 void avx512_group(const float* a, Index m, const float* b, Index d, float* const* out, Index at) {
  Index i = 0;
  for (; i + 4 <= m; i += 4) wide_tile<4>(a + i * d, b, d, out + i, at);
  for (; i < m; ++i) wide_tile<1>(a + i * d, b, d, out + i, at);
}

AVX2 void avx2_group(const float* a, Index m, const float* b, Index d, float* const* out, Index at) {
  Index i = 0;
  for (; i + 6 <= m; i += 6) tile<6>(a + i * d, b, d, out + i, at);
  if (m - i >= 4) tile<4>(a + i * d, b, d, out + i, at), i += 4;
  if (m - i >= 2) tile<2>(a + i * d, b, d, out + i, at), i += 2;
  if (m - i == 1) tile<1>(a + i * d, b, d, out + i, at);
}
#endif

void plain_group(const float* a, Index m, const float* b, Index d, float* const* out, Index at) {
  const Index half = first_half(d);
  for (Index i = 0; i < m; ++i) {
    float sum[2][packed_width] = {};
    for (Index k = 0; k < d; ++k)
      for (Index j = 0; j < packed_width; ++j) sum[k >= half][j] += a[i * d + k] * b[k * packed_width + j];
    for (Index j = 0; j < packed_width; ++j) out[i][at + j] = sum[0][j] + sum[1][j];
  }
}

// The products of m rows with one group of 16, at out[i][at ..].
void group_products(const float* a, Index m, const float* b, Index d, float* const* out, Index at) {
#ifndef WIDEMARGIN_NO_AVX2
  if (simd::level() == simd::Level::avx512) return avx512_group(a, m, b, d, out, at);
  if (simd::level() == simd::Level::avx2) return avx2_group(a, m, b, d, out, at);
#endif
  plain_group(a, m, b, d, out, at);
}

}  // namespace

Index packed_roundings(Index d) {
  if (simd::level() == simd::Level::avx512) return d / 4 + d % 4 + 2;
  return first_half(d) == d ? d : d - first_half(d) + 1;
}

void packed_products(const float* a, Index m, const float* packed, Index first, Index n, Index d, float* const* out) {
  const Index end = first + n;
  for (Index group = first / packed_width * packed_width; group < end; group += packed_width) {
    const float* b = packed + group * d;
    const Index from = std::max(first, group), to = std::min(end, group + packed_width);
    if (to - from == packed_width) {
      group_products(a, m, b, d, out, group - first);
      continue;
    }
    constexpr Index few = 6;
    float part[few][packed_width];
    float* rows[few];
    for (Index r = 0; r < few; ++r) rows[r] = part[r];
    for (Index i = 0; i < m; i += few) {
      const Index here = std::min(few, m - i);
      group_products(a + i * d, here, b, d, rows, 0);
      for (Index r = 0; r < here; ++r)
        std::copy(part[r] + (from - group), part[r] + (to - group), out[i + r] + (from - first));
    }
  }
}

}  // namespace widemargin
