#include "solver/boost_words.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr int FULL = 60;         // bits of a sum when numbers are made
constexpr double MOST = 0x1p62;  // what a sum may grow to before they are made anew
constexpr double LEAST = 0x1p44;
constexpr Index BLOCK = 2048;  // terms that one task looks at

}  // namespace

WordGround::WordGround(const Documents& docs, const std::int8_t* sign, Index k, const double* u, int threads, Poll poll)
    : n_(docs.n),
      terms_(docs.terms),
      k_(k),
      first_(docs.first, docs.first + docs.n + 1),
      sign_(sign, sign + docs.n * k) {
  const Index size = first_.back();
  term_.resize(size);
  std::copy(docs.term, docs.term + size, term_.data());
  begin_.assign(static_cast<std::size_t>(terms_) + 1, 0);
  for (Index j = 0; j < size; ++j) ++begin_[static_cast<std::size_t>(term_[j]) + 1];
  for (Index t = 0; t < terms_; ++t) begin_[static_cast<std::size_t>(t) + 1] += begin_[static_cast<std::size_t>(t)];
  holder_.resize(size);
  std::vector<Index> next(begin_.begin(), begin_.end() - 1);
  for (Index i = 0; i < n_; ++i)
    for (Index j = first_[static_cast<std::size_t>(i)]; j < first_[static_cast<std::size_t>(i) + 1]; ++j)
      holder_[next[static_cast<std::size_t>(term_[j])]++] = static_cast<std::uint32_t>(i);
  double sum = 0;
  if (u) u_.assign(u, u + n_);
  for (const double w : u_) {
    sum += w;
    whole_ = whole_ && w == std::floor(w);
  }
  whole_ = whole_ && sum <= 0x1p32;
  a_.assign(static_cast<std::size_t>(k), 0.0);
  g_.assign(static_cast<std::size_t>(n_ * k), 0.0);
  group_.resize(static_cast<std::size_t>(2 * k));
  q_.resize(static_cast<std::size_t>(n_ * k));
  s_.resize(static_cast<std::size_t>(terms_ * k * 2));
  weigh_all(threads, poll);
}

// A weight of the row times a number; a whole weight multiplies a whole number.
WordGround::Whole WordGround::whole(Index i, double v) const {
  if (u_.empty()) return static_cast<Whole>(v);
  const double w = u_[static_cast<std::size_t>(i)];
  return whole_ ? static_cast<Whole>(w) * static_cast<Whole>(v) : static_cast<Whole>(w * v);
}

WordGround::Whole WordGround::number(Index i, Index l) const {
  const Group& group = group_[static_cast<std::size_t>(2 * l + minus(i, l))];
  const double g = g_[static_cast<std::size_t>(i * k_ + l)];
  return whole(i, std::ldexp(std::exp((minus(i, l) ? g : -g) - group.shift), group.bits));
}

// All numbers anew, in units in which the sum of each group has FULL bits.
void WordGround::weigh_all(int threads, Poll poll) {
  for (Group& group : group_) group = {-HUGE_VAL, 0, 0};
  for (Index i = 0; i < n_; ++i)
    for (Index l = 0; l < k_; ++l) {
      const double g = g_[static_cast<std::size_t>(i * k_ + l)];
      double& shift = group_[static_cast<std::size_t>(2 * l + minus(i, l))].shift;
      shift = std::max(shift, minus(i, l) ? g : -g);
    }
  std::vector<double> sum(group_.size(), 0.0);
  for (Index i = 0; i < n_; ++i)
    for (Index l = 0; l < k_; ++l) {
      const auto c = static_cast<std::size_t>(2 * l + minus(i, l));
      const double g = g_[static_cast<std::size_t>(i * k_ + l)];
      sum[c] +=
          (u_.empty() ? 1.0 : u_[static_cast<std::size_t>(i)]) * std::exp((minus(i, l) ? g : -g) - group_[c].shift);
    }
  for (std::size_t c = 0; c < sum.size(); ++c) {
    int bits = 0;
    if (sum[c] > 0) std::frexp(sum[c], &bits);
    group_[c].bits = FULL - bits;
    if (!(sum[c] > 0)) group_[c].shift = 0;
  }
  for (Index i = 0; i < n_; ++i)
    for (Index l = 0; l < k_; ++l) {
      const Whole q = number(i, l);
      q_[static_cast<std::size_t>(i * k_ + l)] = q;
      group_[static_cast<std::size_t>(2 * l + minus(i, l))].total += q;
    }
  const auto add_up = [&](Index begin, Index end) {
    std::fill(s_.begin() + begin * k_ * 2, s_.begin() + end * k_ * 2, Whole{0});
    for (Index t = begin; t < end; ++t)
      for (Index j = begin_[static_cast<std::size_t>(t)]; j < begin_[static_cast<std::size_t>(t) + 1]; ++j) {
        const auto i = static_cast<Index>(holder_[j]);
        for (Index l = 0; l < k_; ++l)
          s_[static_cast<std::size_t>((t * k_ + l) * 2 + minus(i, l))] += q_[static_cast<std::size_t>(i * k_ + l)];
      }
  };
  parallel_blocks(terms_, BLOCK, threads, add_up, poll);
}

