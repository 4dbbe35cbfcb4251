// exp and 2^t of one number or of a vector of them, for the loops of finish.cpp and tanh.cpp (see finish.hpp). Included
// by those two alone; everything has internal linkage.
#pragma once

#include <bit>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "kernel/finish.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))
#endif

namespace widemargin {
namespace {

// 1 / k!, highest first.
constexpr float taylor7[] = {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f, 1.f, 1.f};
constexpr double taylor13[] = {
    1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040,
    1. / 720,        1. / 120,       1. / 24,       1. / 6,       0.5,         1.,         1.};

// 2^r for |r| <= 1/2, highest first: the polynomial of degree 5 with value 1 at 0 and the least relative error, 9.2e-8.
constexpr float exp2_5[] = {0x1.5bb994p-10f, 0x1.3cea84p-7f, 0x1.c6b754p-5f, 0x1.ebf9bcp-3f, 0x1.62e42ap-1f, 1.f};
// The same of degree 11, 1.8e-17.
constexpr double exp2_11[] = {0x1.c0638527edf34p-32, 0x1.e605f979c7a5dp-28, 0x1.b54167a0b9061p-24,
                              0x1.62bfd49ed0adfp-20, 0x1.ffcbee3b0af8cp-17, 0x1.4309130961163p-13,
                              0x1.5d87fe7bbbe07p-10, 0x1.3b2ab6fba1e1cp-7,  0x1.c6b08d7048f31p-5,
                              0x1.ebfbdff82c598p-3,  0x1.62e42fefa39f3p-1,  1.};
constexpr double least_power = -1022;

// ln 2 in two pieces: n * high is exact for every n that can occur.
struct Single {
  using T = float;
  static constexpr float least = -87.33f, high = 0x1.62e4p-1f, low = 0x1.7f7d1cf79abcap-20f;
  static constexpr float magic = 0x1.8p23f;  // adding it rounds to an integer and leaves that in the low bits
  static constexpr const auto& taylor = taylor7;
  static float power(float shifted) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127u) << 23);
  }
};
struct Double {
  using T = double;
  static constexpr double least = -708.39, high = 0x1.62e42fefa2p-1, low = 0x1.9ef35793c7673p-41;
  static constexpr double magic = 0x1.8p52;
  static constexpr const auto& taylor = taylor13;
  static double power(double shifted) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52);
  }
};
template <class T>
using Parts = std::conditional_t<std::is_same_v<T, float>, Single, Double>;

template <class T>
T plain_exp(T x) {
  using P = Parts<T>;
  if (!(x >= P::least)) return x < 0 ? T{0} : x;  // NaN stays NaN
  const T shifted = x * static_cast<T>(log2_e) + P::magic, n = shifted - P::magic;
  const T r = (x - n * P::high) - n * P::low;
  T p = P::taylor[0];
  for (std::size_t k = 1; k < std::size(P::taylor); ++k) p = p * r + P::taylor[k];
  return p * P::power(shifted);
}

// 2^t for -126 <= t <= 0, or NaN: t = n + r, |r| <= 1/2, n added to the exponent of the polynomial.
inline float plain_exp2(float t) {
  const float shifted = t + Single::magic, r = t - (shifted - Single::magic);
  float p = exp2_5[0];
  for (std::size_t k = 1; k < std::size(exp2_5); ++k) p = p * r + exp2_5[k];
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(shifted) << 23));
}

// 2^t for t <= 0, 0 below the range of normal numbers.
inline double plain_exp2(double t) {
  if (!(t >= least_power)) return t < 0 ? 0.0 : t;  // NaN stays NaN
  const double shifted = t + Double::magic, r = t - (shifted - Double::magic);
  double p = exp2_11[0];
  for (std::size_t k = 1; k < std::size(exp2_11); ++k) p = p * r + exp2_11[k];
  return p * Double::power(shifted);
}

#ifdef WIDEMARGIN_X86
AVX2 inline __m256 vector_exp2(__m256 t) {
  const __m256 magic = _mm256_set1_ps(Single::magic), shifted = _mm256_add_ps(t, magic);
  const __m256 r = _mm256_sub_ps(t, _mm256_sub_ps(shifted, magic));
  __m256 p = _mm256_set1_ps(exp2_5[0]);
  for (int k = 1; k < 6; ++k) p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(exp2_5[k]));
  return _mm256_castsi256_ps(
      _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_castps_si256(shifted), 23)));
}

