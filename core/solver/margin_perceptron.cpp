#include "solver/margin_perceptron.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace widemargin {

MarginSolver::MarginSolver(OnlineProblem problem, MarginOptions options)
    : p_(problem),
      o_(options),
      n_(count(p_.rows)),
      d_(width(p_.rows)),
      m_(p_.visits.empty() ? n_ : static_cast<Index>(p_.visits.size())) {}

void MarginSolver::set_order(Index epoch) {
  const Index key = o_.shuffle == Shuffle::every_epoch ? epoch : 0;
  if (key == order_of_) return;
  order_.resize(static_cast<std::size_t>(m_));
  for (Index k = 0; k < m_; ++k)
    order_[static_cast<std::size_t>(k)] =
        p_.visits.empty() ? static_cast<Column>(k) : p_.visits[static_cast<std::size_t>(k)];
  if (o_.shuffle != Shuffle::never)
    visiting_order(order_, Random(o_.seed, Purpose::order, static_cast<std::uint64_t>(key)));
  order_of_ = key;
}

template <class Rows>
void MarginSolver::visit_rows(const Rows& rows, MarginCounters& c, MarginArrays state, Index end) {
  constexpr Index ahead = 8;
  const double one = o_.intercept ? 1.0 : 0.0, share = 1 - o_.eps;
  double* a = state.a;
  for (Index k = c.position; k < end; ++k) {
    const Index i = order_[static_cast<std::size_t>(k)];
    if (k + ahead < m_) rows.prefetch(order_[static_cast<std::size_t>(k + ahead)]);
    if (state.given_up_at[i]) continue;
    const auto row = rows[i];
    const double m = p_.y[i] * (dot(row, a) + one * a[d_]);
    ++c.visits;
    if (!(m > 0)) ++c.epoch_wrong, ++state.wrong_of[i];
    if (m > 0 && m * c.t > share * c.q) continue;
    const double s = step_of(i);
    add(s * p_.y[i], row, a);
    a[d_] += one * s * p_.y[i];
    c.q += s * (2 * m + s * (squared_norm(row) + one));
    c.t += s;
    c.loss += s;
    ++c.updates;
    ++c.epoch_updates;
    ++state.updates_of[i];
  }
  c.position = end;
}

// The rows to give up now, worst first; empty if none may go any more. All is counted in visits, so that a row of
// weight 3 is treated like three rows.
std::vector<Index> MarginSolver::troublesome(const MarginCounters& c, MarginArrays state) const {
  std::vector<Index> times(static_cast<std::size_t>(n_), p_.visits.empty() ? 1 : 0), worst, go;
  for (const Column i : p_.visits) ++times[static_cast<std::size_t>(i)];
  Index left[2] = {0, 0}, gone = 0;
  for (Index i = 0; i < n_; ++i) {
    const Index visits = times[static_cast<std::size_t>(i)];
    if (state.given_up_at[i]) gone += visits;
    if (visits == 0 || state.given_up_at[i]) continue;
    ++left[p_.y[i] > 0];
    if (state.wrong_of[i] > 0) worst.push_back(i);
  }
  const auto rate = [&](Index i) {
    return static_cast<double>(state.wrong_of[i]) / times[static_cast<std::size_t>(i)];
  };
  std::stable_sort(worst.begin(), worst.end(), [&](Index i, Index j) { return rate(i) > rate(j); });
  const auto epochs = static_cast<double>(c.epoch - c.best_epoch);
  Index room = std::max<Index>(1, c.best_wrong / 2);
  for (const Index i : worst) {
    if (room <= 0 || (!go.empty() && rate(i) < 0.75 * epochs)) break;
    const Index visits = times[static_cast<std::size_t>(i)];
    if (left[p_.y[i] > 0] <= 1 || gone + visits > o_.most) continue;  // without a class there is nothing to separate
    --left[p_.y[i] > 0];
    gone += visits, room -= visits;
    go.push_back(i);
  }
  return go;
}

// From zero: what is left of a was bent by the rows that go, and straightening it takes longer than learning it anew.
void MarginSolver::start_again(MarginCounters& c, MarginArrays state) const {
  std::fill(state.a, state.a + d_ + 1, 0.0);
  std::fill(state.updates_of, state.updates_of + n_, 0);
  std::fill(state.wrong_of, state.wrong_of + n_, 0);
  c.t = c.q = 0;
  c.best_wrong = -1, c.best_epoch = c.round_epoch = c.epoch;
}

OnlineStop MarginSolver::end_epoch(MarginCounters& c, MarginArrays state, Index until_epoch) {
  c.position = 0;
  ++c.epoch;
  if (c.epoch_updates == 0) return OnlineStop::clean;
  if (c.best_wrong < 0 || c.epoch_wrong < c.best_wrong || c.epoch_wrong == 0) {
    c.best_wrong = c.epoch_wrong, c.best_epoch = c.epoch;
    std::fill(state.wrong_of, state.wrong_of + n_, 0);
  } else if (o_.patience > 0 && c.epoch - c.best_epoch >= std::max(o_.patience, c.best_epoch - c.round_epoch)) {
    const std::vector<Index> go = troublesome(c, state);
    if (go.empty()) return OnlineStop::stalled;
    for (const Index i : go) state.given_up_at[i] = static_cast<Column>(c.epoch);
    c.given_up += static_cast<Index>(go.size());
    start_again(c, state);
  }
  return c.epoch >= until_epoch ? OnlineStop::epoch : OnlineStop::budget;
}

template <class Rows>
OnlineStop MarginSolver::run(const Rows& rows, MarginCounters& c, MarginArrays state, Index budget, Index until_epoch) {
  while (budget > 0) {
    set_order(c.epoch);
    if (c.position == 0) {
      c.epoch_updates = c.epoch_wrong = 0;
      c.loss = 0;
      c.q = simd::dot(state.a, state.a, d_ + 1);
    }
    const Index end = std::min(m_, c.position + budget);
    budget -= end - c.position;
    visit_rows(rows, c, state, end);
    if (end < m_) break;
    const OnlineStop stop = end_epoch(c, state, until_epoch);
    if (stop != OnlineStop::budget) return stop;
  }
  return OnlineStop::budget;
}

OnlineStop MarginSolver::advance(MarginCounters& c, MarginArrays state, Index budget, Index until_epoch) {
  if (m_ == 0) return OnlineStop::clean;
  return std::visit([&](const auto& rows) { return run(rows, c, state, budget, until_epoch); }, p_.rows);
}

}  // namespace widemargin
