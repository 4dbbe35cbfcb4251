#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "solver/random_lanes.hpp"
#include "solver/random_splitter.hpp"

using namespace widemargin;

namespace {

// A node of m rows among others, of which every third is its own.
template <class T>
struct Sample {
  Index m, d = 11;
  std::vector<T> at;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint16_t> payload;
  LaneClasses classes;

  Sample(Index rows_, Index k, std::uint32_t codes, std::uint32_t most, std::uint64_t seed) : m(rows_) {
    Random random(seed, Purpose::start, 1);
    for (Index i = 0; i < 3 * m * d; ++i) at.push_back(static_cast<T>(random.below32(codes)));
    for (Index i = 0; i < 3 * m; ++i) at[static_cast<std::size_t>(i * d + 4)] = T{3};  // a constant column
    at.resize(at.size() + 8);
    classes.classes = k;
    for (Index i = 0; i < m; ++i) {
      rows.push_back(static_cast<std::uint32_t>(3 * i));
      const std::uint32_t c = random.below32(static_cast<std::uint32_t>(k)), x = 1 + random.below32(most);
      payload.push_back(static_cast<std::uint16_t>(c << 8 | x));
      classes.total[c] += static_cast<std::int32_t>(x);
      classes.w += static_cast<std::int32_t>(x);
    }
    classes.payload = payload.data();
  }

  std::int64_t code(Index i, std::uint32_t column) const {
    return static_cast<std::int64_t>(at[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)] * d + column)]);
  }
  SmallNode<T> node() const { return {at.data(), d, rows.data(), m}; }

  // The score of the cut behind a code, over one denominator.
  void score(std::uint32_t column, std::int64_t cut, std::int64_t& above, std::int64_t& below) const {
    std::int64_t l[32] = {}, n = 0, left = 0, right = 0;
    for (Index i = 0; i < m; ++i) {
      const std::uint16_t p = payload[static_cast<std::size_t>(i)];
      if (code(i, column) <= cut) l[p >> 8] += p & 255, n += p & 255;
    }
    for (std::size_t k = 0; k < 32; ++k)
      left += l[k] * l[k], right += (classes.total[k] - l[k]) * (classes.total[k] - l[k]);
    above = left * (classes.w - n) + right * n, below = n * (classes.w - n);
  }
};

constexpr std::uint32_t COLUMNS[] = {9, 0, 4, 2, 10, 1, 5, 3};

template <class T>
void check_cuts(const Sample<T>& s) {
  CHECK(s.classes.fit());
  LaneSpace space;
  LaneCuts cuts;
  best_cuts(s.node(), s.classes, COLUMNS, space, cuts);
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    // The first of the best cuts: codes in their order.
    std::int64_t best = -1, under = 1, at = 0, next = 0;
    for (std::int64_t cut = 0; cut < 300; ++cut) {
      bool here = false;
      std::int64_t after = 1 << 20;
      for (Index i = 0; i < s.m; ++i) {
        here |= s.code(i, COLUMNS[c]) == cut;
        if (s.code(i, COLUMNS[c]) > cut) after = std::min(after, s.code(i, COLUMNS[c]));
      }
      std::int64_t above, below;
      s.score(COLUMNS[c], cut, above, below);
      if (here && below > 0 && above * under > best * below) best = above, under = below, at = cut, next = after;
    }
    CHECK(cuts.above[c] * static_cast<double>(under) == static_cast<double>(best) * cuts.below[c]);
    CHECK((best < 0) == (cuts.above[c] < 0));
    if (best >= 0) CHECK(cuts.cut[c] == at && cuts.next[c] == next);
  }
}

TEST(the_best_cut_of_each_lane_is_the_first_of_the_best_ones) {
  at_every_level([] {
    for (const Index m : {2, 3, 7, 8, 9, 16, 17, 31, 40, 65, 100, 130, 250}) {
      check_cuts(Sample<std::uint16_t>(m, 2, 300, 1, 1));
      check_cuts(Sample<std::uint8_t>(m, 4, 200, 3, 2));
      check_cuts(Sample<std::uint16_t>(m, 8, 12, 2, 3));
      check_cuts(Sample<std::uint8_t>(m, m < 100 ? 26 : 13, 250, 2, 4));
    }
    check_cuts(Sample<std::uint16_t>(1000, 16, 290, 2, 5));
  });
}

