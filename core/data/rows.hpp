// One row accessor for dense and sparse data in float32 and float64, so that every solver is written once:
//   row = rows[i];  dot(row, w)  add(s, row, w)  squared_norm(row);  rows.prefetch(i)
// All are views; the caller keeps the arrays alive. Weights are float64 whatever the data are.
#pragma once

#include <variant>

#include "base/simd.hpp"
#include "base/types.hpp"

namespace widemargin {

template <class T>
struct DenseRow {
  const T* x;
  Index d;
};

template <class T>
struct SparseRow {
  const T* x;
  const Column* j;
  Index size;
};

template <class T>
double dot(DenseRow<T> row, const double* w) {
  return simd::dot(row.x, w, row.d);
}

template <class T>
double dot(SparseRow<T> row, const double* w) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Index k = 0;
  for (; k + 4 <= row.size; k += 4) {
    s0 += row.x[k] * w[row.j[k]];
    s1 += row.x[k + 1] * w[row.j[k + 1]];
    s2 += row.x[k + 2] * w[row.j[k + 2]];
    s3 += row.x[k + 3] * w[row.j[k + 3]];
  }
  for (; k < row.size; ++k) s0 += row.x[k] * w[row.j[k]];
  return (s0 + s1) + (s2 + s3);
}

template <class T>
void add(double s, DenseRow<T> row, double* w) {
  simd::add(s, row.x, w, row.d);
}

template <class T>
void add(double s, SparseRow<T> row, double* w) {
  for (Index k = 0; k < row.size; ++k) w[row.j[k]] += s * row.x[k];
}

template <class T>
double squared_norm(const T* x, Index d) {
  double s0 = 0, s1 = 0;
  Index j = 0;
  for (; j + 2 <= d; j += 2) {
    s0 += static_cast<double>(x[j]) * x[j];
    s1 += static_cast<double>(x[j + 1]) * x[j + 1];
  }
  if (j < d) s0 += static_cast<double>(x[j]) * x[j];
  return s0 + s1;
}

template <class T>
double squared_norm(DenseRow<T> row) {
  return squared_norm(row.x, row.d);
}
template <class T>
double squared_norm(SparseRow<T> row) {
  return squared_norm(row.x, row.size);
}

// Macros and forced inlining, because GCC finds that a function which only prefetches has no effect and drops the call.
// Into the second-level cache: the rows ahead shall not crowd the first.
#if defined(__GNUC__)
#define WIDEMARGIN_INLINE __attribute__((always_inline))
#define WIDEMARGIN_PREFETCH(p) __builtin_prefetch((p), 0, 2)
#else
#define WIDEMARGIN_INLINE
#define WIDEMARGIN_PREFETCH(p) static_cast<void>(p)
#endif
#define WIDEMARGIN_PREFETCH_SPAN(p, size) \
  for (Index k_ = 0; k_ < (size); k_ += 64 / static_cast<Index>(sizeof(*(p)))) WIDEMARGIN_PREFETCH((p) + k_)

template <class T>
struct DenseRows {
  using Row = DenseRow<T>;
  const T* x;
  Index n, d, stride;  // stride in elements

  Row operator[](Index i) const { return {x + i * stride, d}; }
  WIDEMARGIN_INLINE void prefetch(Index i) const { WIDEMARGIN_PREFETCH_SPAN(x + i * stride, d); }
  void prefetch_start(Index) const {}
};

template <class T>
struct SparseRows {
  using Row = SparseRow<T>;
  const T* x;
  const Column* j;
  const Index* offset;  // n + 1
  Index n, d;

  Row operator[](Index i) const { return {x + offset[i], j + offset[i], offset[i + 1] - offset[i]}; }
  WIDEMARGIN_INLINE void prefetch(Index i) const {
    const Index begin = offset[i], size = offset[i + 1] - begin;
    WIDEMARGIN_PREFETCH_SPAN(x + begin, size);
    WIDEMARGIN_PREFETCH_SPAN(j + begin, size);
  }
  WIDEMARGIN_INLINE void prefetch_start(Index i) const {
    WIDEMARGIN_PREFETCH(offset + i);
  }  // before prefetch(i) can know where the row lies
};

// out_k = the dot product of row first + k and w, k < m.
template <class T>
void dots(const DenseRows<T>& rows, Index first, Index m, const double* w, double* out) {
  simd::dots(rows.x + first * rows.stride, rows.stride, m, w, rows.d, out);
}
template <class T>
void dots(const SparseRows<T>& rows, Index first, Index m, const double* w, double* out) {
  for (Index k = 0; k < m; ++k) out[k] = dot(rows[first + k], w);
}

using AnyRows = std::variant<DenseRows<double>, DenseRows<float>, SparseRows<double>, SparseRows<float>>;

inline Index count(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.n; }, rows);
}
inline Index width(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.d; }, rows);
}

template <class T>
Index stored(const DenseRows<T>& rows) {
  return rows.n * rows.d;
}
template <class T>
Index stored(const SparseRows<T>& rows) {
  return rows.offset[rows.n];
}
inline Index stored(const AnyRows& rows) {
  return std::visit([](const auto& r) { return stored(r); }, rows);
}

}  // namespace widemargin
