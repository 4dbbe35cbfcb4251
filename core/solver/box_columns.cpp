#include "solver/box_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "kernel/row_sums.hpp"
#include "solver/box_scan.hpp"

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Index chunk = 512;  // columns of a tile

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#define AVX2 __attribute__((target("avx2")))
#define INLINE inline __attribute__((always_inline))
#else
#define INLINE inline
#endif

// worth = max(worth, violation as a share of the column's + 1/2): 1 for the worst of either side.
INLINE void add_worth(const BoxView& v, double bias, double share, double* worth) {
  for (Index i = 0; i < v.n; ++i) {
    const double F = (v.f[i] - v.t[i] + bias) * share;
    const double up = v.b[i] < v.upper[i] ? 0.5 - F : 0.0, down = v.b[i] > v.lower[i] ? 0.5 + F : 0.0;
    const double more = up > down ? up : down;
    worth[i] = more > worth[i] ? more : worth[i];
  }
}

#ifdef WIDEMARGIN_X86
AVX2 void avx2_worth(const BoxView& v, double bias, double share, double* worth) { add_worth(v, bias, share, worth); }
#endif

void weigh_column(const BoxView& v, double bias, double share, double* worth) {
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_worth(v, bias, share, worth);
#endif
  add_worth(v, bias, share, worth);
}

}  // namespace

BoxColumns::BoxColumns(RowSource& source, const ColumnsProblem& problem, const ColumnsOptions& options)
    : source_(source),
      p_(problem),
      o_(options),
      n_(source.n()),
      working_(std::min(options.working, source.n())),
      store_(n_, n_, options.memory),
      in_(z(n_), 0),
      seen_(z(n_), 0),
      worth_(z(n_)) {
  store_.use(memory_);
  const Index several = o_.threads > 1 ? p_.columns : 1;
  for (Index c = 0; c < several; ++c) ascent_.push_back(std::make_unique<PairAscent>(working_));
}

void BoxColumns::look(ColumnsState& s, Index c) const {
  const Index at = c * n_;
  const Extremes e = extremes({s.b + at, s.f + at, p_.t, p_.lower + at, p_.upper + at, n_});
  double* figures = s.figures + c * ColumnsState::a_column;
  figures[0] = e.least < infinite && e.most > -infinite ? std::max(0.0, e.most - e.least) : 0.0;
  figures[4] = e.middle();
}

// P of the multiple of the machine that has the least: near a hard margin many scores fall short of 1 by a little, and
// C times that is much.
double BoxColumns::least_primal(const ColumnsState& s, Index c, double bKb) const {
  const double *f = s.f + c * n_, *lower = p_.lower + c * n_, *upper = p_.upper + c * n_;
  const double bias = s.figures[c * ColumnsState::a_column + 4];
  const auto loss = [&](double scale, double& slope) {
    double sum = 0, of_margins = 0;
    for (Index i = 0; i < n_; ++i) {
      const double m = p_.t[i] * (f[i] + bias), short_of = 1 - scale * m;
      const double bound = short_of > 0 ? upper[i] - lower[i] : 0.0;  // one of the two is 0
      sum += bound * short_of;
      of_margins += bound * m;
    }
    slope = scale * bKb - of_margins;
    return scale * scale * bKb / 2 + sum;
  };
  double slope, P = loss(1, slope), low = 0, high = 1e-6;
  if (slope >= 0) return P;
  for (; high < 0.5; low = high, high *= 4) {
    P = std::min(P, loss(1 + high, slope));
    if (slope >= 0) break;
  }
  for (int turn = 0; turn < 3; ++turn) {
    const double middle = (low + high) / 2;
    P = std::min(P, loss(1 + middle, slope));
    (slope < 0 ? low : high) = middle;
  }
  return P;
}

void BoxColumns::measure(ColumnsState& s, Index c) const {
  const double *b = s.b + c * n_, *f = s.f + c * n_;
  double* figures = s.figures + c * ColumnsState::a_column;
  double bKb = 0, tb = 0;
  for (Index i = 0; i < n_; ++i) {
    bKb += b[i] * f[i];
    tb += b[i] * p_.t[i];
  }
  const double P = least_primal(s, c, bKb), D = tb - bKb / 2;
  figures[1] = (P - D) / std::max({std::abs(P), std::abs(D), o_.least});
  figures[2] = P, figures[3] = D;
}

void BoxColumns::judge(ColumnsState& s, Index c) const {
  look(s, c);
  measure(s, c);
}

bool BoxColumns::good(ColumnsState& s, Index c) const {
  const double* figures = s.figures + c * ColumnsState::a_column;
  if (figures[0] > o_.tol) return false;
  measure(s, c);
  return figures[1] <= o_.gap_tol;
}

