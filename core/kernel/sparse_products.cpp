// One text for all instruction sets, as in kernel/products.cpp, and fused as there.
#include "kernel/sparse_products.hpp"

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

constexpr Index together = 8;  // rows of the other side whose sums are turned into rows of the tile at once

#if defined(__GNUC__)
// N vectors of so many bytes from place `at` of the panel on: sum[.] = sum over the entries of the row.
template <class T, int Bytes, int N, class V>
INLINE void sums(const SpreadPanel<T>& p, SparseRow<V> row, double scale, Index at, T* sum) {
  typedef T Vector __attribute__((vector_size(Bytes), aligned(sizeof(T))));
  constexpr int W = Bytes / sizeof(T);
  Vector s[N] = {};
  for (Index k = 0; k < row.size; ++k) {
    const std::int32_t slot = p.slot[row.j[k]];
    if (slot == 0) continue;
    const T v = static_cast<T>(row.x[k] * scale);
    const T* x = p.x + slot * p.width + at;
#pragma GCC unroll 8
    for (int w = 0; w < N; ++w) s[w] += v * *reinterpret_cast<const Vector*>(x + W * w);
  }
#pragma GCC unroll 8
  for (int w = 0; w < N; ++w) *reinterpret_cast<Vector*>(sum + at + W * w) = s[w];
}

// Up to eight vectors at a time: they stay in registers.
template <class T, int Bytes, class V>
INLINE void all_sums(const SpreadPanel<T>& p, SparseRow<V> row, double scale, T* sum) {
  constexpr Index W = Bytes / sizeof(T);
  Index at = 0;
  for (; at + 8 * W <= p.width; at += 8 * W) sums<T, Bytes, 8>(p, row, scale, at, sum);
  for (; at + 4 * W <= p.width; at += 4 * W) sums<T, Bytes, 4>(p, row, scale, at, sum);
  for (; at < p.width; at += W) sums<T, Bytes, 1>(p, row, scale, at, sum);
}
#endif

template <class T, class V>
void plain_sums(const SpreadPanel<T>& p, SparseRow<V> row, double scale, T* sum) {
#if defined(__GNUC__)
  all_sums<T, 16>(p, row, scale, sum);
#else
  std::fill_n(sum, p.width, T{0});
  for (Index k = 0; k < row.size; ++k) {
    const std::int32_t slot = p.slot[row.j[k]];
    for (Index a = 0; a < p.width && slot != 0; ++a)
      sum[a] += static_cast<T>(row.x[k] * scale) * p.x[slot * p.width + a];
  }
#endif
}

#ifdef WIDEMARGIN_X86
template <class T, class V>
AVX2 void avx2_sums(const SpreadPanel<T>& p, SparseRow<V> row, double scale, T* sum) {
  all_sums<T, 32>(p, row, scale, sum);
}
template <class T, class V>
AVX512 void avx512_sums(const SpreadPanel<T>& p, SparseRow<V> row, double scale, T* sum) {
  all_sums<T, 64>(p, row, scale, sum);
}
#endif

template <class T>
void turn(const T* sum, Index width, Index m, Index rows, T* const* out, Index at) {
  for (Index a = 0; a < m; ++a)
    for (Index b = 0; b < rows; ++b) out[a][at + b] = sum[b * width + a];
}

}  // namespace

template <class T, class V>
void sparse_products(const SpreadPanel<T>& panel, const SparseRows<V>& rows, double scale, const Column* J, Index first,
                     Index count, T* const* out) {
  alignas(64) T sum[together * 64];
  for (Index b = 0; b < count; b += together) {
    const Index here = std::min(together, count - b);
    for (Index e = 0; e < here; ++e) {
      const auto row = rows[J ? Index{J[b + e]} : first + b + e];
      T* at = sum + e * panel.width;
#ifdef WIDEMARGIN_X86
      if (simd::level() == simd::Level::avx512)
        avx512_sums(panel, row, scale, at);
      else if (simd::level() == simd::Level::avx2)
        avx2_sums(panel, row, scale, at);
      else
#endif
        plain_sums(panel, row, scale, at);
    }
    turn(sum, panel.width, panel.rows, here, out, b);
  }
}

template void sparse_products(const SpreadPanel<float>&, const SparseRows<float>&, double, const Column*, Index, Index,
                              float* const*);
template void sparse_products(const SpreadPanel<float>&, const SparseRows<double>&, double, const Column*, Index, Index,
                              float* const*);
template void sparse_products(const SpreadPanel<double>&, const SparseRows<float>&, double, const Column*, Index, Index,
                              double* const*);
template void sparse_products(const SpreadPanel<double>&, const SparseRows<double>&, double, const Column*, Index,
                              Index, double* const*);

}  // namespace widemargin
