// Rows that fall through trees.
#include <algorithm>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "model/ahead.hpp"
#include "model/tree.hpp"
#include "model/tree_lanes.hpp"

namespace widemargin {
namespace {

constexpr int ROWS = 8;     // that fall through a tree in step
constexpr int TREES = 128;  // that a row falls through in step

// What may be asked of a number: whether it is larger; whether it is there at all; whether it is in a set.
enum class Asked { size, presence, sets };

// Rows that fall through one tree before the next. The more there are, the less often trees come from far away; but the
// rows should stay close as well, threads must have something to share, and nobody should wait long for Ctrl-C.
Index block(const ForestView& forest, const RowsView& rows, int threads) {
  const Index crew = std::max(threads, 1), share = (rows.n + crew - 1) / crew,
              prompt = (Index{1} << 22) / std::max<Index>(forest.trees, 1);
  const Index row = rows.stride * static_cast<Index>(sizeof(float));
  const Index near =
      LaneWalk::suits(forest, rows, 128) ? std::min<Index>((Index{1} << 20) / row, 2048) : (Index{1} << 21) / row;
  return std::max<Index>(std::min({share, prompt, near}), 128);
}

struct Narrow {
  static constexpr std::size_t words = 2;
  std::uint32_t mask;
  int shift;
  explicit Narrow(const ForestView& f) : mask((std::uint32_t{1} << f.shift) - 4), shift(f.shift) {}
  std::uint32_t left(const std::uint32_t* w) const { return w[1] >> shift; }
  std::size_t column4(const std::uint32_t* w) const { return w[1] & mask; }  // four times the column
  static std::uint32_t missing_right(const std::uint32_t* w) { return w[1] & FAR; }
  static std::uint32_t line(const std::uint32_t* w) { return w[0] - LEAF_KEY; }
};

struct Wide {
  static constexpr std::size_t words = 4;
  explicit Wide(const ForestView&) {}
  static std::uint32_t left(const std::uint32_t* w) { return w[1]; }
  static std::size_t column4(const std::uint32_t* w) { return std::size_t{4} * (w[2] & ~FAR_WIDE); }
  static std::uint32_t missing_right(const std::uint32_t* w) { return w[2] >> 31; }
  static std::uint32_t line(const std::uint32_t* w) { return w[3]; }
};

// Where the key of a number comes from: eight rows that stand side by side, column by column; or rows as they are.
struct Keys {
  const std::uint32_t* x;
  std::uint32_t operator()(std::size_t column4, int k) const {
    return x[column4 * (ROWS / 4) + static_cast<unsigned>(k)];
  }
};
struct Numbers {
  const float* row[ROWS];
  std::uint32_t operator()(std::size_t column4, int k) const { return key_of(row[k][column4 / 4]); }
};

// One step down. No key lies above that of a leaf, so nothing leaves it.
template <Asked asked, class Layout, class Rows>
std::uint32_t step(const ForestView& f, const Layout& layout, const std::uint32_t* tree, std::uint32_t at,
                   const Rows& rows, int k) {
  const std::uint32_t* w = tree + at * Layout::words;
  std::uint32_t left = layout.left(w);
  const std::uint32_t t = w[0], x = rows(layout.column4(w), k);
  if constexpr (asked == Asked::sets) {
    const std::size_t column = layout.column4(w) / 4;
    if (left != at && x != MISSING_KEY && f.categorical[column]) {
      const float number = number_of(x);
      const bool known = number >= 0 && number < 256;
      const auto code = known ? static_cast<std::uint32_t>(number) : 0u;
      const std::uint32_t* set = f.sets + static_cast<std::size_t>(number_of(t)) * 8;
      return left + static_cast<std::uint32_t>(!(known && (set[code >> 5] >> (code & 31) & 1)));
    }
  }
  if constexpr (asked != Asked::size) left += layout.missing_right(w) & static_cast<std::uint32_t>(x == MISSING_KEY);
#if defined(__GNUC__)
  asm("" : "+r"(left));  // known before the comparison, whose carry is added to it: two instructions fewer
#endif
  return left + static_cast<std::uint32_t>(t < x);
}

// Eight rows through one tree, four steps at a time, until none moves.
template <Asked asked, class Layout, class Rows>
void fall(const ForestView& f, const Layout& layout, const std::uint32_t* tree, const Rows& rows, std::uint32_t* at) {
  std::uint32_t a[ROWS] = {}, moved = 1;
  while (moved) {
    moved = 0;
    for (int s = 0; s < 3; ++s)
      for (int k = 0; k < ROWS; ++k) a[k] = step<asked>(f, layout, tree, a[k], rows, k);
    for (int k = 0; k < ROWS; ++k) {
      const std::uint32_t next = step<asked>(f, layout, tree, a[k], rows, k);
      moved |= next ^ a[k];
      a[k] = next;
    }
  }
  std::copy(a, a + ROWS, at);
}

// One row through many trees, a step in each that has not come to its leaf; the next node is asked for in between.
template <Asked asked, class Layout>
void fall_alone(const ForestView& f, const Layout& layout, Index first, int trees, const Numbers& row,
                std::uint32_t* at) {
  const std::uint32_t* tree[TREES];
  std::uint8_t still[TREES];
  for (int k = 0; k < trees; ++k) {
    tree[k] = f.nodes + f.first[first + k] * static_cast<Index>(Layout::words);
    __builtin_prefetch(tree[k]);
    still[k] = static_cast<std::uint8_t>(k);
    at[k] = 0;
  }
  for (int left = trees; left > 0;) {
    int kept = 0;
    for (int j = 0; j < left; ++j) {
      const std::uint8_t k = still[j];
      const std::uint32_t next = step<asked>(f, layout, tree[k], at[k], row, 0);
      __builtin_prefetch(tree[k] + next * Layout::words);
      still[kept] = k;
      kept += next != at[k];
      at[k] = next;
    }
    left = kept;
  }
}

// Eight rows of a block from row i on; the last one stands in for those that are not there.
Numbers eight(const RowsView& rows, Index i, Index to) {
  Numbers some;
  for (int k = 0; k < ROWS; ++k) some.row[k] = rows.x + std::min<Index>(i + k, to - 1) * rows.stride;
  return some;
}

// use(i, t, leaf, line) for rows from .. to-1 and trees begin .. end-1, for each row in the order of the trees.
template <Asked asked, class Layout, class Rows, class Use>
void walk_groups(const ForestView& f, Index from, Index to, Index begin, Index end, const Rows& group, const Use& use) {
  const Layout layout(f);
  constexpr auto words = static_cast<Index>(Layout::words);
  const Index groups = (to - from + ROWS - 1) / ROWS;
  std::uint32_t at[ROWS];
  for (Index t = begin; t < end; ++t) {
    const std::uint32_t* tree = f.nodes + f.first[t] * words;
    const Index after = t + 1 < end ? t + 2 : t + 1;  // the next tree is fetched meanwhile
    Ahead ahead(f.nodes + f.first[t + 1] * words, f.nodes + f.first[after] * words, groups);
    for (Index i = from; i < to; i += ROWS) {
      ahead.some();
      fall<asked>(f, layout, tree, group(i), at);
      const int there = static_cast<int>(std::min<Index>(ROWS, to - i));
      for (int k = 0; k < there; ++k) use(i + k, t, at[k], layout.line(tree + at[k] * Layout::words));
    }
  }
}

template <Asked asked, class Layout, class Use>
void walk(const ForestView& f, const RowsView& rows, Index from, Index to, Index begin, Index end, const Use& use) {
  if (to - from < ROWS) {
    const Layout layout(f);
    std::uint32_t at[TREES];
    for (Index i = from; i < to; ++i)
      for (Index t = begin; t < end; t += TREES) {
        const int trees = static_cast<int>(std::min<Index>(TREES, end - t));
        fall_alone<asked>(f, layout, t, trees, eight(rows, i, i + 1), at);
        for (int k = 0; k < trees; ++k) {
          const Index node = f.first[t + k] + at[k];
          use(i, t + k, at[k], layout.line(f.nodes + node * static_cast<Index>(Layout::words)));
        }
      }
    return;
  }
  if (rows.stride > 8 * (end - begin))  // most numbers are never asked for
    return walk_groups<asked, Layout>(f, from, to, begin, end, [&](Index i) { return eight(rows, i, to); }, use);
  const Index d = rows.stride, groups = (to - from + ROWS - 1) / ROWS;
  Buffer<std::uint32_t> keys;
  keys.resize(groups * ROWS * d);
  for (Index i = from; i < to; i += ROWS) {
    const Numbers some = eight(rows, i, to);
    std::uint32_t* x = keys.data() + (i - from) * d;
    for (Index f = 0; f < d; ++f)
      for (int k = 0; k < ROWS; ++k) x[f * ROWS + k] = key_of(some.row[k][f]);
  }
  const std::uint32_t* x = keys.data();
  walk_groups<asked, Layout>(f, from, to, begin, end, [=](Index i) { return Keys{x + (i - from) * d}; }, use);
}

template <class Use>
void walk_any(const ForestView& f, const RowsView& rows, Index from, Index to, Index begin, Index end, const Use& use) {
  if (LaneWalk::suits(f, rows, to - from)) {
    LaneWalk lanes(f, rows, from, to);
    for (Index t = begin; t < end; ++t) {
      const LaneWalk::Arrived a = lanes.fall(t, t + 1 < end);
      for (Index j = 0; j < to - from; ++j) use(from + static_cast<Index>(a.row[j]), t, a.leaf[j], a.line[j]);
    }
    return;
  }
  const auto with = [&]<class Layout>(const Layout&) {
    if (f.categorical) return walk<Asked::sets, Layout>(f, rows, from, to, begin, end, use);
    if (rows.missing) return walk<Asked::presence, Layout>(f, rows, from, to, begin, end, use);
    walk<Asked::size, Layout>(f, rows, from, to, begin, end, use);
  };
  f.words == 2 ? with(Narrow(f)) : with(Wide(f));
}

}  // namespace

void find_leaves(const ForestView& forest, const RowsView& rows, bool lines, std::uint32_t* out, int threads,
                 Poll poll) {
  parallel_blocks(
      rows.n, block(forest, rows, threads), threads,
      [&](Index from, Index to) {
        walk_any(forest, rows, from, to, 0, forest.trees, [&](Index i, Index t, std::uint32_t at, std::uint32_t line) {
          out[i * forest.trees + t] = lines ? line : at;
        });
      },
      poll);
}

void add_votes(const ForestView& forest, const LeafTable& leaves, const RowsView& rows, Index begin, Index end,
               const std::uint32_t* times, double* out, std::int32_t* voters, int threads, Poll poll) {
  const Index width = leaves.width;
  const auto add = [&](Index i, Index t, std::uint32_t, std::uint32_t line) {
    if (times) {
      if (times[(t - begin) * rows.n + i]) return;
      ++voters[i];
    }
    double* to = out + i * width;
    const std::int32_t only = leaves.only ? leaves.only[line] : -1 - static_cast<std::int32_t>(line);
    if (only >= 0) {
      to[only] += 1.0;
      return;
    }
    const double* says = leaves.says + static_cast<Index>(-1 - only) * width;
    for (Index k = 0; k < width; ++k) to[k] += says[k];
  };
  const Index size = block(forest, rows, threads);
  if (rows.n <= size) return walk_any(forest, rows, 0, rows.n, begin, end, add);
  parallel_blocks(
      rows.n, size, threads, [&](Index from, Index to) { walk_any(forest, rows, from, to, begin, end, add); }, poll);
}

}  // namespace widemargin
