#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "base/error.hpp"
#include "solver/dual_descent.hpp"
#include "solver/linear_pass.hpp"

namespace widemargin {
namespace {

struct BoundLinearProblem {
  std::vector<nb::object> owners;
  LinearProblem p;
  Index n, d;
};

// Python may hand over anything; the loops believe these.
BoundLinearProblem problem(nb::object rows_object, In<double> t, In<double> C, int loss, double eps) {
  const Rows& rows = nb::cast<const Rows&>(rows_object);
  const Index n = count(rows.view);
  if (static_cast<Index>(t.shape(0)) != n || static_cast<Index>(C.shape(0)) != n)
    fail("one target and one price a row are needed");
  if (n > 0x7fffffff) fail("more than 2^31 - 1 rows: split the data");
  for (Index i = 0; i < n; ++i)
    if (!(C.data()[i] > 0) || !std::isfinite(C.data()[i])) fail("prices must be positive and finite");
  if (!(eps >= 0) || !std::isfinite(eps)) fail("the half-width of a tube must not be negative");
  const LinearProblem p{rows.view, t.data(), C.data(), choice(loss, LossKind::squared_tube, "loss"), eps};
  return {{rows_object, nb::cast(t), nb::cast(C)}, p, n, width(rows.view)};
}

struct BoundDualDescent {
  nb::object owner;
  DualDescent solver;
};

using Counters = InOut<std::int64_t>;

int advance(BoundDualDescent& self, InOut<double> w, InOut<double> b, InOut<Column> marks, Counters counters,
            InOut<double> sums, Index budget, Index until_epoch) {
  const Index n = self.solver.n();
  if (static_cast<Index>(w.shape(0)) != self.solver.d() + 1) fail("w must have d + 1 entries");
  if (static_cast<Index>(b.shape(0)) != n || static_cast<Index>(marks.shape(0)) != n)
    fail("one variable and one mark a row are needed");
  if (counters.shape(0) != 5 || sums.shape(0) != 6) fail("the state does not have the fields of this version");
  check_counters(counters.data(), 5, n);
  if (counters.data()[0] > 0x3fffff0) fail("the state does not belong to this problem: too many epochs");
  const std::int64_t* k = counters.data();
  const double* x = sums.data();
  DescentState s{w.data(), b.data(), marks.data(), k[0], k[1], k[2], k[3], k[4], x[0], x[1], x[2], x[3], x[4], x[5]};
  DescentStop stop;
  const auto write = [&] {
    const std::int64_t i[] = {s.epoch, s.position, s.visits, s.updates, s.active};
    const double v[] = {s.residual, s.violation, s.bound, s.last_residual, s.dual, s.aim};
    std::copy(std::begin(i), std::end(i), counters.data());
    std::copy(std::begin(v), std::end(v), sums.data());
  };
  try {
    nb::gil_scoped_release free;
    stop = self.solver.advance(s, bounded(budget), until_epoch, poll_signals);
  } catch (...) {
    write();
    throw;
  }
  write();
  return static_cast<int>(stop);
}

void need(std::size_t found, Index wanted, const char* what) {
  if (static_cast<Index>(found) != wanted) fail(std::string(what) + " does not have the length of this problem");
}

nb::tuple pass(const BoundLinearProblem& self, int how, double k, In<double> w, InOut<double> b, InOut<double> z,
               InOut<double> h, InOut<double> g, In<double> a) {
  const Variables kind = choice(how, Variables::proximal, "kind of variables");
  const bool scored = w.shape(0) == 0;
  if (!scored) need(w.shape(0), self.d + 1, "w");
  const bool summed = g.shape(0) != 0;
  if (summed) need(g.shape(0), self.d + 1, "g");
  need(b.shape(0), self.n, "b");
  need(z.shape(0), self.n, "z");
  need(h.shape(0), self.n, "h");
  if (kind == Variables::proximal) need(a.shape(0), self.n, "a");
  if (!(k > 0)) fail("the curvature must be positive");
  LinearSums s;
  {
    nb::gil_scoped_release free;
    const double* centre = kind == Variables::proximal ? a.data() : nullptr;
    const double* weights = scored ? nullptr : w.data();
    s = linear_pass(self.p, kind, k, {weights, b.data(), z.data(), h.data(), summed ? g.data() : nullptr, centre},
                    poll_signals);
  }
  return nb::make_tuple(s.loss, s.residual, s.smooth, s.total);
}

nb::tuple line(const BoundLinearProblem& self, int how, double k, In<double> z, In<double> v, double step,
               In<double> a) {
  const Variables kind = choice(how, Variables::proximal, "kind of variables");
  need(z.shape(0), self.n, "z");
  need(v.shape(0), self.n, "v");
  if (kind == Variables::given) fail("given variables do not follow a line");
  if (kind == Variables::proximal) need(a.shape(0), self.n, "a");
  if (!(k > 0)) fail("the curvature must be positive");
  LinearSums s;
  double slope;
  {
    nb::gil_scoped_release free;
    s = along_line(self.p, kind, k, z.data(), v.data(), step, kind == Variables::proximal ? a.data() : nullptr, slope);
  }
  return nb::make_tuple(s.loss, s.smooth, s.total, slope);
}

Span<const Column> checked(const In<Column>& among, const In<double>& h, Index n) {
  need(h.shape(0), n, "h");
  for (std::size_t k = 0; k < among.shape(0); ++k)
    if (among.data()[k] < 0 || among.data()[k] >= n) fail("among names a row that is not there");
  return {among.data(), among.shape(0)};
}

Index unlike(In<double> h, In<double> before, double by, InOut<Column> out) {
  const auto n = static_cast<Index>(h.shape(0));
  if (before.shape(0) != 0) need(before.shape(0), n, "before");
  need(out.shape(0), n, "out");
  if (n > 0x7fffffff) fail("more than 2^31 - 1 rows: split the data");
  nb::gil_scoped_release free;
  return unlike_rows(n, h.data(), before.shape(0) == 0 ? nullptr : before.data(), by, out.data());
}

void matrix(const Rows& rows, In<Column> among, In<double> h, nb::ndarray<double, nb::ndim<2>, nb::c_contig> H) {
  const auto rest = checked(among, h, count(rows.view));
  const Index d = width(rows.view);
  need(H.shape(0), d + 1, "H");
  need(H.shape(1), d + 1, "H");
  nb::gil_scoped_release free;
  add_normal_matrix(rows.view, rest, h.data(), H.data(), poll_signals);
}

void product(const Rows& rows, In<Column> among, In<double> h, In<double> v, InOut<double> out) {
  const auto rest = checked(among, h, count(rows.view));
  need(v.shape(0), width(rows.view) + 1, "v");
  need(out.shape(0), width(rows.view) + 1, "out");
  nb::gil_scoped_release free;
  normal_product(rows.view, rest, h.data(), v.data(), out.data(), poll_signals);
}

void diagonal(const Rows& rows, In<Column> among, In<double> h, InOut<double> out) {
  const auto rest = checked(among, h, count(rows.view));
  need(out.shape(0), width(rows.view) + 1, "out");
  nb::gil_scoped_release free;
  normal_diagonal(rows.view, rest, h.data(), out.data(), poll_signals);
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<BoundLinearProblem>(m, "LinearProblem", "Rows, targets and prices of a linear machine.")
      .def_ro("n", &BoundLinearProblem::n)
      .def_ro("d", &BoundLinearProblem::d)
      .def(
          "walk", &pass, "how"_a, "k"_a, "w"_a.noconvert(), "b"_a.noconvert(), "z"_a.noconvert(), "h"_a.noconvert(),
          "g"_a.noconvert(), "a"_a.noconvert(),
          "Variables (0 given, 1 slope, 2 proximal), scores, curvatures, g -> (loss, residual, smooth, total). Without "
          "any w the scores are those given; without any g it is not made.")
      .def("along_line", &line, "how"_a, "k"_a, "z"_a.noconvert(), "v"_a.noconvert(), "step"_a, "a"_a.noconvert(),
           "At scores z + step v -> (loss, smooth, total, slope of smooth).");
  m.def("linear_problem", &problem, "rows"_a, "t"_a.noconvert(), "C"_a.noconvert(), "loss"_a, "eps"_a);
  nb::class_<BoundDualDescent>(m, "DualDescent", "Dual coordinate descent.")
      .def("advance", &advance, "w"_a.noconvert(), "b"_a.noconvert(), "marks"_a.noconvert(), "counters"_a.noconvert(),
           "sums"_a.noconvert(), "budget"_a, "until_epoch"_a, "-> 0 budget, 1 epoch, 2 look at all rows");
  m.def(
      "dual_descent",
      [](nb::object owner, double tau, bool free_bias, bool shrink, std::uint64_t seed,
         std::optional<In<double>> norms) {
        if (!(tau >= 0) || !std::isfinite(tau)) fail("tau must not be negative");
        const BoundLinearProblem& self = nb::cast<const BoundLinearProblem&>(owner);
        if (norms) need(norms->shape(0), self.n, "norms");
        const double* known = norms ? norms->data() : nullptr;
        return BoundDualDescent{owner, DualDescent(self.p, {tau, free_bias, shrink, seed}, known)};
      },
      "problem"_a, "tau"_a, "free_bias"_a, "shrink"_a, "seed"_a, "norms"_a.noconvert() = nb::none(),
      "norms: the squared lengths of the rows, where they are known");
  m.def("unlike_rows", &unlike, "h"_a.noconvert(), "before"_a.noconvert(), "unlike"_a, "out"_a.noconvert(),
        "Names the rows whose h is not what it was before (nothing: 0); their number.");
  m.def("normal_matrix", &matrix, "rows"_a, "among"_a.noconvert(), "h"_a.noconvert(), "H"_a.noconvert(),
        "Adds sum h [x, 1][x, 1]' over the rows named to the lower triangle of H.");
  m.def("normal_product", &product, "rows"_a, "among"_a.noconvert(), "h"_a.noconvert(), "v"_a.noconvert(),
        "out"_a.noconvert());
  m.def("normal_diagonal", &diagonal, "rows"_a, "among"_a.noconvert(), "h"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace widemargin
