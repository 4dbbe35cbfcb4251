#include "solver/boost_trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

using Pair = TreeGround::Pair;
constexpr Index CODES = 256, TOGETHER = 8;
constexpr Index ENOUGH = 1 << 16;  // numbers of a node for which threads are woken

template <int K, bool COUNTED>
void count_lanes(const std::uint64_t* lanes, const std::uint32_t* row, const Pair* q, Index size, Pair* bins,
                 std::uint32_t* counts) {
  for (Index j = 0; j < size; ++j) {
    std::uint64_t codes = lanes[row[j]];
    for (int k = 0; k < K; ++k, codes >>= 8) {
      const auto at = static_cast<Index>(codes & 255) + CODES * k;
      bins[at] += q[j];
      if (COUNTED) ++counts[at];
    }
  }
}

template <bool COUNTED>
void count_some(Index columns, const std::uint64_t* lanes, const std::uint32_t* row, const Pair* q, Index size,
                Pair* bins, std::uint32_t* counts) {
  using Count = void (*)(const std::uint64_t*, const std::uint32_t*, const Pair*, Index, Pair*, std::uint32_t*);
  constexpr Count by_columns[] = {count_lanes<1, COUNTED>, count_lanes<2, COUNTED>, count_lanes<3, COUNTED>,
                                  count_lanes<4, COUNTED>, count_lanes<5, COUNTED>, count_lanes<6, COUNTED>,
                                  count_lanes<7, COUNTED>, count_lanes<8, COUNTED>};
  by_columns[columns - 1](lanes, row, q, size, bins, counts);
}

double score(Pair sums) {
  const auto z = static_cast<double>(sums[1]);
  return z * z / static_cast<double>(sums[0]);
}

// A power of two by which a sum becomes a whole number of 61 bits.
double unit_for(double sum) {
  int exponent = 0;
  std::frexp(sum, &exponent);
  return sum > 0 ? std::ldexp(1.0, std::clamp(61 - exponent, -1000, 1000)) : 1.0;
}

}  // namespace

TreeGround::TreeGround(const float* x, Index n, Index d, int bins, int threads, Poll poll)
    : ranks_(rank_columns(x, n, d, d, nullptr, bins, threads, poll, Ranking::columns)) {
  takes_ = ranks_.width == 1 && std::none_of(ranks_.missing.begin(), ranks_.missing.end(), [](auto m) { return m; });
  if (!takes_) return;
  const Index groups = (d + TOGETHER - 1) / TOGETHER;
  lanes_.assign(static_cast<std::size_t>(groups * n), 0);
  for (Index f = 0; f < d; ++f) {
    const std::uint8_t* byte = ranks_.bytes(f);
    std::uint64_t* lanes = lanes_.data() + f / TOGETHER * n;
    for (Index i = 0; i < n; ++i) lanes[i] |= static_cast<std::uint64_t>(byte[i]) << 8 * (f % TOGETHER);
  }
  row_.resize(static_cast<std::size_t>(n));
  kept_.resize(row_.size());
  q_.resize(row_.size());
  moved_.resize(row_.size());
}

int TreeGround::spare(Index columns) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(sums_.size()));
    sums_.push_back({std::vector<Pair>(static_cast<std::size_t>(columns * CODES)), {}});
  }
  const int one = free_.back();
  free_.pop_back();
  Sums& sums = sums_[static_cast<std::size_t>(one)];
  if (limits_.min_leaf > 1) sums.counts.resize(sums.bins.size());
  return one;
}

void TreeGround::count(const Node& node, Sums& sums, int threads, Poll poll) const {
  const Index n = ranks_.n, d = ranks_.d, size = node.end - node.begin;
  std::fill(sums.bins.begin(), sums.bins.end(), Pair{0, 0});
  std::fill(sums.counts.begin(), sums.counts.end(), 0u);
  const auto work = [&](Index begin, Index end) {
    const std::uint64_t* lanes = lanes_.data() + begin / TOGETHER * n;
    Pair* bins = sums.bins.data() + begin * CODES;
    if (sums.counts.empty())
      count_some<false>(end - begin, lanes, row_.data() + node.begin, q_.data() + node.begin, size, bins, nullptr);
    else
      count_some<true>(end - begin, lanes, row_.data() + node.begin, q_.data() + node.begin, size, bins,
                       sums.counts.data() + begin * CODES);
  };
  parallel_blocks(d, TOGETHER, size * d > ENOUGH ? threads : 1, work, poll);
}

