#include "solver/box_scan.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx2")))
#include <immintrin.h>
#endif
#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Index lanes = 8;

// The sum over free variables is eight sums that are added up in order, whatever the instructions.
struct Sums {
  double low[lanes], high[lanes], sum[lanes] = {};
  std::int64_t count[lanes] = {};
  Sums() { std::fill_n(low, lanes, infinite), std::fill_n(high, lanes, -infinite); }

  INLINE void take(const BoxView& v, Index i, Index e) {
    const double F = v.f[i] - v.t[i];
    const bool rises = v.b[i]<v.upper[i], falls = v.b[i]> v.lower[i];
    if (rises && F < low[e]) low[e] = F;
    if (falls && F > high[e]) high[e] = F;
    sum[e] += rises && falls ? F : 0.0;
    count[e] += rises && falls;
  }
  Extremes all() const {
    Extremes found;
    found.least = *std::min_element(low, low + lanes), found.most = *std::max_element(high, high + lanes);
    for (Index e = 0; e < lanes; ++e) found.free_sum += sum[e], found.free += static_cast<Index>(count[e]);
    return found;
  }
};

// The place of one variable on either side; whether it has one on any.
INLINE bool place(const BoxView& v, double least, double most, double scale, Index i, std::uint16_t* up,
                  std::uint16_t* down) {
  const double F = v.f[i] - v.t[i];
  const bool rises = v.b[i] < v.upper[i] && F<most, falls = v.b[i]> v.lower[i] && F > least;
  up[i] = static_cast<std::uint16_t>(rises ? (F - least) * scale : double{bins});
  down[i] = static_cast<std::uint16_t>(falls ? (most - F) * scale : double{bins});
  return rises || falls;
}

INLINE void extremes_of(const BoxView& v, Sums& s) {
  Index i = 0;
  for (; i + lanes <= v.n; i += lanes)
    for (Index e = 0; e < lanes; ++e) s.take(v, i + e, e);
  for (; i < v.n; ++i) s.take(v, i, 0);
}

Index violations_of(const BoxView& v, double least, double most, std::uint16_t* up, std::uint16_t* down) {
  const double scale = (bins - 1) / (most - least);
  Index found = 0;
  for (Index i = 0; i < v.n; ++i) found += place(v, least, most, scale, i, up, down);
  return found;
}

#ifdef WIDEMARGIN_X86
// Four variables: their F, and who can move.
struct Four {
  __m256d F, rises, falls;
};
AVX2 INLINE Four four(const BoxView& v, Index i) {
  const __m256d b = _mm256_loadu_pd(v.b + i);
  return {_mm256_sub_pd(_mm256_loadu_pd(v.f + i), _mm256_loadu_pd(v.t + i)),
          _mm256_cmp_pd(b, _mm256_loadu_pd(v.upper + i), _CMP_LT_OQ),
          _mm256_cmp_pd(b, _mm256_loadu_pd(v.lower + i), _CMP_GT_OQ)};
}

AVX2 void avx2_extremes(const BoxView& v, Sums& s) {
  const __m256d above = _mm256_set1_pd(infinite), below = _mm256_set1_pd(-infinite);
  __m256d low[2] = {above, above}, high[2] = {below, below}, sum[2] = {};
  __m256i count[2] = {};
  Index i = 0;
  for (; i + lanes <= v.n; i += lanes)
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const Four x = four(v, i + 4 * h);
      const __m256d free = _mm256_and_pd(x.rises, x.falls);
      low[h] = _mm256_min_pd(_mm256_blendv_pd(above, x.F, x.rises), low[h]);  // the second is taken if one is NaN
      high[h] = _mm256_max_pd(_mm256_blendv_pd(below, x.F, x.falls), high[h]);
      sum[h] = _mm256_add_pd(sum[h], _mm256_and_pd(x.F, free));
      count[h] = _mm256_sub_epi64(count[h], _mm256_castpd_si256(free));
    }
  for (int h = 0; h < 2; ++h) {
    _mm256_storeu_pd(s.low + 4 * h, low[h]);
    _mm256_storeu_pd(s.high + 4 * h, high[h]);
    _mm256_storeu_pd(s.sum + 4 * h, sum[h]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(s.count + 4 * h), count[h]);
  }
  for (; i < v.n; ++i) s.take(v, i, 0);
}

