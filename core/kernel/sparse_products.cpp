// One text for all instruction sets, as in kernel/products.cpp, and fused as there.
#include "kernel/sparse_products.hpp"

#include <algorithm>

#include "base/simd.hpp"
#include "kernel/turn.hpp"

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

constexpr Index together = 16;  // rows of the other side whose sums are turned into rows of the tile at once

#if defined(__GNUC__)
// N vectors of so many bytes from place `at` of the panel on: sum[.] = sum over the entries of the row.
template <class T, int Bytes, int N, bool Slots>
INLINE void sums(const SpreadPanel<T>& p, SparseRow<T> row, Index at, T* sum) {
  typedef T Vector __attribute__((vector_size(Bytes), aligned(sizeof(T))));
  constexpr int W = Bytes / sizeof(T);
  Vector s[N] = {};
  for (Index k = 0; k < row.size; ++k) {
    const Index place = Slots ? Index{p.slot[row.j[k]]} : Index{row.j[k]};
    if (Slots && place == 0) continue;
    const T v = row.x[k];
    const T* x = p.x + place * p.width + at;
#pragma GCC unroll 8
    for (int w = 0; w < N; ++w) s[w] += v * *reinterpret_cast<const Vector*>(x + W * w);
  }
#pragma GCC unroll 8
  for (int w = 0; w < N; ++w) *reinterpret_cast<Vector*>(sum + at + W * w) = s[w];
}

// Up to eight vectors at a time: they stay in registers.
template <class T, int Bytes, bool Slots>
INLINE void all_sums(const SpreadPanel<T>& p, SparseRow<T> row, T* sum) {
  constexpr Index W = Bytes / sizeof(T);
  Index at = 0;
  for (; at + 8 * W <= p.width; at += 8 * W) sums<T, Bytes, 8, Slots>(p, row, at, sum);
  for (; at + 4 * W <= p.width; at += 4 * W) sums<T, Bytes, 4, Slots>(p, row, at, sum);
  for (; at + 2 * W <= p.width; at += 2 * W) sums<T, Bytes, 2, Slots>(p, row, at, sum);
  for (; at < p.width; at += W) sums<T, Bytes, 1, Slots>(p, row, at, sum);
}

// out[a][at + b] = sum[b * width + a] for the m rows of the panel.
template <class T, int Bytes>
INLINE void turn(const T* sum, Index width, Index m, Index rows, T* const* out, Index at) {
  constexpr Index W = Bytes / sizeof(T);
  Index b = 0;
  for (; b + W <= rows; b += W)
    for (Index a = 0; a < m; a += W)
      Square<T, Bytes>::turn(sum + b * width + a, width, m - a, RowsAt<T>{out + a, at + b});
  for (Index a = 0; a < m; ++a)
    for (Index e = b; e < rows; ++e) out[a][at + e] = sum[e * width + a];
}

template <class T, int Bytes>
INLINE void products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first, Index count,
                     T* const* out) {
  alignas(64) T sum[together * 64];
  for (Index b = 0; b < count; b += together) {
    const Index here = std::min(together, count - b);
    for (Index e = 0; e < here; ++e) {
      const auto row = rows[J ? Index{J[b + e]} : first + b + e];
      panel.slot ? all_sums<T, Bytes, true>(panel, row, sum + e * panel.width)
                 : all_sums<T, Bytes, false>(panel, row, sum + e * panel.width);
    }
    turn<T, Bytes>(sum, panel.width, panel.rows, here, out, b);
  }
}
#endif

template <class T>
void plain_products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first, Index count,
                    T* const* out) {
#if defined(__GNUC__)
  products<T, 16>(panel, rows, J, first, count, out);
#else
  for (Index a = 0; a < panel.rows; ++a)
    for (Index b = 0; b < count; ++b) {
      const auto row = rows[J ? Index{J[b]} : first + b];
      T sum = 0;
      for (Index k = 0; k < row.size; ++k) {
        const Index place = panel.slot ? Index{panel.slot[row.j[k]]} : Index{row.j[k]};
        if (!panel.slot || place != 0) sum += row.x[k] * panel.x[place * panel.width + a];
      }
      out[a][b] = sum;
    }
#endif
}

#ifdef WIDEMARGIN_X86
template <class T>
AVX2 void avx2_products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first,
                        Index count, T* const* out) {
  products<T, 32>(panel, rows, J, first, count, out);
}
template <class T>
AVX512 void avx512_products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first,
                            Index count, T* const* out) {
  products<T, 64>(panel, rows, J, first, count, out);
}
#endif

}  // namespace

template <class T>
void sparse_products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first, Index count,
                     T* const* out) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_products(panel, rows, J, first, count, out);
  if (simd::level() == simd::Level::avx2) return avx2_products(panel, rows, J, first, count, out);
#endif
  plain_products(panel, rows, J, first, count, out);
}

template void sparse_products(const SpreadPanel<float>&, const SparseRows<float>&, const Column*, Index, Index,
                              float* const*);
template void sparse_products(const SpreadPanel<double>&, const SparseRows<double>&, const Column*, Index, Index,
                              double* const*);

}  // namespace widemargin
