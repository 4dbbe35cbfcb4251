#include "solver/box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "kernel/row_sums.hpp"
#include "solver/shrunk.hpp"

namespace widemargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// Columns of a tile: with the m rows of a round they stay in the cache.
Index tile_width(Index m) { return std::clamp<Index>((Index{1} << 16) / std::max<Index>(m, 1) / 64 * 64, 256, 2048); }

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

BoxSolver::BoxSolver(RowSource& source, const BoxProblem& problem, const BoxOptions& options)
    : source_(source),
      p_(problem),
      o_(options),
      n_(source.n()),
      working_(std::min(options.working, problem.N)),
      store_(n_, n_, options.memory),
      seen_(z(n_), 0),
      in_(z(problem.N), 0),
      up_(z(problem.N)),
      down_(z(problem.N)),
      order_(z(problem.N)) {
  part_ = options.part;
  for (Index v = 0; v < p_.N; ++v) hard_ |= p_.upper[v] - p_.lower[v] == infinite;
  for (Index i = 0; i < n_ && hard_; ++i) longest_ = std::max(longest_, source.diag(i));
}

BoxSolver::~BoxSolver() = default;

template <class Look>
void BoxSolver::each_stretch(const BoxState& s, Look look) const {
  for (Index v = 0, end; v < p_.N; v = end) {
    const Index last = v < n_ ? std::min(n_, p_.N) : p_.N;
    for (end = v + 1; end < last && (!p_.group || p_.group[end] == p_.group[v]);) p_.group ? ++end : end = last;
    look(BoxView{s.b + v, s.f + item(v), p_.t + v, p_.lower + v, p_.upper + v, end - v}, v, group(v));
  }
}

// The violation and, as the bias of the model will be, the mean over the free variables.
void BoxSolver::look(BoxState& s) {
  double worst = 0;
  for (int g = 0; g < p_.groups; ++g) extremes_[g] = {};
  each_stretch(s, [&](const BoxView& view, Index, int g) { extremes_[g].join(extremes(view)); });
  for (int g = 0; g < p_.groups; ++g) {
    const Extremes& e = extremes_[g];
    if (e.least < infinite && e.most > -infinite) worst = std::max(worst, e.most - e.least);
    s.figures[4 + g] = e.bias();
  }
  s.figures[0] = worst;
}

void BoxSolver::measure(BoxState& s) {
  double bKb = 0, tb = 0, loss = 0, gap = 0, least = infinite;
  bool whole = !part_;
  for (Index v = 0; v < p_.N; ++v) {
    const double f = s.f[item(v)], r = p_.t[v] - f - s.figures[4 + group(v)];
    if (f != f) {
      whole = false;
      continue;
    }
    bKb += s.b[v] * f;
    tb += s.b[v] * p_.t[v];
    least = std::min(least, p_.t[v] * (f + s.figures[4 + group(v)]));
    if (hard_) continue;
    const double bound = r > 0 ? p_.upper[v] : p_.lower[v];
    if (bound != 0) loss += bound * r;
    if (bound != s.b[v]) gap += (bound - s.b[v]) * r;
  }
  for (int g = 0; g < p_.groups; ++g) loss += s.figures[4 + g] * p_.total[g];
  const double D = whole ? tb - bKb / 2 : s.figures[3];
  const double P = !whole ? D + gap : !hard_ ? bKb / 2 + loss : least > 0 ? bKb / (2 * least * least) : infinite;
  s.figures[1] = P == infinite ? infinite : (P - D) / std::max({std::abs(P), std::abs(D), o_.least});
  s.figures[2] = P, s.figures[3] = D;
}

// An optimum of 0, bounds too far apart, or kernel values of float32 can leave what no step makes smaller.
bool BoxSolver::no_progress(BoxState& s) const {
  double &violation = s.figures[4 + p_.groups], &gap = s.figures[5 + p_.groups];
  if (violation == 0 || s.figures[0] < violation / 2) violation = s.figures[0], s.counters[4] = s.counters[1];
  if (s.figures[0] > o_.tol) return s.counters[1] - s.counters[4] > 1000000 + 100 * p_.N;
  if (s.figures[1] == infinite) return false;
  if (gap == 0 || s.figures[1] < gap / 2) gap = s.figures[1], s.counters[3] = 0;
  return ++s.counters[3] > 64 + p_.N / 8;
}

