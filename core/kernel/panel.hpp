// Blocks of kernel values between rows: some rows on one side (a panel of at most 64), many on the other.
//
// KernelRows<T>  all rows as the blocks need them, in type T. In float32 dense rows are a packed copy scaled by a power of
//                two so that the longest has a norm in [1/2, 1): no overflow, underflow only far below what matters.
// Picked<T>      some of them, for the other side.
// Panel<T>       the few rows: copied together (dense: kernel/products.hpp takes them in float32, BLAS in float64), or
//                spread out over the columns that they use (sparse: each row of the other side then adds one short
//                vector an entry).
// In float32 a value depends on its two rows alone: not on its place in a block, and k(x, z) is k(z, x) to the bit.
#pragma once

#include <variant>
#include <vector>

#include "data/rows.hpp"
#include "kernel/spec.hpp"

namespace widemargin {

template <class T>
class KernelRows {
 public:
  KernelRows(const AnyRows& rows, const KernelSpec& spec, int threads);
  KernelRows(const KernelRows&) = delete;

  Index n() const { return n_; }
  Index d() const { return d_; }
  bool sparse() const { return !std::holds_alternative<DenseRows<T>>(rows_); }
  const KernelSpec& spec() const { return spec_; }                           // in the units of the scaled rows
  double norm(Index i) const { return norm_[static_cast<std::size_t>(i)]; }  // scaled
  double largest_norm() const { return largest_; }
  double diag(Index i) const;
  // Most roundings that a product goes through on its way into a dot product.
  Index roundings() const;

 private:
  template <class>
  friend class Panel;
  template <class>
  friend class Picked;

  void copy_row(Index i, T* out) const;  // dense only

  Index n_, d_, terms_ = 0;
  KernelSpec spec_;
  double scale_ = 1;
  double largest_ = 0;
  std::vector<T> copy_;
  std::vector<double> norm_;
  std::vector<T> gq_;          // gamma |x|^2 in the units of finish.hpp, rbf only
  std::vector<float> packed_;  // dense rows in float32; their place in rows_ is empty then
  std::variant<DenseRows<T>, SparseRows<float>, SparseRows<double>> rows_;
};

// Rows J[0 .. count) of `rows`, which must stay.
template <class T>
class Picked {
 public:
  void pick(const KernelRows<T>& rows, const Column* J, Index count);

 private:
  template <class>
  friend class Panel;

  const KernelRows<T>* rows_ = nullptr;
  std::vector<Column> J_;
  std::vector<T> x_;  // dense: together in float64, packed in float32
  std::vector<T> row_, gb_;
};

template <class T>
class Panel {
 public:
  static constexpr Index most = 64;

  // Rows I[0 .. m) of `rows`, m <= most.
  void gather(const KernelRows<T>& rows, const Column* I, Index m);
  Index size() const { return m_; }

  // out[a][b] = k(panel row a, row first + b of `other`), b < count. Any number of threads may call this at once.
  void against(const KernelRows<T>& other, Index first, Index count, T* const* out) const;
  // The same with rows that were picked.
  void against(const Picked<T>& other, T* const* out) const;

 private:
  template <class V>
  void spread(const SparseRows<V>& rows, const Column* I, double scale);
  template <class V>
  void products(const SparseRows<V>& rows, double scale, const Column* J, Index first, Index count,
                T* const* out) const;

  Index m_ = 0, d_ = 0;
  std::vector<T> x_;  // dense: m x d;  sparse: slot x width_
  std::vector<T> ga_;
  Index width_ = 0;
  std::vector<std::int32_t> slot_;  // sparse: place of each column in x_, 0 = unused
  std::vector<Column> used_;
};

// The rows of an array whose rows begin `ld` entries apart.
template <class T>
struct RowPointers {
  T* row[Panel<T>::most];
  RowPointers(T* out, Index ld) {
    for (Index a = 0; a < Panel<T>::most; ++a) row[a] = out + a * ld;
  }
  operator T* const*() const { return row; }
};

// out[i * ld + j] = k(a_i, b_j) for all rows of both sides.
void kernel_block(const KernelRows<double>& a, const KernelRows<double>& b, double* out, int threads, void (*poll)());

}  // namespace widemargin
