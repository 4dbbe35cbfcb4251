#include <cmath>

#include "arrays.hpp"
#include "model/stump_tables.hpp"
#include "solver/boost_stumps.hpp"

namespace widemargin {
namespace {

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Maybe = std::optional<In<T>>;

constexpr Index most_rounds = 100000;

template <class T>
Index length(const T& a) {
  return static_cast<Index>(a.shape(0));
}

void make_ground(StumpGround* self, Floats x, Maybe<std::uint32_t> order, Index positives, Maybe<double> weight,
                 double least_share, int threads) {
  const Index n = length(x), d = static_cast<Index>(x.shape(1));
  if (!(least_share >= 0 && least_share <= 0.5)) fail("a side can have up to half of the weight");
  if (n < 1 || d < 1) fail("stumps need at least one row and one column");
  if (positives < 0 || positives > n) fail("there are not so many rows");
  if (order && length(*order) != n) fail("one place a row is needed");
  for (Index i = 0; order && i < n; ++i)
    if (order->data()[i] >= static_cast<std::uint64_t>(n)) fail("there is no such row");
  if (weight && length(*weight) != n) fail("one weight a row is needed");
  double sum = 0;
  for (Index i = 0; weight && i < n; ++i) {
    if (!(weight->data()[i] >= 0) || !std::isfinite(weight->data()[i])) fail("weights must be finite and not negative");
    sum += weight->data()[i];
  }
  if (weight && !(sum > 0 && sum <= 1e100)) fail("the sum of weights must lie between 0 and 1e100");
  if (number_kinds(x.data(), n * d) == 2) fail("a value is infinite");
  nb::gil_scoped_release free;
  new (self) StumpGround(x.data(), n, d, order ? order->data() : nullptr, positives, weight ? weight->data() : nullptr,
                         threads, poll_signals);
  self->set_least_share(least_share);
}

nb::tuple best(const StumpGround& self, int gain, Matrix<const double> v, Maybe<std::int32_t> only, Index k,
               int threads) {
  const auto g = choice(gain, Gain::roots, "gain");
  const Index n = self.rows(), given = static_cast<Index>(v.shape(1));
  if (length(v) != n || k < 1 || k > (1 << 20) || given != (only ? 1 : k))
    fail("one number a row and channel is needed");
  if (only && length(*only) != n) fail("one channel a row is needed");
  for (Index i = 0; only && i < n; ++i)
    if (only->data()[i] < 0 || only->data()[i] >= k) fail("there is no such channel");
  if ((g == Gain::squares && (k != 2 || only)) || (g == Gain::roots && k % 2))
    fail("the channels do not suit the gain");
  for (Index i = 0; i < n * given; ++i)
    if (!(std::abs(v.data()[i]) <= 1e200) || (g == Gain::roots && v.data()[i] < 0)) fail("a number cannot be used");
  Stump stump;
  float threshold = 0;
  {
    nb::gil_scoped_release free;
    stump = self.best(g, v.data(), k, only ? only->data() : nullptr, threads, poll_signals);
    threshold = self.threshold(stump.column, stump.cut);
  }
  return nb::make_tuple(stump.column, stump.cut, threshold, stump.constant, stump.gain, stump.total,
                        to_numpy(std::move(stump.sums)));
}

void sides(const StumpGround& self, Index column, Index cut, InOut<std::uint8_t> side) {
  if (column < 0 || column >= self.columns() || length(side) != self.rows()) fail("the stump does not suit these rows");
  nb::gil_scoped_release free;
  self.sides(column, cut, side.data());
}

nb::tuple boost(StumpGround& self, InOut<double> margins, double rate, Index rounds, int threads) {
  if (length(margins) != self.rows()) fail("one margin a row is needed");
  for (Index i = 0; i < length(margins); ++i)
    if (!(std::abs(margins.data()[i]) <= 1e200)) fail("margins must be at most 1e200");
  if (!(rate > 0 && rate <= 1e100)) fail("the rate must lie between 0 and 1e100");
  if (rounds < 0 || rounds > most_rounds) fail("at most 100000 rounds at a time");
  StumpRounds out;
  {
    nb::gil_scoped_release free;
    boost_stumps(self, margins.data(), rate, rounds, out, threads, poll_signals);
  }
  return nb::make_tuple(to_numpy(std::move(out.column)), to_numpy(std::move(out.threshold)),
                        to_numpy(std::move(out.values)), to_numpy(std::move(out.error)), to_numpy(std::move(out.step)),
                        static_cast<int>(out.stop));
}

void add_tables(Floats x, In<std::int64_t> columns, In<std::int64_t> first, In<float> thresholds,
                Matrix<const double> tables, Matrix<double> out, int threads) {
  const Index n = length(x), d = static_cast<Index>(x.shape(1)), used = length(columns);
  const Index k = static_cast<Index>(tables.shape(1));
  if (length(first) != used + 1 || (used >= 0 && first.data()[0] != 0) || first.data()[used] != length(thresholds))
    fail("the thresholds do not fill their array");
  for (Index j = 0; j < used; ++j)
    if (columns.data()[j] < 0 || columns.data()[j] >= d || first.data()[j + 1] < first.data()[j])
      fail("a table does not suit these rows");
  if (length(tables) != length(thresholds) + 2 * used || length(out) != n || static_cast<Index>(out.shape(1)) != k)
    fail("the tables have the wrong size");
  nb::gil_scoped_release free;
  add_stump_tables({x.data(), n, d}, {columns.data(), used, first.data(), thresholds.data(), tables.data(), k},
                   out.data(), threads, poll_signals);
}

}  // namespace

void bind_stumps(nb::module_& m) {
  nb::class_<StumpGround>(m, "StumpGround", "Rows of a fit, ranked and ready for stumps.")
      .def("__init__", &make_ground, "x"_a.noconvert(), "order"_a.noconvert().none(), "positives"_a,
           "weight"_a.noconvert().none(), "least_share"_a, "threads"_a)
      .def("best", &best, "gain"_a, "v"_a.noconvert(), "only"_a.noconvert().none(), "k"_a, "threads"_a,
           "(column, cut, threshold, constant, gain, total, sums of the sides)")
      .def("sides", &sides, "column"_a, "cut"_a, "side"_a.noconvert(), "0 left, 1 right, 2 missing.")
      .def("boost", &boost, "margins"_a.noconvert(), "rate"_a, "rounds"_a, "threads"_a,
           "(column, threshold, values, error, step, stop) of rounds of AdaBoost");
  m.def("add_stump_tables", &add_tables, "x"_a.noconvert(), "columns"_a.noconvert(), "first"_a.noconvert(),
        "thresholds"_a.noconvert(), "tables"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
        "Adds what tables of columns say of rows.");
}

}  // namespace widemargin
