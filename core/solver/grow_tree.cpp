// One tree: nodes wait, are looked at, and become leaves or two more nodes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <queue>

#include "base/buffer.hpp"
#include "solver/near_rows.hpp"
#include "solver/node_column.hpp"
#include "solver/splitter.hpp"

namespace widemargin {
namespace {

constexpr Index AHEAD = 8;  // rows that are asked for before they are copied

struct Waiting {
  Index begin, end, depth;
  std::uint32_t node;
  double low = -std::numeric_limits<double>::infinity(), high = -low;  // what it may say, where columns demand an order
};

template <class T>
class Grower {
 public:
  Grower(const Table<T>& table, Splitter<T>& splitter, const GrowOptions& options, Draws draws,
         std::vector<std::uint32_t> rows, double total, GrownTree& tree, const std::function<void()>& rest)
      : table_(table),
        splitter_(splitter),
        o_(options),
        draws_(draws),
        rows_(std::move(rows)),
        total_(total),
        tree_(tree),
        rest_(rest),
        words_((table.d + 63) / 64),
        spare_(rows_.size() + 16),
        features_(static_cast<std::size_t>(table.d)),
        from_(features_.size()),
        known_(static_cast<std::size_t>(words_), 0) {
    for (Index f = 0; f < table.d; ++f) features_[static_cast<std::size_t>(f)] = static_cast<std::uint32_t>(f);
    near_ = std::min(near_rows(table, o_.random), splitter.near());
  }

  void grow() {
    o_.max_leaves ? by_gain() : deep();
    find_thresholds();
    // What was kept for growing serves the next tree: new memory is dear.
    tree_.nodes.shrink_to_fit();
    tree_.leaves.shrink_to_fit();
    tree_.stats.shrink_to_fit();
  }

 private:
  void deep() {
    splitter_.settle(nullptr, 0);
    push({0, static_cast<Index>(rows_.size()), 0, new_nodes(1)});
    while (!stack_.empty()) {
      const Waiting w = pop();
      if (copied_ < 0 && w.end - w.begin <= near_) copy_near(w);
      open(w);
      if (copied_ >= 0 && static_cast<Index>(stack_.size()) <= copied_) leave_copy();
    }
  }

  // The node whose split gains most is split next, until there are max_leaves.
  void by_gain() {
    struct Offer {
      double fall;
      Waiting w;
      Best<T> best;
      std::vector<std::uint64_t> known;
    };
    const auto worse = [](const Offer& a, const Offer& b) {
      return a.fall != b.fall ? a.fall < b.fall : a.w.node > b.w.node;
    };
    std::priority_queue<Offer, std::vector<Offer>, decltype(worse)> offers(worse);
    splitter_.settle(nullptr, 0);
    const auto consider = [&](const Waiting& w) {
      Best<T> best;
      double fall = 0;
      const std::vector<std::uint64_t> before = known_;
      if (find(w, best, fall)) offers.push({fall, w, best, known_});
      known_ = before;
    };
    consider({0, static_cast<Index>(rows_.size()), 0, new_nodes(1)});
    for (Index leaves = 1; !offers.empty(); ++leaves) {
      if (leaves == o_.max_leaves) {
        for (; !offers.empty(); offers.pop()) close(offers.top().w);
        break;
      }
      const Offer offer = offers.top();
      offers.pop();
      known_ = offer.known;
      Waiting left, right;
      split(offer.w, offer.best, left, right);
      consider(left);
      consider(right);
    }
  }

  std::uint32_t new_nodes(std::size_t count) {
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.resize(tree_.nodes.size() + count);
    return first;
  }

  void push(const Waiting& w) {
    stack_.push_back(w);
    for (const std::uint64_t k : known_) constants_.push_back(k);
  }

  Waiting pop() {
    const Waiting w = stack_.back();
    stack_.pop_back();
    for (auto k = known_.size(); k-- > 0; constants_.pop_back()) known_[k] = constants_.back();
    return w;
  }

