#include "model/stump_tables.hpp"

#include "base/parallel.hpp"

namespace widemargin {
namespace {

// How many of the ascending numbers t are below x; halving without branches.
inline Index below(const float* t, Index size, float x) {
  const float* base = t;
  while (size > 1) {
    const Index half = size / 2;
    base += base[half - 1] < x ? half : 0;
    size -= half;
  }
  return base - t + (size == 1 && *base < x);
}

}  // namespace

void add_stump_tables(const FloatRows& rows, const StumpTables& tables, double* out, int threads, Poll poll) {
  const auto add = [&](Index begin, Index end) {
    for (Index j = 0; j < tables.used; ++j) {
      const float* t = tables.thresholds + tables.first[j];
      const Index size = tables.first[j + 1] - tables.first[j];
      const double* table = tables.tables + (tables.first[j] + 2 * j) * tables.k;
      for (Index i = begin; i < end; ++i) {
        const float x = rows.x[i * rows.d + tables.columns[j]];
        const Index line = x == x ? below(t, size, x) : size + 1;
        for (Index c = 0; c < tables.k; ++c) out[i * tables.k + c] += table[line * tables.k + c];
      }
    }
  };
  parallel_blocks(rows.n, 512, threads, add, poll);
}

}  // namespace widemargin
