#include "kernel/native_source.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "kernel/turn.hpp"

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
  // The upper half is computed, the lower copied from it.
  parallel_for((m + panel - 1) / panel, threads, [&](Index p) {
    const Index begin = p * panel, end = std::min(m, begin + panel);
    panels_[static_cast<std::size_t>(p)].against(picked_, begin, m - begin,
                                                 RowPointers<float>(out + begin * ld + begin, ld));
    turn_over(out + begin * ld + end, ld, end - begin, m - end, out + end * ld + begin, ld);
  });
}

std::unique_ptr<RowSource> NativeSource::subset(const Column* items, Index m) {
  return std::make_unique<NativeSubset>(rows_, items, m);
}

const Column* NativeSubset::among(const Column* I, Index m) {
  asked_.resize(static_cast<std::size_t>(m));
  for (Index a = 0; a < m; ++a) asked_[static_cast<std::size_t>(a)] = of_[static_cast<std::size_t>(I[a])];
  return asked_.data();
}

}  // namespace widemargin
