// Rows into columns, in squares that fit into vector registers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/types.hpp"

namespace widemargin {

// to[b * to_ld + a] = from[a * ld + b] for a < rows, b < columns.
template <class T>
void turn_over(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld);

#if defined(__GNUC__)
#define WIDEMARGIN_INLINED inline __attribute__((always_inline))

// Pointers to rows, from some column on.
template <class T>
struct RowsAt {
  T* const* rows;
  Index at;
  WIDEMARGIN_INLINED T* operator()(Index a) const { return rows[a] + at; }
};

// A square of W x W values turned over: the first halves of all rows are shuffled into the second halves, as often as
// W can be halved.
template <class T, int Bytes>
struct Square {
  typedef T Vector __attribute__((vector_size(Bytes), aligned(sizeof(T))));
  using Whole = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Whole Order __attribute__((vector_size(Bytes)));
  static constexpr int W = Bytes / sizeof(T);

  // row(a) gets column a of the square, for a < m.
  template <class Rows>
  static WIDEMARGIN_INLINED void turn(const T* from, Index width, Index m, const Rows& row) {
    Order low, high;
#pragma GCC unroll 16
    for (int e = 0; e < W; ++e) low[e] = e / 2 + e % 2 * W, high[e] = W / 2 + e / 2 + e % 2 * W;
    Vector v[W], turned[W];
#pragma GCC unroll 16
    for (int b = 0; b < W; ++b) v[b] = *reinterpret_cast<const Vector*>(from + b * width);
#pragma GCC unroll 4
    for (int half = 1; half < W; half *= 2) {
#pragma GCC unroll 8
      for (int b = 0; b < W / 2; ++b) {
        turned[2 * b] = __builtin_shuffle(v[b], v[b + W / 2], low);
        turned[2 * b + 1] = __builtin_shuffle(v[b], v[b + W / 2], high);
      }
#pragma GCC unroll 16
      for (int b = 0; b < W; ++b) v[b] = turned[b];
    }
#pragma GCC unroll 16
    for (int a = 0; a < W; ++a)
      if (a < m) *reinterpret_cast<Vector*>(row(a)) = v[a];
  }
};

#endif

}  // namespace widemargin