  void copy_near(const Waiting& w) {
    const Index m = w.end - w.begin, d = table_.d;
    std::uint32_t* rows = rows_.data() + w.begin;
    copy_.resize(m * d + 8);
    const auto at = [&](Index i) {
      return table_.rows + static_cast<Index>(table_.order ? table_.order[rows[i]] : rows[i]) * table_.stride;
    };
    for (Index i = 0; i < m; ++i) {
      if (i + AHEAD < m) {  // rows lie far apart: many are on their way at a time
        const auto* line = reinterpret_cast<const char*>(at(i + AHEAD));
        for (Index b = 0; b < d * static_cast<Index>(sizeof(T)); b += 64) __builtin_prefetch(line + b);
      }
      std::copy_n(at(i), d, copy_.data() + i * d);
    }
    splitter_.settle(rows, m);
    for (Index i = 0; i < m; ++i) rows[i] = static_cast<std::uint32_t>(i);
    copied_ = static_cast<Index>(stack_.size());
  }

  void leave_copy() {
    copied_ = -1;
    splitter_.settle(nullptr, 0);
  }

  Codes<T> codes(Index f) const {
    if (copied_ >= 0) return {copy_.data() + f, table_.d};
    return {table_.columns + f * table_.n, 1};
  }

  void open(const Waiting& w) {
    Best<T> best;
    double fall;
    if (!find(w, best, fall)) return;
    Waiting left, right;
    split(w, best, left, right);
    if (!leave_pure(right)) push(right);
    if (!leave_pure(left)) push(left);
  }

  // Every other node has one class: it need not wait.
  bool leave_pure(const Waiting& w) {
    if (!splitter_.leave_pure(rows_.data() + w.begin, w.end - w.begin, tree_)) return false;
    name_leaf(w);
    return true;
  }

  void name_leaf(const Waiting& w) {
    tree_.nodes[w.node].column = -1;
    tree_.nodes[w.node].leaf = static_cast<std::uint32_t>(tree_.leaves.size()) - 1;
  }

  void close(const Waiting& w) {
    splitter_.enter(rows_.data() + w.begin, w.end - w.begin);
    leaf(w);
  }

  void leaf(const Waiting& w) {
    splitter_.leave(tree_);
    name_leaf(w);
  }

  // The best split of a node; a node that has none becomes a leaf.
  bool find(const Waiting& w, Best<T>& best, double& fall) {
    const Index m = w.end - w.begin;
    if ((since_ += m) > 1 << 16) since_ = 0, rest_();
    const NodeSum node = splitter_.enter(rows_.data() + w.begin, m);
    splitter_.note(tree_, w.node);
    splitter_.bound(w.low, w.high);
    const bool done = node.pure || m < o_.min_split || m / 2 < o_.min_leaf ||
                      (o_.max_depth && w.depth >= o_.max_depth) || node.weight < 2 * o_.min_leaf_weight;
    if (!done) look(best, w);
    fall = best.column < 0 ? 0.0 : splitter_.fall(best, node) / total_;
    if (best.column >= 0 && fall + std::numeric_limits<double>::epsilon() >= o_.min_decrease) return true;
    leaf(w);
    return false;
  }

  // Columns are drawn without putting them back, until max_features were looked at and one was not constant.
  void look(Best<T>& best, const Waiting& w) {
    Index left = table_.d, seen = 0, useful = 0;
    const double perfect = splitter_.perfect();
    const int most = copied_ >= 0 && splitter_.together() ? LANE_COLUMNS : splitter_.abreast();
    while (left > 0 && (seen < o_.max_features || useful == 0)) {
      std::uint32_t some[LANE_COLUMNS];
      int count = 0;
      const Index begin = left;
      const Random before = draws_.columns;
      do {
        const std::uint32_t f = draw(left);
        ++seen;
        some[count] = f;
        count += !(known_[f >> 6] >> (f & 63) & 1);
      } while (left > 0 && seen < o_.max_features && count < most);
      if (count == 0) continue;
      useful += most > 1 ? look_together(some, count, best, w) : look_alone(some[0], best);
      if (best.score != perfect) continue;
      // A later column could only be as good, and the first counts: those behind it are as if never drawn, so that a
      // tree does not depend on how many columns are looked at together.
      if (most > 1) {
        for (; left < begin; ++left)
          std::swap(features_[from_[static_cast<std::size_t>(left)]], features_[static_cast<std::size_t>(left)]);
        draws_.columns = before;
        while (draw(left) != best.column) {
        }
      }
      break;
    }
  }

