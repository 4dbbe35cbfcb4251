#include "solver/stumps.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

using Whole = std::int64_t;
using Found = StumpGround::Found;

double root(Whole a, Whole b) { return std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b)); }

// What one side of a stump adds to the gain.
double side_gain(Gain gain, const Whole* s, Index k, const double* unit) {
  double sum = 0;
  switch (gain) {
    case Gain::absolute:
      for (Index c = 0; c < k; ++c) sum += static_cast<double>(std::abs(s[c]));
      return sum;
    case Gain::positive:
      for (Index c = 0; c < k; ++c) sum += static_cast<double>(std::max(Whole{0}, s[c]));
      return sum;
    case Gain::heaviest:
      return static_cast<double>(*std::max_element(s, s + k));
    case Gain::squares: {
      const double w = static_cast<double>(s[0]) / unit[0], z = static_cast<double>(s[1]) / unit[1];
      return w > 0 ? z * z / w : 0.0;
    }
    default:
      for (Index c = 0; c + 1 < k; c += 2) sum -= root(s[c], s[c + 1]);
      return sum;
  }
}

template <class Code>
void count(const Code* code, Index n, const Whole* q, Index k, const std::int32_t* only, Whole* sums) {
  if (only) {
    for (Index i = 0; i < n; ++i) sums[static_cast<Index>(code[i]) * k + only[i]] += q[i];
  } else {
    for (Index i = 0; i < n; ++i) {
      Whole* to = sums + static_cast<Index>(code[i]) * k;
      for (Index c = 0; c < k; ++c) to[c] += q[i * k + c];
    }
  }
}

// The best cut of one column, from sums by code.
Found best_cut(Gain gain, const Whole* sums, Index codes, bool missing, Index k, const Whole* total, const double* unit,
               const Whole* weights, Whole side, Whole all) {
  Found best;
  std::vector<Whole> left(static_cast<std::size_t>(k), 0), right(total, total + k), gone(static_cast<std::size_t>(k));
  if (missing) std::copy(sums + codes * k, sums + (codes + 1) * k, gone.begin());
  for (Index c = 0; c < k; ++c) right[static_cast<std::size_t>(c)] -= gone[static_cast<std::size_t>(c)];
  const double apart = missing ? side_gain(gain, gone.data(), k, unit) : 0.0;
  Whole weight = 0;
  for (Index cut = 0; cut + (missing ? 0 : 1) < codes; ++cut) {
    for (Index c = 0; c < k; ++c) {
      left[static_cast<std::size_t>(c)] += sums[cut * k + c];
      right[static_cast<std::size_t>(c)] -= sums[cut * k + c];
    }
    weight += weights ? weights[cut] : 0;
    if (weights && (weight < side || all - weight < side)) continue;
    const double g = side_gain(gain, left.data(), k, unit) + side_gain(gain, right.data(), k, unit) + apart;
    if (g > best.gain) {
      best.gain = g;
      best.cut = cut;
      best.left = left;
    }
  }
  best.missing = std::move(gone);
  return best;
}

}  // namespace

StumpGround::StumpGround(const float* x, Index n, Index d, const std::uint32_t* order, Index positives, const double* u,
                         int threads, Poll poll)
    : ranks_(rank_columns(x, n, d, d, order, 0, threads, poll, Ranking::columns)), positives_(positives) {
  if (u) u_.assign(u, u + n);
  weight_ = u ? 0.0 : static_cast<double>(n);
  for (Index i = 0; u && i < n; ++i) {
    weight_ += u[i];
    whole_ = whole_ && u[i] == std::floor(u[i]);
  }
  whole_ = whole_ && weight_ <= 0x1p32;
  sort_columns(threads, poll);
  part_columns(threads, poll);
  gather_lanes(threads, poll);
}

// Numbers times a power of two, so that no sum leaves 62 bits. A whole weight multiplies a whole number.
void StumpGround::whole_numbers(const double* v, Index k, bool apart, std::vector<Whole>& q,
                                std::vector<double>& unit) const {
  const Index n = ranks_.n;
  std::vector<double> most(static_cast<std::size_t>(k), 0);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < k; ++c) {
      double& m = most[static_cast<std::size_t>(apart ? c : 0)];
      m = std::max(m, std::abs(v[i * k + c]));
    }
  unit.resize(static_cast<std::size_t>(k));
  for (Index c = 0; c < k; ++c) {
    const double m = most[static_cast<std::size_t>(apart ? c : 0)];
    unit[static_cast<std::size_t>(c)] = unit_for(apart ? m : m * static_cast<double>(k));
  }
  q.resize(static_cast<std::size_t>(n * k));
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < k; ++c)
      q[static_cast<std::size_t>(i * k + c)] = times(i, v[i * k + c] * unit[static_cast<std::size_t>(c)]);
}

