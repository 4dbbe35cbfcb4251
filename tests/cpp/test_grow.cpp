#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "model/prune.hpp"
#include "solver/forest.hpp"
#include "solver/honest.hpp"
#include "solver/median_stats.hpp"

using namespace widemargin;

namespace {

struct Rows {
  Index n, d;
  std::vector<float> x;
  std::vector<std::int32_t> codes;
  std::vector<double> numbers;

  Rows(Index rows, Index columns, std::uint64_t seed) : n(rows), d(columns) {
    Random random(seed, Purpose::start, 0);
    for (Index i = 0; i < n * d; ++i) x.push_back(static_cast<float>(random.uniform()));
    for (Index i = 0; i < n; ++i) {
      const float* row = x.data() + i * d;
      codes.push_back(row[0] + row[1] > 1 ? 1 : row[0] > 0.7f ? 2 : 0);
      numbers.push_back(row[0] - row[1] + random.uniform());
    }
  }

  Targets targets(bool classes) const {
    Targets t;
    t.n = n;
    t.codes = classes ? codes.data() : nullptr;
    t.numbers = classes ? nullptr : numbers.data();
    if (classes) t.classes = {3};
    return t;
  }
  Ground ground(bool classes, int bins = 0, bool random = false) const {
    return Ground(x.data(), n, d, d, targets(classes), nullptr, bins, 1, never, random);
  }
};

GrowOptions options(Criterion criterion, Index columns) {
  GrowOptions o;
  o.criterion = criterion;
  o.max_features = columns;
  o.seed = 7;
  return o;
}

std::vector<GrownTree> grown(const Ground& ground, const GrowOptions& o, const Draw& draw, std::size_t trees,
                             int threads = 1) {
  std::vector<GrownTree> out(trees);
  ground.grow(o, draw, 0, out, threads, never);
  return out;
}

std::uint32_t leaf_of(const GrownTree& tree, const float* row) {
  std::uint32_t node = 0;
  while (tree.nodes[node].column >= 0)
    node = tree.nodes[node].left + !(row[tree.nodes[node].column] <= tree.nodes[node].threshold);
  return tree.nodes[node].leaf;
}

bool same(const GrownTree& a, const GrownTree& b) {
  if (a.nodes.size() != b.nodes.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (a.nodes[i].threshold != b.nodes[i].threshold || a.nodes[i].column != b.nodes[i].column) return false;
  return true;
}

}  // namespace

TEST(every_leaf_of_an_unpruned_tree_is_pure) {
  const Rows r(800, 5, 1);
  for (const bool random : {false, true}) {
    GrowOptions o = options(Criterion::gini, 2);
    o.random = random;
    const auto trees = grown(r.ground(true, 0, random), o, {}, 2);
    for (const GrownTree& tree : trees) {
      Index rows = 0;
      for (const GrownLeaf& leaf : tree.leaves) {
        CHECK(leaf.only >= 0);
        rows += leaf.rows;
      }
      CHECK(rows == r.n);
      for (Index i = 0; i < r.n; ++i)
        CHECK(tree.leaves[leaf_of(tree, r.x.data() + i * r.d)].only == r.codes[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(a_tree_depends_on_its_seed_and_number_alone) {
  const Rows r(500, 4, 2);
  const Ground ground = r.ground(true);
  Draw draw;
  draw.bootstrap = true;
  draw.size = r.n;
  const GrowOptions o = options(Criterion::gini, 2);
  const auto one = grown(ground, o, draw, 6, 1), three = grown(ground, o, draw, 6, 3);
  std::vector<GrownTree> later(2);
  ground.grow(o, draw, 4, later, 1, never);
  for (std::size_t t = 0; t < 6; ++t) CHECK(same(one[t], three[t]));
  for (std::size_t t = 0; t < 2; ++t) CHECK(same(one[4 + t], later[t]));
  CHECK(!same(one[0], one[1]));
}

// Rows with weights go column by column, rows without them by eight columns at once. Every third column is soon
// constant.
TEST(a_tree_is_the_same_whether_columns_are_looked_at_together_or_alone) {
  Rows r(900, 20, 6);
  for (Index i = 0; i < r.n; ++i)
    for (Index f = 2; f < r.d; f += 3) r.x[static_cast<std::size_t>(i * r.d + f)] = i % 50 == f ? 1.0f : 0.0f;
  const std::vector<double> ones(static_cast<std::size_t>(r.n), 1.0);
  Targets weighted = r.targets(true);
  weighted.weight = ones.data();
  for (const int bins : {0, 255}) {
    for (const bool random : {false, true})
      for (const Index columns : {1, 4, 20}) {
        const Ground together = r.ground(true, bins, random);
        const Ground alone(r.x.data(), r.n, r.d, r.d, weighted, nullptr, bins, 1, never, random);
        GrowOptions o = options(Criterion::gini, columns);
        o.random = random;
        const auto a = grown(together, o, {}, 5), b = grown(alone, o, {}, 5);
        for (std::size_t t = 0; t < a.size(); ++t) CHECK(same(a[t], b[t]));
      }
  }
}

TEST(random_cuts_need_no_ranks) {
  Rows r(700, 6, 9);
  for (const bool holes : {false, true}) {
    if (holes)
      for (Index i = 0; i < r.n; i += 3) r.x[static_cast<std::size_t>(i * r.d + i % 5)] = std::nanf("");
    for (const bool classes : {false, true}) {
      const std::vector<std::uint8_t> marks(6, 0);  // where there may be categories, all is ranked
      const Ground ranked(r.x.data(), r.n, r.d, r.d, r.targets(classes), marks.data(), 0, 1, never, true);
      const Ground bare = r.ground(classes, 0, true);
      CHECK(ranked.ranks().ranked() && !bare.ranks().ranked());
      CHECK(ranked.ranks().missing == bare.ranks().missing);
      GrowOptions o = options(classes ? Criterion::gini : Criterion::squared, 2);
      CHECK_THROWS(Error, grown(bare, o, {}, 1));
      CHECK(grown(ranked, o, {}, 1)[0].nodes.size() > 50);
      o.random = true;
      CHECK_THROWS(Error, grown(r.ground(classes), o, {}, 1));
      const auto a = grown(ranked, o, {}, 4), b = grown(bare, o, {}, 4);
      for (std::size_t t = 0; t < a.size(); ++t) CHECK(a[t].nodes.size() > 50 && same(a[t], b[t]));
    }
  }
}

// A limit that nothing falls below makes columns of few codes be counted one by one.
TEST(a_tree_is_the_same_whether_columns_are_counted_together_or_alone) {
  const Rows r(900, 20, 8);
  const Ground ground = r.ground(true, 16);
  for (const Index columns : {1, 4, 20}) {
    GrowOptions together = options(Criterion::gini, columns), alone = together;
    together.min_split = alone.min_split = 40;  // fewer rows are sorted
    alone.min_leaf_weight = 1e-9;
    const auto a = grown(ground, together, {}, 5), b = grown(ground, alone, {}, 5);
    for (std::size_t t = 0; t < a.size(); ++t) CHECK(a[t].nodes.size() > 9 && same(a[t], b[t]));
  }
}

// The same limit makes columns of many codes be sorted as a whole. With 40,000 rows the root has more of them than sums
// of 31 bits hold if they are nearly all of one class.
TEST(a_tree_is_the_same_whether_columns_are_refined_or_sorted) {
  at_every_level([] {
    for (const auto& [n, k, share] : {std::tuple{3000, 2, 1.0f},
                                      {3000, 7, 1.0f},
                                      {3000, 26, 1.0f},
                                      {3000, 40, 1.0f},
                                      {40000, 5, 1.0f},
                                      {40000, 5, 0.1f}}) {
      Rows r(n, 9, 11);
      for (Index i = 0; i < r.n; ++i) {
        const float* row = r.x.data() + i * r.d;
        const float mix = (row[0] + row[1] * row[2] + row[3]) / 3;
        r.codes[static_cast<std::size_t>(i)] =
            row[4] < share ? static_cast<std::int32_t>(mix * static_cast<float>(k)) : 0;
      }
      Targets targets = r.targets(true);
      targets.classes = {k};
      const Ground ground(r.x.data(), r.n, r.d, r.d, targets, nullptr, 0, 1, never);
      GrowOptions refined = options(Criterion::gini, 5), sorted = refined;
      refined.min_split = sorted.min_split = 300;
      sorted.min_leaf_weight = 1e-9;
      Draw draw;
      draw.bootstrap = true;
      draw.size = r.n;
      const auto a = grown(ground, refined, draw, 2), b = grown(ground, sorted, draw, 2);
      for (std::size_t t = 0; t < a.size(); ++t) CHECK(a[t].nodes.size() > 9 && same(a[t], b[t]));
    }
  });
}

TEST(a_chain_of_a_hundred_thousand_nodes_takes_no_stack) {
  const Index n = 100'000;
  std::vector<float> x(static_cast<std::size_t>(n));
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i), y[i] = std::exp2(static_cast<double>(i % 400));
  Targets t;
  t.n = n;
  t.numbers = y.data();
  const Ground ground(x.data(), n, 1, 1, t, nullptr, 0, 1, never);
  const auto trees = grown(ground, options(Criterion::squared, 1), {}, 1);
  Forest forest(1, 3, false);
  forest.add(trees[0]);
  CHECK(forest.trees() == 1);
  CHECK(trees[0].leaves.size() > static_cast<std::size_t>(n / 2));
}

TEST(sides_give_the_error_about_their_medians) {
  Random random(3, Purpose::start, 0);
  for (int round = 0; round < 30; ++round) {
    const std::size_t m = 1 + random.below32(40);
    std::vector<double> y(m), w(m);
    for (double& v : y) v = static_cast<double>(random.below32(12));
    for (double& v : w) v = 1.0 + static_cast<double>(random.below32(3));
    std::sort(y.begin(), y.end());
    SideSums whole, parts;
    whole.fill(w, y);
    parts.clear(m);
    const auto slow = [&](std::size_t count) {
      double least = HUGE_VAL;
      for (std::size_t c = 0; c < count; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += w[i] * std::abs(y[i] - y[c]);
        least = std::min(least, sum);
      }
      return least;
    };
    CHECK(whole.error(y) == slow(m));
    for (std::size_t i = 0; i < m; ++i) {
      parts.add(i, w[i], y[i]);
      CHECK(parts.error(y) == slow(i + 1));
    }
    for (std::size_t i = m; i-- > 1;) {
      parts.add(i, -w[i], y[i]);
      CHECK(parts.error(y) == slow(i));
    }
  }
}

TEST(honest_halves_share_no_row) {
  for (const std::size_t size : {2, 3, 10, 101}) {
    std::vector<std::uint32_t> rows(size);
    std::iota(rows.begin(), rows.end(), 5u);
    const auto [first, second] = honest_halves(rows, {1, Purpose::split, 0, 1});
    std::set<std::uint32_t> all(first.begin(), first.end());
    CHECK(first.size() == (size + 1) / 2);
    for (const std::uint32_t row : second) CHECK(all.insert(row).second);
    CHECK(all.size() == size);
  }
  const auto [a, b] = honest_halves({9}, {1, Purpose::split, 0, 1});
  CHECK(a == b && a.size() == 1);
}

TEST(honest_leaves_hold_the_rows_that_chose_no_split) {
  const Rows r(301, 3, 4);
  for (const Criterion criterion : {Criterion::squared, Criterion::absolute}) {
    GrowOptions o = options(criterion, 3);
    o.honest = true;
    const auto trees = grown(r.ground(false), o, {}, 3);
    for (const GrownTree& tree : trees) {
      Index rows = 0;
      for (const GrownLeaf& leaf : tree.leaves) {
        CHECK(leaf.rows > 0);
        rows += leaf.rows;
      }
      CHECK(rows == 150);
      CHECK(tree.nodes.size() == 2 * tree.leaves.size() - 1);
      CHECK(tree.centres.size() == (criterion == Criterion::absolute ? 2 * tree.nodes.size() : 0));
    }
  }
}

TEST(cutting_back_ends_at_the_root_and_strengthens_links) {
  //        0
  //    1       2        costs of leaves 3, 4, 5, 6: 0; 1 and 2 alone cost .3 and .1, the root 1
  //  3   4   5   6
  const std::int64_t left[] = {1, 3, 5, -1, -1, -1, -1}, right[] = {2, 4, 6, -1, -1, -1, -1};
  const double cost[] = {1.0, 0.3, 0.1, 0, 0, 0, 0};
  const PrunePath path = prune_path(left, right, cost, 7);
  CHECK(path.step == (std::vector<std::int64_t>{3, 2, 1, 0, 0, 0, 0}));
  CHECK(path.alphas.size() == 4 && path.alphas[1] == 0.1 && path.alphas[2] == 0.3);
  CHECK(path.costs.back() == 1.0 && std::abs(path.alphas[3] - 0.6) < 1e-12);
}

TEST(a_forest_cut_back_keeps_what_is_above_the_cut) {
  const Rows r(400, 3, 5);
  const auto trees = grown(r.ground(true), options(Criterion::gini, 3), {}, 1);
  Forest whole(3, 3, true);
  whole.add(trees[0]);
  const auto nodes = whole.nodes();
  ForestView view;
  view.nodes = nodes.data();
  view.shift = whole.shift();
  view.words = view.shift ? 2 : 4;
  view.first = whole.first().data();
  view.trees = 1;
  view.columns = 3;
  const auto size = static_cast<std::size_t>(view.size(0));
  std::vector<double> stats(size * 3, 1.0);
  std::vector<std::int64_t> rows(size, 3);
  std::vector<std::uint8_t> cut(size, 0);
  Forest copy(3, 3, true), stump(3, 3, true);
  copy.add_cut(view, 0, cut.data(), stats.data(), rows.data(), nullptr);
  const auto again = copy.nodes();  // leaves have other lines
  for (std::size_t i = 0; i < nodes.size(); ++i) CHECK(again[i] == nodes[i] || nodes[i] >= LEAF_KEY);
  cut[1] = cut[2] = 1;
  stump.add_cut(view, 0, cut.data(), stats.data(), rows.data(), nullptr);
  CHECK(stump.first().back() == 3);
  CHECK(stump.nodes()[0] == nodes[0]);
}
