#include "solver/gradient.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace widemargin {
namespace {

// What the two rules differ in. `shrink` begins a step on rows of weight `s`, `length` is what it adds to u for each
// unit of weight of an active row, `bias` the same for c.
struct PegasosRule {
  double lambda;
  static constexpr bool projects = true;
  bool active(double m) const { return !(m > 1); }  // a score that overflowed to NaN too
  double factor(const GradientCounters& c) const { return c.t > 0 ? c.p / (lambda * c.t) : 0.0; }
  void shrink(GradientCounters& c, double s) const { c.t += s; }
  double length(const GradientCounters& c) const { return 1 / c.p; }
  double bias(const GradientCounters& c) const { return 1 / (lambda * c.t); }
  void project(GradientCounters& c) const {
    const double most = lambda * c.t * c.t;
    if (c.p * c.p * c.squared_norm <= most) return;
    c.p = std::sqrt(most / c.squared_norm);
    ++c.projections;
  }
};

struct SgdRule {
  double lambda, scale, delay, gain;
  static constexpr bool projects = false;
  double eta(const GradientCounters& c) const { return scale / (static_cast<double>(c.rounds + 1) + delay); }
  bool active(double m) const { return !(m >= 1); }
  double factor(const GradientCounters& c) const { return c.p; }
  void shrink(GradientCounters& c, double s) const {
    c.t += s;
    c.p *= 1 - eta(c) * lambda;
  }
  double length(const GradientCounters& c) const { return eta(c) * gain / c.p; }
  double bias(const GradientCounters& c) const { return eta(c) * gain; }
  void project(GradientCounters&) const {}
};

constexpr double folded_below = 1e-30, with_average = 1e-2;

}  // namespace

GradientSolver::GradientSolver(OnlineProblem problem, GradientOptions options)
    : p_(problem),
      o_(options),
      n_(count(p_.rows)),
      d_(width(p_.rows)),
      m_(p_.visits.empty() ? n_ : static_cast<Index>(p_.visits.size())) {
  o_.batch = std::clamp<Index>(o_.batch, 1, std::max<Index>(m_, 1));
}

void GradientSolver::set_order(Index epoch) {
  const bool anew = o_.drawing == Drawing::every_epoch || o_.drawing == Drawing::replace;
  const Index key = anew ? epoch : 0;
  if (key == order_of_ && static_cast<Index>(order_.size()) == m_) return;
  order_.resize(static_cast<std::size_t>(m_));
  const auto row = [&](Index j) {
    return p_.visits.empty() ? static_cast<Column>(j) : p_.visits[static_cast<std::size_t>(j)];
  };
  Random drawn(o_.seed, Purpose::sample, static_cast<std::uint64_t>(key));
  for (Index j = 0; j < m_; ++j)
    order_[static_cast<std::size_t>(j)] =
        row(o_.drawing == Drawing::replace ? static_cast<Index>(drawn.below32(static_cast<std::uint32_t>(m_))) : j);
  if (o_.drawing == Drawing::once || o_.drawing == Drawing::every_epoch)
    visiting_order(order_, Random(o_.seed, Purpose::order, static_cast<std::uint64_t>(key)));
  order_of_ = key;
}

// Folds p into u. The average is summed up first: what lift u and h have in common would grow as p falls, and drown it.
void GradientSolver::fold(GradientCounters& c, GradientArrays state) const {
  if (state.h) simd::add(c.lift, state.u, state.h, d_);
  c.lift = 0;
  for (Index j = 0; j < d_; ++j) state.u[j] *= c.p;
  c.squared_norm *= c.p * c.p;
  c.p = 1;
}

// Finds the active rows of the batch; returns the weight of all its rows.
template <class Rows, class Rule>
double GradientSolver::look(const Rows& rows, const Rule& rule, GradientCounters& c, GradientArrays state, Index end) {
  constexpr Index ahead = 16;
  const double f = rule.factor(c), bias = o_.intercept ? state.u[d_] : 0.0;
  double weight = 0;
  active_.clear();
  for (Index j = c.position; j < end; ++j) {
    if (j + 2 * ahead < m_) {
      rows.prefetch(order_[static_cast<std::size_t>(j + ahead)]);
      rows.prefetch_start(order_[static_cast<std::size_t>(j + 2 * ahead)]);
    }
    const Index i = order_[static_cast<std::size_t>(j)];
    const double s = weight_of(i), product = dot(rows[i], state.u), m = p_.y[i] * (f * product + bias);
    weight += s;
    if (m < 1) c.epoch_loss += s * (1 - m);
    if (rule.active(m)) active_.push_back({i, s, product});
  }
  return weight;
}

