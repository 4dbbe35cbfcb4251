#include "kernel/part_sums.hpp"

#include <algorithm>

namespace widemargin {

void part_sums(const double* K, Index stride, const Column* items, const double* c, Index n, double* out) {
  std::fill_n(out, n, 0.0);
  for (Index b = 0; b < n; ++b) {
    if (c[b] == 0) continue;
    const double* row = K + items[b] * stride;  // a matrix of kernel values is symmetric
    for (Index a = 0; a < n; ++a) out[a] += c[b] * row[items[a]];
  }
}

}  // namespace widemargin