void BoxColumns::find_running(ColumnsState& s) {
  running_.clear();
  for (Index c = 0; c < p_.columns; ++c) {
    std::int64_t* own = s.counters + ColumnsState::shared + c * ColumnsState::own;
    if (own[1] != static_cast<int>(ColumnStop::running)) continue;
    look(s, c);
    // The gap falls slowly and takes as long to tell as a round's selection.
    if (s.counters[0] % 4 == 0 && good(s, c))
      own[1] = static_cast<int>(ColumnStop::converged);
    else if (own[0] >= o_.most_steps)
      own[1] = static_cast<int>(good(s, c) ? ColumnStop::converged : ColumnStop::steps);
    else
      running_.push_back(c);
  }
}

void BoxColumns::weigh(const ColumnsState& s) {
  std::fill(worth_.begin(), worth_.end(), 0.0);
  for (const Index c : running_) {
    const Index at = c * n_;
    const double* figures = s.figures + c * ColumnsState::a_column;
    weigh_column({s.b + at, s.f + at, p_.t, p_.lower + at, p_.upper + at, n_}, figures[4],
                 1 / std::max(figures[0], 1e-300), worth_.data());
  }
}

// Of the last working set first those inside their box in some column, then the others, at most half of a new one.
void BoxColumns::keep_some(const ColumnsState& s) {
  const Index most = working_ / 2;
  const auto inside = [&](Index i) {
    return std::any_of(running_.begin(), running_.end(), [&](Index c) {
      const Index at = c * n_ + i;
      return s.b[at] > p_.lower[at] && s.b[at] < p_.upper[at];
    });
  };
  for (const bool wanted : {true, false})
    for (Index a = 0; a < working_ && static_cast<Index>(chosen_.size()) < most; ++a) {
      const Column i = s.work[a];
      if (i < 0 || in_[z(i)] || inside(i) != wanted) continue;
      in_[z(i)] = 1;
      chosen_.push_back(i);
    }
}

// The pair that violates most in each column: without it a column could seem to have nothing left to move.
void BoxColumns::take_extremes(const ColumnsState& s) {
  for (const Index c : running_) {
    const double *b = s.b + c * n_, *f = s.f + c * n_, *lower = p_.lower + c * n_, *upper = p_.upper + c * n_;
    double least = infinite, most = -infinite;
    Index up = -1, down = -1;
    for (Index i = 0; i < n_; ++i) {
      const double F = f[i] - p_.t[i];
      if (b[i] < upper[i] && F < least) least = F, up = i;
      if (b[i] > lower[i] && F > most) most = F, down = i;
    }
    for (const Index i : {up, down}) {
      if (i < 0 || in_[z(i)] || static_cast<Index>(chosen_.size()) >= working_) continue;
      in_[z(i)] = 1;
      chosen_.push_back(static_cast<Column>(i));
    }
  }
}

void BoxColumns::choose(ColumnsState& s) {
  chosen_.clear();
  take_extremes(s);
  keep_some(s);
  weigh(s);
  order_.clear();
  for (Index i = 0; i < n_; ++i)
    if (!in_[z(i)] && worth_[z(i)] > 0) order_.push_back({worth_[z(i)], static_cast<Column>(i)});
  const Index room = std::min(working_ - static_cast<Index>(chosen_.size()), static_cast<Index>(order_.size()));
  const auto before = [](const Worth& a, const Worth& b) {
    return a.value > b.value || (a.value == b.value && a.at < b.at);
  };
  if (room < static_cast<Index>(order_.size()))
    std::nth_element(order_.begin(), order_.begin() + room, order_.end(), before);
  std::sort(order_.begin(), order_.begin() + room, before);
  for (Index a = 0; a < room; ++a) chosen_.push_back(order_[z(a)].at);
  for (const Column i : chosen_) in_[z(i)] = 0;
  std::fill_n(s.work, o_.working, -1);
  // The newest first: they are kept before older ones.
  std::reverse_copy(chosen_.begin(), chosen_.end(), s.work);
  std::sort(chosen_.begin(), chosen_.end());
}

void BoxColumns::solve_column(ColumnsState& s, Index c, PairAscent& ascent) {
  const double *f = s.f + c * n_, *lower = p_.lower + c * n_, *upper = p_.upper + c * n_;
  double* b = s.b + c * n_;
  std::int64_t* own = s.counters + ColumnsState::shared + c * ColumnsState::own;
  const double violation = s.figures[c * ColumnsState::a_column];
  ascent.begin();
  for (const Column i : chosen_) ascent.add(b[i], lower[i], upper[i], f[i] - p_.t[i], source_.diag(i));
  ascent.end_group();
  const double epsilon = working_ == n_ && violation > o_.tol ? 0.9 * o_.tol : 0.1 * violation;
  const Index steps = ascent.run(epsilon, std::min<Index>(16 * working_ + 1000, o_.most_steps - own[0]));
  own[0] += steps;
  if (steps == 0) own[1] = static_cast<int>(good(s, c) ? ColumnStop::converged : ColumnStop::stalled);
  for (std::size_t a = 0; a < chosen_.size(); ++a) {
    const double now = ascent.beta(static_cast<Index>(a));
    step_[a * z(p_.columns) + z(c)] = static_cast<float>(now - b[chosen_[a]]);
    b[chosen_[a]] = now;
  }
}

