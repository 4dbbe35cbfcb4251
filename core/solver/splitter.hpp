// What a grower asks of a splitter, and what both know of a node.
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "base/rng.hpp"
#include "solver/grow.hpp"
#include "solver/lanes.hpp"

namespace widemargin {

// Codes (or numbers) of one column: that of row r is at[r * step].
template <class T>
struct Codes {
  const T* at;
  Index step;
};

// Scores that differ by less than this part of the node's are equal, and the first counts.
constexpr double TIE = 16 * std::numeric_limits<double>::epsilon();

template <class T>
struct Best {
  double score = -std::numeric_limits<double>::infinity();
  Index column = -1;
  T cut{}, next{};            // largest code on the left, smallest on the right; a number where cuts are random
  bool right = false;         // whether missing values go right
  float threshold = 0;        // of a random cut
  std::uint32_t set[8] = {};  // categories that go left
  double left_value = 0, right_value = 0;
};

struct NodeSum {
  double weight, side;  // side: of the criterion
  bool pure;
};

template <class T>
class Splitter {
 public:
  virtual ~Splitter() = default;
  // Rows of the next nodes are positions in these rows; nullptr: in all rows.
  virtual void settle(const std::uint32_t* rows, Index m) = 0;
  virtual NodeSum enter(const std::uint32_t* rows, Index m) = 0;
  // Looks for a better split; false if the column is constant here.
  virtual bool look(Index column, Codes<T> codes, Best<T>& best, Random& random) = 0;
  // Whether columns of this node are better looked at eight at a time.
  virtual bool together() const { return false; }
  // How many are better looked at at a time otherwise, rows being close by or not: at most eight.
  virtual int abreast() const { return 1; }
  // Most rows of a node whose rows should be close by.
  virtual Index near() const { return std::numeric_limits<Index>::max(); }
  // The same for up to eight columns; the bits of those that are constant. What is drawn for columns behind a perfect
  // one is given back. The node is told where its rows are close by.
  virtual unsigned look(const std::uint32_t*, int, SmallNode<T>, Best<T>&, Random&) { return 0; }
  virtual void leave(GrownTree& tree) = 0;  // the node becomes a leaf
  // Makes a leaf of a node that was not entered if it is quickly seen to be pure.
  virtual bool leave_pure(const std::uint32_t*, Index, GrownTree&) { return false; }
  virtual void note(GrownTree&, std::uint32_t) {}  // what a node keeps that does not follow from its leaves
  virtual void bound(double, double) {}            // what both sides of a split may say
  virtual double perfect() const = 0;              // no split of this node scores better
  // The fall of n times the impurity.
  virtual double fall(const Best<T>& best, const NodeSum& node) const { return best.score - node.side; }
};

// Codes of columns, column by column and row by row.
template <class T>
struct Table {
  const T* columns;
  const T* rows;
  const std::uint32_t* order;  // where row i stands in `rows`, if not at i
  Index n, d, stride;          // stride of rows
  const RankedColumns* ranks;
  const std::uint8_t* categorical;
};

template <class T>
std::unique_ptr<Splitter<T>> make_splitter(const Table<T>& table, const Targets& targets, const GrowOptions& options,
                                           const std::uint32_t* times);

// Columns and random cuts are drawn apart: neither waits for how many the other needs.
struct Draws {
  Random columns, cuts;
};

template <class T>
void grow_tree(const Table<T>& table, Splitter<T>& splitter, const GrowOptions& options, Draws draws,
               std::vector<std::uint32_t> rows, double total_weight, GrownTree& tree,
               const std::function<void()>& rest);

}  // namespace widemargin
