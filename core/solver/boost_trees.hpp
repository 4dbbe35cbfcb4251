// Regression trees for weighted targets, one after the other on the same rows: a weak learner of boosting.
//
// Problem  as in grow.hpp for the squared error of one target: the split with the largest z_l^2 / w_l + z_r^2 / w_r
// Symbols  w, z sums of weights, and of weights times targets, over the rows of a side
// Stops    when all nodes are as deep as allowed, too small, or not made better by any split
// Method   columns of at most 256 codes (bins, where there are more numbers), ranked once for all trees; sums by code
//          for each node, in whole numbers, so that those of the larger child are its parent's less those of the
//          smaller one. Of equal splits the first column and the lowest cut win. Missing values are not taken.
#pragma once

#include <vector>

#include "data/ranks.hpp"
#include "solver/grow.hpp"

namespace widemargin {

struct TreeLimits {
  Index max_depth = 6;
  Index min_split = 2, min_leaf = 1;  // rows
};

class TreeGround {
 public:
  using Pair = std::int64_t __attribute__((vector_size(16)));  // w, z

  TreeGround(const float* x, Index n, Index d, int bins, int threads, Poll poll);

  Index rows() const { return ranks_.n; }
  Index columns() const { return ranks_.d; }
  bool takes() const { return takes_; }  // codes of a byte, and nothing missing

  // said: what the tree says of each row.
  GrownTree grow(const double* w, const double* z, const TreeLimits& limits, double* said, int threads, Poll poll);

 private:
  struct Sums {
    std::vector<Pair> bins;             // 256 a column
    std::vector<std::uint32_t> counts;  // the same; empty where nobody asks
  };
  struct Node {
    Index begin, end, depth;
    std::uint32_t at;  // in the tree
    int sums;          // which; -1: none are needed
    Pair total;
  };
  struct Cut {
    double gain = -1;
    Index column = -1, code = 0, next = 0;  // the next code that is there
    Pair left = {0, 0};
  };
  void count(const Node& node, Sums& sums, int threads, Poll poll) const;
  Cut best(const Node& node, const Sums& sums, Index min_leaf, int threads, Poll poll) const;
  Cut best_of(Index f, const Node& node, const Sums& sums, Index min_leaf) const;
  Index divide(const Node& node, const Cut& cut);
  void leave(const Node& node, const double* w, const double* z, GrownTree& tree, double* said) const;
  bool open(const Node& node) const;
  void children(const Node& node, const Cut& cut, GrownTree& tree, int threads, Poll poll);
  int spare(Index columns);
  float threshold(const Cut& cut) const;

  RankedColumns ranks_;
  bool takes_ = true;
  TreeLimits limits_;
  std::vector<std::uint64_t> lanes_;  // the bytes of eight columns in a word, row by row; then the next eight
  std::vector<std::uint32_t> row_, kept_;
  std::vector<Pair> q_, moved_;
  std::vector<Sums> sums_;
  std::vector<int> free_;
  std::vector<Node> stack_;
};

}  // namespace widemargin
