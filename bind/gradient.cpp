#include "solver/gradient.hpp"

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

constexpr std::size_t n_counters = 8, n_sums = 8;

struct BoundGradient {
  std::vector<nb::object> owners;
  GradientSolver solver;
  Index n, d;
};

// The order of the fields in the two arrays of a state.
GradientCounters read(const InOut<Index>& k, const InOut<double>& s) {
  const Index* i = k.data();
  const double* x = s.data();
  return {i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
}

void write(const GradientCounters& c, InOut<Index>& k, InOut<double>& s) {
  const Index i[] = {c.epoch, c.position, c.visits, c.steps, c.rounds, c.updates, c.epoch_updates, c.projections};
  const double x[] = {c.epoch_loss, c.p, c.t, c.squared_norm, c.squared_radius, c.lift, c.mass, c.mean_bias};
  std::copy(std::begin(i), std::end(i), k.data());
  std::copy(std::begin(x), std::end(x), s.data());
}

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

BoundGradient make(nb::object rows_object, In<double> y, In<double> step, In<Column> visits, int rule, double lambda,
                   Index batch, double scale, double delay, double gain, bool intercept, int drawing,
                   std::uint64_t seed) {
  const Rows& rows = nb::cast<const Rows&>(rows_object);
  const Index n = count(rows.view);
  if (static_cast<Index>(y.shape(0)) != n) fail("one label a row is needed");
  if (step.shape(0) != 0 && static_cast<Index>(step.shape(0)) != n) fail("one step a row is needed");
  for (const Column i : view(visits))
    if (i < 0 || i >= n) fail("a visit names a row that is not there");
  if (n > 0x7fffffff || visits.shape(0) > 0x7fffffff)
    fail("more than 2^31 - 1 rows: split the data and use partial_fit");
  const OnlineProblem problem{rows.view, y.data(), view(step), view(visits)};
  const GradientOptions options{
      choice(rule, GradientRule::sgd, "rule"),      lambda, batch, scale, delay, gain, intercept,
      choice(drawing, Drawing::replace, "drawing"), seed};
  return {{rows_object, nb::cast(y), nb::cast(step), nb::cast(visits)},
          GradientSolver(problem, options),
          n,
          width(rows.view)};
}

int advance(BoundGradient& self, InOut<double> u, InOut<double> h, InOut<double> active_of, InOut<double> visited_of,
            InOut<Index> counters, InOut<double> sums, Index budget, Index until_epoch) {
  const auto n = static_cast<std::size_t>(self.n), d = static_cast<std::size_t>(self.d);
  const auto fits = [](const InOut<double>& a, std::size_t size) { return a.shape(0) == 0 || a.shape(0) == size; };
  if (u.shape(0) != d + 1) fail("u must have d + 1 entries");
  if (!fits(h, d)) fail("the average must have d entries");
  if (!fits(active_of, n) || !fits(visited_of, n)) fail("one sum a row is needed");
  if (counters.shape(0) != n_counters || sums.shape(0) != n_sums)
    fail("the state does not have the fields of this version");
  check_counters(counters.data(), n_counters, self.solver.visits_per_epoch());
  GradientCounters c = read(counters, sums);
  OnlineStop stop;
  {
    nb::gil_scoped_release free;
    const auto given = [](InOut<double>& a) { return a.shape(0) ? a.data() : nullptr; };
    const GradientArrays arrays{u.data(), given(h), given(active_of), given(visited_of)};
    stop = self.solver.advance(c, arrays, bounded(budget), until_epoch);
  }
  write(c, counters, sums);
  return static_cast<int>(stop);
}

}  // namespace

void bind_gradient(nb::module_& m) {
  nb::class_<BoundGradient>(m, "GradientSolver", "Pegasos and stochastic gradient descent, a few rows at a time.")
      .def_prop_ro("visits_per_epoch", [](const BoundGradient& s) { return s.solver.visits_per_epoch(); })
      .def("advance", &advance, "u"_a.noconvert(), "h"_a.noconvert(), "active_of"_a.noconvert(),
           "visited_of"_a.noconvert(), "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a,
           "-> 0 budget, 1 epoch, 2 no rows.");
  m.def("gradient_solver", &make, "rows"_a, "y"_a.noconvert(), "step"_a.noconvert(), "visits"_a.noconvert(), "rule"_a,
        "lambda_"_a, "batch"_a, "scale"_a, "delay"_a, "gain"_a, "intercept"_a, "drawing"_a, "seed"_a);
}

}  // namespace widemargin
