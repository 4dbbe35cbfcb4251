#include "solver/count_cuts.hpp"

#include <algorithm>
#include <limits>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline
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

// Two classes. Nothing here is a branch: which bins are empty cannot be foreseen.
void walk_two(const std::uint16_t* counts, Index bins, const std::uint16_t* total, Cuts& cuts, std::uint16_t* before) {
  std::int32_t l0 = 0, l1 = 0;
  std::size_t size = 0;
  for (Index b = 0; b < bins; ++b) {
    const std::int32_t c0 = counts[2 * b], c1 = counts[2 * b + 1];
    if (before) {
      before[2 * b] = static_cast<std::uint16_t>(l0);
      before[2 * b + 1] = static_cast<std::uint16_t>(l1);
    }
    l0 += c0, l1 += c1;
    const std::int32_t r0 = total[0] - l0, r1 = total[1] - l1;
    cuts.left[size] = l0 * l0 + l1 * l1;
    cuts.right[size] = r0 * r0 + r1 * r1;
    cuts.weight[size] = l0 + l1;
    cuts.at[size] = static_cast<std::uint32_t>(b);
    size += (c0 | c1) != 0;
  }
  cuts.size = static_cast<Index>(size);
}

void plain_scores(Cuts& cuts, std::size_t size, double w) {
  for (std::size_t j = 0; j < size; ++j) {
    cuts.low[j] = static_cast<double>(cuts.left[j]) / cuts.weight[j];
    cuts.high[j] = static_cast<double>(cuts.right[j]) / (w - cuts.weight[j]);
    cuts.score[j] = cuts.low[j] + cuts.high[j];
  }
}

// By how much a row of class k may raise the sum of its side: slope * count + rest, at least 0.
struct Slope {
  double slope, rest;
  Slope(double quotient, double weight, double most)
      : slope(weight > 0 ? 2 / weight : 0), rest(weight > 0 ? (most - quotient) / weight : 1) {}
};

double plain_bound(const BinSides& bin) {
  const auto most = static_cast<double>(*std::max_element(bin.counts, bin.counts + bin.lanes));
  const Slope left(bin.low, bin.below, most), right(bin.high, bin.beyond, most);
  double rise = 0;
  for (Index k = 0; k < bin.lanes; ++k) {
    const std::int32_t c = bin.counts[k], l = bin.before[k], r = bin.total[k] - l - c;
    rise += c * std::max({0.0, left.slope * l + left.rest, right.slope * r + right.rest});
  }
  return (bin.low + bin.high + std::min(rise, 2 * most)) * (1 + 1e-12);
}

#ifdef WIDEMARGIN_X86
AVX2_INLINE __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

AVX2_INLINE void store_sums(std::int32_t* to, const __m256i* v) {
  const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(v[0], v[1]), _mm256_hadd_epi32(v[2], v[3]));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
}

// First the bins that are not empty, without a branch that could not be foreseen; then four of them at a time.
template <int V>
AVX2 void avx2_walk(const std::uint16_t* counts, Index bins, const std::uint16_t* total, Cuts& cuts,
                    std::uint16_t* before) {
  std::uint32_t* at = cuts.at.data();
  const auto* from = reinterpret_cast<const __m256i*>(counts);
  Index size = 0;
  for (Index b = 0; b < bins; ++b) {
    __m256i any = load(from + b * V);
    if (V > 1) any = _mm256_or_si256(any, load(from + b * V + V - 1));
    at[size] = static_cast<std::uint32_t>(b);
    size += !_mm256_testz_si256(any, any);
  }
  __m256i l[V], t[V];
  for (int v = 0; v < V; ++v) l[v] = _mm256_setzero_si256(), t[v] = load(reinterpret_cast<const __m256i*>(total) + v);
  const __m256i ones = _mm256_set1_epi16(1);
  for (Index j = 0; j < size; j += 4) {
    __m256i left[4], right[4], weight[4];
    for (Index i = 0; i < 4; ++i) {
      left[i] = right[i] = weight[i] = _mm256_setzero_si256();
      if (j + i >= size) continue;
      const Index bin = static_cast<Index>(at[j + i]) * V;
      for (int v = 0; v < V; ++v) {
        if (before) _mm256_storeu_si256(reinterpret_cast<__m256i*>(before) + bin + v, l[v]);
        l[v] = _mm256_add_epi16(l[v], load(from + bin + v));
        const __m256i r = _mm256_sub_epi16(t[v], l[v]);
        left[i] = _mm256_add_epi32(left[i], _mm256_madd_epi16(l[v], l[v]));
        right[i] = _mm256_add_epi32(right[i], _mm256_madd_epi16(r, r));
        weight[i] = _mm256_add_epi32(weight[i], _mm256_madd_epi16(l[v], ones));
      }
    }
    store_sums(cuts.left.data() + j, left);
    store_sums(cuts.right.data() + j, right);
    store_sums(cuts.weight.data() + j, weight);
  }
  cuts.size = size;
}

