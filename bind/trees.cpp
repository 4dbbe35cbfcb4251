#include <cmath>

#include "arrays.hpp"
#include "data/draws.hpp"
#include "model/prune.hpp"
#include "model/tree.hpp"
#include "solver/forest.hpp"

namespace widemargin {
namespace {

using Floats = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Maybe = std::optional<In<T>>;

template <class T>
Index length(const T& a) {
  return static_cast<Index>(a.shape(0));
}

struct BoundGround {
  std::vector<nb::object> owners;
  std::unique_ptr<Ground> ground;
  Index columns, stats;
  bool classes;
};

Targets targets_of(Index n, const Maybe<std::int32_t>& codes, const Maybe<double>& numbers,
                   const std::vector<Index>& classes, Index outputs, const Maybe<double>& weight) {
  if (codes.has_value() == numbers.has_value()) fail("either classes or numbers are needed");
  if (outputs < 1 || outputs > (1 << 20)) fail("there must be at least one output");
  if ((codes ? length(*codes) : length(*numbers)) != n * outputs) fail("one target a row and output is needed");
  if (weight && length(*weight) != n) fail("one weight a row is needed");
  if (codes) {
    if (static_cast<Index>(classes.size()) != outputs) fail("one number of classes an output is needed");
    for (const Index k : classes)
      if (k < 1 || k > (1 << 24)) fail("each output needs at least one class");
    for (Index i = 0; i < n * outputs; ++i)
      if (codes->data()[i] < 0 || codes->data()[i] >= classes[static_cast<std::size_t>(i % outputs)])
        fail("a class is not there");
  }
  for (Index i = 0; weight && i < n; ++i)
    if (!(weight->data()[i] >= 0) || !std::isfinite(weight->data()[i])) fail("weights must be finite and not negative");
  for (Index i = 0; numbers && i < n * outputs; ++i)
    if (!std::isfinite(numbers->data()[i])) fail("targets must be finite");
  Targets t;
  t.n = n;
  t.outputs = outputs;
  t.codes = codes ? codes->data() : nullptr;
  t.numbers = numbers ? numbers->data() : nullptr;
  t.classes = classes;
  t.weight = weight ? weight->data() : nullptr;
  return t;
}

void make_ground(BoundGround* self, Floats x, Maybe<std::int32_t> codes, Maybe<double> numbers,
                 std::vector<Index> classes, Index outputs, Maybe<double> weight, Maybe<std::uint8_t> categorical,
                 int bins, bool random, int threads) {
  const Index n = length(x), d = static_cast<Index>(x.shape(1));
  if (n < 1 || d < 1) fail("trees need at least one row and one column");
  if (bins != 0 && (bins < 2 || bins > 256)) fail("bins must be 0 or 2 to 256");
  if (categorical && length(*categorical) != d) fail("one mark a column is needed");
  const Targets targets = targets_of(n, codes, numbers, classes, outputs, weight);
  if (number_kinds(x.data(), n * d) == 2) fail("a value is infinite");
  new (self) BoundGround{{nb::cast(x)}, nullptr, d, targets.stats(), codes.has_value()};
  nb::gil_scoped_release free;
  self->ground = std::make_unique<Ground>(x.data(), n, d, d, targets, categorical ? categorical->data() : nullptr, bins,
                                          threads, poll_signals, random);
}

struct BoundForest {
  Forest forest;
  Index columns, stats;
  bool classes;
};

void grow(BoundForest& self, const BoundGround& on, int criterion, bool random, Index max_features, Index max_depth,
          Index max_leaves, Index min_split, Index min_leaf, double min_leaf_weight, double min_decrease,
          std::uint64_t seed, bool bootstrap, Index draws, Maybe<double> sums, bool balance, Index members,
          Maybe<std::int8_t> monotonic, bool honest, Index first, Index count, int threads) {
  GrowOptions o{choice(criterion, Criterion::absolute, "criterion"),
                random,
                max_features,
                max_depth,
                max_leaves,
                min_split,
                min_leaf,
                min_leaf_weight,
                min_decrease,
                seed,
                monotonic ? monotonic->data() : nullptr,
                honest};
  if (first < 0 || first > (Index{1} << 40) || count < 0 || count > (1 << 24))
    fail("the number of trees is out of range");
  if (!on.ground || on.columns != self.columns || on.stats != self.stats || on.classes != self.classes)
    fail("this forest grows on other ground");
  if (on.classes != (o.criterion <= Criterion::gain)) fail("the criterion does not suit these targets");
  if (max_features < 1 || max_features > on.columns) fail("max_features must lie between 1 and the number of columns");
  if (max_depth < 0 || max_leaves < 0 || max_leaves == 1 || min_split < 1 || min_leaf < 1) fail("a limit is too small");
  if (!(min_leaf_weight >= 0 && min_leaf_weight <= 1) || std::isnan(min_decrease)) fail("a limit is not a number");
  if (bootstrap && (draws < 1 || draws > 1000 * on.ground->rows() + 1000)) fail("the number of draws is out of range");
  if (sums && length(*sums) != on.ground->rows()) fail("one sum of weights a row is needed");
  if (members < 0 || (members > 0 && (!bootstrap || first + count > members || members > on.ground->rows())))
    fail("rows can be dealt out to at most as many trees as there are rows");
  if (balance && !on.classes) fail("only classes can be balanced");
  if (monotonic && length(*monotonic) != on.columns) fail("one sign a column is needed");
  if (monotonic && (on.classes ? on.stats != 2 : on.stats != 3))
    fail("an order can be demanded of one number or of two classes");
  if (monotonic && o.criterion == Criterion::absolute) fail("an order of medians is not offered");
  nb::gil_scoped_release free;
  const Draw draw{bootstrap, draws, sums ? sums->data() : nullptr, balance, members};
  self.forest.grow(*on.ground, o, draw, first, count, threads, poll_signals);
}

// Trees in arrays of Python's.
struct BoundTrees {
  std::vector<nb::object> owners;
  ForestView view;
  Index lines;
  LeafTable says{nullptr, nullptr, 0};
};

// Of no trees, and of trees with categories, the arrays alone: the marks of these are not known here. All others need
// not be looked over, as they were made here.
nb::tuple arrays(const BoundForest& self) {
  const Forest& f = self.forest;
  const auto copy = [](const auto& v) { return nb::cast(to_numpy(std::remove_cvref_t<decltype(v)>(v))); };
  const nb::object nodes = nb::cast(to_numpy(f.nodes())), first = copy(f.first()), sets = copy(f.sets());
  nb::object native = nb::none();
  if (f.trees() > 0 && f.sets().empty()) {
    const auto data = [](const nb::object& array) { return nb::cast<nb::ndarray<nb::ro>>(array).data(); };
    ForestView v;
    v.nodes = static_cast<const std::uint32_t*>(data(nodes));
    v.shift = f.shift();
    v.words = v.shift ? 2 : 4;
    v.first = static_cast<const Index*>(data(first));
    v.trees = f.trees();
    v.columns = self.columns;
    native = nb::cast(BoundTrees{{nodes, first}, v, static_cast<Index>(f.rows().size())});
  }
  return nb::make_tuple(native, nodes, f.shift(), first, copy(f.stats()), copy(f.rows()), sets, copy(f.centres()));
}

// A file may hold anything: nodes are looked over once.
void make_trees(BoundTrees* self, In<std::uint32_t> nodes, int shift, In<std::int64_t> first, Index lines,
                Index columns, Maybe<std::uint8_t> categorical, In<std::uint32_t> sets) {
  const int words = shift ? 2 : 4;
  if (shift < 0 || shift == 1 || shift > 31) fail("the bits of a child are out of range");
  if (columns < 1 || length(first) < 1) fail("there are no trees");
  if (length(nodes) % words) fail("a node is not whole");
  if (categorical && length(*categorical) != columns) fail("one mark a column is needed");
  ForestView v;
  v.nodes = nodes.data();
  v.words = words;
  v.shift = shift;
  v.first = first.data();
  v.trees = length(first) - 1;
  v.columns = columns;
  v.categorical = categorical ? categorical->data() : nullptr;
  v.sets = sets.data();
  if (const char* flaw = flaw_of(v, length(nodes) / words, lines, length(sets) / 8)) fail(flaw);
  new (self) BoundTrees{{nb::cast(nodes), nb::cast(first), nb::cast(sets)}, v, lines};
  if (categorical) self->owners.push_back(nb::cast(*categorical));
}

RowsView rows_of(const BoundTrees& self, const Floats& x, bool missing) {
  if (static_cast<Index>(x.shape(1)) != self.view.columns) fail("rows have another number of columns");
  return {x.data(), length(x), self.view.columns, missing};
}

void leaves(const BoundTrees& self, Floats x, bool missing, bool lines, Matrix<std::uint32_t> out, int threads) {
  const RowsView rows = rows_of(self, x, missing);
  if (length(out) != rows.n || static_cast<Index>(out.shape(1)) != self.view.trees) fail("one leaf a row and tree");
  nb::gil_scoped_release free;
  find_leaves(self.view, rows, lines, out.data(), threads, poll_signals);
}

Out<double> shares(Matrix<const double> stats, const std::vector<Index>& classes) {
  Index width = 0;
  for (const Index k : classes) {
    if (k < 1 || k > (1 << 24)) fail("each output needs at least one class");
    width += k;
  }
  if (classes.empty() || static_cast<Index>(stats.shape(1)) != width) fail("one number a class is needed");
  std::vector<double> out(stats.size());
  find_shares(stats.data(), length(stats), classes, out.data());
  return to_numpy(std::move(out));
}

nb::tuple table(Matrix<const double> stats) {
  if (stats.shape(1) < 1) fail("one number a class is needed");
  std::vector<std::int32_t> only(stats.shape(0));
  std::vector<double> mixed = find_mixed(stats.data(), length(stats), static_cast<Index>(stats.shape(1)), only.data());
  return nb::make_tuple(to_numpy(std::move(mixed)), to_numpy(std::move(only)));
}

void tell(BoundTrees& self, Matrix<const double> says, Maybe<std::int32_t> only) {
  const auto width = static_cast<Index>(says.shape(1));
  if (self.says.says || self.says.only) return;  // by another thread
  if ((only ? length(*only) : length(says)) != self.lines) fail("one line a leaf is needed");
  for (Index i = 0; only && i < self.lines; ++i)
    if (only->data()[i] >= width || -1 - Index{only->data()[i]} >= length(says)) fail("a leaf says what is not there");
  self.owners.push_back(nb::cast(says));
  if (only) self.owners.push_back(nb::cast(*only));
  self.says = {says.data(), only ? only->data() : nullptr, width};
}

void votes(const BoundTrees& self, Floats x, bool missing, Index begin, Index end,
           std::optional<Matrix<const std::uint32_t>> times, Matrix<double> out,
           std::optional<InOut<std::int32_t>> voters, int threads) {
  const RowsView rows = rows_of(self, x, missing);
  if (!self.says.says && !self.says.only) fail("these leaves have not been told what to say");
  if (begin < 0 || end < begin || end > self.view.trees) fail("trees are out of range");
  if (length(out) != rows.n || static_cast<Index>(out.shape(1)) != self.says.width)
    fail("one line of votes a row is needed");
  if (times.has_value() != voters.has_value()) fail("draws and voters go together");
  if (times &&
      (length(*times) != end - begin || static_cast<Index>(times->shape(1)) != rows.n || length(*voters) != rows.n))
    fail("one number of draws a tree and row is needed");
  nb::gil_scoped_release free;
  add_votes(self.view, self.says, rows, begin, end, times ? times->data() : nullptr, out.data(),
            voters ? voters->data() : nullptr, threads, poll_signals);
}

void sums(const BoundTrees& self, Index tree, Matrix<const double> stats, In<std::int32_t> rows, Matrix<double> out,
          InOut<std::int64_t> out_rows) {
  if (tree < 0 || tree >= self.view.trees) fail("there is no such tree");
  const auto width = static_cast<Index>(stats.shape(1));
  if (length(stats) != self.lines || length(rows) != self.lines) fail("one line a leaf is needed");
  if (length(out) != self.view.size(tree) || static_cast<Index>(out.shape(1)) != width ||
      length(out_rows) != self.view.size(tree))
    fail("one line a node is needed");
  sum_up(self.view, tree, stats.data(), width, rows.data(), out.data(), out_rows.data());
}

void check_centres(const BoundForest& self, const BoundTrees& from,
                   const std::optional<Matrix<const double>>& centres) {
  if (centres &&
      (length(*centres) != from.view.first[from.view.trees] || static_cast<Index>(centres->shape(1)) != self.stats - 1))
    fail("one centre a node is needed");
}

void append(BoundForest& self, const BoundTrees& from, Matrix<const double> stats, In<std::int32_t> rows,
            std::optional<Matrix<const double>> centres) {
  check_centres(self, from, centres);
  if (from.view.columns != self.columns || static_cast<Index>(stats.shape(1)) != self.stats)
    fail("these trees grew on other ground");
  if (length(stats) != from.lines || length(rows) != from.lines) fail("one line a leaf is needed");
  self.forest.add(from.view, stats.data(), rows.data(), centres ? centres->data() : nullptr, from.lines);
}

void append_cut(BoundForest& self, const BoundTrees& from, Index tree, In<std::uint8_t> cut, Matrix<const double> stats,
                In<std::int64_t> rows, std::optional<Matrix<const double>> centres) {
  if (tree < 0 || tree >= from.view.trees) fail("there is no such tree");
  if (from.view.columns != self.columns || static_cast<Index>(stats.shape(1)) != self.stats)
    fail("these trees grew on other ground");
  const Index size = from.view.size(tree);
  if (length(cut) != size || length(stats) != size || length(rows) != size) fail("one line a node is needed");
  if (centres && (length(*centres) != size || static_cast<Index>(centres->shape(1)) != self.stats - 1))
    fail("one centre a node is needed");
  self.forest.add_cut(from.view, tree, cut.data(), stats.data(), rows.data(), centres ? centres->data() : nullptr);
}

nb::tuple prune(In<std::int64_t> left, In<std::int64_t> right, In<double> cost) {
  const Index n = length(left);
  if (n < 1 || length(right) != n || length(cost) != n) fail("children and cost of each node are needed");
  for (Index t = 0; t < n; ++t) {
    const auto l = left.data()[t], r = right.data()[t];
    if ((l < 0) != (r < 0) || (l >= 0 && (l <= t || r <= t || l >= n || r >= n))) fail("the nodes form no tree");
  }
  nb::gil_scoped_release free;
  PrunePath path = prune_path(left.data(), right.data(), cost.data(), n);
  nb::gil_scoped_acquire held;
  return nb::make_tuple(to_numpy(std::move(path.alphas)), to_numpy(std::move(path.costs)),
                        to_numpy(std::move(path.step)));
}

void draws(std::uint64_t seed, Index member, Index size, Maybe<double> sums, InOut<std::uint32_t> times) {
  if (sums && length(*sums) != length(times)) fail("one sum of weights a row is needed");
  if (length(times) < 1 || length(times) >= (Index{1} << 31)) fail("there must be rows to draw");
  if (member < 0 || size < 0 || size > 1000 * length(times) + 1000) fail("the number of draws is out of range");
  nb::gil_scoped_release free;
  draw_rows(seed, member, length(times), size, sums ? sums->data() : nullptr, times.data());
}

int kinds(Floats x) { return number_kinds(x.data(), static_cast<Index>(x.size())); }

void deals(std::uint64_t seed, Index member, Index members, InOut<std::uint32_t> times) {
  if (length(times) < 1 || length(times) >= (Index{1} << 31)) fail("there must be rows to deal");
  if (member < 0 || members < 1 || member >= members) fail("there is no such member");
  nb::gil_scoped_release free;
  deal_rows(seed, member, members, length(times), times.data());
}

// The tree by scikit-learn's numbers of nodes, and where each node stands here.
nb::tuple layout(const BoundTrees& self, Index tree) {
  if (tree < 0 || tree >= self.view.trees) fail("there is no such tree");
  const auto n = static_cast<std::size_t>(self.view.size(tree));
  std::vector<std::int64_t> left(n), right(n), column(n), origin(n), depth(n);
  std::vector<double> threshold(n);
  std::vector<std::uint8_t> missing(n);
  lay_out(self.view, tree,
          {left.data(), right.data(), column.data(), threshold.data(), missing.data(), origin.data(), depth.data()});
  return nb::make_tuple(to_numpy(std::move(left)), to_numpy(std::move(right)), to_numpy(std::move(column)),
                        to_numpy(std::move(threshold)), to_numpy(std::move(missing)), to_numpy(std::move(origin)),
                        to_numpy(std::move(depth)));
}

Out<std::uint32_t> children(In<std::uint8_t> is_leaf, In<std::int64_t> first) {
  if (length(first) < 1 || first.data()[0] != 0 || first.data()[length(first) - 1] != length(is_leaf))
    fail("the trees do not fill their arrays");
  for (Index t = 0; t + 1 < length(first); ++t)
    if (first.data()[t + 1] <= first.data()[t]) fail("a tree has no nodes");
  std::vector<std::uint32_t> left(is_leaf.shape(0));
  if (!find_children(is_leaf.data(), first.data(), length(first) - 1, left.data())) fail("the leaves form no trees");
  return to_numpy(std::move(left));
}

}  // namespace

void bind_trees(nb::module_& m) {
  nb::class_<BoundGround>(m, "Ground", "Rows of a fit, ranked and ready for trees.")
      .def("__init__", &make_ground, "x"_a.noconvert(), "codes"_a.noconvert().none(), "numbers"_a.noconvert().none(),
           "classes"_a, "outputs"_a, "weight"_a.noconvert().none(), "categorical"_a.noconvert().none(), "bins"_a,
           "random"_a, "threads"_a);
  nb::class_<BoundForest>(m, "Forest", "Trees that are being grown.")
      .def(
          "__init__",
          [](BoundForest* self, Index columns, Index stats, bool classes) {
            if (columns < 1 || stats < 1) fail("a forest needs columns and something to say");
            new (self) BoundForest{Forest(columns, stats, classes), columns, stats, classes};
          },
          "columns"_a, "stats"_a, "classes"_a)
      .def("grow", &grow, "ground"_a, "criterion"_a, "random"_a, "max_features"_a, "max_depth"_a, "max_leaves"_a,
           "min_split"_a, "min_leaf"_a, "min_leaf_weight"_a, "min_decrease"_a, "seed"_a, "bootstrap"_a, "draws"_a,
           "sums"_a.noconvert().none(), "balance"_a, "members"_a, "monotonic"_a.noconvert().none(), "honest"_a,
           "first"_a, "count"_a, "threads"_a)
      .def("append", &append, "trees"_a, "stats"_a.noconvert(), "rows"_a.noconvert(), "centres"_a.noconvert().none(),
           "Trees of another forest.")
      .def("append_cut", &append_cut, "trees"_a, "tree"_a, "cut"_a.noconvert(), "stats"_a.noconvert(),
           "rows"_a.noconvert(), "centres"_a.noconvert().none(), "A tree cut back.")
      .def("arrays", &arrays, "(native, nodes, shift, first, stats, rows, sets, centres)")
      .def_prop_ro("trees", [](const BoundForest& self) { return self.forest.trees(); });
  nb::class_<BoundTrees>(m, "Trees", "Trees in arrays.")
      .def("__init__", &make_trees, "nodes"_a.noconvert(), "shift"_a, "first"_a.noconvert(), "lines"_a, "columns"_a,
           "categorical"_a.noconvert().none(), "sets"_a.noconvert())
      .def("leaves", &leaves, "x"_a.noconvert(), "missing"_a, "lines"_a, "out"_a.noconvert(), "threads"_a)
      .def("tell", &tell, "says"_a.noconvert(), "only"_a.noconvert().none(), "What the lines of leaves say, once.")
      .def("votes", &votes, "x"_a.noconvert(), "missing"_a, "begin"_a, "end"_a, "times"_a.noconvert().none(),
           "out"_a.noconvert(), "voters"_a.noconvert().none(), "threads"_a)
      .def("layout", &layout, "tree"_a, "(left, right, column, threshold, missing_left, origin, depth)")
      .def("sum_up", &sums, "tree"_a, "stats"_a.noconvert(), "rows"_a.noconvert(), "out"_a.noconvert(),
           "out_rows"_a.noconvert());
  m.def("prune_path", &prune, "left"_a.noconvert(), "right"_a.noconvert(), "cost"_a.noconvert(),
        "(alphas, costs, step) of cutting a tree back to its root.");
  m.def("draw_rows", &draws, "seed"_a, "member"_a, "size"_a, "sums"_a.noconvert().none(), "times"_a.noconvert(),
        "How often a member of an ensemble has drawn each row.");
  m.def("deal_rows", &deals, "seed"_a, "member"_a, "members"_a, "times"_a.noconvert(),
        "Which rows a member has, where all rows are dealt out.");
  m.def("left_children", &children, "is_leaf"_a.noconvert(), "first"_a.noconvert(),
        "The left child of each node, from which nodes are leaves.");
  m.def("leaf_shares", &shares, "stats"_a.noconvert(), "classes"_a, "Shares of the classes, output after output.");
  m.def("leaf_table", &table, "stats"_a.noconvert(),
        "Shares of the classes where there are several; of each line the only class, or -1 - its place among these.");
  m.def("number_kinds", &kinds, "x"_a.noconvert(), "0 all finite, 1 some missing, 2 some infinite.");
}

}  // namespace widemargin
