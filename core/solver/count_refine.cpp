// Exact cuts of columns with many codes: coarse bins first, then those that could hold a better cut.
#include <algorithm>

#include "base/sort_keys.hpp"
#include "solver/count_splitter.hpp"

namespace widemargin {

// Whether some cut inside of a bin could have a score above `floor`.
template <class T>
bool CountSplitter<T>::worth(std::size_t bin, std::int32_t left, std::int32_t nl, std::int32_t right, std::int32_t nr,
                             double floor) const {
  const double a = nl ? static_cast<double>(left) / nl : 0.0, b = nr ? static_cast<double>(right) / nr : 0.0;
  const std::uint16_t *c = counts_.data() + bin * static_cast<std::size_t>(lanes_),
                      *l = before_.data() + bin * static_cast<std::size_t>(lanes_);
  std::int32_t most = 0;
  for (Index k = 0; k < lanes_; ++k) most = std::max<std::int32_t>(most, c[k]);
  double up = 0, down = 0;
  for (Index k = 0; k < lanes_; ++k) {
    const double r = narrow_total_[static_cast<std::size_t>(k)] - l[k] - c[k];
    up += std::max(0.0, 2.0 * l[k] + most - a) * c[k];
    down += std::max(0.0, 2.0 * r + most - b) * c[k];
  }
  const double rise = nl ? std::min<double>(most, up / nl) : most, fall = nr ? std::min<double>(most, down / nr) : most;
  return (a + b + rise + fall) * (1 + 1e-12) > floor;
}

// Marks the bins that are worth a look; returns how many.
template <class T>
Index CountSplitter<T>::surviving(const Best<T>& best, double edge) {
  const double floor = std::max(best.score, edge);
  std::fill(survives_.begin(), survives_.end(), std::uint8_t{0});
  Index some = 0;
  const auto w = static_cast<std::int32_t>(w_);
  for (std::size_t j = 0; j < static_cast<std::size_t>(cuts_.size); ++j) {
    const std::int32_t left = j ? cuts_.left[j - 1] : 0, nl = j ? cuts_.weight[j - 1] : 0, nr = w - cuts_.weight[j],
                       inside = cuts_.weight[j] - nl;
    const double a = nl ? static_cast<double>(left) / nl : 0.0, b = nr ? static_cast<double>(cuts_.right[j]) / nr : 0.0;
    if ((a + b + inside) * (1 + 1e-12) <= floor) continue;
    if (!worth(cuts_.at[j], left, nl, cuts_.right[j], nr, floor)) continue;
    survives_[cuts_.at[j]] = 1;
    ++some;
  }
  return some;
}

// The largest code of the bins up to `bin`, and the smallest beyond.
template <class T>
void CountSplitter<T>::edge(Codes<T> codes, std::uint8_t bin, T& cut, T& next) const {
  T low = 0, high = std::numeric_limits<T>::max();
  const Index column = (codes.at - table_.columns) / table_.n;
  const std::uint8_t* coarse = table_.ranks->bytes(column);
  for (Index i = 0; i < m_; ++i) {
    const T code = codes.at[rows_[i]];
    if (coarse[rows_[i]] <= bin)
      low = std::max(low, code);
    else
      high = std::min(high, code);
  }
  cut = low;
  next = high;
}

template <class T>
bool CountSplitter<T>::refine(Index column, Codes<T> codes, Best<T>& best) {
  const std::uint8_t* coarse = table_.ranks->bytes(column);
  fill(coarse, 1, 256);
  const auto w = static_cast<std::int32_t>(w_);
  walk_bins(counts_.data(), 256, lanes_, narrow_total_.data(), w, cuts_, before_.data());
  const Index j = best_gini(cuts_, w);
  const double edge_score = j < 0 ? -1.0 : cuts_.score[static_cast<std::size_t>(j)];
  const Index some = surviving(best, edge_score);
  Index m = 0;
  if (some)
    for (Index i = 0; i < m_; ++i) {
      const std::uint32_t row = rows_[i];
      keys_[static_cast<std::size_t>(m)] = static_cast<Key>(codes.at[row]) << 16 | node_[static_cast<std::size_t>(i)];
      m += survives_[coarse[row]];
    }
  Best<T> inner;
  inner.score = std::max(best.score, edge_score);
  const double floor = inner.score;
  if (m > 1) {
    sort_keys(keys_.data(), m, spare_.data(), 16);
    Index begin = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(cuts_.size); ++c) {
      const std::size_t bin = cuts_.at[c];
      if (!survives_[bin]) continue;
      const std::uint16_t* l = before_.data() + bin * static_cast<std::size_t>(lanes_);
      std::copy(l, l + classes_, left_.begin());
      const std::int32_t nl = c ? cuts_.weight[c - 1] : 0, until = cuts_.weight[c] - nl;
      std::int32_t weight = 0;
      Index end = begin;
      while (weight < until) weight += static_cast<std::int32_t>(keys_[static_cast<std::size_t>(end++)] & 255);
      std::int32_t right = 0;
      for (std::size_t k = 0; k < total_.size(); ++k) right += (total_[k] - left_[k]) * (total_[k] - left_[k]);
      walk_keys<std::int32_t>(keys_.data() + begin, end - begin, left_.data(), c ? cuts_.left[c - 1] : 0, right, nl,
                              column, inner);
      begin = end;
    }
  }
  if (inner.column >= 0) {
    best = inner;
  } else if (j >= 0 && edge_score == floor && edge_score > best.score) {
    best.score = edge_score;
    best.column = column;
    edge(codes, static_cast<std::uint8_t>(cuts_.at[static_cast<std::size_t>(j)]), best.cut, best.next);
  }
  return cuts_.size > 1 || m < m_ || keys_[0] >> 16 != keys_[static_cast<std::size_t>(m) - 1] >> 16;
}

template class CountSplitter<std::uint8_t>;
template class CountSplitter<std::uint16_t>;
template class CountSplitter<std::uint32_t>;

}  // namespace widemargin
