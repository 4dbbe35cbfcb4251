// Small data sets for the tests: the same numbers as dense and as sparse rows.
#pragma once

#include <vector>

#include "base/rng.hpp"
#include "data/rows.hpp"

namespace widemargin {

struct Sample {
  Index n, d;
  std::vector<double> x, y, values;
  std::vector<float> x32;
  std::vector<Column> columns;
  std::vector<Index> offsets{0};

  // About two thirds of the numbers are zero; all are multiples of 1/8, so sums of few products are exact.
  Sample(Index n, Index d, std::uint64_t seed) : n(n), d(d) {
    Random random(seed, Purpose::sample, 0);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        const double v = random.below(3) == 0 ? static_cast<double>(random.below(65)) / 8 - 4 : 0.0;
        x.push_back(v);
        x32.push_back(static_cast<float>(v));
        if (v != 0) values.push_back(v), columns.push_back(static_cast<Column>(j));
      }
      offsets.push_back(static_cast<Index>(values.size()));
      y.push_back(random.below(2) ? 1.0 : -1.0);
    }
  }

  DenseRows<double> dense() const { return {x.data(), n, d, d}; }
  DenseRows<float> dense32() const { return {x32.data(), n, d, d}; }
  SparseRows<double> sparse() const { return {values.data(), columns.data(), offsets.data(), n, d}; }
};

}  // namespace widemargin
