// Splits for any weights, outputs, missing values and categories: rows in order of their codes, sums from the left.
//
// Method   missing values are tried on both sides. Categories are put in order of the mean of what they stand for; for
//          two classes, and for numbers, that order's best cut is the best of all subsets [BreimanEtAl84, th. 4.5].
//          Random cuts: uniform between the extremes of the node; missing values go to either side by a toss.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sort_keys.hpp"
#include "solver/count_splitter.hpp"
#include "solver/median_stats.hpp"
#include "solver/node_stats.hpp"
#include "solver/random_splitter.hpp"

namespace widemargin {
namespace {

template <class T, class Stats>
class SortedSplitter final : public Splitter<T> {
 public:
  SortedSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options, const std::uint32_t* times)
      : table_(table), options_(options), stats_(targets, times) {}

  void settle(const std::uint32_t* rows, Index m) override { near_.assign(rows, rows + m); }

  NodeSum enter(const std::uint32_t* rows, Index m) override {
    rows_ = rows;
    m_ = m;
    if (!near_.empty()) {
      origin_.resize(static_cast<std::size_t>(m));
      for (Index i = 0; i < m; ++i) origin_[static_cast<std::size_t>(i)] = near_[rows[i]];
      return scaled(stats_.enter(origin_.data(), m));
    }
    return scaled(stats_.enter(rows, m));
  }

  void leave(GrownTree& tree) override { stats_.leave(tree); }
  void note(GrownTree& tree, std::uint32_t node) override { stats_.note(tree, node); }
  void bound(double low, double high) override { low_ = low, high_ = high; }
  double perfect() const override { return stats_.perfect(); }
  double fall(const Best<T>& best, const NodeSum& node) const override { return stats_.fall(best.score, node); }

  bool look(Index column, Codes<T> codes, Best<T>& best, Random& random) override {
    const Index absent = order(column, codes);
    if (present_ == 0 || (absent == 0 && code(0) == code(present_ - 1))) return false;
    if (options_.random) {
      one_cut(column, codes, best, random);
      return true;
    }
    const bool sets = table_.categorical && table_.categorical[column];
    if (sets) by_mean();
    walk(column, best, true, sets);
    if (absent > 0) walk(column, best, false, sets);
    return true;
  }

 private:
  T code(Index i) const {
    const std::uint64_t key = keys_[static_cast<std::size_t>(i)] >> 32;
    if constexpr (std::is_floating_point_v<T>) return values_[static_cast<std::size_t>(i)];
    return static_cast<T>(key);
  }
  std::size_t place(Index i) const {
    return static_cast<std::size_t>(keys_[static_cast<std::size_t>(i)] & 0xffffffffu);
  }

  // Scores that differ by less than their rounding are equal, and of equal ones the first counts.
  NodeSum scaled(const NodeSum& node) {
    slack_ = TIE * std::abs(node.side);
    return node;
  }

  // Keys (code, place in the node) in order; missing values come last. Returns how many these are.
  Index order(Index column, Codes<T> codes) {
    const auto room = static_cast<std::size_t>(room_for_keys(m_));
    if (keys_.size() < room) keys_.resize(room), spare_.resize(room);
    if constexpr (std::is_floating_point_v<T>) {
      return pick(codes);
    } else {
      for (Index i = 0; i < m_; ++i)
        keys_[static_cast<std::size_t>(i)] =
            static_cast<std::uint64_t>(codes.at[static_cast<Index>(rows_[i]) * codes.step]) << 32 |
            static_cast<std::uint64_t>(i);
      if (!options_.random) sort_keys(keys_.data(), m_, spare_.data());
      present_ = m_;
      if (!table_.ranks->missing[static_cast<std::size_t>(column)]) return extremes(), 0;
      const auto last = static_cast<std::uint64_t>(table_.ranks->codes(column));
      const auto here = [&](std::uint64_t k) { return k >> 32 < last; };
      present_ = std::stable_partition(keys_.begin(), keys_.begin() + m_, here) - keys_.begin();
      extremes();
      return m_ - present_;
    }
  }

