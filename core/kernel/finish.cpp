#include "kernel/finish.hpp"

#include <bit>
#include <cmath>
#include <type_traits>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin {
namespace {

constexpr double log2_e = 0x1.71547652b82fep+0;
// 1 / k!, highest first.
constexpr float taylor7[] = {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f, 1.f, 1.f};
constexpr double taylor13[] = {
    1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040,
    1. / 720,        1. / 120,       1. / 24,       1. / 6,       0.5,         1.,         1.};

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

template <class T>
void plain_rbf(T* k, Index n, T two_gamma, T ga, const T* gb) {
  for (Index b = 0; b < n; ++b) {
    const T x = two_gamma * k[b] - (ga + gb[b]);
    k[b] = plain_exp(x > 0 ? T{0} : x);
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

void plain_accumulate(const float* const* rows, const double* step, Index m, Index n, Index from, double* f,
                      double* spread) {
  for (Index b = from; b < n; ++b) {
    double sum = 0, size = 0;
    for (Index a = 0; a < m; ++a) sum += step[a] * rows[a][b], size += std::abs(step[a]) * rows[a][b];
    f[b] += sum;
    if (spread) spread[b] += size;
  }
}

#ifdef WIDEMARGIN_X86
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

AVX2 void avx2_rbf(float* k, Index n, float two_gamma, float ga, const float* gb) {
  const __m256 g = _mm256_set1_ps(two_gamma), a = _mm256_set1_ps(ga), zero = _mm256_setzero_ps();
  Index b = 0;
  for (; b + 8 <= n; b += 8) {
    const __m256 norms = _mm256_add_ps(a, _mm256_loadu_ps(gb + b));
    // min keeps its second operand when one is NaN: NaN must survive so that callers see it.
    const __m256 x = _mm256_min_ps(zero, _mm256_fmsub_ps(g, _mm256_loadu_ps(k + b), norms));
    _mm256_storeu_ps(k + b, vector_exp(x));
  }
  plain_rbf(k + b, n - b, two_gamma, ga, gb + b);
}

AVX2 void avx2_rbf(double* k, Index n, double two_gamma, double ga, const double* gb) {
  const __m256d g = _mm256_set1_pd(two_gamma), a = _mm256_set1_pd(ga), zero = _mm256_setzero_pd();
  Index b = 0;
  for (; b + 4 <= n; b += 4) {
    const __m256d norms = _mm256_add_pd(a, _mm256_loadu_pd(gb + b));
    const __m256d x = _mm256_min_pd(zero, _mm256_fmsub_pd(g, _mm256_loadu_pd(k + b), norms));
    _mm256_storeu_pd(k + b, vector_exp(x));
  }
  plain_rbf(k + b, n - b, two_gamma, ga, gb + b);
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
  plain_tanh_all(x + i, n - i);
}

AVX2 void avx2_tanh_all(double* x, Index n) {
  Index i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(x + i, vector_tanh(_mm256_loadu_pd(x + i)));
  plain_tanh_all(x + i, n - i);
}

AVX2 void avx2_accumulate(const float* const* rows, const double* step, Index m, Index n, double* f, double* spread) {
  Index b = 0;
  for (; b + 8 <= n; b += 8) {
    __m256d low = _mm256_loadu_pd(f + b), high = _mm256_loadu_pd(f + b + 4);
    __m256 size = _mm256_setzero_ps();
    for (Index a = 0; a < m; ++a) {
      const __m256 k = _mm256_loadu_ps(rows[a] + b);
      const __m256d s = _mm256_set1_pd(step[a]);
      low = _mm256_fmadd_pd(s, _mm256_cvtps_pd(_mm256_castps256_ps128(k)), low);
      high = _mm256_fmadd_pd(s, _mm256_cvtps_pd(_mm256_extractf128_ps(k, 1)), high);
      size = _mm256_fmadd_ps(_mm256_set1_ps(static_cast<float>(std::abs(step[a]))), k, size);
    }
    _mm256_storeu_pd(f + b, low);
    _mm256_storeu_pd(f + b + 4, high);
    if (!spread) continue;
    _mm256_storeu_pd(spread + b,
                     _mm256_add_pd(_mm256_loadu_pd(spread + b), _mm256_cvtps_pd(_mm256_castps256_ps128(size))));
    _mm256_storeu_pd(spread + b + 4,
                     _mm256_add_pd(_mm256_loadu_pd(spread + b + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(size, 1))));
  }
  plain_accumulate(rows, step, m, n, b, f, spread);
}
#else
template <class T>
void avx2_rbf(T* k, Index n, T two_gamma, T ga, const T* gb) {
  plain_rbf(k, n, two_gamma, ga, gb);
}
template <class T>
void avx2_exp_all(T* x, Index n) {
  plain_exp_all(x, n);
}
template <class T>
void avx2_tanh_all(T* x, Index n) {
  plain_tanh_all(x, n);
}
void avx2_accumulate(const float* const* rows, const double* step, Index m, Index n, double* f, double* spread) {
  plain_accumulate(rows, step, m, n, 0, f, spread);
}
#endif

template <class T>
T power(T base, int degree) {
  T result = 1;
  for (; degree > 0; degree >>= 1, base *= base)
    if (degree & 1) result *= base;
  return result;
}

}  // namespace

template <class T>
void finish(const KernelSpec& spec, T* k, Index ld, Index m, Index n, const T* ga, const T* gb) {
  const T gamma = static_cast<T>(spec.gamma), offset = static_cast<T>(spec.offset);
  const bool wide = simd::level() == simd::Level::avx2;
  for (Index a = 0; a < m; ++a) {
    T* row = k + a * ld;
    switch (spec.kind) {
      case KernelKind::linear:
        for (Index b = 0; b < n; ++b) row[b] *= gamma;
        break;
      case KernelKind::polynomial:
        for (Index b = 0; b < n; ++b) row[b] = power(gamma * row[b] + offset, spec.degree);
        break;
      case KernelKind::rbf:
        wide ? avx2_rbf(row, n, 2 * gamma, ga[a], gb) : plain_rbf(row, n, 2 * gamma, ga[a], gb);
        break;
      case KernelKind::tanh:
        for (Index b = 0; b < n; ++b) row[b] = gamma * row[b] + offset;
        wide ? avx2_tanh_all(row, n) : plain_tanh_all(row, n);
        break;
    }
  }
}

template <class T>
void exp_nonpositive(T* x, Index n) {
  simd::level() == simd::Level::avx2 ? avx2_exp_all(x, n) : plain_exp_all(x, n);
}

template <class T>
void tanh_all(T* x, Index n) {
  simd::level() != simd::Level::scalar ? avx2_tanh_all(x, n) : plain_tanh_all(x, n);
}

void accumulate(const float* const* rows, const double* step, Index m, Index n, double* f, double* spread) {
  simd::level() == simd::Level::avx2 ? avx2_accumulate(rows, step, m, n, f, spread)
                                     : plain_accumulate(rows, step, m, n, 0, f, spread);
}

template void finish(const KernelSpec&, float*, Index, Index, Index, const float*, const float*);
template void finish(const KernelSpec&, double*, Index, Index, Index, const double*, const double*);
template void exp_nonpositive(float*, Index);
template void exp_nonpositive(double*, Index);
template void tanh_all(float*, Index);
template void tanh_all(double*, Index);

}  // namespace widemargin
