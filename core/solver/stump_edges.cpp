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
using CountLanes = void (*)(const std::uint64_t*, const std::int64_t*, Index, Index, std::int64_t*);
constexpr CountLanes COUNT_LANES[] = {count_lanes<1>, count_lanes<2>, count_lanes<3>, count_lanes<4>,
                                      count_lanes<5>, count_lanes<6>, count_lanes<7>, count_lanes<8>};

}  // namespace

struct StumpGround::Cut {
  Whole gain = -1, left = 0, missing = 0;
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

void StumpGround::gather_lanes(int threads, Poll poll) {
  const Index n = ranks_.n, d = ranks_.d, groups = (d + TOGETHER - 1) / TOGETHER;
  lanes_.resize(groups * n);
  const auto gather = [&](Index begin, Index end) {
    for (Index g = 0; g < groups; ++g) {
      std::uint64_t* lanes = lanes_.data() + g * n;
      std::fill(lanes + begin, lanes + end, std::uint64_t{0});
      for (Index f = g * TOGETHER; f < std::min(d, (g + 1) * TOGETHER); ++f) {
        const std::uint8_t* byte = ranks_.bytes(f);
        const Index shift = 8 * (f % TOGETHER);
        for (Index i = begin; i < end; ++i) lanes[i] |= static_cast<std::uint64_t>(byte[i]) << shift;
      }
    }
  };
  parallel_blocks(n, 2048, threads, gather, poll);
}

// Weights of the + and of the - rows by bin, for the columns begin .. end-1, at most eight.
void StumpGround::count_bins(Index begin, Index end, Whole* bins) const {
  std::fill(bins, bins + (end - begin) * 2 * BINS, Whole{0});
  const std::uint64_t* lanes = lanes_.data() + begin / TOGETHER * ranks_.n;
  const CountLanes count = COUNT_LANES[end - begin - 1];
  count(lanes, q_.data(), 0, positives_, bins);
  count(lanes, q_.data(), positives_, ranks_.n, bins + BINS);
}

// Cuts between bins; for columns whose bytes are the codes these are all there are.
void StumpGround::look_at_bins(Index f, const Whole* bins, Cut& best) const {
  const Index place = place_[static_cast<std::size_t>(f)], codes = ranks_.codes(f), n = ranks_.n;
  const bool missing = ranks_.missing[static_cast<std::size_t>(f)];
  Whole total = 0;
  for (Index b = 0; b < BINS; ++b) total += bins[b] - bins[BINS + b];
  if (missing && place < 0) best.missing = bins[codes] - bins[BINS + codes];
  if (missing && place >= 0) {
    const std::uint32_t* rows = sorted_.data() + place * n;
    for (Index t = n - 1; t >= 0 && code_of(f, rows[t] & ROW) == codes; --t) {
      const Whole q = q_[rows[t] & ROW];
      best.missing += (rows[t] & ROW) < positives_ ? q : -q;
    }
  }
  const Whole known = total - best.missing, apart = std::abs(best.missing);
  const Index cuts = codes - (missing ? 0 : 1), size = place < 0 ? cuts : BINS;
  const Index* last = last_.data() + place * BINS;
  Whole left = 0, weight = 0;
  for (Index b = 0; b < size; ++b) {
    left += bins[b] - bins[BINS + b];
    weight += bins[b] + bins[BINS + b];
    const Index code = place < 0 ? b : last[b];
    if (code < 0) continue;
    if (code >= cuts) break;
    if (allowed(weight)) best.offer(std::max(std::abs(known), std::abs(2 * left - known)) + apart, code, left);
  }
}

// Cuts inside of bins, where one could have the gain `least` or more.
void StumpGround::refine(Index f, const Whole* bins, Whole least, Cut& best) const {
  const Index place = place_[static_cast<std::size_t>(f)], codes = ranks_.codes(f), n = ranks_.n;
  if (place < 0) return;
  const bool missing = ranks_.missing[static_cast<std::size_t>(f)];
  Whole total = 0;
  for (Index b = 0; b < BINS; ++b) total += bins[b] - bins[BINS + b];
  const Whole known = total - best.missing, apart = std::abs(best.missing);
  const std::uint32_t *begins = begins_.data() + place * (BINS + 1), *rows = sorted_.data() + place * n;
  Whole before = 0, lighter = 0;
  const Index cuts = codes - (missing ? 0 : 1);
  const std::uint8_t* several = several_.data() + place * BINS;
  for (Index b = 0; b < BINS; ++b) {
    const Whole plus = bins[b], minus = bins[BINS + b];
    const Whole high = std::abs(2 * (before + plus) - known), low = std::abs(2 * (before - minus) - known);
    if (several[b] && std::max({std::abs(known), high, low}) + apart >= least) {
      Whole left = before, weight = lighter;
      for (Index t = begins[b]; t + 1 < static_cast<Index>(begins[b + 1]); ++t) {
        const std::uint32_t i = rows[t] & ROW;
        left += i < static_cast<std::uint32_t>(positives_) ? q_[i] : -q_[i];
        weight += q_[i];
        const Whole gain = std::max(std::abs(known), std::abs(2 * left - known)) + apart;
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

Stump StumpGround::best_edge(const double* w, double& error, int threads, Poll poll) {
  const Index n = ranks_.n, d = ranks_.d;
  const double unit = unit_for(1.0);
  q_.resize(static_cast<std::size_t>(n));
  Whole sum = 0, total = 0;
  for (Index i = 0; i < n; ++i) {
    const Whole q = times(i, w[i] * unit);
    q_[static_cast<std::size_t>(i)] = q;
    sum += q;
    total += i < positives_ ? q : -q;
  }
  all_ = sum;
  side_ = static_cast<Whole>(least_share_ * static_cast<double>(sum));
  bins_.resize(d * 2 * BINS);
  std::vector<Cut> cuts(static_cast<std::size_t>(d));
  const auto count = [&](Index begin, Index end) {
    count_bins(begin, end, bins_.data() + begin * 2 * BINS);
    for (Index f = begin; f < end; ++f) look_at_bins(f, bins_.data() + f * 2 * BINS, cuts[static_cast<std::size_t>(f)]);
  };
  parallel_blocks(d, TOGETHER, threads, count, poll);
  Whole least = std::abs(total);
  for (const Cut& c : cuts) least = std::max(least, c.gain);
  const auto finer = [&](Index begin, Index end) {
    for (Index f = begin; f < end; ++f)
      refine(f, bins_.data() + f * 2 * BINS, least, cuts[static_cast<std::size_t>(f)]);
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