TreeGround::Cut TreeGround::best_of(Index f, const Node& node, const Sums& sums, Index min_leaf) const {
  const Pair* bins = sums.bins.data() + f * CODES;
  const std::uint32_t* counts = sums.counts.empty() ? nullptr : sums.counts.data() + f * CODES;
  const Index codes = ranks_.codes(f), all = node.end - node.begin;
  Cut best;
  Pair left = {0, 0};
  Index rows = 0, last = -1;
  for (Index c = 0; c < codes; ++c) {
    if (bins[c][0] == 0) continue;
    const Pair right = node.total - left;
    if (last >= 0 && (!counts || (rows >= min_leaf && all - rows >= min_leaf))) {
      const double gain = score(left) + score(right);
      if (gain > best.gain) best = {gain, f, last, c, left};
    }
    left += bins[c];
    rows += counts ? counts[c] : 0;
    last = c;
  }
  return best;
}

TreeGround::Cut TreeGround::best(const Node& node, const Sums& sums, Index min_leaf, int threads, Poll poll) const {
  const Index d = ranks_.d;
  std::vector<Cut> cuts(static_cast<std::size_t>(d));
  const auto look = [&](Index begin, Index end) {
    for (Index f = begin; f < end; ++f) cuts[static_cast<std::size_t>(f)] = best_of(f, node, sums, min_leaf);
  };
  parallel_blocks(d, TOGETHER, (node.end - node.begin) * d > ENOUGH ? threads : 1, look, poll);
  Cut best;
  best.gain = score(node.total) * (1 + 1e-12);
  for (const Cut& one : cuts)
    if (one.gain > best.gain) best = one;
  return best;
}

// Rows of the left side first, both sides in their order; where the right side begins.
Index TreeGround::divide(const Node& node, const Cut& cut) {
  const std::uint8_t* byte = ranks_.bytes(cut.column);
  Index left = node.begin, right = 0;
  for (Index j = node.begin; j < node.end; ++j) {
    const auto at = static_cast<std::size_t>(j), to = static_cast<std::size_t>(left),
               aside = static_cast<std::size_t>(right);
    const bool goes = byte[row_[at]] <= cut.code;
    kept_[aside] = row_[at];
    moved_[aside] = q_[at];
    row_[to] = row_[at];
    q_[to] = q_[at];
    left += goes;
    right += !goes;
  }
  std::copy(kept_.begin(), kept_.begin() + right, row_.begin() + left);
  std::copy(moved_.begin(), moved_.begin() + right, q_.begin() + left);
  return left;
}

float TreeGround::threshold(const Cut& cut) const {
  const Index first = ranks_.first[static_cast<std::size_t>(cut.column)];
  const double low = ranks_.high[static_cast<std::size_t>(first + cut.code)];
  const double high = ranks_.low[static_cast<std::size_t>(first + cut.next)];
  const auto middle = static_cast<float>(low / 2 + high / 2);
  return middle < static_cast<float>(high) ? middle : static_cast<float>(low);
}

void TreeGround::leave(const Node& node, const double* w, const double* z, GrownTree& tree, double* said) const {
  double stats[3] = {0, 0, 0};
  for (Index j = node.begin; j < node.end; ++j) {
    const auto i = row_[static_cast<std::size_t>(j)];
    stats[0] += w[i];
    stats[1] += w[i] * z[i];
    stats[2] += w[i] * z[i] * z[i];
  }
  for (Index j = node.begin; j < node.end; ++j) said[row_[static_cast<std::size_t>(j)]] = stats[1] / stats[0];
  GrownNode& grown = tree.nodes[node.at];
  grown.column = -1;
  grown.leaf = static_cast<std::uint32_t>(tree.leaves.size());
  tree.leaves.push_back({static_cast<std::uint32_t>(node.end - node.begin), -1, stats[0]});
  tree.stats.insert(tree.stats.end(), stats, stats + 3);
}

