// Rows of kernel values computed from rows of numbers (kernel/panel.hpp).
#pragma once

#include <vector>

#include "kernel/panel.hpp"
#include "kernel/row_source.hpp"

namespace widemargin {

class NativeSource final : public RowSource {
 public:
  explicit NativeSource(const KernelRows<float>& rows) : rows_(rows) {}

  Index n() const override { return rows_.n(); }
  double diag(Index i) const override { return rows_.diag(i); }
  void gather(const Column* I, Index m) override;
  void tile(Index p, Index first, Index count, float* const* out) const override {
    panels_[static_cast<std::size_t>(p)].against(rows_, first, count, out);
  }
  void square(const Column* I, Index m, float* out, Index ld, int threads) override;
  std::unique_ptr<RowSource> subset(const Column* items, Index m) override;
  bool has_subsets() const override { return true; }
  const Panel<float>& panel_of(Index p) const { return panels_[static_cast<std::size_t>(p)]; }

 private:
  const KernelRows<float>& rows_;
  std::vector<Panel<float>> panels_;
  Picked<float> picked_;
};

// Some of the rows, packed together.
class NativeSubset final : public RowSource {
 public:
  NativeSubset(const KernelRows<float>& rows, const Column* items, Index m) : whole_(rows), of_(items, items + m) {
    picked_.pick(rows, items, m);
  }

  Index n() const override { return static_cast<Index>(of_.size()); }
  double diag(Index i) const override { return whole_.diag(of_[static_cast<std::size_t>(i)]); }
  void gather(const Column* I, Index m) override { whole_.gather(among(I, m), m); }
  void tile(Index p, Index first, Index count, float* const* out) const override {
    whole_.panel_of(p).against(picked_, first, count, out);
  }
  void square(const Column* I, Index m, float* out, Index ld, int threads) override {
    whole_.square(among(I, m), m, out, ld, threads);
  }

 private:
  // The numbers that these items have in the whole.
  const Column* among(const Column* I, Index m);

  NativeSource whole_;
  Picked<float> picked_;
  std::vector<Column> of_, asked_;
};

}  // namespace widemargin
