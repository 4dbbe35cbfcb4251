#include "solver/pair_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))
#endif

namespace widemargin {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr double tiny = 1e-12;  // stands in for a curvature that is not positive

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

PairAscent::PairAscent(Index most_variables)
    : most_(most_variables), stride_((most_variables + 3 * lanes) / lanes * lanes) {
  for (auto* v : {&b_, &lower_, &upper_, &F_, &diag_}) v->resize(z(stride_));
  for (auto* v : {&scaled_, &up_, &down_, &diag32_}) v->resize(z(stride_));
  K_.resize(z(stride_ * stride_));
  place_.reserve(z(most_variables));
}

void PairAscent::begin() {
  size_ = end_ = 0;
  place_.clear();
  group_begin_.assign(1, 0);
}

void PairAscent::add(double b, double lower, double upper, double F, double diag) {
  const std::size_t p = z(end_);
  b_[p] = b, lower_[p] = lower, upper_[p] = upper, F_[p] = F, diag_[p] = diag;
  diag32_[p] = static_cast<float>(diag);
  place_.push_back(end_);
  set_room(end_);
  ++end_, ++size_;
}

void PairAscent::end_group() {
  for (; end_ % lanes != 0; ++end_) {
    const std::size_t p = z(end_);
    b_[p] = lower_[p] = upper_[p] = F_[p] = diag_[p] = 0, diag32_[p] = 1;
    up_[p] = infinite, down_[p] = -infinite;
  }
  group_begin_.push_back(end_);
}

void PairAscent::set_room(Index p) {
  up_[z(p)] = b_[z(p)] < upper_[z(p)] ? 0 : infinite;
  down_[z(p)] = b_[z(p)] > lower_[z(p)] ? 0 : -infinite;
}

double PairAscent::rescale() {
  constexpr double none = std::numeric_limits<double>::infinity();
  double unit = 0;
  std::vector<double> middle;
  for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
    double least = none, most = -none;
    for (Index k = group_begin_[g]; k < group_begin_[g + 1]; ++k) {
      if (up_[z(k)] == 0) least = std::min(least, F_[z(k)]);
      if (down_[z(k)] == 0) most = std::max(most, F_[z(k)]);
    }
    const bool both = least < none && most > -none;
    middle.push_back(both ? (least + most) / 2 : 0.0);
    if (both) unit = std::max(unit, most - least);
  }
  if (!(unit > 0)) return 0;
  constexpr double far = 1e30;  // what lies further out is no candidate
  for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g)
    for (Index k = group_begin_[g]; k < group_begin_[g + 1]; ++k)
      scaled_[z(k)] = static_cast<float>(std::clamp((F_[z(k)] - middle[g]) / unit, -far, far));
  return unit;
}

Index PairAscent::run(double epsilon, Index most) {
  const double unit = rescale();
  if (!(unit > epsilon)) return 0;
  const float close = static_cast<float>(std::max(epsilon / unit, finest));
  Index i = 0, j = 0, steps = 0;
  for (float s = 0; steps < most; ++steps) {
    Pair best;
    for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
      const Index begin = group_begin_[g], end = group_begin_[g + 1];
      const Choice c = shift(i, j, s, begin, end);
      if (c.i < 0 || !(c.down - c.up > close)) continue;
      const Pair pair = partner(c.i, begin, end);
      if (pair.j >= 0 && pair.gain > best.gain) best = pair;
    }
    if (best.i < 0) break;
    i = best.i, j = best.j;
    const std::size_t p = z(i), q = z(j);
    const double curvature = diag_[p] + diag_[q] - 2.0 * K_[p * z(stride_) + q];
    const double whole = unit * (scaled_[q] - scaled_[p]) / (curvature > tiny ? curvature : tiny);
    const double step = std::min({whole, upper_[p] - b_[p], b_[q] - lower_[q]});
    b_[p] = step == upper_[p] - b_[p] ? upper_[p] : b_[p] + step;
    b_[q] = step == b_[q] - lower_[q] ? lower_[q] : b_[q] - step;
    set_room(i);
    set_room(j);
    s = static_cast<float>(step / unit);
  }
  return steps;
}

#ifdef WIDEMARGIN_X86
namespace {

AVX2 inline float least_of(__m256 value) {
  __m128 four = _mm_min_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
  four = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(four, _mm_movehdup_ps(four)));
}

AVX2 inline std::uint32_t least_of(__m256i value) {
  __m128i four = _mm_min_epu32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
  four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_min_epu32(four, _mm_shuffle_epi32(four, 0xb1))));
}

// The least of 8 lanes and the first place that has it; -1, no place, is the last of unsigned numbers.
AVX2 inline void first_of(__m256 value, __m256i place, float& least, Index& at) {
  const float found = least_of(value);
  const __m256 other = _mm256_cmp_ps(value, _mm256_set1_ps(found), _CMP_NEQ_UQ);
  const std::uint32_t first = least_of(_mm256_or_si256(place, _mm256_castps_si256(other)));
  if (first != 0xffffffffu) least = found, at = static_cast<Index>(first);
}

