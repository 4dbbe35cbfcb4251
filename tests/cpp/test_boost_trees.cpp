// Trees of bins for weighted targets, node by node against all splits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/rng.hpp"
#include "check.hpp"
#include "solver/boost_trees.hpp"

using namespace widemargin;

namespace {

const auto at = [](auto i) { return static_cast<std::size_t>(i); };

struct Rows {
  Index n, d;
  std::vector<float> x;
  std::vector<double> w, z;

  // Column f has 3 + 29 f different numbers at most, unless all are `fine`.
  Rows(Index rows, Index columns, std::uint64_t seed, bool fine = false) : n(rows), d(columns) {
    Random random(seed, Purpose::sample, 0);
    for (Index i = 0; i < n; ++i) {
      for (Index f = 0; f < d; ++f)
        x.push_back(static_cast<float>(random.below(fine ? 1 << 20 : static_cast<std::uint64_t>(3 + 29 * f))) / 4);
      w.push_back(0.1 + random.uniform());
      z.push_back(std::sin(x[at(i * d)]) + 0.1 * x[at(i * d + d - 1)] + random.uniform());
    }
  }
  float value(std::uint32_t i, Index f) const { return x[static_cast<std::size_t>(i) * at(d) + at(f)]; }
};

struct Tried {
  GrownTree tree;
  std::vector<double> said;

  Tried(TreeGround& ground, const Rows& r, const TreeLimits& limits, int threads = 1)
      : said(at(r.n), std::numeric_limits<double>::quiet_NaN()) {
    tree = ground.grow(r.w.data(), r.z.data(), limits, said.data(), threads, never);
  }
  bool operator==(const Tried& other) const {
    if (said != other.said || tree.nodes.size() != other.tree.nodes.size()) return false;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
      if (tree.nodes[i].threshold != other.tree.nodes[i].threshold ||
          tree.nodes[i].column != other.tree.nodes[i].column)
        return false;
    return true;
  }
};

using Members = std::vector<std::uint32_t>;

double fall(const Rows& r, const Members& members) {
  double w = 0, z = 0;
  for (const auto i : members) w += r.w[i], z += r.w[i] * r.z[i];
  return z * z / w;
}

std::pair<Members, Members> parted(const Rows& r, const Members& members, Index f, float threshold) {
  std::pair<Members, Members> out;
  for (const auto i : members) (r.value(i, f) <= threshold ? out.first : out.second).push_back(i);
  return out;
}

// The largest fall of squared error of all splits that leave each side enough rows.
double best_fall(const Rows& r, const Members& members, const TreeLimits& limits) {
  double best = fall(r, members);
  for (Index f = 0; f < r.d; ++f) {
    std::set<float> values;
    for (const auto i : members) values.insert(r.value(i, f));
    for (const float v : values) {
      const auto [left, right] = parted(r, members, f, v);
      if (static_cast<Index>(std::min(left.size(), right.size())) < limits.min_leaf) continue;
      best = std::max(best, fall(r, left) + fall(r, right));
    }
  }
  return best;
}

void check_node(const Rows& r, const Tried& g, std::uint32_t node, const Members& members, Index depth,
                const TreeLimits& limits, bool exact) {
  const GrownNode& one = g.tree.nodes[node];
  const auto size = static_cast<Index>(members.size());
  if (one.column < 0) {
    double w = 0, z = 0;
    for (const auto i : members) w += r.w[i], z += r.w[i] * r.z[i];
    for (const auto i : members) CHECK(std::abs(g.said[i] - z / w) < 1e-12 * (1 + std::abs(z / w)));
    CHECK(g.tree.leaves[one.leaf].rows == members.size() && std::abs(g.tree.leaves[one.leaf].weight - w) < 1e-9);
    CHECK(std::abs(g.tree.stats[3 * one.leaf + 1] - z) < 1e-12 * (1 + std::abs(z)) * w);
    const bool closed = depth == limits.max_depth || size < std::max(limits.min_split, 2 * limits.min_leaf);
    if (exact && !closed) CHECK(best_fall(r, members, limits) <= fall(r, members) * (1 + 1e-9) + 1e-9);
    return;
  }
  CHECK(depth < limits.max_depth && size >= limits.min_split);
  const auto [left, right] = parted(r, members, one.column, one.threshold);
  CHECK(static_cast<Index>(std::min(left.size(), right.size())) >= limits.min_leaf);
  if (exact) {
    const double best = best_fall(r, members, limits);
    CHECK(std::abs(fall(r, left) + fall(r, right) - best) < 1e-9 * best);
  }
  check_node(r, g, one.left, left, depth + 1, limits, exact);
  check_node(r, g, one.left + 1, right, depth + 1, limits, exact);
}

void check_tree(const Rows& r, const Tried& g, const TreeLimits& limits, bool exact) {
  Members all(at(r.n));
  std::iota(all.begin(), all.end(), 0u);
  check_node(r, g, 0, all, 0, limits, exact);
}

int polls_left = 0;
struct Interrupted {};
void interrupt() {
  if (--polls_left < 0) throw Interrupted();
}

}  // namespace

