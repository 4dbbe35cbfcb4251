// Growing of trees for classes and numbers.
//
// Problem  split the rows of a node by one column, x <= t to the left, so that the classes or numbers on both sides are
//          as alike as can be (loss/impurity.hpp); the same for both sides, until a node is pure or a limit is reached
// Symbols  n rows, d columns;  m rows of a node;  a node draws columns without putting them back until it has looked at
//          max_features of them, of which at least one is not constant in the node
// Stops    when no node is left to split: of unpruned trees every leaf is pure, or its rows are all alike
// Method   [BreimanEtAl84]; [Breiman01] with columns drawn at each node; [GeurtsEtAl06] with one random cut a column.
//          Cuts lie half-way between two numbers that are neighbours in the node; of equal scores the first counts.
//          Nodes wait on a stack (or in order of gain, where leaves are limited): depth costs no stack of the machine.
//          A tree depends on its seed and its number alone, so threads share out the trees.
#pragma once

#include <atomic>
#include <vector>

#include "base/poll.hpp"
#include "base/types.hpp"
#include "data/ranks.hpp"

namespace widemargin {

enum class Criterion { gini, entropy, gain, squared, friedman, poisson, absolute };

struct GrowOptions {
  Criterion criterion = Criterion::gini;
  bool random = false;                  // one cut a column, drawn uniformly between its extremes
  Index max_features = 1;               // columns to look at
  Index max_depth = 0, max_leaves = 0;  // 0: no limit
  Index min_split = 2, min_leaf = 1;    // rows
  double min_leaf_weight = 0;           // share of the weight of all rows; inside of a tree the weight itself
  double min_decrease = 0;
  std::uint64_t seed = 0;
  const std::int8_t* monotonic = nullptr;  // by column: what is said may only rise (1) or fall (-1); or none
  bool honest = false;                     // half of the rows of a tree choose its splits, the others fill its leaves
};

struct Targets {
  Index n = 0, outputs = 1;
  const std::int32_t* codes = nullptr;  // n x outputs, classes; else
  const double* numbers = nullptr;      // n x outputs
  std::vector<Index> classes;           // of each output
  const double* weight = nullptr;       // one a row, or none

  // Numbers that a leaf keeps: weights of the classes; else weight, sums and sums of squares (counts: of y log y;
  // absolute errors: median, and sum of distances from it).
  Index stats() const {
    if (!codes) return 1 + 2 * outputs;
    Index s = 0;
    for (const Index k : classes) s += k;
    return s;
  }
};

enum NodeFlag : std::uint8_t { missing_right = 1, by_category = 2 };

struct GrownNode {
  float threshold = 0;      // or the number of a set of categories
  std::uint32_t left = 0;   // the right child stands beside it
  std::int32_t column = 0;  // -1: a leaf
  std::uint32_t leaf = 0;
  std::uint8_t flags = 0;
};

struct GrownLeaf {
  std::uint32_t rows;
  std::int32_t only;  // the class of a pure leaf; -1: its numbers are in `stats`
  double weight;
};

struct GrownTree {
  std::vector<GrownNode> nodes;
  std::vector<GrownLeaf> leaves;
  std::vector<double> stats;              // of leaves that are not pure, in their order
  std::vector<std::uint32_t> categories;  // eight words a set: which codes go left
  std::vector<double> centres;  // of every node what a leaf would keep after its weight, where sums do not tell
};

// Rows that a tree learns from: how often each was drawn.
struct Draw {
  bool bootstrap = false;
  Index size = 0;                // rows to draw
  const double* sums = nullptr;  // running sums of the weights that rows are drawn by, in the order of x, or none
  bool balance = false;          // classes weigh the same in what each tree has drawn
  Index members = 0;             // > 0: rows are not drawn but dealt out to so many trees
};

struct Grown {
  const RankedColumns* ranks;
  const float* x;  // row by row, for random cuts
  Index stride;
  const float* columns;    // column by column in the order of the ranks, for random cuts among many numbers
  const Targets* targets;  // in the order of the ranks
  const std::uint32_t* order = nullptr;       // row of x behind each row of the ranks
  const std::uint8_t* categorical = nullptr;  // by column, or none
};

// Trees first .. first + trees.size() - 1 of a forest.
void grow_trees(const Grown& data, const GrowOptions& options, const Draw& draw, Index first,
                std::vector<GrownTree>& trees, int threads, Poll poll = never);

}  // namespace widemargin
