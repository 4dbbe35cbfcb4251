#include "solver/dual_descent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "data/scan.hpp"

namespace widemargin {
namespace {

// The mark of a row that was found held: the epoch, and how many visits in a row found it so, or that it is left out.
constexpr int bits = 5, left_out = (1 << bits) - 1;
constexpr Index longest_rest = 8, first_epochs = 6;

Column mark(Index epoch, int held) { return static_cast<Column>(((epoch + 1) << bits) | held); }
int held_visits(Column mark) { return mark & left_out; }
Index marked_in(Column mark) { return (mark >> bits) - 1; }

// Epochs in which such a row is not visited, by its visits: 0, 0, 1, 3, 7, 8, 8, ...; for ever where it is left out.
constexpr std::array<Index, left_out + 1> rests = [] {
  std::array<Index, left_out + 1> out{};
  for (int held = 2; held < left_out; ++held)
    out[static_cast<std::size_t>(held)] = std::min((Index{1} << (held - 1)) - 1, longest_rest);
  out[left_out] = std::numeric_limits<Index>::max();
  return out;
}();

// No branch: which rows rest cannot be foreseen. Without a mark the last visit lies an epoch before the first.
bool is_visited(Column mark, Index epoch) {
  const Index since = epoch - marked_in(mark);
  return (since == 0) | (since > rests[static_cast<std::size_t>(held_visits(mark))]);
}

}  // namespace

DualDescent::DualDescent(LinearProblem problem, DescentOptions options, const double* norms)
    : p_(problem), o_(options), n_(count(p_.rows)), d_(width(p_.rows)), q_(static_cast<std::size_t>(n_)) {
  if (norms)
    std::copy(norms, norms + n_, q_.data());
  else
    squared_norms(p_.rows, q_.data(), 1);
  for (double& q : q_) q += o_.tau;
}

// The rows that were in when the epoch began, so that a state half-way through an epoch has the same order again: marks
// that were made in this epoch are those of rows that it visits.
void DualDescent::set_order(const DescentState& s) {
  if (s.epoch == order_of_) return;
  order_.resize(static_cast<std::size_t>(n_));
  std::size_t many = 0;
  for (Index i = 0; i < n_; ++i) order_[many] = static_cast<Column>(i), many += is_visited(s.marks[i], s.epoch);
  order_.resize(many);
  visiting_order(order_, Random(o_.seed, Purpose::order, static_cast<std::uint64_t>(s.epoch)));
  order_of_ = s.epoch;
}

template <class L, class Rows>
void DualDescent::visit(const L& loss, const Rows& rows, DescentState& s, Index end) {
  constexpr Index ahead = 6;
  const auto size = static_cast<Index>(order_.size());
  const double bound = o_.shrink && s.bound > 0 ? s.bound : infinity;
  double* w = s.w;
  for (Index k = s.position; k < end; ++k) {
    const Index i = order_[static_cast<std::size_t>(k)];
    if (k + 2 * ahead < size) rows.prefetch_start(order_[static_cast<std::size_t>(k + 2 * ahead)]);
    if (k + ahead < size) rows.prefetch(order_[static_cast<std::size_t>(k + ahead)]);
    const auto row = rows[i];
    const double z = dot(row, w) + w[d_], b = s.b[i], t = p_.t[i], C = p_.C[i];
    const Push push = loss.push(z, b, t, C);
    if (push.slack > bound) {
      s.marks[i] = mark(s.epoch, left_out);
      --s.active;
      continue;
    }
    if (push.slack > 0) {  // an update would change nothing, and its residual is 0
      s.marks[i] = mark(s.epoch, std::min(held_visits(s.marks[i]) + 1, left_out - 1));
      continue;
    }
    s.marks[i] = 0;
    s.residual += loss.residual(z, b, t, C);
    s.violation = std::max(s.violation, push.violation);
    const double to = loss.dual_step(b, z, q_[static_cast<std::size_t>(i)], t, C);
    if (to == b) continue;
    s.b[i] = to;
    add(to - b, row, w);
    w[d_] += o_.tau * (to - b);
    ++s.updates;
  }
  s.visits += end - s.position;
  s.position = end;
}

void DualDescent::begin_epoch(DescentState& s) {
  s.residual = s.violation = 0;
  if (o_.free_bias && s.epoch > 0) {
    double total = 0;
    for (Index i = 0; i < n_; ++i) total += s.b[i];
    s.w[d_] += o_.tau * total;
  }
}

double DualDescent::dual(const DescentState& s) const {
  return with_loss(p_.loss, p_.eps, [&](const auto& loss) {
    double reward = 0;
    for (Index i = 0; i < n_; ++i) reward += loss.reward(s.b[i], p_.t[i], p_.C[i]);
    return reward - simd::dot(s.w, s.w, d_) / 2;
  });
}

DescentStop DualDescent::end_epoch(DescentState& s, Index until_epoch) {
  s.position = 0;
  ++s.epoch;
  s.bound = s.violation;
  s.dual = dual(s);
  // Residuals were met before their rows were set right. In the first epochs, which cost as much as a look at all rows,
  // those that are left are guessed: they fall as they did from the epoch before to this one. Later a look that failed
  // would only be followed by others.
  const bool early = s.epoch <= first_epochs && s.last_residual > 0;
  const double fall = early ? std::min(s.residual / s.last_residual, 1.0) : 1.0;
  s.last_residual = s.residual;
  if (fall * s.residual <= s.aim * std::abs(s.dual)) return DescentStop::look;
  return s.epoch >= until_epoch ? DescentStop::epoch : DescentStop::budget;
}

DescentStop DualDescent::advance(DescentState& s, Index budget, Index until_epoch, Poll poll) {
  constexpr Index stretch = 1 << 15;
  while (budget > 0) {
    set_order(s);
    if (s.position == 0) begin_epoch(s);
    const auto size = static_cast<Index>(order_.size());
    const Index end = std::min({size, s.position + budget, s.position + stretch});
    budget -= std::max<Index>(end - s.position, 1);
    with_loss(p_.loss, p_.eps,
              [&](const auto& loss) { std::visit([&](const auto& rows) { visit(loss, rows, s, end); }, p_.rows); });
    poll();
    if (end < size) continue;
    const DescentStop stop = end_epoch(s, until_epoch);
    if (stop != DescentStop::budget) return stop;
  }
  return DescentStop::budget;
}

}  // namespace widemargin
