#include "solver/boost_stumps.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/finish.hpp"

namespace widemargin {

double edge_step(double error, double rate) {
  const double e = std::max(error, least_error);
  return 0.5 * rate * std::log((1.0 - e) / e);
}

void edge_signs(const Stump& stump, double* values) {
  const double all = stump.constant ? stump.sums[0] : stump.sums[0] + stump.sums[1] + stump.sums[2];
  for (int j = 0; j < 3; ++j) {
    const double s = stump.sums[static_cast<std::size_t>(j)];
    values[j] = (s != 0 ? s : all) >= 0 ? 1.0 : -1.0;
  }
}

void boost_stumps(StumpGround& ground, double* m, double rate, Index rounds, StumpRounds& out, int threads, Poll poll) {
  const Index n = ground.rows();
  // Some more than there are rows: the last ones then go the way of all others, to the same bits.
  std::vector<double> w(static_cast<std::size_t>(n + 7) / 8 * 8, 0.0);
  std::vector<std::uint8_t> side(static_cast<std::size_t>(n));
  for (Index t = 0; t < rounds; ++t) {
    poll();
    const double least = *std::min_element(m, m + n);
    for (Index i = 0; i < n; ++i) w[static_cast<std::size_t>(i)] = least - m[i];
    std::fill(w.begin() + n, w.end(), 0.0);
    exp_nonpositive(w.data(), static_cast<Index>(w.size()));
    double error = 0;
    const Stump stump = ground.best_edge(w.data(), error, threads, poll);
    if (!(error < 0.5)) {
      out.stop = BoostStop::no_edge;
      return;
    }
    double values[3], move[2][3];
    edge_signs(stump, values);
    const double step = edge_step(error, rate);
    for (int j = 0; j < 3; ++j) {
      move[0][j] = step * values[j];
      move[1][j] = -step * values[j];
      out.values.push_back(values[j]);
    }
    ground.sides(stump.column, stump.cut, side.data());
    for (Index i = 0; i < n; ++i) m[i] += move[i >= ground.positives()][side[static_cast<std::size_t>(i)]];
    out.column.push_back(static_cast<std::int32_t>(stump.column));
    out.threshold.push_back(ground.threshold(stump.column, stump.cut));
    out.error.push_back(error);
    out.step.push_back(step);
    if (error == 0) {
      out.stop = BoostStop::perfect;
      return;
    }
  }
}

}  // namespace widemargin
