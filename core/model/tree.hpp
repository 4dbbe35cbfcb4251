// Trees side by side in arrays, and rows of numbers falling through them.
//
// Problem  the leaf of each row in each tree; sums over trees of what the leaves say
// Symbols  a node of 8 bytes: threshold t (float32); a word: missing values go right (1 bit), column f, left child l.
//          A row goes to l if x_f <= t, else to l + 1. The child of a leaf is the leaf itself, and its t is infinite.
//          Nodes of 12 bytes have l and f in words of their own, where both do not fit into one.
// Method   eight rows fall in step, so that one need not wait for another's memory, while the next tree is fetched; a
//          single row falls through many trees in step. A row gets the same sums alone and in company: trees are added
//          in their order.
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

struct ForestView {
  const std::uint32_t* nodes = nullptr;
  int words = 2;                 // of a node
  int shift = 0;                 // bits of the left child in a node of two words
  const Index* first = nullptr;  // trees + 1: where the nodes of each begin
  Index trees = 0, columns = 0;
  const std::uint32_t* leaf = nullptr;        // by node: its row in the table of leaves
  const std::uint8_t* categorical = nullptr;  // by column, or none
  const std::uint32_t* sets = nullptr;        // eight words a set of categories

  Index size(Index tree) const { return first[tree + 1] - first[tree]; }
};

// What leaves say: `width` numbers each. Where `only` >= 0 the leaf says 1 for that one and 0 for all others.
struct LeafTable {
  const double* says;
  const std::int32_t* only;
  Index width;
};

struct RowsView {
  const float* x;
  Index n, stride;
  bool missing;  // whether values may be missing
};

// out[i * trees + t] = number of the leaf, counted from the first node of tree t.
void find_leaves(const ForestView& forest, const RowsView& rows, std::uint32_t* out, int threads, Poll poll = never);

// out[i * width + k] += what trees begin .. end-1 say of row i. With `times` only trees that have never drawn the row:
// times[(t - begin) * n + i]; `voters`, one a row, counts them.
void add_votes(const ForestView& forest, const LeafTable& leaves, const RowsView& rows, Index begin, Index end,
               const std::uint32_t* times, double* out, std::int32_t* voters, int threads, Poll poll = never);

// What each line says of classes: their shares, output after output; `only`, of a single output, the class of a line
// that holds no other, else -1.
void find_shares(const double* stats, Index lines, const std::vector<Index>& classes, double* shares,
                 std::int32_t* only);

// What is wrong with arrays that should hold trees, of `nodes`, `lines` of leaves and `sets` altogether; or nothing. A
// file may hold anything: walks must end, in as many steps as there are nodes, and name only what is there.
const char* flaw_of(const ForestView& forest, Index nodes, Index lines, Index sets);

// Sums of what the leaves below each node of a tree have (`stats`, `width` numbers a leaf, and rows): children come
// after their parents, so one pass from the end is enough.
void sum_up(const ForestView& forest, Index tree, const double* stats, Index width, const std::int32_t* leaf_rows,
            double* node_stats, std::int64_t* node_rows);

// The parts of a node.
struct NodeParts {
  float threshold;
  std::uint32_t left, column;
  bool missing_right;
};
inline NodeParts parts_of(const ForestView& f, Index node) {
  const std::uint32_t* w = f.nodes + node * f.words;
  NodeParts p;
  __builtin_memcpy(&p.threshold, w, 4);
  if (f.words == 3) {
    p.left = w[1];
    p.column = w[2] & 0x7fffffffu;
    p.missing_right = w[2] >> 31;
  } else {
    p.left = w[1] & ((std::uint32_t{1} << f.shift) - 1);
    p.column = (w[1] & 0x7fffffffu) >> f.shift;
    p.missing_right = w[1] >> 31;
  }
  return p;
}

// The left child of each node, counted from the first node of its tree, from which nodes are leaves: nodes are in the
// order of a walk from the left that numbers both children of a node when it comes to it. A leaf is its own child.
// Returns whether these are trees at all.
bool find_children(const std::uint8_t* is_leaf, const Index* first, Index trees, std::uint32_t* left);

// A tree by the numbers that a walk from the left gives its nodes, as scikit-learn counts them. -1: no child.
struct Layout {
  std::int64_t *left, *right, *column;  // of a leaf -1, -1, -2
  double* threshold;                    // of a leaf -2
  std::uint8_t* missing_left;
  std::int64_t *origin, *depth;  // where the node stands here; edges above it
};
void lay_out(const ForestView& forest, Index tree, const Layout& out);

}  // namespace widemargin