// One step, on the rows from c.position to end.
template <class Rows, class Rule>
void GradientSolver::step(const Rows& rows, const Rule& rule, GradientCounters& c, GradientArrays state, Index end) {
  const double weight = look(rows, rule, c, state, end);
  rule.shrink(c, weight);
  bool moved = c.p < (state.h ? with_average : folded_below);  // u is not what `look` saw any more
  if (moved) fold(c, state);
  const auto e = static_cast<double>(c.rounds + 1);
  const double length = rule.length(c), late = o_.drawing == Drawing::replace ? e : e * e;
  double slope = 0;
  for (const Active& one : active_) {
    const auto row = rows[one.i];
    const double by = length * one.s * p_.y[one.i];
    if constexpr (Rule::projects) {
      const double q = squared_norm(row), product = moved ? dot(row, state.u) : one.product;
      c.squared_norm = std::max(0.0, c.squared_norm + by * (2 * product + by * q));
      c.squared_radius = std::max(c.squared_radius, q);
    }
    add(by, row, state.u);
    moved = true;
    if (state.h) add(-c.lift * by, row, state.h);
    if (state.active_of) state.active_of[one.i] += late;
    slope += one.s * p_.y[one.i];
  }
  if (state.visited_of)
    for (Index j = c.position; j < end; ++j) state.visited_of[order_[static_cast<std::size_t>(j)]] += late;
  if (o_.intercept) {
    double& bias = state.u[d_];
    bias += rule.bias(c) * slope;
    const double most = 1 + std::sqrt(c.squared_radius / o_.lambda);
    if (Rule::projects) bias = std::clamp(bias, -most, most);
  }
  rule.project(c);
  if (state.h) {
    c.lift += weight * c.p;
    c.mass += weight * c.t;
    c.mean_bias += weight * c.t * state.u[d_];
  }
  c.updates += static_cast<Index>(active_.size());
  c.epoch_updates += static_cast<Index>(active_.size());
  c.visits += end - c.position;
  ++c.steps;
  c.position = end;
}

template <class Rows, class Rule>
OnlineStop GradientSolver::run(const Rows& rows, const Rule& rule, GradientCounters& counters, GradientArrays state,
                               Index budget, Index until_epoch) {
  GradientCounters c = counters;  // a copy of our own: stores through u could alias the caller's
  OnlineStop stop = OnlineStop::budget;
  while (budget > 0 && stop == OnlineStop::budget) {
    set_order(c.rounds);
    if (c.position == 0) {
      c.epoch_updates = 0, c.epoch_loss = 0;
      if (Rule::projects) c.squared_norm = simd::dot(state.u, state.u, d_);
    }
    while (c.position < m_ && budget > 0) {
      const Index end = std::min(m_, c.position + o_.batch);
      budget -= end - c.position;
      step(rows, rule, c, state, end);
    }
    if (c.position < m_) break;
    c.position = 0;
    ++c.epoch, ++c.rounds;
    if (c.epoch >= until_epoch) stop = OnlineStop::epoch;
  }
  counters = c;
  return stop;
}

OnlineStop GradientSolver::advance(GradientCounters& c, GradientArrays state, Index budget, Index until_epoch) {
  if (m_ == 0) return OnlineStop::clean;
  return std::visit(
      [&](const auto& rows) {
        if (o_.rule == GradientRule::sgd)
          return run(rows, SgdRule{o_.lambda, o_.scale, o_.delay, o_.gain}, c, state, budget, until_epoch);
        return run(rows, PegasosRule{o_.lambda}, c, state, budget, until_epoch);
      },
      p_.rows);
}

}  // namespace widemargin
