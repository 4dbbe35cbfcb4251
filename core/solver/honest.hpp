// Honest trees: some rows of a tree choose its splits, the others say what its leaves hold.
//
// Problem  a leaf whose rows were looked at when the splits were chosen flatters itself; rows that chose nothing do not
// Method   [WagerAthey18, def. 2]: the rows of a tree are parted at random into two halves. Where no row of the second
//          half comes to one side of a split, the split is undone.
#pragma once

#include <utility>
#include <vector>

#include "solver/splitter.hpp"

namespace widemargin {

// The rows that choose splits and those that fill leaves; of a single row both are that row.
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> honest_halves(std::vector<std::uint32_t> rows,
                                                                                Random random);

// The tree with leaves filled anew by these rows.
template <class T>
GrownTree refilled(const GrownTree& tree, const Grown& data, Splitter<T>& splitter, std::vector<std::uint32_t> rows);

}  // namespace widemargin
