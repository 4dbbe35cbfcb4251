#include "solver/box.hpp"

#include <memory>

#include "arrays.hpp"
#include "base/error.hpp"
#include "bound_kernel.hpp"
#include "kernel/native_source.hpp"

namespace widemargin {
namespace {

struct BoundBox {
  std::vector<nb::object> owners;
  std::unique_ptr<RowSource> source;
  std::unique_ptr<BoxSolver> solver;
  Index n, N, working;
  int groups;
};

BoundBox make(nb::object object, In<double> t, In<double> lower, In<double> upper, In<std::int8_t> group,
              std::vector<double> total, double tol, double gap_tol, double least, Index working, Index memory,
              int threads) {
  const BoundKernelRows& rows = nb::cast<const BoundKernelRows&>(object);
  const Index n = rows.rows->n(), N = static_cast<Index>(t.shape(0));
  if (N != n && N != 2 * n) fail("one or two variables an item are needed");
  if (static_cast<Index>(lower.shape(0)) != N || static_cast<Index>(upper.shape(0)) != N)
    fail("one box a variable is needed");
  if (group.shape(0) != 0 && static_cast<Index>(group.shape(0)) != N) fail("one group a variable is needed");
  if (total.empty() || total.size() > 2) fail("one or two groups are possible");
  for (std::size_t v = 0; v < group.shape(0); ++v)
    if (group.data()[v] < 0 || group.data()[v] >= static_cast<int>(total.size())) fail("a variable is of no group");
  if (working < 2 || working > (1 << 14)) fail("the working set must have 2 to 16384 variables");
  if (memory < 0) fail("memory must not be negative");
  BoxProblem problem{N,
                     t.data(),
                     lower.data(),
                     upper.data(),
                     group.shape(0) ? group.data() : nullptr,
                     static_cast<int>(total.size()),
                     {0, 0}};
  std::copy(total.begin(), total.end(), problem.total);
  auto source = std::make_unique<NativeSource>(*rows.rows);
  auto solver =
      std::make_unique<BoxSolver>(*source, problem, BoxOptions{tol, gap_tol, least, working, memory, threads});
  return {{object, nb::cast(t), nb::cast(lower), nb::cast(upper), nb::cast(group)},
          std::move(source),
          std::move(solver),
          n,
          N,
          working,
          static_cast<int>(total.size())};
}

BoxState state_of(const BoundBox& self, InOut<double>& b, InOut<double>& f, InOut<Column>& work,
                  InOut<std::int64_t>& counters, InOut<double>& figures) {
  if (static_cast<Index>(b.shape(0)) != self.N || static_cast<Index>(f.shape(0)) != self.n ||
      static_cast<Index>(work.shape(0)) != self.working || counters.shape(0) != 3 ||
      static_cast<int>(figures.shape(0)) != 4 + self.groups)
    fail("the state does not belong to this problem");
  for (std::size_t a = 0; a < work.shape(0); ++a)
    if (work.data()[a] < -1 || work.data()[a] >= self.N) fail("the state does not belong to this problem");
  return {b.data(), f.data(), work.data(), counters.data(), figures.data()};
}

int advance(BoundBox& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
            InOut<double> figures, Index budget) {
  BoxState state = state_of(self, b, f, work, counters, figures);
  nb::gil_scoped_release free;
  return static_cast<int>(self.solver->advance(state, budget, poll_signals));
}

}  // namespace

void bind_box(nb::module_& m) {
  nb::class_<BoundBox>(m, "BoxSolver", "Quadratic problem with boxes and fixed sums.")
      .def("advance", &advance, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "budget"_a, "-> 0 budget spent, 1 converged, 2 stalled.");
  m.def("box_solver", &make, "rows"_a, "t"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
        "group"_a.noconvert(), "total"_a, "tol"_a, "gap_tol"_a, "least"_a, "working"_a, "memory"_a, "threads"_a);
}

}  // namespace widemargin