AVX2 inline __m256 vector_exp(__m256 x) {
  const __m256 magic = _mm256_set1_ps(Single::magic);
  const __m256 alive = _mm256_cmp_ps(x, _mm256_set1_ps(Single::least), _CMP_NLT_UQ);
  const __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(static_cast<float>(log2_e)), magic);
  const __m256 n = _mm256_sub_ps(shifted, magic);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(Single::high), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(Single::low), r);
  __m256 p = _mm256_set1_ps(taylor7[0]);
  for (int k = 1; k < 8; ++k) p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(taylor7[k]));
  const __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(127)), 23);
  return _mm256_and_ps(_mm256_mul_ps(p, _mm256_castsi256_ps(bits)), alive);
}

AVX2 inline __m256d vector_exp(__m256d x) {
  const __m256d magic = _mm256_set1_pd(Double::magic);
  const __m256d alive = _mm256_cmp_pd(x, _mm256_set1_pd(Double::least), _CMP_NLT_UQ);
  const __m256d shifted = _mm256_fmadd_pd(x, _mm256_set1_pd(log2_e), magic);
  const __m256d n = _mm256_sub_pd(shifted, magic);
  __m256d r = _mm256_fnmadd_pd(n, _mm256_set1_pd(Double::high), x);
  r = _mm256_fnmadd_pd(n, _mm256_set1_pd(Double::low), r);
  __m256d p = _mm256_set1_pd(taylor13[0]);
  for (int k = 1; k < 14; ++k) p = _mm256_fmadd_pd(p, r, _mm256_set1_pd(taylor13[k]));
  const __m256i bits = _mm256_slli_epi64(_mm256_add_epi64(_mm256_castpd_si256(shifted), _mm256_set1_epi64x(1023)), 52);
  return _mm256_and_pd(_mm256_mul_pd(p, _mm256_castsi256_pd(bits)), alive);
}

AVX2 inline __m256d vector_exp2(__m256d t) {
  const __m256d magic = _mm256_set1_pd(Double::magic), shifted = _mm256_add_pd(t, magic);
  const __m256d alive = _mm256_cmp_pd(t, _mm256_set1_pd(least_power), _CMP_NLT_UQ);
  const __m256d r = _mm256_sub_pd(t, _mm256_sub_pd(shifted, magic));
  __m256d p = _mm256_set1_pd(exp2_11[0]);
  for (int k = 1; k < 12; ++k) p = _mm256_fmadd_pd(p, r, _mm256_set1_pd(exp2_11[k]));
  const __m256i bits = _mm256_slli_epi64(_mm256_add_epi64(_mm256_castpd_si256(shifted), _mm256_set1_epi64x(1023)), 52);
  return _mm256_and_pd(_mm256_mul_pd(p, _mm256_castsi256_pd(bits)), alive);
}

// The radial kernel with vectors twice as long; other functions stay with AVX2. The masks of all lanes are there
// because some functions without a mask draw warnings about uninitialised values from GCC 12's own header.
constexpr __mmask16 all16 = 0xffff;
constexpr __mmask8 all8 = 0xff;

AVX512 inline __m512 vector_exp(__m512 x) {
  const __m512 magic = _mm512_set1_ps(Single::magic);
  const __mmask16 alive = _mm512_cmp_ps_mask(x, _mm512_set1_ps(Single::least), _CMP_NLT_UQ);
  const __m512 n = _mm512_sub_ps(_mm512_fmadd_ps(x, _mm512_set1_ps(static_cast<float>(log2_e)), magic), magic);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(Single::high), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(Single::low), r);
  __m512 p = _mm512_set1_ps(taylor7[0]);
  for (int k = 1; k < 8; ++k) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(taylor7[k]));
  return _mm512_maskz_scalef_ps(alive, p, n);
}

AVX512 inline __m512 vector_exp2(__m512 t) {
  const __m512 n = _mm512_maskz_roundscale_ps(all16, t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512 r = _mm512_sub_ps(t, n);
  __m512 p = _mm512_set1_ps(exp2_5[0]);
  for (int k = 1; k < 6; ++k) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(exp2_5[k]));
  return _mm512_maskz_scalef_ps(all16, p, n);
}

AVX512 inline __m512d vector_exp2(__m512d t) {
  const __mmask8 alive = _mm512_cmp_pd_mask(t, _mm512_set1_pd(least_power), _CMP_NLT_UQ);
  const __m512d n = _mm512_maskz_roundscale_pd(alive, t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512d r = _mm512_sub_pd(t, n);
  __m512d p = _mm512_set1_pd(exp2_11[0]);
  for (int k = 1; k < 12; ++k) p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(exp2_11[k]));
  return _mm512_maskz_scalef_pd(alive, p, n);
}
#endif

}  // namespace
}  // namespace widemargin
