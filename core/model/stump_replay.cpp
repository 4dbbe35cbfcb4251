#include "model/stump_replay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr Index TOGETHER = 512;  // rows that go through all stumps at once
constexpr Index TASKS = 64;      // at most: each has sums of its own

struct Sums {
  double wrong = 0, all = 0, undecided = 0;
};

// By sign of the row and side of the stump: three of + rows, then three of - rows.
struct Moves {
  double margin[6], factor[6], wrong[6];

  Moves(const double* values, double step, double divisor) {
    for (int place = 0; place < 6; ++place) {
      const bool agree = (values[place % 3] < 0) == (place >= 3);
      margin[place] = agree ? step : -step;
      factor[place] = std::exp(-margin[place]) / divisor;
      wrong[place] = !agree;
    }
  }
};

constexpr int LANES = 4;  // sums side by side, so that one addition need not wait for another

// `place`: 3 for - rows, to which the side is added.
void add_round(const float* x, Index stride, float threshold, const Moves& move, const std::uint8_t* place,
               const double* share, Index count, double* w, double* m, Sums& to) {
  double wrong[LANES] = {}, all[LANES] = {}, undecided[LANES] = {};
  const auto step = [&](Index i, int lane) {
    const float v = x[i * stride];
    const int at = place[i] + (v > threshold) + 2 * (v != v);
    all[lane] += w[i];
    wrong[lane] += w[i] * move.wrong[at];
    m[i] += move.margin[at];
    w[i] *= move.factor[at];
    undecided[lane] += share[i] * static_cast<double>(m[i] <= 0);
  };
  Index i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int lane = 0; lane < LANES; ++lane) step(i + lane, lane);
  for (; i < count; ++i) step(i, 0);
  for (int lane = 0; lane < LANES; ++lane) {
    to.wrong += wrong[lane];
    to.all += all[lane];
    to.undecided += undecided[lane];
  }
}

}  // namespace

void replay_stumps(const FloatRows& rows, const std::uint8_t* negative, const double* share,
                   const ReplayedStumps& stumps, double* margins, double* wrong, double* all, double* undecided,
                   int threads, Poll poll) {
  const Index size = stumps.size, blocks = (rows.n + TOGETHER - 1) / TOGETHER, tasks = std::min(blocks, TASKS);
  std::vector<Moves> moves;
  for (Index t = 0; t < size; ++t) moves.emplace_back(stumps.values + 3 * t, stumps.steps[t], stumps.factor[t]);
  std::vector<Sums> sums(static_cast<std::size_t>(tasks * size));
  const auto work = [&](Index task) {
    double w[TOGETHER];
    std::uint8_t place[TOGETHER];
    for (Index b = task * blocks / tasks; b < (task + 1) * blocks / tasks; ++b) {
      const Index begin = b * TOGETHER, count = std::min(TOGETHER, rows.n - begin);
      std::copy(share + begin, share + begin + count, w);
      std::fill(margins + begin, margins + begin + count, 0.0);
      for (Index i = 0; i < count; ++i) place[i] = negative[begin + i] ? 3 : 0;
      for (Index t = 0; t < size; ++t)
        add_round(rows.x + begin * rows.d + stumps.column[t], rows.d, stumps.threshold[t],
                  moves[static_cast<std::size_t>(t)], place, share + begin, count, w, margins + begin,
                  sums[static_cast<std::size_t>(task * size + t)]);
    }
  };
  parallel_for(tasks, threads, work, poll);
  for (Index t = 0; t < size; ++t) {
    wrong[t] = all[t] = undecided[t] = 0;
    for (Index task = 0; task < tasks; ++task) {
      const Sums& sum = sums[static_cast<std::size_t>(task * size + t)];
      wrong[t] += sum.wrong;
      all[t] += sum.all;
      undecided[t] += sum.undecided;
    }
  }
}

}  // namespace widemargin
