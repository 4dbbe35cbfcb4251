// Dot products of a panel of sparse rows, spread out over the columns that they use, with other sparse rows.
//
// Symbols  x[slot * width + a] value of panel row a in the column of that slot, width a multiple of 16, at most 64;
//          slot[j] the slot of column j; slot 0 is a row of zeros for the columns that no row of the panel uses;
//          without slots, column j has place j
// Method   each entry of the other row adds one short vector to `width` sums, in the order of the columns: a product is
//          the same bits whichever of the two rows is in the panel
#pragma once

#include "base/types.hpp"
#include "data/rows.hpp"

namespace widemargin {

template <class T>
struct SpreadPanel {
  const T* x;
  const std::int32_t* slot;  // may be null
  Index rows, width;
};

// out[a][b] = panel row a . row row_of(b), b < count, where row_of(b) = J ? J[b] : first + b.
template <class T>
void sparse_products(const SpreadPanel<T>& panel, const SparseRows<T>& rows, const Column* J, Index first, Index count,
                     T* const* out);

}  // namespace widemargin
