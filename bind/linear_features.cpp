#include <cmath>

#include "arrays.hpp"
#include "base/error.hpp"
#include "solver/class_descent.hpp"
#include "solver/feature_descent.hpp"

namespace widemargin {
namespace {

using Counters = InOut<std::int64_t>;

void need(std::size_t found, Index wanted, const char* what) {
  if (static_cast<Index>(found) != wanted) fail(std::string(what) + " does not have the length of this problem");
}

void check_prices(const In<double>& C) {
  for (std::size_t i = 0; i < C.shape(0); ++i)
    if (!(C.data()[i] > 0) || !std::isfinite(C.data()[i])) fail("prices must be positive and finite");
}

void check_epochs(const Counters& counters) {
  if (counters.data()[0] > 0x7ffffff0) fail("the state does not belong to this problem: too many epochs");
}

struct BoundFeatureDescent {
  std::vector<nb::object> owners;
  FeatureDescent solver;
};

BoundFeatureDescent make_features(nb::object columns_object, In<double> t, In<double> C, int loss, bool intercept,
                                  double bias_penalty, std::uint64_t seed) {
  const Rows& columns = nb::cast<const Rows&>(columns_object);
  need(t.shape(0), width(columns.view), "t");
  need(C.shape(0), width(columns.view), "C");
  check_prices(C);
  if (count(columns.view) > 0x7ffffff0) fail("more than 2^31 - 1 features");
  if (!(bias_penalty >= 0) || !std::isfinite(bias_penalty)) fail("the penalty of the bias must not be negative");
  const FeatureProblem p{columns.view, t.data(),  C.data(),     choice(loss, LossKind::squared_tube, "loss"),
                         0.0,          intercept, bias_penalty, seed};
  return {{columns_object, nb::cast(t), nb::cast(C)}, FeatureDescent(p)};
}

void advance_features(BoundFeatureDescent& self, InOut<double> w, InOut<double> z, InOut<Column> left_at,
                      Counters counters, InOut<double> sums, Index budget, Index until_epoch) {
  const Index d = self.solver.d();
  need(w.shape(0), d + 1, "w");
  need(z.shape(0), self.solver.n(), "z");
  need(left_at.shape(0), d + 1, "left_at");
  if (counters.shape(0) != 5 || sums.shape(0) != 3) fail("the state does not have the fields of this version");
  check_counters(counters.data(), 5, d + 1);
  check_epochs(counters);
  const std::int64_t* k = counters.data();
  FeatureState s{w.data(), z.data(), left_at.data(), k[0],           k[1],          k[2],
                 k[3],     k[4],     sums.data()[0], sums.data()[1], sums.data()[2]};
  const auto write = [&] {
    const std::int64_t i[] = {s.epoch, s.position, s.visits, s.updates, s.active};
    const double v[] = {s.violation, s.bound, s.last_violation};
    std::copy(std::begin(i), std::end(i), counters.data());
    std::copy(std::begin(v), std::end(v), sums.data());
  };
  try {
    nb::gil_scoped_release free;
    self.solver.advance(s, bounded(budget), until_epoch, poll_signals);
  } catch (...) {
    write();
    throw;
  }
  write();
}

struct BoundClassDescent {
  std::vector<nb::object> owners;
  ClassDescent solver;
};

BoundClassDescent make_classes(nb::object rows_object, In<Column> y, In<double> C, Index k, double tau, bool free_bias,
                               std::uint64_t seed) {
  const Rows& rows = nb::cast<const Rows&>(rows_object);
  const Index n = count(rows.view);
  need(y.shape(0), n, "y");
  need(C.shape(0), n, "C");
  check_prices(C);
  if (k < 2 || k > 0x7fffffff || n > 0x7fffffff || n < 1) fail("two classes and a row are needed at least");
  for (Index i = 0; i < n; ++i)
    if (y.data()[i] < 0 || y.data()[i] >= k) fail("a row has a class that is not there");
  if (!(tau >= 0) || !std::isfinite(tau)) fail("tau must not be negative");
  return {{rows_object, nb::cast(y), nb::cast(C)},
          ClassDescent({rows.view, y.data(), C.data(), k, tau, free_bias, seed})};
}

bool advance_classes(BoundClassDescent& self, InOut<double> W, InOut<double> b, InOut<Column> left_at,
                     Counters counters, InOut<double> sums, Index budget, Index until_epoch) {
  const Index n = self.solver.n(), k = self.solver.problem().k;
  need(W.shape(0), (self.solver.d() + 1) * k, "W");
  need(b.shape(0), n * k, "b");
  need(left_at.shape(0), n, "left_at");
  if (counters.shape(0) != 5 || sums.shape(0) != 6) fail("the state does not have the fields of this version");
  check_counters(counters.data(), 5, n);
  check_epochs(counters);
  const std::int64_t* c = counters.data();
  const double* x = sums.data();
  ClassState s{W.data(), b.data(), left_at.data(), c[0], c[1], c[2], c[3], c[4], x[0], x[1], x[2], x[3], x[4], x[5]};
  const auto write = [&] {
    const std::int64_t i[] = {s.epoch, s.position, s.visits, s.updates, s.active};
    const double v[] = {s.residual, s.last_residual, s.dual, s.aim, s.violation, s.bound};
    std::copy(std::begin(i), std::end(i), counters.data());
    std::copy(std::begin(v), std::end(v), sums.data());
  };
  bool look;
  try {
    nb::gil_scoped_release free;
    look = self.solver.advance(s, bounded(budget), until_epoch, poll_signals);
  } catch (...) {
    write();
    throw;
  }
  write();
  return look;
}

nb::tuple walk_classes(const BoundClassDescent& self, In<double> W, In<double> b, InOut<double> G) {
  const Index k = self.solver.problem().k;
  need(W.shape(0), (self.solver.d() + 1) * k, "W");
  need(G.shape(0), (self.solver.d() + 1) * k, "G");
  need(b.shape(0), self.solver.n() * k, "b");
  ClassSums sums;
  {
    nb::gil_scoped_release free;
    sums = self.solver.walk(W.data(), b.data(), G.data(), poll_signals);
  }
  return nb::make_tuple(sums.loss, sums.residual);
}

using Square = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void step_of_features(Square H, In<double> g, In<double> w, In<double> r, InOut<double> p, double tol, Index rounds) {
  const auto d = static_cast<Index>(g.shape(0));
  need(H.shape(0), d, "H");
  need(H.shape(1), d, "H");
  need(w.shape(0), d, "w");
  need(r.shape(0), d, "r");
  need(p.shape(0), d, "p");
  nb::gil_scoped_release free;
  penalised_step(H.data(), g.data(), w.data(), r.data(), p.data(), d, tol, rounds, poll_signals);
}

}  // namespace

void bind_linear_features(nb::module_& m) {
  nb::class_<BoundFeatureDescent>(m, "FeatureDescent", "Coordinate descent over features, for a penalty of |w|_1.")
      .def("advance", &advance_features, "w"_a.noconvert(), "z"_a.noconvert(), "left_at"_a.noconvert(),
           "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a);
  m.def("feature_descent", &make_features, "columns"_a, "t"_a.noconvert(), "C"_a.noconvert(), "loss"_a, "intercept"_a,
        "bias_penalty"_a, "seed"_a);
  m.def("penalised_step", &step_of_features, "H"_a.noconvert(), "g"_a.noconvert(), "w"_a.noconvert(), "r"_a.noconvert(),
        "p"_a.noconvert(), "tol"_a, "rounds"_a, "Nearly minimises g.p + p'Hp/2 + sum r |w + p|.");
  nb::class_<BoundClassDescent>(m, "ClassDescent", "Dual coordinate descent for all classes at once.")
      .def("advance", &advance_classes, "W"_a.noconvert(), "b"_a.noconvert(), "left_at"_a.noconvert(),
           "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a,
           "-> whether to look at all rows")
      .def("walk", &walk_classes, "W"_a.noconvert(), "b"_a.noconvert(), "G"_a.noconvert(), "-> (loss, residual)");
  m.def("class_descent", &make_classes, "rows"_a, "y"_a.noconvert(), "C"_a.noconvert(), "k"_a, "tau"_a, "free_bias"_a,
        "seed"_a);
}

}  // namespace widemargin