bool BoxSolver::no_margin(const BoxState& s) const {
  double bKb = 0, sum = 0;
  for (Index v = 0; v < p_.N; ++v) bKb += s.b[v] * s.f[item(v)], sum += std::abs(s.b[v]);
  return sum > 0 && bKb < 1e-10 * longest_ * sum * sum;
}

// Of the last working set first those inside their box, then the others, at most half of a new one.
void BoxSolver::keep_some(const BoxState& s) {
  const Index most = working_ / 2;
  for (const bool inside : {true, false})
    for (Index a = 0; a < working_ && static_cast<Index>(chosen_.size()) < most; ++a) {
      const Column v = s.work[a];
      if (v < 0 || in_[z(v)] || inside != (s.b[v] > p_.lower[v] && s.b[v] < p_.upper[v])) continue;
      in_[z(v)] = 1;
      chosen_.push_back(v);
    }
  for (const Column v : chosen_) in_[z(v)] = 0;
}

void BoxSolver::take_worst(const BoxState& s, int g, std::vector<std::uint16_t>& keys, double sign, Index most) {
  for (const Column v : chosen_) keys[z(v)] = bins;
  const Index found = candidates(keys.data(), p_.N, order_.data());
  std::uint32_t count[bins] = {};
  for (Index a = 0; a < found; ++a) count[keys[z(order_[z(a)])]] += group(order_[z(a)]) == g;
  Index limit = 0;
  for (Index seen = count[0]; seen < most && limit + 1 < bins; seen += count[++limit]) continue;
  worst_.clear();
  for (Index a = 0; a < found; ++a) {
    const Column v = order_[z(a)];
    if (keys[z(v)] <= limit && group(v) == g) worst_.push_back({sign * (s.f[item(v)] - p_.t[v]), v});
  }
  most = std::min(most, static_cast<Index>(worst_.size()));
  if (most < static_cast<Index>(worst_.size()))
    std::nth_element(worst_.begin(), worst_.begin() + most, worst_.end(), [](const Side& a, const Side& b) {
      return a.value < b.value || (a.value == b.value && a.at < b.at);
    });
  for (Index a = 0; a < most; ++a) chosen_.push_back(worst_[z(a)].at);
}

// All that violate, if they are few enough: then nothing else is in question. Otherwise the worst, and some of those
// before them.
void BoxSolver::choose(BoxState& s) {
  chosen_.clear();
  Index violating = p_.N;
  if (working_ < p_.N) {
    violating = 0;
    each_stretch(s, [&](const BoxView& view, Index first, int g) {
      violating += violations(view, extremes_[g], up_.data() + first, down_.data() + first);
    });
  }
  all_ = violating <= working_;
  if (all_) {
    const bool every = working_ == p_.N;  // half of a tiny set could leave no pair to move
    for (Index v = 0; v < p_.N; ++v)
      if (every || std::min(up_[z(v)], down_[z(v)]) < bins) chosen_.push_back(static_cast<Column>(v));
  } else {
    keep_some(s);
    for (int g = 0; g < p_.groups; ++g) {
      const Index room = (working_ - static_cast<Index>(chosen_.size())) / (p_.groups - g);
      take_worst(s, g, up_, 1, room / 2);
      take_worst(s, g, down_, -1, room - room / 2);
    }
  }
  std::fill_n(s.work, o_.working, -1);
  // The newest first: they are kept before older ones.
  std::reverse_copy(chosen_.begin(), chosen_.end(), s.work);
  const auto before = [&](Column a, Column b) { return group(a) != group(b) ? group(a) < group(b) : a < b; };
  if (!std::is_sorted(chosen_.begin(), chosen_.end(), before)) std::sort(chosen_.begin(), chosen_.end(), before);
}

