#include "base/simd.hpp"

#include <atomic>

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin::simd {
namespace {

template <class T>
double plain_dot(const T* x, const double* w, Index d) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Index j = 0;
  for (; j + 4 <= d; j += 4) {
    s0 += x[j] * w[j];
    s1 += x[j + 1] * w[j + 1];
    s2 += x[j + 2] * w[j + 2];
    s3 += x[j + 3] * w[j + 3];
  }
  for (; j < d; ++j) s0 += x[j] * w[j];
  return (s0 + s1) + (s2 + s3);
}

template <class T>
void plain_add(double s, const T* x, double* w, Index d) {
  for (Index j = 0; j < d; ++j) w[j] += s * x[j];
}

#ifdef WIDEMARGIN_X86
AVX2 inline __m256d load4(const double* x) { return _mm256_loadu_pd(x); }
AVX2 inline __m256d load4(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }

template <class T>
AVX2 double avx2_dot(const T* x, const double* w, Index d) {
  __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
  Index j = 0;
  for (; j + 16 <= d; j += 16) {
    s0 = _mm256_fmadd_pd(load4(x + j), _mm256_loadu_pd(w + j), s0);
    s1 = _mm256_fmadd_pd(load4(x + j + 4), _mm256_loadu_pd(w + j + 4), s1);
    s2 = _mm256_fmadd_pd(load4(x + j + 8), _mm256_loadu_pd(w + j + 8), s2);
    s3 = _mm256_fmadd_pd(load4(x + j + 12), _mm256_loadu_pd(w + j + 12), s3);
  }
  for (; j + 4 <= d; j += 4) s0 = _mm256_fmadd_pd(load4(x + j), _mm256_loadu_pd(w + j), s0);
  const __m256d s = _mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3));
  const __m128d h = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  double sum = _mm_cvtsd_f64(_mm_add_sd(h, _mm_unpackhi_pd(h, h)));
  for (; j < d; ++j) sum += x[j] * w[j];
  return sum;
}

template <class T>
AVX2 void avx2_add(double s, const T* x, double* w, Index d) {
  const __m256d k = _mm256_set1_pd(s);
  Index j = 0;
  for (; j + 4 <= d; j += 4) {
    const __m256d sum = _mm256_add_pd(_mm256_loadu_pd(w + j), _mm256_mul_pd(k, load4(x + j)));
    _mm256_storeu_pd(w + j, sum);
  }
  for (; j < d; ++j) w[j] += s * x[j];
}

Level look() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Level::avx2 : Level::scalar; }
#else
template <class T>
double avx2_dot(const T* x, const double* w, Index d) {
  return plain_dot(x, w, d);
}
template <class T>
void avx2_add(double s, const T* x, double* w, Index d) {
  plain_add(s, x, w, d);
}
Level look() { return Level::scalar; }
#endif

const Level cpu = look();
std::atomic<Level> chosen{cpu};

}  // namespace

Level detected() { return cpu; }
Level level() { return chosen.load(std::memory_order_relaxed); }
void set_level(Level wish) { chosen = wish < cpu ? wish : cpu; }

double dot(const double* x, const double* w, Index d) {
  return level() == Level::avx2 ? avx2_dot(x, w, d) : plain_dot(x, w, d);
}
double dot(const float* x, const double* w, Index d) {
  return level() == Level::avx2 ? avx2_dot(x, w, d) : plain_dot(x, w, d);
}
void add(double s, const double* x, double* w, Index d) {
  level() == Level::avx2 ? avx2_add(s, x, w, d) : plain_add(s, x, w, d);
}
void add(double s, const float* x, double* w, Index d) {
  level() == Level::avx2 ? avx2_add(s, x, w, d) : plain_add(s, x, w, d);
}

}  // namespace widemargin::simd