AVX2 Index avx2_violations(const BoxView& v, double least, double most, std::uint16_t* up, std::uint16_t* down) {
  const double scale = (bins - 1) / (most - least);
  const __m256d low = _mm256_set1_pd(least), high = _mm256_set1_pd(most), by = _mm256_set1_pd(scale),
                none = _mm256_set1_pd(bins);
  Index i = 0, found = 0;
  for (; i + lanes <= v.n; i += lanes) {
    __m128i from_least[2], from_most[2];
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      const Four x = four(v, i + 4 * h);
      const __m256d rises = _mm256_and_pd(x.rises, _mm256_cmp_pd(x.F, high, _CMP_LT_OQ)),
                    falls = _mm256_and_pd(x.falls, _mm256_cmp_pd(x.F, low, _CMP_GT_OQ));
      from_least[h] = _mm256_cvttpd_epi32(_mm256_blendv_pd(none, _mm256_mul_pd(_mm256_sub_pd(x.F, low), by), rises));
      from_most[h] = _mm256_cvttpd_epi32(_mm256_blendv_pd(none, _mm256_mul_pd(_mm256_sub_pd(high, x.F), by), falls));
      found += __builtin_popcount(static_cast<unsigned>(_mm256_movemask_pd(_mm256_or_pd(rises, falls))));
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(up + i), _mm_packus_epi32(from_least[0], from_least[1]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(down + i), _mm_packus_epi32(from_most[0], from_most[1]));
  }
  for (; i < v.n; ++i) found += place(v, least, most, scale, i, up, down);
  return found;
}

// Eight variables: their F, and who can move.
struct Some {
  __m512d F;
  __mmask8 rises, falls;
};
AVX512 INLINE Some some(const BoxView& v, Index i) {
  const __m512d b = _mm512_loadu_pd(v.b + i);
  return {_mm512_sub_pd(_mm512_loadu_pd(v.f + i), _mm512_loadu_pd(v.t + i)),
          _mm512_cmp_pd_mask(b, _mm512_loadu_pd(v.upper + i), _CMP_LT_OQ),
          _mm512_cmp_pd_mask(b, _mm512_loadu_pd(v.lower + i), _CMP_GT_OQ)};
}

AVX512 INLINE __m128i shorts(__m512d x) {
  const __m256i whole = _mm512_maskz_cvttpd_epi32(0xff, x);
  return _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
}

AVX512 void avx512_extremes(const BoxView& v, Sums& s) {
  __m512d low = _mm512_loadu_pd(s.low), high = _mm512_loadu_pd(s.high), sum = _mm512_setzero_pd();
  __m512i count = _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi64(1);
  Index i = 0;
  for (; i + lanes <= v.n; i += lanes) {
    const Some x = some(v, i);
    const __mmask8 free = x.rises & x.falls;
    low = _mm512_mask_min_pd(low, x.rises, x.F, low);  // the second is taken if the first is NaN
    high = _mm512_mask_max_pd(high, x.falls, x.F, high);
    sum = _mm512_mask_add_pd(sum, free, sum, x.F);
    count = _mm512_mask_add_epi64(count, free, count, one);
  }
  _mm512_storeu_pd(s.low, low);
  _mm512_storeu_pd(s.high, high);
  _mm512_storeu_pd(s.sum, sum);
  _mm512_storeu_si512(s.count, count);
  for (; i < v.n; ++i) s.take(v, i, 0);
}

AVX512 Index avx512_violations(const BoxView& v, double least, double most, std::uint16_t* up, std::uint16_t* down) {
  const double scale = (bins - 1) / (most - least);
  const __m512d low = _mm512_set1_pd(least), high = _mm512_set1_pd(most), by = _mm512_set1_pd(scale),
                none = _mm512_set1_pd(bins);
  Index i = 0, found = 0;
  for (; i + lanes <= v.n; i += lanes) {
    const Some x = some(v, i);
    const __mmask8 rises = x.rises & _mm512_cmp_pd_mask(x.F, high, _CMP_LT_OQ),
                   falls = x.falls & _mm512_cmp_pd_mask(x.F, low, _CMP_GT_OQ);
    const __m512d from_least = _mm512_mask_mul_pd(none, rises, _mm512_sub_pd(x.F, low), by),
                  from_most = _mm512_mask_mul_pd(none, falls, _mm512_sub_pd(high, x.F), by);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(up + i), shorts(from_least));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(down + i), shorts(from_most));
    found += __builtin_popcount(static_cast<unsigned>(rises | falls));
  }
  for (; i < v.n; ++i) found += place(v, least, most, scale, i, up, down);
  return found;
}
#endif

}  // namespace

double Extremes::middle() const {
  const double low = most == -infinite ? least : most, high = least == infinite ? most : least;
  return low - low == 0 ? -(low + high) / 2 : 0.0;
}

void Extremes::join(const Extremes& other) {
  least = std::min(least, other.least), most = std::max(most, other.most);
  free_sum += other.free_sum, free += other.free;
}

Extremes extremes(const BoxView& v) {
  Sums s;
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512)
    avx512_extremes(v, s);
  else if (simd::level() == simd::Level::avx2)
    avx2_extremes(v, s);
  else
#endif
    extremes_of(v, s);
  return s.all();
}

Index violations(const BoxView& v, const Extremes& e, std::uint16_t* up, std::uint16_t* down) {
  if (!(e.most > e.least) || e.most - e.least == infinite) {
    std::fill_n(up, v.n, static_cast<std::uint16_t>(bins)), std::fill_n(down, v.n, static_cast<std::uint16_t>(bins));
    return 0;
  }
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_violations(v, e.least, e.most, up, down);
  if (simd::level() == simd::Level::avx2) return avx2_violations(v, e.least, e.most, up, down);
#endif
  return violations_of(v, e.least, e.most, up, down);
}

}  // namespace widemargin
