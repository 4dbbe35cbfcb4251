#include "model/votes.hpp"

#include "base/parallel.hpp"

namespace widemargin {

void votes(const double* k, Index ld, Index m, Span<const Column> at, const double* step, const double* survival, double one,
           double* out, int threads) {
  parallel_blocks(m, 16, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const double* row = k + i * ld;
      double u = 0, b = 0, vote = 0;
      for (std::size_t t = 0; t < at.size(); ++t) {
        // The bias apart: 1 added to a tiny kernel value would swallow it.
        u += step[t] * row[at[t]];
        b += step[t] * one;
        const double sum = u + b;
        vote += survival[t] * static_cast<double>((sum > 0) - (sum < 0));
      }
      out[i] = vote;
    }
  });
}

}  // namespace widemargin