// What stands behind the cuts has nothing on the right: 0/0, which no maximum takes.
AVX2 double avx2_scores(Cuts& cuts, Index size, double w) {
  for (auto j = static_cast<std::size_t>(size); j < static_cast<std::size_t>(size) + 4; ++j)
    cuts.left[j] = cuts.right[j] = 0, cuts.weight[j] = static_cast<std::int32_t>(w);
  const __m256d all = _mm256_set1_pd(w);
  __m256d most = _mm256_set1_pd(-1);
  for (Index j = 0; j < size; j += 4) {
    const auto load = [&](const std::vector<std::int32_t>& a) __attribute__((target("avx2"))) {
      return _mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + j)));
    };
    const __m256d n = load(cuts.weight), low = _mm256_div_pd(load(cuts.left), n),
                  high = _mm256_div_pd(load(cuts.right), _mm256_sub_pd(all, n)), s = _mm256_add_pd(low, high);
    _mm256_storeu_pd(cuts.low.data() + j, low);
    _mm256_storeu_pd(cuts.high.data() + j, high);
    _mm256_storeu_pd(cuts.score.data() + j, s);
    most = _mm256_max_pd(s, most);
  }
  const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(most), _mm256_extractf128_pd(most, 1));
  return std::max(_mm_cvtsd_f64(two), _mm_cvtsd_f64(_mm_unpackhi_pd(two, two)));
}

AVX2_INLINE float sum_of(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

AVX2_INLINE __m256 floats(const std::uint16_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}

AVX2_INLINE __m256 all(double v) { return _mm256_set1_ps(static_cast<float>(v)); }

// In float32; what its rounding may cost is added.
AVX2 double avx2_bound(const BinSides& bin) {
  __m128i most = _mm_setzero_si128();
  for (Index k = 0; k < bin.lanes; k += 8)
    most = _mm_max_epu16(most, _mm_loadu_si128(reinterpret_cast<const __m128i*>(bin.counts + k)));
  const int least = _mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(most, _mm_set1_epi32(-1)))) & 65535;
  const double top = 65535 - least;
  const Slope left(bin.low, bin.below, top), right(bin.high, bin.beyond, top);
  const __m256 left_slope = all(left.slope), left_rest = all(left.rest), right_slope = all(right.slope),
               right_rest = all(right.rest);
  __m256 rise = _mm256_setzero_ps();
  for (Index k = 0; k < bin.lanes; k += 8) {
    const __m256 c = floats(bin.counts + k), l = floats(bin.before + k),
                 r = _mm256_sub_ps(_mm256_sub_ps(floats(bin.total + k), l), c);
    const __m256 up = _mm256_add_ps(_mm256_mul_ps(l, left_slope), left_rest),
                 down = _mm256_add_ps(_mm256_mul_ps(r, right_slope), right_rest);
    rise = _mm256_add_ps(rise, _mm256_mul_ps(c, _mm256_max_ps(_mm256_setzero_ps(), _mm256_max_ps(up, down))));
  }
  return (bin.low + bin.high + std::min<double>(sum_of(rise) + 4e-6 * bin.own, 2 * top)) * (1 + 1e-12);
}

bool vectors() { return simd::level() != simd::Level::scalar; }
#endif

}  // namespace

void walk_bins(const std::uint16_t* counts, Index bins, Index lanes, const std::uint16_t* total, Cuts& cuts,
               std::uint16_t* before) {
  if (lanes == 2) return walk_two(counts, bins, total, cuts, before);
#ifdef WIDEMARGIN_X86
  if (vectors())
    return lanes == 16 ? avx2_walk<1>(counts, bins, total, cuts, before)
                       : avx2_walk<2>(counts, bins, total, cuts, before);
#endif
  plain_walk(counts, bins, lanes, total, cuts, before);
}

Index best_gini(Cuts& cuts, std::int32_t w) {
  const Index size = cuts.size - 1;
  if (size < 1) return -1;
  const double* s = cuts.score.data();
#ifdef WIDEMARGIN_X86
  if (vectors()) {
    const double most = avx2_scores(cuts, size, w);
    return std::find(s, s + size, most) - s;
  }
#endif
  plain_scores(cuts, static_cast<std::size_t>(size), w);
  return std::max_element(s, s + size) - s;
}

double inner_bound(const BinSides& bin) {
#ifdef WIDEMARGIN_X86
  if (vectors() && bin.lanes > 2) return avx2_bound(bin);
#endif
  return plain_bound(bin);
}

}  // namespace widemargin