  std::uint32_t draw(Index& left) {
    const std::uint32_t j = draws_.columns.below32(static_cast<std::uint32_t>(left--));
    from_[static_cast<std::size_t>(left)] = j;
    std::swap(features_[j], features_[static_cast<std::size_t>(left)]);
    return features_[static_cast<std::size_t>(left)];
  }

  // Both return how many columns were not constant.
  Index look_alone(std::uint32_t f, Best<T>& best) {
    if (splitter_.look(f, codes(f), best, draws_.cuts)) return 1;
    known_[f >> 6] |= std::uint64_t{1} << (f & 63);
    return 0;
  }

  Index look_together(std::uint32_t* some, int count, Best<T>& best, const Waiting& w) {
    std::fill(some + count, some + LANE_COLUMNS, some[0]);
    const SmallNode<T> node{copy_.data(), table_.d, rows_.data() + w.begin, w.end - w.begin};
    const unsigned constant = splitter_.look(some, count, node, best, draws_.cuts);
    for (int c = 0; c < count; ++c)
      if (constant >> c & 1) known_[some[c] >> 6] |= std::uint64_t{1} << (some[c] & 63);
    return count - std::popcount(constant);
  }

  void split(const Waiting& w, const Best<T>& best, Waiting& left, Waiting& right) {
    std::uint32_t* rows = rows_.data() + w.begin;
    const Index m = w.end - w.begin, go = part(rows, m, best);
    const std::uint32_t child = new_nodes(2);
    GrownNode& node = tree_.nodes[w.node];
    node.left = child;
    node.column = static_cast<std::int32_t>(best.column);
    mark(node, best);
    // Where no value was missing, those that will be go with most rows.
    const bool far = table_.ranks->missing[static_cast<std::size_t>(best.column)] ? best.right : go <= m - go;
    if (far) node.flags |= missing_right;
    left = {w.begin, w.begin + go, w.depth + 1, child, w.low, w.high};
    right = {w.begin + go, w.end, w.depth + 1, child + 1, w.low, w.high};
    if (!o_.monotonic || !o_.monotonic[best.column]) return;
    const double middle = best.left_value / 2 + best.right_value / 2;
    (o_.monotonic[best.column] > 0 ? left.high : left.low) = middle;
    (o_.monotonic[best.column] > 0 ? right.low : right.high) = middle;
  }

  void mark(GrownNode& node, const Best<T>& best);
  void find_thresholds();

  // Rows that go left come first; both sides keep their order. Returns how many go left.
  Index part(std::uint32_t* rows, Index m, const Best<T>& best) {
    const Codes<T> c = codes(best.column);
    std::uint32_t* other = spare_.data();
    Index l = 0, r = 0;
    const auto go = [&](auto goes_left) {
      for (Index i = 0; i < m; ++i) {
        const std::uint32_t row = rows[i];
        const bool left = goes_left(c.at[static_cast<Index>(row) * c.step]);
        rows[l] = row;
        other[r] = row;
        l += left;
        r += !left;
      }
    };
    if (table_.categorical && table_.categorical[best.column])
      go([&](T v) { return is_absent(best.column, v) ? !best.right : in_set(best, v); });
    else if (table_.ranks->missing[static_cast<std::size_t>(best.column)] && !best.right)
      go([&](T v) { return v <= best.cut || is_absent(best.column, v); });
    else
      return part_rows(c, rows, m, best.cut, other);
    std::copy_n(other, r, rows + l);
    return l;
  }

  static bool in_set(const Best<T>& best, T v) {
    const auto code = static_cast<unsigned>(v);
    return best.set[code >> 5] >> (code & 31) & 1;
  }

  bool is_absent(Index f, T v) const {
    if constexpr (std::is_floating_point_v<T>) return v != v;
    return static_cast<Index>(v) == table_.ranks->codes(f);
  }

