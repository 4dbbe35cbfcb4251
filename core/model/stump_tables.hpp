// Sums of stumps as tables of columns: a stump is a step in its column, so all of a column are one step function.
//
// Symbols  column columns[j] has thresholds first[j] .. first[j+1]-1, ascending; its table has a line of k numbers for
//          each number of thresholds below x, and a last one for missing values
#pragma once

#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

struct FloatRows {
  const float* x;
  Index n, d;
};

struct StumpTables {
  const std::int64_t* columns;
  Index used;
  const std::int64_t* first;
  const float* thresholds;
  const double* tables;
  Index k;
};

void add_stump_tables(const FloatRows& rows, const StumpTables& tables, double* out, int threads, Poll poll);

}  // namespace widemargin
