// Stumps against all questions asked one by one. Weights are eighths, so that sums are exact and gains are often equal:
// the first of the best is then told by the definition alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/rng.hpp"
#include "check.hpp"
#include "solver/boost_stumps.hpp"

using namespace widemargin;

namespace {

constexpr float NONE = std::numeric_limits<float>::quiet_NaN();
const auto at = [](auto i) { return static_cast<std::size_t>(i); };

// Columns of every kind: 0 numbers that hardly repeat; 1 four different ones; 2 mostly 0; 3 and 4 as 0 and 1 with
// missing values; 5 always the same number; 6 the same or missing, more often so where the sign is +.
struct Rows {
  Index n, d = 7, positives;
  std::vector<float> x;
  std::vector<double> w;

  Rows(Index rows, std::uint64_t seed, bool fine = true) : n(rows), positives(rows / 3) {
    Random random(seed, Purpose::sample, 0);
    const auto many = [&] { return static_cast<float>(random.below(fine ? 1 << 24 : 40)) / 64; };
    for (Index i = 0; i < n; ++i) {
      const float usual = random.below(8) ? 0.0f : many(), one = many();
      const float there = random.below(i < positives ? 3 : 9) ? 2.5f : NONE;
      const float row[] = {one,
                           static_cast<float>(random.below(4)),
                           usual,
                           random.below(5) ? many() : NONE,
                           random.below(3) ? static_cast<float>(random.below(3)) : NONE,
                           2.5f,
                           there};
      x.insert(x.end(), row, row + d);
      w.push_back(static_cast<double>(1 + random.below(8)) / 8);
    }
  }

  double sign(Index i) const { return i < positives ? 1 : -1; }
  float value(Index i, Index f) const { return x[at(i * d + f)]; }
  StumpGround ground(const double* u = nullptr) const {
    return StumpGround(x.data(), n, d, nullptr, positives, u, 1, never);
  }
};

using Channels = std::vector<double>;

double side_gain(Gain gain, const Channels& s) {
  double sum = 0;
  if (gain == Gain::squares) return s[0] > 0 ? s[1] * s[1] / s[0] : 0.0;
  if (gain == Gain::heaviest) return *std::max_element(s.begin(), s.end());
  for (std::size_t c = 0; c < s.size(); ++c) {
    if (gain == Gain::absolute) sum += std::abs(s[c]);
    if (gain == Gain::positive) sum += std::max(0.0, s[c]);
    if (gain == Gain::roots && c % 2) sum -= std::sqrt(s[c - 1] * s[c]);
  }
  return sum;
}

struct Question {
  Index column = -1;
  double below = 0, gain = 0;  // rows up to this number go left
};

// All questions, first those of the first column, in the order of their numbers; before them the one that asks nothing.
// v: k numbers a row, times its weight; size: the weight of a row.
Question ask_all(const Rows& r, Gain gain, const Channels& v, Index k, const std::vector<double>& size, double share) {
  Channels total(at(k), 0);
  double all = 0;
  for (Index i = 0; i < r.n; ++i) {
    all += size[at(i)];
    for (Index c = 0; c < k; ++c) total[at(c)] += v[at(i * k + c)];
  }
  Question best{-1, 0, side_gain(gain, total)};
  for (Index f = 0; f < r.d; ++f) {
    std::vector<std::pair<float, Index>> sorted;
    Channels missing(at(k), 0), left(at(k), 0);
    for (Index i = 0; i < r.n; ++i) {
      if (r.value(i, f) == r.value(i, f)) {
        sorted.push_back({r.value(i, f), i});
        continue;
      }
      for (Index c = 0; c < k; ++c) missing[at(c)] += v[at(i * k + c)];
    }
    const bool whole = static_cast<Index>(sorted.size()) == r.n;  // nothing is left to ask after the last number
    std::sort(sorted.begin(), sorted.end());
    double weight = 0;
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      const auto [number, i] = sorted[j];
      weight += size[at(i)];
      for (Index c = 0; c < k; ++c) left[at(c)] += v[at(i * k + c)];
      if (j + 1 < sorted.size() ? sorted[j + 1].first == number : whole) continue;
      if (weight < share * all || all - weight < share * all) continue;
      Channels right(total);
      for (Index c = 0; c < k; ++c) right[at(c)] -= left[at(c)] + missing[at(c)];
      const double g = side_gain(gain, left) + side_gain(gain, right) + (whole ? 0 : side_gain(gain, missing));
      if (g > best.gain) best = {f, number, g};
    }
  }
  return best;
}