bool TreeGround::open(const Node& node) const {
  const Index n = node.end - node.begin;
  return node.depth < limits_.max_depth && n >= limits_.min_split && n / 2 >= limits_.min_leaf;
}

void TreeGround::children(const Node& node, const Cut& cut, GrownTree& tree, int threads, Poll poll) {
  const Index middle = divide(node, cut);
  GrownNode& grown = tree.nodes[node.at];
  grown.threshold = threshold(cut);
  grown.column = static_cast<std::int32_t>(cut.column);
  grown.left = static_cast<std::uint32_t>(tree.nodes.size());
  Node left{node.begin, middle, node.depth + 1, grown.left, -1, cut.left};
  Node right{middle, node.end, node.depth + 1, grown.left + 1, -1, node.total - cut.left};
  tree.nodes.resize(tree.nodes.size() + 2);
  const bool left_is_small = middle - node.begin <= node.end - middle;
  Node &small = left_is_small ? left : right, &large = left_is_small ? right : left;
  if (open(large)) {  // needs the sums of the small one, too
    small.sums = spare(ranks_.d);
    large.sums = node.sums;
    Sums &few = sums_[static_cast<std::size_t>(small.sums)], &many = sums_[static_cast<std::size_t>(large.sums)];
    count(small, few, threads, poll);
    for (std::size_t b = 0; b < few.bins.size(); ++b) many.bins[b] -= few.bins[b];
    for (std::size_t b = 0; b < few.counts.size(); ++b) many.counts[b] -= few.counts[b];
    if (!open(small)) {
      free_.push_back(small.sums);
      small.sums = -1;
    }
  } else {
    free_.push_back(node.sums);
  }
  stack_.push_back(right);
  stack_.push_back(left);
}

GrownTree TreeGround::grow(const double* w, const double* z, const TreeLimits& limits, double* said, int threads,
                           Poll poll) {
  const Index n = ranks_.n;
  limits_ = limits;
  free_.resize(sums_.size());  // all of them, whatever an interrupted tree has left
  std::iota(free_.begin(), free_.end(), 0);
  double weight = 0, size = 0;
  for (Index i = 0; i < n; ++i) {
    weight += w[i];
    size += w[i] * std::abs(z[i]);
  }
  const double unit[2] = {unit_for(weight + static_cast<double>(n) * 0x1p-60 * weight), unit_for(size)};
  Node root{0, n, 0, 0, -1, {0, 0}};
  std::iota(row_.begin(), row_.end(), 0u);
  for (Index i = 0; i < n; ++i) {
    Pair& q = q_[static_cast<std::size_t>(i)];
    q = Pair{std::max<std::int64_t>(1, static_cast<std::int64_t>(w[i] * unit[0])),
             static_cast<std::int64_t>(w[i] * z[i] * unit[1])};
    root.total += q;
  }
  GrownTree tree;
  tree.nodes.resize(1);
  if (open(root)) {
    root.sums = spare(ranks_.d);
    count(root, sums_[static_cast<std::size_t>(root.sums)], threads, poll);
  }
  stack_ = {root};
  while (!stack_.empty()) {
    poll();
    const Node node = stack_.back();
    stack_.pop_back();
    Cut cut;
    if (node.sums >= 0) cut = best(node, sums_[static_cast<std::size_t>(node.sums)], limits.min_leaf, threads, poll);
    if (cut.column >= 0) {
      children(node, cut, tree, threads, poll);
      continue;
    }
    if (node.sums >= 0) free_.push_back(node.sums);
    leave(node, w, z, tree, said);
  }
  return tree;
}

}  // namespace widemargin
