// Rows of a kernel matrix that lies in memory, and rows that somebody else computes when they are asked for.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "kernel/row_source.hpp"

namespace widemargin {

// K[i * n + j] = k(i, j) for all items of the source.
void fill_matrix(RowSource& source, float* K, int threads, Poll poll);

class MatrixSource final : public RowSource {
 public:
  MatrixSource(const float* K, const double* diag, Index n) : K_(K), diag_(diag), n_(n) {}

  Index n() const override { return n_; }
  double diag(Index i) const override { return diag_[i]; }
  void gather(const Column* I, Index m) override { items_.assign(I, I + m); }
  void tile(Index p, Index first, Index count, float* const* out) const override;
  void square(const Column* I, Index m, float* out, Index ld, int threads) override;
  const float* row(Index i, Index first) const override { return K_ + i * n_ + first; }

 private:
  const float* K_;
  const double* diag_;
  Index n_;
  std::vector<Column> items_;
};

// Some of the items of a matrix in memory that others read too, by their numbers there. Neighbours are copied together.
class SubmatrixSource final : public RowSource {
 public:
  SubmatrixSource(const float* K, const double* diag, Index columns, const Column* of, Index n);

  Index n() const override { return static_cast<Index>(of_.size()); }
  double diag(Index i) const override { return diag_[at(i)]; }
  void gather(const Column* I, Index m) override { items_.assign(I, I + m); }
  void tile(Index p, Index first, Index count, float* const* out) const override;
  void square(const Column* I, Index m, float* out, Index ld, int threads) override;

 private:
  Column at(Index i) const { return of_[static_cast<std::size_t>(i)]; }

  const float* K_;
  const double* diag_;
  Index columns_;
  std::vector<Column> of_;
  std::vector<Index> run_;  // how many items from here on are neighbours in the matrix too
  std::vector<Column> items_, picked_;
};

// `rows(I, m, out)` writes m x n values, `square(I, m, out)` m x m.
class CalledSource final : public RowSource {
 public:
  using Rows = std::function<void(const Column*, Index, float*)>;

  CalledSource(Index n, const double* diag, Rows rows, Rows square)
      : n_(n), diag_(diag), rows_(std::move(rows)), square_(std::move(square)) {}

  Index n() const override { return n_; }
  double diag(Index i) const override { return diag_[i]; }
  void gather(const Column* I, Index m) override {
    m_ = m;
    values_.resize(static_cast<std::size_t>(m * n_));
    if (m > 0) rows_(I, m, values_.data());
  }
  void tile(Index p, Index first, Index count, float* const* out) const override {
    for (Index a = p * panel; a < std::min(m_, (p + 1) * panel); ++a)
      std::copy_n(values_.data() + a * n_ + first, count, out[a - p * panel]);
  }
  void square(const Column* I, Index m, float* out, Index ld, int) override {
    values_.resize(static_cast<std::size_t>(m * m));
    square_(I, m, values_.data());
    for (Index a = 0; a < m; ++a) std::copy_n(values_.data() + a * m, m, out + a * ld);
  }

 private:
  Index n_, m_ = 0;
  const double* diag_;
  Rows rows_, square_;
  std::vector<float> values_;
};

}  // namespace widemargin
