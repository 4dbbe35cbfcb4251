#include "base/simd.hpp"

#include <atomic>

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512vl")))
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
void plain_dots(const T* x, Index stride, Index n, const double* w, Index d, double* out) {
  for (Index i = 0; i < n; ++i) out[i] = plain_dot(x + i * stride, w, d);
}

template <class T>
void plain_add(double s, const T* x, double* w, Index d) {
  for (Index j = 0; j < d; ++j) w[j] += s * x[j];
}

// Rows of a few numbers end before several partial sums pay, and each loop more has one more end that nobody foresees.
template <class T>
void plain_sparse_dots(const T* x, const Column* j, const Index* offset, Index n, const double* w, double* out) {
  for (Index i = 0; i < n; ++i) {
    double s = 0;
    for (Index k = offset[i]; k < offset[i + 1]; ++k) s += x[k] * w[j[k]];
    out[i] = s;
  }
}

inline std::uint64_t key_of(const std::uint64_t* keys, Index k) { return keys[k]; }
inline std::uint64_t key_of(const Column* columns, Index k) {
  return column_key(static_cast<std::uint64_t>(columns[k]));
}

// `key(k)` gives the keys of the k-th stored value.
template <class T, class Key>
std::uint64_t plain_hash(const T* x, Index size, Index k, double& q, Key key) {
  std::uint64_t h = 0;
  for (; k < size; ++k) {
    const double v = x[k];
    h += hash_term(v, key(k));
    q += v * v;
  }
  return h;
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

// Four rows share every piece of w.
template <class T>
AVX2 void avx2_dots(const T* x, Index stride, Index n, const double* w, Index d, double* out) {
  const Index whole = d & ~Index{3};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    const T* const r0 = x + i * stride;
    const T *const r1 = r0 + stride, *const r2 = r1 + stride, *const r3 = r2 + stride;
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
    for (Index j = 0; j < whole; j += 4) {
      const __m256d v = _mm256_loadu_pd(w + j);
      s0 = _mm256_fmadd_pd(load4(r0 + j), v, s0);
      s1 = _mm256_fmadd_pd(load4(r1 + j), v, s1);
      s2 = _mm256_fmadd_pd(load4(r2 + j), v, s2);
      s3 = _mm256_fmadd_pd(load4(r3 + j), v, s3);
    }
    const __m256d a = _mm256_hadd_pd(s0, s1), b = _mm256_hadd_pd(s2, s3);
    __m256d sums = _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
    for (Index j = whole; j < d; ++j) {
      const __m256d column = _mm256_setr_pd(r0[j], r1[j], r2[j], r3[j]);
      sums = _mm256_fmadd_pd(column, _mm256_set1_pd(w[j]), sums);
    }
    _mm256_storeu_pd(out + i, sums);
  }
  for (; i < n; ++i) out[i] = avx2_dot(x + i * stride, w, d);
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

AVX512 inline __m512d load8(const double* x, __mmask8 m) { return _mm512_maskz_loadu_pd(m, x); }
AVX512 inline __m512d load8(const float* x, __mmask8 m) {
  return _mm512_maskz_cvtps_pd(m, _mm256_maskz_loadu_ps(m, x));
}

// Eight numbers of a row at a time, the last with a mask: the end comes after a turn or two, which is easy to foresee.
template <class T>
AVX512 void avx512_sparse_dots(const T* x, const Column* j, const Index* offset, Index n, const double* w,
                               double* out) {
  for (Index i = 0; i < n; ++i) {
    __m512d s = _mm512_setzero_pd();
    const Index end = offset[i + 1];
    for (Index k = offset[i]; k < end; k += 8) {
      const Index left = end - k;
      const auto m = static_cast<__mmask8>(left >= 8 ? 0xff : (1 << left) - 1);
      const __m256i at = _mm256_maskz_loadu_epi32(m, j + k);
      const __m512d v = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, at, w, 8);
      s = _mm512_fmadd_pd(load8(x + k, m), v, s);
    }
    // Forms with a mask, because GCC 12 warns of those without that they begin with nothing.
    const __m256d half =
        _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xf, s, 0), _mm512_maskz_extractf64x4_pd(0xf, s, 1));
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    out[i] = _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
  }
}

AVX2 inline __m256i load_keys(const std::uint64_t* keys, Index k) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + k));
}
AVX2 inline __m256i load_keys(const Column* columns, Index k) {  // column_key of four columns
  const __m256i j = _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(columns + k)));
  const auto line = [&](unsigned slope, unsigned start) __attribute__((target("avx2,fma"))) {
    return _mm256_add_epi64(_mm256_mul_epu32(j, _mm256_set1_epi64x(slope)), _mm256_set1_epi64x(start));
  };
  const __m256i low = line(0x9E3779B1u, 0x85EBCA77u), high = _mm256_slli_epi64(line(0xC2B2AE3Du, 0x27D4EB2Fu), 32);
  return _mm256_or_si256(_mm256_blend_epi32(low, high, 0xAA), _mm256_set1_epi64x(0x0000000100000001));
}

