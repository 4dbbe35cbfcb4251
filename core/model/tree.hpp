// Trees side by side in arrays, and rows of numbers falling through them.
//
// Problem  the leaf of each row in each tree; sums over trees of what the leaves say
// Symbols  a node of 8 bytes: the key of a threshold t (float32), by which numbers are in order as whole numbers are; a
//          word: left child l, column f, whether missing values go right (1 bit). A row goes to l if x_f <= t, else to
//          l + 1. The child of a leaf is the leaf itself, and its key lies above those of all numbers: it says which
//          line of the table of leaves is meant. Nodes of 16 bytes have words of their own for l, f and the line, where
//          these do not fit.
// Method   keys of eight rows stand side by side and fall in step, so that one need not wait for another's memory, and
//          the next tree is fetched meanwhile; where the processor can, sixteen rows (tree_lanes.hpp). A single row
//          falls through many trees in step. A row gets the same sums alone and in company: trees are added in order.
#pragma once

#include <bit>
#include <vector>

#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

constexpr std::uint32_t LEAF_KEY = 0xff800000u;             // of line 0; all numbers lie below
constexpr Index LINES = Index{1} << 23;                     // that a key can name
constexpr std::uint32_t MISSING_KEY = 0;                    // below all numbers
constexpr std::uint32_t FAR = 1;                            // in a node of two words: missing values go right
constexpr std::uint32_t FAR_WIDE = std::uint32_t{1} << 31;  // beside the column of a node of four words

// 0 and -0 are one number.
inline std::uint32_t key_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);
  const std::uint32_t sign = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31);
  return x != x ? MISSING_KEY : bits ^ (sign | 0x80000000u);
}
inline float number_of(std::uint32_t key) { return std::bit_cast<float>(key >> 31 ? key ^ 0x80000000u : ~key); }

struct ForestView {
  const std::uint32_t* nodes = nullptr;
  int words = 2;                 // of a node: 2 or 4
  int shift = 0;                 // where the left child begins in the second of two words
  const Index* first = nullptr;  // trees + 1: where the nodes of each begin
  Index trees = 0, columns = 0;
  const std::uint8_t* categorical = nullptr;  // by column, or none
  const std::uint32_t* sets = nullptr;        // eight words a set of categories

  Index size(Index tree) const { return first[tree + 1] - first[tree]; }
};

// What lines of leaves say: `width` numbers each. With `only`, a line says 1 for the one that is named and 0 for all
// others; -1 - i names line i of `says`.
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

// out[i * trees + t] = number of the leaf, counted from the first node of tree t; or its line.
void find_leaves(const ForestView& forest, const RowsView& rows, bool lines, std::uint32_t* out, int threads,
                 Poll poll = never);

// out[i * width + k] += what trees begin .. end-1 say of row i. With `times` only trees that have never drawn the row:
// times[(t - begin) * n + i]; `voters`, one a row, counts them.
void add_votes(const ForestView& forest, const LeafTable& leaves, const RowsView& rows, Index begin, Index end,
               const std::uint32_t* times, double* out, std::int32_t* voters, int threads, Poll poll = never);

// What each line says of classes: their shares, output after output.
void find_shares(const double* stats, Index lines, const std::vector<Index>& classes, double* shares);

// The same for a single output as a LeafTable: what is returned are the lines that hold several classes.
std::vector<double> find_mixed(const double* stats, Index lines, Index classes, std::int32_t* only);

// What is wrong with arrays that should hold trees, of `nodes`, `lines` of leaves and `sets` altogether; or nothing. A
// file may hold anything: walks must end, in as many steps as there are nodes, and name only what is there.
const char* flaw_of(const ForestView& forest, Index nodes, Index lines, Index sets);

// Sums of what the leaves below each node of a tree have (`stats`, `width` numbers a leaf, and rows): children come
// after their parents, so one pass from the end is enough.
void sum_up(const ForestView& forest, Index tree, const double* stats, Index width, const std::int32_t* leaf_rows,
            double* node_stats, std::int64_t* node_rows);

// The parts of a node; the threshold of a leaf is infinite.
struct NodeParts {
  float threshold;
  std::uint32_t left, column, line;
  bool missing_right;
};
inline NodeParts parts_of(const ForestView& f, Index node) {
  const std::uint32_t* w = f.nodes + node * f.words;
  const std::uint32_t line = f.words == 4 ? w[3] : w[0] - LEAF_KEY;
  const float threshold = number_of(w[0]);
  if (f.words == 4) return {threshold, w[1], w[2] & ~FAR_WIDE, line, (w[2] & FAR_WIDE) != 0};
  return {threshold, w[1] >> f.shift, (w[1] & ((std::uint32_t{1} << f.shift) - 1)) >> 2, line, (w[1] & FAR) != 0};
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
