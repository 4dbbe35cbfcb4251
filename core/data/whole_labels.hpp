// Labels that are whole numbers close together become codes by a table: sorting them would cost more than many a fit.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

struct WholeLabels {
  std::vector<std::int64_t> classes;  // rising
  std::vector<std::int64_t> codes;    // which class each label is
};

// Nothing where there are no labels, one is not whole, or they lie `span` or further apart.
template <class T>
std::optional<WholeLabels> whole_labels(const T* y, Index n, std::int64_t span) {
  if (n == 0) return {};
  T low = y[0], high = y[0];
  bool whole = true;
  for (Index i = 0; i < n; ++i) {
    low = y[i] < low ? y[i] : low;
    high = y[i] > high ? y[i] : high;
    if constexpr (std::is_floating_point_v<T>) whole &= y[i] == std::floor(y[i]);  // NaN is not
  }
  constexpr T limit = static_cast<T>(std::int64_t{1} << 31);
  if (!whole || low <= -limit || high >= limit ||
      static_cast<std::int64_t>(high) - static_cast<std::int64_t>(low) >= span)
    return {};
  const auto first = static_cast<std::int64_t>(low);
  std::vector<std::int64_t> code(static_cast<std::size_t>(static_cast<std::int64_t>(high) - first + 1), 0);
  for (Index i = 0; i < n; ++i) code[static_cast<std::size_t>(static_cast<std::int64_t>(y[i]) - first)] = 1;
  WholeLabels found;
  for (std::size_t v = 0; v < code.size(); ++v)
    if (code[v] != 0) {
      code[v] = static_cast<std::int64_t>(found.classes.size());
      found.classes.push_back(first + static_cast<std::int64_t>(v));
    }
  found.codes.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    found.codes[static_cast<std::size_t>(i)] = code[static_cast<std::size_t>(static_cast<std::int64_t>(y[i]) - first)];
  return found;
}

}  // namespace widemargin
