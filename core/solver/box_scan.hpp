// Looks over all variables of a box problem: who violates the optimality conditions, and by how much.
//
// Symbols  F_v = f_v - t_v,  up: b < upper,  down: b > lower,  free: both
// Method   two passes without a branch, eight variables at a time. Who violates most is found by a place among `bins`
//          between the two extremes: only the few of the worst places have to be put in order.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "base/types.hpp"

namespace widemargin {

// Variables first .. first + n - 1, one after the other, of one group.
struct BoxView {
  const double *b, *f, *t, *lower, *upper;
  Index n;
};

struct Extremes {
  double least = std::numeric_limits<double>::infinity(), most = -least;  // least F of up, largest of down
  double free_sum = 0;                                                    // of F over the free variables
  Index free = 0;

  // The bias between the extremes; where one side is empty, any beyond the other will do.
  double middle() const;
  // What makes the free variables right on average; where there are none, the middle.
  double bias() const { return free > 0 ? -free_sum / static_cast<double>(free) : middle(); }
  void join(const Extremes& other);
};

Extremes extremes(const BoxView& v);

constexpr Index bins = 256;

// Where F stands between the extremes, from the worst, 0, on: of those that can go up from the least, of those that can
// go down from the largest. `bins`: no candidate. Returns how many are candidates of either side.
Index violations(const BoxView& v, const Extremes& e, std::uint16_t* up, std::uint16_t* down);

// The candidates in order; returns how many. Most are none, and are passed over four at a time.
inline Index candidates(const std::uint16_t* keys, Index n, Column* out) {
  constexpr std::uint64_t none = static_cast<std::uint64_t>(bins) * 0x0001000100010001u;
  Index i = 0, found = 0;
  const auto look = [&](Index v) { out[found] = static_cast<Column>(v), found += keys[v] < bins; };
  for (; i + 4 <= n; i += 4) {
    std::uint64_t four;
    std::memcpy(&four, keys + i, sizeof four);
    if (four == none) continue;
    for (Index v = i; v < i + 4; ++v) look(v);
  }
  for (; i < n; ++i) look(i);
  return found;
}

}  // namespace widemargin