  // Without an order, the smallest code comes first and the largest last: all that random cuts ask for.
  void extremes() {
    if (!options_.random || present_ == 0) return;
    const auto begin = keys_.begin(), end = keys_.begin() + present_;
    std::iter_swap(begin, std::min_element(begin, end));
    std::iter_swap(end - 1, std::max_element(begin, end));
  }

  // The same for numbers.
  Index pick(Codes<T> codes) {
    values_.resize(static_cast<std::size_t>(m_));
    present_ = 0;
    Index absent = m_;
    for (Index i = 0; i < m_; ++i) {
      const T v = codes.at[static_cast<Index>(rows_[i]) * codes.step];
      const Index at = v == v ? present_++ : --absent;
      values_[static_cast<std::size_t>(at)] = v;
      keys_[static_cast<std::size_t>(at)] = static_cast<std::uint64_t>(i);
    }
    const auto swap = [&](Index a, Index b) {
      std::swap(values_[static_cast<std::size_t>(a)], values_[static_cast<std::size_t>(b)]);
      std::swap(keys_[static_cast<std::size_t>(a)], keys_[static_cast<std::size_t>(b)]);
    };
    if (present_ > 0) {
      const auto begin = values_.begin(), end = values_.begin() + present_;
      swap(0, std::min_element(begin, end) - begin);
      swap(present_ - 1, std::max_element(begin, end) - begin);
    }
    return m_ - present_;
  }

  bool fits(Index rows) const {
    return rows >= options_.min_leaf && m_ - rows >= options_.min_leaf && stats_.weight() >= options_.min_leaf_weight &&
           stats_.right_weight() >= options_.min_leaf_weight && stats_.allowed();
  }

  // Whether both sides say what they may: within the bounds of the node, and in the order that the column demands.
  bool in_order(Index column, Best<T>& best) const {
    if (!options_.monotonic) return true;
    const double left = stats_.left_value(), right = stats_.right_value();
    const int order = options_.monotonic[column];
    if (std::min(left, right) < low_ || std::max(left, right) > high_) return false;
    if (order * (right - left) < 0) return false;
    best.left_value = left, best.right_value = right;
    return true;
  }

  void walk(Index column, Best<T>& best, bool right, bool sets) {
    stats_.begin();
    Index rows = 0;
    if (!right)
      for (Index i = present_; i < m_; ++i) stats_.add(place(i)), ++rows;
    for (Index i = 0; i < present_; ++i) {
      stats_.add(place(i));
      ++rows;
      const bool last = i + 1 == present_;
      if (last ? !right || rows == m_ : group(i) == group(i + 1)) continue;
      const double score = stats_.score();
      if (!(score > best.score + slack_) || !fits(rows) || !in_order(column, best)) continue;
      best.score = score;
      best.column = column;
      best.right = right;
      best.cut = code(i);
      best.next = last ? static_cast<T>(table_.ranks->codes(column)) : code(i + 1);
      if (sets) collect(i, best);
    }
  }

  // Rows of one group are never parted: those of one code, which are neighbours in any order of the categories.
  std::uint64_t group(Index i) const { return keys_[static_cast<std::size_t>(i)] >> 32; }

  void collect(Index last, Best<T>& best) const {
    std::fill(best.set, best.set + 8, 0u);
    for (Index i = 0; i <= last; ++i) {
      const auto c = static_cast<unsigned>(code(i));
      best.set[c >> 5] |= 1u << (c & 31);
    }
  }

  void by_mean() {
    double sum[256] = {}, weight[256] = {};
    for (Index i = 0; i < present_; ++i) {
      const auto c = static_cast<std::size_t>(code(i)) & 255;
      sum[c] += stats_.row_weight(place(i)) * stats_.mean(place(i));
      weight[c] += stats_.row_weight(place(i));
    }
    const auto mean = [&](std::uint64_t key) { return sum[(key >> 32) & 255] / weight[(key >> 32) & 255]; };
    std::sort(keys_.begin(), keys_.begin() + present_, [&](std::uint64_t a, std::uint64_t b) {
      const double p = mean(a), q = mean(b);
      return p != q ? p < q : a < b;
    });
  }

