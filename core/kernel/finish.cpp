#include "kernel/finish.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "base/simd.hpp"

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
float plain_exp2(float t) {
  const float shifted = t + Single::magic, r = t - (shifted - Single::magic);
  float p = exp2_5[0];
  for (std::size_t k = 1; k < std::size(exp2_5); ++k) p = p * r + exp2_5[k];
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(shifted) << 23));
}

// 2^t for t <= 0, 0 below the range of normal numbers.
double plain_exp2(double t) {
  if (!(t >= least_power)) return t < 0 ? 0.0 : t;  // NaN stays NaN
  const double shifted = t + Double::magic, r = t - (shifted - Double::magic);
  double p = exp2_11[0];
  for (std::size_t k = 1; k < std::size(exp2_11); ++k) p = p * r + exp2_11[k];
  return p * Double::power(shifted);
}

// NaN survives so that callers see it.
void plain_rbf(float* k, Index n, float two_gamma, float ga, const float* gb) {
  for (Index b = 0; b < n; ++b) {
    float t = two_gamma * k[b] - (ga + gb[b]);
    t = t > 0 ? 0.f : t;
    k[b] = t != t ? t : plain_exp2(t < -126.f ? -126.f : t);
  }
}
void plain_rbf(double* k, Index n, double two_gamma, double ga, const double* gb) {
  for (Index b = 0; b < n; ++b) {
    const double t = two_gamma * k[b] - (ga + gb[b]);
    k[b] = plain_exp2(t > 0 ? 0.0 : t);
  }
}

template <class T>
void plain_exp_all(T* x, Index n) {
  for (Index i = 0; i < n; ++i) x[i] = plain_exp(x[i]);
}

// Numerator (times x) and denominator of the seventh convergent, in powers of x^2, highest first.
constexpr double tanh_top[] = {1, 378, 17325, 135135}, tanh_bottom[] = {28, 3150, 62370, 135135};
constexpr double tanh_small = 0.35;

template <class T>
T plain_tanh(T x) {
  const T size = std::abs(x);
  if (size < static_cast<T>(tanh_small)) {
    const T z = x * x;
    T top = static_cast<T>(tanh_top[0]), bottom = static_cast<T>(tanh_bottom[0]);
    for (int k = 1; k < 4; ++k) {
      top = top * z + static_cast<T>(tanh_top[k]);
      bottom = bottom * z + static_cast<T>(tanh_bottom[k]);
    }
    return x * top / bottom;
  }
  const T e = plain_exp(-2 * size);
  return std::copysign((1 - e) / (1 + e), x);
}

template <class T>
void plain_tanh_all(T* x, Index n) {
  for (Index i = 0; i < n; ++i) x[i] = plain_tanh(x[i]);
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

AVX2 void avx2_rbf(float* k, Index n, float two_gamma, float ga, const float* gb) {
  const __m256 g = _mm256_set1_ps(two_gamma), a = _mm256_set1_ps(ga), zero = _mm256_setzero_ps();
  Index b = 0;
  for (; b + 8 <= n; b += 8) {
    const __m256 norms = _mm256_add_ps(a, _mm256_loadu_ps(gb + b));
    // min keeps its second operand when one is NaN: NaN must survive so that callers see it.
    __m256 t = _mm256_min_ps(zero, _mm256_fmsub_ps(g, _mm256_loadu_ps(k + b), norms));
    t = _mm256_max_ps(_mm256_set1_ps(-126), t);
    _mm256_storeu_ps(k + b, _mm256_blendv_ps(vector_exp2(t), t, _mm256_cmp_ps(t, t, _CMP_UNORD_Q)));
  }
  if (b == n) return;
  float rest[8] = {}, norms[8] = {};  // the same instructions for the last few: a value must not depend on its place
  std::copy_n(k + b, n - b, rest);
  std::copy_n(gb + b, n - b, norms);
  avx2_rbf(rest, 8, two_gamma, ga, norms);
  std::copy_n(rest, n - b, k + b);
}

AVX2 void avx2_rbf(double* k, Index n, double two_gamma, double ga, const double* gb) {
  const __m256d g = _mm256_set1_pd(two_gamma), a = _mm256_set1_pd(ga), zero = _mm256_setzero_pd();
  Index b = 0;
  for (; b + 4 <= n; b += 4) {
    const __m256d norms = _mm256_add_pd(a, _mm256_loadu_pd(gb + b));
    const __m256d t = _mm256_min_pd(zero, _mm256_fmsub_pd(g, _mm256_loadu_pd(k + b), norms));
    _mm256_storeu_pd(k + b, vector_exp2(t));
  }
  if (b == n) return;
  double rest[4] = {}, norms[4] = {};
  std::copy_n(k + b, n - b, rest);
  std::copy_n(gb + b, n - b, norms);
  avx2_rbf(rest, 4, two_gamma, ga, norms);
  std::copy_n(rest, n - b, k + b);
}

AVX2 void avx2_exp_all(float* x, Index n) {
  Index i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(x + i, vector_exp(_mm256_loadu_ps(x + i)));
  plain_exp_all(x + i, n - i);
}

AVX2 void avx2_exp_all(double* x, Index n) {
  Index i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(x + i, vector_exp(_mm256_loadu_pd(x + i)));
  plain_exp_all(x + i, n - i);
}

AVX2 inline __m256 vector_tanh(__m256 x) {
  const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f)), size = _mm256_xor_ps(x, sign), one = _mm256_set1_ps(1);
  const __m256 z = _mm256_mul_ps(x, x);
  __m256 top = _mm256_set1_ps(tanh_top[0]), bottom = _mm256_set1_ps(tanh_bottom[0]);
  for (int k = 1; k < 4; ++k) {
    top = _mm256_fmadd_ps(top, z, _mm256_set1_ps(static_cast<float>(tanh_top[k])));
    bottom = _mm256_fmadd_ps(bottom, z, _mm256_set1_ps(static_cast<float>(tanh_bottom[k])));
  }
  const __m256 e = vector_exp(_mm256_mul_ps(size, _mm256_set1_ps(-2)));
  const __m256 large = _mm256_div_ps(_mm256_sub_ps(one, e), _mm256_add_ps(one, e));
  const __m256 small = _mm256_div_ps(_mm256_mul_ps(size, top), bottom);
  const __m256 is_small = _mm256_cmp_ps(size, _mm256_set1_ps(static_cast<float>(tanh_small)), _CMP_LT_OQ);
  return _mm256_or_ps(_mm256_blendv_ps(large, small, is_small), sign);
}