void BoxColumns::solve_chosen(ColumnsState& s) {
  step_.assign(chosen_.size() * z(p_.columns), 0.0f);
  items_ = chosen_;
  while (items_.size() % PairAscent::lanes != 0) items_.push_back(chosen_.back());  // as places do
  const Index m = static_cast<Index>(items_.size()), stride = ascent_[0]->stride();
  source_.square(items_.data(), m, ascent_[0]->K(), stride, o_.threads);
  if (ascent_.size() == 1) {
    for (const Index c : running_) solve_column(s, c, *ascent_[0]);
    return;
  }
  parallel_for(static_cast<Index>(running_.size()), o_.threads, [&](Index k) {
    if (k > 0) std::copy_n(ascent_[0]->K(), m * stride, ascent_[z(k)]->K());
    solve_column(s, running_[z(k)], *ascent_[z(k)]);
  });
}

// Rows are added in the order of I whether they were kept or not, so that the sums do not depend on memory.
void BoxColumns::add_rows(ColumnsState& s, const Column* I, const float* step, Index m, Poll poll) {
  fresh_.clear();
  row_.resize(z(m));
  store_.turn();
  for (Index a = 0; a < m; ++a)
    if (!(row_[z(a)] = const_cast<float*>(source_.whole_row(I[a]))) && !(row_[z(a)] = store_.find(I[a])))
      fresh_.push_back(static_cast<Column>(a));
  const Index n_fresh = static_cast<Index>(fresh_.size());
  items_.clear();
  for (const Column a : fresh_) {
    if (seen_[z(I[a])]) row_[z(a)] = store_.place(I[a]);  // worth its memory from the second time on
    seen_[z(I[a])] = 1;
    items_.push_back(I[a]);
  }
  s.counters[1] += n_fresh;
  source_.gather(items_.data(), n_fresh);
  parallel_blocks(
      n_, chunk, o_.threads,
      [&](Index begin, Index end) {
        constexpr Index panel = RowSource::panel;
        thread_local std::vector<float> values;
        thread_local std::vector<float*> at;
        thread_local std::vector<double*> f;
        at.resize(z(m));
        Index homeless = 0;
        for (const Column a : fresh_) homeless += row_[z(a)] == nullptr;
        if (static_cast<Index>(values.size()) < homeless * chunk) values.resize(z(homeless * chunk));
        for (Index a = m - 1; a >= 0; --a)
          at[z(a)] = row_[z(a)] ? row_[z(a)] + begin : values.data() + --homeless * chunk;
        for (Index a = 0; a < n_fresh; a += panel) {
          float* out[panel];
          for (Index e = 0; e < std::min(panel, n_fresh - a); ++e) out[e] = at[z(fresh_[z(a + e)])];
          source_.tile(a / panel, begin, end - begin, out);
        }
        f.clear();
        for (Index c = 0; c < p_.columns; ++c) f.push_back(s.f + c * n_ + begin);
        accumulate_columns(at.data(), step, m, p_.columns, end - begin, f.data());
      },
      poll);
}

void BoxColumns::shift(ColumnsState& s, const double* change, Poll poll) {
  constexpr Index together = 512;
  std::vector<Column> I;
  std::vector<float> step;
  const auto flush = [&] {
    add_rows(s, I.data(), step.data(), static_cast<Index>(I.size()), poll);
    I.clear(), step.clear();
  };
  for (Index i = 0; i < n_; ++i) {
    bool any = false;
    for (Index c = 0; c < p_.columns; ++c) any |= change[c * n_ + i] != 0;
    if (!any) continue;
    I.push_back(static_cast<Column>(i));
    for (Index c = 0; c < p_.columns; ++c) step.push_back(static_cast<float>(change[c * n_ + i]));
    if (static_cast<Index>(I.size()) == together) flush();
  }
  if (!I.empty()) flush();
}

bool BoxColumns::advance(ColumnsState& s, Index budget, Poll poll) {
  for (;; --budget) {
    find_running(s);
    if (running_.empty()) return true;
    if (budget <= 0) return false;
    choose(s);
    if (chosen_.empty()) {  // nothing can move
      for (const Index c : running_)
        s.counters[ColumnsState::shared + c * ColumnsState::own + 1] =
            static_cast<int>(good(s, c) ? ColumnStop::converged : ColumnStop::stalled);
      return true;
    }
    solve_chosen(s);
    // Only rows of items that have moved somewhere.
    Index moved = 0;
    const Index k = p_.columns;
    for (Index a = 0; a < static_cast<Index>(chosen_.size()); ++a) {
      if (!std::any_of(step_.begin() + a * k, step_.begin() + (a + 1) * k, [](float x) { return x != 0; })) continue;
      chosen_[z(moved)] = chosen_[z(a)];
      std::copy_n(step_.begin() + a * k, k, step_.begin() + moved * k);
      ++moved;
    }
    add_rows(s, chosen_.data(), step_.data(), moved, poll);
    ++s.counters[0];
    poll();
  }
}

}  // namespace widemargin
