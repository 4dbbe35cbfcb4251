#include "solver/class_descent.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/rng.hpp"
#include "base/simd.hpp"
#include "data/scan.hpp"

namespace widemargin {
namespace {

template <class T, class Work>
void each(DenseRow<T> row, Work work) {
  for (Index j = 0; j < row.d; ++j)
    if (row.x[j] != 0) work(j, static_cast<double>(row.x[j]));
}
template <class T, class Work>
void each(SparseRow<T> row, Work work) {
  for (Index k = 0; k < row.size; ++k) work(row.j[k], static_cast<double>(row.x[k]));
}

// u = e + z of one row.
template <class Row>
void scores(const Row& row, const double* W, Index d, Index k, Index y, double* u) {
  for (Index m = 0; m < k; ++m) u[m] = W[d * k + m] + (m == y ? 0.0 : 1.0);
  each(row, [&](Index j, double x) { simd::add(x, W + j * k, u, k); });
}

double residual(const double* u, const double* b, double C, Index y, Index k, double top) {
  double r = 0;
  for (Index m = 0; m < k; ++m) r += ((m == y ? C : 0.0) - b[m]) * (top - u[m]);
  return r;
}

struct Highest {
  double top, second, lowest_used;  // the last among those with a_m > 0
};

Highest highest(const double* u, const double* b, double C, Index y, Index k) {
  Highest h{u[0], -HUGE_VAL, HUGE_VAL};
  for (Index m = 0; m < k; ++m) {
    if (m > 0 && u[m] > h.top)
      h.second = h.top, h.top = u[m];
    else if (m > 0)
      h.second = std::max(h.second, u[m]);
    if ((m == y ? C : 0.0) - b[m] > 0) h.lowest_used = std::min(h.lowest_used, u[m]);
  }
  return h;
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ClassDescent::ClassDescent(ClassProblem problem)
    : p_(problem),
      n_(count(p_.rows)),
      d_(width(p_.rows)),
      q_(at(n_)),
      u_(at(p_.k)),
      sorted_(at(p_.k)),
      fresh_(at(p_.k)) {
  squared_norms(p_.rows, q_.data(), 1);
  for (double& q : q_) q = std::max(q + p_.tau, 1e-12);
}

// min over b  A/2 |b|^2 + B.b,  B = u - A b_old,  b_m <= C [m = y],  sum b = 0: by the sorted kinks of its multiplier.
void ClassDescent::solve_row(double A, double C, Index y, double* b) {
  const Index k = p_.k;
  for (Index m = 0; m < k; ++m) {
    u_[at(m)] -= A * b[m];
    sorted_[at(m)] = u_[at(m)] + (m == y ? A * C : 0.0);
  }
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  double beta = sorted_[0] - A * C;
  Index r = 1;
  for (; r < k && beta < static_cast<double>(r) * sorted_[at(r)]; ++r) beta += sorted_[at(r)];
  beta /= static_cast<double>(r);
  for (Index m = 0; m < k; ++m) fresh_[at(m)] = std::min(m == y ? C : 0.0, (beta - u_[at(m)]) / A);
}

template <class Rows>
void ClassDescent::visit(const Rows& rows, ClassState& s, Index end) {
  constexpr Index ahead = 4;
  const Index k = p_.k;
  const auto size = static_cast<Index>(order_.size());
  for (Index v = s.position; v < end; ++v) {
    const Index i = order_[at(v)], y = p_.y[i];
    if (v + ahead < size) rows.prefetch(order_[at(v + ahead)]);
    const auto row = rows[i];
    double* b = s.b + i * k;
    scores(row, s.W, d_, k, y, u_.data());
    const Highest h = highest(u_.data(), b, p_.C[i], y, k);
    if (h.lowest_used >= h.top) {  // this row is where it should be
      if (s.bound > 0 && h.top - h.second > s.bound) s.left_at[i] = static_cast<Column>(s.epoch + 1), --s.active;
      continue;
    }
    s.residual += residual(u_.data(), b, p_.C[i], y, k, h.top);
    s.violation = std::max(s.violation, h.top - h.lowest_used);
    solve_row(q_[at(i)], p_.C[i], y, b);
    double moved = 0;
    for (Index m = 0; m < k; ++m) {
      const double by = fresh_[at(m)] - b[m];
      b[m] = fresh_[at(m)];
      fresh_[at(m)] = by;
      moved = std::max(moved, std::abs(by));
    }
    if (moved == 0) continue;
    each(row, [&](Index j, double x) { simd::add(x, fresh_.data(), s.W + j * k, k); });
    simd::add(p_.tau, fresh_.data(), s.W + d_ * k, k);
    ++s.updates;
  }
  s.visits += end - s.position;
  s.position = end;
}

// The rows that were in when the epoch began, so that a state half-way through an epoch has the same order again.
void ClassDescent::set_order(const ClassState& s) {
  if (s.epoch == order_of_) return;
  order_.clear();
  for (Index i = 0; i < n_; ++i)
    if (s.left_at[i] == 0 || s.left_at[i] == s.epoch + 1) order_.push_back(static_cast<Column>(i));
  visiting_order(order_, Random(p_.seed, Purpose::order, static_cast<std::uint64_t>(s.epoch)));
  order_of_ = s.epoch;
}

void ClassDescent::begin_epoch(ClassState& s) const {
  s.residual = s.violation = 0;
  if (!p_.free_bias || s.epoch == 0) return;
  std::vector<double> total(at(p_.k), 0.0);
  for (Index i = 0; i < n_; ++i) simd::add(1.0, s.b + i * p_.k, total.data(), p_.k);
  simd::add(p_.tau, total.data(), s.W + d_ * p_.k, p_.k);
}

double ClassDescent::dual(const ClassState& s) const {
  double reward = 0;
  for (Index i = 0; i < n_; ++i)
    for (Index m = 0; m < p_.k; ++m)
      if (m != p_.y[i]) reward -= s.b[i * p_.k + m];
  return reward - simd::dot(s.W, s.W, d_ * p_.k) / 2;
}

bool ClassDescent::advance(ClassState& s, Index budget, Index until_epoch, Poll poll) {
  const Index stretch = std::max<Index>(1, (1 << 19) / (p_.k * std::max<Index>(1, stored(p_.rows) / n_)));
  while (budget > 0 && s.epoch < until_epoch) {
    set_order(s);
    if (s.position == 0) begin_epoch(s);
    const auto size = static_cast<Index>(order_.size());
    const Index end = std::min({size, s.position + budget, s.position + stretch});
    budget -= std::max<Index>(end - s.position, 1);
    std::visit([&](const auto& rows) { visit(rows, s, end); }, p_.rows);
    poll();
    if (end < size) continue;
    s.position = 0;
    ++s.epoch;
    s.bound = s.violation;
    s.last_residual = s.residual;
    s.dual = dual(s);
    if (s.residual <= s.aim * std::abs(s.dual)) return true;
  }
  return false;
}

ClassSums ClassDescent::walk(const double* W, const double* b, double* G, Poll poll) const {
  const Index k = p_.k;
  ClassSums sums;
  std::vector<double> u(at(k));
  std::fill(G, G + (d_ + 1) * k, 0.0);
  std::visit(
      [&](const auto& rows) {
        for (Index i = 0; i < n_; ++i) {
          if (i % 256 == 0) poll();
          const auto row = rows[i];
          const Index y = p_.y[i];
          scores(row, W, d_, k, y, u.data());
          const double top = *std::max_element(u.begin(), u.end());
          sums.loss += p_.C[i] * (top - u[at(y)]);
          sums.residual += residual(u.data(), b + i * k, p_.C[i], y, k, top);
          each(row, [&](Index j, double x) { simd::add(x, b + i * k, G + j * k, k); });
          simd::add(1.0, b + i * k, G + d_ * k, k);
        }
      },
      p_.rows);
  return sums;
}

}  // namespace widemargin