TEST(every_split_of_a_boosted_tree_is_the_best_of_all) {
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const Index d : {1, 3, 9}) {
      const Rows r(90, d, seed);
      TreeGround ground(r.x.data(), r.n, r.d, 256, 1, never);
      CHECK(ground.takes());
      for (const TreeLimits& limits : {TreeLimits{1, 2, 1}, TreeLimits{6, 2, 1}, TreeLimits{6, 12, 1},
                                       TreeLimits{5, 2, 7}, TreeLimits{0, 2, 1}, TreeLimits{6, 2, 46}}) {
        const Tried g(ground, r, limits);
        check_tree(r, g, limits, true);
        if (limits.max_depth == 0 || limits.min_leaf == 46) CHECK(g.tree.nodes.size() == 1);
        if (limits.max_depth > 1 && limits.min_leaf < 46) CHECK(g.tree.nodes.size() > 4);
      }
    }
}

TEST(thresholds_of_bins_part_the_rows_as_their_codes_do) {
  const Rows r(3000, 9, 5, true);
  TreeGround ground(r.x.data(), r.n, r.d, 16, 1, never);
  const TreeLimits limits{6, 2, 3};
  const Tried one(ground, r, limits), three(ground, r, limits, 3);
  CHECK(one.tree.nodes.size() > 60 && one == three);
  check_tree(r, one, limits, false);
}

TEST(a_tree_does_not_depend_on_those_before_it) {
  const Rows r(400, 4, 6);
  TreeGround ground(r.x.data(), r.n, r.d, 256, 1, never), fresh(r.x.data(), r.n, r.d, 256, 1, never);
  Rows turned = r;
  for (double& z : turned.z) z = -z * z;
  const Tried first(fresh, r, {6, 2, 1});
  Tried(ground, turned, {4, 2, 9});
  std::vector<double> said(at(r.n));
  for (const int polls : {0, 3, 20}) {
    polls_left = polls;
    CHECK_THROWS(Interrupted, ground.grow(r.w.data(), turned.z.data(), {6, 2, 2}, said.data(), 1, interrupt));
  }
  CHECK(Tried(ground, r, {6, 2, 1}) == first);
}

TEST(of_equal_splits_the_first_column_and_the_lowest_cut_win) {
  Rows r(3, 2, 0);
  r.x = {0, 0, 1, 1, 2, 2};
  r.z = {1, 0, 1};
  r.w = {1, 1, 1};
  TreeGround ground(r.x.data(), r.n, r.d, 256, 1, never);
  const Tried g(ground, r, {1, 2, 1});
  CHECK(g.tree.nodes[0].column == 0 && g.tree.nodes[0].threshold == 0.5f);
  r.z = {2, 2, 2};
  CHECK(Tried(ground, r, {3, 2, 1}).tree.nodes.size() == 1);  // nothing is made better
}

TEST(rows_that_weigh_next_to_nothing_leave_sums_in_range) {
  Rows r(500, 3, 7);
  for (Index i = 0; i < r.n; ++i) r.w[at(i)] = std::ldexp(1.0, static_cast<int>(-2 * (i % 400)));
  TreeGround ground(r.x.data(), r.n, r.d, 256, 1, never);
  const Tried g(ground, r, {6, 2, 1});
  for (const double said : g.said) CHECK(std::abs(said) < 100);
  check_tree(r, g, {6, 2, 1}, false);
}

TEST(boosted_trees_take_bytes_and_nothing_missing) {
  Rows r(600, 2, 8, true);
  CHECK(TreeGround(r.x.data(), r.n, r.d, 255, 1, never).takes());
  CHECK(!TreeGround(r.x.data(), r.n, r.d, 0, 1, never).takes());
  r.x[5] = std::numeric_limits<float>::quiet_NaN();
  CHECK(!TreeGround(r.x.data(), r.n, r.d, 255, 1, never).takes());
}
