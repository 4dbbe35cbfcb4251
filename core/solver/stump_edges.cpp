// The largest edge of a stump with one signed channel; see stumps.hpp.
//
// Symbols  S sum over rows that are not missing, M over those that are, L over those up to a cut, all signed: the edge
//          of the best signs is max(|S|, |2 L - S|) + |M|. Inside a bin that begins at L with weights A of + and B of -
//          rows no cut has an L outside of [L - B, L + A].
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "solver/stumps.hpp"

namespace widemargin {
namespace {

constexpr Index BINS = 256, TOGETHER = 8;  // bins of a byte; columns that are counted at once
constexpr Index RARE = 2;                  // where the usual byte leaves this part of the rows, these are counted
constexpr std::uint32_t LAST = 1u << 31, ROW = LAST - 1;

// One word of a row is read for K columns, whose bins lie two blocks apart.
template <int K>
void count_lanes(const std::uint64_t* lanes, const std::int64_t* q, Index from, Index to, std::int64_t* bins) {
  for (Index i = from; i < to; ++i) {
    const std::int64_t w = q[i];
    std::uint64_t codes = lanes[i];
    for (int k = 0; k < K; ++k, codes >>= 8) bins[2 * BINS * k + static_cast<Index>(codes & 255)] += w;
  }
}
// The same for some rows.
template <int K>
void count_some(const std::uint64_t* lanes, const std::uint32_t* rows, const std::int64_t* more, Index from, Index to,
                std::int64_t* bins) {
  for (Index j = from; j < to; ++j) {
    const std::int64_t w = more[j];
    std::uint64_t codes = lanes[rows[j]];
    for (int k = 0; k < K; ++k, codes >>= 8) bins[2 * BINS * k + static_cast<Index>(codes & 255)] += w;
  }
}
using CountLanes = void (*)(const std::uint64_t*, const std::int64_t*, Index, Index, std::int64_t*);
constexpr CountLanes COUNT_LANES[] = {count_lanes<1>, count_lanes<2>, count_lanes<3>, count_lanes<4>,
                                      count_lanes<5>, count_lanes<6>, count_lanes<7>, count_lanes<8>};
using CountSome = void (*)(const std::uint64_t*, const std::uint32_t*, const std::int64_t*, Index, Index,
                           std::int64_t*);
constexpr CountSome COUNT_SOME[] = {count_some<1>, count_some<2>, count_some<3>, count_some<4>,
                                    count_some<5>, count_some<6>, count_some<7>, count_some<8>};
constexpr double MOST = 2;  // weights are at most 1 when all are given; they may grow to this on average

}  // namespace

struct StumpGround::Cut {
  Whole gain = -1, left = 0, missing = 0;
  Whole reach = -1;  // what a cut inside of a bin could gain at most
  Index cut = -1;

