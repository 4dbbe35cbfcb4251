#include "model/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr int ROWS = 8;     // that fall through a tree in step
constexpr int TREES = 128;  // that a row falls through in step

// Rows that fall through one tree before the next. The more there are, the less often trees come from far away; but the
// rows should stay close as well, threads must have something to share, and nobody should wait long for Ctrl-C.
Index block(const ForestView& forest, const RowsView& rows, int threads) {
  const Index crew = std::max(threads, 1), share = (rows.n + crew - 1) / crew,
              prompt = (Index{1} << 22) / std::max<Index>(forest.trees, 1);
  const Index near = (Index{1} << 21) / (rows.stride * static_cast<Index>(sizeof(float)));
  return std::max<Index>(std::min({share, prompt, near}), 128);
}

struct Narrow {
  static constexpr int words = 2;
  std::uint32_t mask;
  int shift;
  explicit Narrow(const ForestView& f) : mask((std::uint32_t{1} << f.shift) - 1), shift(f.shift) {}
  std::uint32_t left(const std::uint32_t* w) const { return w[1] & mask; }
  std::uint32_t column(const std::uint32_t* w) const { return (w[1] & 0x7fffffffu) >> shift; }
  static bool missing_right(const std::uint32_t* w) { return w[1] >> 31; }
};

struct Wide {
  static constexpr int words = 3;
  explicit Wide(const ForestView&) {}
  static std::uint32_t left(const std::uint32_t* w) { return w[1]; }
  static std::uint32_t column(const std::uint32_t* w) { return w[2] & 0x7fffffffu; }
  static bool missing_right(const std::uint32_t* w) { return w[2] >> 31; }
};

// One step down. NaN > t is false, so missing values go left unless the node says otherwise, and nothing leaves a leaf.
template <bool odd, class Layout>
std::uint32_t step(const ForestView& f, const Layout& layout, const std::uint32_t* tree, std::uint32_t at,
                   const float* row) {
  const std::uint32_t* w = tree + static_cast<std::size_t>(at) * Layout::words;
  float t;
  std::memcpy(&t, w, 4);
  const std::uint32_t column = layout.column(w), left = layout.left(w);
  const float x = row[column];
  if constexpr (!odd) return left + static_cast<std::uint32_t>(x > t);
  if (left == at) return at;
  if (x != x) return left + static_cast<std::uint32_t>(Layout::missing_right(w));
  if (!f.categorical || !f.categorical[column]) return left + static_cast<std::uint32_t>(x > t);
  const bool known = x >= 0 && x < 256;
  const auto code = known ? static_cast<std::uint32_t>(x) : 0u;
  const std::uint32_t* set = f.sets + static_cast<std::size_t>(t) * 8;
  return left + static_cast<std::uint32_t>(!(known && (set[code >> 5] >> (code & 31) & 1)));
}

// Asks for the next tree while rows fall through this one: lines of the cache, a few at a time.
class Ahead {
 public:
  Ahead(const void* begin, const void* end, Index times)
      : at_(static_cast<const char*>(begin)), end_(static_cast<const char*>(end)) {
    each_ = ((end_ - at_) / 64 + times) / times * 64;
  }
  void some() {
    const char* stop = std::min(end_, at_ + each_);
    for (; at_ < stop; at_ += 64) __builtin_prefetch(at_);
  }

 private:
  const char *at_, *end_;
  Index each_;
};

// Eight rows through one tree, two steps at a time, until none moves.
template <bool odd, class Layout>
void fall(const ForestView& f, const Layout& layout, const std::uint32_t* tree, const float* const* row,
          std::uint32_t* at) {
  std::uint32_t a[ROWS] = {}, moved = 1;
  while (moved) {
    moved = 0;
    for (int k = 0; k < ROWS; ++k) a[k] = step<odd>(f, layout, tree, a[k], row[k]);
    for (int k = 0; k < ROWS; ++k) {
      const std::uint32_t next = step<odd>(f, layout, tree, a[k], row[k]);
      moved |= next ^ a[k];
      a[k] = next;
    }
  }
  std::copy(a, a + ROWS, at);
}

// One row through many trees, a step in each that has not come to its leaf; the next node is asked for in between.
template <bool odd, class Layout>
void fall_alone(const ForestView& f, const Layout& layout, Index first, int trees, const float* row,
                std::uint32_t* at) {
  const std::uint32_t* tree[TREES];
  std::uint8_t still[TREES];
  for (int k = 0; k < trees; ++k) {
    tree[k] = f.nodes + f.first[first + k] * Layout::words;
    __builtin_prefetch(tree[k]);
    still[k] = static_cast<std::uint8_t>(k);
    at[k] = 0;
  }
  for (int left = trees; left > 0;) {
    int kept = 0;
    for (int j = 0; j < left; ++j) {
      const std::uint8_t k = still[j];
      const std::uint32_t next = step<odd>(f, layout, tree[k], at[k], row);
      __builtin_prefetch(tree[k] + static_cast<std::size_t>(next) * Layout::words);
      still[kept] = k;
      kept += next != at[k];
      at[k] = next;
    }
    left = kept;
  }
}

