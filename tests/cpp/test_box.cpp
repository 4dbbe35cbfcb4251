#include <cmath>
#include <limits>
#include <memory>

#include "check.hpp"
#include "data.hpp"
#include "kernel/matrix_source.hpp"
#include "kernel/native_source.hpp"
#include "levels.hpp"
#include "solver/box.hpp"
#include "tiny_boxes.hpp"

using namespace widemargin;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

struct Fit {
  std::vector<double> b, f, figures;
  std::vector<Column> work;
  std::vector<std::int64_t> counters = std::vector<std::int64_t>(5);

  Fit(Index N, Index n, Index working, int groups)
      : b(z(N)), f(z(n)), figures(z(6 + groups)), work(z(working), Column{-1}) {}
  BoxState state() { return {b.data(), f.data(), work.data(), counters.data(), figures.data()}; }
  bool same(const Fit& other) const {  // but for the rows that were computed
    return b == other.b && f == other.f && work == other.work && figures == other.figures &&
           counters[0] == other.counters[0] && counters[1] == other.counters[1];
  }
};

// A two-class problem of moderate size; what its solver was given stays here.
struct TwoClasses {
  static constexpr Index working = 32;
  Sample s{400, 8, 11};
  KernelRows<float> rows{s.dense(), {KernelKind::rbf, 0.05, 0, 1}, 1};
  std::vector<double> lower, upper;

  TwoClasses() {
    for (const double y : s.y) lower.push_back(y > 0 ? 0 : -5), upper.push_back(y > 0 ? 5 : 0);
  }
  BoxProblem problem() const { return {s.n, s.y.data(), lower.data(), upper.data(), nullptr, 1, {0, 0}}; }
  Fit fit() const { return {s.n, s.n, working, 1}; }
  BoxOptions options(Index memory, int threads) const {
    return {1e-3, 1e-5, 0, working, Index{1} << 40, memory, threads};
  }
};

}  // namespace

TEST(boxes_are_solved_to_the_least_value_of_all_faces) {
  at_every_level([] {
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const int groups : {1, 2})
        for (const Index working : {4 * groups, 6}) {  // a tiny set of two groups may hold no pair that can move
          std::vector<double> start;
          const TinyBox box = tiny_box(seed, groups, start);
          std::vector<float> K(box.K.begin(), box.K.end());
          std::vector<double> diag;
          for (int i = 0; i < 6; ++i) diag.push_back(box.K[z(i * 7)]);
          const std::vector<std::int8_t> group(box.group.begin(), box.group.end());
          MatrixSource source(K.data(), diag.data(), 6);
          BoxProblem problem{6, box.t.data(), box.lower.data(), box.upper.data(), group.data(), groups, {0, 0}};
          std::copy(box.total.begin(), box.total.end(), problem.total);
          BoxSolver solver(source, problem, {1e-5, 1e-5, 1e-9, working, Index{1} << 40, 0, 1});
          Fit fit(6, 6, working, groups);
          fit.b = start;
          BoxState state = fit.state();
          solver.rescore(state, never);
          CHECK(solver.advance(state, 10000, never) == BoxStop::converged);
          const double least = box.least();
          CHECK(box.feasible(fit.b));
          CHECK(std::abs(box.value(fit.b) - least) <= 1e-4 * (1 + std::abs(least)));
          solver.judge(state);
          CHECK(std::abs(fit.figures[3] + box.value(fit.b)) <= 1e-4 * (1 + std::abs(least)));  // the dual
          CHECK(fit.figures[2] >= fit.figures[3] - 1e-4 * (1 + std::abs(least)));
        }
  });
}

// nu-SVR's form: variables v and v + n speak of one item.
TEST(two_variables_an_item_are_one_row_of_kernel_values) {
  at_every_level([] {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      std::vector<double> start;
      const TinyBox six = tiny_box(seed, 1, start);
      TinyBox box{6, 2, std::vector<double>(36), {}, {}, {}, {1, -1}, {}};
      std::vector<float> K;
      std::vector<double> diag;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) K.push_back(static_cast<float>(six.K[z(i * 6 + j)]));
      for (int v = 0; v < 6; ++v) {
        for (int u = 0; u < 6; ++u) box.K[z(v * 6 + u)] = K[z(v % 3 * 3 + u % 3)];
        box.t.push_back(six.t[z(v % 3)]);
        box.lower.push_back(v < 3 ? 0 : -1), box.upper.push_back(v < 3 ? 1 : 0);
        box.group.push_back(v < 3 ? 0 : 1);
        if (v < 3) diag.push_back(K[z(v * 4)]);
      }
      const std::vector<std::int8_t> group(box.group.begin(), box.group.end());
      MatrixSource source(K.data(), diag.data(), 3);
      const BoxProblem problem{6, box.t.data(), box.lower.data(), box.upper.data(), group.data(), 2, {1, -1}};
      BoxSolver solver(source, problem, {1e-5, 1e-5, 1e-9, 6, Index{1} << 40, 0, 1});
      Fit fit(6, 3, 6, 2);
      fit.b = {1, 0, 0, -1, 0, 0};
      BoxState state = fit.state();
      solver.rescore(state, never);
      CHECK(solver.advance(state, 10000, never) == BoxStop::converged);
      CHECK(box.feasible(fit.b));
      CHECK(std::abs(box.value(fit.b) - box.least()) <= 1e-4 * (1 + std::abs(box.least())));
    }
  });
}

