#include <cmath>

#include "arrays.hpp"
#include "model/stump_replay.hpp"
#include "model/stump_tables.hpp"
#include "solver/boost_stumps.hpp"
#include "solver/boost_trees.hpp"
#include "solver/boost_words.hpp"
#include "solver/forest.hpp"

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

nb::tuple boost(StumpBooster& self, double rate, Index rounds, int threads) {
  if (!(rate > 0 && rate <= 1e100)) fail("the rate must lie between 0 and 1e100");
  if (rounds < 0 || rounds > most_rounds) fail("at most 100000 rounds at a time");
  StumpRounds out;
  {
    nb::gil_scoped_release free;
    self.boost(rate, rounds, out, threads, poll_signals);
  }
  return nb::make_tuple(to_numpy(std::move(out.column)), to_numpy(std::move(out.threshold)),
                        to_numpy(std::move(out.values)), to_numpy(std::move(out.error)), to_numpy(std::move(out.step)),
                        static_cast<int>(out.stop));
}

void apply_stump(StumpBooster& self, Index column, float threshold, In<double> values, double step, int threads) {
  if (column < 0 || column >= self.ground().columns() || length(values) != 3)
    fail("the stump does not suit these rows");
  if (!(std::abs(step) <= 1e150)) fail("a step is too large");
  nb::gil_scoped_release free;
  self.apply(column, threshold, values.data(), step, threads, poll_signals);
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

// (weights of wrong rows, of all rows, share of undecided rows) of each stump; margins of the rows at the end.
nb::tuple replay(Floats x, In<std::uint8_t> negative, In<double> share, In<std::int64_t> column, In<float> threshold,
                 Matrix<const double> values, In<double> steps, In<double> factor, InOut<double> margins, int threads) {
  const Index n = length(x), d = static_cast<Index>(x.shape(1)), size = length(column);
  if (length(negative) != n || length(share) != n || length(margins) != n) fail("one number a row is needed");
  if (length(threshold) != size || length(values) != size || values.shape(1) != 3 || length(steps) != size ||
      length(factor) != size)
    fail("one number a stump is needed");
  for (Index t = 0; t < size; ++t)
    if (column.data()[t] < 0 || column.data()[t] >= d) fail("a stump does not suit these rows");
  std::vector<double> wrong(static_cast<std::size_t>(size)), all(wrong), undecided(wrong);
  {
    nb::gil_scoped_release free;
    replay_stumps({x.data(), n, d}, negative.data(), share.data(),
                  {column.data(), threshold.data(), values.data(), steps.data(), factor.data(), size}, margins.data(),
                  wrong.data(), all.data(), undecided.data(), threads, poll_signals);
  }
  return nb::make_tuple(to_numpy(std::move(wrong)), to_numpy(std::move(all)), to_numpy(std::move(undecided)));
}

void make_words(WordGround* self, In<std::int64_t> first, In<std::int32_t> term, Index terms,
                Matrix<const std::int8_t> sign, Maybe<double> weight, int threads) {
  const Index n = length(first) - 1, k = static_cast<Index>(sign.shape(1)), size = length(term);
  if (n < 1 || terms < 1 || k < 1 || length(sign) != n) fail("documents, terms and labels are needed");
  if (terms >= (Index{1} << 31) || n >= (Index{1} << 31) || terms * k >= (Index{1} << 40)) fail("there are too many");
  if (first.data()[0] != 0 || first.data()[n] != size) fail("the terms do not fill their array");
  for (Index i = 0; i < n; ++i) {
    const Index begin = first.data()[i], end = first.data()[i + 1];
    if (begin < 0 || end < begin || end > size) fail("the terms do not fill their array");
    for (Index j = begin; j < end; ++j)
      if (term.data()[j] < 0 || term.data()[j] >= terms || (j > begin && term.data()[j] <= term.data()[j - 1]))
        fail("the terms of a document must rise");
  }
  for (Index i = 0; i < n * k; ++i)
    if (sign.data()[i] != 1 && sign.data()[i] != -1) fail("signs are 1 or -1");
  if (weight && length(*weight) != n) fail("one weight a row is needed");
  for (Index i = 0; weight && i < n; ++i)
    if (!(weight->data()[i] > 0 && weight->data()[i] <= 1e30)) fail("weights must be positive, and at most 1e30");
  nb::gil_scoped_release free;
  new (self) WordGround({first.data(), term.data(), n, terms}, sign.data(), k, weight ? weight->data() : nullptr,
                        threads, poll_signals);
}

nb::tuple boost_words(WordGround& self, double rate, double eta, bool abstain, Index rounds, int threads) {
  if (!(rate > 0 && rate <= 1e100)) fail("the rate must lie between 0 and 1e100");
  if (!(eta > 0 && eta <= 1e100)) fail("the smoothing must lie between 0 and 1e100");
  if (rounds < 0 || rounds > most_rounds) fail("at most 100000 rounds at a time");
  WordRounds out;
  {
    nb::gil_scoped_release free;
    self.boost({rate, eta, abstain}, rounds, out, threads, poll_signals);
  }
  return nb::make_tuple(to_numpy(std::move(out.term)), to_numpy(std::move(out.absent)),
                        to_numpy(std::move(out.present)), to_numpy(std::move(out.z)), out.touched, out.told_nothing);
}

Index apply_word(WordGround& self, Index term, In<double> absent, In<double> present, int threads) {
  if (term < 0 || term >= self.terms()) fail("there is no such term");
  if (length(absent) != self.labels() || length(present) != self.labels()) fail("one vote a label is needed");
  for (Index l = 0; l < self.labels(); ++l)
    if (!(std::abs(absent.data()[l]) <= 1e100 && std::abs(present.data()[l]) <= 1e100)) fail("a vote is too large");
  nb::gil_scoped_release free;
  return self.apply(term, absent.data(), present.data(), threads, poll_signals);
}

void make_trees(TreeGround* self, Floats x, int bins, int threads) {
  const Index n = length(x), d = static_cast<Index>(x.shape(1));
  if (n < 1 || d < 1) fail("trees need at least one row and one column");
  if (bins < 2 || bins > 256) fail("bins must lie between 2 and 256");
  if (number_kinds(x.data(), n * d) == 2) fail("a value is infinite");
  nb::gil_scoped_release free;
  new (self) TreeGround(x.data(), n, d, bins, threads, poll_signals);
}

nb::tuple grow_tree(TreeGround& self, In<double> w, In<double> z, Index max_depth, Index min_split, Index min_leaf,
                    InOut<double> said, int threads) {
  const Index n = self.rows();
  if (!self.takes()) fail("these rows have missing values");
  if (length(w) != n || length(z) != n || length(said) != n) fail("one number a row is needed");
  if (max_depth < 1 || max_depth > 64 || min_split < 2 || min_leaf < 1) fail("the limits make no sense");
  for (Index i = 0; i < n; ++i)
    if (!(w.data()[i] > 0 && w.data()[i] <= 1e100 && std::abs(z.data()[i]) <= 1e100)) fail("a number cannot be used");
  Forest forest(self.columns(), 3, false);
  {
    nb::gil_scoped_release free;
    forest.add(self.grow(w.data(), z.data(), {max_depth, min_split, min_leaf}, said.data(), threads, poll_signals));
  }
  const auto copy = [](const auto& v) { return to_numpy(std::remove_cvref_t<decltype(v)>(v)); };
  return nb::make_tuple(to_numpy(forest.nodes()), forest.shift(), copy(forest.first()), copy(forest.stats()),
                        copy(forest.rows()), copy(forest.sets()));
}

void bind_words(nb::module_& m) {
  nb::class_<WordGround>(m, "WordGround", "Documents of a fit, ready for stumps that ask for a term.")
      .def("__init__", &make_words, "first"_a.noconvert(), "term"_a.noconvert(), "terms"_a, "sign"_a.noconvert(),
           "weight"_a.noconvert().none(), "threads"_a)
      .def("boost", &boost_words, "rate"_a, "eta"_a, "abstain"_a, "rounds"_a, "threads"_a,
           "(terms, votes without and with them, Z, documents touched, whether nothing is left) of rounds")
      .def("apply", &apply_word, "term"_a, "absent"_a.noconvert(), "present"_a.noconvert(), "threads"_a,
           "A round that is known; the number of documents that it touched.");
  nb::class_<TreeGround>(m, "TreeGround", "Rows of a fit, ready for trees of squared error, one after the other.")
      .def("__init__", &make_trees, "x"_a.noconvert(), "bins"_a, "threads"_a)
      .def_prop_ro("takes", &TreeGround::takes, "Whether nothing is missing.")
      .def("grow", &grow_tree, "w"_a.noconvert(), "z"_a.noconvert(), "max_depth"_a, "min_split"_a, "min_leaf"_a,
           "said"_a.noconvert(), "threads"_a, "(nodes, shift, first, leaf, stats, rows, sets) of a tree");
}

}  // namespace

