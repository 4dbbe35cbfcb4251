#include "solver/count_cuts.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#endif

namespace widemargin {
namespace {

void plain_walk(const std::uint16_t* counts, Index bins, Index lanes, const std::uint16_t* total, Cuts& cuts,
                std::uint16_t* before) {
  std::int32_t l[LANES] = {};
  Index size = 0;
  for (Index b = 0; b < bins; ++b) {
    const std::uint16_t* c = counts + b * lanes;
    if (before) std::copy(l, l + lanes, before + b * lanes);
    std::int32_t moved = 0, left = 0, right = 0, weight = 0;
    for (Index k = 0; k < lanes; ++k) {
      moved |= c[k];
      l[k] += c[k];
      const std::int32_t r = total[k] - l[k];
      left += l[k] * l[k];
      right += r * r;
      weight += l[k];
    }
    if (!moved) continue;
    const auto j = static_cast<std::size_t>(size++);
    cuts.left[j] = left, cuts.right[j] = right, cuts.weight[j] = weight;
    cuts.at[j] = static_cast<std::uint32_t>(b);
  }
  cuts.size = size;
}

#ifdef WIDEMARGIN_X86
template <int V>
AVX2 void avx2_walk(const std::uint16_t* counts, Index bins, const std::uint16_t* total, Cuts& cuts,
                    std::uint16_t* before) {
  __m256i l[V], t[V];
  for (int v = 0; v < V; ++v) {
    l[v] = _mm256_setzero_si256();
    t[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(total) + v);
  }
  const __m256i ones = _mm256_set1_epi16(1);
  Index size = 0;
  for (Index b = 0; b < bins; ++b) {
    const auto* c = reinterpret_cast<const __m256i*>(counts) + b * V;
    __m256i any = _mm256_loadu_si256(c);
    if (V > 1) any = _mm256_or_si256(any, _mm256_loadu_si256(c + V - 1));
    if (before)
      for (int v = 0; v < V; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(before) + b * V + v, l[v]);
    if (_mm256_testz_si256(any, any)) continue;
    __m256i left = _mm256_setzero_si256(), right = left, weight = left;
    for (int v = 0; v < V; ++v) {
      l[v] = _mm256_add_epi16(l[v], _mm256_loadu_si256(c + v));
      const __m256i r = _mm256_sub_epi16(t[v], l[v]);
      left = _mm256_add_epi32(left, _mm256_madd_epi16(l[v], l[v]));
      right = _mm256_add_epi32(right, _mm256_madd_epi16(r, r));
      weight = _mm256_add_epi32(weight, _mm256_madd_epi16(l[v], ones));
    }
    const __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(left, right), _mm256_hadd_epi32(weight, weight));
    const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    const auto j = static_cast<std::size_t>(size++);
    cuts.left[j] = _mm_cvtsi128_si32(sums);
    cuts.right[j] = _mm_extract_epi32(sums, 1);
    cuts.weight[j] = _mm_extract_epi32(sums, 2);
    cuts.at[j] = static_cast<std::uint32_t>(b);
  }
  cuts.size = size;
}

AVX2 void avx2_scores(Cuts& cuts, Index size, double w) {
  const __m256d all = _mm256_set1_pd(w);
  for (Index j = 0; j < size; j += 4) {
    const auto load = [&](const std::vector<std::int32_t>& a) __attribute__((target("avx2"))) {
      return _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + j)));
    };
    const __m256d n = load(cuts.weight);
    const __m256d s =
        _mm256_add_pd(_mm256_div_pd(load(cuts.left), n), _mm256_div_pd(load(cuts.right), _mm256_sub_pd(all, n)));
    _mm256_storeu_pd(cuts.score.data() + j, s);
  }
}
#endif

}  // namespace

void walk_bins(const std::uint16_t* counts, Index bins, Index lanes, const std::uint16_t* total, std::int32_t,
               Cuts& cuts, std::uint16_t* before) {
#ifdef WIDEMARGIN_X86
  if (simd::level() != simd::Level::scalar)
    return lanes == 16 ? avx2_walk<1>(counts, bins, total, cuts, before)
                       : avx2_walk<2>(counts, bins, total, cuts, before);
#endif
  plain_walk(counts, bins, lanes, total, cuts, before);
}

Index best_gini(Cuts& cuts, std::int32_t w) {
  const Index size = cuts.size - 1;
  if (size < 1) return -1;
#ifdef WIDEMARGIN_X86
  if (simd::level() != simd::Level::scalar)
    avx2_scores(cuts, size, w);
  else
#endif
    for (std::size_t j = 0; j < static_cast<std::size_t>(size); ++j)
      cuts.score[j] = static_cast<double>(cuts.left[j]) / cuts.weight[j] +
                      static_cast<double>(cuts.right[j]) / (static_cast<double>(w) - cuts.weight[j]);
  const double* s = cuts.score.data();
  Index best = 0;
  for (Index j = 1; j < size; ++j)
    if (s[j] > s[best]) best = j;
  return best;
}

}  // namespace widemargin
