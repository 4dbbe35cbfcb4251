// One cut a column, drawn uniformly between the extremes of the node.                       [GeurtsEtAl06, table 1]
#pragma once

#include <bit>
#include <limits>

#include "solver/splitter.hpp"

namespace widemargin {

// A float below `high` and not below `low`, at share u of the way.
inline float random_threshold(double low, double high, double u) {
  const double exact = low + u * (high - low);
  auto bits = std::bit_cast<std::int32_t>(static_cast<float>(exact));
  // Every other one was rounded up, and goes one float down: not by a branch, which could not be foreseen.
  bits -= (bits >> 31 | 1) & -static_cast<std::int32_t>(static_cast<double>(static_cast<float>(exact)) > exact);
  const auto t = std::bit_cast<float>(bits);
  return static_cast<double>(t) >= high || static_cast<double>(t) < low ? static_cast<float>(low) : t;
}

// The largest code whose number is at most the threshold t; for numbers the threshold itself.
template <class T>
T random_cut(const Table<T>& table, Index column, float t) {
  if constexpr (std::is_floating_point_v<T>)
    return t;
  else
    return static_cast<T>(table.ranks->code_at(column, t));
}

// For classes by Gini, every row once. Rows of a node stand in order of their classes, which splitting keeps: counts on
// the left are then bits of one comparison.
template <class T>
std::unique_ptr<Splitter<T>> make_random_splitter(const Table<T>& table, const Targets& targets,
                                                  const GrowOptions& options);

}  // namespace widemargin
