#include "solver/count_splitter.hpp"

#include <algorithm>

#include "base/sort_keys.hpp"
#include "solver/count_columns.hpp"

namespace widemargin {
template <class T>
CountSplitter<T>::CountSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options,
                                const std::uint32_t* times)
    : table_(table),
      classes_(targets.classes[0]),
      min_leaf_(options.min_leaf),
      shift_(classes_ <= 2    ? 1
             : classes_ <= 16 ? 4
                              : 5),
      lanes_(Index{1} << shift_),
      min_weight_(options.min_leaf_weight),
      limited_(options.min_leaf > 1 || options.min_leaf_weight > 0),
      payload_(static_cast<std::size_t>(table.n)),
      total_(static_cast<std::size_t>(classes_)),
      left_(static_cast<std::size_t>(classes_)),
      long_left_(static_cast<std::size_t>(classes_)),
      before_(static_cast<std::size_t>(256 * LANES)),
      narrow_total_(LANES),
      survives_(256),
      survivors_(256),
      bin_end_(256) {
  for (Index i = 0; i < table.n; ++i) {
    const std::uint32_t t = times ? times[i] : 1;
    payload_[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(targets.codes[i] << 8 | static_cast<int>(t));
  }
  cuts_.reserve(256);
  for (Index f = 0; f < table.d; ++f) few_codes_ = std::max(few_codes_, table.ranks->codes(f));
  if (few_codes_ > 256 || LANE_COLUMNS * few_codes_ * lanes_ > 256 * LANES || classes_ > LANES) few_codes_ = 0;
  // Equal bins of columns that are counted together do not fall on the same place of the cache.
  pitch_ = (few_codes_ ? few_codes_ : 256) * lanes_ + 5 * 32;
  counts_.resize(static_cast<std::size_t>(std::max(256 * lanes_, (few_codes_ ? LANE_COLUMNS : 4) * pitch_)));
  // Where codes are few, histograms are soon cheaper.
  lane_rows_ = std::clamp<Index>(2 * table.ranks->first.back() / table.d, 16, LANE_ROWS);
}

template <class T>
void CountSplitter<T>::settle(const std::uint32_t* rows, Index m) {
  settled_ = rows != nullptr;
  from_ = payload_.data();
  if (!rows) return;
  near_.resize(static_cast<std::size_t>(m));
  for (Index i = 0; i < m; ++i) near_[static_cast<std::size_t>(i)] = payload_[rows[i]];
  from_ = near_.data();
}

template <class T>
NodeSum CountSplitter<T>::enter(const std::uint32_t* rows, Index m) {
  rows_ = rows;
  m_ = m;
  if (static_cast<Index>(node_.size()) < m) {
    node_.resize(static_cast<std::size_t>(m));
    named_.resize(node_.size());
    keys_.resize(static_cast<std::size_t>(room_for_keys(m)));
    spare_.resize(keys_.size());
  }
  for (const std::uint8_t k : here_classes_) total_[k] = 0, narrow_total_[k % LANES] = 0;
  here_classes_.clear();
  named_here_ = m <= LANE_ROWS && name_runs();
  if (!named_here_) sum_classes();
  std::int64_t most = 0, squares = 0;
  w_ = 0;
  for (const std::uint8_t k : here_classes_) {
    const std::int64_t t = total_[k];
    w_ += t;
    most = std::max(most, t);
    squares += t * t;
  }
  narrow_ = w_ <= NARROW && most <= MOST;
  if (narrow_ && classes_ <= LANES)
    for (const std::uint8_t k : here_classes_) narrow_total_[k] = static_cast<std::uint16_t>(total_[k]);
  lanes_here_ = sizeof(T) <= 2 && settled_ && !limited_ && m > 2 && m <= lane_rows_ && w_ <= LANE_WEIGHT && most < w_ &&
                name_classes();
  return {static_cast<double>(w_), static_cast<double>(squares) / static_cast<double>(w_), most == w_};
}

// Weights of the classes of the node, and its rows with classes counted from 0 on: in one go and without a branch that
// could not be foreseen, where rows lie in order of their classes. False where they do not.
template <class T>
bool CountSplitter<T>::name_runs() {
  std::uint8_t own[LANE_ROWS];
  std::int32_t until[LANE_ROWS], sum = 0;
  std::size_t k = 0;
  int last = from_[rows_[0]] >> 8, back = 0;
  for (Index i = 0; i < m_; ++i) {
    const int p = from_[rows_[i]], here = p >> 8, x = p & 255;
    k += here != last;
    back |= here < last;
    last = here;
    sum += x;
    own[k] = static_cast<std::uint8_t>(here);
    until[k] = sum;
    node_[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(p);
    named_[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(k << 8 | static_cast<std::size_t>(x));
  }
  if (back) return false;
  for (std::size_t j = 0; j <= k; ++j) {
    total_[own[j]] = until[j] - (j ? until[j - 1] : 0);
    here_classes_.push_back(own[j]);
  }
  return true;
}

// The same for many rows, in any order. Rows of a class are mostly neighbours: a sum in a register need not wait for
// memory.
template <class T>
void CountSplitter<T>::sum_classes() {
  std::uint16_t* node = node_.data();
  for (Index i = 0; i < m_; ++i) node[i] = from_[rows_[i]];
  for (Index i = 0; i < m_;) {
    const std::uint16_t own = node[i] >> 8;
    std::int32_t sum = 0;
    for (; i < m_ && node[i] >> 8 == own; ++i) sum += node[i] & 255;
    if (!total_[own]) here_classes_.push_back(static_cast<std::uint8_t>(own));
    total_[own] += sum;
  }
}

// Whether the classes of the node are few enough for its columns to go eight at a time; counts them from 0 on.
template <class T>
bool CountSplitter<T>::name_classes() {
  here_.classes = static_cast<Index>(here_classes_.size());
  here_.w = static_cast<std::int32_t>(w_);
  if (!here_.fit()) return false;
  std::uint16_t name[256];
  std::fill(here_.total, here_.total + 32, 0);
  for (std::size_t j = 0; j < here_classes_.size(); ++j) {
    name[here_classes_[j]] = static_cast<std::uint16_t>(j << 8);
    here_.total[j] = total_[here_classes_[j]];
  }
  if (!named_here_)
    for (std::size_t i = 0; i < static_cast<std::size_t>(m_); ++i)
      named_[i] = static_cast<std::uint16_t>(name[node_[i] >> 8] | (node_[i] & 255));
  here_.payload = named_.data();
  return true;
}

template <class T>
unsigned CountSplitter<T>::look(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best, Random&) {
  if (!lanes_here_) return look_abreast(columns, count, node, best);
  unsigned constant = 0;
  if constexpr (sizeof(T) <= 2) {
    LaneCuts cuts;
    best_cuts(node, here_, columns, space_, cuts);
    for (int c = 0; c < count; ++c) {
      if (cuts.above[c] < 0) {
        constant |= 1u << c;
        continue;
      }
      const double score = cuts.above[c] / cuts.below[c];
      if (score > best.score)
        best.score = score, best.column = columns[c], best.cut = static_cast<T>(cuts.cut[c]),
        best.next = static_cast<T>(cuts.next[c]);
    }
  }
  return constant;
}

template <class T>
unsigned CountSplitter<T>::look_abreast(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best) {
  const std::uint8_t* bytes[LANE_COLUMNS] = {};
  const T* codes[LANE_COLUMNS] = {};
  if (settled_) {
    for (int c = 0; c < count; ++c) codes[c] = node.at + columns[c];
    fill(columns, codes, node.stride, count);
  } else {
    for (int c = 0; c < count; ++c) bytes[c] = table_.ranks->bytes(columns[c]);
    fill(columns, bytes, 1, count);
  }
  unsigned constant = 0;
  for (int c = 0; c < count; ++c) {
    const std::uint16_t* counts = counts_.data() + c * pitch_;
    const Index bins = table_.ranks->codes(columns[c]);
    if (bins > 256) {
      if (!refine(columns[c], counts, best)) constant |= 1u << c;
      continue;
    }
    walk_bins(counts, bins, lanes_, narrow_total_.data(), cuts_, nullptr);
    if (cuts_.size < 2)
      constant |= 1u << c;
    else
      take(columns[c], best_gini(cuts_, static_cast<std::int32_t>(w_)), best);
  }
  return constant;
}

template <class T>
void CountSplitter<T>::leave(GrownTree& tree) {
  const bool pure = here_classes_.size() == 1;
  const auto only = pure ? static_cast<std::int32_t>(here_classes_[0]) : -1;
  tree.leaves.push_back({static_cast<std::uint32_t>(m_), only, static_cast<double>(w_)});
  if (!pure) tree.stats.insert(tree.stats.end(), total_.begin(), total_.end());
}

// Rows lie in order of their classes, mostly: the last one tells of most nodes that they have more than one.
template <class T>
bool CountSplitter<T>::leave_pure(const std::uint32_t* rows, Index m, GrownTree& tree) {
  const int only = from_[rows[0]] >> 8;
  if (from_[rows[m - 1]] >> 8 != only) return false;
  int weight = 0, other = 0;
  for (Index i = 0; i < m; ++i) {
    const int p = from_[rows[i]];
    weight += p & 255;
    other |= p >> 8 ^ only;
  }
  if (other) return false;
  tree.leaves.push_back({static_cast<std::uint32_t>(m), only, static_cast<double>(weight)});
  return true;
}

template <class T>
bool CountSplitter<T>::look(Index column, Codes<T> codes, Best<T>& best, Random&) {
  const Index bins = table_.ranks->codes(column);
  const bool narrow = narrow_ && classes_ <= LANES;
  if (bins <= 256 && bins <= 2 * m_ + 16 && m_ > 2)
    return narrow ? count(column, codes.at, codes.step, bins, best)
                  : count_wide(column, codes.at, codes.step, bins, best);
  return sort(column, codes, best);
}

template <class T>
template <class Code>
bool CountSplitter<T>::count(Index column, const Code* at, Index step, Index bins, Best<T>& best) {
  const auto w = static_cast<std::int32_t>(w_);
  fill(at, step, bins);
  walk_bins(counts_.data(), bins, lanes_, narrow_total_.data(), cuts_, nullptr);
  if (cuts_.size < 2) return false;
  Index j = best_gini(cuts_, w);
  if (limited_) {
    bin_rows_.assign(static_cast<std::size_t>(bins), 0);
    for (Index i = 0; i < m_; ++i) ++bin_rows_[static_cast<std::size_t>(at[static_cast<Index>(rows_[i]) * step])];
    Index rows = 0;
    j = -1;
    for (Index c = 0; c + 1 < cuts_.size; ++c) {
      rows += bin_rows_[cuts_.at[static_cast<std::size_t>(c)]];
      if (fits(cuts_.weight[static_cast<std::size_t>(c)], rows) &&
          (j < 0 || cuts_.score[static_cast<std::size_t>(c)] > cuts_.score[static_cast<std::size_t>(j)]))
        j = c;
    }
    if (j < 0) return true;
  }
  take(column, j, best);
  return true;
}

template <class T>
template <class Code>
void CountSplitter<T>::fill(const Code* at, Index step, Index bins) {
  std::uint16_t* counts = counts_.data();
  std::fill(counts, counts + bins * lanes_, std::uint16_t{0});
  const std::uint16_t* node = node_.data();
  for (Index i = 0; i < m_; ++i) {
    const auto code = static_cast<Index>(at[static_cast<Index>(rows_[i]) * step]);
    counts[(code << shift_) + (node[i] >> 8)] += node[i] & 255;
  }
}

// Histograms of some columns at once.
template <class T>
template <class Code>
void CountSplitter<T>::fill(const std::uint32_t* columns, const Code* const* at, Index step, int count) {
  for (int c = 0; c < count; ++c)
    std::fill_n(counts_.data() + c * pitch_, std::min<Index>(256, table_.ranks->codes(columns[c])) * lanes_,
                std::uint16_t{0});
  const Counting to{rows_, node_.data(), m_, counts_.data(), pitch_};
  const auto some = shift_ == 1   ? count_columns<1, Code>
                    : shift_ == 4 ? count_columns<4, Code>
                                  : count_columns<5, Code>;
  some(to, at, step, count);
}

template <class T>
template <class Code>
bool CountSplitter<T>::count_wide(Index column, const Code* at, Index step, Index bins, Best<T>& best) {
  const auto k = static_cast<std::size_t>(classes_);
  wide_.assign(static_cast<std::size_t>(bins) * k, 0);
  bin_rows_.assign(static_cast<std::size_t>(bins), 0);
  for (Index i = 0; i < m_; ++i) {
    const auto code = static_cast<std::size_t>(at[static_cast<Index>(rows_[i]) * step]);
    const std::uint16_t p = node_[static_cast<std::size_t>(i)];
    wide_[code * k + (p >> 8)] += p & 255;
    ++bin_rows_[code];
  }
  std::fill(long_left_.begin(), long_left_.end(), 0);
  std::int64_t left = 0, right = 0, weight = 0;
  for (const std::int32_t t : total_) right += static_cast<std::int64_t>(t) * t;
  Index rows = 0, seen = 0;
  T last{};
  double score = 0;
  bool open = false;  // a cut that waits for the next bin
  for (Index b = 0; b < bins; ++b) {
    const auto bin = static_cast<std::size_t>(b);
    if (!bin_rows_[bin]) continue;
    ++seen;
    if (open && score > best.score)
      best.score = score, best.column = column, best.cut = last, best.next = static_cast<T>(b);
    for (std::size_t c = 0; c < k; ++c) {
      const std::int64_t x = wide_[bin * k + c];
      left += x * (2 * long_left_[c] + x);
      right -= x * (2 * (total_[c] - long_left_[c]) - x);
      long_left_[c] += x;
      weight += x;
    }
    rows += bin_rows_[bin];
    last = static_cast<T>(b);
    open = weight < w_ && fits(weight, rows);
    if (open)
      score = static_cast<double>(left) / static_cast<double>(weight) +
              static_cast<double>(right) / static_cast<double>(w_ - weight);
  }
  return seen > 1;
}

// Two rows of different classes: whatever tells them apart is perfect.
template <class T>
bool CountSplitter<T>::pair(Index column, Codes<T> codes, Best<T>& best) {
  const T a = codes.at[static_cast<Index>(rows_[0]) * codes.step],
          b = codes.at[static_cast<Index>(rows_[1]) * codes.step];
  if (a == b) return false;
  const auto score = static_cast<double>(w_);
  if (score > best.score && fits((a < b ? node_[0] : node_[1]) & 255, 1)) {
    best.score = score;
    best.column = column;
    best.cut = std::min(a, b);
    best.next = std::max(a, b);
  }
  return true;
}

// Keys of the node's rows; 0 where the column is constant.
template <class T>
Index CountSplitter<T>::gather(Codes<T> codes) {
  Key any = 0, all = ~Key{0};
  for (Index i = 0; i < m_; ++i) {
    const Key code = codes.at[static_cast<Index>(rows_[i]) * codes.step];
    any |= code;
    all &= code;
    keys_[static_cast<std::size_t>(i)] = code << 16 | node_[static_cast<std::size_t>(i)];
  }
  return any == all ? 0 : m_;
}

template <class T>
bool CountSplitter<T>::sort(Index column, Codes<T> codes, Best<T>& best) {
  if (m_ == 2) return pair(column, codes, best);
  const Index m = gather(codes);
  if (m == 0) return false;
  sort_keys(keys_.data(), m, spare_.data(), 16);
  if (narrow_) {
    std::fill(left_.begin(), left_.end(), 0);
    std::int32_t squares = 0;
    for (const std::int32_t t : total_) squares += t * t;
    walk_keys<std::int32_t>(keys_.data(), m, left_.data(), 0, squares, 0, column, best);
  } else {
    std::fill(long_left_.begin(), long_left_.end(), 0);
    std::int64_t squares = 0;
    for (const std::int64_t t : total_) squares += t * t;
    walk_keys<std::int64_t>(keys_.data(), m, long_left_.data(), 0, squares, 0, column, best);
  }
  return true;
}

template class CountSplitter<std::uint8_t>;
template class CountSplitter<std::uint16_t>;
template class CountSplitter<std::uint32_t>;

}  // namespace widemargin
