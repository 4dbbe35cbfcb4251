#include "solver/forest.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {

Ground::Ground(const float* x, Index n, Index d, Index stride, const Targets& targets, const std::uint8_t* categorical,
               int bins, int threads, Poll poll, bool random)
    : x_(x), stride_(stride), targets_(targets) {
  if (n < 1 || n >= (Index{1} << 31)) fail("trees take between 1 and 2^31 rows");
  const auto size = static_cast<std::size_t>(n), outputs = static_cast<std::size_t>(targets.outputs);
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0u);
  if (targets.codes)
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return targets.codes[a * outputs] < targets.codes[b * outputs]; });
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t row = order_[i];
    for (std::size_t o = 0; o < outputs; ++o)
      if (targets.codes)
        codes_.push_back(targets.codes[row * outputs + o]);
      else
        numbers_.push_back(targets.numbers[row * outputs + o]);
    if (targets.weight) weight_.push_back(targets.weight[row]);
  }
  targets_.codes = targets.codes ? codes_.data() : nullptr;
  targets_.numbers = targets.codes ? nullptr : numbers_.data();
  targets_.weight = targets.weight ? weight_.data() : nullptr;
  const auto wanted = random && !categorical ? Ranking::if_short : Ranking::both;
  ranks_ = rank_columns(x, n, d, stride, order_.data(), bins, threads, poll, wanted);
  if (random && ranks_.width > 1) stand_columns(threads, poll);
  if (!categorical) return;
  categorical_.assign(categorical, categorical + d);
  for (Index f = 0; f < d; ++f) {
    if (!categorical_[static_cast<std::size_t>(f)]) continue;
    const auto at = static_cast<std::size_t>(ranks_.first[static_cast<std::size_t>(f)]);
    for (Index c = 0; c < ranks_.codes(f); ++c) {
      const float v = ranks_.low[at + static_cast<std::size_t>(c)];
      if (v < 0 || v > 255 || v != std::floor(v)) fail("categories must be whole numbers from 0 to 255");
    }
  }
}

void Ground::stand_columns(int threads, Poll poll) {
  const Index n = ranks_.n, d = ranks_.d;
  columns_.resize(n * d + 16);
  const auto some = [&](Index begin, Index end) {
    for (Index i = 0; i < n; ++i)
      for (Index f = begin; f < end; ++f)
        columns_[f * n + i] = x_[static_cast<Index>(order_[static_cast<std::size_t>(i)]) * stride_ + f];
  };
  parallel_blocks(d, 16, threads, some, poll);
}

void Ground::grow(const GrowOptions& options, const Draw& draw, Index first, std::vector<GrownTree>& trees, int threads,
                  Poll poll) const {
  const Grown data{&ranks_,
                   x_,
                   stride_,
                   columns_.size() ? columns_.data() : nullptr,
                   &targets_,
                   order_.data(),
                   categorical_.empty() ? nullptr : categorical_.data()};
  grow_trees(data, options, draw, first, trees, threads, poll);
}

// Where a line stands among the slots, or where it would.
std::size_t Forest::slot_of(const double* stats, std::uint32_t rows) const {
  std::uint64_t h = rows;
  for (Index k = 0; k < width_; ++k)
    h = (h ^ std::bit_cast<std::uint64_t>(stats[k])) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  const auto bytes = sizeof(double) * static_cast<std::size_t>(width_), mask = slots_.size() - 1;
  for (std::size_t at = h & mask;; at = (at + 1) & mask) {
    const std::uint32_t l = slots_[at];
    if (l == none) return at;
    const double* there = stats_.data() + static_cast<std::size_t>(l) * static_cast<std::size_t>(width_);
    if (rows_[l] == static_cast<std::int32_t>(rows) && std::memcmp(there, stats, bytes) == 0) return at;
  }
}

void Forest::more_slots() {
  slots_.assign(2 * slots_.size(), none);
  for (std::size_t l = 0; l < rows_.size(); ++l) {
    const double* stats = stats_.data() + l * static_cast<std::size_t>(width_);
    slots_[slot_of(stats, static_cast<std::uint32_t>(rows_[l]))] = static_cast<std::uint32_t>(l);
  }
}

