// Random problems of six variables whose kernel values are exact in float32, each with a feasible point.
#pragma once

#include <vector>

#include "base/rng.hpp"
#include "exact_box.hpp"

namespace widemargin {

inline TinyBox tiny_box(std::uint64_t seed, int groups, std::vector<double>& start) {
  Random random(seed, Purpose::sample, 9);
  const auto eighths = [&](int most) { return static_cast<double>(random.below(static_cast<unsigned>(8 * most))) / 8; };
  constexpr int n = 6, d = 3;
  TinyBox box{n, groups, {}, {}, {}, {}, {}, {}};
  std::vector<double> x;
  for (int k = 0; k < n * d; ++k) x.push_back(eighths(4) - 2);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double value = i == j ? 0.125 : 0;
      for (int k = 0; k < d; ++k)
        value += x[static_cast<std::size_t>(i * d + k)] * x[static_cast<std::size_t>(j * d + k)];
      box.K.push_back(value);
    }
  box.total.assign(static_cast<std::size_t>(groups), 0.0);
  start.clear();
  for (int i = 0; i < n; ++i) {
    const int g = groups == 1 ? 0 : i % 2;
    box.group.push_back(g);
    box.t.push_back(eighths(4) - 2);
    box.lower.push_back(-eighths(2));
    box.upper.push_back(eighths(2) + 0.125);
    start.push_back((box.lower.back() + box.upper.back()) / 2);
    box.total[static_cast<std::size_t>(g)] += start.back();
  }
  return box;
}

}  // namespace widemargin