double WordGround::scale(Index l, int minus, double top) const {
  const Group& group = group_[static_cast<std::size_t>(2 * l + minus)];
  const double a = a_[static_cast<std::size_t>(l)];
  return std::ldexp(std::exp((minus ? a : -a) + group.shift - top), -group.bits);
}

// What a number of each group stands for, so that all weights have the sum 1.
void WordGround::factors(std::vector<double>& f) const {
  double top = -HUGE_VAL, sum = 0;
  for (Index l = 0; l < k_; ++l)
    for (int m = 0; m < 2; ++m) {
      const Group& group = group_[static_cast<std::size_t>(2 * l + m)];
      const double a = a_[static_cast<std::size_t>(l)];
      if (group.total > 0) top = std::max(top, (m ? a : -a) + group.shift);
    }
  f.resize(group_.size());
  for (Index l = 0; l < k_; ++l)
    for (int m = 0; m < 2; ++m) {
      const auto c = static_cast<std::size_t>(2 * l + m);
      f[c] = group_[c].total > 0 ? scale(l, m, top) : 0.0;
      sum += f[c] * static_cast<double>(group_[c].total);
    }
  for (double& one : f) one /= sum;
}

// The gain is minus half of Z, or with `abstain` half of how much Z is below 1.
Index WordGround::best_term(const std::vector<double>& f, bool abstain, double& gain, int threads, Poll poll) const {
  const Index tasks = (terms_ + BLOCK - 1) / BLOCK;
  std::vector<double> most(static_cast<std::size_t>(tasks), -HUGE_VAL);
  std::vector<Index> where(static_cast<std::size_t>(tasks), -1);
  const auto look = [&](Index begin, Index end) {
    const auto task = static_cast<std::size_t>(begin / BLOCK);
    for (Index t = begin; t < end; ++t) {
      const Whole* s = s_.data() + t * k_ * 2;
      double g = 0;
      for (Index l = 0; l < k_; ++l) {
        const auto c = static_cast<std::size_t>(2 * l);
        const double plus = f[c] * static_cast<double>(s[2 * l]), minus = f[c + 1] * static_cast<double>(s[2 * l + 1]);
        const double with = std::sqrt(plus * minus);
        if (abstain) {
          g += 0.5 * (plus + minus) - with;
          continue;
        }
        g -= with + std::sqrt(f[c] * static_cast<double>(group_[c].total - s[2 * l]) *
                              (f[c + 1] * static_cast<double>(group_[c + 1].total - s[2 * l + 1])));
      }
      if (g > most[task]) {
        most[task] = g;
        where[task] = t;
      }
    }
  };
  parallel_blocks(terms_, BLOCK, threads, look, poll);
  const auto best = static_cast<std::size_t>(std::max_element(most.begin(), most.end()) - most.begin());
  gain = most[best];
  return where[best];
}

