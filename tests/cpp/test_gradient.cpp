#include <cmath>

#include "check.hpp"
#include "data.hpp"
#include "solver/gradient.hpp"

using namespace widemargin;

namespace {

struct Outcome {
  std::vector<double> u, h, active_of, visited_of;
  GradientCounters c;

  explicit Outcome(const Sample& s)
      : u(static_cast<std::size_t>(s.d + 1)),
        h(static_cast<std::size_t>(s.d)),
        active_of(s.y.size()),
        visited_of(s.y.size()) {}
};

Outcome run(const AnyRows& rows, const Sample& s, const GradientOptions& o, Index budget, Index epochs) {
  Outcome out(s);
  GradientSolver solver({rows, s.y.data(), {}, {}}, o);
  const GradientArrays arrays{out.u.data(), out.h.data(), out.active_of.data(), out.visited_of.data()};
  while (out.c.epoch < epochs) solver.advance(out.c, arrays, budget, epochs);
  return out;
}

bool same(const Outcome& x, const Outcome& y) {
  return x.u == y.u && x.h == y.h && x.active_of == y.active_of && x.visited_of == y.visited_of && x.c.p == y.c.p &&
         x.c.t == y.c.t && x.c.steps == y.c.steps && x.c.squared_norm == y.c.squared_norm;
}

}  // namespace

TEST(any_cut_of_stochastic_gradients_gives_the_same) {
  const Sample s(50, 4, 5);
  for (const GradientRule rule : {GradientRule::pegasos, GradientRule::sgd}) {
    GradientOptions o;
    o.rule = rule, o.lambda = 1e-3, o.batch = rule == GradientRule::pegasos ? 7 : 1, o.intercept = true;
    o.drawing = Drawing::replace;
    const Outcome whole = run(s.dense(), s, o, 1 << 20, 9);
    CHECK(whole.c.updates > 0 && whole.c.visits == 450);
    for (const Index budget : {1, 7, 50, 111}) CHECK(same(run(s.dense(), s, o, budget, 9), whole));
  }
}

TEST(sparse_and_dense_rows_take_the_same_steps) {
  const Sample s(50, 4, 6);
  GradientOptions o;
  o.lambda = 0.1;
  const Outcome dense = run(s.dense(), s, o, 1 << 20, 5), sparse = run(s.sparse(), s, o, 1 << 20, 5);
  CHECK(dense.active_of == sparse.active_of && dense.c.steps == sparse.c.steps);
}

TEST(every_row_is_visited_once_an_epoch_and_never_active_more_often) {
  const Sample s(50, 4, 7);
  GradientOptions o;
  o.lambda = 1e-5, o.batch = 8;
  const Outcome out = run(s.dense32(), s, o, 3, 4);
  for (std::size_t i = 0; i < s.y.size(); ++i)
    CHECK(out.visited_of[i] == 1 + 4 + 9 + 16 && out.active_of[i] <= out.visited_of[i]);
}

TEST(the_norm_that_is_carried_along_is_that_of_u) {
  const Sample s(64, 6, 8);
  GradientOptions o;
  o.lambda = 1e-4, o.batch = 5;
  const Outcome out = run(s.dense(), s, o, 1 << 20, 3);
  const double square = simd::dot(out.u.data(), out.u.data(), s.d);
  CHECK(std::abs(out.c.squared_norm - square) <= 1e-9 * square);
  CHECK(out.c.p * out.c.p * square <= o.lambda * out.c.t * out.c.t * (1 + 1e-9));
}
