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

 private:
  const KernelRows<float>& rows_;
  std::vector<Panel<float>> panels_;
  Picked<float> picked_;
};

}  // namespace widemargin
