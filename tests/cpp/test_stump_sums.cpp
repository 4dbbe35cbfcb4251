// What sums of stumps say of rows: tables of columns, and stump by stump, against going through all of them.
#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "check.hpp"
#include "model/stump_replay.hpp"

using namespace widemargin;

namespace {

constexpr float NONE = std::numeric_limits<float>::quiet_NaN();
const auto at = [](auto i) { return static_cast<std::size_t>(i); };

// Few different numbers, so that many are thresholds themselves; some are missing.
std::vector<float> numbers(Index size, std::uint64_t seed) {
  Random random(seed, Purpose::sample, 0);
  std::vector<float> x;
  for (Index i = 0; i < size; ++i) x.push_back(random.below(9) ? static_cast<float>(random.below(21)) / 4 : NONE);
  return x;
}

struct Replayed {
  std::vector<double> margins, wrong, all, undecided;

  bool operator==(const Replayed&) const = default;
};

}  // namespace

TEST(tables_of_columns_count_the_thresholds_below) {
  const Index n = 1300, d = 10, k = 3;
  const std::vector<float> x = numbers(n * d, 1);
  // Columns 9, 7, 5, … with 0, 1, 2, 3, 7 thresholds.
  const std::vector<std::int64_t> columns{9, 7, 5, 3, 1}, first{0, 0, 1, 3, 6, 13};
  std::vector<float> thresholds;
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::int64_t t = first[j]; t < first[j + 1]; ++t) thresholds.push_back(static_cast<float>(t - first[j]) / 2);
  std::vector<double> tables;
  for (Index line = 0; line < (13 + 2 * 5) * k; ++line) tables.push_back(std::ldexp(1.0, static_cast<int>(line % 50)));
  std::vector<double> expected(at(n * k), 1.0), out(expected), again(expected);
  for (Index i = 0; i < n; ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const float v = x[at(i * d + columns[j])];
      Index line = first[j + 1] - first[j] + 1;
      if (v == v) {
        line = 0;
        for (std::int64_t t = first[j]; t < first[j + 1]; ++t) line += thresholds[at(t)] < v;
      }
      line += first[j] + 2 * static_cast<Index>(j);
      for (Index c = 0; c < k; ++c) expected[at(i * k + c)] += tables[at(line * k + c)];
    }
  const StumpTables all{columns.data(), 5, first.data(), thresholds.data(), tables.data(), k};
  add_stump_tables({x.data(), n, d}, all, out.data(), 1, never);
  add_stump_tables({x.data(), n, d}, all, again.data(), 3, never);
  CHECK(out == expected && again == expected);
}

TEST(stumps_are_replayed_as_they_were_boosted) {
  const Index d = 3, size = 40;
  std::vector<std::int64_t> column;
  std::vector<float> threshold;
  std::vector<double> values, steps, factor;
  Random random(2, Purpose::start, 0);
  for (Index t = 0; t < size; ++t) {
    column.push_back(static_cast<std::int64_t>(random.below(3)));
    threshold.push_back(static_cast<float>(random.below(20)) / 4);
    for (int side = 0; side < 3; ++side) values.push_back(random.below(2) ? 0.5 : -0.25);
    steps.push_back(static_cast<double>(1 + random.below(4)) / 8);  // some sums are exactly 0
    factor.push_back(0.5 + random.uniform());
  }
  for (const Index n : {1, 511, 1283, 64 * 512 + 700}) {  // one block, several, and more than there are tasks
    const std::vector<float> x = numbers(n * d, 3);
    std::vector<std::uint8_t> negative;
    std::vector<double> share;
    for (Index i = 0; i < n; ++i) {
      negative.push_back(static_cast<std::uint8_t>(random.below(2)));
      share.push_back((0.5 + random.uniform()) / static_cast<double>(n));
    }
    const auto replay = [&](int threads) {
      Replayed r{std::vector<double>(at(n), 7.0), std::vector<double>(at(size), 7.0), {}, {}};
      r.all = r.undecided = r.wrong;
      replay_stumps({x.data(), n, d}, negative.data(), share.data(),
                    {column.data(), threshold.data(), values.data(), steps.data(), factor.data(), size},
                    r.margins.data(), r.wrong.data(), r.all.data(), r.undecided.data(), threads, never);
      return r;
    };
    const Replayed found = replay(1);
    CHECK(found == replay(3));
    std::vector<double> m(at(n), 0.0);
    double scale = 1;
    for (Index t = 0; t < size; ++t) {
      double wrong = 0, all = 0, undecided = 0;
      for (Index i = 0; i < n; ++i) {
        const float v = x[at(i * d + column[at(t)])];
        const double said = values[at(3 * t + (v == v ? v > threshold[at(t)] : 2))] < 0 ? -1 : 1;
        const double y = negative[at(i)] ? -1 : 1, w = share[at(i)] * std::exp(-m[at(i)]) / scale;
        all += w;
        wrong += said == y ? 0 : w;
        m[at(i)] += said * y * steps[at(t)];
        undecided += m[at(i)] > 0 ? 0 : share[at(i)];
      }
      scale *= factor[at(t)];
      CHECK(std::abs(found.wrong[at(t)] - wrong) <= 1e-11 * all && std::abs(found.all[at(t)] - all) <= 1e-11 * all);
      CHECK(std::abs(found.undecided[at(t)] - undecided) <= 1e-12);
    }
    CHECK(found.margins == m);
  }
}
