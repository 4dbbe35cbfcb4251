// Which rows a member of an ensemble learns from: a function of (seed, number of the member), so that whoever knows
// both knows which rows it has never seen.
#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.hpp"

namespace widemargin {

// How often each of n rows was drawn: `size` draws with replacement, each row equally likely, or by weights of which
// `sums` are the running sums.
inline void draw_rows(std::uint64_t seed, Index member, Index n, Index size, const double* sums, std::uint32_t* times) {
  std::fill(times, times + n, 0u);
  Random random(seed, Purpose::sample, static_cast<std::uint64_t>(member));
  for (Index i = 0; i < size; ++i) {
    if (!sums) {
      ++times[random.below32(static_cast<std::uint32_t>(n))];
      continue;
    }
    const double at = random.uniform() * sums[n - 1];
    ++times[std::min<Index>(std::upper_bound(sums, sums + n, at) - sums, n - 1)];
  }
}

// All rows are dealt out to `members` in a random order: each row is drawn by one member, once.
inline void deal_rows(std::uint64_t seed, Index member, Index members, Index n, std::uint32_t* times) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  shuffle(order, Random(seed, Purpose::sample, ~std::uint64_t{0}));
  std::fill(times, times + n, 0u);
  for (auto i = static_cast<std::size_t>(member); i < order.size(); i += static_cast<std::size_t>(members))
    times[order[i]] = 1;
}

}  // namespace widemargin
