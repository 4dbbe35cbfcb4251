#include "solver/random_splitter.hpp"

#include <algorithm>
#include <bit>

#include "solver/node_column.hpp"
#include "solver/random_lanes.hpp"

namespace widemargin {
namespace {

template <class T>
class RandomSplitter final : public Splitter<T> {
 public:
  RandomSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options)
      : table_(table),
        targets_(targets),
        first_(static_cast<std::size_t>(targets.classes[0]) + 1),
        class_(static_cast<std::size_t>(targets.classes[0])),
        fewest_(std::max(static_cast<double>(options.min_leaf), options.min_leaf_weight)) {}

  void settle(const std::uint32_t* rows, Index m) override {
    settled_ = rows != nullptr;
    near_.resize(static_cast<std::size_t>(m));
    for (Index i = 0; i < m; ++i) near_[static_cast<std::size_t>(i)] = targets_.codes[rows[i]];
  }

  NodeSum enter(const std::uint32_t* rows, Index m) override {
    rows_ = rows;
    m_ = m;
    if (static_cast<Index>(values_.size()) < m + BEYOND) {
      values_.resize(static_cast<std::size_t>(m + BEYOND));
      words_.resize(static_cast<std::size_t>(m) / 64 + 2);
    }
    const std::int32_t* codes = settled_ ? near_.data() : targets_.codes;
    const bool pure = codes[rows[0]] == codes[rows[m - 1]];  // as half of all nodes are
    m <= 64 && !pure ? find_classes(codes) : seek_classes(codes);
    Index squares = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(here_); ++k)
      squares += (first_[k + 1] - first_[k]) * (first_[k + 1] - first_[k]);
    const double side = static_cast<double>(squares) / static_cast<double>(m);
    slack_ = TIE * side;
    return {static_cast<double>(m), side, here_ == 1};
  }

  bool look(Index column, Codes<T> codes, Best<T>& best, Random& random) override {
    if (m_ == 2) return pair(column, codes, best, random);
    T low, high;
    gather_values(codes, rows_, m_, values_.data(), low, high);
    if (low == high) return false;
    const double a = number(column, low), b = number(column, high), u = random.uniform();
    const float threshold = random_threshold(a, b, u);
    const T cut = random_cut<T>(table_, column, threshold);
    const Sides s = cut_sides(values_.data(), m_, cut, first_.data(), here_, words_.data());
    const Index l = s.rows, r = m_ - l;
    const auto lw = static_cast<double>(l), rw = static_cast<double>(r);
    if (std::min(lw, rw) < fewest_) return true;
    const double score = s.left / lw + s.right / rw;
    if (score > best.score + slack_) {
      best.score = score;
      best.column = column;
      best.cut = cut;
      best.threshold = threshold;
    }
    return true;
  }

  bool together() const override { return settled_ && m_ > 2 && m_ <= LANE_ROWS && lanes; }

  unsigned look(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best, Random& random) override {
    unsigned useful = 0;
    if constexpr (lanes) {
      float low[LANE_COLUMNS], high[LANE_COLUMNS], threshold[LANE_COLUMNS], cut[LANE_COLUMNS] = {};
      lane_extremes(node, columns, space_, low, high);
      for (int c = 0; c < count; ++c) useful |= static_cast<unsigned>(low[c] != high[c]) << c;
      if (useful == 0) return (1u << count) - 1;
      const Random before = random;
      draw_cuts(columns, count, useful, low, high, random, threshold, cut);
      LaneSides s;
      lane_sides(space_, first_.data(), here_, cut, s);
      const int chosen = lane_choice(useful, s, {static_cast<std::int32_t>(m_), fewest_, slack_}, best.score);
      if (chosen < 0) return ~useful & ((1u << count) - 1);
      best.column = columns[chosen], best.cut = static_cast<T>(cut[chosen]), best.threshold = threshold[chosen];
      if (best.score == perfect()) {
        random = before;
        for (int k = std::popcount(useful & ((2u << chosen) - 1)); k > 0; --k) random.uniform();
      }
    }
    return ~useful & ((1u << count) - 1);
  }

  void leave(GrownTree& tree) override {
    const std::int32_t only = here_ == 1 ? class_[0] : -1;
    tree.leaves.push_back({static_cast<std::uint32_t>(m_), only, static_cast<double>(m_)});
    if (only >= 0) return;
    const std::size_t begin = tree.stats.size();
    tree.stats.resize(begin + class_.size(), 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(here_); ++k)
      tree.stats[begin + static_cast<std::size_t>(class_[k])] = static_cast<double>(first_[k + 1] - first_[k]);
  }

