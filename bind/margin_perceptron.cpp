#include "solver/margin_perceptron.hpp"

#include "arrays.hpp"
#include "base/error.hpp"

namespace widemargin {
namespace {

struct BoundMargin {
  std::vector<nb::object> owners;
  MarginSolver solver;
  Index n, d;
};

// The order of the fields in the two arrays of a state.
MarginCounters read(const InOut<Index>& k, const InOut<double>& s) {
  const Index* i = k.data();
  const double* x = s.data();
  return {i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], x[0], x[1], x[2]};
}

void write(const MarginCounters& c, InOut<Index>& k, InOut<double>& s) {
  const Index i[] = {c.epoch,       c.position,   c.visits,     c.updates,     c.epoch_updates,
                     c.epoch_wrong, c.best_wrong, c.best_epoch, c.round_epoch, c.given_up};
  const double x[] = {c.loss, c.t, c.q};
  std::copy(std::begin(i), std::end(i), k.data());
  std::copy(std::begin(x), std::end(x), s.data());
}

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

BoundMargin make(nb::object rows_object, In<double> y, In<double> step, In<Column> visits, double eps, bool intercept,
                 int shuffle, std::uint64_t seed, Index patience, Index most) {
  const Rows& rows = nb::cast<const Rows&>(rows_object);
  const Index n = count(rows.view);
  if (static_cast<Index>(y.shape(0)) != n) fail("one label a row is needed");
  if (step.shape(0) != 0 && static_cast<Index>(step.shape(0)) != n) fail("one step a row is needed");
  for (const Column i : view(visits))
    if (i < 0 || i >= n) fail("a visit names a row that is not there");
  if (n > 0x7fffffff) fail("more than 2^31 - 1 rows: split the data and use partial_fit");
  const OnlineProblem problem{rows.view, y.data(), view(step), view(visits)};
  const MarginOptions options{eps, intercept, choice(shuffle, Shuffle::every_epoch, "shuffle"), seed, patience, most};
  return {{rows_object, nb::cast(y), nb::cast(step), nb::cast(visits)},
          MarginSolver(problem, options),
          n,
          width(rows.view)};
}

int advance(BoundMargin& self, InOut<double> a, InOut<Column> updates_of, InOut<Column> wrong_of,
            InOut<Column> given_up_at, InOut<Index> counters, InOut<double> sums, Index budget, Index until_epoch) {
  const auto n = static_cast<std::size_t>(self.n);
  if (static_cast<Index>(a.shape(0)) != self.d + 1) fail("a must have d + 1 entries");
  if (updates_of.shape(0) != n || wrong_of.shape(0) != n || given_up_at.shape(0) != n)
    fail("one counter a row is needed");
  if (counters.shape(0) != 10 || sums.shape(0) != 3) fail("the state does not have the fields of this version");
  check_counters(counters.data(), 10, self.solver.visits_per_epoch());
  MarginCounters c = read(counters, sums);
  OnlineStop stop;
  {
    nb::gil_scoped_release free;
    const MarginArrays arrays{a.data(), updates_of.data(), wrong_of.data(), given_up_at.data()};
    stop = self.solver.advance(c, arrays, bounded(budget), until_epoch);
  }
  write(c, counters, sums);
  return static_cast<int>(stop);
}

}  // namespace

void bind_margin_perceptron(nb::module_& m) {
  nb::class_<BoundMargin>(m, "MarginSolver", "The perceptron with dynamic margin.")
      .def_prop_ro("visits_per_epoch", [](const BoundMargin& s) { return s.solver.visits_per_epoch(); })
      .def("advance", &advance, "a"_a.noconvert(), "updates_of"_a.noconvert(), "wrong_of"_a.noconvert(),
           "given_up_at"_a.noconvert(), "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a,
           "-> 0 budget, 1 epoch, 2 clean, 3 stalled.");
  m.def("margin_solver", &make, "rows"_a, "y"_a.noconvert(), "step"_a.noconvert(), "visits"_a.noconvert(), "eps"_a,
        "intercept"_a, "shuffle"_a, "seed"_a, "patience"_a, "most"_a);
}

}  // namespace widemargin
