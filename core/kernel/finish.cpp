#include "kernel/finish.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/simd.hpp"
#include "kernel/exp.hpp"

namespace widemargin {
namespace {

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

#ifdef WIDEMARGIN_X86
AVX2 inline void put(float* at, __m256 value) { _mm256_storeu_ps(at, value); }
AVX2 inline void put(double* at, __m256d value) { _mm256_storeu_pd(at, value); }

// One vector of dot products at a time. The last few go through the same instructions, since a value must not depend on
// its place: with those before them, which are computed twice, or with zeros.
template <class T, int W, class Value>
AVX2 inline void each_vector(T* k, Index n, const T* gb, Value value) {
  if (n < W) {
    T rest[W] = {}, norms[W] = {};
    std::copy_n(k, n, rest);
    std::copy_n(gb, n, norms);
    put(rest, value(rest, norms));
    std::copy_n(rest, n, k);
    return;
  }
  const Index last = n - W;
  const auto end = value(k + last, gb + last);
  for (Index b = 0; b < last; b += W) put(k + b, value(k + b, gb + b));
  put(k + last, end);
}

AVX2 void avx2_rbf(float* const* k, Index m, Index n, float two_gamma, const float* ga, const float* gb) {
  const __m256 g = _mm256_set1_ps(two_gamma), zero = _mm256_setzero_ps(), low = _mm256_set1_ps(-126);
  for (Index row = 0; row < m; ++row) {
    const __m256 a = _mm256_set1_ps(ga[row]);
    each_vector<float, 8>(k[row], n, gb, [&](const float* at, const float* norm) AVX2 {
      const __m256 norms = _mm256_add_ps(a, _mm256_loadu_ps(norm));
      // NaN survives so that callers see it: min and max keep their second operand when one is NaN, and one that comes
      // of arithmetic has no low bits that the power of two would shift into its exponent.
      return vector_exp2(_mm256_max_ps(low, _mm256_min_ps(zero, _mm256_fmsub_ps(g, _mm256_loadu_ps(at), norms))));
    });
  }
}

AVX2 void avx2_rbf(double* const* k, Index m, Index n, double two_gamma, const double* ga, const double* gb) {
  const __m256d g = _mm256_set1_pd(two_gamma), zero = _mm256_setzero_pd();
  for (Index row = 0; row < m; ++row) {
    const __m256d a = _mm256_set1_pd(ga[row]);
    each_vector<double, 4>(k[row], n, gb, [&](const double* at, const double* norm) AVX2 {
      const __m256d norms = _mm256_add_pd(a, _mm256_loadu_pd(norm));
      return vector_exp2(_mm256_min_pd(zero, _mm256_fmsub_pd(g, _mm256_loadu_pd(at), norms)));
    });
  }
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

AVX512 inline void avx512_rbf(float* k, Index n, float two_gamma, float ga, const float* gb) {
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

AVX512 inline void avx512_rbf(double* k, Index n, double two_gamma, double ga, const double* gb) {
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

template <class T>
AVX512 void avx512_rbf(T* const* k, Index m, Index n, T two_gamma, const T* ga, const T* gb) {
  for (Index row = 0; row < m; ++row) avx512_rbf(k[row], n, two_gamma, ga[row], gb);
}

AVX512 void avx512_exp_all(float* x, Index n) {
  Index i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(x + i, vector_exp(_mm512_loadu_ps(x + i)));
  avx2_exp_all(x + i, n - i);
}

#endif

// The widest path that this machine has and the user allows.
template <class T>
void rbf(T* const* k, Index m, Index n, T two_gamma, const T* ga, const T* gb) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_rbf(k, m, n, two_gamma, ga, gb);
  if (simd::level() >= simd::Level::avx2) return avx2_rbf(k, m, n, two_gamma, ga, gb);
#endif
  for (Index row = 0; row < m; ++row) plain_rbf(k[row], n, two_gamma, ga[row], gb);
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
void finish(const KernelSpec& spec, T* const* rows, Index m, Index n, const T* ga, const T* gb) {
  if (spec.kind == KernelKind::rbf) return rbf(rows, m, n, static_cast<T>(2 * spec.gamma * log2_e), ga, gb);
  const T gamma = static_cast<T>(spec.gamma), offset = static_cast<T>(spec.offset);
  for (Index row = 0; row < m; ++row) {
    T* k = rows[row];
    switch (spec.kind) {
      case KernelKind::polynomial:
        for (Index b = 0; b < n; ++b) k[b] = power(gamma * k[b] + offset, spec.degree);
        break;
      case KernelKind::tanh:
        for (Index b = 0; b < n; ++b) k[b] = gamma * k[b] + offset;
        tanh_all(k, n);
        break;
      default:
        for (Index b = 0; b < n; ++b) k[b] *= gamma;
    }
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

template void finish(const KernelSpec&, float* const*, Index, Index, const float*, const float*);
template void finish(const KernelSpec&, double* const*, Index, Index, const double*, const double*);
template void exp_nonpositive(float*, Index);
template void exp_nonpositive(double*, Index);

}  // namespace widemargin
