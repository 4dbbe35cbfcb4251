#include "solver/honest.hpp"

#include <algorithm>
#include <cmath>

namespace widemargin {

std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> honest_halves(std::vector<std::uint32_t> rows,
                                                                                Random random) {
  if (rows.size() < 2) return {rows, rows};
  shuffle(rows, random);
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>((rows.size() + 1) / 2);
  std::vector<std::uint32_t> second(half, rows.end());
  rows.erase(half, rows.end());
  std::sort(rows.begin(), rows.end());
  std::sort(second.begin(), second.end());
  return {std::move(rows), std::move(second)};
}

namespace {

bool goes_left(const GrownTree& tree, const GrownNode& node, float x) {
  if (std::isnan(x)) return !(node.flags & missing_right);
  if (!(node.flags & by_category)) return x <= node.threshold;
  const auto name = static_cast<unsigned>(x);
  return tree.categories[static_cast<std::size_t>(node.threshold) * 8 + (name >> 5)] >> (name & 31) & 1;
}

}  // namespace

template <class T>
GrownTree refilled(const GrownTree& tree, const Grown& data, Splitter<T>& splitter, std::vector<std::uint32_t> rows) {
  struct Waiting {
    std::size_t begin, end;
    std::uint32_t from, to;
  };
  GrownTree out;
  out.categories = tree.categories;
  out.nodes.resize(1);
  splitter.settle(nullptr, 0);
  std::vector<Waiting> stack{{0, rows.size(), 0, 0}};
  while (!stack.empty()) {
    const Waiting w = stack.back();
    stack.pop_back();
    const GrownNode& node = tree.nodes[w.from];
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(w.begin),
               end = rows.begin() + static_cast<std::ptrdiff_t>(w.end);
    auto middle = end;
    if (node.column >= 0)
      middle = std::stable_partition(begin, end, [&](std::uint32_t row) {
        const Index at = data.order ? static_cast<Index>(data.order[row]) : static_cast<Index>(row);
        return goes_left(tree, node, data.x[at * data.stride + node.column]);
      });
    const bool leaf = middle == begin || middle == end;
    if (leaf || !tree.centres.empty()) {
      splitter.enter(rows.data() + w.begin, static_cast<Index>(w.end - w.begin));
      splitter.note(out, w.to);
    }
    out.nodes[w.to] = node;
    if (leaf) {
      out.nodes[w.to].column = -1;
      out.nodes[w.to].flags = 0;
      out.nodes[w.to].leaf = static_cast<std::uint32_t>(out.leaves.size());
      splitter.leave(out);
      continue;
    }
    const auto child = static_cast<std::uint32_t>(out.nodes.size());
    out.nodes[w.to].left = child;
    out.nodes.resize(out.nodes.size() + 2);
    const auto cut = static_cast<std::size_t>(middle - rows.begin());
    stack.push_back({cut, w.end, node.left + 1, child + 1});
    stack.push_back({w.begin, cut, node.left, child});
  }
  return out;
}

template GrownTree refilled(const GrownTree&, const Grown&, Splitter<std::uint8_t>&, std::vector<std::uint32_t>);
template GrownTree refilled(const GrownTree&, const Grown&, Splitter<std::uint16_t>&, std::vector<std::uint32_t>);
template GrownTree refilled(const GrownTree&, const Grown&, Splitter<std::uint32_t>&, std::vector<std::uint32_t>);
template GrownTree refilled(const GrownTree&, const Grown&, Splitter<float>&, std::vector<std::uint32_t>);

}  // namespace widemargin
