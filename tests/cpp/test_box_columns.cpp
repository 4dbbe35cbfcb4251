#include <cmath>
#include <memory>

#include "check.hpp"
#include "data.hpp"
#include "kernel/matrix_source.hpp"
#include "kernel/native_source.hpp"
#include "kernel/row_sums.hpp"
#include "levels.hpp"
#include "solver/box.hpp"
#include "solver/box_columns.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// Three folds of a two-class problem: every third item stands beside one of them.
struct Folds {
  static constexpr Index columns = 3, working = 32;
  Sample s{400, 8, 11};
  KernelRows<float> rows{s.dense(), {KernelKind::rbf, 0.05, 0, 1}, 1};
  std::vector<double> lower, upper;

  explicit Folds(double C = 5) {
    for (Index c = 0; c < columns; ++c)
      for (Index i = 0; i < s.n; ++i) {
        const double bound = i % columns == c ? 0 : C;
        lower.push_back(s.y[z(i)] > 0 ? 0 : -bound), upper.push_back(s.y[z(i)] > 0 ? bound : 0);
      }
  }
  ColumnsProblem problem() const { return {columns, s.y.data(), lower.data(), upper.data()}; }
  ColumnsOptions options(Index memory, int threads) const {
    return {1e-3, 1e-5, 0, working, Index{1} << 40, memory, threads};
  }
};

struct Fit {
  std::vector<double> b, f, figures;
  std::vector<Column> work;
  std::vector<std::int64_t> counters;

  Fit(Index n, Index k)
      : b(z(k * n)), f(z(k * n)), figures(z(5 * k)), work(z(Folds::working), Column{-1}), counters(z(2 + 2 * k)) {}
  ColumnsState state() { return {b.data(), f.data(), work.data(), counters.data(), figures.data()}; }
  bool same(const Fit& other) const {  // but for the rows that were computed
    auto mine = counters, theirs = other.counters;
    mine[1] = theirs[1] = 0;
    return b == other.b && f == other.f && work == other.work && figures == other.figures && mine == theirs;
  }
};

}  // namespace

TEST(columns_reach_what_each_reaches_alone) {
  at_every_level([] {
    const Folds folds;
    NativeSource source(folds.rows);
    BoxColumns solver(source, folds.problem(), folds.options(1 << 20, 1));
    Fit fit(folds.s.n, Folds::columns);
    ColumnsState state = fit.state();
    CHECK(solver.advance(state, 10000, never));
    const Index n = folds.s.n;
    for (Index c = 0; c < Folds::columns; ++c) {
      CHECK(fit.counters[z(2 + 2 * c + 1)] == static_cast<int>(ColumnStop::converged));
      NativeSource own(folds.rows);
      BoxSolver alone(own,
                      {n, folds.s.y.data(), folds.lower.data() + c * n, folds.upper.data() + c * n, nullptr, 1, {0, 0}},
                      {1e-3, 1e-5, 0, Folds::working, Index{1} << 40, 0, 1});
      std::vector<double> b(z(n)), f(z(n)), figures(7);
      std::vector<Column> work(z(Folds::working), Column{-1});
      std::vector<std::int64_t> counters(5);
      BoxState one{b.data(), f.data(), work.data(), counters.data(), figures.data()};
      CHECK(alone.advance(one, 10000, never) == BoxStop::converged);
      alone.judge(one);
      solver.judge(state, c);
      const double *mine = fit.figures.data() + 5 * c, scale = std::abs(figures[3]);
      CHECK(mine[0] <= 1e-3 && mine[1] <= 1e-5);
      CHECK(mine[2] >= mine[3] - 1e-6 * scale);                 // weak duality
      CHECK(std::abs(mine[3] - figures[3]) <= 1.1e-5 * scale);  // both lie within a gap of one optimum
      double sum = 0;
      for (Index i = 0; i < n; ++i) {
        const std::size_t at = z(c * n + i);
        sum += fit.b[at];
        CHECK(folds.lower[at] <= fit.b[at] && fit.b[at] <= folds.upper[at]);
        if (i % Folds::columns == c) CHECK(fit.b[at] == 0 && std::abs(fit.f[at] - f[z(i)]) <= 0.02);
      }
      CHECK(std::abs(sum) <= 1e-9);
    }
  });
}