std::uint32_t Forest::line(const double* stats, std::uint32_t rows) {
  const std::size_t at = slot_of(stats, rows);
  if (slots_[at] != none) return slots_[at];
  const auto number = static_cast<std::uint32_t>(rows_.size());
  slots_[at] = number;
  stats_.insert(stats_.end(), stats, stats + width_);
  rows_.push_back(static_cast<std::int32_t>(rows));
  if (2 * rows_.size() > slots_.size()) more_slots();
  return number;
}

std::uint32_t Forest::pure_line(const GrownLeaf& leaf) {
  const bool small = width_ <= 4096 && leaf.rows < few && leaf.weight < few && leaf.weight == std::floor(leaf.weight);
  std::uint32_t* known = nullptr;
  if (small) {
    if (pure_.empty()) pure_.assign(static_cast<std::size_t>(width_) * few * few, none);
    const auto weight = static_cast<std::size_t>(leaf.weight);
    known = &pure_[(static_cast<std::size_t>(leaf.only) * few + leaf.rows) * few + weight];
    if (*known != none) return *known;
  }
  std::vector<double> stats(static_cast<std::size_t>(width_), 0.0);
  stats[static_cast<std::size_t>(leaf.only)] = leaf.weight;
  const std::uint32_t number = line(stats.data(), leaf.rows);
  if (known) *known = number;
  return number;
}

// Nodes in the order of a walk from the left, children side by side: so a tree is known from which nodes are leaves.
void Forest::add(const GrownTree& tree) {
  std::vector<const double*> stats(tree.leaves.size(), nullptr);
  std::size_t at = 0;
  for (std::size_t k = 0; k < tree.leaves.size(); ++k)
    if (tree.leaves[k].only < 0) stats[k] = tree.stats.data() + static_cast<std::size_t>(width_) * at++;
  const Index base = nodes_.size();
  const std::size_t sets = sets_.size() / 8;
  nodes_.resize(base + static_cast<Index>(tree.nodes.size()));
  std::uint32_t next = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{0, 0}};  // where it was, where it goes
  while (!stack.empty()) {
    const auto [from, to] = stack.back();
    stack.pop_back();
    const GrownNode& g = tree.nodes[from];
    Node& node = nodes_[base + to];
    if (!tree.centres.empty())
      keep_centre(base + to, tree.centres.data() + from * (static_cast<std::size_t>(width_) - 1));
    if (g.column < 0) {
      const GrownLeaf& l = tree.leaves[g.leaf];
      node = {0, to, 0, l.only >= 0 ? pure_line(l) : line(stats[g.leaf], l.rows)};
      continue;
    }
    const float shifted = g.flags & by_category ? g.threshold + static_cast<float>(sets) : g.threshold;
    node = {shifted, next, static_cast<std::uint32_t>(g.column) | (g.flags & missing_right ? FAR_WIDE : 0u), 0};
    stack.push_back({g.left + 1, next + 1});
    stack.push_back({g.left, next});
    next += 2;
  }
  sets_.insert(sets_.end(), tree.categories.begin(), tree.categories.end());
  first_.push_back(nodes_.size());
  longest_ = std::max(longest_, static_cast<std::uint32_t>(tree.nodes.size()));
}

void Forest::grow(const Ground& ground, const GrowOptions& options, const Draw& draw, Index first, Index count,
                  int threads, Poll poll) {
  constexpr Index a_thread = 16;  // trees of each that grow at a time
  for (Index done = 0; done < count;) {
    const Index some = std::min(a_thread * std::max(threads, 1), count - done);
    std::vector<GrownTree> trees(static_cast<std::size_t>(some));
    ground.grow(options, draw, first + done, trees, threads, poll);
    Index nodes = 0;
    for (const GrownTree& t : trees) nodes += static_cast<Index>(t.nodes.size());
    nodes_.reserve(nodes_.size() + nodes / some * (count - done) + nodes % some);  // those to come are as large
    for (const GrownTree& t : trees) add(t);
    done += some;
  }
}

void Forest::keep_centre(Index node, const double* centre) {
  const Index width = width_ - 1;
  const auto size = static_cast<std::size_t>(nodes_.size() * width);
  if (centres_.size() < size) centres_.resize(size);
  std::copy_n(centre, width, centres_.data() + node * width);
}