AVX2 void avx2_shift(float* F, const float* up, const float* down, const float* Ki, const float* Kj, float s, Index n,
                     Index& at, float& least, float& most) {
  const __m256 by = _mm256_set1_ps(s);
  const __m256i step = _mm256_set1_epi32(8);
  __m256 low = _mm256_set1_ps(infinite), high = _mm256_set1_ps(-infinite);
  __m256i place = _mm256_set1_epi32(-1), now = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (Index k = 0; k < n; k += 8, now = _mm256_add_epi32(now, step)) {
    const __m256 f =
        _mm256_fmadd_ps(by, _mm256_sub_ps(_mm256_loadu_ps(Ki + k), _mm256_loadu_ps(Kj + k)), _mm256_loadu_ps(F + k));
    _mm256_storeu_ps(F + k, f);
    const __m256 v = _mm256_add_ps(f, _mm256_loadu_ps(up + k));
    high = _mm256_max_ps(high, _mm256_add_ps(f, _mm256_loadu_ps(down + k)));
    const __m256 less = _mm256_cmp_ps(v, low, _CMP_LT_OQ);
    low = _mm256_min_ps(low, v);
    place = _mm256_blendv_epi8(place, now, _mm256_castps_si256(less));
  }
  most = -least_of(_mm256_sub_ps(_mm256_setzero_ps(), high));
  first_of(low, place, least, at);
}

// Minus the gain, so that the best is the least. The inverse of the curvature is good to 11 bits: enough to choose by.
AVX2 void avx2_partner(const float* F, const float* down, const float* K, const float* diag, float Fi, float Kii,
                       Index n, Index& at, float& least) {
  const __m256 fi = _mm256_set1_ps(Fi), kii = _mm256_set1_ps(Kii), two = _mm256_set1_ps(2), zero = _mm256_setzero_ps(),
               least_q = _mm256_set1_ps(static_cast<float>(tiny));
  const __m256i step = _mm256_set1_epi32(8);
  __m256 best = zero;
  __m256i place = _mm256_set1_epi32(-1), now = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (Index k = 0; k < n; k += 8, now = _mm256_add_epi32(now, step)) {
    __m256 d = _mm256_sub_ps(_mm256_add_ps(_mm256_loadu_ps(F + k), _mm256_loadu_ps(down + k)), fi);
    d = _mm256_max_ps(d, zero);
    __m256 q = _mm256_fnmadd_ps(two, _mm256_loadu_ps(K + k), _mm256_add_ps(kii, _mm256_loadu_ps(diag + k)));
    q = _mm256_max_ps(q, least_q);
    const __m256 v = _mm256_mul_ps(_mm256_mul_ps(d, d), _mm256_sub_ps(zero, _mm256_rcp_ps(q)));
    const __m256 less = _mm256_cmp_ps(v, best, _CMP_LT_OQ);
    best = _mm256_min_ps(best, v);
    place = _mm256_blendv_epi8(place, now, _mm256_castps_si256(less));
  }
  first_of(best, place, least, at);
}

// The halves by functions that name what they leave out, since GCC 12's own header draws warnings with the others.
AVX512 inline float least_of(__m512 value) {
  const __m512d v = _mm512_castps_pd(value);
  return least_of(_mm256_min_ps(_mm256_castpd_ps(_mm512_maskz_extractf64x4_pd(0xff, v, 0)),
                                _mm256_castpd_ps(_mm512_maskz_extractf64x4_pd(0xff, v, 1))));
}

AVX512 inline std::uint32_t least_of(__m512i v) {
  return least_of(
      _mm256_min_epu32(_mm512_maskz_extracti64x4_epi64(0xff, v, 0), _mm512_maskz_extracti64x4_epi64(0xff, v, 1)));
}

// The least of each lane and where it came first. Every second vector has an accumulator of its own, so that the steps
// of one need not wait for those of the other.
struct Least16 {
  __m512 value;
  __m512i place;
  AVX512 void look(__m512 v, __m512i now) {
    const __mmask16 less = _mm512_cmp_ps_mask(v, value, _CMP_LT_OQ);
    value = _mm512_mask_mov_ps(value, less, v);
    place = _mm512_mask_mov_epi32(place, less, now);
  }
};

// The least of all lanes and the first place that has it; -1, no place, is the last of unsigned numbers.
AVX512 inline void first_of(const Least16& a, const Least16& b, float& least, Index& at) {
  const float found = least_of(_mm512_maskz_min_ps(0xffff, a.value, b.value));
  const __m512 all = _mm512_set1_ps(found);
  const __m512i none = _mm512_set1_epi32(-1);
  const __m512i of_a = _mm512_mask_mov_epi32(none, _mm512_cmp_ps_mask(a.value, all, _CMP_EQ_OQ), a.place);
  const __m512i of_b = _mm512_mask_mov_epi32(none, _mm512_cmp_ps_mask(b.value, all, _CMP_EQ_OQ), b.place);
  const std::uint32_t first = least_of(_mm512_maskz_min_epu32(0xffff, of_a, of_b));
  if (first != 0xffffffffu) least = found, at = static_cast<Index>(first);
}

