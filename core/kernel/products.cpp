// One text for all instruction sets: vectors of the compiler, inlined into functions that name the set. This file alone
// is compiled with fused multiplications and additions, so that vectors with and without them are one text as well.
#include "kernel/products.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx2,fma")))
#endif
#if defined(__GNUC__)
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

namespace widemargin {
namespace {

constexpr Index longest = 64;  // terms that one sum takes without being cut

// Where a long sum is cut, if it is not one of several anyway.
constexpr Index cut(Index d, int sums) { return sums > 1 || d <= longest ? d : d / 2; }

#if defined(__GNUC__)
// R rows with one group in vectors of so many bytes; S sums of every product, over the features 0, S, 2S, …, over 1, …
template <class T, int Bytes, int R, int S>
struct Tile {
  typedef T V __attribute__((vector_size(Bytes), aligned(sizeof(T))));
  static constexpr int P = 64 / Bytes, W = Bytes / sizeof(T);

  static INLINE void add(const T* a, Index d, const T* b, Index k, V (&s)[R][P]) {
    V x[P];
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) x[p] = *reinterpret_cast<const V*>(b + k * packed_width<T> + p * W);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) s[r][p] += a[r * d + k] * x[p];
  }

  static INLINE void range(const T* a, Index d, const T* b, Index from, Index to, V (&sum)[R][P]) {
    V s[S][R][P] = {};
    Index k = from;
    for (; k + S <= to; k += S)
#pragma GCC unroll 4
      for (int q = 0; q < S; ++q) add(a, d, b, k + q, s[q]);
    for (; k < to; ++k) add(a, d, b, k, s[0]);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        if constexpr (S == 4) sum[r][p] = (s[0][r][p] + s[1][r][p]) + (s[2][r][p] + s[3][r][p]);
        if constexpr (S == 2) sum[r][p] = s[0][r][p] + s[1][r][p];
        if constexpr (S == 1) sum[r][p] = s[0][r][p];
      }
  }

  // `Cut`: the sum is added up in two pieces.
  template <bool Cut>
  static INLINE void run(const T* a, const T* b, Index d, T* const* out, Index at) {
    V s[R][P], rest[R][P];
    const Index end = Cut ? cut(d, S) : d;
    range(a, d, b, 0, end, s);
    if constexpr (Cut) range(a, d, b, end, d, rest);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) *reinterpret_cast<V*>(out[r] + at + p * W) = Cut ? s[r][p] + rest[r][p] : s[r][p];
  }
};

template <class T, int Bytes, int R, int S, bool Cut>
INLINE void rows_of_group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  Index i = 0;
  for (; i + R <= m; i += R) Tile<T, Bytes, R, S>::template run<Cut>(a + i * d, b, d, out + i, at);
  if constexpr (R > 4)
    for (; i + 4 <= m; i += 4) Tile<T, Bytes, 4, S>::template run<Cut>(a + i * d, b, d, out + i, at);
  for (; i + 2 <= m; i += 2) Tile<T, Bytes, 2, S>::template run<Cut>(a + i * d, b, d, out + i, at);
  if (i < m) Tile<T, Bytes, 1, S>::template run<Cut>(a + i * d, b, d, out + i, at);
}

template <class T, int Bytes, int R, int S>
INLINE void group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  if (S > 1 || d <= longest)
    rows_of_group<T, Bytes, R, S, false>(a, m, b, d, out, at);
  else
    rows_of_group<T, Bytes, R, S, S == 1>(a, m, b, d, out, at);
}

// Four vectors of sums, so that additions do not wait for one another.
template <class T, int Bytes>
INLINE double dot(const T* x, const T* y, Index n) {
  typedef T V __attribute__((vector_size(Bytes), aligned(sizeof(T))));
  constexpr Index W = Bytes / sizeof(T);
  V s[4] = {};
  Index k = 0;
  for (; k + 4 * W <= n; k += 4 * W)
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q)
      s[q] += *reinterpret_cast<const V*>(x + k + q * W) * *reinterpret_cast<const V*>(y + k + q * W);
#pragma GCC unroll 3
  for (int q = 0; q < 3; ++q, k += W) {
    if (k + W > n) break;
    s[q] += *reinterpret_cast<const V*>(x + k) * *reinterpret_cast<const V*>(y + k);
  }
  const V all = (s[0] + s[1]) + (s[2] + s[3]);
  double sum[2] = {};
  for (Index w = 0; w < W; w += 2) sum[0] += static_cast<double>(all[w]), sum[1] += static_cast<double>(all[w + 1]);
  for (; k < n; ++k) sum[0] += static_cast<double>(x[k] * y[k]);
  return sum[0] + sum[1];
}

