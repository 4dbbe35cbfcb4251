#include "solver/feature_descent.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace widemargin {
namespace {

struct Ones {
  Index n;
};

template <class T, class Work>
void each(DenseRow<T> column, Work work) {
  for (Index i = 0; i < column.d; ++i)
    if (column.x[i] != 0) work(i, static_cast<double>(column.x[i]));
}
template <class T, class Work>
void each(SparseRow<T> column, Work work) {
  for (Index k = 0; k < column.size; ++k) work(column.j[k], static_cast<double>(column.x[k]));
}
template <class Work>
void each(Ones column, Work work) {
  for (Index i = 0; i < column.n; ++i) work(i, 1.0);
}

// The minimum of g v + h v^2 / 2 + penalty |w + v|.
double newton_step(double g, double h, double w, double penalty) {
  if (g + penalty <= h * w) return -(g + penalty) / h;
  if (g - penalty >= h * w) return -(g - penalty) / h;
  return -w;
}

}  // namespace

void penalised_step(const double* H, const double* g, const double* w, const double* r, double* p, Index d, double tol,
                    Index rounds, Poll poll) {
  std::vector<double> q(g, g + d);  // g + Hp
  std::fill(p, p + d, 0.0);
  double first = 0;
  for (Index round = 0; round < rounds; ++round) {
    double most = 0;
    poll();
    for (Index j = 0; j < d; ++j) {
      const double h = H[j * d + j];
      if (!(h > 0)) continue;
      const double v = newton_step(q[static_cast<std::size_t>(j)], h, w[j] + p[j], r[j]);
      if (v == 0) continue;
      p[j] += v;
      simd::add(v, H + j * d, q.data(), d);
      most = std::max(most, v * v * h);
    }
    first = std::max(first, most);
    if (most <= tol * tol * first) return;
  }
}

FeatureDescent::FeatureDescent(FeatureProblem problem) : p_(problem), n_(width(p_.columns)), d_(count(p_.columns)) {}

// The features that were in when the epoch began, so that a state half-way through has the same order again.
void FeatureDescent::set_order(const FeatureState& s) {
  if (s.epoch == order_of_) return;
  order_.clear();
  for (Index j = 0; j < d_ + (p_.intercept ? 1 : 0); ++j)
    if (s.left_at[j] == 0 || s.left_at[j] == s.epoch + 1) order_.push_back(static_cast<Column>(j));
  shuffle(order_, Random(p_.seed, Purpose::order, static_cast<std::uint64_t>(s.epoch)));
  order_of_ = s.epoch;
}

template <class L, class Column>
void FeatureDescent::visit(const L& loss, const Column& column, Index j, double penalty, FeatureState& s) {
  double g = 0, h = 1e-12;
  each(column, [&](Index i, double x) {
    g += p_.C[i] * loss.slope(s.z[i], p_.t[i]) * x;
    h += p_.C[i] * loss.curvature(s.z[i], p_.t[i]) * x * x;
  });
  const double w = s.w[j], held = w == 0 ? penalty - std::abs(g) : 0.0;
  if (held > 0) {
    if (s.bound > 0 && held > s.bound) s.left_at[j] = static_cast<widemargin::Column>(s.epoch + 1), --s.active;
    return;
  }
  s.violation = std::max(s.violation, w == 0 ? -held : std::abs(g + (w > 0 ? penalty : -penalty)));
  double v = newton_step(g, h, w, penalty);
  double fall = g * v + penalty * (std::abs(w + v) - std::abs(w));
  for (int turn = 0; turn < 30 && v != 0; ++turn, v /= 2, fall /= 2) {
    double change = penalty * (std::abs(w + v) - std::abs(w));
    each(column, [&](Index i, double x) {
      change += p_.C[i] * (loss.value(s.z[i] + v * x, p_.t[i]) - loss.value(s.z[i], p_.t[i]));
    });
    if (!(change <= 0.01 * fall)) continue;
    s.w[j] = w + v;
    each(column, [&](Index i, double x) { s.z[i] += v * x; });
    ++s.updates;
    return;
  }
}

template <class L, class Rows>
void FeatureDescent::visits(const L& loss, const Rows& columns, FeatureState& s, Index end, Poll poll) {
  for (Index k = s.position; k < end; ++k) {
    const Index j = order_[static_cast<std::size_t>(k)];
    if (k % 64 == 0) poll();
    if (j == d_)
      visit(loss, Ones{n_}, j, p_.bias_penalty, s);
    else
      visit(loss, columns[j], j, 1.0, s);
    ++s.position;  // also where an interrupt ends it
    ++s.visits;
  }
}

void FeatureDescent::advance(FeatureState& s, Index budget, Index until_epoch, Poll poll) {
  while (budget > 0 && s.epoch < until_epoch) {
    set_order(s);
    if (s.position == 0) s.violation = 0;
    const auto size = static_cast<Index>(order_.size());
    const Index end = std::min(size, s.position + budget);
    budget -= std::max<Index>(end - s.position, 1);
    with_loss(p_.loss, p_.eps, [&](const auto& loss) {
      std::visit([&](const auto& columns) { visits(loss, columns, s, end, poll); }, p_.columns);
    });
    if (end < size) continue;
    s.position = 0;
    ++s.epoch;
    s.last_violation = s.violation;
    s.bound = s.violation / static_cast<double>(std::max<Index>(n_, 1));
  }
}

}  // namespace widemargin
