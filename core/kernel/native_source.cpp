#include "kernel/native_source.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace widemargin {

void NativeSource::gather(const Column* I, Index m) {
  const Index panels = (m + panel - 1) / panel;
  if (static_cast<Index>(panels_.size()) < panels) panels_.resize(static_cast<std::size_t>(panels));
  for (Index p = 0; p < panels; ++p)
    panels_[static_cast<std::size_t>(p)].gather(rows_, I + p * panel, std::min(panel, m - p * panel));
}

void NativeSource::square(const Column* I, Index m, float* out, Index ld, int threads) {
  gather(I, m);
  picked_.pick(rows_, I, m);
  parallel_for((m + panel - 1) / panel, threads, [&](Index p) {
    panels_[static_cast<std::size_t>(p)].against(picked_, 0, m, RowPointers<float>(out + p * panel * ld, ld));
  });
}

}  // namespace widemargin
