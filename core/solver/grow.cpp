#include "solver/grow.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/draws.hpp"
#include "solver/honest.hpp"
#include "solver/splitter.hpp"

namespace widemargin {
namespace {

struct Cancelled {};

// Rows of a tree; random cuts of classes want them in order of the classes.
std::vector<std::uint32_t> rows_of(const Targets& t, const GrowOptions& options, const std::uint32_t* times) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(t.n) + 1);
  std::iota(rows.begin(), rows.end(), 0u);
  std::size_t size = static_cast<std::size_t>(t.n);
  if (times || t.weight) {
    size = 0;
    for (Index i = 0; i < t.n; ++i) {  // which rows were drawn cannot be foreseen: no branch
      rows[size] = static_cast<std::uint32_t>(i);
      size += static_cast<std::size_t>(!times || times[i] > 0) & static_cast<std::size_t>(!t.weight || t.weight[i] > 0);
    }
  }
  rows.resize(size);
  const auto less = [&](auto a, auto b) { return t.codes[a] < t.codes[b]; };
  if (options.random && t.codes && t.outputs == 1 && !std::is_sorted(rows.begin(), rows.end(), less))
    std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

// A thread that has grown one tree grows the next in the same memory, apart from what the tree itself takes.
template <class T>
class Forester {
 public:
  Forester(const Grown& data, const GrowOptions& options, const Draw& draw, const Table<T>& table)
      : data_(data), options_(options), draw_(draw), table_(table) {}

  void grow(Index number, GrownTree& tree, const std::function<void()>& rest) const {
    Targets t = *data_.targets;
    const std::vector<std::uint32_t> times = drawn(number, t.n);
    const std::uint32_t* drawn = draw_.bootstrap ? times.data() : nullptr;
    std::vector<double> weight;
    if (draw_.bootstrap && !draw_.members) {  // rows were drawn by their weights
      if (draw_.balance) weight = balanced(t, times);
      t.weight = draw_.balance ? weight.data() : nullptr;
    }
    std::vector<std::uint32_t> rows = rows_of(t, options_, drawn);
    if (rows.empty()) fail("a tree has drawn only rows without weight");
    std::vector<std::uint32_t> filling;
    if (options_.honest)
      std::tie(rows, filling) =
          honest_halves(std::move(rows), {options_.seed, Purpose::split, static_cast<std::uint64_t>(number), 1});
    double total = drawn || t.weight ? 0.0 : static_cast<double>(rows.size());
    if (drawn || t.weight)
      for (const std::uint32_t i : rows) total += (drawn ? drawn[i] : 1.0) * (t.weight ? t.weight[i] : 1.0);
    GrowOptions options = options_;
    options.min_leaf_weight *= total;
    const auto splitter = make_splitter<T>(table_, t, options, drawn);
    const auto index = static_cast<std::uint64_t>(number);
    const Draws draws{{options_.seed, Purpose::split, index}, {options_.seed, Purpose::split, index, 2}};
    grow_tree<T>(table_, *splitter, options, draws, std::move(rows), total, tree, rest);
    if (options_.honest) tree = refilled(tree, data_, *splitter, std::move(filling));
  }

 private:
  std::vector<std::uint32_t> drawn(Index number, Index n) const {
    if (!draw_.bootstrap) return {};
    std::vector<std::uint32_t> by_row(static_cast<std::size_t>(n)), times(by_row.size());
    if (draw_.members)
      deal_rows(options_.seed, number, draw_.members, n, by_row.data());
    else
      draw_rows(options_.seed, number, n, draw_.size, draw_.sums, by_row.data());
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = by_row[data_.order ? data_.order[i] : i];
    return times;
  }

  // Weights by which all classes that were drawn weigh the same; over outputs they multiply.
  static std::vector<double> balanced(const Targets& t, const std::vector<std::uint32_t>& times) {
    std::vector<double> weight(times.size(), 1.0);
    const auto outputs = static_cast<std::size_t>(t.outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      std::vector<double> count(static_cast<std::size_t>(t.classes[o]), 0.0);
      double all = 0, present = 0;
      const auto code = [&](std::size_t i) { return static_cast<std::size_t>(t.codes[i * outputs + o]); };
      for (std::size_t i = 0; i < times.size(); ++i) count[code(i)] += times[i], all += times[i];
      for (const double c : count) present += c > 0;
      for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i]) weight[i] *= all / (present * count[code(i)]);
    }
    return weight;
  }

  const Grown& data_;
  const GrowOptions& options_;
  const Draw& draw_;
  const Table<T>& table_;
};

template <class T>
void grow_all(const Grown& data, const GrowOptions& options, const Draw& draw, Index first,
              std::vector<GrownTree>& trees, int threads, Poll poll, const Table<T>& table) {
  const Forester<T> forester(data, options, draw, table);
  std::atomic<bool> stopped{false};
  const auto caller = std::this_thread::get_id();
  const std::function<void()> rest = [&] {
    if (stopped) throw Cancelled{};
    if (std::this_thread::get_id() != caller) return;
    try {
      poll();
    } catch (...) {
      stopped = true;
      throw;
    }
  };
  const auto work = [&](Index t) {
    try {
      forester.grow(first + t, trees[static_cast<std::size_t>(t)], rest);
    } catch (const Cancelled&) {  // the one who stopped it all has something better to throw
    }
  };
  parallel_for(static_cast<Index>(trees.size()), threads, work, poll);
}

}  // namespace

void grow_trees(const Grown& data, const GrowOptions& options, const Draw& draw, Index first,
                std::vector<GrownTree>& trees, int threads, Poll poll) {
  const RankedColumns& r = *data.ranks;
  if (!options.random && !r.ranked()) fail("the rows are ready for random cuts only");
  if (options.random && r.width > 1) {
    if (!data.columns) fail("the rows are not ready for random cuts");
    const Table<float> table{data.columns, data.x, data.order, r.n, r.d, data.stride, &r, nullptr};
    return grow_all(data, options, draw, first, trees, threads, poll, table);
  }
  const auto with = [&]<class T>(T) {
    const std::uint8_t* sets = options.random ? nullptr : data.categorical;
    const Table<T> table{r.column<T>(0), r.row_major<T>(), nullptr, r.n, r.d, r.d, &r, sets};
    grow_all(data, options, draw, first, trees, threads, poll, table);
  };
  if (r.width == 1) return with(std::uint8_t{});
  if (r.width == 2) return with(std::uint16_t{});
  with(std::uint32_t{});
}

}  // namespace widemargin