template <class T, class Keys>
AVX2 std::uint64_t avx2_hash(const T* x, const Keys* keys, Index size, double& squared_norm) {
  const __m256d zero = _mm256_setzero_pd();
  __m256d q = zero;
  __m256i h = _mm256_setzero_si256();
  Index k = 0;
  for (; k + 4 <= size; k += 4) {
    const __m256d v = load4(x + k);
    q = _mm256_fmadd_pd(v, v, q);
    const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(v, zero)), key = load_keys(keys, k);
    h = _mm256_add_epi64(h, _mm256_mul_epu32(bits, key));
    h = _mm256_add_epi64(h, _mm256_mul_epu32(_mm256_srli_epi64(bits, 32), _mm256_srli_epi64(key, 32)));
  }
  alignas(32) double qs[4];
  alignas(32) std::uint64_t hs[4];
  _mm256_store_pd(qs, q);
  _mm256_store_si256(reinterpret_cast<__m256i*>(hs), h);
  squared_norm = (qs[0] + qs[1]) + (qs[2] + qs[3]);
  const std::uint64_t tail = plain_hash(x, size, k, squared_norm, [&](Index i) { return key_of(keys, i); });
  return hs[0] + hs[1] + hs[2] + hs[3] + tail;
}

Level look() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::scalar;
  const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return wide ? Level::avx512 : Level::avx2;
}
bool looks_swift() { return __builtin_cpu_is("intel"); }
#else
template <class T>
double avx2_dot(const T* x, const double* w, Index d) {
  return plain_dot(x, w, d);
}
template <class T>
void avx2_dots(const T* x, Index stride, Index n, const double* w, Index d, double* out) {
  plain_dots(x, stride, n, w, d, out);
}
template <class T>
void avx2_add(double s, const T* x, double* w, Index d) {
  plain_add(s, x, w, d);
}
template <class T>
void avx512_sparse_dots(const T* x, const Column* j, const Index* offset, Index n, const double* w, double* out) {
  plain_sparse_dots(x, j, offset, n, w, out);
}
template <class T, class Keys>
std::uint64_t avx2_hash(const T* x, const Keys* keys, Index size, double& squared_norm) {
  squared_norm = 0;
  return plain_hash(x, size, 0, squared_norm, [&](Index i) { return key_of(keys, i); });
}
Level look() { return Level::scalar; }
bool looks_swift() { return false; }
#endif

const Level cpu = look();
const bool swift = looks_swift();
std::atomic<Level> chosen{cpu};

}  // namespace

Level detected() { return cpu; }
bool swift_gathers() { return swift; }
Level level() { return chosen.load(std::memory_order_relaxed); }
void set_level(Level wish) { chosen = wish < cpu ? wish : cpu; }

double dot(const double* x, const double* w, Index d) {
  return level() >= Level::avx2 ? avx2_dot(x, w, d) : plain_dot(x, w, d);
}
double dot(const float* x, const double* w, Index d) {
  return level() >= Level::avx2 ? avx2_dot(x, w, d) : plain_dot(x, w, d);
}
void dots(const double* x, Index stride, Index n, const double* w, Index d, double* out) {
  level() >= Level::avx2 ? avx2_dots(x, stride, n, w, d, out) : plain_dots(x, stride, n, w, d, out);
}
void dots(const float* x, Index stride, Index n, const double* w, Index d, double* out) {
  level() >= Level::avx2 ? avx2_dots(x, stride, n, w, d, out) : plain_dots(x, stride, n, w, d, out);
}
void sparse_dots(const double* x, const Column* j, const Index* offset, Index n, const double* w, double* out) {
  const bool wide = level() >= Level::avx512;
  wide ? avx512_sparse_dots(x, j, offset, n, w, out) : plain_sparse_dots(x, j, offset, n, w, out);
}
void sparse_dots(const float* x, const Column* j, const Index* offset, Index n, const double* w, double* out) {
  const bool wide = level() >= Level::avx512;
  wide ? avx512_sparse_dots(x, j, offset, n, w, out) : plain_sparse_dots(x, j, offset, n, w, out);
}
void add(double s, const double* x, double* w, Index d) {
  level() >= Level::avx2 ? avx2_add(s, x, w, d) : plain_add(s, x, w, d);
}
void add(double s, const float* x, double* w, Index d) {
  level() >= Level::avx2 ? avx2_add(s, x, w, d) : plain_add(s, x, w, d);
}

namespace {
template <class T, class Keys>
std::uint64_t any_hash(const T* x, const Keys* keys, Index size, double& squared_norm) {
  if (level() >= Level::avx2) return avx2_hash(x, keys, size, squared_norm);
  squared_norm = 0;
  return plain_hash(x, size, 0, squared_norm, [&](Index i) { return key_of(keys, i); });
}
}  // namespace

std::uint64_t hash_and_norm(const double* x, const std::uint64_t* keys, Index d, double& q) {
  return any_hash(x, keys, d, q);
}
std::uint64_t hash_and_norm(const float* x, const std::uint64_t* keys, Index d, double& q) {
  return any_hash(x, keys, d, q);
}
std::uint64_t hash_and_norm(const double* x, const Column* j, Index size, double& q) { return any_hash(x, j, size, q); }
std::uint64_t hash_and_norm(const float* x, const Column* j, Index size, double& q) { return any_hash(x, j, size, q); }

}  // namespace widemargin::simd