AVX512 void avx512_shift(float* F, const float* up, const float* down, const float* Ki, const float* Kj, float s,
                         Index n, Index& at, float& least, float& most) {
  const __m512 by = _mm512_set1_ps(s);
  const __m512i step = _mm512_set1_epi32(16);
  __m512i now = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  Least16 a{_mm512_set1_ps(infinite), _mm512_set1_epi32(-1)}, b = a;
  __m512 high = _mm512_set1_ps(-infinite);
  const auto sixteen = [&](Index k, Least16& low) __attribute__((target("avx512f,avx2,fma"), always_inline)) {
    const __m512 f =
        _mm512_fmadd_ps(by, _mm512_sub_ps(_mm512_loadu_ps(Ki + k), _mm512_loadu_ps(Kj + k)), _mm512_loadu_ps(F + k));
    _mm512_storeu_ps(F + k, f);
    high = _mm512_maskz_max_ps(0xffff, high, _mm512_add_ps(f, _mm512_loadu_ps(down + k)));
    low.look(_mm512_add_ps(f, _mm512_loadu_ps(up + k)), now);
    now = _mm512_add_epi32(now, step);
  };
  Index k = 0;
  for (; k + 32 <= n; k += 32) sixteen(k, a), sixteen(k + 16, b);
  if (k < n) sixteen(k, a);
  most = -least_of(_mm512_sub_ps(_mm512_setzero_ps(), high));
  first_of(a, b, least, at);
}

AVX512 void avx512_partner(const float* F, const float* down, const float* K, const float* diag, float Fi, float Kii,
                           Index n, Index& at, float& least) {
  const __m512 fi = _mm512_set1_ps(Fi), kii = _mm512_set1_ps(Kii), two = _mm512_set1_ps(2), zero = _mm512_setzero_ps(),
               least_q = _mm512_set1_ps(static_cast<float>(tiny));
  const __m512i step = _mm512_set1_epi32(16);
  __m512i now = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  Least16 a{zero, _mm512_set1_epi32(-1)}, b = a;
  const auto sixteen = [&](Index k, Least16& best) __attribute__((target("avx512f,avx2,fma"), always_inline)) {
    __m512 d = _mm512_sub_ps(_mm512_add_ps(_mm512_loadu_ps(F + k), _mm512_loadu_ps(down + k)), fi);
    d = _mm512_maskz_max_ps(0xffff, d, zero);
    __m512 q = _mm512_fnmadd_ps(two, _mm512_loadu_ps(K + k), _mm512_add_ps(kii, _mm512_loadu_ps(diag + k)));
    q = _mm512_maskz_max_ps(0xffff, q, least_q);
    best.look(_mm512_mul_ps(_mm512_mul_ps(d, d), _mm512_sub_ps(zero, _mm512_maskz_rcp14_ps(0xffff, q))), now);
    now = _mm512_add_epi32(now, step);
  };
  Index k = 0;
  for (; k + 32 <= n; k += 32) sixteen(k, a), sixteen(k + 16, b);
  if (k < n) sixteen(k, a);
  first_of(a, b, least, at);
}

}  // namespace
#endif

PairAscent::Choice PairAscent::shift(Index i, Index j, float s, Index begin, Index end) {
  const float *Ki = K_.data() + i * stride_ + begin, *Kj = K_.data() + j * stride_ + begin;
  float *F = scaled_.data() + begin, least = infinite, most = -infinite;
  const float *up = up_.data() + begin, *down = down_.data() + begin;
  const Index n = end - begin;
  Index at = -1;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) {
    (simd::level() == simd::Level::avx512 ? avx512_shift : avx2_shift)(F, up, down, Ki, Kj, s, n, at, least, most);
    return {at < 0 ? -1 : begin + at, least, most};
  }
#endif
  for (Index k = 0; k < n; ++k) {
    F[k] += s * (Ki[k] - Kj[k]);
    if (F[k] + up[k] < least) least = F[k] + up[k], at = k;
    most = std::max(most, F[k] + down[k]);
  }
  return {at < 0 ? -1 : begin + at, least, most};
}

PairAscent::Pair PairAscent::partner(Index i, Index begin, Index end) const {
  const float *K = K_.data() + i * stride_ + begin, *F = scaled_.data() + begin, *down = down_.data() + begin,
              *diag = diag32_.data() + begin;
  const Index n = end - begin;
  const float Fi = scaled_[z(i)], Kii = diag32_[z(i)];
  Index at = -1;
  float least = 0;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) {
    (simd::level() == simd::Level::avx512 ? avx512_partner : avx2_partner)(F, down, K, diag, Fi, Kii, n, at, least);
    return {i, at < 0 ? -1 : begin + at, -least};
  }
#endif
  for (Index k = 0; k < n; ++k) {
    const float d = std::max(F[k] + down[k] - Fi, 0.0f);
    const float v = -d * d / std::max(Kii + diag[k] - 2 * K[k], static_cast<float>(tiny));
    if (v < least) least = v, at = k;
  }
  return {i, at < 0 ? -1 : begin + at, -least};
}

}  // namespace widemargin
