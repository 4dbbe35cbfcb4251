#include "solver/box_columns.hpp"

#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "base/error.hpp"
#include "bound_source.hpp"

namespace widemargin {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundColumns {
  std::vector<nb::object> owners;
  std::unique_ptr<BoxColumns> solver;
  Index n, columns, working;
  const double *lower, *upper;
};

template <class Array>
bool has_shape(const Array& a, Index rows, Index columns) {
  return static_cast<Index>(a.shape(0)) == rows && static_cast<Index>(a.shape(1)) == columns;
}

BoundColumns make(nb::object object, In<double> t, InMatrix lower, InMatrix upper, double tol, double gap_tol,
                  double least, Index working, Index most_steps, Index memory, int threads) {
  BoundSource& source = nb::cast<BoundSource&>(object);
  const Index n = source.source->n(), columns = static_cast<Index>(lower.shape(0));
  if (columns < 1 || columns > 4096) fail("1 to 4096 columns are possible");
  if (static_cast<Index>(t.shape(0)) != n || !has_shape(lower, columns, n) || !has_shape(upper, columns, n))
    fail("one term an item and one box an item and column are needed");
  if (working < 2 || working > (1 << 14)) fail("the working set must have 2 to 16384 items");
  if (memory < 0 || most_steps < 0) fail("memory and steps must not be negative");
  for (Index i = 0; i < n; ++i)
    if (!(t.data()[i] - t.data()[i] == 0)) fail("a term must be finite");
  const ColumnsProblem problem{columns, t.data(), lower.data(), upper.data()};
  const ColumnsOptions options{tol, gap_tol, least, working, most_steps, memory, threads};
  return {{object, nb::cast(t), nb::cast(lower), nb::cast(upper)},
          std::make_unique<BoxColumns>(*source.source, problem, options),
          n,
          columns,
          working,
          lower.data(),
          upper.data()};
}

ColumnsState state_of(const BoundColumns& self, Matrix& b, Matrix& f, InOut<Column>& work,
                      InOut<std::int64_t>& counters, Matrix& figures) {
  const Index k = self.columns;
  if (!has_shape(b, k, self.n) || !has_shape(f, k, self.n) || !has_shape(figures, k, ColumnsState::a_column) ||
      static_cast<Index>(work.shape(0)) != self.working ||
      static_cast<Index>(counters.shape(0)) != ColumnsState::shared + ColumnsState::own * k)
    fail("the state does not belong to this problem");
  for (std::size_t a = 0; a < work.shape(0); ++a)
    if (work.data()[a] < -1 || work.data()[a] >= self.n) fail("the state does not belong to this problem");
  for (std::size_t a = 0; a < counters.shape(0); ++a)
    if (counters.data()[a] < 0 || counters.data()[a] > (std::int64_t{1} << 60))
      fail("the state does not belong to this problem");
  return {b.data(), f.data(), work.data(), counters.data(), figures.data()};
}

bool advance(BoundColumns& self, Matrix b, Matrix f, InOut<Column> work, InOut<std::int64_t> counters, Matrix figures,
             Index budget) {
  ColumnsState state = state_of(self, b, f, work, counters, figures);
  for (Index i = 0; i < self.columns * self.n; ++i)
    if (!(self.lower[i] <= 0 && self.upper[i] >= 0 && self.upper[i] - self.lower[i] < 1e300))
      fail("a box must hold 0 and be finite");
  nb::gil_scoped_release free;
  return self.solver->advance(state, budget, poll_signals);
}

void shift(BoundColumns& self, Matrix b, Matrix f, InOut<Column> work, InOut<std::int64_t> counters, Matrix figures,
           InMatrix change) {
  ColumnsState state = state_of(self, b, f, work, counters, figures);
  if (!has_shape(change, self.columns, self.n)) fail("one change a variable is needed");
  nb::gil_scoped_release free;
  self.solver->shift(state, change.data(), poll_signals);
}

void judge(BoundColumns& self, Matrix b, Matrix f, InOut<Column> work, InOut<std::int64_t> counters, Matrix figures) {
  ColumnsState state = state_of(self, b, f, work, counters, figures);
  nb::gil_scoped_release free;
  for (Index c = 0; c < self.columns; ++c) self.solver->judge(state, c);
}

}  // namespace

void bind_box_columns(nb::module_& m) {
  nb::class_<BoundColumns>(m, "BoxColumns", "Quadratic problems with boxes over the same items, one a column.")
      .def("advance", &advance, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "budget"_a, "-> whether all columns rest.")
      .def("shift", &shift, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "change"_a.noconvert(), "f + K change.")
      .def("judge", &judge, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "Violation, gap and bias of every column.");
  m.def("box_columns", &make, "source"_a, "t"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(), "tol"_a,
        "gap_tol"_a, "least"_a, "working"_a, "most_steps"_a, "memory"_a, "threads"_a);
}

}  // namespace widemargin
