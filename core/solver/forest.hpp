// The ground that trees grow on, and the forest that they become.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "model/tree.hpp"
#include "solver/grow.hpp"

namespace widemargin {

// Rows of a fit, ready for growing: ranked, and sorted by class, so that rows of one node lie close together. `random`:
// cuts will be drawn, for which many different numbers need no ranks but stand column by column.
class Ground {
 public:
  Ground(const float* x, Index n, Index d, Index stride, const Targets& targets, const std::uint8_t* categorical,
         int bins, int threads, Poll poll, bool random = false);

  const RankedColumns& ranks() const { return ranks_; }
  Index rows() const { return ranks_.n; }
  Index stats() const { return targets_.stats(); }

  void grow(const GrowOptions& options, const Draw& draw, Index first, std::vector<GrownTree>& trees, int threads,
            Poll poll) const;

 private:
  void stand_columns(int threads, Poll poll);

  const float* x_;
  Index stride_;
  std::vector<std::uint32_t> order_;  // row of x; empty: as they are
  std::vector<std::int32_t> codes_;
  std::vector<double> numbers_, weight_;
  std::vector<std::uint8_t> categorical_;
  Targets targets_;
  RankedColumns ranks_;
  Buffer<float> columns_;
};

// Trees one after the other. Leaves that say the same share a line in the table of leaves.
class Forest {
 public:
  Forest(Index columns, Index stats, bool classes) : columns_(columns), width_(stats), classes_(classes) {}

  void add(const GrownTree& tree);
  // Trees first .. first + count - 1, some at a time: what has become part of the forest leaves its memory to others.
  void grow(const Ground& ground, const GrowOptions& options, const Draw& draw, Index first, Index count, int threads,
            Poll poll);
  // Trees as they stand in arrays of another forest.
  void add(const ForestView& from, const double* stats, const std::int32_t* rows, const double* centres, Index lines);
  // One of them, in which the nodes of `cut` are leaves; lines and rows are those of its nodes.
  void add_cut(const ForestView& from, Index tree, const std::uint8_t* cut, const double* stats,
               const std::int64_t* rows, const double* centres);

  Index trees() const { return static_cast<Index>(first_.size()) - 1; }
  int shift() const;  // where the left child begins in the second word of a node; 0 where nodes need four words
  std::vector<std::uint32_t> nodes() const;
  const std::vector<Index>& first() const { return first_; }
  const std::vector<double>& stats() const { return stats_; }
  const std::vector<std::int32_t>& rows() const { return rows_; }
  const std::vector<std::uint32_t>& sets() const { return sets_; }
  const std::vector<double>& centres() const { return centres_; }  // of all nodes, or none

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t few = 16;  // rows and weights of leaves that are found without a hash
  struct Node {
    float threshold;
    std::uint32_t left, column;  // the column with FAR_WIDE
    std::uint32_t line;          // of a leaf, which is its own child
  };
  std::uint32_t line(const double* stats, std::uint32_t rows);
  void keep_centre(Index node, const double* centre);
  Node moved(const ForestView& from, const NodeParts& p);
  std::uint32_t pure_line(const GrownLeaf& leaf);
  std::size_t slot_of(const double* stats, std::uint32_t rows) const;
  void more_slots();

  Index columns_, width_;
  bool classes_;
  std::uint32_t longest_ = 1;  // nodes of a tree
  Buffer<Node> nodes_;
  std::vector<Index> first_{0};
  std::vector<std::uint32_t> sets_;
  std::vector<double> stats_, centres_;
  std::vector<std::int32_t> rows_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, none);  // lines by their hash
  std::vector<std::uint32_t> pure_;  // lines of pure leaves with few rows: by class, rows, weight
};

}  // namespace widemargin
