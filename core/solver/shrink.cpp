// Rounds on the items that are still in question.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/shrunk.hpp"

namespace widemargin {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr Index every = 2;   // rounds between two looks at what can be left out
constexpr double far = 0.2;  // beyond the extremes, as a share of the violation

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

// Items whose variables cannot move until the violation has become much larger again. True if they are many.
bool BoxSolver::leave_out(BoxState& s) {
  look(s);
  std::vector<char> stays(z(n_), 0);
  for (Index v = 0; v < p_.N; ++v) {
    const int g = group(v);
    const double F = s.f[item(v)] - p_.t[v], beyond = far * s.figures[0];
    const bool up = s.b[v]<p_.upper[v], down = s.b[v]> p_.lower[v];
    const Extremes& e = extremes_[g];
    if ((up && F <= e.most + beyond) || (down && F >= e.least - beyond)) stays[z(item(v))] = 1;
  }
  Index known = 0, kept = 0;
  for (Index i = 0; i < n_; ++i) {
    known += s.f[i] == s.f[i];
    kept += stays[z(i)];
  }
  if (2 * kept > known || kept < 2) return false;
  if (known == n_ && !part_) measure(s);
  for (Index i = 0; i < n_; ++i)
    if (!stays[z(i)]) s.f[i] = unknown;
  return true;
}

bool BoxSolver::shrinks(BoxState& s, BoxWorkspace& place) {
  if (!o_.shrink || hard_ || 2 * working_ > p_.N || !source_.has_subsets()) return false;
  const bool due = s.counters[0] % every == 0 && s.counters[0] > 0 && s.figures[0] > o_.tol;
  if (due && leave_out(s)) {
    pack(s, place);
    return true;
  }
  if (shrunk_) return true;
  if (std::none_of(s.f, s.f + n_, [](double f) { return f != f; })) return false;
  pack(s, place);
  return true;
}

// The items that are left, as a problem of their own.
void BoxSolver::pack(const BoxState& s, BoxWorkspace& place) {
  const std::unique_ptr<Shrunk> before = std::move(shrunk_);
  shrunk_ = std::make_unique<Shrunk>();
  Shrunk& h = *shrunk_;
  for (Index i = 0; i < n_; ++i)
    if (s.f[i] == s.f[i]) h.items.push_back(static_cast<Column>(i));
  const Index m = static_cast<Index>(h.items.size()), N = m * (p_.N / n_);
  h.source = source_.subset(h.items.data(), m);
  for (Index v = 0; v < N; ++v) {
    const Index w = h.variable(v, n_);
    h.t.push_back(p_.t[w]), h.lower.push_back(p_.lower[w]), h.upper.push_back(p_.upper[w]);
    if (p_.group) h.group.push_back(p_.group[w]);
  }
  h.b.resize(z(N)), h.f.resize(z(m)), h.work.resize(z(o_.working)), h.to.resize(z(p_.N), -1);
  for (Index v = 0; v < N; ++v) h.to[z(h.variable(v, n_))] = static_cast<Column>(v);
  const std::int8_t* group = p_.group ? h.group.data() : nullptr;
  const BoxProblem problem{N, h.t.data(), h.lower.data(), h.upper.data(), group, p_.groups, {p_.total[0], p_.total[1]}};
  BoxOptions options = o_;
  options.shrink = false, options.part = true;
  h.solver = std::make_unique<BoxSolver>(*h.source, problem, options);
  // Where the items of the solver before stand here.
  std::vector<Column> to(h.to.begin(), h.to.begin() + n_);
  if (before) {
    to.resize(before->items.size());
    std::transform(before->items.begin(), before->items.end(), to.begin(), [&](Column i) { return h.to[z(i)]; });
  }
  h.solver->take_over(before ? *before->solver : *this, to, place);
}

// Rounds until it is time to look again at what can be left out.
BoxStop BoxSolver::advance_shrunk(BoxState& s, Index& budget, Poll poll, BoxWorkspace& place) {
  Shrunk& h = *shrunk_;
  const Index N = static_cast<Index>(h.b.size());
  const Index known = static_cast<Index>(h.items.size());
  for (Index v = 0; v < N; ++v) h.b[z(v)] = s.b[h.variable(v, n_)];
  for (Index i = 0; i < known; ++i) h.f[z(i)] = s.f[h.items[z(i)]];
  for (Index a = 0; a < o_.working; ++a) h.work[z(a)] = s.work[a] < 0 ? -1 : h.to[z(s.work[a])];
  BoxState inner{h.b.data(), h.f.data(), h.work.data(), s.counters, s.figures};
  const Index rows = s.counters[2], rounds = std::min(budget, every - s.counters[0] % every);
  h.solver->work_in(place);
  BoxStop stop = BoxStop::budget;
  for (Index k = 0; k < rounds && stop == BoxStop::budget; ++k) stop = h.solver->round(inner, poll);
  budget -= rounds;
  s.counters[2] = rows + (s.counters[2] - rows) * known / n_;
  for (Index v = 0; v < N; ++v) s.b[h.variable(v, n_)] = h.b[z(v)];
  for (Index i = 0; i < known; ++i) s.f[h.items[z(i)]] = h.f[z(i)];
  for (Index a = 0; a < o_.working; ++a)
    s.work[a] = h.work[z(a)] < 0 ? -1 : static_cast<Column>(h.variable(h.work[z(a)], n_));
  return stop;
}

}  // namespace widemargin