TEST(the_sides_of_random_cuts_are_counted_in_each_lane) {
  at_every_level([] {
    for (const Index m : {2, 5, 8, 33, 300}) {
      const Sample<std::uint8_t> s(m, 3, 9, 1, 6);
      LaneSpace space;
      float low[LANE_COLUMNS], high[LANE_COLUMNS];
      lane_extremes(s.node(), COLUMNS, space, low, high);
      const float cut[] = {0, 1, 3, 2, 4, 5, 6, 8};
      const Index first[] = {0, m / 3, m / 2, m};
      LaneSides sides;
      lane_sides(space, first, 3, cut, sides);
      for (int c = 0; c < LANE_COLUMNS; ++c) {
        std::int64_t least = 255, most = 0, left = 0, right = 0, rows = 0;
        for (Index k = 0; k < 3; ++k) {
          std::int64_t l = 0;
          for (Index i = first[k]; i < first[k + 1]; ++i) {
            const std::int64_t x = s.code(i, COLUMNS[c]);
            least = std::min(least, x), most = std::max(most, x);
            l += static_cast<float>(x) <= cut[c];
          }
          const std::int64_t r = first[k + 1] - first[k] - l;
          left += l * l, right += r * r, rows += l;
        }
        CHECK(low[c] == static_cast<float>(least) && high[c] == static_cast<float>(most));
        CHECK(sides.left[c] == left && sides.right[c] == right && sides.rows[c] == rows);
      }
    }
  });
}

TEST(a_random_cut_of_each_useful_lane_is_that_of_its_own_share) {
  at_every_level([] {
    Random random(1, Purpose::split, 7);
    for (int trial = 0; trial < 200; ++trial) {
      float low[LANE_COLUMNS], high[LANE_COLUMNS], threshold[LANE_COLUMNS];
      double shares[LANE_COLUMNS] = {};
      for (int c = 0; c < LANE_COLUMNS; ++c) {
        low[c] = static_cast<float>(random.uniform() * 4 - 2);
        // Sometimes there is no float between the two.
        high[c] = c & 1 ? std::nextafter(low[c], 3.0f) : low[c] + static_cast<float>(random.uniform());
      }
      const auto useful = static_cast<unsigned>(random.below(256));
      for (int k = 0; k < std::popcount(useful); ++k) shares[k] = random.uniform();
      lane_thresholds(useful, shares, low, high, threshold);
      int k = 0;
      for (int c = 0; c < LANE_COLUMNS; ++c)
        if (useful >> c & 1) CHECK(threshold[c] == random_threshold(low[c], high[c], shares[k++]));
    }
  });
}

TEST(the_chosen_lane_is_the_first_of_the_best_ones_that_may_be) {
  at_every_level([] {
    Random random(2, Purpose::split, 7);
    for (int trial = 0; trial < 2000; ++trial) {
      const LaneTest test{12, static_cast<double>(1 + random.below(3)), trial & 1 ? 1e-14 : 0.3};
      LaneSides s;
      for (int c = 0; c < LANE_COLUMNS; ++c) {
        s.rows[c] = static_cast<std::int32_t>(random.below(13));
        const auto l = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(s.rows[c]) + 1));
        s.left[c] = l * l + (s.rows[c] - l) * (s.rows[c] - l);
        s.right[c] = (12 - s.rows[c]) * (12 - s.rows[c]);
      }
      const auto useful = static_cast<unsigned>(random.below(256));
      const double before = trial % 3 ? -std::numeric_limits<double>::infinity() : 9.0;
      double best = before, expected = before;
      int chosen = -1;
      for (int c = 0; c < LANE_COLUMNS; ++c) {
        const std::int32_t l = s.rows[c], r = 12 - l;
        if (!(useful >> c & 1) || std::min(l, r) < test.fewest) continue;
        const double score = static_cast<double>(s.left[c]) / l + static_cast<double>(s.right[c]) / r;
        if (score > expected + test.slack) expected = score, chosen = c;
      }
      CHECK(lane_choice(useful, s, test, best) == chosen && best == expected);
    }
  });
}

}  // namespace
