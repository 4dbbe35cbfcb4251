// Sparse rows with their columns in rising order, from rows in which they stand in any: texts come so.
#pragma once

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

// Writes the numbers and columns of `rows`, which must have been checked, to x and j, row by row, columns rising;
// numbers of the same column stay in their order, side by side. Returns whether no column stands twice in a row.
template <class T>
bool sort_columns(const SparseRows<T>& rows, T* x, Column* j, Poll poll = never);

}  // namespace widemargin
