#include <algorithm>
#include <cmath>

#include "base/simd.hpp"
#include "kernel/exp.hpp"

namespace widemargin {
namespace {

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
#endif

}  // namespace

template <class T>
void tanh_all(T* x, Index n) {
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_tanh_all(x, n);
#endif
  plain_tanh_all(x, n);
}

template void tanh_all(float*, Index);
template void tanh_all(double*, Index);

}  // namespace widemargin
