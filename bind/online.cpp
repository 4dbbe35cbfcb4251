#include "solver/online.hpp"

#include <set>

#include "arrays.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {
namespace {

// The solver with all that it looks at.
struct BoundOnline {
  std::vector<nb::object> owners;
  OnlineSolver solver;
  Index n, d;
};

using Counters = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The order of the fields in the two arrays of a state; the names are given to Python below.
OnlineCounters read(const Counters& k, const InOut<double>& s) {
  const std::int64_t* i = k.data();
  const double* x = s.data();
  return {i[0], i[1], i[2], i[3], i[4], i[5], i[6], x[0], x[1], x[2], x[3], x[4], x[5]};
}

void write(const OnlineCounters& c, Counters& k, InOut<double>& s) {
  const std::int64_t i[] = {c.epoch, c.position, c.visits, c.updates, c.epoch_updates, c.best_updates, c.best_epoch};
  const double x[] = {c.epoch_loss, c.loss, c.squared_loss, c.scale, c.epoch_weight, c.best_weight};
  std::copy(std::begin(i), std::end(i), k.data());
  std::copy(std::begin(x), std::end(x), s.data());
}

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

BoundOnline make(nb::object rows_object, In<double> y, In<double> step, In<Column> visits, int rule, double eta,
                 double epsilon, double decay, bool intercept, int shuffle, std::uint64_t seed, int birth,
                 Index patience) {
  const Rows& rows = nb::cast<const Rows&>(rows_object);
  const Index n = count(rows.view);
  if (static_cast<Index>(y.shape(0)) != n) fail("one label a row is needed");
  if (step.shape(0) != 0 && static_cast<Index>(step.shape(0)) != n) fail("one step a row is needed");
  for (const Column i : view(visits))
    if (i < 0 || i >= n) fail("a visit names a row that is not there");
  if (n > 0x7fffffff) fail("more than 2^31 - 1 rows: split the data and use partial_fit");
  const OnlineProblem problem{rows.view, y.data(), view(step), view(visits)};
  const OnlineOptions options{choice(rule, OnlineRule::pa2_regression, "rule"), eta,  epsilon, decay,   intercept,
                              choice(shuffle, Shuffle::every_epoch, "shuffle"), seed, birth,   patience};
  return {{rows_object, nb::cast(y), nb::cast(step), nb::cast(visits)},
          OnlineSolver(problem, options),
          n,
          width(rows.view)};
}

// One call of advance: looked at with the GIL, worked without it, handed back with it again.
struct Call {
  nb::object owner;  // of `self`: others may let go of it meanwhile
  BoundOnline* self;
  InOut<double> w, a;
  InOut<Column> updates_of;
  Counters counters;
  InOut<double> sums;
  OnlineCounters c{};
  OnlineStop stop = OnlineStop::budget;
  std::vector<Mistake> log;

  void check() {
    if (static_cast<Index>(w.shape(0)) != self->d + 1) fail("w must have d + 1 entries");
    if (a.shape(0) != 0 && a.shape(0) != w.shape(0)) fail("the average must have d + 1 entries");
    if (updates_of.shape(0) != 0 && static_cast<Index>(updates_of.shape(0)) != self->n)
      fail("one counter a row is needed");
    if (counters.shape(0) != 7 || sums.shape(0) != 6) fail("the state does not have the fields of this version");
    check_counters(counters.data(), 7, self->solver.visits_per_epoch());
    c = read(counters, sums);
  }

  void run(Index budget, Index until_epoch, bool keep_log) {
    const OnlineArrays arrays{w.data(), a.shape(0) ? a.data() : nullptr,
                              updates_of.shape(0) ? updates_of.data() : nullptr};
    stop = self->solver.advance(c, arrays, bounded(budget), until_epoch, keep_log ? &log : nullptr);
  }

