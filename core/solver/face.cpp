#include "solver/face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double mu = 1e-10;  // of the mean diagonal
constexpr int rounds = 40;

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// The point of the box with that sum that is nearest to x: clip(x - s), s found by halving.
void nearest(std::vector<double>& x, const std::vector<Index>& at, const std::vector<Index>& variable,
             const BoxProblem& p, double total) {
  if (at.empty()) return;
  double low = infinite, high = -infinite;
  for (const Index a : at) {
    low = std::min(low, x[z(a)] - p.upper[variable[z(a)]]);
    high = std::max(high, x[z(a)] - p.lower[variable[z(a)]]);
  }
  const auto clipped = [&](Index a, double s) {
    const Index v = variable[z(a)];
    return std::min(std::max(x[z(a)] - s, p.lower[v]), p.upper[v]);
  };
  for (int turn = 0; turn < 100; ++turn) {
    const double s = (low + high) / 2;
    double sum = 0;
    for (const Index a : at) sum += clipped(a, s);
    (sum > total ? low : high) = s;
    if (high - low <= 1e-15 * std::max(std::abs(low), std::abs(high))) break;
  }
  for (const Index a : at) x[z(a)] = clipped(a, high);
}

}  // namespace

void score_all(const FaceValues& values, const BoxProblem& problem, const double* b, double* f) {
  std::vector<Column> at;
  std::vector<double> by;
  for (Index v = 0; v < problem.N; ++v)
    if (b[v] != 0) at.push_back(values.column[v < values.n ? v : v - values.n]), by.push_back(b[v]);
  for (Index i = 0; i < values.n; ++i) {
    const double* row = values.K + values.place[i] * values.stride;
    double sum = 0;
    for (std::size_t k = 0; k < at.size(); ++k) sum += row[at[k]] * by[k];
    f[i] = sum;
  }
}

double Face::sum_of(int g) const {
  double sum = 0;
  for (Index v = 0; v < p_->N; ++v)
    if (group(v) == g) sum += b_[v];
  return sum;
}

void Face::shift(Index v, double change) {
  if (change == 0) return;
  const double* of_v = row(v);
  for (Index i = 0; i < values_->n; ++i)
    if (values_->column[i] >= 0) f_[i] += change * of_v[values_->column[i]];
}

void Face::move(const std::vector<double>& to) {
  for (std::size_t a = 0; a < S_.size(); ++a) {
    const Index v = S_[a];
    const double change = to[a] - b_[v];
    b_[v] = to[a];
    shift(v, change);
  }
}

// d_ and the offsets, from (K + mu I) d + A o = -F and A'd = missing at once: apart they lose digits where K is
// singular.
bool Face::equations() {
  const Index n = static_cast<Index>(S_.size());
  int sum[2] = {-1, -1}, groups = 0;  // the equation of each group that has a free variable
  for (const Index v : S_) sum[group(v)] = 0;
  for (int g = 0; g < p_->groups; ++g)
    if (sum[g] == 0) sum[g] = static_cast<int>(n) + groups++;
  int size = static_cast<int>(n) + groups, one = 1, info = 0, room = 64 * size;
  char lower = 'L';
  M_.assign(z(size) * z(size), 0.0), right_.assign(z(size), 0.0), work_.resize(z(room)), pivots_.resize(z(size));
  for (Index a = 0; a < n; ++a) {
    const double* of_a = row(S_[z(a)]);
    for (Index c = a; c < n; ++c) M_[z(a * size + c)] = of_a[at_[z(c)]];  // column a of the lower half
    M_[z(a * size + a)] += mu * values_->diagonal;
    M_[z(a * size + sum[group(S_[z(a)])])] = 1;
    right_[z(a)] = -F_[z(a)];
  }
  for (int g = 0; g < p_->groups; ++g)
    if (sum[g] >= 0) right_[z(sum[g])] = p_->total[g] - sum_of(g);
  solve_(&lower, &size, &one, M_.data(), &size, pivots_.data(), right_.data(), &size, work_.data(), &room, &info);
  if (info != 0) return false;
  d_.assign(right_.begin(), right_.begin() + n);
  if (!std::all_of(d_.begin(), d_.end(), [](double x) { return std::isfinite(x); })) return false;
  double square = 0;
  for (const double x : d_) square += x * x;
  if (curvature(d_) < -mu * values_->diagonal * square) return false;  // no kernel: what solves them is no minimum
  for (int g = 0; g < p_->groups; ++g)
    if (sum[g] >= 0) offset_[g] = right_[z(sum[g])];
  return true;
}

double Face::curvature(const std::vector<double>& change) const {
  double sum = 0;
  for (std::size_t a = 0; a < S_.size(); ++a) {
    const double* of_a = row(S_[a]);
    double Kc = 0;
    for (std::size_t c = 0; c < S_.size(); ++c) Kc += of_a[at_[c]] * change[c];
    sum += change[a] * Kc;
  }
  return sum;
}

