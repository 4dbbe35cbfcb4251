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

// By sign of the row and side of the stump.
struct Moves {
  double margin[2][3], factor[2][3];
  bool wrong[2][3];

  Moves(const double* values, double step, double divisor) {
    for (int negative = 0; negative < 2; ++negative)
      for (int side = 0; side < 3; ++side) {
        const bool agree = (values[side] < 0) == (negative == 1);
        margin[negative][side] = agree ? step : -step;
        factor[negative][side] = std::exp(-margin[negative][side]) / divisor;
        wrong[negative][side] = !agree;
      }
  }
};

}  // namespace

void replay_stumps(const FloatRows& rows, const std::uint8_t* negative, const double* share,
                   const ReplayedStumps& stumps, double* margins, double* wrong, double* all, double* undecided,
                   int threads, Poll poll) {
  const Index size = stumps.size, blocks = (rows.n + TOGETHER - 1) / TOGETHER, tasks = std::min(blocks, TASKS);
  std::vector<Moves> moves;
  for (Index t = 0; t < size; ++t) moves.emplace_back(stumps.values + 3 * t, stumps.steps[t], stumps.factor[t]);
  std::vector<Sums> sums(static_cast<std::size_t>(tasks * size));
  const auto work = [&](Index task) {
    std::vector<double> w(TOGETHER);
    for (Index b = task * blocks / tasks; b < (task + 1) * blocks / tasks; ++b) {
      const Index begin = b * TOGETHER, count = std::min(TOGETHER, rows.n - begin);
      std::copy(share + begin, share + begin + count, w.data());
      std::fill(margins + begin, margins + begin + count, 0.0);
      for (Index t = 0; t < size; ++t) {
        const float threshold = stumps.threshold[t];
        const float* x = rows.x + begin * rows.d + stumps.column[t];
        const Moves& move = moves[static_cast<std::size_t>(t)];
        Sums sum;
        for (Index i = 0; i < count; ++i) {
          const float v = x[i * rows.d];
          const int side = v == v ? v > threshold : 2, sign = negative[begin + i] != 0;
          double &m = margins[begin + i], &own = w[static_cast<std::size_t>(i)];
          sum.all += own;
          sum.wrong += move.wrong[sign][side] ? own : 0.0;
          m += move.margin[sign][side];
          own *= move.factor[sign][side];
          sum.undecided += m <= 0 ? share[begin + i] : 0.0;
        }
        Sums& to = sums[static_cast<std::size_t>(task * size + t)];
        to.wrong += sum.wrong;
        to.all += sum.all;
        to.undecided += sum.undecided;
      }
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