// Returns Z of the round, with the votes as they are.
double WordGround::votes(Index term, const WordRule& rule, const std::vector<double>& f, double* absent,
                         double* present) const {
  double z = 0;
  for (Index l = 0; l < k_; ++l) {
    const auto c = static_cast<std::size_t>(2 * l);
    const Whole* s = s_.data() + (term * k_ + l) * 2;
    const double with[2] = {f[c] * static_cast<double>(s[0]), f[c + 1] * static_cast<double>(s[1])};
    const double without[2] = {f[c] * static_cast<double>(group_[c].total - s[0]),
                               f[c + 1] * static_cast<double>(group_[c + 1].total - s[1])};
    const auto vote = [&](const double* w) {
      return w[0] + w[1] > 0 ? 0.5 * rule.rate * std::log((w[0] + rule.eta) / (w[1] + rule.eta)) : 0.0;
    };
    present[l] = vote(with);
    absent[l] = rule.abstain ? 0.0 : vote(without);
    z += with[0] * std::exp(-present[l]) + with[1] * std::exp(present[l]) + without[0] * std::exp(-absent[l]) +
         without[1] * std::exp(absent[l]);
  }
  return z;
}

Index WordGround::apply(Index term, const double* absent, const double* present, int threads, Poll poll) {
  const Index begin = begin_[static_cast<std::size_t>(term)], end = begin_[static_cast<std::size_t>(term) + 1];
  std::vector<double> sum(group_.size());
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = static_cast<double>(group_[c].total);
  for (Index l = 0; l < k_; ++l) a_[static_cast<std::size_t>(l)] += absent[l];
  for (Index j = begin; j < end; ++j) {
    const auto i = static_cast<Index>(holder_[j]);
    for (Index l = 0; l < k_; ++l) {
      const auto c = static_cast<std::size_t>(2 * l + minus(i, l)), at = static_cast<std::size_t>(i * k_ + l);
      g_[at] += present[l] - absent[l];
      const double v = std::ldexp(std::exp((minus(i, l) ? g_[at] : -g_[at]) - group_[c].shift), group_[c].bits);
      sum[c] += (u_.empty() ? 1.0 : u_[static_cast<std::size_t>(i)]) * v - static_cast<double>(q_[at]);
    }
  }
  bool fits = true;
  for (std::size_t c = 0; c < sum.size(); ++c)
    fits = fits && (group_[c].total == 0 || (sum[c] < MOST && sum[c] > LEAST));
  if (!fits) {
    weigh_all(threads, poll);
    return n_;
  }
  for (Index j = begin; j < end; ++j) {
    const auto i = static_cast<Index>(holder_[j]);
    for (Index l = 0; l < k_; ++l) {
      const auto at = static_cast<std::size_t>(i * k_ + l);
      const Whole q = number(i, l), more = q - q_[at];
      const int m = minus(i, l);
      q_[at] = q;
      group_[static_cast<std::size_t>(2 * l + m)].total += more;
      Whole* s = s_.data() + 2 * l + m;
      for (Index p = first_[static_cast<std::size_t>(i)]; p < first_[static_cast<std::size_t>(i) + 1]; ++p)
        s[static_cast<Index>(term_[p]) * k_ * 2] += more;
    }
  }
  return end - begin;
}

void WordGround::boost(const WordRule& rule, Index rounds, WordRounds& out, int threads, Poll poll) {
  std::vector<double> f, absent(static_cast<std::size_t>(k_)), present(absent);
  for (Index r = 0; r < rounds; ++r) {
    poll();
    factors(f);
    double gain = 0;
    const Index term = best_term(f, rule.abstain, gain, threads, poll);
    const double z = term < 0 ? 1.0 : votes(term, rule, f, absent.data(), present.data());
    if (!(z < 1 - 1e-12)) {
      out.told_nothing = true;
      return;
    }
    out.touched += apply(term, absent.data(), present.data(), threads, poll);
    out.term.push_back(term);
    out.absent.insert(out.absent.end(), absent.begin(), absent.end());
    out.present.insert(out.present.end(), present.begin(), present.end());
    out.z.push_back(z);
  }
}

}  // namespace widemargin