template <class T, int Bytes>
INLINE void dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
  for (Index a = 0; a < m; ++a) sum[a] += dot<T, Bytes>(rows[a], c, n);
}

template <class T>
INLINE void add_all(const T* const* rows, Index m, const T* c, Index n, T* out) {
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < n; ++b) out[b] += c[a] * rows[a][b];
}

template <class T>
void plain_group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  group<T, 16, 2, 1>(a, m, b, d, out, at);
}
template <class T>
void plain_dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
  dots<T, 16>(rows, m, c, n, sum);
}
#else
template <class T>
void plain_dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < n; ++b) sum[a] += static_cast<double>(rows[a][b] * c[b]);
}
template <class T>
void add_all(const T* const* rows, Index m, const T* c, Index n, T* out) {
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < n; ++b) out[b] += c[a] * rows[a][b];
}
template <class T>
void plain_group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  for (Index i = 0; i < m; ++i) {
    T sum[2][packed_width<T>] = {};
    for (Index k = 0; k < d; ++k)
      for (Index j = 0; j < packed_width<T>; ++j) sum[k >= cut(d, 1)][j] += a[i * d + k] * b[k * packed_width<T> + j];
    for (Index j = 0; j < packed_width<T>; ++j) out[i][at + j] = sum[0][j] + sum[1][j];
  }
}
#endif

#ifdef WIDEMARGIN_X86
template <class T>
AVX2 void avx2_group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  group<T, 32, 6, 1>(a, m, b, d, out, at);
}
template <class T>
AVX512 void avx512_group(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
  group<T, 64, 4, 4>(a, m, b, d, out, at);
}
template <class T>
AVX2 void avx2_dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
  dots<T, 32>(rows, m, c, n, sum);
}
template <class T>
AVX512 void avx512_dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
  dots<T, 64>(rows, m, c, n, sum);
}
template <class T>
AVX2 void avx2_add(const T* const* rows, Index m, const T* c, Index n, T* out) {
  add_all(rows, m, c, n, out);
}
#endif

// The products of m rows with one group, at out[i][at ..].
template <class T>
void group_products(const T* a, Index m, const T* b, Index d, T* const* out, Index at) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_group(a, m, b, d, out, at);
  if (simd::level() == simd::Level::avx2) return avx2_group(a, m, b, d, out, at);
#endif
  plain_group(a, m, b, d, out, at);
}

}  // namespace

Index packed_roundings(Index d) {
  if (simd::level() == simd::Level::avx512) return d / 4 + d % 4 + 2;
  return cut(d, 1) == d ? d : d - cut(d, 1) + 1;
}

template <class T>
void packed_products(const T* a, Index m, const T* packed, Index first, Index n, Index d, T* const* out) {
  constexpr Index width = packed_width<T>, few = 6;
  const Index end = first + n;
  for (Index group = first / width * width; group < end; group += width) {
    const T* b = packed + group * d;
    const Index from = std::max(first, group), to = std::min(end, group + width);
    if (to - from == width) {
      group_products(a, m, b, d, out, group - first);
      continue;
    }
    T part[few][width];
    T* rows[few];
    for (Index r = 0; r < few; ++r) rows[r] = part[r];
    for (Index i = 0; i < m; i += few) {
      const Index here = std::min(few, m - i);
      group_products(a + i * d, here, b, d, rows, 0);
      for (Index r = 0; r < here; ++r)
        std::copy(part[r] + (from - group), part[r] + (to - group), out[i + r] + (from - first));
    }
  }
}

template <class T>
void row_dots(const T* const* rows, Index m, const T* c, Index n, double* sum) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_dots(rows, m, c, n, sum);
  if (simd::level() == simd::Level::avx2) return avx2_dots(rows, m, c, n, sum);
#endif
  plain_dots(rows, m, c, n, sum);
}

template <class T>
void add_rows(const T* const* rows, Index m, const T* c, Index n, T* out) {
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_add(rows, m, c, n, out);
#endif
  add_all(rows, m, c, n, out);
}

template void row_dots(const float* const*, Index, const float*, Index, double*);
template void row_dots(const double* const*, Index, const double*, Index, double*);
template void add_rows(const float* const*, Index, const float*, Index, float*);
template void add_rows(const double* const*, Index, const double*, Index, double*);
template void packed_products(const float*, Index, const float*, Index, Index, Index, float* const*);
template void packed_products(const double*, Index, const double*, Index, Index, Index, double* const*);

}  // namespace widemargin