// What a node of another forest is here: sets of categories are copied.
Forest::Node Forest::moved(const ForestView& from, const NodeParts& p) {
  Node node{p.threshold, p.left, p.column | (p.missing_right ? FAR_WIDE : 0u), 0};
  if (from.categorical && from.categorical[p.column]) {
    const std::uint32_t* set = from.sets + static_cast<std::size_t>(p.threshold) * 8;
    node.threshold = static_cast<float>(sets_.size() / 8);
    sets_.insert(sets_.end(), set, set + 8);
  }
  return node;
}

void Forest::add_cut(const ForestView& from, Index tree, const std::uint8_t* cut, const double* stats,
                     const std::int64_t* rows, const double* centres) {
  const Index base = nodes_.size();
  nodes_.resize(base + 1);
  std::vector<std::pair<Index, std::uint32_t>> stack{{0, 0}};  // where it was, where it goes
  while (!stack.empty()) {
    const auto [at, to] = stack.back();
    stack.pop_back();
    const NodeParts p = parts_of(from, from.first[tree] + at);
    if (centres) keep_centre(base + to, centres + at * (width_ - 1));
    if (static_cast<Index>(p.left) == at || cut[at]) {
      nodes_[base + to] = {0, to, 0, line(stats + at * width_, static_cast<std::uint32_t>(rows[at]))};
      continue;
    }
    const auto next = static_cast<std::uint32_t>(nodes_.size() - base);
    nodes_.resize(nodes_.size() + 2);
    nodes_[base + to] = moved(from, p);
    nodes_[base + to].left = next;
    stack.push_back({p.left + Index{1}, next + 1});
    stack.push_back({p.left, next});
  }
  first_.push_back(nodes_.size());
  longest_ = std::max(longest_, static_cast<std::uint32_t>(nodes_.size() - base));
}

void Forest::add(const ForestView& from, const double* stats, const std::int32_t* rows, const double* centres,
                 Index lines) {
  std::vector<std::uint32_t> here(static_cast<std::size_t>(lines));
  for (Index l = 0; l < lines; ++l)
    here[static_cast<std::size_t>(l)] = line(stats + l * width_, static_cast<std::uint32_t>(rows[l]));
  for (Index t = 0; t < from.trees; ++t) {
    const Index base = nodes_.size();
    nodes_.resize(base + from.size(t));
    for (Index i = 0; i < from.size(t); ++i) {
      const NodeParts p = parts_of(from, from.first[t] + i);
      const bool is_leaf = static_cast<Index>(p.left) == i;
      nodes_[base + i] = is_leaf ? Node{0, p.left, 0, here[p.line]} : moved(from, p);
      if (centres) keep_centre(base + i, centres + (from.first[t] + i) * (width_ - 1));
    }
    first_.push_back(nodes_.size());
    longest_ = std::max(longest_, static_cast<std::uint32_t>(from.size(t)));
  }
}

int Forest::shift() const {
  const int child = std::bit_width(longest_), column = std::bit_width(static_cast<std::uint64_t>(columns_ - 1));
  return child + column <= 30 && static_cast<Index>(rows_.size()) <= LINES ? column + 2 : 0;
}

std::vector<std::uint32_t> Forest::nodes() const {
  const int s = shift();
  std::vector<std::uint32_t> out(static_cast<std::size_t>(nodes_.size() * (s ? 2 : 4)));
  std::uint32_t* to = out.data();
  for (Index t = 0; t < trees(); ++t)
    for (Index i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i) {
      const Node& n = nodes_[i];
      const bool leaf = static_cast<Index>(n.left) == i - first_[static_cast<std::size_t>(t)];
      if (s) {
        *to++ = leaf ? LEAF_KEY + n.line : key_of(n.threshold);
        *to++ = n.left << s | (n.column & ~FAR_WIDE) << 2 | (n.column & FAR_WIDE ? FAR : 0u);
      } else {
        *to++ = leaf ? ~std::uint32_t{0} : key_of(n.threshold);
        *to++ = n.left;
        *to++ = n.column;
        *to++ = n.line;
      }
    }
  return out;
}

}  // namespace widemargin