  nb::tuple result() {
    write(c, counters, sums);
    std::vector<Index> visit(log.size());
    std::vector<Column> row(log.size());
    std::vector<double> step(log.size());
    for (std::size_t k = 0; k < log.size(); ++k) visit[k] = log[k].visit, row[k] = log[k].row, step[k] = log[k].step;
    return nb::make_tuple(static_cast<int>(stop), to_numpy(std::move(visit)), to_numpy(std::move(row)),
                          to_numpy(std::move(step)));
  }
};

nb::tuple advance(BoundOnline& self, InOut<double> w, InOut<double> a, InOut<Column> updates_of, Counters counters,
                  InOut<double> sums, Index budget, Index until_epoch, bool keep_log) {
  Call call{{}, &self, w, a, updates_of, counters, sums};
  call.check();
  {
    nb::gil_scoped_release free;
    call.run(budget, until_epoch, keep_log);
  }
  return call.result();
}

// Two calls may not write to the same memory. A solver keeps the order of its epoch, so it counts too.
void check_apart(const std::vector<Call>& calls) {
  std::set<const void*> written;
  const auto claim = [&](const void* place, std::size_t size) {
    if (size > 0 && !written.insert(place).second) fail("two parts share a solver or an array of their states");
  };
  for (const Call& call : calls) {
    claim(call.self, 1);
    claim(call.w.data(), call.w.size());
    claim(call.a.data(), call.a.size());
    claim(call.updates_of.data(), call.updates_of.size());
    claim(call.counters.data(), call.counters.size());
    claim(call.sums.data(), call.sums.size());
  }
}

// Several solvers with states of their own on the pool. No thread of it ever enters Python.
nb::list advance_parts(nb::list solvers, nb::list states, Index budget, Index until_epoch, bool keep_log, int threads) {
  if (solvers.size() != states.size()) fail("one state a solver is needed");
  std::vector<Call> calls;
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    const auto s = nb::cast<nb::tuple>(states[k]);
    if (s.size() != 5) fail("a state has five arrays");
    nb::object solver = solvers[k];
    BoundOnline& self = nb::cast<BoundOnline&>(solver);
    calls.push_back({solver, &self, nb::cast<InOut<double>>(s[0], false), nb::cast<InOut<double>>(s[1], false),
                     nb::cast<InOut<Column>>(s[2], false), nb::cast<Counters>(s[3], false),
                     nb::cast<InOut<double>>(s[4], false)});
    calls.back().check();
  }
  check_apart(calls);
  {
    nb::gil_scoped_release free;
    parallel_for(
        static_cast<Index>(calls.size()), threads,
        [&](Index k) { calls[static_cast<std::size_t>(k)].run(budget, until_epoch, keep_log); }, poll_signals);
  }
  nb::list out;
  for (Call& call : calls) out.append(call.result());
  return out;
}

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<BoundOnline>(m, "OnlineSolver", "Perceptrons and passive-aggressive learners, one row at a time.")
      .def_prop_ro("visits_per_epoch", [](const BoundOnline& s) { return s.solver.visits_per_epoch(); })
      .def(
          "scan_first_epoch", [](BoundOnline& s, Index first) { s.solver.scan_first_epoch(first); }, "first"_a = 0)
      .def(
          "scanned",
          [](const BoundOnline& s) -> std::optional<std::tuple<Index, Index, double, std::uint64_t>> {
            const Scan* seen = s.solver.scanned();
            if (!seen) return std::nullopt;
            return std::make_tuple(seen->bad_row, seen->bad_column, seen->max_squared_norm, seen->digest);
          },
          "What the first epoch saw, as Rows.scan gives it; None if it was not asked to look.")
      .def("advance", &advance, "w"_a.noconvert(), "a"_a.noconvert(), "updates_of"_a.noconvert(),
           "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a, "keep_log"_a,
           "-> (stop, visit, row, step): stop is 0 budget, 1 epoch, 2 clean, 3 stalled; the rest is the log of "
           "updates.");
  m.def("online_advance_parts", &advance_parts, "solvers"_a, "states"_a, "budget"_a, "until_epoch"_a, "keep_log"_a,
        "threads"_a, "OnlineSolver.advance for several at once; a state is (w, a, updates_of, counters, sums).");
  m.def("online_solver", &make, "rows"_a, "y"_a.noconvert(), "step"_a.noconvert(), "visits"_a.noconvert(), "rule"_a,
        "eta"_a, "epsilon"_a, "decay"_a, "intercept"_a, "shuffle"_a, "seed"_a, "birth"_a, "patience"_a);
}

}  // namespace widemargin
