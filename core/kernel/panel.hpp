// Blocks of kernel values between rows: some rows on one side (a panel of at most 64), many on the other.
//
// KernelRows<T>  all rows as the blocks need them, in type T: dense rows are a packed copy, sparse ones entries of that
//                type. In float32 they are scaled by a power of two so that the longest has a norm in [1/2, 1): no
//                overflow, underflow only far below what matters.
// Picked<T>      some of them, for the other side.
// Panel<T>       the few rows: copied together (dense: kernel/products.hpp takes them), or spread out over the columns
//                that they use (sparse: kernel/sparse_products.hpp).
// A value depends on its two rows alone: not on its place in a block, and k(x, z) is k(z, x) to the bit.
#pragma once

#include <vector>

#include "data/rows.hpp"
#include "kernel/sparse_products.hpp"
#include "kernel/spec.hpp"

namespace widemargin {

template <class T>
class KernelRows {
 public:
  // Packed rows can be the other side of a panel; without, no copy of dense rows is made, and only picked rows can.
  // `scale` > 0 says by what float32 rows are multiplied: both sides of a block need the same.
  // `thin`: dense rows are taken for sparse ones, for what has many zeros; both sides of a block alike.
  KernelRows(const AnyRows& rows, const KernelSpec& spec, int threads, bool packed = true, double scale = 0,
             bool thin = false);
  KernelRows(const KernelRows&) = delete;

  Index n() const { return n_; }
  Index d() const { return d_; }
  bool sparse() const { return sparse_; }
  const KernelSpec& spec() const { return spec_; }                           // in the units of the scaled rows
  double norm(Index i) const { return norm_[static_cast<std::size_t>(i)]; }  // scaled
  double largest_norm() const { return largest_; }
  double diag(Index i) const;
  // Most roundings that a product goes through on its way into a dot product.
  Index roundings() const;
  // A radial kernel's value of row i and a row of norm <= R, whose products go through at most D roundings, is off by
  // at most this share of itself; infinite where it would say nothing.
  double radial_error(Index i, double R, Index D) const;

 private:
  template <class>
  friend class Panel;
  template <class>
  friend class Picked;

  void copy_row(Index i, T* out) const;  // dense only
  // Dense rows J[0 .. count), or the first ones, packed.
  void pack(const Column* J, Index count, std::vector<T>& out) const;
  void compress();

  Index n_, d_, terms_ = 0;
  bool sparse_;
  KernelSpec spec_;
  double scale_ = 1;
  double largest_ = 0;
  std::vector<double> norm_;
  std::vector<T> gq_;      // gamma |x|^2 in the units of finish.hpp, rbf only
  std::vector<T> packed_;  // dense rows
  AnyRows rows_;
  SparseRows<T> entries_{};  // scaled; those given, or these:
  std::vector<T> x_;
  std::vector<Column> j_;
  std::vector<Index> offset_;
};

// Whether products of dense rows cost less if their zeros are left out. A sample of the rows tells.
bool mostly_zeros(const std::vector<AnyRows>& sets);

// Rows J[0 .. count) of `rows`, which must stay.
template <class T>
class Picked {
 public:
  void pick(const KernelRows<T>& rows, const Column* J, Index count);
  Index size() const { return static_cast<Index>(J_.size()); }

 private:
  template <class>
  friend class Panel;

  const KernelRows<T>* rows_ = nullptr;
  std::vector<Column> J_;
  std::vector<T> x_;  // dense: packed
  std::vector<T> gb_;
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
  // The same with the picked rows first .. first + count - 1.
  void against(const Picked<T>& other, Index first, Index count, T* const* out) const;

 private:
  void spread(const SparseRows<T>& rows, const Column* I);
  bool direct() const { return d_ <= 1024; }  // sparse: every column has its place, used or not
  void tiles(const KernelRows<T>& other, const T* packed, const Column* J, const std::vector<T>& norms, Index first,
             Index count, T* const* out) const;
  void products(const KernelRows<T>& other, const T* packed, const Column* J, Index first, Index count,
                T* const* out) const;
  Index m_ = 0, d_ = 0;
  std::vector<T> x_;  // dense: m x d;  sparse: slot x width_
  std::vector<T> ga_;
  Index width_ = 0;
  std::vector<std::int32_t> slot_;  // sparse, not direct: place of each in x_, 0 = unused
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

// What float32 rows of both sides are multiplied by.
double common_scale(const AnyRows& a, const AnyRows& b, int threads);

// out[i * n + j] = k(a_i, b_j) for all rows of both sides, n of them in b; of one and the same side each pair once.
void kernel_block(const KernelRows<double>& a, const KernelRows<double>& b, double* out, int threads, void (*poll)());

}  // namespace widemargin