// use(i, t, leaf) for rows from .. to-1 and trees begin .. end-1, for each row in the order of the trees.
template <bool odd, class Layout, class Use>
void walk(const ForestView& f, const RowsView& rows, Index from, Index to, Index begin, Index end, const Use& use) {
  const Layout layout(f);
  if (to - from < ROWS) {
    std::uint32_t at[TREES];
    for (Index i = from; i < to; ++i)
      for (Index t = begin; t < end; t += TREES) {
        const int trees = static_cast<int>(std::min<Index>(TREES, end - t));
        fall_alone<odd>(f, layout, t, trees, rows.x + i * rows.stride, at);
        for (int k = 0; k < trees; ++k) use(i, t + k, at[k]);
      }
    return;
  }
  const float* row[ROWS];
  std::vector<std::uint32_t> at(static_cast<std::size_t>(to - from + ROWS));
  const Index groups = (to - from + ROWS - 1) / ROWS;
  for (Index t = begin; t < end; ++t) {
    const std::uint32_t* tree = f.nodes + f.first[t] * Layout::words;
    const Index after = t + 1 < end ? t + 2 : t + 1;
    Ahead nodes(f.nodes + f.first[t + 1] * Layout::words, f.nodes + f.first[after] * Layout::words, groups);
    Ahead leaves(f.leaf + f.first[t + 1], f.leaf + f.first[after], groups);
    for (Index i = from; i < to; i += ROWS) {
      nodes.some();
      leaves.some();
      for (int k = 0; k < ROWS; ++k) row[k] = rows.x + std::min<Index>(i + k, to - 1) * rows.stride;
      fall<odd>(f, layout, tree, row, at.data() + (i - from));
    }
    for (Index i = from; i < to; ++i) use(i, t, at[static_cast<std::size_t>(i - from)]);
  }
}

template <class Use>
void walk_any(const ForestView& f, const RowsView& rows, Index from, Index to, Index begin, Index end, const Use& use) {
  const bool odd = rows.missing || f.categorical;
  if (f.words == 2)
    odd ? walk<true, Narrow>(f, rows, from, to, begin, end, use)
        : walk<false, Narrow>(f, rows, from, to, begin, end, use);
  else
    odd ? walk<true, Wide>(f, rows, from, to, begin, end, use) : walk<false, Wide>(f, rows, from, to, begin, end, use);
}

}  // namespace

void find_leaves(const ForestView& forest, const RowsView& rows, std::uint32_t* out, int threads, Poll poll) {
  parallel_blocks(
      rows.n, block(forest, rows, threads), threads,
      [&](Index from, Index to) {
        walk_any(forest, rows, from, to, 0, forest.trees,
                 [&](Index i, Index t, std::uint32_t at) { out[i * forest.trees + t] = at; });
      },
      poll);
}

void add_votes(const ForestView& forest, const LeafTable& leaves, const RowsView& rows, Index begin, Index end,
               const std::uint32_t* times, double* out, std::int32_t* voters, int threads, Poll poll) {
  const Index width = leaves.width;
  const auto add = [&](Index i, Index t, std::uint32_t at) {
    if (times) {
      if (times[(t - begin) * rows.n + i]) return;
      ++voters[i];
    }
    const std::uint32_t leaf = forest.leaf[forest.first[t] + at];
    double* to = out + i * width;
    const std::int32_t only = leaves.only ? leaves.only[leaf] : -1;
    if (only >= 0) {
      to[only] += 1.0;
      return;
    }
    const double* says = leaves.says + static_cast<Index>(leaf) * width;
    for (Index k = 0; k < width; ++k) to[k] += says[k];
  };
  const Index size = block(forest, rows, threads);
  if (rows.n <= size) return walk_any(forest, rows, 0, rows.n, begin, end, add);
  parallel_blocks(
      rows.n, size, threads, [&](Index from, Index to) { walk_any(forest, rows, from, to, begin, end, add); }, poll);
}

void find_shares(const double* stats, Index lines, const std::vector<Index>& classes, double* shares,
                 std::int32_t* only) {
  for (Index l = 0; l < lines; ++l) {
    for (const Index k : classes) {
      double sum = 0;
      for (Index c = 0; c < k; ++c) sum += stats[c];
      for (Index c = 0; c < k; ++c) shares[c] = stats[c] / sum;
      stats += k, shares += k;
    }
    if (!only) continue;
    Index there = 0, last = 0;
    for (Index c = 0; c < classes[0]; ++c) {
      const bool is = (stats - classes[0])[c] > 0;
      there += is;
      last = is ? c : last;
    }
    only[l] = there == 1 ? static_cast<std::int32_t>(last) : -1;
  }
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
      const bool endless = p.threshold > std::numeric_limits<float>::max();
      found |= (column != static_cast<Index>(p.column)) << 0;
      found |= (leaf & !endless) << 1;
      found |= (leaf & (static_cast<Index>(forest.leaf[base + i]) >= lines)) << 2;
      found |= (inner & ((left < i) | (left + 1 >= size))) << 3;
      found |= (inner & (child[0] | child[1])) << 4;
      found |= (p.threshold != p.threshold) << 5;
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
      const auto leaf = static_cast<Index>(forest.leaf[base + i]);
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
