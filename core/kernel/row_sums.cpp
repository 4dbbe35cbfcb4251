#include "kernel/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))
#endif

namespace widemargin {
namespace {

constexpr Index together = 8;  // rows that are summed in float32

// At most `together` rows; `size` are the absolute steps.
void plain_accumulate(const float* const* rows, const float* step, const float* size, Index m, Index n, Index from,
                      double* f, double* spread) {
  for (Index b = from; b < n; ++b) {
    float sum = 0, sizes = 0;
    for (Index a = 0; a < m; ++a) sum += step[a] * rows[a][b], sizes += size[a] * rows[a][b];
    f[b] += static_cast<double>(sum);
    if (spread) spread[b] += static_cast<double>(sizes);
  }
}

// Fused or not, and in which order, is the same for a column wherever it stands.
void plain_some(const float* const* rows, const float* step, Index m, Index from, Index n, double* f) {
  for (Index b = from; b < n; ++b) {
    float sum = 0;
    for (Index a = 0; a < m; ++a) sum += step[a] * rows[a][b];
    f[b] += static_cast<double>(sum);
  }
}

#ifdef WIDEMARGIN_X86
// `next` are the eight rows that come after these, or these again: they are on their way while these are summed.
AVX2 void avx2_eight(const float* const* rows, const float* const* next, const float* step, Index n, double* f) {
  __m256 s[8];
  const float* r[8];
#pragma GCC unroll 8
  for (int a = 0; a < 8; ++a) s[a] = _mm256_set1_ps(step[a]), r[a] = rows[a];
  Index b = 0;
  for (; b + 8 <= n; b += 8) {
    if (b % 16 == 0) {
#pragma GCC unroll 8
      for (int a = 0; a < 8; ++a) _mm_prefetch(reinterpret_cast<const char*>(next[a] + b), _MM_HINT_T0);
    }
    __m256 even = _mm256_mul_ps(s[0], _mm256_loadu_ps(r[0] + b)), odd = _mm256_mul_ps(s[1], _mm256_loadu_ps(r[1] + b));
#pragma GCC unroll 4
    for (int a = 2; a < 8; a += 2) {
      even = _mm256_fmadd_ps(s[a], _mm256_loadu_ps(r[a] + b), even);
      odd = _mm256_fmadd_ps(s[a + 1], _mm256_loadu_ps(r[a + 1] + b), odd);
    }
    const __m256 sum = _mm256_add_ps(even, odd);
    _mm256_storeu_pd(f + b, _mm256_add_pd(_mm256_loadu_pd(f + b), _mm256_cvtps_pd(_mm256_castps256_ps128(sum))));
    _mm256_storeu_pd(f + b + 4,
                     _mm256_add_pd(_mm256_loadu_pd(f + b + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(sum, 1))));
  }
  plain_some(r, step, 8, b, n, f);
}

AVX2 inline void avx2_add(double* f, __m256 sum) {
  _mm256_storeu_pd(f, _mm256_add_pd(_mm256_loadu_pd(f), _mm256_cvtps_pd(_mm256_castps256_ps128(sum))));
  _mm256_storeu_pd(f + 4, _mm256_add_pd(_mm256_loadu_pd(f + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(sum, 1))));
}

AVX2 void avx2_accumulate(const float* const* rows, const float* step, const float* size, Index m, Index n, double* f,
                          double* spread) {
  Index b = 0;
  for (; b + 8 <= n; b += 8) {
    __m256 sum = _mm256_setzero_ps(), sizes = _mm256_setzero_ps();
    for (Index a = 0; a < m; ++a) {
      const __m256 k = _mm256_loadu_ps(rows[a] + b);
      sum = _mm256_fmadd_ps(_mm256_broadcast_ss(step + a), k, sum);
      sizes = _mm256_fmadd_ps(_mm256_broadcast_ss(size + a), k, sizes);
    }
    avx2_add(f + b, sum);
    if (spread) avx2_add(spread + b, sizes);
  }
  plain_accumulate(rows, step, size, m, n, b, f, spread);
}

// out[c * width + b] += sum over four rows, with `next` on their way as in avx2_eight; as many fused steps for a column
// of values wherever it stands.
AVX2 void avx2_four(const float* const* rows, const float* const* next, const float* step, Index columns, Index n,
                    float* out, Index width) {
  Index b = 0;
  for (; b + 16 <= n; b += 16) {
    __m256 k[8];
#pragma GCC unroll 4
    for (int a = 0; a < 4; ++a) _mm_prefetch(reinterpret_cast<const char*>(next[a] + b), _MM_HINT_T0);
#pragma GCC unroll 4
    for (int a = 0; a < 4; ++a)
      k[2 * a] = _mm256_loadu_ps(rows[a] + b), k[2 * a + 1] = _mm256_loadu_ps(rows[a] + b + 8);
    for (Index c = 0; c < columns; ++c) {
      float* at = out + c * width + b;
      __m256 low = _mm256_loadu_ps(at), high = _mm256_loadu_ps(at + 8);
#pragma GCC unroll 4
      for (int a = 0; a < 4; ++a) {
        const __m256 s = _mm256_broadcast_ss(step + a * columns + c);
        low = _mm256_fmadd_ps(s, k[2 * a], low);
        high = _mm256_fmadd_ps(s, k[2 * a + 1], high);
      }
      _mm256_storeu_ps(at, low);
      _mm256_storeu_ps(at + 8, high);
    }
  }
  for (; b < n; ++b)
    for (Index c = 0; c < columns; ++c)
      for (int a = 0; a < 4; ++a)
        out[c * width + b] = __builtin_fmaf(step[a * columns + c], rows[a][b], out[c * width + b]);
}

AVX512 void avx512_eight(const float* const* rows, const float* const* next, const float* step, Index columns, Index n,
                         float* out, Index width) {
  Index b = 0;
  for (; b + 16 <= n; b += 16) {
    __m512 k[8];
#pragma GCC unroll 8
    for (int a = 0; a < 8; ++a) {
      _mm_prefetch(reinterpret_cast<const char*>(next[a] + b), _MM_HINT_T0);
      k[a] = _mm512_loadu_ps(rows[a] + b);
    }
    for (Index c = 0; c < columns; ++c) {
      __m512 sum = _mm512_loadu_ps(out + c * width + b);
#pragma GCC unroll 8
      for (int a = 0; a < 8; ++a) sum = _mm512_fmadd_ps(_mm512_set1_ps(step[a * columns + c]), k[a], sum);
      _mm512_storeu_ps(out + c * width + b, sum);
    }
  }
  for (; b < n; ++b)
    for (Index c = 0; c < columns; ++c)
      for (int a = 0; a < 8; ++a)
        out[c * width + b] = __builtin_fmaf(step[a * columns + c], rows[a][b], out[c * width + b]);
}

#endif

}  // namespace

void accumulate(const float* const* rows, const double* step, Index m, Index n, double* f, double* spread) {
  for (Index a = 0; a < m; a += together) {
    const Index here = std::min(together, m - a);
    float s[together], size[together];
    for (Index e = 0; e < here; ++e) s[e] = static_cast<float>(step[a + e]), size[e] = std::abs(s[e]);
#ifdef WIDEMARGIN_X86
    if (simd::level() >= simd::Level::avx2) {
      avx2_accumulate(rows + a, s, size, here, n, f, spread);
      continue;
    }
#endif
    plain_accumulate(rows + a, s, size, here, n, 0, f, spread);
  }
}

void accumulate_fast(const float* const* rows, const double* step, Index m, Index n, double* f) {
  for (Index a = 0; a < m; a += 8) {
    const Index here = std::min<Index>(8, m - a);
    float s[8];
    for (Index e = 0; e < here; ++e) s[e] = static_cast<float>(step[a + e]);
#ifdef WIDEMARGIN_X86
    if (here == 8 && simd::level() >= simd::Level::avx2) {
      avx2_eight(rows + a, rows + (a + 16 <= m ? a + 8 : a), s, n, f);
      continue;
    }
#endif
    plain_some(rows + a, s, here, 0, n, f);
  }
}

void accumulate_columns(const float* const* rows, const float* step, Index m, Index columns, Index n,
                        double* const* f) {
  constexpr Index together = 64, width = 512;
  thread_local std::vector<float> sum;
  sum.resize(static_cast<std::size_t>(columns * width));
  for (Index first = 0; first < m; first += together) {
    const Index last = std::min(m, first + together);
    std::fill(sum.begin(), sum.end(), 0.0f);
    Index a = first;
#ifdef WIDEMARGIN_X86
    if (simd::level() == simd::Level::avx512)
      for (; a + 8 <= last; a += 8)
        avx512_eight(rows + a, rows + (a + 16 <= m ? a + 8 : a), step + a * columns, columns, n, sum.data(), width);
    if (simd::level() >= simd::Level::avx2)
      for (; a + 4 <= last; a += 4)
        avx2_four(rows + a, rows + (a + 8 <= m ? a + 4 : a), step + a * columns, columns, n, sum.data(), width);
#endif
    for (; a < last; ++a)
      for (Index c = 0; c < columns; ++c)
        for (Index b = 0; b < n; ++b)
          sum[static_cast<std::size_t>(c * width + b)] += step[a * columns + c] * rows[a][b];
    for (Index c = 0; c < columns; ++c)
      for (Index b = 0; b < n; ++b) f[c][b] += static_cast<double>(sum[static_cast<std::size_t>(c * width + b)]);
  }
}

}  // namespace widemargin