AVX2 inline __m256d vector_tanh(__m256d x) {
  const __m256d sign = _mm256_and_pd(x, _mm256_set1_pd(-0.0)), size = _mm256_xor_pd(x, sign), one = _mm256_set1_pd(1);
  const __m256d z = _mm256_mul_pd(x, x);
  __m256d top = _mm256_set1_pd(tanh_top[0]), bottom = _mm256_set1_pd(tanh_bottom[0]);
  for (int k = 1; k < 4; ++k) {
    top = _mm256_fmadd_pd(top, z, _mm256_set1_pd(tanh_top[k]));
    bottom = _mm256_fmadd_pd(bottom, z, _mm256_set1_pd(tanh_bottom[k]));
  }
  const __m256d e = vector_exp(_mm256_mul_pd(size, _mm256_set1_pd(-2)));
  const __m256d large = _mm256_div_pd(_mm256_sub_pd(one, e), _mm256_add_pd(one, e));
  const __m256d small = _mm256_div_pd(_mm256_mul_pd(size, top), bottom);
  const __m256d is_small = _mm256_cmp_pd(size, _mm256_set1_pd(tanh_small), _CMP_LT_OQ);
  return _mm256_or_pd(_mm256_blendv_pd(large, small, is_small), sign);
}

AVX2 void avx2_tanh_all(float* x, Index n) {
  Index i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(x + i, vector_tanh(_mm256_loadu_ps(x + i)));
  if (i == n) return;
  float rest[8] = {};
  std::copy_n(x + i, n - i, rest);
  avx2_tanh_all(rest, 8);
  std::copy_n(rest, n - i, x + i);
}

