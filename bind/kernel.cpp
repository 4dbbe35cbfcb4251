#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "base/error.hpp"
#include "bound_kernel.hpp"
#include "kernel/expansion.hpp"
#include "kernel/finish.hpp"
#include "kernel/panel.hpp"
#include "kernel/part_sums.hpp"
#include "solver/kernel_perceptron.hpp"

namespace widemargin {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counters = InOut<std::int64_t>;

template <class T>
Span<const T> view(const In<T>& a) {
  return {a.data(), a.shape(0)};
}

KernelSpec make_spec(int kind, double gamma, double offset, int degree) {
  return {choice(kind, KernelKind::tanh, "kernel"), gamma, offset, degree};
}

BoundKernelRows kernel_rows(nb::object object, int kind, double gamma, double offset, int degree, int threads) {
  const Rows& rows = nb::cast<const Rows&>(object);
  const KernelSpec spec = make_spec(kind, gamma, offset, degree);
  if (count(rows.view) > 0x7fffffff) fail("more than 2^31 - 1 rows: split the data and use partial_fit");
  std::unique_ptr<KernelRows<float>> made;
  {
    nb::gil_scoped_release free;
    made = std::make_unique<KernelRows<float>>(rows.view, spec, threads, true, 0, mostly_zeros({rows.view}));
  }
  return {object, rows.view, spec, std::move(made)};
}

void block(const Rows& a, const Rows& b, int kind, double gamma, double offset, int degree, Matrix out, int threads) {
  if (static_cast<Index>(out.shape(0)) != count(a.view) || static_cast<Index>(out.shape(1)) != count(b.view))
    fail("the array for the block has another shape");
  nb::gil_scoped_release free;
  const KernelSpec spec = make_spec(kind, gamma, offset, degree);
  const KernelRows<double> left(a.view, spec, threads);
  if (&a == &b) return kernel_block(left, left, out.data(), threads, poll_signals);
  const KernelRows<double> right(b.view, spec, threads);
  kernel_block(left, right, out.data(), threads, poll_signals);
}

// Where parts follow one another: each has its items, with one coefficient and one place for a sum each.
void check_parts(const In<Column>& items, Index n, const In<std::int64_t>& ends, const In<double>& c,
                 const InOut<double>& out) {
  const Index all = static_cast<Index>(items.shape(0));
  if (c.shape(0) != items.shape(0) || out.shape(0) != items.shape(0)) fail("one coefficient an item is needed");
  for (Index a = 0; a < all; ++a)
    if (items.data()[a] < 0 || items.data()[a] >= n) fail("an item is not there");
  Index first = 0;
  for (std::size_t k = 0; k < ends.shape(0); first = ends.data()[k++])
    if (ends.data()[k] < first || ends.data()[k] > all) fail("the parts do not follow one another");
}

// One expansion after the other, each over its own items of one matrix.
void sums_of_parts(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> K, In<Column> items,
                   In<std::int64_t> ends, In<double> c, InOut<double> out) {
  const Index n = static_cast<Index>(K.shape(0));
  if (static_cast<Index>(K.shape(1)) != n) fail("a square matrix is needed");
  check_parts(items, n, ends, c, out);
  nb::gil_scoped_release free;
  Index first = 0;
  for (std::size_t k = 0; k < ends.shape(0); first = ends.data()[k++]) {
    part_sums(K.data(), n, items.data() + first, c.data() + first, ends.data()[k] - first, out.data() + first);
    poll_signals();
  }
}

void sums(const Rows& x, const Rows& z, int kind, double gamma, double offset, int degree, In2<double> coef,
          bool single, Matrix out, int threads) {
  const Index parts = static_cast<Index>(coef.shape(0)), m = static_cast<Index>(coef.shape(1));
  if (m != count(z.view) || static_cast<Index>(out.shape(0)) != parts ||
      static_cast<Index>(out.shape(1)) != count(x.view) || (m > 1 && coef.stride(1) != 1) ||
      (parts > 1 && coef.stride(0) != m))
    fail("one coefficient for each row and part, and one place for each sum are needed");
  if (count(x.view) > 0x7fffffff) fail("more than 2^31 - 1 rows");
  const KernelSpec spec = make_spec(kind, gamma, offset, degree);
  nb::gil_scoped_release free;
  (single ? kernel_sums<float> : kernel_sums<double>)(x.view, z.view, spec, coef.data(), parts, out.data(), threads,
                                                      poll_signals);
}

void bounded_sums(const Rows& x, const Rows& z, double gamma, In<double> c, InOut<double> out, InOut<double> error,
                  int threads) {
  const Index n = count(x.view);
  if (static_cast<Index>(c.shape(0)) != count(z.view) || static_cast<Index>(out.shape(0)) != n ||
      static_cast<Index>(error.shape(0)) != n || n > 0x7fffffff)
    fail("one coefficient for each row of the sum, and two places for each row are needed");
  const KernelSpec spec{KernelKind::rbf, gamma, 0, 1};
  nb::gil_scoped_release free;
  radial_sums(x.view, z.view, spec, c.data(), out.data(), error.data(), threads, poll_signals);
}

void expand(const Rows& x, int kind, double gamma, double offset, int degree, In<Column> J, In<double> c, bool single,
            InOut<double> out, int threads) {
  const Index n = count(x.view), m = static_cast<Index>(J.shape(0));
  if (static_cast<Index>(c.shape(0)) != m || static_cast<Index>(out.shape(0)) != n || n > 0x7fffffff)
    fail("one coefficient for each row of the sum, and one place for each row are needed");
  for (Index j = 0; j < m; ++j)
    if (J.data()[j] < (j > 0 ? J.data()[j - 1] + 1 : 0) || J.data()[j] >= n)
      fail("the rows of the sum must be numbered in rising order");
  const KernelSpec spec = make_spec(kind, gamma, offset, degree);
  nb::gil_scoped_release free;
  (single ? kernel_expansion<float> : kernel_expansion<double>)(x.view, spec, J.data(), c.data(), m, out.data(),
                                                                threads, poll_signals);
}

void expand_parts(const Rows& x, int kind, double gamma, double offset, int degree, In<Column> items,
                  In<std::int64_t> ends, In<double> c, InOut<double> out, int threads) {
  if (count(x.view) > 0x7fffffff) fail("more than 2^31 - 1 rows");
  check_parts(items, count(x.view), ends, c, out);
  const KernelSpec spec = make_spec(kind, gamma, offset, degree);
  nb::gil_scoped_release free;
  kernel_expansions(x.view, spec, items.data(), ends.data(), static_cast<Index>(ends.shape(0)), c.data(), out.data(),
                    threads, poll_signals);
}

struct BoundKernelPerceptron {
  std::vector<nb::object> owners;
  KernelPerceptron solver;
  Index n;
};

BoundKernelPerceptron make(nb::object object, In<double> y, In<double> step, In<Column> visits, double eta,
                           bool intercept, int shuffle, std::uint64_t seed, int birth, Index patience, Index first,
                           Index memory, int threads) {
  const BoundKernelRows& rows = nb::cast<const BoundKernelRows&>(object);
  const Index n = rows.rows->n();
  if (static_cast<Index>(y.shape(0)) != n) fail("one label a row is needed");
  if (step.shape(0) != 0 && static_cast<Index>(step.shape(0)) != n) fail("one step a row is needed");
  if (first < 0 || first > n) fail("the first row to visit is not there");
  if (memory < 0) fail("memory must not be negative");
  for (const Column i : view(visits))
    if (i < first || i >= n) fail("a visit names a row that is not there");
  const KernelPerceptronProblem problem{*rows.rows, rows.view, rows.spec, y.data(), view(step), view(visits)};
  const KernelPerceptronOptions options{
      eta, intercept, choice(shuffle, Shuffle::every_epoch, "shuffle"), seed, birth, patience, first, memory, threads};
  return {{object, nb::cast(y), nb::cast(step), nb::cast(visits)}, KernelPerceptron(problem, options), n};
}

nb::tuple advance(BoundKernelPerceptron& self, InOut<double> c, InOut<double> a, InOut<Column> updates_of,
                  Counters counters, InOut<double> sums, Index budget, Index until_epoch, bool keep_log) {
  const auto fits = [&](std::size_t size) { return static_cast<Index>(size) == self.n; };
  if (!fits(c.shape(0)) || (a.shape(0) && !fits(a.shape(0))) || (updates_of.shape(0) && !fits(updates_of.shape(0))))
    fail("the arrays of the state must have one entry a row");
  if (counters.shape(0) != 7 || sums.shape(0) != 2) fail("the state does not have the fields of this version");
  check_counters(counters.data(), 7, self.solver.visits_per_epoch());
  std::int64_t* k = counters.data();
  OnlineCounters numbers{.epoch = k[0],
                         .position = k[1],
                         .visits = k[2],
                         .updates = k[3],
                         .epoch_updates = k[4],
                         .best_updates = k[5],
                         .best_epoch = k[6],
                         .epoch_weight = sums.data()[0],
                         .best_weight = sums.data()[1]};
  std::vector<Mistake> log;
  OnlineStop stop;
  {
    nb::gil_scoped_release free;
    const KernelPerceptronArrays arrays{c.data(), a.shape(0) ? a.data() : nullptr,
                                        updates_of.shape(0) ? updates_of.data() : nullptr};
    stop = self.solver.advance(numbers, arrays, bounded(budget), until_epoch, keep_log ? &log : nullptr, poll_signals);
  }
  const OnlineCounters& o = numbers;
  const std::int64_t values[] = {o.epoch,         o.position,     o.visits,    o.updates,
                                 o.epoch_updates, o.best_updates, o.best_epoch};
  std::copy(std::begin(values), std::end(values), k);
  sums.data()[0] = o.epoch_weight, sums.data()[1] = o.best_weight;
  std::vector<Index> visit(log.size());
  std::vector<Column> row(log.size());
  std::vector<double> step(log.size());
  for (std::size_t t = 0; t < log.size(); ++t) visit[t] = log[t].visit, row[t] = log[t].row, step[t] = log[t].step;
  return nb::make_tuple(static_cast<int>(stop), to_numpy(std::move(visit)), to_numpy(std::move(row)),
                        to_numpy(std::move(step)));
}

template <class T>
void exp_in_place(InOut<T> x) {
  exp_nonpositive(x.data(), static_cast<Index>(x.shape(0)));
}

template <class T>
void tanh_in_place(InOut<T> x) {
  tanh_all(x.data(), static_cast<Index>(x.shape(0)));
}

}  // namespace

