// Exact cuts of columns with many codes: coarse bins first, then those that could hold a better cut.
#include "base/sort_keys.hpp"
#include "solver/count_splitter.hpp"

namespace widemargin {

// Marks the bins in which a cut could have a score above `floor`; each gets as much room for keys as it has weight.
template <class T>
bool CountSplitter<T>::find_survivors(const std::uint16_t* counts, double floor) {
  std::fill(survives_.begin(), survives_.end(), std::uint8_t{0});
  survivors_.clear();
  const auto size = static_cast<std::size_t>(cuts_.size);
  const auto w = static_cast<double>(w_), lowest = floor * (1 - 1e-12);
  std::uint32_t room = 0;
  for (std::size_t j = 0; j < size; ++j) {
    const double low = j ? cuts_.low[j - 1] : 0.0, high = j + 1 < size ? cuts_.high[j] : 0.0;
    const std::int32_t below = j ? cuts_.weight[j - 1] : 0, own = cuts_.weight[j] - below;
    if (low + high + own <= lowest) continue;
    const std::size_t bin = cuts_.at[j], first = bin << shift_;
    const BinSides sides{counts + first,
                         before_.data() + first,
                         narrow_total_.data(),
                         lanes_,
                         low,
                         high,
                         static_cast<double>(below),
                         w - cuts_.weight[j],
                         static_cast<double>(own)};
    if (inner_bound(sides) <= lowest) continue;
    survives_[bin] = 1;
    bin_end_[bin] = room;
    room += static_cast<std::uint32_t>(own);
    survivors_.push_back(static_cast<std::uint32_t>(j));
  }
  if (bin_keys_.size() < room) bin_keys_.resize(room);
  return room > 0;
}

// Keys of rows in bins that survive, bin by bin; returns how many.
template <class T>
Index CountSplitter<T>::sort_survivors(Index column) {
  const std::uint8_t* coarse = table_.ranks->bytes(column);
  const T* codes = table_.ranks->template column<T>(column);
  if (static_cast<Index>(kept_.size()) <= m_) kept_.resize(static_cast<std::size_t>(m_) + 1);
  std::uint32_t* kept = kept_.data();
  Index m = 0;
  for (Index i = 0; i < m_; ++i) {
    kept[m] = static_cast<std::uint32_t>(i);
    m += survives_[coarse[rows_[i]]];
  }
  for (Index k = 0; k < m; ++k) {
    const std::uint32_t row = rows_[kept[k]];
    bin_keys_[bin_end_[coarse[row]]++] = static_cast<Key>(codes[row]) << 16 | node_[kept[k]];
  }
  std::uint32_t begin = 0;
  for (const std::uint32_t j : survivors_) {
    const Index size = bin_end_[cuts_.at[j]] - begin;
    Key* keys = bin_keys_.data() + begin;
    std::copy_n(keys, size, keys_.data());
    sort_keys(keys_.data(), size, spare_.data(), 16);
    std::copy_n(keys_.data(), size, keys);
    begin += static_cast<std::uint32_t>(cuts_.weight[j] - (j ? cuts_.weight[j - 1] : 0));
  }
  return m;
}

// Cuts inside of the bins that survive: first their sums, then all scores.
template <class T>
void CountSplitter<T>::walk_survivors(Index column, Best<T>& best) {
  key_cuts_.reserve(static_cast<Index>(bin_keys_.size()));
  std::int32_t *ls = key_cuts_.left.data(), *rs = key_cuts_.right.data(), *ws = key_cuts_.weight.data();
  std::int32_t squares = 0;
  for (const std::int32_t t : total_) squares += t * t;
  Index size = 0;
  std::uint32_t i = 0;
  for (const std::uint32_t j : survivors_) {
    const std::size_t bin = cuts_.at[j];
    const std::uint16_t* before = before_.data() + (bin << shift_);
    std::copy(before, before + classes_, left_.begin());
    std::int32_t left = j ? cuts_.left[j - 1] : 0, right = j ? cuts_.right[j - 1] : squares,
                 weight = j ? cuts_.weight[j - 1] : 0;
    const std::uint32_t begin = i;
    for (; i + 1 < bin_end_[bin]; ++i) {
      const Key key = bin_keys_[i];
      const auto c = static_cast<std::size_t>((key >> 8) & 255);
      const auto x = static_cast<std::int32_t>(key & 255), lc = std::exchange(left_[c], left_[c] + x);
      left += x * (2 * lc + x);
      right -= x * (2 * (total_[c] - lc) - x);
      weight += x;
      ls[size] = left, rs[size] = right, ws[size] = weight, key_cuts_.at[static_cast<std::size_t>(size)] = i;
      size += key >> 16 != bin_keys_[i + 1] >> 16;
    }
    i = begin + static_cast<std::uint32_t>(cuts_.weight[j] - (j ? cuts_.weight[j - 1] : 0));
  }
  key_cuts_.size = size + 1;
  const Index j = best_gini(key_cuts_, static_cast<std::int32_t>(w_));
  if (j < 0 || !(key_cuts_.score[static_cast<std::size_t>(j)] > best.score)) return;
  const auto at = key_cuts_.at[static_cast<std::size_t>(j)];
  take(column, key_cuts_.score[static_cast<std::size_t>(j)], bin_keys_[at], bin_keys_[at + 1], best);
}

// The largest code of the bins up to `bin`, and the smallest beyond.
template <class T>
void CountSplitter<T>::edge(Index column, std::uint8_t bin, T& cut, T& next) const {
  T low = 0, high = std::numeric_limits<T>::max();
  const std::uint8_t* coarse = table_.ranks->bytes(column);
  const T* codes = table_.ranks->template column<T>(column);
  for (Index i = 0; i < m_; ++i) {
    const T code = codes[rows_[i]];
    const bool left = coarse[rows_[i]] <= bin;
    low = std::max(low, left ? code : T{0});
    high = std::min(high, left ? std::numeric_limits<T>::max() : code);
  }
  cut = low;
  next = high;
}

template <class T>
bool CountSplitter<T>::refine(Index column, const std::uint16_t* counts, Best<T>& best) {
  walk_bins(counts, 256, lanes_, narrow_total_.data(), cuts_, before_.data());
  const Index j = best_gini(cuts_, static_cast<std::int32_t>(w_));
  const double edge_score = j < 0 ? -1.0 : cuts_.score[static_cast<std::size_t>(j)];
  Best<T> inner;
  inner.score = std::max(best.score, edge_score);
  const double floor = inner.score;
  const Index m = find_survivors(counts, floor) ? sort_survivors(column) : 0;
  if (m > 1) walk_survivors(column, inner);
  if (inner.column >= 0) {
    best = inner;
  } else if (j >= 0 && edge_score == floor && edge_score > best.score) {
    best.score = edge_score;
    best.column = column;
    edge(column, static_cast<std::uint8_t>(cuts_.at[static_cast<std::size_t>(j)]), best.cut, best.next);
  }
  return cuts_.size > 1 || m < m_ || bin_keys_[0] >> 16 != bin_keys_[static_cast<std::size_t>(m) - 1] >> 16;
}

template class CountSplitter<std::uint8_t>;
template class CountSplitter<std::uint16_t>;
template class CountSplitter<std::uint32_t>;

}  // namespace widemargin