TEST(memory_and_threads_do_not_change_a_bit_of_columns) {
  at_every_level([] {
    const Folds folds;
    std::unique_ptr<Fit> first;
    for (const Index memory : {Index{0}, Index{20 * 4 * 400}, Index{1} << 30})
      for (const int threads : {1, 3}) {
        NativeSource source(folds.rows);
        BoxColumns solver(source, folds.problem(), folds.options(memory, threads));
        Fit fit(folds.s.n, Folds::columns);
        ColumnsState state = fit.state();
        CHECK(solver.advance(state, 10000, never));
        CHECK(fit.counters[0] > 5);
        if (!first) first = std::make_unique<Fit>(fit);
        CHECK(fit.same(*first));
      }
  });
}

TEST(rounds_of_columns_one_by_one_are_rounds_at_once) {
  const Folds folds;
  NativeSource one_source(folds.rows), other_source(folds.rows);
  BoxColumns at_once(one_source, folds.problem(), folds.options(1 << 20, 1)),
      single(other_source, folds.problem(), folds.options(1 << 20, 1));
  Fit whole(folds.s.n, Folds::columns), steps(folds.s.n, Folds::columns);
  ColumnsState a = whole.state(), b = steps.state();
  CHECK(!at_once.advance(a, 5, never));
  for (int k = 0; k < 5; ++k) CHECK(!single.advance(b, 1, never));
  CHECK(whole.same(steps) && whole.counters[0] == 5);
}

TEST(scores_of_columns_follow_variables_that_others_have_moved) {
  at_every_level([] {
    const Folds folds;
    const Index n = folds.s.n;
    NativeSource source(folds.rows);
    BoxColumns solver(source, folds.problem(), folds.options(0, 2));
    Fit fit(n, Folds::columns);
    ColumnsState state = fit.state();
    std::vector<double> change(z(Folds::columns * n));
    for (Index i = 0; i < Folds::columns * n; i += 3) change[z(i)] = static_cast<double>(i % 7) / 8 - 0.25;
    solver.shift(state, change.data(), never);
    std::vector<float> K(z(n * n));
    NativeSource all(folds.rows);
    fill_matrix(all, K.data(), 1, never);
    for (Index c = 0; c < Folds::columns; ++c)
      for (Index i = 0; i < n; ++i) {
        double f = 0;
        for (Index j = 0; j < n; ++j) f += change[z(c * n + j)] * K[z(i * n + j)];
        CHECK(std::abs(fit.f[z(c * n + i)] - f) <= 1e-4);
      }
  });
}

TEST(a_column_in_which_nothing_can_move_rests_at_once) {
  const std::vector<float> K = {1, 0, 0, 1};
  const std::vector<double> diag = {1, 1}, t = {1, 1}, lower = {0, 0}, upper = {1, 1};  // the sum 0 leaves only b = 0
  MatrixSource source(K.data(), diag.data(), 2);
  BoxColumns solver(source, {1, t.data(), lower.data(), upper.data()}, {1e-3, 1e-5, 1e-9, Folds::working});
  Fit fit(2, 1);
  ColumnsState state = fit.state();
  CHECK(solver.advance(state, 10, never));
  CHECK(fit.b[0] == 0 && fit.b[1] == 0 && fit.figures[4] == 1);  // any bias from 1 on
  CHECK(fit.counters[3] == static_cast<int>(ColumnStop::converged));
}

TEST(the_steps_of_a_column_can_be_limited) {
  const Folds folds;
  NativeSource source(folds.rows);
  ColumnsOptions options = folds.options(0, 1);
  options.most_steps = 40;
  BoxColumns solver(source, folds.problem(), options);
  Fit fit(folds.s.n, Folds::columns);
  ColumnsState state = fit.state();
  CHECK(solver.advance(state, 10000, never));
  for (Index c = 0; c < Folds::columns; ++c)
    CHECK(fit.counters[z(2 + 2 * c)] == 40 && fit.counters[z(3 + 2 * c)] == static_cast<int>(ColumnStop::steps));
}
