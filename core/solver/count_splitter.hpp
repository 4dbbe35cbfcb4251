// Splits by Gini where every row counts a whole number of times: all sums are exact.
//
// Symbols  m rows of the node, w their weight;  L = sum of squared class weights on the left, R on the right
// Method   many rows: histograms of classes by code, of some columns at once, walked once. Few rows: keys (code, class,
//          weight), sorted, and a walk along them, by eight columns at once where rows are close by (solver/lanes.hpp).
//          Where codes are longer than a byte, many rows are first counted by coarse codes; only bins in which a cut
//          could still be better than the best one are then sorted. Within a bin with counts c, between counts l and r,
//          a cut that moves x of c to the left has
//          L = sum_k (l_k + x_k)^2 / |l + x|  <=  A + sum_k x_k max(0, 2 l_k + max c - A) / |l|,  A = sum l_k^2 / |l|,
//          as (|l| + |x|) (L - A) = sum_k x_k (2 l_k + x_k - A), and L <= A + max c, as L is convex and homogeneous.
//          The same holds for the right side with c - x. So whatever x is, each of the c_k rows of class k raises the
//          score by at most the larger of both factors.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/count_cuts.hpp"
#include "solver/splitter.hpp"

namespace widemargin {

template <class T>
class CountSplitter final : public Splitter<T> {
 public:
  CountSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options, const std::uint32_t* times);

  void settle(const std::uint32_t* rows, Index m) override;
  NodeSum enter(const std::uint32_t* rows, Index m) override;
  bool look(Index column, Codes<T> codes, Best<T>& best, Random& random) override;
  bool together() const override { return lanes_here_; }
  int abreast() const override {
    if (limited_ || !narrow_ || classes_ > LANES || (settled_ && sizeof(T) > 1)) return 1;
    if (m_ <= (few_codes_ ? lane_rows_ : FEW)) return 1;
    return few_codes_ ? LANE_COLUMNS : lanes_ > 16 ? 2 : 4;  // as many as the nearest cache holds histograms of
  }
  // Coarse codes are not kept close by.
  Index near() const override { return sizeof(T) > 1 ? std::max(lane_rows_, FEW) : std::numeric_limits<Index>::max(); }
  unsigned look(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best, Random& random) override;
  void leave(GrownTree& tree) override;
  bool leave_pure(const std::uint32_t* rows, Index m, GrownTree& tree) override;
  double perfect() const override { return w_; }

 private:
  using Key = std::conditional_t<sizeof(T) <= 2, std::uint32_t, std::uint64_t>;
  static constexpr Index FEW = 256;  // rows that are sorted rather than counted

  template <class Code>
  bool count(Index column, const Code* at, Index step, Index bins, Best<T>& best);
  template <class Code>
  void fill(const Code* at, Index step, Index bins);
  template <class Code>
  void fill(const std::uint32_t* columns, const Code* const* at, Index step, int count);
  unsigned look_abreast(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best);
  template <class Code>
  bool count_wide(Index column, const Code* at, Index step, Index bins, Best<T>& best);
  bool sort(Index column, Codes<T> codes, Best<T>& best);
  bool pair(Index column, Codes<T> codes, Best<T>& best);
  bool refine(Index column, const std::uint16_t* counts, Best<T>& best);
  Index gather(Codes<T> codes);
  void sum_classes();
  bool name_runs();
  bool name_classes();
  bool find_survivors(const std::uint16_t* counts, double floor);
  Index sort_survivors(Index column);
  void walk_survivors(Index column, Best<T>& best);
  void edge(Index column, std::uint8_t bin, T& cut, T& next) const;
  template <class Int>
  void walk_keys(const Key* keys, Index m, Int* l, Int left, Int right, Int weight, Index column, Best<T>& best);
  void walk_narrow(const Key* keys, Index m, std::int32_t* l, std::int32_t left, std::int32_t right,
                   std::int32_t weight, Index column, Best<T>& best);
  static void take(Index column, double score, Key key, Key next, Best<T>& best) {
    best.score = score;
    best.column = column;
    best.cut = static_cast<T>(key >> 16);
    best.next = static_cast<T>(next >> 16);
  }
  void take(Index column, Index cut, Best<T>& best) const {
    const auto c = static_cast<std::size_t>(cut);
    if (!(cuts_.score[c] > best.score)) return;
    best.score = cuts_.score[c];
    best.column = column;
    best.cut = static_cast<T>(cuts_.at[c]);
    best.next = static_cast<T>(cuts_.at[c + 1]);
  }
  bool fits(std::int64_t weight, Index rows) const {
    return !limited_ || (rows >= min_leaf_ && m_ - rows >= min_leaf_ && static_cast<double>(weight) >= min_weight_ &&
                         static_cast<double>(w_ - weight) >= min_weight_);
  }