  void offer(Whole g, Index at, Whole l) {
    if (g > gain || (g == gain && at < cut)) {
      gain = g;
      cut = at;
      left = l;
    }
  }
};

Index StumpGround::code_of(Index f, Index i) const {
  if (ranks_.width == 1) return ranks_.column<std::uint8_t>(f)[i];
  return ranks_.width == 2 ? ranks_.column<std::uint16_t>(f)[i] : ranks_.column<std::uint32_t>(f)[i];
}

double StumpGround::unit_for(double most) const {
  int exponent = 0;
  std::frexp(most * weight_, &exponent);
  return most > 0 ? std::ldexp(1.0, std::clamp(61 - exponent, -1000, 1000)) : 1.0;
}

void StumpGround::sort_columns(int threads, Poll poll) {
  const Index n = ranks_.n, d = ranks_.d;
  place_.assign(static_cast<std::size_t>(d), -1);
  Index coarse = 0;
  for (Index f = 0; f < d; ++f)
    if (ranks_.width > 1 && !ranks_.fits[static_cast<std::size_t>(f)]) place_[static_cast<std::size_t>(f)] = coarse++;
  sorted_.resize(coarse * n);
  begins_.assign(static_cast<std::size_t>(coarse * (BINS + 1)), 0);
  last_.assign(static_cast<std::size_t>(coarse * BINS), -1);
  several_.assign(static_cast<std::size_t>(coarse * BINS), 0);
  const auto sort = [&](Index f) {
    const Index place = place_[static_cast<std::size_t>(f)];
    if (place < 0) return;
    const auto by_code = [&](const auto* code) {
      std::vector<std::uint32_t> first(static_cast<std::size_t>(ranks_.codes(f)) + 2, 0);
      for (Index i = 0; i < n; ++i) ++first[static_cast<std::size_t>(code[i]) + 1];
      for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
      for (Index i = 0; i < n; ++i)
        sorted_[place * n + first[static_cast<std::size_t>(code[i])]++] = static_cast<std::uint32_t>(i);
      for (std::size_t c = 0; c + 1 < first.size(); ++c)
        if (first[c] > (c ? first[c - 1] : 0)) sorted_[place * n + first[c] - 1] |= LAST;
    };
    if (ranks_.width == 2)
      by_code(ranks_.column<std::uint16_t>(f));
    else
      by_code(ranks_.column<std::uint32_t>(f));
    std::uint32_t* begins = begins_.data() + place * (BINS + 1);
    const std::uint8_t* byte = ranks_.bytes(f);
    for (Index i = 0; i < n; ++i) ++begins[byte[i] + 1];
    for (Index b = 1; b <= BINS; ++b) begins[b] += begins[b - 1];
    for (Index b = 0; b < BINS; ++b) {
      if (begins[b] == begins[b + 1]) continue;
      const std::uint32_t *rows = sorted_.data() + place * n, low = rows[begins[b]] & ROW,
                          high = rows[begins[b + 1] - 1] & ROW;
      last_[static_cast<std::size_t>(place * BINS + b)] = code_of(f, high);
      several_[static_cast<std::size_t>(place * BINS + b)] = code_of(f, low) != code_of(f, high);
    }
  };
  parallel_for(d, threads, sort, poll);
}

StumpGround::Whole* StumpGround::bins_of(Index f) {
  return bins_.data() + slot_[static_cast<std::size_t>(f)] * 2 * BINS;
}

// Which columns are counted how.
void StumpGround::part_columns(int threads, Poll poll) {
  const Index n = ranks_.n, d = ranks_.d;
  std::vector<Rare> found(static_cast<std::size_t>(d));
  std::vector<std::uint8_t> is_rare(static_cast<std::size_t>(d), 0);
  const auto look = [&](Index f) {
    const std::uint8_t* byte = ranks_.bytes(f);
    Index counts[BINS] = {};
    for (Index i = 0; i < n; ++i) ++counts[byte[i]];
    const Index* most = std::max_element(counts, counts + BINS);
    if (n - *most > n / RARE) return;
    is_rare[static_cast<std::size_t>(f)] = 1;
    Rare& rare = found[static_cast<std::size_t>(f)];
    rare.column = f;
    rare.usual = static_cast<std::uint8_t>(most - counts);
    for (Index i = 0; i < n; ++i) {
      if (byte[i] == rare.usual) continue;
      rare.positives += i < positives_;
      rare.rows.push_back(static_cast<std::uint32_t>(i));
      rare.bytes.push_back(byte[i]);
    }
  };
  parallel_for(d, threads, look, poll);
  slot_.assign(static_cast<std::size_t>(d), -1);
  for (Index f = 0; f < d; ++f) {
    if (is_rare[static_cast<std::size_t>(f)]) continue;
    slot_[static_cast<std::size_t>(f)] = static_cast<Index>(dense_.size());
    dense_.push_back(f);
  }
  for (Index f = 0; f < d; ++f) {
    if (!is_rare[static_cast<std::size_t>(f)]) continue;
    slot_[static_cast<std::size_t>(f)] = static_cast<Index>(dense_.size() + rare_.size());
    rare_.push_back(std::move(found[static_cast<std::size_t>(f)]));
  }
}

void StumpGround::gather_lanes(int threads, Poll poll) {
  const Index n = ranks_.n, d = static_cast<Index>(dense_.size()), groups = (d + TOGETHER - 1) / TOGETHER;
  lanes_.resize(groups * n);
  const auto gather = [&](Index begin, Index end) {
    for (Index g = 0; g < groups; ++g) {
      std::uint64_t* lanes = lanes_.data() + g * n;
      std::fill(lanes + begin, lanes + end, std::uint64_t{0});
      for (Index s = g * TOGETHER; s < std::min(d, (g + 1) * TOGETHER); ++s) {
        const std::uint8_t* byte = ranks_.bytes(dense_[static_cast<std::size_t>(s)]);
        const Index shift = 8 * (s % TOGETHER);
        for (Index i = begin; i < end; ++i) lanes[i] |= static_cast<std::uint64_t>(byte[i]) << shift;
      }
    }
  };
  parallel_blocks(n, 2048, threads, gather, poll);
}

// Weights of the + and of the - rows by bin, for the slots begin .. end-1 of dense columns, at most eight.
void StumpGround::count_bins(Index begin, Index end, Whole* bins) const {
  std::fill(bins, bins + (end - begin) * 2 * BINS, Whole{0});
  const std::uint64_t* lanes = lanes_.data() + begin / TOGETHER * ranks_.n;
  const CountLanes count = COUNT_LANES[end - begin - 1];
  count(lanes, q_.data(), 0, positives_, bins);
  count(lanes, q_.data(), positives_, ranks_.n, bins + BINS);
}

// The usual byte has what the others leave of the sums over all rows.
void StumpGround::count_rare(const Rare& rare, Whole* bins) const {
  std::fill(bins, bins + 2 * BINS, Whole{0});
  const auto size = static_cast<Index>(rare.rows.size());
  Whole rest[2] = {(all_ + total_) / 2, (all_ - total_) / 2};
  for (int minus = 0; minus < 2; ++minus) {
    for (Index t = minus ? rare.positives : 0; t < (minus ? size : rare.positives); ++t) {
      const Whole q = q_[rare.rows[static_cast<std::size_t>(t)]];
      bins[minus * BINS + rare.bytes[static_cast<std::size_t>(t)]] += q;
      rest[minus] -= q;
    }
    bins[minus * BINS + rare.usual] += rest[minus];
  }
}

StumpGround::Whole StumpGround::missing_sum(Index f, const Whole* bins) const {
  const Index place = place_[static_cast<std::size_t>(f)], codes = ranks_.codes(f), n = ranks_.n;
  if (!ranks_.missing[static_cast<std::size_t>(f)]) return 0;
  if (place < 0) return bins[codes] - bins[BINS + codes];
  const std::uint32_t* rows = sorted_.data() + place * n;
  Whole sum = 0;
  for (Index t = n - 1; t >= 0 && code_of(f, rows[t] & ROW) == codes; --t)
    sum += (rows[t] & ROW) < positives_ ? q_[rows[t] & ROW] : -q_[rows[t] & ROW];
  return sum;
}

// Cuts between bins; for columns whose bytes are the codes these are all there are. `reach`: no cut inside of a bin has
// a larger gain.
void StumpGround::look_at_bins(Index f, const Whole* bins, Cut& best) const {
  const Index place = place_[static_cast<std::size_t>(f)], codes = ranks_.codes(f);
  best.missing = missing_sum(f, bins);
  const Whole known = total_ - best.missing, apart = std::abs(best.missing), floor = std::abs(known);
  const Index cuts = codes - (ranks_.missing[static_cast<std::size_t>(f)] ? 0 : 1);
  Whole left = 0, weight = 0;
  if (place < 0) {
    for (Index b = 0; b < cuts; ++b) {
      left += bins[b] - bins[BINS + b];
      weight += bins[b] + bins[BINS + b];
      if (allowed(weight)) best.offer(std::max(floor, std::abs(2 * left - known)) + apart, b, left);
    }
    return;
  }
  const Index* last = last_.data() + place * BINS;
  const std::uint8_t* several = several_.data() + place * BINS;
  Whole reach = -1;
  for (Index b = 0; b < BINS; ++b) {
    const Whole plus = bins[b], minus = bins[BINS + b];
    if (several[b])
      reach = std::max({reach, floor, std::abs(2 * (left + plus) - known), std::abs(2 * (left - minus) - known)});
    left += plus - minus;
    weight += plus + minus;
    const Index code = last[b];
    if (code < 0 || code >= cuts) continue;
    if (allowed(weight)) best.offer(std::max(floor, std::abs(2 * left - known)) + apart, code, left);
  }
  best.reach = reach < 0 ? reach : reach + apart;
}

// Cuts inside of bins, where one could have the gain `least` or more.
void StumpGround::refine(Index f, const Whole* bins, Whole least, Cut& best) const {
  if (best.reach < least) return;
  const Index place = place_[static_cast<std::size_t>(f)], codes = ranks_.codes(f), n = ranks_.n;
  const Whole known = total_ - best.missing, apart = std::abs(best.missing), floor = std::abs(known);
  const std::uint32_t *begins = begins_.data() + place * (BINS + 1), *rows = sorted_.data() + place * n;
  Whole before = 0, lighter = 0;
  const Index cuts = codes - (ranks_.missing[static_cast<std::size_t>(f)] ? 0 : 1);
  const std::uint8_t* several = several_.data() + place * BINS;
  for (Index b = 0; b < BINS; ++b) {
    const Whole plus = bins[b], minus = bins[BINS + b];
    const Whole high = std::abs(2 * (before + plus) - known), low = std::abs(2 * (before - minus) - known);
    if (several[b] && std::max({floor, high, low}) + apart >= least) {
      Whole left = before, weight = lighter;
      for (Index t = begins[b]; t + 1 < static_cast<Index>(begins[b + 1]); ++t) {
        const std::uint32_t i = rows[t] & ROW;
        left += i < static_cast<std::uint32_t>(positives_) ? q_[i] : -q_[i];
        weight += q_[i];
        const Whole gain = std::max(floor, std::abs(2 * left - known)) + apart;
        if (!(rows[t] & LAST) || gain < least) continue;
        const Index c = code_of(f, i);
        if (c >= cuts) break;
        if (allowed(weight)) best.offer(gain, c, left);
      }
    }
    before += plus - minus;
    lighter += plus + minus;
  }
}

void StumpGround::weigh(const double* w, int threads, Poll poll) {
  const Index n = ranks_.n;
  const double unit = unit_for(MOST);
  q_.resize(static_cast<std::size_t>(n));
  all_ = total_ = 0;
  for (Index i = 0; i < n; ++i) {
    const Whole q = times(i, w[i] * unit);
    q_[static_cast<std::size_t>(i)] = q;
    all_ += q;
    total_ += i < positives_ ? q : -q;
  }
  bins_.resize(ranks_.d * 2 * BINS);
  const auto count = [&](Index begin, Index end) { count_bins(begin, end, bins_.data() + begin * 2 * BINS); };
  parallel_blocks(static_cast<Index>(dense_.size()), TOGETHER, threads, count, poll);
}

void StumpGround::weigh_some(const std::uint32_t* rows, const double* w, Index plus, Index size, int threads,
                             Poll poll) {
  const double unit = unit_for(MOST);
  more_.resize(static_cast<std::size_t>(size));
  Whole sums[2] = {0, 0};
  for (Index j = 0; j < size; ++j) {
    Whole& q = q_[rows[j]];
    const Whole now = times(rows[j], w[j] * unit);
    more_[static_cast<std::size_t>(j)] = now - q;
    sums[j >= plus] += now - q;
    q = now;
  }
  all_ += sums[0] + sums[1];
  total_ += sums[0] - sums[1];
  const auto count = [&](Index begin, Index end) {
    Whole* bins = bins_.data() + begin * 2 * BINS;
    const std::uint64_t* lanes = lanes_.data() + begin / TOGETHER * ranks_.n;
    const CountSome some = COUNT_SOME[end - begin - 1];
    some(lanes, rows, more_.data(), 0, plus, bins);
    some(lanes, rows, more_.data(), plus, size, bins + BINS);
  };
  parallel_blocks(static_cast<Index>(dense_.size()), TOGETHER, threads, count, poll);
}

double StumpGround::most_weights() const { return MOST * weight_ * unit_for(MOST); }

double StumpGround::rows_given(const std::uint32_t* rows, Index size) const {
  double sum = u_.empty() ? static_cast<double>(size) : 0.0;
  for (Index j = 0; j < size && !u_.empty(); ++j) sum += u_[rows[j]];
  return sum;
}

Stump StumpGround::best_edge(double& error, int threads, Poll poll) {
  const Index d = ranks_.d;
  const double unit = unit_for(MOST);
  const Whole sum = all_, total = total_;
  side_ = static_cast<Whole>(least_share_ * static_cast<double>(sum));
  std::vector<Cut> cuts(static_cast<std::size_t>(d));
  const auto look = [&](Index begin, Index end) {
    for (Index f = begin; f < end; ++f) {
      const Index r = slot_[static_cast<std::size_t>(f)] - static_cast<Index>(dense_.size());
      if (r >= 0) count_rare(rare_[static_cast<std::size_t>(r)], bins_of(f));
      look_at_bins(f, bins_of(f), cuts[static_cast<std::size_t>(f)]);
    }
  };
  parallel_blocks(d, TOGETHER, threads, look, poll);
  Whole least = std::abs(total);
  for (const Cut& c : cuts) least = std::max(least, c.gain);
  const auto finer = [&](Index begin, Index end) {
    for (Index f = begin; f < end; ++f) refine(f, bins_of(f), least, cuts[static_cast<std::size_t>(f)]);
  };
  parallel_blocks(d, TOGETHER, threads, finer, poll);
  Stump stump;
  Whole gain = std::abs(total), left = total, missing = total;
  stump.constant = true;
  stump.cut = ranks_.codes(0) - 1;
  for (Index f = 0; f < d; ++f) {
    const Cut& c = cuts[static_cast<std::size_t>(f)];
    if (c.gain <= gain) continue;
    gain = c.gain;
    left = c.left;
    missing = c.missing;
    stump.constant = false;
    stump.column = f;
    stump.cut = c.cut;
  }
  const auto number = [&](Whole s) { return static_cast<double>(s) / unit; };
  stump.gain = number(gain);
  stump.total = number(sum);
  stump.sums = {number(left), number(stump.constant ? total : total - left - missing), number(missing)};
  error = static_cast<double>((sum - gain) / 2) / static_cast<double>(sum);
  return stump;
}

}  // namespace widemargin