AVX2 void avx2_tanh_all(double* x, Index n) {
  Index i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(x + i, vector_tanh(_mm256_loadu_pd(x + i)));
  if (i == n) return;
  double rest[4] = {};
  std::copy_n(x + i, n - i, rest);
  avx2_tanh_all(rest, 4);
  std::copy_n(rest, n - i, x + i);
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

AVX512 void avx512_rbf(float* k, Index n, float two_gamma, float ga, const float* gb) {
  const __m512 g = _mm512_set1_ps(two_gamma), a = _mm512_set1_ps(ga), zero = _mm512_setzero_ps(),
               low = _mm512_set1_ps(-126);
  const auto value = [&](__m512 product, __m512 norm) AVX512 {
    const __m512 t = _mm512_maskz_min_ps(all16, zero, _mm512_fmsub_ps(g, product, _mm512_add_ps(a, norm)));
    return vector_exp2(_mm512_maskz_max_ps(all16, low, t));
  };
  Index b = 0;
  for (; b + 16 <= n; b += 16) _mm512_storeu_ps(k + b, value(_mm512_loadu_ps(k + b), _mm512_loadu_ps(gb + b)));
  if (b == n) return;
  const __mmask16 rest = static_cast<__mmask16>((1u << (n - b)) - 1);
  _mm512_mask_storeu_ps(k + b, rest, value(_mm512_maskz_loadu_ps(rest, k + b), _mm512_maskz_loadu_ps(rest, gb + b)));
}

AVX512 inline __m512d vector_exp2(__m512d t) {
  const __mmask8 alive = _mm512_cmp_pd_mask(t, _mm512_set1_pd(least_power), _CMP_NLT_UQ);
  const __m512d n = _mm512_maskz_roundscale_pd(alive, t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512d r = _mm512_sub_pd(t, n);
  __m512d p = _mm512_set1_pd(exp2_11[0]);
  for (int k = 1; k < 12; ++k) p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(exp2_11[k]));
  return _mm512_maskz_scalef_pd(alive, p, n);
}

AVX512 void avx512_rbf(double* k, Index n, double two_gamma, double ga, const double* gb) {
  const __m512d g = _mm512_set1_pd(two_gamma), a = _mm512_set1_pd(ga), zero = _mm512_setzero_pd();
  const auto value = [&](__m512d product, __m512d norm) AVX512 {
    return vector_exp2(_mm512_maskz_min_pd(all8, zero, _mm512_fmsub_pd(g, product, _mm512_add_pd(a, norm))));
  };
  Index b = 0;
  for (; b + 8 <= n; b += 8) _mm512_storeu_pd(k + b, value(_mm512_loadu_pd(k + b), _mm512_loadu_pd(gb + b)));
  if (b == n) return;
  const __mmask8 rest = static_cast<__mmask8>((1u << (n - b)) - 1);
  _mm512_mask_storeu_pd(k + b, rest, value(_mm512_maskz_loadu_pd(rest, k + b), _mm512_maskz_loadu_pd(rest, gb + b)));
}

AVX512 void avx512_exp_all(float* x, Index n) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(x + i, vector_exp(_mm512_loadu_ps(x + i)));
  avx2_exp_all(x + i, n - i);
}

#endif

// The widest path that this machine has and the user allows.
template <class T>
void rbf(T* k, Index n, T two_gamma, T ga, const T* gb) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_rbf(k, n, two_gamma, ga, gb);
  if (simd::level() >= simd::Level::avx2) return avx2_rbf(k, n, two_gamma, ga, gb);
#endif
  plain_rbf(k, n, two_gamma, ga, gb);
}

template <class T>
T power(T base, int degree) {
  T result = 1;
  for (; degree > 0; degree >>= 1, base *= base)
    if (degree & 1) result *= base;
  return result;
}

}  // namespace

template <class T>
void finish(const KernelSpec& spec, T* k, Index n, T ga, const T* gb) {
  const T gamma = static_cast<T>(spec.gamma), offset = static_cast<T>(spec.offset);
  const T two_gamma = static_cast<T>(2 * spec.gamma * log2_e);
  switch (spec.kind) {
    case KernelKind::linear:
      for (Index b = 0; b < n; ++b) k[b] *= gamma;
      break;
    case KernelKind::polynomial:
      for (Index b = 0; b < n; ++b) k[b] = power(gamma * k[b] + offset, spec.degree);
      break;
    case KernelKind::rbf:
      rbf(k, n, two_gamma, ga, gb);
      break;
    case KernelKind::tanh:
      for (Index b = 0; b < n; ++b) k[b] = gamma * k[b] + offset;
      tanh_all(k, n);
      break;
  }
}

template <class T>
void exp_nonpositive(T* x, Index n) {
#ifdef WIDEMARGIN_X86
  if constexpr (std::is_same_v<T, float>)
    if (simd::level() == simd::Level::avx512) return avx512_exp_all(x, n);
  if (simd::level() >= simd::Level::avx2) return avx2_exp_all(x, n);
#endif
  plain_exp_all(x, n);
}

template <class T>
void tanh_all(T* x, Index n) {
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_tanh_all(x, n);
#endif
  plain_tanh_all(x, n);
}

template void finish(const KernelSpec&, float*, Index, float, const float*);
template void finish(const KernelSpec&, double*, Index, double, const double*);
template void exp_nonpositive(float*, Index);
template void exp_nonpositive(double*, Index);
template void tanh_all(float*, Index);
template void tanh_all(double*, Index);

}  // namespace widemargin