TEST(memory_and_threads_do_not_change_a_bit_of_a_box) {
  at_every_level([] {
    const TwoClasses two;
    std::unique_ptr<Fit> first;
    for (const Index memory : {Index{0}, Index{20 * 4 * 400}, Index{1} << 30})
      for (const int threads : {1, 3}) {
        NativeSource source(two.rows);
        BoxSolver solver(source, two.problem(), two.options(memory, threads));
        Fit fit = two.fit();
        BoxState state = fit.state();
        CHECK(solver.advance(state, 10000, never) == BoxStop::converged);
        CHECK(fit.counters[0] > 5);
        if (!first) first = std::make_unique<Fit>(fit);
        CHECK(fit.same(*first));
      }
  });
}

TEST(rounds_of_a_box_one_by_one_are_rounds_at_once) {
  const TwoClasses two;
  NativeSource one_source(two.rows), other_source(two.rows);
  BoxSolver at_once(one_source, two.problem(), two.options(1 << 20, 1)),
      single(other_source, two.problem(), two.options(1 << 20, 1));
  Fit whole = two.fit(), steps = two.fit();
  BoxState a = whole.state(), b = steps.state();
  CHECK(at_once.advance(a, 5, never) == BoxStop::budget);
  for (int k = 0; k < 5; ++k) CHECK(single.advance(b, 1, never) == BoxStop::budget);
  CHECK(whole.same(steps) && whole.counters[0] == 5);
}

TEST(what_is_in_question_and_fits_is_solved_at_once) {
  const TwoClasses two;
  NativeSource source(two.rows);
  constexpr Index working = 256;
  BoxSolver solver(source, two.problem(), {1e-3, 1e-5, 0, working, Index{1} << 40, 1 << 20, 1});
  Fit fit(two.s.n, two.s.n, working, 1);
  BoxState state = fit.state();
  int late = 0;  // rounds that began with a violation of a tenth or less
  for (BoxStop stop = BoxStop::budget; stop == BoxStop::budget; late += fit.figures[0] <= 0.1)
    stop = solver.advance(state, 1, never);
  CHECK(fit.figures[1] <= 1e-5 && fit.figures[0] < 1e-3);
  CHECK(late <= 3);  // the last one finds nothing to do
}

TEST(a_box_that_was_lent_memory_goes_on_in_its_own) {
  const TwoClasses two;
  NativeSource source(two.rows), fresh_source(two.rows);
  BoxSolver solver(source, two.problem(), two.options(1 << 20, 1)),
      fresh(fresh_source, two.problem(), two.options(1 << 20, 1));
  Fit fit = two.fit(), other = two.fit();
  BoxState a = fit.state(), b = other.state();
  solver.advance(a, 2, never);
  {
    BoxWorkspace lent;
    solver.advance(a, 2, never, lent);
  }
  solver.advance(a, 2, never);
  fresh.advance(b, 6, never);
  CHECK(fit.same(other));
}

TEST(scores_follow_variables_that_others_have_moved) {
  const TwoClasses two;
  NativeSource source(two.rows);
  BoxSolver solver(source, two.problem(), two.options(1 << 20, 2));
  Fit fit = two.fit(), anew = two.fit();
  BoxState a = fit.state(), b = anew.state();
  solver.advance(a, 3, never);
  std::vector<double> change(z(two.s.n));
  for (Index i = 0; i < two.s.n; i += 3) change[z(i)] = static_cast<double>(i % 7) / 8 - 0.25;
  solver.shift(a, change.data(), never);
  for (std::size_t i = 0; i < change.size(); ++i) anew.b[i] = fit.b[i] += change[i];
  solver.rescore(b, never);
  for (std::size_t i = 0; i < change.size(); ++i) CHECK(std::abs(fit.f[i] - anew.f[i]) <= 1e-4);
}