// The whole step, brought back into the box; false if that is no gain.
bool Face::to_nearest(bool& inside) {
  inside = true;
  to_.resize(S_.size());
  for (std::size_t a = 0; a < S_.size(); ++a) {
    to_[a] = b_[S_[a]] + d_[a];
    inside = inside && to_[a] >= p_->lower[S_[a]] && to_[a] <= p_->upper[S_[a]];
  }
  if (inside) {
    move(to_);
    return true;
  }
  for (int g = 0; g < p_->groups; ++g) {
    std::vector<Index> at;
    double fixed = p_->total[g] - sum_of(g);
    for (std::size_t a = 0; a < S_.size(); ++a)
      if (group(S_[a]) == g) at.push_back(static_cast<Index>(a)), fixed += b_[S_[a]];
    nearest(to_, at, S_, *p_, fixed);
  }
  double slope = 0;
  change_.resize(S_.size());
  for (std::size_t a = 0; a < S_.size(); ++a) change_[a] = to_[a] - b_[S_[a]], slope += F_[a] * change_[a];
  if (!(slope + curvature(change_) / 2 < 0)) return false;
  move(to_);
  for (std::size_t a = 0; a < S_.size(); ++a)
    if (to_[a] <= p_->lower[S_[a]] || to_[a] >= p_->upper[S_[a]]) free_[z(S_[a])] = 0;
  return true;
}

// As much of the step as there is room for.
void Face::to_bound() {
  double most = 1;
  const auto share = [&](std::size_t a) {
    const double d = d_[a], room = (d > 0 ? p_->upper[S_[a]] : p_->lower[S_[a]]) - b_[S_[a]];
    return d != 0 ? room / d : infinite;
  };
  for (std::size_t a = 0; a < S_.size(); ++a) most = std::min(most, std::max(share(a), 0.0));
  for (std::size_t a = 0; a < S_.size(); ++a) {
    const Index v = S_[a];
    const bool hit = most < 1 && share(a) <= most * (1 + 1e-12);
    to_[a] = std::clamp(b_[v] + most * d_[a], p_->lower[v], p_->upper[v]);
    if (hit) to_[a] = d_[a] > 0 ? p_->upper[v] : p_->lower[v], free_[z(v)] = 0;
  }
  move(to_);
}

// One step; true if it was a whole one that left nothing to do on this face.
bool Face::step(Poll poll) {
  S_.clear(), at_.clear();
  for (Index v = 0; v < p_->N; ++v)
    if (free_[z(v)]) S_.push_back(v), at_.push_back(values_->column[item(v)]);
  if (S_.empty()) return true;
  F_.resize(S_.size());
  double size = values_->diagonal, far = 0;
  for (std::size_t a = 0; a < S_.size(); ++a) {
    const double f = f_[item(S_[a])];
    F_[a] = f - p_->t[S_[a]];
    size = std::max(size, values_->diagonal + std::abs(p_->t[S_[a]])), far = std::max(far, std::abs(f));
  }
  poll();
  if (!equations()) return true;
  bool inside = false;
  if (!to_nearest(inside)) to_bound();
  double left = 0;
  for (const Index v : S_) left = std::max(left, std::abs(f_[item(v)] - p_->t[v] + offset_[group(v)]));
  return inside && left <= 1e-12 * (size + far);
}

// Frees the variable that is held at its bound most wrongly; false if there is none that could be moved.
bool Face::release() {
  Index at = -1;
  const double wrong_enough = 1e-10 * values_->diagonal;
  double worst = wrong_enough;
  for (int g = 0; g < p_->groups; ++g)
    if (std::isnan(offset_[g])) return false;
  missing_.clear();
  for (Index v = 0; v < p_->N; ++v) {
    if (free_[z(v)]) continue;
    const double slope = f_[item(v)] - p_->t[v] + offset_[group(v)];
    const double wrong = std::max(b_[v] < p_->upper[v] ? -slope : 0.0, b_[v] > p_->lower[v] ? slope : 0.0);
    if (wrong <= wrong_enough) continue;
    if (values_->place[item(v)] < 0)
      missing_.push_back(static_cast<Column>(item(v)));
    else if (wrong > worst)
      worst = wrong, at = v;
  }
  if (at >= 0) free_[z(at)] = 1;
  return at >= 0;
}

// What rounding left of the sums goes to the variables with most room.
void Face::settle() {
  for (int g = 0; g < p_->groups; ++g)
    for (int turn = 0; turn < 2; ++turn) {
      const double left = p_->total[g] - sum_of(g);
      double most = 0;
      Index at = -1;
      for (Index v = 0; v < p_->N; ++v) {
        if (group(v) != g || values_->place[item(v)] < 0) continue;
        const double room = std::min(b_[v] - p_->lower[v], p_->upper[v] - b_[v]);
        if (room > most) most = room, at = v;
      }
      if (left != 0 && at >= 0 && std::abs(left) < most) b_[at] += left, shift(at, left);
    }
}

std::vector<Column> Face::polish(const FaceValues& values, const BoxProblem& problem, bool whole, double* b, double* f,
                                 double* offset, Poll poll) {
  missing_.clear();
  values_ = &values, p_ = &problem, b_ = b, f_ = f, offset_ = offset;
  std::fill_n(offset, problem.groups, unknown);
  free_.assign(z(problem.N), 0);
  for (Index v = 0; v < problem.N; ++v)
    free_[z(v)] = b[v] > problem.lower[v] && b[v] < problem.upper[v] && values.place[item(v)] >= 0;
  for (int round = 0; round < rounds; ++round)
    if (step(poll) && !(whole && release())) break;
  settle();
  return missing_;
}

}  // namespace widemargin