// Whether the stump asks the question, of the rows and of the numbers.
bool asks(const Rows& r, const StumpGround& ground, const Stump& stump, const Question& question) {
  if (stump.constant) return question.column < 0;
  if (stump.column != question.column) return false;
  std::vector<std::uint8_t> side(at(r.n));
  ground.sides(stump.column, stump.cut, side.data());
  const float threshold = ground.threshold(stump.column, stump.cut);
  for (Index i = 0; i < r.n; ++i) {
    const float v = r.value(i, stump.column);
    const int right = v > question.below, expected = v == v ? right : 2;
    if (side[at(i)] != expected || (v == v && (v > threshold) != right)) return false;
  }
  return true;
}

bool same(const Stump& a, const Stump& b) {
  return a.column == b.column && a.cut == b.cut && a.constant == b.constant && a.gain == b.gain && a.total == b.total &&
         a.sums == b.sums;
}

void check_edge(const Rows& r, const std::vector<double>& u, double share) {
  StumpGround ground = r.ground(u.empty() ? nullptr : u.data());
  ground.set_least_share(share);
  Channels v;
  std::vector<double> size;
  double all = 0;
  for (Index i = 0; i < r.n; ++i) {
    size.push_back(r.w[at(i)] * (u.empty() ? 1.0 : u[at(i)]));
    v.push_back(r.sign(i) * size.back());
    all += size.back();
  }
  const Question best = ask_all(r, Gain::absolute, v, 1, size, share);
  double error = 0;
  ground.weigh(r.w.data(), 1, never);
  const Stump stump = ground.best_edge(error, 1, never);
  CHECK(asks(r, ground, stump, best));
  CHECK(stump.gain == best.gain && stump.total == all);
  CHECK(std::abs(error - (all - best.gain) / 2 / all) < 1e-15);
  const Channels signs = [&] {
    Channels out;
    for (Index i = 0; i < r.n; ++i) out.push_back(r.sign(i) * r.w[at(i)]);
    return out;
  }();
  CHECK(same(stump, ground.best(Gain::absolute, signs.data(), 1, nullptr, 1, never)));
  double again = 0;
  ground.weigh(r.w.data(), 3, never);
  CHECK(same(stump, ground.best_edge(again, 3, never)) && again == error);
}

}  // namespace

TEST(the_best_edge_is_the_first_of_the_best_of_all_questions) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const Index n : {1, 2, 7, 60, 700}) check_edge(Rows(n, seed, seed % 2), {}, 0);
}

TEST(the_best_edge_is_that_of_all_questions_with_weights_and_heavy_sides) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Rows r(500, seed, seed % 3);
    std::vector<double> whole, part;
    for (Index i = 0; i < r.n; ++i) {
      whole.push_back(static_cast<double>((i * 7 + 3) % 4));  // 0: the row is absent
      part.push_back(static_cast<double>(1 + (i * 5) % 9) / 16);
    }
    for (const double share : {0.0, 0.125, 0.375, 0.5}) {
      check_edge(r, {}, share);
      check_edge(r, whole, share);
      check_edge(r, part, share);
    }
  }
}