  bool leave_pure(const std::uint32_t* rows, Index m, GrownTree& tree) override {
    const std::int32_t* codes = settled_ ? near_.data() : targets_.codes;
    const std::int32_t only = codes[rows[0]];
    if (codes[rows[m - 1]] != only) return false;
    tree.leaves.push_back({static_cast<std::uint32_t>(m), only, static_cast<double>(m)});
    return true;
  }

  double perfect() const override { return static_cast<double>(m_); }

 private:
  static constexpr bool lanes = sizeof(T) == 1 || std::is_floating_point_v<T>;

  float number(Index column, T c) const {
    if constexpr (std::is_floating_point_v<T>)
      return c;
    else
      return table_.ranks->low[static_cast<std::size_t>(table_.ranks->first[static_cast<std::size_t>(column)]) + c];
  }

  // One cut a lane; only columns that are not constant draw.
  void draw_cuts(const std::uint32_t* columns, int count, unsigned useful, float* low, float* high, Random& random,
                 float* threshold, float* cut) const {
    double shares[LANE_COLUMNS] = {};
    for (int k = 0, most = std::popcount(useful); k < most; ++k) shares[k] = random.uniform();
    if constexpr (std::is_floating_point_v<T>) {
      lane_thresholds(useful, shares, low, high, cut);
      std::copy_n(cut, LANE_COLUMNS, threshold);
    } else {
      for (int c = 0; c < count; ++c) {
        low[c] = number(columns[c], static_cast<T>(low[c]));
        high[c] = number(columns[c], static_cast<T>(high[c]));
      }
      lane_thresholds(useful, shares, low, high, threshold);
      for (int c = 0; c < count; ++c) cut[c] = static_cast<float>(random_cut<T>(table_, columns[c], threshold[c]));
    }
  }

  // Rows of a class are neighbours: where those of each class begin. Few rows are all looked at, without a branch.
  void find_classes(const std::int32_t* codes) {
    std::size_t k = 0;
    std::int32_t own = codes[rows_[0]];
    for (Index i = 0; i < m_; ++i) {
      const std::int32_t code = codes[rows_[i]];
      k += code != own;
      own = code;
      class_[k] = code;
      first_[k + 1] = i + 1;
    }
    here_ = static_cast<Index>(k) + 1;
  }

  void seek_classes(const std::int32_t* codes) {
    here_ = 0;
    for (Index at = 0; at < m_; ++here_) {
      const std::int32_t own = codes[rows_[at]];
      class_[static_cast<std::size_t>(here_)] = own;
      const auto same = [&](std::uint32_t row) { return codes[row] == own; };
      at = same(rows_[m_ - 1]) ? m_ : std::partition_point(rows_ + at, rows_ + m_, same) - rows_;
      first_[static_cast<std::size_t>(here_) + 1] = at;
    }
  }

  // Two rows of different classes: whatever tells them apart is perfect.
  bool pair(Index column, Codes<T> codes, Best<T>& best, Random& random) {
    T low = codes.at[static_cast<Index>(rows_[0]) * codes.step],
      high = codes.at[static_cast<Index>(rows_[1]) * codes.step];
    if (low == high) return false;
    if (high < low) std::swap(low, high);
    const double a = number(column, low), b = number(column, high), u = random.uniform();
    if (fewest_ > 1 || !(2.0 > best.score)) return true;
    best.score = 2.0;
    best.column = column;
    best.threshold = random_threshold(a, b, u);
    best.cut = random_cut<T>(table_, column, best.threshold);
    return true;
  }

  const Table<T>& table_;
  const Targets& targets_;
  std::vector<Index> first_;         // where the rows of each class that is here begin
  std::vector<std::int32_t> class_;  // which these are
  Index here_ = 0;                   // how many
  std::vector<std::int32_t> near_;
  std::vector<T> values_;
  std::vector<std::uint64_t> words_;
  const std::uint32_t* rows_ = nullptr;
  Index m_ = 0;
  double slack_ = 0;
  double fewest_;  // rows, or weight, that each side needs
  bool settled_ = false;
  LaneSpace space_;
};

}  // namespace

template <class T>
std::unique_ptr<Splitter<T>> make_random_splitter(const Table<T>& table, const Targets& targets,
                                                  const GrowOptions& options) {
  return std::make_unique<RandomSplitter<T>>(table, targets, options);
}

template std::unique_ptr<Splitter<std::uint8_t>> make_random_splitter(const Table<std::uint8_t>&, const Targets&,
                                                                      const GrowOptions&);
template std::unique_ptr<Splitter<std::uint16_t>> make_random_splitter(const Table<std::uint16_t>&, const Targets&,
                                                                       const GrowOptions&);
template std::unique_ptr<Splitter<std::uint32_t>> make_random_splitter(const Table<std::uint32_t>&, const Targets&,
                                                                       const GrowOptions&);
template std::unique_ptr<Splitter<float>> make_random_splitter(const Table<float>&, const Targets&, const GrowOptions&);

}  // namespace widemargin