// Of equal gains the first; at first what says the same of all rows.
Stump StumpGround::first_of_best(Gain gain, std::vector<Found>& found, const std::vector<Whole>& total,
                                 const std::vector<double>& unit, Whole all) const {
  const auto k = static_cast<Index>(total.size());
  Found best;
  best.gain = side_gain(gain, total.data(), k, unit.data());
  for (std::size_t f = 0; f < found.size(); ++f)
    if (found[f].gain > best.gain) {
      best = std::move(found[f]);
      best.column = static_cast<Index>(f);
    }
  Stump stump;
  stump.gain = best.gain / (gain == Gain::squares ? 1.0 : unit[0]);
  stump.total = static_cast<double>(all) / unit[0];
  stump.constant = best.column < 0;
  stump.column = std::max<Index>(best.column, 0);
  stump.cut = stump.constant ? ranks_.codes(0) - 1 : best.cut;
  for (int side = 0; side < 3; ++side)
    for (std::size_t c = 0; c < total.size(); ++c) {
      Whole s = total[c];
      if (!stump.constant)
        s = side == 0 ? best.left[c] : side == 2 ? best.missing[c] : total[c] - best.left[c] - best.missing[c];
      stump.sums.push_back(static_cast<double>(s) / unit[c]);
    }
  return stump;
}

Stump StumpGround::best(Gain gain, const double* v, Index k, const std::int32_t* only, int threads, Poll poll) const {
  const Index n = ranks_.n, d = ranks_.d;
  std::vector<Whole> q, total(static_cast<std::size_t>(k), 0);
  std::vector<double> unit;
  whole_numbers(v, only ? 1 : k, gain == Gain::squares, q, unit);
  if (only) unit.assign(static_cast<std::size_t>(k), unit[0]);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < (only ? 1 : k); ++c)
      total[static_cast<std::size_t>(only ? only[i] : c)] += q[static_cast<std::size_t>(only ? i : i * k + c)];
  // The weight of a row: of all its channels, or the first where this holds weights.
  std::vector<Whole> size(static_cast<std::size_t>(n), 0);
  const Index each = only ? 1 : k, counted = gain == Gain::squares ? 1 : each;
  Whole all = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < counted; ++c)
      size[static_cast<std::size_t>(i)] += std::abs(q[static_cast<std::size_t>(i * each + c)]);
    all += size[static_cast<std::size_t>(i)];
  }
  std::vector<Found> found(static_cast<std::size_t>(d));
  const auto look = [&](Index f) {
    const Index codes = ranks_.codes(f);
    const bool missing = ranks_.missing[static_cast<std::size_t>(f)];
    std::vector<Whole> sums(static_cast<std::size_t>((codes + 1) * k), 0);
    if (ranks_.width == 1)
      count(ranks_.column<std::uint8_t>(f), n, q.data(), k, only, sums.data());
    else if (ranks_.width == 2)
      count(ranks_.column<std::uint16_t>(f), n, q.data(), k, only, sums.data());
    else
      count(ranks_.column<std::uint32_t>(f), n, q.data(), k, only, sums.data());
    std::vector<Whole> weights;
    if (least_share_ > 0) {
      weights.assign(static_cast<std::size_t>(codes) + 1, 0);
      for (Index i = 0; i < n; ++i)
        weights[static_cast<std::size_t>(code_of(f, i))] += size[static_cast<std::size_t>(i)];
    }
    found[static_cast<std::size_t>(f)] = best_cut(gain, sums.data(), codes, missing, k, total.data(), unit.data(),
                                                  weights.empty() ? nullptr : weights.data(),
                                                  static_cast<Whole>(least_share_ * static_cast<double>(all)), all);
  };
  parallel_for(d, threads, look, poll);
  return first_of_best(gain, found, total, unit, all);
}

float StumpGround::threshold(Index column, Index cut) const {
  const Index first = ranks_.first[static_cast<std::size_t>(column)];
  if (cut + 1 >= ranks_.codes(column)) return HUGE_VALF;
  const double low = ranks_.high[static_cast<std::size_t>(first + cut)];
  const double high = ranks_.low[static_cast<std::size_t>(first + cut + 1)];
  const auto middle = static_cast<float>(low / 2 + high / 2);
  return middle < static_cast<float>(high) ? middle : static_cast<float>(low);
}

Index StumpGround::cut_at(Index column, float threshold) const {
  const auto begin = ranks_.low.begin() + ranks_.first[static_cast<std::size_t>(column)];
  return std::upper_bound(begin, begin + ranks_.codes(column), threshold) - begin - 1;
}

void StumpGround::sides(Index column, Index cut, std::uint8_t* side) const {
  const Index n = ranks_.n, codes = ranks_.codes(column);
  const auto fill = [&](const auto* code) {
    for (Index i = 0; i < n; ++i) side[i] = static_cast<std::uint8_t>((code[i] > cut) + (code[i] == codes));
  };
  if (ranks_.width == 1)
    fill(ranks_.column<std::uint8_t>(column));
  else if (ranks_.width == 2)
    fill(ranks_.column<std::uint16_t>(column));
  else
    fill(ranks_.column<std::uint32_t>(column));
}

}  // namespace widemargin
