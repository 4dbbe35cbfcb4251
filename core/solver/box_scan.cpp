#include "solver/box_scan.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#define AVX2 __attribute__((target("avx2")))
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Index lanes = 8;

// The sum over free variables is eight sums that are added up in order, whatever the instructions.
INLINE Extremes extremes_of(const BoxView& v) {
  double low[lanes], high[lanes], sum[lanes] = {}, count[lanes] = {};
  std::fill_n(low, lanes, infinite), std::fill_n(high, lanes, -infinite);
  const auto take = [&](Index i, Index e) {
    const double F = v.f[i] - v.t[i];
    const bool can_rise = v.b[i]<v.upper[i], can_fall = v.b[i]> v.lower[i], free = can_rise & can_fall;
    const double up = can_rise ? F : infinite, down = can_fall ? F : -infinite;
    low[e] = up < low[e] ? up : low[e];
    high[e] = down > high[e] ? down : high[e];
    sum[e] += free ? F : 0.0;
    count[e] += free ? 1.0 : 0.0;
  };
  Index i = 0;
  for (; i + lanes <= v.n; i += lanes)
    for (Index e = 0; e < lanes; ++e) take(i + e, e);
  for (; i < v.n; ++i) take(i, 0);
  Extremes found;
  found.least = *std::min_element(low, low + lanes), found.most = *std::max_element(high, high + lanes);
  for (Index e = 0; e < lanes; ++e) found.free_sum += sum[e], found.free += static_cast<Index>(count[e]);
  return found;
}

INLINE void violations_of(const BoxView& v, double least, double most, std::uint16_t* up, std::uint16_t* down) {
  const double scale = (bins - 1) / (most - least);
  for (Index i = 0; i < v.n; ++i) {
    const double F = v.f[i] - v.t[i];
    const bool rises = (v.b[i] < v.upper[i]) & (F < most), falls = (v.b[i] > v.lower[i]) & (F > least);
    const double from_least = rises ? (F - least) * scale : double{bins};
    const double from_most = falls ? (most - F) * scale : double{bins};
    up[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(from_least));
    down[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>(from_most));
  }
}

#ifdef WIDEMARGIN_X86
AVX2 Extremes avx2_extremes(const BoxView& v) { return extremes_of(v); }
AVX2 void avx2_violations(const BoxView& v, double least, double most, std::uint16_t* up, std::uint16_t* down) {
  violations_of(v, least, most, up, down);
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
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_extremes(v);
#endif
  return extremes_of(v);
}

void violations(const BoxView& v, const Extremes& e, std::uint16_t* up, std::uint16_t* down) {
  if (!(e.most > e.least) || e.most - e.least == infinite) {
    std::fill_n(up, v.n, static_cast<std::uint16_t>(bins)), std::fill_n(down, v.n, static_cast<std::uint16_t>(bins));
    return;
  }
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_violations(v, e.least, e.most, up, down);
#endif
  violations_of(v, e.least, e.most, up, down);
}

}  // namespace widemargin