void bind_kernel(nb::module_& m) {
  m.def("exp_nonpositive", &exp_in_place<float>, "x"_a.noconvert(), "x = exp(x) in place, for x <= 0.");
  m.def("exp_nonpositive", &exp_in_place<double>, "x"_a.noconvert());
  m.def("tanh_in_place", &tanh_in_place<float>, "x"_a.noconvert(), "x = tanh(x) in place.");
  m.def("tanh_in_place", &tanh_in_place<double>, "x"_a.noconvert());
  m.def("kernel_block", &block, "a"_a, "b"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "out"_a.noconvert(),
        "threads"_a, "out = k(a, b) in float64; kind is 0 linear, 1 polynomial, 2 rbf, 3 tanh.");
  m.def("kernel_sums", &sums, "x"_a, "z"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "coef"_a.noconvert(),
        "single"_a, "out"_a.noconvert(), "threads"_a,
        "out[p, i] = sum_j coef[p, j] k(x_i, z_j), in float32 if single.");
  m.def("radial_sums", &bounded_sums, "x"_a, "z"_a, "gamma"_a, "c"_a.noconvert(), "out"_a.noconvert(),
        "error"_a.noconvert(), "threads"_a,
        "out[i] = sum_j c_j exp(-gamma |x_i - z_j|^2) in float32, off by at most error[i].");
  m.def("kernel_expansions", &expand_parts, "x"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "items"_a.noconvert(),
        "ends"_a.noconvert(), "c"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
        "Expansions of many parts, each over its own items, in float64.");
  m.def("kernel_expansion", &expand, "x"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "J"_a.noconvert(),
        "c"_a.noconvert(), "single"_a, "out"_a.noconvert(), "threads"_a,
        "out[i] = sum over j in J of c_j k(x_i, x_j), each pair in J once.");
  nb::class_<BoundKernelRows>(m, "KernelRows", "Rows and a kernel, ready for blocks of kernel values in float32.")
      .def_prop_ro("n", [](const BoundKernelRows& r) { return r.rows->n(); });
  m.def("sums_of_parts", &sums_of_parts, "K"_a.noconvert(), "items"_a.noconvert(), "ends"_a.noconvert(),
        "c"_a.noconvert(), "out"_a.noconvert());
  m.def("kernel_rows", &kernel_rows, "rows"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a, "threads"_a);
  nb::class_<BoundKernelPerceptron>(m, "KernelPerceptron", "The perceptron in its dual form.")
      .def_prop_ro("visits_per_epoch", [](const BoundKernelPerceptron& s) { return s.solver.visits_per_epoch(); })
      .def_prop_ro(
          "exact_scores", [](const BoundKernelPerceptron& s) { return s.solver.exact_scores(); },
          "Decisions that float32 left open and float64 made.")
      .def("advance", &advance, "c"_a.noconvert(), "a"_a.noconvert(), "updates_of"_a.noconvert(),
           "counters"_a.noconvert(), "sums"_a.noconvert(), "budget"_a, "until_epoch"_a, "keep_log"_a,
           "-> (stop, visit, row, step) as OnlineSolver.advance.");
  m.def("kernel_perceptron", &make, "rows"_a, "y"_a.noconvert(), "step"_a.noconvert(), "visits"_a.noconvert(), "eta"_a,
        "intercept"_a, "shuffle"_a, "seed"_a, "birth"_a, "patience"_a, "first"_a, "memory"_a, "threads"_a);
}

}  // namespace widemargin