void bind_stumps(nb::module_& m) {
  bind_words(m);
  m.def("replay_stumps", &replay, "x"_a.noconvert(), "negative"_a.noconvert(), "share"_a.noconvert(),
        "column"_a.noconvert(), "threshold"_a.noconvert(), "values"_a.noconvert(), "steps"_a.noconvert(),
        "factor"_a.noconvert(), "margins"_a.noconvert(), "threads"_a,
        "(weights of wrong rows, of all rows, share of undecided rows) of each stump.");
  nb::class_<StumpGround>(m, "StumpGround", "Rows of a fit, ranked and ready for stumps.")
      .def("__init__", &make_ground, "x"_a.noconvert(), "order"_a.noconvert().none(), "positives"_a,
           "weight"_a.noconvert().none(), "least_share"_a, "threads"_a)
      .def("best", &best, "gain"_a, "v"_a.noconvert(), "only"_a.noconvert().none(), "k"_a, "threads"_a,
           "(column, cut, threshold, constant, gain, total, sums of the sides)")
      .def("sides", &sides, "column"_a, "cut"_a, "side"_a.noconvert(), "0 left, 1 right, 2 missing.");
  nb::class_<StumpBooster>(m, "StumpBooster", "AdaBoost for two classes, with the weights of its rows; one a ground.")
      .def(nb::init<StumpGround&>(), nb::keep_alive<1, 2>(), "ground"_a)
      .def("boost", &boost, "rate"_a, "rounds"_a, "threads"_a,
           "(column, threshold, values, error, step, stop) of rounds")
      .def("apply", &apply_stump, "column"_a, "threshold"_a, "values"_a.noconvert(), "step"_a, "threads"_a,
           "A round that is known.")
      .def("margins", [](const StumpBooster& self) { return to_numpy(std::vector<double>(self.margins())); });
  m.def("add_stump_tables", &add_tables, "x"_a.noconvert(), "columns"_a.noconvert(), "first"_a.noconvert(),
        "thresholds"_a.noconvert(), "tables"_a.noconvert(), "out"_a.noconvert(), "threads"_a,
        "Adds what tables of columns say of rows.");
}

}  // namespace widemargin
