#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "solver/count_cuts.hpp"

using namespace widemargin;

namespace {

struct Histogram {
  Index bins, lanes;
  std::vector<std::uint16_t> counts, total;
  std::int32_t w = 0;

  // Every third bin or so is empty; `most` rows of a class in a bin, and `extra` in one of them.
  Histogram(Index bins_, Index lanes_, Index classes, std::uint32_t most, std::uint32_t extra, std::uint64_t seed)
      : bins(bins_), lanes(lanes_), counts(static_cast<std::size_t>(bins_ * lanes_)), total(32) {
    Random random(seed, Purpose::start, 3);
    for (Index b = 0; b < bins; ++b)
      for (Index k = 0; k < classes && b % 3 != 1; ++k) add(b, k, random.below32(most + 1));
    add(bins / 2, 0, extra), add(bins / 2, 1, extra);
  }

  void add(Index bin, Index k, std::uint32_t x) {
    counts[static_cast<std::size_t>(bin * lanes + k)] += static_cast<std::uint16_t>(x);
    total[static_cast<std::size_t>(k)] += static_cast<std::uint16_t>(x);
    w += static_cast<std::int32_t>(x);
  }
  std::uint16_t at(Index bin, Index k) const { return counts[static_cast<std::size_t>(bin * lanes + k)]; }
};

void check_walk(const Histogram& h) {
  Cuts cuts;
  cuts.reserve(h.bins);
  std::vector<std::uint16_t> before(h.counts.size(), 9);
  walk_bins(h.counts.data(), h.bins, h.lanes, h.total.data(), cuts, before.data());
  std::vector<std::int64_t> l(32);
  std::size_t j = 0;
  for (Index b = 0; b < h.bins; ++b) {
    bool any = false;
    for (Index k = 0; k < h.lanes; ++k) any |= h.at(b, k) > 0;
    if (!any) continue;
    std::int64_t left = 0, right = 0, weight = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(h.lanes); ++k) {
      CHECK(before[static_cast<std::size_t>(b * h.lanes) + k] == l[k]);
      l[k] += h.at(b, static_cast<Index>(k));
      left += l[k] * l[k], right += (h.total[k] - l[k]) * (h.total[k] - l[k]), weight += l[k];
    }
    CHECK(cuts.at[j] == b && cuts.left[j] == left && cuts.right[j] == right && cuts.weight[j] == weight);
    ++j;
  }
  CHECK(cuts.size == static_cast<Index>(j));
  const Index best = best_gini(cuts, h.w);
  CHECK((best < 0) == (j < 2));
  double most = -1;
  Index first = -1;
  for (std::size_t c = 0; c + 1 < j; ++c) {
    const double score = static_cast<double>(cuts.left[c]) / cuts.weight[c] +
                         static_cast<double>(cuts.right[c]) / (static_cast<double>(h.w) - cuts.weight[c]);
    CHECK(cuts.score[c] == score);
    if (score > most) most = score, first = static_cast<Index>(c);
  }
  CHECK(best == first);
}

TEST(bins_are_walked_to_the_first_of_the_best_cuts) {
  at_every_level([] {
    for (const Index bins : {1, 2, 3, 5, 8, 100, 256})
      for (const std::uint64_t seed : {1, 2}) {
        check_walk(Histogram(bins, 2, 2, 3, 0, seed));
        check_walk(Histogram(bins, 16, 9, 1, 1, seed));
        check_walk(Histogram(bins, 32, 26, 2, 0, seed));
      }
    // As many rows as the sums can hold.
    for (const Index lanes : {2, 16, 32}) check_walk(Histogram(99, lanes, 2, 9, 32767 - 9 * 66, 5));
    for (const Index lanes : {2, 16, 32}) check_walk(Histogram(1, lanes, 2, 0, 32767, 5));
  });
}

// The cuts of one bin, whatever the order of the rows in it.
TEST(no_cut_inside_of_a_bin_is_above_its_bound) {
  at_every_level([] {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      for (const Index lanes : {2, 16, 32}) {
        const Index classes = std::min<Index>(lanes, 4);
        const Histogram h(3 + static_cast<Index>(seed % 5), lanes, classes, 1 + seed % 4, seed % 3 ? 0 : 2, seed);
        Cuts cuts;
        cuts.reserve(h.bins);
        std::vector<std::uint16_t> before(h.counts.size());
        walk_bins(h.counts.data(), h.bins, lanes, h.total.data(), cuts, before.data());
        if (best_gini(cuts, h.w) < 0) continue;
        for (std::size_t j = 0; j < static_cast<std::size_t>(cuts.size); ++j) {
          const bool last = j + 1 == static_cast<std::size_t>(cuts.size);
          const std::size_t at = cuts.at[j] * static_cast<std::size_t>(lanes);
          const double below = j ? cuts.weight[j - 1] : 0, beyond = h.w - cuts.weight[j];
          const BinSides bin{h.counts.data() + at,      before.data() + at,        h.total.data(), lanes,
                             j ? cuts.low[j - 1] : 0.0, last ? 0.0 : cuts.high[j], below,          beyond,
                             cuts.weight[j] - below};
          const double bound = inner_bound(bin);
          for (int some = 0; some < 5 * 5 * 5 * 5; ++some) {
            double left = 0, right = 0, n = 0;
            bool there = true;
            for (int k = 0, rest = some; k < 4; ++k, rest /= 5) {
              const double c = k < classes ? bin.counts[k] : 0, l = k < classes ? bin.before[k] : 0, x = rest % 5;
              there &= x <= c;
              const double r = (k < classes ? h.total[static_cast<std::size_t>(k)] : 0) - l - x;
              left += (l + x) * (l + x), right += r * r, n += l + x;
            }
            if (there && n > 0 && n < h.w) CHECK(left / n + right / (h.w - n) <= bound);
          }
        }
      }
  });
}

}  // namespace
