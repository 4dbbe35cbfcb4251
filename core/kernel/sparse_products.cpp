#include "kernel/sparse_products.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin {
namespace {

constexpr Index together = 8;  // rows of the other side whose sums are turned into rows of the tile at once

template <class V>
void plain_sums(const SpreadPanel& p, SparseRow<V> row, double scale, float* sum) {
  std::fill_n(sum, p.width, 0.0f);
  for (Index k = 0; k < row.size; ++k) {
    const std::int32_t slot = p.slot[row.j[k]];
    if (slot == 0) continue;
    const float v = static_cast<float>(row.x[k] * scale);
    const float* x = p.x + slot * p.width;
    for (Index a = 0; a < p.width; a += 8)
      for (Index e = 0; e < 8; ++e) sum[a + e] += v * x[a + e];
  }
}

void plain_turn(const float* sum, Index width, Index m, Index rows, float* const* out, Index at) {
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < rows; ++b) out[a][at + b] = sum[b * width + a];
}

#ifdef WIDEMARGIN_X86
template <int W, class V>
AVX2 void sums(const SpreadPanel& p, SparseRow<V> row, double scale, float* sum) {
  __m256 s[W];
#pragma GCC unroll 8
  for (int w = 0; w < W; ++w) s[w] = _mm256_setzero_ps();
  for (Index k = 0; k < row.size; ++k) {
    const std::int32_t slot = p.slot[row.j[k]];
    if (slot == 0) continue;
    const __m256 v = _mm256_set1_ps(static_cast<float>(row.x[k] * scale));
    const float* x = p.x + slot * (8 * W);
#pragma GCC unroll 8
    for (int w = 0; w < W; ++w) s[w] = _mm256_fmadd_ps(v, _mm256_loadu_ps(x + 8 * w), s[w]);
  }
#pragma GCC unroll 8
  for (int w = 0; w < W; ++w) _mm256_storeu_ps(sum + 8 * w, s[w]);
}

template <class V>
AVX2 void avx2_sums(const SpreadPanel& p, SparseRow<V> row, double scale, float* sum) {
  switch (p.width / 8) {
    case 1:
      return sums<1>(p, row, scale, sum);
    case 2:
      return sums<2>(p, row, scale, sum);
    case 3:
      return sums<3>(p, row, scale, sum);
    case 4:
      return sums<4>(p, row, scale, sum);
    case 5:
      return sums<5>(p, row, scale, sum);
    case 6:
      return sums<6>(p, row, scale, sum);
    case 7:
      return sums<7>(p, row, scale, sum);
    default:
      return sums<8>(p, row, scale, sum);
  }
}

// Eight vectors of eight become the columns that they were.
AVX2 void turn8(const float* in, Index width, float* const* out, Index at, Index rows) {
  __m256 r[8], t[8];
  for (int b = 0; b < 8; ++b) r[b] = _mm256_loadu_ps(in + b * width);
  for (int b = 0; b < 8; b += 2) {
    t[b] = _mm256_unpacklo_ps(r[b], r[b + 1]);
    t[b + 1] = _mm256_unpackhi_ps(r[b], r[b + 1]);
  }
  for (int b = 0; b < 8; b += 4) {
    r[b] = _mm256_shuffle_ps(t[b], t[b + 2], 0x44);
    r[b + 1] = _mm256_shuffle_ps(t[b], t[b + 2], 0xee);
    r[b + 2] = _mm256_shuffle_ps(t[b + 1], t[b + 3], 0x44);
    r[b + 3] = _mm256_shuffle_ps(t[b + 1], t[b + 3], 0xee);
  }
  for (int a = 0; a < 4; ++a) {
    if (a < rows) _mm256_storeu_ps(out[a] + at, _mm256_permute2f128_ps(r[a], r[a + 4], 0x20));
    if (a + 4 < rows) _mm256_storeu_ps(out[a + 4] + at, _mm256_permute2f128_ps(r[a], r[a + 4], 0x31));
  }
}

AVX2 void avx2_turn(const float* sum, Index width, Index m, Index rows, float* const* out, Index at) {
  if (rows < together) return plain_turn(sum, width, m, rows, out, at);
  for (Index a = 0; a < m; a += 8) turn8(sum + a, width, out + a, at, std::min<Index>(8, m - a));
}
#endif

}  // namespace

template <class V>
void sparse_products(const SpreadPanel& panel, const SparseRows<V>& rows, double scale, const Column* J, Index first,
                     Index count, float* const* out) {
  alignas(32) float sum[together * 64];
#ifdef WIDEMARGIN_X86
  const bool wide = simd::level() >= simd::Level::avx2;
#endif
  for (Index b = 0; b < count; b += together) {
    const Index here = std::min(together, count - b);
    for (Index e = 0; e < here; ++e) {
      const auto row = rows[J ? Index{J[b + e]} : first + b + e];
#ifdef WIDEMARGIN_X86
      if (wide) {
        avx2_sums(panel, row, scale, sum + e * panel.width);
        continue;
      }
#endif
      plain_sums(panel, row, scale, sum + e * panel.width);
    }
#ifdef WIDEMARGIN_X86
    if (wide) {
      avx2_turn(sum, panel.width, panel.rows, here, out, b);
      continue;
    }
#endif
    plain_turn(sum, panel.width, panel.rows, here, out, b);
  }
}

template void sparse_products(const SpreadPanel&, const SparseRows<float>&, double, const Column*, Index, Index,
                              float* const*);
template void sparse_products(const SpreadPanel&, const SparseRows<double>&, double, const Column*, Index, Index,
                              float* const*);

}  // namespace widemargin
