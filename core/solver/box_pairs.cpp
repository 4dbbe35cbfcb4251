#include "solver/box_pairs.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

BoxProblem problem_of(const BoxPairsProblem& all, Index p, Index first) {
  BoxProblem one{
      all.ends[p] - first, all.t + first, all.lower + first, all.upper + first, all.group ? all.group + first : nullptr,
      all.groups,          {0, 0}};
  std::copy_n(all.total + p * all.groups, all.groups, one.total);
  return one;
}

}  // namespace

struct BoxPairs::UnderWay {
  PairSource source;
  BoxSolver solver;
  std::unique_ptr<BoxWorkspace> place;

  UnderWay(const ClassRows& classes, const BoxPairsProblem& all, Index p, Index first, const BoxOptions& options)
      : source(classes, all.of_class[2 * p], all.of_class[2 * p + 1]),
        solver(source, problem_of(all, p, first), options) {}
};

BoxPairs::BoxPairs(const ClassRows& classes, const BoxPairsProblem& problem, double tol, double gap_tol)
    : classes_(classes), p_(problem), tol_(tol), gap_tol_(gap_tol), under_way_(z(problem.pairs)) {
  for (Index p = 0; p < p_.pairs; ++p) work_.push_back(working() + p_.working[p]);
}

BoxPairs::~BoxPairs() = default;

BoxState BoxPairs::state(const BoxPairsState& s, Index p) const {
  return {s.b + first(p), s.f + first(p), s.work + work_[z(p)] - p_.working[p], s.counters + p * counters,
          s.figures + p * (figures + p_.groups)};
}

// With scores, if it has not begun: variables may start anywhere.
std::unique_ptr<BoxPairs::UnderWay> BoxPairs::begun(const BoxPairsState& s, Index p) {
  const BoxOptions options{tol_, gap_tol_, p_.least[p], p_.working[p], p_.most_steps[p], p_.memory[p], 1, false, false};
  auto one = std::make_unique<UnderWay>(classes_, p_, p, first(p), options);
  BoxState mine = state(s, p);
  if (s.stop[p] == 0 && mine.counters[0] == 0) one->solver.rescore(mine, never);
  return one;
}

std::unique_ptr<BoxWorkspace> BoxPairs::workspace() {
  const std::lock_guard lock(mutex_);
  if (unused_.empty()) return std::make_unique<BoxWorkspace>();
  auto place = std::move(unused_.back());
  unused_.pop_back();
  return place;
}

void BoxPairs::advance(const BoxPairsState& s, const std::function<bool()>& over, int threads, Poll poll) {
  std::vector<Index> running;
  for (Index p = 0; p < p_.pairs; ++p)
    if (s.stop[p] == 0) running.push_back(p);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> interrupted{false};
  const auto work = [&](Index k) {
    if (interrupted || over()) return;
    const Index p = running[z(k)];
    std::unique_ptr<UnderWay>& one = under_way_[z(p)];
    try {
      if (!one) one = begun(s, p);
      if (!one->place) one->place = workspace();
      BoxState mine = state(s, p);
      const Poll here = std::this_thread::get_id() == caller ? poll : never;
      while (s.stop[p] == 0 && !interrupted && !over())
        s.stop[p] = static_cast<std::int8_t>(one->solver.advance(mine, 1, here, *one->place));
    } catch (...) {
      interrupted = true;
      throw;
    }
    if (s.stop[p] == 0) return;
    const std::lock_guard lock(mutex_);
    unused_.push_back(std::move(one->place));
    one.reset();
  };
  parallel_for(static_cast<Index>(running.size()), threads, work, poll);
}

void BoxPairs::judge(const BoxPairsState& s, const std::int8_t* which, int threads, Poll poll) {
  std::vector<Index> asked;
  for (Index p = 0; p < p_.pairs; ++p)
    if (which[p]) asked.push_back(p);
  parallel_for(
      static_cast<Index>(asked.size()), threads,
      [&](Index k) {
        const Index p = asked[z(k)];
        const auto fresh = under_way_[z(p)] ? nullptr : begun(s, p);
        BoxState mine = state(s, p);
        (fresh ? *fresh : *under_way_[z(p)]).solver.judge(mine);
      },
      poll);
}

}  // namespace widemargin