TEST(a_hard_margin_is_the_widest_gap) {
  const std::vector<float> K = {0, 0, 0, 0, 4, 6, 0, 6, 9};  // points 0, 2, 3 on a line; the first against the others
  const std::vector<double> diag = {0, 4, 9}, t = {-1, 1, 1}, lower = {-infinite, 0, 0},
                            upper = {0, infinite, infinite};
  MatrixSource source(K.data(), diag.data(), 3);
  BoxSolver solver(source, {3, t.data(), lower.data(), upper.data(), nullptr, 1, {0, 0}},
                   {1e-6, 1e-6, 0, 3, Index{1} << 40, 0, 1});
  Fit fit(3, 3, 3, 1);
  BoxState state = fit.state();
  CHECK(solver.advance(state, 1000, never) == BoxStop::converged);
  CHECK(std::abs(fit.b[0] + 0.5) < 1e-5 && std::abs(fit.b[1] - 0.5) < 1e-5 && fit.b[2] == 0);
  CHECK(std::abs(fit.figures[3] - 0.5) < 1e-5 && std::abs(fit.figures[4] + 1) < 1e-5);  // dual; bias
}

TEST(a_hard_margin_that_does_not_exist_is_called_unbounded) {
  const std::vector<float> K = {0, 0, 0, 0, 1, 2, 0, 2, 4};  // points 0, 1, 2; the middle one against the others
  const std::vector<double> diag = {0, 1, 4}, t = {1, -1, 1}, lower = {0, -infinite, 0},
                            upper = {infinite, 0, infinite};
  MatrixSource source(K.data(), diag.data(), 3);
  for (const Index working : {3, 8}) {
    BoxSolver solver(source, {3, t.data(), lower.data(), upper.data(), nullptr, 1, {0, 0}},
                     {1e-6, 1e-6, 0, working, Index{1} << 40, 0, 1});
    Fit fit(3, 3, working, 1);
    BoxState state = fit.state();
    CHECK(solver.advance(state, 1000000, never) == BoxStop::unbounded);
  }
}

TEST(a_box_stops_after_so_many_steps) {
  const TwoClasses two;
  NativeSource source(two.rows);
  BoxOptions options = two.options(0, 1);
  options.most_steps = 10;
  BoxSolver solver(source, two.problem(), options);
  Fit fit = two.fit();
  BoxState state = fit.state();
  CHECK(solver.advance(state, 1000, never) == BoxStop::steps);
  CHECK(fit.counters[1] == 10);
}

// What is left out is not looked at again, so the whole is looked at here; D follows the steps all along.
TEST(items_left_out_belong_where_they_are) {
  at_every_level([] {
    const TwoClasses two;
    NativeSource source(two.rows);
    BoxOptions options = two.options(1 << 20, 1);
    BoxSolver plain(source, two.problem(), options);
    options.shrink = true;
    Fit all = two.fit(), some = two.fit();
    BoxState whole = all.state(), part = some.state();
    CHECK(plain.advance(whole, 10000, never) == BoxStop::converged);
    BoxSolver solver(source, two.problem(), options);
    CHECK(solver.advance(part, 10000, never) == BoxStop::converged);
    Index unknown = 0;
    for (const double f : some.f) unknown += std::isnan(f);
    CHECK(unknown > 100);
    const double followed = some.figures[3];
    solver.rescore(part, never);
    solver.judge(part);
    CHECK(std::abs(followed - some.figures[3]) <= 1e-5 * std::abs(followed));
    CHECK(some.figures[0] <= 1.1e-3 && some.figures[1] <= 1.1e-5);
    CHECK(std::abs(some.figures[3] - all.figures[3]) <= 1e-5 * std::abs(all.figures[3]));
  });
}

TEST(rounds_with_items_left_out_are_the_same_however_they_are_cut) {
  const TwoClasses two;
  const auto run = [&](Index budget, bool anew, int threads) {
    auto fit = std::make_unique<Fit>(two.fit());
    BoxState state = fit->state();
    NativeSource source(two.rows);
    BoxOptions options = two.options(1 << 20, threads);
    options.shrink = true;
    auto solver = std::make_unique<BoxSolver>(source, two.problem(), options);
    while (solver->advance(state, budget, never) == BoxStop::budget)
      if (anew) solver = std::make_unique<BoxSolver>(source, two.problem(), options);
    for (double& f : fit->f)
      if (std::isnan(f)) f = -1;
    return fit;
  };
  const auto first = run(10000, false, 1);
  for (const Index budget : {1, 3})
    for (const bool anew : {false, true}) CHECK(run(budget, anew, 1)->same(*first));
  CHECK(run(5, false, 3)->same(*first));
}
