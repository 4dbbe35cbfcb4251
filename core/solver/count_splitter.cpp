#include "solver/count_splitter.hpp"

#include <algorithm>

#include "base/sort_keys.hpp"

namespace widemargin {
namespace {

constexpr Index FEW = 256;  // rows that are sorted rather than counted

}  // namespace

template <class T>
CountSplitter<T>::CountSplitter(const Table<T>& table, const Targets& targets, const GrowOptions& options,
                                const std::uint32_t* times)
    : table_(table),
      classes_(targets.classes[0]),
      lanes_(classes_ <= 16 ? 16 : 32),
      min_leaf_(options.min_leaf),
      min_weight_(options.min_leaf_weight),
      limited_(options.min_leaf > 1 || options.min_leaf_weight > 0),
      payload_(static_cast<std::size_t>(table.n)),
      total_(static_cast<std::size_t>(classes_)),
      left_(static_cast<std::size_t>(classes_)),
      long_left_(static_cast<std::size_t>(classes_)),
      counts_(static_cast<std::size_t>(256 * LANES)),
      before_(counts_.size()),
      narrow_total_(LANES),
      survives_(256) {
  for (Index i = 0; i < table.n; ++i) {
    const std::uint32_t t = times ? times[i] : 1;
    payload_[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(targets.codes[i] << 8 | static_cast<int>(t));
  }
  cuts_.reserve(256);
  for (Index f = 0; f < table.d; ++f) few_codes_ = std::max(few_codes_, table.ranks->codes(f));
  if (LANE_COLUMNS * few_codes_ * lanes_ > static_cast<Index>(counts_.size()) || classes_ > LANES) few_codes_ = 0;
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
    keys_.resize(static_cast<std::size_t>(room_for_keys(m)));
    spare_.resize(keys_.size());
  }
  std::uint16_t* node = node_.data();
  for (Index i = 0; i < m; ++i) node[i] = from_[rows[i]];
  sum_classes();
  std::int64_t most = 0, squares = 0;
  w_ = 0;
  for (const std::uint8_t k : here_classes_) {
    const std::int64_t t = total_[k];
    w_ += t;
    most = std::max(most, t);
    squares += t * t;
  }
  if (w_ <= NARROW && classes_ <= LANES)
    for (const std::uint8_t k : here_classes_) narrow_total_[k] = static_cast<std::uint16_t>(total_[k]);
  lanes_here_ = false;
  counts_here_ = settled_ && !limited_ && classes_ > 2 && few_codes_ && w_ <= NARROW && m > lane_rows_;
  if (sizeof(T) <= 2 && settled_ && !limited_ && m > 2 && m <= lane_rows_ && w_ <= LANE_WEIGHT && most < w_)
    name_classes();
  return {static_cast<double>(w_), static_cast<double>(squares) / static_cast<double>(w_), most == w_};
}

// Weights of the classes of the node. Most classes are absent from most nodes: only those of the last node are cleared.
template <class T>
void CountSplitter<T>::sum_classes() {
  for (const std::uint8_t k : here_classes_) total_[k] = 0, narrow_total_[k % LANES] = 0;
  here_classes_.clear();
  const std::uint16_t* node = node_.data();
  const auto add = [&](std::uint16_t own, std::int32_t sum) {
    if (!total_[own]) here_classes_.push_back(static_cast<std::uint8_t>(own));
    total_[own] += sum;
  };
  // Rows of a class are mostly neighbours: a sum in a register need not wait for memory. Where rows are few, ends of
  // classes would be branches that cannot be foreseen.
  if (m_ <= 64) {
    std::uint16_t own[64];
    std::int32_t until[65], sum = 0;
    std::size_t k = 0;
    std::uint16_t last = node[0] >> 8;
    until[0] = 0;
    for (Index i = 0; i < m_; ++i) {
      const std::uint16_t here = node[i] >> 8;
      k += here != last;
      last = here;
      sum += node[i] & 255;
      own[k] = here;
      until[k + 1] = sum;
    }
    for (std::size_t j = 0; j <= k; ++j) add(own[j], until[j + 1] - until[j]);
    return;
  }
  for (Index i = 0; i < m_;) {
    const std::uint16_t own = node[i] >> 8;
    std::int32_t sum = 0;
    for (; i < m_ && node[i] >> 8 == own; ++i) sum += node[i] & 255;
    add(own, sum);
  }
}

// Counts the classes of the node from 0 on; where they are few enough, columns go eight at a time.
template <class T>
void CountSplitter<T>::name_classes() {
  here_.classes = static_cast<Index>(here_classes_.size());
  here_.w = static_cast<std::int32_t>(w_);
  if (!here_.fit()) return;
  std::uint16_t name[256];
  std::fill(here_.total, here_.total + 32, 0);
  for (std::size_t j = 0; j < here_classes_.size(); ++j) {
    name[here_classes_[j]] = static_cast<std::uint16_t>(j << 8);
    here_.total[j] = total_[here_classes_[j]];
  }
  named_.resize(node_.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(m_); ++i)
    named_[i] = static_cast<std::uint16_t>(name[node_[i] >> 8] | (node_[i] & 255));
  here_.payload = named_.data();
  lanes_here_ = true;
}

template <class T>
unsigned CountSplitter<T>::look(const std::uint32_t* columns, int count, SmallNode<T> node, Best<T>& best, Random&) {
  unsigned constant = 0;
  if (counts_here_) {
    fill(columns, count, node);
    for (int c = 0; c < count; ++c) {
      const std::uint16_t* counts = counts_.data() + c * few_codes_ * lanes_;
      walk_bins(counts, table_.ranks->codes(columns[c]), lanes_, narrow_total_.data(), 0, cuts_, nullptr);
      if (cuts_.size < 2)
        constant |= 1u << c;
      else
        take(columns[c], best_gini(cuts_, static_cast<std::int32_t>(w_)), best);
    }
    return constant;
  }
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
void CountSplitter<T>::leave(GrownTree& tree) {
  const bool pure = here_classes_.size() == 1;
  const auto only = pure ? static_cast<std::int32_t>(here_classes_[0]) : -1;
  tree.leaves.push_back({static_cast<std::uint32_t>(m_), only, static_cast<double>(w_)});
  if (!pure) tree.stats.insert(tree.stats.end(), total_.begin(), total_.end());
}

template <class T>
bool CountSplitter<T>::look(Index column, Codes<T> codes, Best<T>& best, Random&) {
  const Index bins = table_.ranks->codes(column);
  const bool narrow = w_ <= NARROW && classes_ <= LANES;
  if (bins <= 256 && bins <= 2 * m_ + 16 && m_ > 2)
    return narrow ? count(column, codes.at, codes.step, bins, best)
                  : count_wide(column, codes.at, codes.step, bins, best);
  if constexpr (sizeof(T) > 1)
    if (m_ > FEW && bins > 256 && !settled_ && !limited_ && narrow) return refine(column, codes, best);
  return sort(column, codes, best);
}

template <class T>
template <class Code>
bool CountSplitter<T>::count(Index column, const Code* at, Index step, Index bins, Best<T>& best) {
  const auto w = static_cast<std::int32_t>(w_);
  if (classes_ == 2) {
    count_two(at, step, bins);
  } else {
    fill(at, step, bins);
    walk_bins(counts_.data(), bins, lanes_, narrow_total_.data(), w, cuts_, nullptr);
  }
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

// Histograms of some columns of few codes at once: one does not wait for the other.
template <class T>
void CountSplitter<T>::fill(const std::uint32_t* columns, int count, SmallNode<T> node) {
  const Index shift = lanes_ == 16 ? 4 : 5, size = few_codes_ << shift;
  std::fill_n(counts_.data(), count * size, std::uint16_t{0});
  for (Index i = 0; i < m_; ++i) {
    const T* row = node.at + node.rows[i] * node.stride;
    const auto x = static_cast<std::uint16_t>(node_[static_cast<std::size_t>(i)] & 255);
    std::uint16_t* to = counts_.data() + (node_[static_cast<std::size_t>(i)] >> 8);
    for (int c = 0; c < count; ++c, to += size) to[static_cast<Index>(row[columns[c]]) << shift] += x;
  }
}

// The cuts of two classes: both counts of a bin share a word.
template <class T>
template <class Code>
void CountSplitter<T>::count_two(const Code* at, Index step, Index bins) {
  std::uint32_t counts[256];
  std::fill(counts, counts + bins, 0u);
  for (Index i = 0; i < m_; ++i) {
    const std::uint32_t p = node_[static_cast<std::size_t>(i)];
    counts[at[static_cast<Index>(rows_[i]) * step]] += (p & 255) << (p >> 8 << 4);
  }
  std::uint32_t sum = 0;
  std::size_t size = 0;
  for (Index b = 0; b < bins; ++b) {
    sum += counts[b];
    const auto l0 = static_cast<std::int32_t>(sum & 65535), l1 = static_cast<std::int32_t>(sum >> 16);
    const std::int32_t r0 = total_[0] - l0, r1 = total_[1] - l1;
    cuts_.left[size] = l0 * l0 + l1 * l1;
    cuts_.right[size] = r0 * r0 + r1 * r1;
    cuts_.weight[size] = l0 + l1;
    cuts_.at[size] = static_cast<std::uint32_t>(b);
    size += counts[b] != 0;
  }
  cuts_.size = static_cast<Index>(size);
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
  if (w_ <= NARROW) {
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