  const Table<T>& table_;
  Index classes_, min_leaf_;
  int shift_;    // a bin has
  Index lanes_;  // 2^shift_ counts
  double min_weight_;
  bool limited_, settled_ = false, narrow_ = false;
  std::vector<std::uint16_t> payload_, near_, node_;  // class and weight: of all rows, of those close by, of the node
  const std::uint16_t* from_ = nullptr;
  const std::uint32_t* rows_ = nullptr;
  Index m_ = 0;
  std::int64_t w_ = 0;
  std::vector<std::int32_t> total_, left_;
  std::vector<std::uint8_t> here_classes_;  // those of the node
  std::vector<std::int64_t> long_left_;
  std::vector<std::uint16_t> counts_, before_, narrow_total_;
  std::vector<std::uint32_t> wide_, bin_rows_;
  std::vector<Key> keys_, spare_, bin_keys_;
  std::vector<std::uint8_t> survives_;           // by bin
  std::vector<std::uint32_t> survivors_, kept_;  // cuts that end these bins; rows in them
  std::vector<std::uint32_t> bin_end_;           // where the keys of a bin end
  Cuts cuts_, key_cuts_;
  Index lane_rows_ = 0;               // most rows of a node whose columns go eight at a time
  Index pitch_ = 0;                   // between histograms of columns that are counted at once
  Index few_codes_ = 0;               // most codes of a column, where they are few
  bool named_here_ = false;           // whether `named_` is that of the node
  bool lanes_here_ = false;           // whether the node goes by eight columns at a time
  LaneClasses here_;                  // its classes
  std::vector<std::uint16_t> named_;  // as node_, with classes counted among those of the node
  LaneSpace space_;
};

// Along sorted keys, from l with its sums on: every change of the code is a cut, but the one behind the last key.
template <class T>
template <class Int>
void CountSplitter<T>::walk_keys(const Key* keys, Index m, Int* l, Int left, Int right, Int weight, Index column,
                                 Best<T>& best) {
  if constexpr (sizeof(Int) == 4) {
    if (!limited_) return walk_narrow(keys, m, l, left, right, weight, column, best);
  }
  const auto w = static_cast<double>(w_);
  for (Index i = 0; i + 1 < m; ++i) {
    const Key key = keys[i];
    const auto c = static_cast<std::size_t>((key >> 8) & 255);
    const Int x = static_cast<Int>(key & 255), lc = l[c];
    left += x * (2 * lc + x);
    right -= x * (2 * (total_[c] - lc) - x);
    l[c] = lc + x;
    weight += x;
    if (key >> 16 == keys[i + 1] >> 16) continue;
    const auto n = static_cast<double>(weight);
    const double score = static_cast<double>(left) / n + static_cast<double>(right) / (w - n);
    if (score > best.score && fits(weight, i + 1)) take(column, score, key, keys[i + 1], best);
  }
}

// The same where no cut is forbidden: all sums first, without a branch, then all scores.
template <class T>
void CountSplitter<T>::walk_narrow(const Key* keys, Index m, std::int32_t* l, std::int32_t left, std::int32_t right,
                                   std::int32_t weight, Index column, Best<T>& best) {
  key_cuts_.reserve(m);
  std::int32_t *ls = key_cuts_.left.data(), *rs = key_cuts_.right.data(), *ws = key_cuts_.weight.data();
  std::uint32_t* at = key_cuts_.at.data();
  Index size = 0;
  const auto walk = [&](auto move) {
    for (Index i = 0; i + 1 < m; ++i) {
      const Key key = keys[i];
      const auto c = static_cast<std::size_t>((key >> 8) & 255);
      const auto x = static_cast<std::int32_t>(key & 255), lc = move(c, x);
      left += x * (2 * lc + x);
      right -= x * (2 * (total_[c] - lc) - x);
      weight += x;
      ls[size] = left, rs[size] = right, ws[size] = weight, at[size] = static_cast<std::uint32_t>(i);
      size += key >> 16 != keys[i + 1] >> 16;
    }
  };
  // Few classes: all their counts in one word, so that none has to wait for memory.
  const int bits = classes_ <= 8 && w_ <= 255 ? 8 : classes_ <= 4 && w_ <= 65535 ? 16 : 0;
  if (bits) {
    std::uint64_t word = 0;
    const std::uint64_t mask = bits == 8 ? 255 : 65535;
    for (Index c = 0; c < classes_; ++c) word |= static_cast<std::uint64_t>(l[c]) << (c * bits);
    walk([&](std::size_t c, std::int32_t x) {
      const std::size_t at_bit = c * static_cast<std::size_t>(bits);
      const auto before = static_cast<std::int32_t>(word >> at_bit & mask);
      word += static_cast<std::uint64_t>(x) << at_bit;
      return before;
    });
  } else {
    walk([&](std::size_t c, std::int32_t x) { return std::exchange(l[c], l[c] + x); });
  }
  key_cuts_.size = size + 1;
  const Index j = best_gini(key_cuts_, static_cast<std::int32_t>(w_));
  if (j < 0 || !(key_cuts_.score[static_cast<std::size_t>(j)] > best.score)) return;
  const auto i = key_cuts_.at[static_cast<std::size_t>(j)];
  take(column, key_cuts_.score[static_cast<std::size_t>(j)], keys[i], keys[i + 1], best);
}

}  // namespace widemargin
