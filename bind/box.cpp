#include "solver/box.hpp"

#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "base/error.hpp"
#include "bound_classes.hpp"
#include "bound_kernel.hpp"
#include "bound_source.hpp"
#include "kernel/matrix_source.hpp"
#include "kernel/native_source.hpp"
#include "kernel/pair_source.hpp"

namespace widemargin {
namespace {

using Matrix32 = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

BoundSource native_source(nb::object rows) {
  return {{rows}, std::make_unique<NativeSource>(*nb::cast<const BoundKernelRows&>(rows).rows)};
}

BoundSource matrix_source(Matrix32 K, In<double> diag) {
  const Index n = static_cast<Index>(K.shape(0));
  if (static_cast<Index>(K.shape(1)) != n || static_cast<Index>(diag.shape(0)) != n || n > 0x7fffffff)
    fail("a square matrix and its diagonal are needed");
  return {{nb::cast(K), nb::cast(diag)}, std::make_unique<MatrixSource>(K.data(), diag.data(), n)};
}

BoundSource submatrix_source(Matrix32 K, In<double> diag, In<Column> items) {
  const Index n = static_cast<Index>(K.shape(0));
  if (static_cast<Index>(K.shape(1)) != n || static_cast<Index>(diag.shape(0)) != n || n > 0x7fffffff)
    fail("a square matrix and its diagonal are needed");
  for (std::size_t a = 0; a < items.shape(0); ++a)
    if (items.data()[a] < 0 || items.data()[a] >= n) fail("an item is not in the matrix");
  return {
      {nb::cast(K), nb::cast(diag)},
      std::make_unique<SubmatrixSource>(K.data(), diag.data(), n, items.data(), static_cast<Index>(items.shape(0)))};
}

void fill(BoundSource& self, Matrix32 K, int threads) {
  const Index n = self.source->n();
  if (static_cast<Index>(K.shape(0)) != n || static_cast<Index>(K.shape(1)) != n) fail("the matrix has another shape");
  nb::gil_scoped_release free;
  fill_matrix(*self.source, K.data(), threads, poll_signals);
}

// Python gets the numbers of the items and returns the values.
CalledSource::Rows caller(const nb::object& object, Index columns) {
  return [call = object.ptr(), columns](const Column* I, Index m, float* out) {
    nb::gil_scoped_acquire hold;
    const nb::handle function(call);
    const auto values = nb::cast<Matrix32>(function(to_numpy(std::vector<Column>(I, I + m))));
    const Index width = columns < 0 ? m : columns;
    if (static_cast<Index>(values.shape(0)) != m || static_cast<Index>(values.shape(1)) != width)
      fail("a block of kernel values has another shape");
    std::copy_n(values.data(), m * width, out);
  };
}

BoundSource called_source(In<double> diag, nb::object rows, nb::object square) {
  const Index n = static_cast<Index>(diag.shape(0));
  if (n > 0x7fffffff) fail("more than 2^31 - 1 items");
  return {{nb::cast(diag), rows, square},
          std::make_unique<CalledSource>(n, diag.data(), caller(rows, n), caller(square, -1))};
}

BoundClasses class_rows(nb::list rows, int kind, double gamma, double offset, int degree, Index memory, int threads) {
  std::vector<nb::object> owners;
  std::vector<AnyRows> views;
  for (nb::handle h : rows) {
    owners.push_back(nb::borrow(h));
    views.push_back(nb::cast<const Rows&>(h).view);
    if (count(views.back()) > 0x3fffffff) fail("more than 2^30 - 1 rows in a class");
    if (width(views.back()) != width(views.front()) || views.back().index() / 2 != views.front().index() / 2)
      fail("the classes differ in their features");
  }
  if (memory < 0) fail("memory must not be negative");
  const KernelSpec spec{choice(kind, KernelKind::tanh, "kernel"), gamma, offset, degree};
  nb::gil_scoped_release free;
  return {std::move(owners), std::make_unique<ClassRows>(views, spec, memory, threads, poll_signals)};
}

BoundSource pair_source(nb::object classes, Index a, Index b) {
  return {{classes}, std::make_unique<PairSource>(*nb::cast<const BoundClasses&>(classes).classes, a, b)};
}

struct BoundBox {
  std::vector<nb::object> owners;
  std::unique_ptr<BoxSolver> solver;
  Index n, N, working;
  int groups;
};

void check_box(const double* lower, const double* upper, const double* t, Index N) {
  for (Index v = 0; v < N; ++v)
    if (!(lower[v] <= 0 && upper[v] >= 0 && t[v] - t[v] == 0)) fail("a box must hold 0, and its term be finite");
}

BoundBox make(nb::object object, In<double> t, In<double> lower, In<double> upper, In<std::int8_t> group,
              std::vector<double> total, double tol, double gap_tol, double least, Index working, Index most_steps,
              Index memory, int threads, bool shrink) {
  BoundSource& source = nb::cast<BoundSource&>(object);
  const Index n = source.source->n(), N = static_cast<Index>(t.shape(0));
  if ((N != n && N != 2 * n) || N > 0x7fffffff) fail("one or two variables an item are needed");
  if (static_cast<Index>(lower.shape(0)) != N || static_cast<Index>(upper.shape(0)) != N)
    fail("one box a variable is needed");
  if (group.shape(0) != 0 && static_cast<Index>(group.shape(0)) != N) fail("one group a variable is needed");
  if (total.empty() || total.size() > 2) fail("one or two groups are possible");
  for (std::size_t v = 0; v < group.shape(0); ++v)
    if (group.data()[v] < 0 || group.data()[v] >= static_cast<int>(total.size())) fail("a variable is of no group");
  if (working < 2 || working > (1 << 14)) fail("the working set must have 2 to 16384 variables");
  if (memory < 0 || most_steps < 0) fail("memory and steps must not be negative");
  check_box(lower.data(), upper.data(), t.data(), N);
  BoxProblem problem{N,
                     t.data(),
                     lower.data(),
                     upper.data(),
                     group.shape(0) ? group.data() : nullptr,
                     static_cast<int>(total.size()),
                     {0, 0}};
  std::copy(total.begin(), total.end(), problem.total);
  const BoxOptions options{tol, gap_tol, least, working, most_steps, memory, threads, false, shrink};
  return {{object, nb::cast(t), nb::cast(lower), nb::cast(upper), nb::cast(group)},
          std::make_unique<BoxSolver>(*source.source, problem, options),
          n,
          N,
          working,
          static_cast<int>(total.size())};
}

BoxState state_of(const BoundBox& self, InOut<double>& b, InOut<double>& f, InOut<Column>& work,
                  InOut<std::int64_t>& counters, InOut<double>& figures) {
  if (static_cast<Index>(b.shape(0)) != self.N || static_cast<Index>(f.shape(0)) != self.n ||
      static_cast<Index>(work.shape(0)) != self.working || counters.shape(0) != 5 ||
      static_cast<int>(figures.shape(0)) != 6 + self.groups)
    fail("the state does not belong to this problem");
  for (std::size_t a = 0; a < work.shape(0); ++a)
    if (work.data()[a] < -1 || work.data()[a] >= self.N) fail("the state does not belong to this problem");
  check_counters(counters.data(), 5, std::int64_t{1} << 60);
  return {b.data(), f.data(), work.data(), counters.data(), figures.data()};
}

int advance(BoundBox& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
            InOut<double> figures, Index budget) {
  BoxState state = state_of(self, b, f, work, counters, figures);
  nb::gil_scoped_release free;
  return static_cast<int>(self.solver->advance(state, budget, poll_signals));
}

void rescore(BoundBox& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
             InOut<double> figures) {
  BoxState state = state_of(self, b, f, work, counters, figures);
  nb::gil_scoped_release free;
  self.solver->rescore(state, poll_signals);
}

void shift(BoundBox& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
           InOut<double> figures, In<double> change) {
  BoxState state = state_of(self, b, f, work, counters, figures);
  if (static_cast<Index>(change.shape(0)) != self.N) fail("one change a variable is needed");
  nb::gil_scoped_release free;
  self.solver->shift(state, change.data(), poll_signals);
}

void judge(BoundBox& self, InOut<double> b, InOut<double> f, InOut<Column> work, InOut<std::int64_t> counters,
           InOut<double> figures) {
  BoxState state = state_of(self, b, f, work, counters, figures);
  nb::gil_scoped_release free;
  self.solver->judge(state);
}

}  // namespace

void bind_box(nb::module_& m) {
  nb::class_<BoundSource>(m, "RowSource", "Rows of kernel values in float32.")
      .def("fill", &fill, "K"_a.noconvert(), "threads"_a, "Writes all values into a matrix.");
  m.def("native_source", &native_source, "rows"_a, "Computed from rows of numbers.");
  m.def("matrix_source", &matrix_source, "K"_a.noconvert(), "diag"_a.noconvert(), "Read from a matrix.");
  m.def("submatrix_source", &submatrix_source, "K"_a.noconvert(), "diag"_a.noconvert(), "items"_a.noconvert(),
        "Read from some rows and columns of a matrix.");
  m.def("called_source", &called_source, "diag"_a.noconvert(), "rows"_a, "square"_a,
        "Asked from Python: rows(items) gives len(items) x n float32 values, square(items) those among the items.");
  nb::class_<BoundClasses>(m, "ClassRows", "The rows of each class and the kernel values among them.");
  m.def("class_rows", &class_rows, "rows"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "memory"_a, "threads"_a);
  m.def("pair_source", &pair_source, "classes"_a, "a"_a, "b"_a, "The rows of class a, then those of class b.");
  nb::class_<BoundBox>(m, "BoxSolver", "Quadratic problem with boxes and fixed sums.")
      .def("advance", &advance, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "budget"_a, "-> 0 budget spent, 1 converged, 2 stalled, 3 all steps made.")
      .def("rescore", &rescore, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "f anew from b.")
      .def("shift", &shift, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "change"_a.noconvert(), "f + K change.")
      .def("judge", &judge, "b"_a.noconvert(), "f"_a.noconvert(), "work"_a.noconvert(), "counters"_a.noconvert(),
           "figures"_a.noconvert(), "Violation, gap and biases of a state.");
  m.def("box_solver", &make, "source"_a, "t"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
        "group"_a.noconvert(), "total"_a, "tol"_a, "gap_tol"_a, "least"_a, "working"_a, "most_steps"_a, "memory"_a,
        "threads"_a, "shrink"_a = false);
}

}  // namespace widemargin
