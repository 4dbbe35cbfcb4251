#include "solver/box_pairs.hpp"

#include <chrono>

#include "arrays.hpp"
#include "base/error.hpp"
#include "bound_classes.hpp"

namespace widemargin {
namespace {

struct BoundPairs {
  std::vector<nb::object> owners;
  BoxPairsProblem problem;
  std::unique_ptr<BoxPairs> solver;
};

void check_pairs(const ClassRows& classes, const BoxPairsProblem& p) {
  Index first = 0;
  for (Index q = 0; q < p.pairs; first = p.ends[q++]) {
    Index n = 0;
    for (int side : {0, 1}) {
      const Index c = p.of_class[2 * q + side];
      if (c < 0 || c >= classes.size()) fail("a class that is not there");
      n += classes.rows(c).n();
    }
    if (p.of_class[2 * q] == p.of_class[2 * q + 1]) fail("a pair needs two classes");
    if (p.ends[q] != first + n || n > 0x7fffffff) fail("one variable an item of both classes is needed");
    if (p.working[q] < 2 || p.working[q] > (1 << 14)) fail("the working set must have 2 to 16384 variables");
    if (p.memory[q] < 0 || p.most_steps[q] < 0) fail("memory and steps must not be negative");
  }
  for (Index v = 0; v < first; ++v)
    if (!(p.lower[v] <= 0 && p.upper[v] >= 0 && p.t[v] - p.t[v] == 0))
      fail("a box must hold 0, and its term be finite");
  for (Index v = 0; v < first && p.group; ++v)
    if (p.group[v] < 0 || p.group[v] >= p.groups) fail("a variable is of no group");
}

BoundPairs make(nb::object classes, In<Column> of_class, In<Index> ends, In<double> t, In<double> lower,
                In<double> upper, In<std::int8_t> group, In<double> total, In<double> least, In<Index> working,
                In<Index> most_steps, In<Index> memory, double tol, double gap_tol) {
  const ClassRows& rows = *nb::cast<const BoundClasses&>(classes).classes;
  const Index pairs = static_cast<Index>(ends.shape(0));
  const std::size_t N = pairs > 0 ? static_cast<std::size_t>(std::max<Index>(ends.data()[pairs - 1], 0)) : 0;
  for (const std::size_t size : {least.shape(0), working.shape(0), most_steps.shape(0), memory.shape(0)})
    if (size != ends.shape(0)) fail("one figure a pair is needed");
  if (of_class.shape(0) != 2 * ends.shape(0)) fail("two classes a pair are needed");
  if (t.shape(0) != N || lower.shape(0) != N || upper.shape(0) != N) fail("one box a variable is needed");
  if (group.shape(0) != 0 && group.shape(0) != N) fail("one group a variable is needed");
  const std::size_t groups = pairs > 0 ? total.shape(0) / ends.shape(0) : 1;
  if (groups < 1 || groups > 2 || total.shape(0) != groups * ends.shape(0)) fail("one or two groups are possible");
  const BoxPairsProblem problem{pairs,
                                of_class.data(),
                                ends.data(),
                                t.data(),
                                lower.data(),
                                upper.data(),
                                group.shape(0) ? group.data() : nullptr,
                                static_cast<int>(groups),
                                total.data(),
                                least.data(),
                                working.data(),
                                most_steps.data(),
                                memory.data()};
  check_pairs(rows, problem);
  std::vector<nb::object> owners{classes};
  for (const auto& array : {t, lower, upper, total, least}) owners.push_back(nb::cast(array));
  for (const auto& array : {ends, working, most_steps, memory}) owners.push_back(nb::cast(array));
  owners.push_back(nb::cast(of_class)), owners.push_back(nb::cast(group));
  return {std::move(owners), problem, std::make_unique<BoxPairs>(rows, problem, tol, gap_tol)};
}

BoxPairsState state_of(const BoundPairs& self, InOut<double>& b, InOut<double>& f, InOut<Column>& work,
                       InOut<std::int64_t>& counters, InOut<double>& figures, InOut<std::int8_t>& stop) {
  const BoxPairsProblem& p = self.problem;
  const auto is = [](std::size_t size, Index wanted) { return static_cast<Index>(size) == wanted; };
  if (!is(b.shape(0), self.solver->variables()) || !is(f.shape(0), self.solver->variables()) ||
      !is(work.shape(0), self.solver->working()) || !is(counters.shape(0), BoxPairs::counters * p.pairs) ||
      !is(figures.shape(0), (BoxPairs::figures + p.groups) * p.pairs) || !is(stop.shape(0), p.pairs))
    fail("the state does not belong to this problem");
  const Column* at = work.data();
  for (Index q = 0, first = 0; q < p.pairs; first = p.ends[q++])
    for (const Column* end = at + p.working[q]; at < end; ++at)
      if (*at < -1 || *at >= p.ends[q] - first) fail("the state does not belong to this problem");
  for (Index q = 0; q < p.pairs; ++q)
    check_counters(counters.data() + q * BoxPairs::counters, BoxPairs::counters, std::int64_t{1} << 60);
  return {b.data(), f.data(), work.data(), counters.data(), figures.data(), stop.data()};
}

// For about so many seconds; returns how many pairs have not ended.
Index advance(BoundPairs& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
              InOut<double> figures, InOut<std::int8_t> stop, double seconds, int threads) {
  if (!(seconds >= 0 && seconds <= 1e6)) fail("seconds must be from 0 to 1e6");
  const BoxPairsState state = state_of(self, b, f, work, counters, figures, stop);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  nb::gil_scoped_release free;
  self.solver->advance(state, [end] { return Clock::now() >= end; }, threads, poll_signals);
  return std::count(state.stop, state.stop + self.problem.pairs, 0);
}

void judge(BoundPairs& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
           InOut<double> figures, InOut<std::int8_t> stop, In<std::int8_t> which, int threads) {
  const BoxPairsState state = state_of(self, b, f, work, counters, figures, stop);
  if (static_cast<Index>(which.shape(0)) != self.problem.pairs) fail("one figure a pair is needed");
  nb::gil_scoped_release free;
  self.solver->judge(state, which.data(), threads, poll_signals);
}

}  // namespace

void bind_box_pairs(nb::module_& m) {
  nb::class_<BoundPairs>(m, "BoxPairs", "The box problems of all pairs of classes, side by side.")
      .def("advance", &advance, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "stop"_a.noconvert(), "seconds"_a, "threads"_a,
           "stop[p]: 0 under way, 1 converged, 2 stalled, 3 all steps made -> how many are under way.")
      .def("judge", &judge, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "stop"_a.noconvert(), "which"_a.noconvert(), "threads"_a,
           "Violation, gap and biases of some pairs.");
  m.def("box_pairs", &make, "classes"_a, "of_class"_a.noconvert(), "ends"_a.noconvert(), "t"_a.noconvert(),
        "lower"_a.noconvert(), "upper"_a.noconvert(), "group"_a.noconvert(), "total"_a.noconvert(),
        "least"_a.noconvert(), "working"_a.noconvert(), "most_steps"_a.noconvert(), "memory"_a.noconvert(), "tol"_a,
        "gap_tol"_a);
}

}  // namespace widemargin
