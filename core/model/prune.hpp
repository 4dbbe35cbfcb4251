// Pruning by cost and complexity.
//
// Problem  of all trees that arise by cutting back, those that minimise  R(tree) + alpha |leaves|  as alpha grows
// Symbols  r(t) cost of node t as a leaf (its share of the weight times its impurity);  R_t, l_t costs and number of
//          the leaves below t;  the link of t is weakest where  (r(t) - R_t) / (l_t - 1)  is smallest
// Stops    when the root is left
// Method   [BreimanEtAl84, ch. 3.3]. Links wait in order; a cut only strengthens those above it, so a stale entry is
//          known by its age. Of equal links that of the smallest number goes first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

struct PrunePath {
  std::vector<double> alphas, costs;  // of the whole tree first, then after each cut
  std::vector<std::int64_t> step;     // by node: the cut that made it a leaf; 0: none did
};

// Children by node, -1 for leaves; parents come before their children.
PrunePath prune_path(const std::int64_t* left, const std::int64_t* right, const double* cost, Index nodes);

}  // namespace widemargin
