// The items that a box solver has left, as a problem of their own. For the two files of that solver only.
#pragma once

#include <memory>
#include <vector>

#include "solver/box.hpp"

namespace widemargin {

struct BoxSolver::Shrunk {
  std::vector<Column> items;  // those that are left, ascending
  std::unique_ptr<RowSource> source;
  std::vector<double> t, lower, upper, b, f;
  std::vector<std::int8_t> group;
  std::vector<Column> work, to;  // to: where each variable of the whole stands here, -1 = nowhere
  std::unique_ptr<BoxSolver> solver;

  Index variable(Index v, Index n) const {
    const Index m = static_cast<Index>(items.size());
    return v < m ? items[static_cast<std::size_t>(v)] : n + items[static_cast<std::size_t>(v - m)];
  }
};

}  // namespace widemargin