  // The number behind a code.
  double value(Index column, T c) const {
    if constexpr (std::is_floating_point_v<T>)
      return c;
    else
      return table_.ranks->low[static_cast<std::size_t>(table_.ranks->first[static_cast<std::size_t>(column)]) + c];
  }

  void one_cut(Index column, Codes<T>, Best<T>& best, Random& random) {
    const double low = value(column, code(0)), high = value(column, code(present_ - 1));
    const double u = random.uniform();
    const bool right = present_ == m_ || random.below32(2);
    const float threshold = random_threshold(low, high, u);
    const T cut = random_cut<T>(table_, column, threshold);
    stats_.begin();
    Index rows = 0;
    for (Index i = 0; i < m_; ++i)
      if (i < present_ ? code(i) <= cut : !right) stats_.add(place(i)), ++rows;
    if (rows == 0 || rows == m_) return;
    const double score = stats_.score();
    if (!(score > best.score + slack_) || !fits(rows) || !in_order(column, best)) return;
    best.score = score;
    best.column = column;
    best.right = right;
    best.cut = cut;
    best.threshold = threshold;
  }

  const Table<T>& table_;
  const GrowOptions& options_;
  Stats stats_;
  const std::uint32_t* rows_ = nullptr;
  Index m_ = 0, present_ = 0;
  double low_ = 0, high_ = 0, slack_ = 0;
  std::vector<std::uint32_t> near_, origin_;
  std::vector<std::uint64_t> keys_, spare_;
  std::vector<T> values_;
};

template <class T>
bool plain_classes(const Table<T>& table, const Targets& targets, const GrowOptions& options,
                   const std::uint32_t* times) {
  if (!targets.codes || targets.outputs != 1 || targets.classes[0] > 256 || targets.weight) return false;
  if (options.criterion != Criterion::gini || table.categorical || options.monotonic) return false;
  if (std::any_of(table.ranks->missing.begin(), table.ranks->missing.end(), [](auto m) { return m; })) return false;
  return !times || *std::max_element(times, times + table.n) <= 255;
}

}  // namespace

template <class T>
std::unique_ptr<Splitter<T>> make_splitter(const Table<T>& table, const Targets& targets, const GrowOptions& options,
                                           const std::uint32_t* times) {
  if (plain_classes(table, targets, options, times)) {
    if (options.random && !times) return make_random_splitter(table, targets, options);
    if constexpr (!std::is_floating_point_v<T>)
      if (!options.random) return std::make_unique<CountSplitter<T>>(table, targets, options, times);
  }
  switch (options.criterion) {
    case Criterion::gini:
      return std::make_unique<SortedSplitter<T, ClassStats<Gini, false>>>(table, targets, options, times);
    case Criterion::entropy:
      return std::make_unique<SortedSplitter<T, ClassStats<Entropy, false>>>(table, targets, options, times);
    case Criterion::gain:
      return std::make_unique<SortedSplitter<T, ClassStats<Entropy, true>>>(table, targets, options, times);
    case Criterion::absolute:
      return std::make_unique<SortedSplitter<T, MedianStats>>(table, targets, options, times);
    case Criterion::poisson:
      return std::make_unique<SortedSplitter<T, NumberStats<Poisson>>>(table, targets, options, times);
    default:
      return std::make_unique<SortedSplitter<T, NumberStats<Squared>>>(table, targets, options, times);
  }
}

template std::unique_ptr<Splitter<std::uint8_t>> make_splitter(const Table<std::uint8_t>&, const Targets&,
                                                               const GrowOptions&, const std::uint32_t*);
template std::unique_ptr<Splitter<std::uint16_t>> make_splitter(const Table<std::uint16_t>&, const Targets&,
                                                                const GrowOptions&, const std::uint32_t*);
template std::unique_ptr<Splitter<std::uint32_t>> make_splitter(const Table<std::uint32_t>&, const Targets&,
                                                                const GrowOptions&, const std::uint32_t*);
template std::unique_ptr<Splitter<float>> make_splitter(const Table<float>&, const Targets&, const GrowOptions&,
                                                        const std::uint32_t*);

}  // namespace widemargin
