#include "solver/pair_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tiny = 1e-12;  // stands in for a curvature that is not positive
constexpr Index lanes = 8;      // groups begin at multiples of it

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

PairAscent::PairAscent(Index most_variables)
    : most_(most_variables), stride_((most_variables + 4 * lanes) / lanes * lanes) {
  for (auto* v : {&b_, &lower_, &upper_, &F_, &diag_, &up_, &down_}) v->resize(z(stride_));
  diag32_.resize(z(stride_));
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

Index PairAscent::run(double epsilon, Index most) {
  Index steps = 0;
  for (; steps < most; ++steps) {
    Index best_i = -1, best_j = -1;
    double best_gain = 0;
    for (std::size_t g = 0; g + 1 < group_begin_.size(); ++g) {
      const Index begin = group_begin_[g], end = group_begin_[g + 1];
      const Choice c = extremes(begin, end);
      if (c.i < 0 || !(c.down - c.up > epsilon)) continue;
      double gain = 0;
      const Index j = partner(c.i, begin, end, gain);
      if (j >= 0 && gain > best_gain) best_i = c.i, best_j = j, best_gain = gain;
    }
    if (best_i < 0) break;
    const std::size_t i = z(best_i), j = z(best_j);
    const double q = diag_[i] + diag_[j] - 2.0 * K_[i * z(stride_) + j];
    const double whole = (F_[j] - F_[i]) / (q > tiny ? q : tiny);
    const double step = std::min({whole, upper_[i] - b_[i], b_[j] - lower_[j]});
    b_[i] = step == upper_[i] - b_[i] ? upper_[i] : b_[i] + step;
    b_[j] = step == b_[j] - lower_[j] ? lower_[j] : b_[j] - step;
    set_room(best_i);
    set_room(best_j);
    shift(best_i, best_j, step);
  }
  return steps;
}

#ifdef WIDEMARGIN_X86
namespace {

struct Extreme {
  double value;
  Index at;
};

AVX2 Extreme least(const double* F, const double* add, Index begin, Index end, double& largest, const double* take) {
  const __m256d step = _mm256_set1_pd(4);
  __m256d low = _mm256_set1_pd(infinite), high = _mm256_set1_pd(-infinite);
  __m256d at = _mm256_set1_pd(-1), now = _mm256_setr_pd(0, 1, 2, 3);
  for (Index k = begin; k < end; k += 4, now = _mm256_add_pd(now, step)) {
    const __m256d f = _mm256_loadu_pd(F + k), v = _mm256_add_pd(f, _mm256_loadu_pd(add + k));
    high = _mm256_max_pd(high, _mm256_add_pd(f, _mm256_loadu_pd(take + k)));
    const __m256d smaller = _mm256_cmp_pd(v, low, _CMP_LT_OQ);
    low = _mm256_blendv_pd(low, v, smaller);
    at = _mm256_blendv_pd(at, now, smaller);
  }
  alignas(32) double v[4], w[4], h[4];
  _mm256_store_pd(v, low);
  _mm256_store_pd(w, at);
  _mm256_store_pd(h, high);
  Extreme best{infinite, -1};
  for (int e = 0; e < 4; ++e) {
    if (v[e] < best.value || (v[e] == best.value && w[e] >= 0 && w[e] < static_cast<double>(best.at)))
      best = {v[e], static_cast<Index>(w[e])};
    largest = std::max(largest, h[e]);
  }
  if (best.at >= 0) best.at += begin;
  return best;
}

AVX2 Index avx2_partner(const double* F, const double* down, const float* K, const float* diag, double Fi, float Kii,
                        Index begin, Index end, double& gain) {
  const __m256d fi = _mm256_set1_pd(Fi);
  const __m256 kii = _mm256_set1_ps(Kii), two = _mm256_set1_ps(2), zero = _mm256_setzero_ps(),
               least_q = _mm256_set1_ps(static_cast<float>(tiny));
  __m256 best = zero;
  __m256i at = _mm256_set1_epi32(-1), now = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i step = _mm256_set1_epi32(8);
  for (Index k = begin; k < end; k += 8, now = _mm256_add_epi32(now, step)) {
    const __m256d a = _mm256_sub_pd(_mm256_add_pd(_mm256_loadu_pd(F + k), _mm256_loadu_pd(down + k)), fi);
    const __m256d b = _mm256_sub_pd(_mm256_add_pd(_mm256_loadu_pd(F + k + 4), _mm256_loadu_pd(down + k + 4)), fi);
    __m256 d = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
    d = _mm256_max_ps(d, zero);
    __m256 q = _mm256_fnmadd_ps(two, _mm256_loadu_ps(K + k), _mm256_add_ps(kii, _mm256_loadu_ps(diag + k)));
    q = _mm256_max_ps(q, least_q);
    const __m256 v = _mm256_div_ps(_mm256_mul_ps(d, d), q);
    const __m256 larger = _mm256_cmp_ps(v, best, _CMP_GT_OQ);
    best = _mm256_blendv_ps(best, v, larger);
    at = _mm256_blendv_epi8(at, now, _mm256_castps_si256(larger));
  }
  alignas(32) float v[8];
  alignas(32) std::int32_t w[8];
  _mm256_store_ps(v, best);
  _mm256_store_si256(reinterpret_cast<__m256i*>(w), at);
  float most = 0;
  Index j = -1;
  for (int e = 0; e < 8; ++e)
    if (v[e] > most || (v[e] == most && j >= 0 && w[e] >= 0 && w[e] < j)) most = v[e], j = w[e];
  gain = most;
  return j < 0 ? -1 : begin + j;
}

AVX2 void avx2_shift(double* F, const float* Ki, const float* Kj, double s, Index end) {
  const __m256d step = _mm256_set1_pd(s);
  for (Index k = 0; k < end; k += 4) {
    const __m256d d = _mm256_cvtps_pd(_mm_sub_ps(_mm_loadu_ps(Ki + k), _mm_loadu_ps(Kj + k)));
    _mm256_storeu_pd(F + k, _mm256_fmadd_pd(step, d, _mm256_loadu_pd(F + k)));
  }
}

}  // namespace
#endif

PairAscent::Choice PairAscent::extremes(Index begin, Index end) const {
  Choice c;
  c.up = infinite, c.down = -infinite;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) {
    const Extreme e = least(F_.data(), up_.data(), begin, end, c.down, down_.data());
    c.i = e.at, c.up = e.value;
    return c;
  }
#endif
  for (Index k = begin; k < end; ++k) {
    const double up = F_[z(k)] + up_[z(k)];
    if (up < c.up) c.up = up, c.i = k;
    c.down = std::max(c.down, F_[z(k)] + down_[z(k)]);
  }
  return c;
}

Index PairAscent::partner(Index i, Index begin, Index end, double& gain) const {
  const float* K = K_.data() + i * stride_;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2)
    return avx2_partner(F_.data(), down_.data(), K, diag32_.data(), F_[z(i)], diag32_[z(i)], begin, end, gain);
#endif
  Index best = -1;
  float most = 0;
  for (Index k = begin; k < end; ++k) {
    const float d = static_cast<float>(F_[z(k)] + down_[z(k)] - F_[z(i)]);
    if (!(d > 0)) continue;
    const float q = std::max(diag32_[z(i)] + diag32_[z(k)] - 2 * K[k], static_cast<float>(tiny));
    if (d * d / q > most) most = d * d / q, best = k;
  }
  gain = most;
  return best;
}

void PairAscent::shift(Index i, Index j, double s) {
  const float *Ki = K_.data() + i * stride_, *Kj = K_.data() + j * stride_;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_shift(F_.data(), Ki, Kj, s, end_);
#endif
  for (Index k = 0; k < end_; ++k) F_[z(k)] += s * (Ki[k] - Kj[k]);
}

}  // namespace widemargin
