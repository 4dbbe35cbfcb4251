// One column of a node: its numbers (or codes) brought together, and rows parted by a cut.
//
// Symbols  rows of the node, m of them;  v their values;  what is at most `cut` goes left
#pragma once

#include "solver/splitter.hpp"

namespace widemargin {

constexpr Index BEYOND = 64;  // entries that may be read or written behind the values of a node

// v[i] = the value of rows[i], and the extremes of all. No value is missing.
template <class T>
void gather_values(Codes<T> codes, const std::uint32_t* rows, Index m, T* v, T& low, T& high);

struct Sides {
  double left, right;  // sums of squared counts of the classes
  Index rows;          // on the left
};

// Rows of class k are first[k] .. first[k + 1] - 1; `words`: room for a bit a row, and for one word more.
template <class T>
Sides cut_sides(const T* v, Index m, T cut, const Index* first, Index classes, std::uint64_t* words);

// Rows whose value is at most the cut come first; both sides keep their order. Returns how many these are. `other`:
// room for m + 16 rows.
template <class T>
Index part_rows(Codes<T> codes, std::uint32_t* rows, Index m, T cut, std::uint32_t* other);

}  // namespace widemargin
