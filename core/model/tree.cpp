#include "model/tree.hpp"

#include <algorithm>
#include <bit>

namespace widemargin {
void find_shares(const double* stats, Index lines, const std::vector<Index>& classes, double* shares) {
  for (Index l = 0; l < lines; ++l)
    for (const Index k : classes) {
      double sum = 0;
      for (Index c = 0; c < k; ++c) sum += stats[c];
      for (Index c = 0; c < k; ++c) shares[c] = stats[c] / sum;
      stats += k, shares += k;
    }
}

std::vector<double> find_mixed(const double* stats, Index lines, Index classes, std::int32_t* only) {
  std::vector<double> mixed;
  Index count = 0;
  for (Index l = 0; l < lines; ++l, stats += classes) {
    Index there = 0, last = 0;
    for (Index c = 0; c < classes; ++c) {
      there += stats[c] > 0;
      last = stats[c] > 0 ? c : last;
    }
    only[l] = static_cast<std::int32_t>(there == 1 ? last : -1 - count);
    if (there == 1) continue;
    mixed.resize(mixed.size() + static_cast<std::size_t>(classes));
    find_shares(stats, 1, {classes}, mixed.data() + classes * count++);
  }
  return mixed;
}

// Half of the nodes are leaves, in no order that could be foreseen: all is asked of each node, without a branch.
const char* flaw_of(const ForestView& forest, Index nodes, Index lines, Index sets) {
  static constexpr const char* flaws[] = {
      "a node names a column that is not there", "a leaf has a threshold", "a leaf says nothing",
      "a node names a child that is not there",  "a node has two parents", "a threshold is not a number",
      "a node names a set that is not there"};
  for (Index t = 0; t < forest.trees; ++t)
    if (forest.first[t] < 0 || forest.first[t] >= forest.first[t + 1] || forest.first[t + 1] > nodes)
      return "a tree has no nodes";
  std::vector<std::uint8_t> has_parent;
  for (Index t = 0; t < forest.trees; ++t) {
    const Index base = forest.first[t], size = forest.size(t);
    has_parent.assign(static_cast<std::size_t>(size) + 1, 0);
    unsigned found = 0;
    for (Index i = 0; i < size; ++i) {
      const NodeParts p = parts_of(forest, base + i);
      const Index left = p.left, column = std::min<Index>(p.column, forest.columns - 1);
      const bool leaf = left == i, inner = !leaf;
      std::uint8_t* child = has_parent.data() + std::min(left, size - 1);
      const std::uint32_t key = forest.nodes[(base + i) * forest.words];
      const bool named = forest.words == 4 ? key == ~std::uint32_t{0} : key >= LEAF_KEY;
      found |= (column != static_cast<Index>(p.column)) << 0;
      found |= (leaf & (!named | p.missing_right)) << 1;
      found |= (leaf & (static_cast<Index>(p.line) >= lines)) << 2;
      found |= (inner & ((left < i) | (left + 1 >= size))) << 3;
      found |= (inner & (child[0] | child[1])) << 4;
      found |= (inner & (p.threshold != p.threshold)) << 5;
      child[0] |= inner;
      child[1] |= inner;
      const bool known = p.threshold >= 0 && p.threshold < static_cast<float>(sets);
      if (forest.categorical) found |= (inner && forest.categorical[column] && !known) << 6;
    }
    if (found) return flaws[std::countr_zero(found)];
  }
  return nullptr;
}

void sum_up(const ForestView& forest, Index tree, const double* stats, Index width, const std::int32_t* leaf_rows,
            double* node_stats, std::int64_t* node_rows) {
  const Index base = forest.first[tree];
  for (Index i = forest.size(tree) - 1; i >= 0; --i) {
    const NodeParts p = parts_of(forest, base + i);
    const auto left = static_cast<Index>(p.left);
    double* to = node_stats + i * width;
    if (left == i) {
      const auto leaf = static_cast<Index>(p.line);
      std::copy_n(stats + leaf * width, width, to);
      node_rows[i] = leaf_rows[leaf];
      continue;
    }
    for (Index k = 0; k < width; ++k) to[k] = node_stats[left * width + k] + node_stats[(left + 1) * width + k];
    node_rows[i] = node_rows[left] + node_rows[left + 1];
  }
}

void lay_out(const ForestView& forest, Index tree, const Layout& out) {
  struct Waiting {
    Index at, parent, depth;
    bool right;
  };
  const Index base = forest.first[tree];
  std::vector<Waiting> stack{{0, -1, 0, false}};
  Index next = 0;
  while (!stack.empty()) {
    const Waiting w = stack.back();
    stack.pop_back();
    const Index i = next++;
    if (w.parent >= 0) (w.right ? out.right : out.left)[w.parent] = i;
    const NodeParts p = parts_of(forest, base + w.at);
    out.origin[i] = w.at;
    out.depth[i] = w.depth;
    out.left[i] = out.right[i] = -1;
    if (static_cast<Index>(p.left) == w.at) {
      out.column[i] = -2;
      out.threshold[i] = -2.0;
      out.missing_left[i] = 0;
      continue;
    }
    out.column[i] = static_cast<std::int64_t>(p.column);
    out.threshold[i] = static_cast<double>(p.threshold);
    out.missing_left[i] = !p.missing_right;
    stack.push_back({static_cast<Index>(p.left) + 1, i, w.depth + 1, true});
    stack.push_back({static_cast<Index>(p.left), i, w.depth + 1, false});
  }
}

bool find_children(const std::uint8_t* is_leaf, const Index* first, Index trees, std::uint32_t* left) {
  std::vector<std::uint32_t> stack;
  for (Index t = 0; t < trees; ++t) {
    const Index base = first[t], size = first[t + 1] - base;
    Index next = 1;
    stack.assign(1, 0);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      left[base + at] = at;
      if (is_leaf[base + at]) continue;
      if (next + 2 > size) return false;
      left[base + at] = static_cast<std::uint32_t>(next);
      stack.push_back(static_cast<std::uint32_t>(next) + 1);
      stack.push_back(static_cast<std::uint32_t>(next));
      next += 2;
    }
    if (next != size) return false;
  }
  return true;
}

}  // namespace widemargin