// The violation to end a small problem with. What all that is in question can reach at once is done at once: the gap
// falls as the violation does.
double BoxSolver::close_enough(BoxState& s) {
  constexpr double usual = 0.1, closest = 10 * PairAscent::finest;
  const double violation = s.figures[0];
  if (working_ == p_.N && violation > o_.tol) return 0.9 * o_.tol;
  if (!all_) return usual * violation;
  if (violation > o_.tol) measure(s);
  return violation * std::clamp(0.5 * o_.gap_tol / s.figures[1], closest, usual);
}

Index BoxSolver::solve_chosen(BoxState& s) {
  ascent_->begin();
  items_.clear();
  for (std::size_t a = 0; a < chosen_.size(); ++a) {
    const Index v = chosen_[a], i = item(v);
    ascent_->add(s.b[v], p_.lower[v], p_.upper[v], s.f[i] - p_.t[v], source_.diag(i));
    items_.push_back(static_cast<Column>(i));
    if (a + 1 == chosen_.size() || group(v) != group(chosen_[a + 1])) {
      ascent_->end_group();
      items_.resize(z(ascent_->places()), static_cast<Column>(i));
    }
  }
  source_.square(items_.data(), static_cast<Index>(items_.size()), ascent_->K(), ascent_->stride(), o_.threads);
  const Index steps = ascent_->run(close_enough(s), std::min(16 * working_ + 1000, o_.most_steps - s.counters[1]));
  s.counters[1] += steps;
  changed_.clear();
  moved_.clear();
  step_.clear();
  for (std::size_t a = 0; a < chosen_.size(); ++a) {
    const Column v = chosen_[a];
    const double now = ascent_->beta(static_cast<Index>(a)), change = now - s.b[v];
    if (change == 0) continue;
    s.b[v] = now;
    moved_.push_back(v);
    changed_.push_back(static_cast<Column>(item(v)));
    step_.push_back(change);
  }
  return steps;
}

// Rows are added in the order of I whether they were kept or not, so that the sums do not depend on memory.
void BoxSolver::add_rows(BoxState& s, const Column* I, const double* step, Index m, Poll poll) {
  fresh_.clear();
  row_.resize(z(m));
  store_.turn();
  for (Index a = 0; a < m; ++a)
    if (!(row_[z(a)] = const_cast<float*>(source_.whole_row(I[a]))) && !(row_[z(a)] = store_.find(I[a])))
      fresh_.push_back(static_cast<Column>(a));
  const Index n_fresh = static_cast<Index>(fresh_.size());
  items_.clear();
  for (const Column a : fresh_) {
    const Index i = I[a];
    // Most variables go to their bound once and stay there: a row is worth its memory from the second time on.
    if (seen_[z(i)] || inside(s, i)) row_[z(a)] = store_.place(i);
    // Fresh pages are dear: all of a round at once would keep Ctrl-C waiting.
    if (row_[z(a)]) row_[z(a)][0] = 0, poll();
    seen_[z(i)] = 1;
    items_.push_back(I[a]);
  }
  s.counters[2] += n_fresh;
  source_.gather(items_.data(), n_fresh);
  const Index chunk = n_fresh > 0 ? tile_width(m) : 2048;
  const auto add = [&](Index begin, Index end) {
    constexpr Index panel = RowSource::panel;
    thread_local std::vector<float> values;
    thread_local std::vector<const float*> at;
    thread_local std::vector<float*> to;  // of the rows that are computed; null: these values are there
    at.resize(z(m));
    to.resize(z(n_fresh));
    Index homeless = 0;
    for (const Column a : fresh_) homeless += row_[z(a)] == nullptr;
    if (static_cast<Index>(values.size()) < homeless * chunk) values.resize(z(homeless * chunk));
    for (Index a = m - 1, k = n_fresh - 1; a >= 0; --a) {
      const float* there = source_.row(I[a], begin);
      float* here = row_[z(a)] ? row_[z(a)] + begin : values.data() + --homeless * chunk;
      if (k >= 0 && fresh_[z(k)] == a) to[z(k--)] = there ? nullptr : here;
      at[z(a)] = there ? there : here;
    }
    for (Index a = 0; a < n_fresh; a += panel) source_.tile(a / panel, begin, end - begin, to.data() + a);
    accumulate_fast(at.data(), step, m, end - begin, s.f + begin);
  };
  parallel_blocks(
      n_, chunk, o_.threads,
      [&](Index begin, Index end) {
        for (Index last; begin < end; begin = last) add(begin, last = std::min(end, source_.part_end(begin)));
      },
      poll);
}

