#include "solver/online.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace widemargin {
namespace {

struct Correction {
  double step;  // 0: leave w alone
  double loss;
};

struct PerceptronRule {
  double eta;
  template <class Norm>
  Correction operator()(double y, double u, double s, Norm) const {
    const double m = y * u;
    return m > 0 ? Correction{0, 0} : Correction{eta * s * y, -m * s};  // a score that overflowed to NaN is a mistake
  }
};

template <bool squared>
struct PassiveAggressiveRule {
  double C;
  double length(double loss, double q, double s) const {
    if (squared) return loss / (q + 0.5 / (C * s));
    return q > 0 ? std::min(C * s, loss / q) : 0.0;
  }
  template <class Norm>
  Correction operator()(double y, double u, double s, Norm norm) const {
    const double loss = 1 - y * u;
    return loss <= 0 ? Correction{0, 0} : Correction{y * length(loss, norm(), s), loss};
  }
};

template <bool squared>
struct PassiveAggressiveRegressionRule {
  PassiveAggressiveRule<squared> base;
  double epsilon;
  template <class Norm>
  Correction operator()(double y, double u, double s, Norm norm) const {
    const double r = y - u, loss = std::abs(r) - epsilon;
    return loss <= 0 ? Correction{0, 0} : Correction{std::copysign(base.length(loss, norm(), s), r), loss};
  }
};

template <class Use>
auto with_rule(const OnlineOptions& o, Use use) {
  switch (o.rule) {
    case OnlineRule::pa1:
      return use(PassiveAggressiveRule<false>{o.eta});
    case OnlineRule::pa2:
      return use(PassiveAggressiveRule<true>{o.eta});
    case OnlineRule::pa1_regression:
      return use(PassiveAggressiveRegressionRule<false>{{o.eta}, o.epsilon});
    case OnlineRule::pa2_regression:
      return use(PassiveAggressiveRegressionRule<true>{{o.eta}, o.epsilon});
    default:
      return use(PerceptronRule{o.eta});
  }
}

// Folds the scale of the penalty into w.
void unscale(OnlineCounters& c, double* w, Index d) {
  for (Index j = 0; j < d; ++j) w[j] *= c.scale;
  c.scale = 1;
}

}  // namespace

OnlineSolver::OnlineSolver(OnlineProblem problem, OnlineOptions options)
    : p_(problem), o_(options), m_(p_.visits.empty() ? count(p_.rows) : static_cast<Index>(p_.visits.size())) {}

void OnlineSolver::set_order(Index epoch) {
  if (o_.shuffle == Shuffle::never) return;
  const Index key = o_.shuffle == Shuffle::once ? 0 : epoch;
  if (key == order_of_) return;
  order_.resize(static_cast<std::size_t>(m_));
  for (Index i = 0; i < m_; ++i)
    order_[static_cast<std::size_t>(i)] =
        p_.visits.empty() ? static_cast<Column>(i) : p_.visits[static_cast<std::size_t>(i)];
  visiting_order(order_, Random(o_.seed, Purpose::order, static_cast<std::uint64_t>(key)));
  order_of_ = key;
}

void OnlineSolver::scan_first_epoch(Index first) {
  if (p_.visits.empty()) scan_.emplace(p_.rows, first);
}

template <bool scanning, class Rows, class Rule>
void OnlineSolver::visit(const Rows& rows, const Rule& rule, OnlineCounters& counters, OnlineArrays state, Index begin,
                         Index end, std::vector<Mistake>* log) {
  constexpr Index ahead = 32;
  OnlineCounters c = counters;  // a copy of our own: stores through w could alias the caller's
  const double one = o_.intercept ? 1.0 : 0.0, keep = 1 - o_.eta * o_.decay;
  const Index d = rows.d, m = m_;
  const bool given_order = o_.shuffle == Shuffle::never && p_.visits.empty();
  const Column* order = o_.shuffle == Shuffle::never ? p_.visits.data() : order_.data();
  const double* step_of = p_.step.empty() ? nullptr : p_.step.data();
  const double* y = p_.y;
  double* w = state.w;

  for (Index k = begin; k < end; ++k) {
    const Index i = given_order ? k : order[k];
    if (k + 2 * ahead < m) {
      const Index next = given_order ? k + ahead : order[k + ahead];
      rows.prefetch(next);
      if (!given_order) {
        WIDEMARGIN_PREFETCH(y + next);
        WIDEMARGIN_PREFETCH(state.updates_of + next);
        rows.prefetch_start(order[k + 2 * ahead]);
      }
    }
    const auto row = rows[i];
    if constexpr (scanning) scan_->add(i, row);
    const double u = c.scale * dot(row, w) + one * w[d];
    const double s = step_of ? step_of[i] : 1.0;
    const Correction fix = rule(y[i], u, s, [&] { return squared_norm(row) + one; });
    ++c.visits;
    if (o_.decay > 0) {
      c.scale *= keep;
      if (c.scale < 1e-9) unscale(c, w, d);
    }
    if (fix.step == 0 && fix.loss == 0) continue;
    c.epoch_loss += fix.loss;
    c.loss += fix.loss;
    c.squared_loss += fix.loss * fix.loss;
    if (fix.step == 0) continue;
    ++c.updates;
    ++c.epoch_updates;
    c.epoch_weight += s;
    add(fix.step / c.scale, row, w);
    w[d] += one * fix.step;
    if (state.a) {
      // The clock of survival: all visits (a new w has survived its own, birth 1) or only those without a mistake.
      const Index clock = o_.birth ? c.visits - 1 : c.visits - c.updates;
      const double before = static_cast<double>(clock) * fix.step;
      add(before, row, state.a);
      state.a[d] += one * before;
    }
    if (state.updates_of) ++state.updates_of[i];
    if (log) log->push_back({c.visits - 1, static_cast<Column>(i), fix.step});
  }
  counters = c;
}

template <class Rows, class Rule>
OnlineStop OnlineSolver::run(const Rows& rows, const Rule& rule, OnlineCounters& c, OnlineArrays state, Index budget,
                             Index until_epoch, std::vector<Mistake>* log) {
  while (budget > 0) {
    set_order(c.epoch);
    if (c.position == 0) c.epoch_updates = 0, c.epoch_loss = 0, c.epoch_weight = 0;
    const Index begin = c.position, end = std::min(m_, begin + budget);
    budget -= end - begin;
    if (scan_ && c.epoch == 0)
      visit<true>(rows, rule, c, state, begin, end, log);
    else
      visit<false>(rows, rule, c, state, begin, end, log);
    c.position = end;
    if (end < m_) break;

    c.position = 0;
    ++c.epoch;
    if (c.best_updates < 0 || c.epoch_weight < c.best_weight) {
      c.best_updates = c.epoch_updates;
      c.best_weight = c.epoch_weight;
      c.best_epoch = c.epoch;
    }
    if (c.epoch_updates == 0) return OnlineStop::clean;
    if (o_.patience > 0 && c.epoch - c.best_epoch >= std::max(o_.patience, c.best_epoch)) return OnlineStop::stalled;
    if (c.epoch >= until_epoch) return OnlineStop::epoch;
  }
  return OnlineStop::budget;
}

OnlineStop OnlineSolver::advance(OnlineCounters& c, OnlineArrays state, Index budget, Index until_epoch,
                                 std::vector<Mistake>* log) {
  if (m_ == 0) return OnlineStop::clean;
  return std::visit(
      [&](const auto& rows) {
        return with_rule(o_, [&](const auto& rule) { return run(rows, rule, c, state, budget, until_epoch, log); });
      },
      p_.rows);
}

}  // namespace widemargin