  const Table<T>& table_;
  Splitter<T>& splitter_;
  const GrowOptions& o_;
  Draws draws_;
  std::vector<std::uint32_t> rows_;
  double total_;
  GrownTree& tree_;
  const std::function<void()>& rest_;
  Index words_, near_ = 0, copied_ = -1, since_ = 0;
  std::vector<std::uint32_t> spare_, features_, from_;  // from_: where a column that was drawn stood before
  std::vector<std::uint64_t> known_, constants_;
  std::vector<Waiting> stack_;
  Buffer<T> copy_;
};

// Half-way between two numbers, never above it: a float32 number goes the same way by it as by the exact middle.
float between(float low, float high) {
  const double middle = static_cast<double>(low) / 2 + static_cast<double>(high) / 2;
  auto t = static_cast<float>(middle);
  if (static_cast<double>(t) > middle || t >= high) t = std::nextafter(t, low);
  return std::max(t, low);
}

template <class T>
void Grower<T>::mark(GrownNode& node, const Best<T>& best) {
  const RankedColumns& ranks = *table_.ranks;
  const auto f = static_cast<std::size_t>(best.column);
  if (table_.categorical && table_.categorical[f]) {
    node.flags |= by_category;
    node.threshold = static_cast<float>(tree_.categories.size() / 8);
    std::uint32_t set[8] = {};  // by the categories themselves, not by their ranks
    for (Index c = 0; c < ranks.codes(best.column); ++c)
      if (best.set[c >> 5] >> (c & 31) & 1) {
        const auto name = static_cast<unsigned>(ranks.low[static_cast<std::size_t>(ranks.first[f] + c)]);
        set[name >> 5] |= 1u << (name & 31);
      }
    tree_.categories.insert(tree_.categories.end(), set, set + 8);
    return;
  }
  if (o_.random) {
    node.threshold = best.threshold;
    return;
  }
  node.threshold = std::bit_cast<float>(static_cast<std::uint32_t>(best.cut));
  node.leaf = static_cast<std::uint32_t>(best.next);
}

// From the codes on both sides of all cuts their thresholds: numbers behind codes lie far apart, and are quicker to
// find for a whole tree than on the way, one by one.
template <class T>
void Grower<T>::find_thresholds() {
  if (o_.random) return;
  const RankedColumns& ranks = *table_.ranks;
  for (GrownNode& node : tree_.nodes) {
    if (node.column < 0 || node.flags & by_category) continue;
    const auto number = static_cast<std::size_t>(ranks.first[static_cast<std::size_t>(node.column)]);
    const std::size_t cut = std::bit_cast<std::uint32_t>(node.threshold), next = node.leaf;
    // All numbers on the left, missing values alone on the right.
    node.threshold = static_cast<Index>(next) >= ranks.codes(node.column)
                         ? std::numeric_limits<float>::infinity()
                         : between(ranks.high[number + cut], ranks.low[number + next]);
    node.leaf = 0;
  }
}

template <>
void Grower<float>::mark(GrownNode& node, const Best<float>& best) {
  node.threshold = best.threshold;
}

}  // namespace

template <class T>
void grow_tree(const Table<T>& table, Splitter<T>& splitter, const GrowOptions& options, Draws draws,
               std::vector<std::uint32_t> rows, double total, GrownTree& tree, const std::function<void()>& rest) {
  Grower<T>(table, splitter, options, draws, std::move(rows), total, tree, rest).grow();
}

template void grow_tree(const Table<std::uint8_t>&, Splitter<std::uint8_t>&, const GrowOptions&, Draws,
                        std::vector<std::uint32_t>, double, GrownTree&, const std::function<void()>&);
template void grow_tree(const Table<std::uint16_t>&, Splitter<std::uint16_t>&, const GrowOptions&, Draws,
                        std::vector<std::uint32_t>, double, GrownTree&, const std::function<void()>&);
template void grow_tree(const Table<std::uint32_t>&, Splitter<std::uint32_t>&, const GrowOptions&, Draws,
                        std::vector<std::uint32_t>, double, GrownTree&, const std::function<void()>&);
template void grow_tree(const Table<float>&, Splitter<float>&, const GrowOptions&, Draws, std::vector<std::uint32_t>,
                        double, GrownTree&, const std::function<void()>&);

}  // namespace widemargin