TEST(the_best_edge_of_more_numbers_than_two_bytes_count) {
  const Rows r(70'000, 3);
  std::set<float> numbers;
  for (Index i = 0; i < r.n; ++i) numbers.insert(r.value(i, 0));
  CHECK(numbers.size() > 65'536);
  check_edge(r, {}, 0);
}

TEST(every_gain_is_the_largest_of_all_questions) {
  for (const Gain gain : {Gain::absolute, Gain::positive, Gain::heaviest, Gain::squares, Gain::roots})
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const Rows r(seed % 2 ? 30 : 400, 100 + seed, seed % 3);
      const StumpGround ground = r.ground();
      const Index k = gain == Gain::squares ? 2 : 4;
      Random random(seed, Purpose::sample, 1);
      Channels v;
      std::vector<double> size;
      for (Index i = 0; i < r.n; ++i) {
        double sum = 0;
        for (Index c = 0; c < k; ++c) {
          const bool weight = gain == Gain::roots || (gain == Gain::squares && c == 0);
          v.push_back((static_cast<double>(random.below(9)) + (weight ? 1 : -4)) / 8);
          if (gain != Gain::squares || c == 0) sum += std::abs(v.back());
        }
        size.push_back(sum);
      }
      const Question best = ask_all(r, gain, v, k, size, 0);
      const Stump stump = ground.best(gain, v.data(), k, nullptr, 1, never);
      CHECK(std::abs(stump.gain - best.gain) <= 1e-12 * (1 + std::abs(best.gain)));
      if (gain < Gain::squares) CHECK(asks(r, ground, stump, best));  // the others are rounded
      CHECK(same(stump, ground.best(gain, v.data(), k, nullptr, 3, never)));
    }
}

TEST(one_channel_a_row_is_zeros_in_all_others) {
  const Rows r(300, 5);
  const StumpGround ground = r.ground();
  std::vector<std::int32_t> only;
  Channels full;
  for (Index i = 0; i < r.n; ++i) {
    only.push_back(static_cast<std::int32_t>(i * 5 % 3));
    for (std::int32_t c = 0; c < 3; ++c) full.push_back(c == only.back() ? r.w[at(i)] : 0.0);
  }
  const Stump one = ground.best(Gain::heaviest, r.w.data(), 3, only.data(), 1, never);
  const Stump all = ground.best(Gain::heaviest, full.data(), 3, nullptr, 1, never);
  CHECK(one.column == all.column && one.cut == all.cut && one.gain == all.gain && one.sums == all.sums);
}

TEST(neighbouring_numbers_are_told_apart) {
  const float one = 1.0f, next = std::nextafter(one, 2.0f), after = std::nextafter(next, 2.0f);
  const std::vector<float> x{next, after, one, one};
  StumpGround ground(x.data(), 4, 1, nullptr, 2, nullptr, 1, never);
  CHECK(ground.threshold(0, 0) >= one && ground.threshold(0, 0) < next);
  CHECK(ground.threshold(0, 1) >= next && ground.threshold(0, 1) < after);
  CHECK(ground.threshold(0, 2) == HUGE_VALF);
}

TEST(rows_that_stand_there_twice_weigh_two) {
  const Rows r(200, 8);
  std::vector<double> u(at(r.n)), w;
  std::vector<float> x;
  Index positives = 0;
  for (Index i = 0; i < r.n; ++i) {
    u[at(i)] = static_cast<double>(1 + i % 3);
    for (Index t = 0; t <= i % 3; ++t) {
      x.insert(x.end(), r.x.begin() + i * r.d, r.x.begin() + (i + 1) * r.d);
      w.push_back(r.w[at(i)] / 3);
      positives += i < r.positives;
    }
  }
  std::vector<double> thirds;
  for (const double v : r.w) thirds.push_back(v / 3);
  StumpGround weighted = r.ground(u.data());
  StumpGround repeated(x.data(), static_cast<Index>(w.size()), r.d, nullptr, positives, nullptr, 1, never);
  double one = 0, two = 0;
  weighted.weigh(thirds.data(), 1, never);
  repeated.weigh(w.data(), 1, never);
  CHECK(same(weighted.best_edge(one, 1, never), repeated.best_edge(two, 1, never)));
  CHECK(one == two);
  StumpBooster light(weighted), many(repeated);
  StumpRounds a, b;
  light.boost(1, 40, a, 1, never);
  many.boost(1, 40, b, 1, never);
  CHECK(a.column == b.column && a.threshold == b.threshold && a.error == b.error && a.step == b.step);
}

TEST(some_rows_weighed_anew_are_all_rows_weighed_anew) {
  const Rows r(700, 9);
  StumpGround some = r.ground(), all = r.ground();
  std::vector<double> w(r.w), changed;
  std::vector<std::uint32_t> rows;
  Index plus = 0;
  for (Index i = 0; i < r.n; i += 1 + i % 3) {
    w[at(i)] = 1.5 - w[at(i)] / 2;
    rows.push_back(static_cast<std::uint32_t>(i));
    changed.push_back(w[at(i)]);
    plus += i < r.positives;
  }
  double one = 0, two = 0;
  some.weigh(r.w.data(), 1, never);
  some.weigh_some(rows.data(), changed.data(), plus, static_cast<Index>(rows.size()), 3, never);
  all.weigh(w.data(), 1, never);
  CHECK(same(some.best_edge(one, 1, never), all.best_edge(two, 1, never)) && one == two);
  CHECK(some.weights() == all.weights() && static_cast<double>(all.weights()) < all.most_weights());
}

// With 150 rounds weights are often made anew; a rate of 1.9 moves rows far.
TEST(rounds_of_adaboost_follow_their_definition) {
  const Rows r(160, 11);
  for (const double rate : {0.7, 1.0, 1.9}) {
    StumpGround ground = r.ground();
    StumpBooster booster(ground);
    StumpRounds out;
    booster.boost(rate, 150, out, 1, never);
    CHECK(out.column.size() == 150 && out.stop == BoostStop::rounds);
    std::vector<double> margin(at(r.n), 0.0);
    for (std::size_t t = 0; t < out.column.size(); ++t) {
      std::vector<double> v, w;
      double sum = 0, wrong = 0;
      for (Index i = 0; i < r.n; ++i) {
        w.push_back(std::exp(-margin[at(i)]));
        v.push_back(r.sign(i) * w.back());
        sum += w.back();
      }
      const Question best = ask_all(r, Gain::absolute, v, 1, w, 0);
      const double step = 0.5 * rate * std::log((1 - out.error[t]) / out.error[t]);
      for (Index i = 0; i < r.n; ++i) {
        const float x = r.value(i, out.column[t]);
        const double said = out.values[3 * t + at(x == x ? x > out.threshold[t] : 2)];
        CHECK(said == 1 || said == -1);
        if (said != r.sign(i)) wrong += w[at(i)];
        margin[at(i)] += step * said * r.sign(i);
      }
      CHECK(std::abs(out.error[t] - wrong / sum) < 1e-12);
      CHECK(std::abs(sum - 2 * wrong - best.gain) < 1e-11 * sum);
      CHECK(std::abs(out.step[t] - step) < 1e-12);
    }
    for (Index i = 0; i < r.n; ++i) CHECK(std::abs(booster.margins()[at(i)] - margin[at(i)]) < 1e-9);
  }
}

TEST(rounds_of_adaboost_are_the_same_cut_or_told_or_on_threads) {
  const Rows r(300, 12);
  StumpGround ground = r.ground(), other = r.ground(), third = r.ground();
  StumpBooster whole(ground), single(other), told(third);
  StumpRounds one, many, rest;
  whole.boost(1, 90, one, 1, never);
  for (int t = 0; t < 90; ++t) single.boost(1, 1, many, 3, never);
  CHECK(whole.margins() == single.margins() && one.column == many.column && one.threshold == many.threshold);
  CHECK(one.values == many.values && one.error == many.error && one.step == many.step);
  for (std::size_t t = 0; t < 50; ++t)
    told.apply(one.column[t], one.threshold[t], one.values.data() + 3 * t, one.step[t], 1, never);
  told.boost(1, 40, rest, 1, never);
  CHECK(told.margins() == whole.margins());
  CHECK(rest.error == std::vector<double>(one.error.begin() + 50, one.error.end()));
}

TEST(adaboost_ends_without_an_edge_and_without_errors) {
  const std::vector<float> corners{0, 0, 1, 1, 0, 1, 1, 0}, line{3, 4, 1, 2};
  StumpGround chess(corners.data(), 4, 2, nullptr, 2, nullptr, 1, never);
  StumpBooster even(chess);
  StumpRounds out;
  even.boost(1, 9, out, 1, never);
  CHECK(out.stop == BoostStop::no_edge && out.column.empty() && even.margins() == std::vector<double>(4, 0.0));
  StumpGround apart(line.data(), 4, 1, nullptr, 2, nullptr, 1, never);
  StumpBooster clear(apart);
  clear.boost(1, 9, out, 1, never);
  CHECK(out.stop == BoostStop::perfect && out.column.size() == 1 && out.error[0] == 0);
  CHECK(std::isfinite(out.step[0]) && out.step[0] == edge_step(least_error, 1) && clear.margins()[0] == out.step[0]);
}

TEST(a_side_without_an_edge_says_what_all_rows_say) {
  Stump stump;
  double values[3];
  stump.sums = {0.0, -2.0, 1.0};
  edge_signs(stump, values);
  CHECK(values[0] == -1 && values[1] == -1 && values[2] == 1);
  stump.sums = {0.0, 2.0, 0.0};
  edge_signs(stump, values);
  CHECK(values[0] == 1 && values[1] == 1 && values[2] == 1);
}
