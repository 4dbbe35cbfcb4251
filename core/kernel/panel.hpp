// Blocks of kernel values between rows: some rows on one side (a panel of at most 64), many on the other.
//
// KernelRows<T>  all rows as the blocks need them, in type T. In float32 dense rows are a copy scaled by a power of
//                two so that the longest has a norm in [1/2, 1): no overflow, underflow only far below what matters.
// Panel<T>       the few rows: copied together (dense: kernel/products.hpp or BLAS takes them), or spread out over the
//                columns that they use (sparse: each row of the other side then adds one short vector an entry).
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
  // Most roundings that a product goes through on its way into a dot product.
  Index roundings() const;

 private:
  template <class>
  friend class Panel;

  Index n_, d_, terms_ = 0;
  KernelSpec spec_;
  double scale_ = 1;
  double largest_ = 0;
  std::vector<T> copy_;
  std::vector<double> norm_;
  std::vector<T> gq_;          // gamma |x|^2, rbf only
  std::vector<float> packed_;  // dense rows in float32 where the processor can use them so, else empty
  std::variant<DenseRows<T>, SparseRows<float>, SparseRows<double>> rows_;
};

template <class T>
class Panel {
 public:
  static constexpr Index most = 64;

  // Rows I[0 .. m) of `rows`, m <= most.
  void gather(const KernelRows<T>& rows, const Column* I, Index m);
  Index size() const { return m_; }

  // out[a * ld + b] = k(panel row a, row first + b of `other`), b < count. Any number of threads may call this at once.
  void against(const KernelRows<T>& other, Index first, Index count, T* out, Index ld) const;
  // The same with rows J[0 .. count), count <= most.
  void against(const KernelRows<T>& other, const Column* J, Index count, T* out, Index ld);

 private:
  template <class V>
  void spread(const SparseRows<V>& rows, const Column* I, double scale);
  template <class V, class Which>
  void sparse_products(const SparseRows<V>& rows, double scale, Index count, T* out, Index ld, Which which) const;

  Index m_ = 0, d_ = 0;
  std::vector<T> x_;  // dense: m x d;  sparse: slot x width_
  std::vector<T> ga_;
  std::vector<T> other_;       // dense rows J copied together
  std::vector<float> packed_;  // the same, packed
  Index width_ = 0;
  std::vector<std::int32_t> slot_;  // sparse: place of each column in x_, -1 = unused
  std::vector<Column> used_;
};

// out[i * ld + j] = k(a_i, b_j) for all rows of both sides.
void kernel_block(const KernelRows<double>& a, const KernelRows<double>& b, double* out, int threads, void (*poll)());

}  // namespace widemargin