bool BoxSolver::inside(const BoxState& s, Index i) const {
  for (Index v = i; v < p_.N; v += n_)
    if (s.b[v] > p_.lower[v] && s.b[v] < p_.upper[v]) return true;
  return false;
}

void BoxSolver::work_in(BoxWorkspace& place) {
  if (place.last == this && ascent_ == place.ascent.get()) return;  // it may have worked elsewhere since
  store_.use(place.rows);
  std::fill(seen_.begin(), seen_.end(), 0);
  if (!place.ascent || place.ascent->most() < working_) place.ascent = std::make_unique<PairAscent>(working_);
  ascent_ = place.ascent.get();
  place.last = this;
}

void BoxSolver::take_over(const BoxSolver& other, const std::vector<Column>& to, BoxWorkspace& place) {
  if (place.last != &other || other.ascent_ != place.ascent.get()) return;  // somebody else has worked there since
  store_.inherit(other.store_, to);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] >= 0) seen_[z(to[i])] = other.seen_[i];
  ascent_ = other.ascent_;
  place.last = this;
}

void BoxSolver::rescore(BoxState& s, Poll poll) {
  std::fill_n(s.f, n_, 0.0);
  shift(s, s.b, poll);
}

void BoxSolver::shift(BoxState& s, const double* change, Poll poll) {
  work_in(own_);
  std::vector<Column> I;
  std::vector<double> step;
  for (Index v = 0; v < p_.N; ++v)
    if (change[v] != 0) I.push_back(static_cast<Column>(item(v))), step.push_back(change[v]);
  for (std::size_t a = 0; a < I.size(); a += 512)
    add_rows(s, I.data() + a, step.data() + a, std::min<Index>(512, static_cast<Index>(I.size() - a)), poll);
}

void BoxSolver::judge(BoxState& s) {
  look(s);
  measure(s);
}

// D of b + d is D - (F before + F after)'d / 2.
void BoxSolver::add_rows(BoxState& s, Poll poll) {
  const auto slope = [&] {
    double sum = 0;
    for (std::size_t a = 0; a < moved_.size(); ++a) sum += (s.f[changed_[a]] - p_.t[moved_[a]]) * step_[a];
    return sum;
  };
  const double before = slope();
  add_rows(s, changed_.data(), step_.data(), static_cast<Index>(changed_.size()), poll);
  s.figures[3] -= (before + slope()) / 2;
}

BoxStop BoxSolver::round(BoxState& s, Poll poll) {
  look(s);
  if (s.figures[0] <= o_.tol) {
    measure(s);
    if (s.figures[1] <= o_.gap_tol) return BoxStop::converged;
  }
  if (no_progress(s)) return BoxStop::stalled;
  if (s.counters[1] >= o_.most_steps) return BoxStop::steps;
  if (hard_ && no_margin(s)) return BoxStop::unbounded;
  choose(s);
  if (solve_chosen(s) == 0) return BoxStop::stalled;
  add_rows(s, poll);
  ++s.counters[0];
  poll();
  return BoxStop::budget;
}

BoxStop BoxSolver::advance(BoxState& s, Index budget, Poll poll, BoxWorkspace& place) {
  while (budget > 0) {
    BoxStop stop;
    if (shrinks(s, place)) {
      stop = advance_shrunk(s, budget, poll, place);
    } else {
      work_in(place);
      stop = round(s, poll);
      --budget;
    }
    if (stop != BoxStop::budget) return stop;
  }
  return BoxStop::budget;
}

}  // namespace widemargin
