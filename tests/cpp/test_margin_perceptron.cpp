#include "check.hpp"
#include "data.hpp"
#include "solver/margin_perceptron.hpp"

using namespace widemargin;

namespace {

struct Outcome {
  std::vector<double> a;
  std::vector<Column> updates_of, wrong_of, given_up_at;
  MarginCounters c;
  OnlineStop stop = OnlineStop::budget;

  explicit Outcome(const Sample& s)
      : a(static_cast<std::size_t>(s.d + 1)), updates_of(s.y.size()), wrong_of(s.y.size()), given_up_at(s.y.size()) {}
};

Outcome run(const AnyRows& rows, const Sample& s, const MarginOptions& o, Index budget, Index visits) {
  Outcome out(s);
  MarginSolver solver({rows, s.y.data(), {}, {}}, o);
  for (Index left = visits; left > 0 && out.stop == OnlineStop::budget; left -= budget)
    out.stop = solver.advance(out.c, {out.a.data(), out.updates_of.data(), out.wrong_of.data(), out.given_up_at.data()},
                              budget, 100000);
  return out;
}

bool same(const Outcome& x, const Outcome& y) {
  return x.a == y.a && x.updates_of == y.updates_of && x.wrong_of == y.wrong_of && x.given_up_at == y.given_up_at &&
         x.c.t == y.c.t && x.c.epoch == y.c.epoch && x.c.updates == y.c.updates && x.stop == y.stop;
}

// Labels by a plane, at some distance from it, so that a separator exists.
Sample separable() {
  Sample s(80, 5, 3);
  for (Index i = 0; i < s.n; ++i) {
    double* x = s.x.data() + i * s.d;
    s.y[static_cast<std::size_t>(i)] = x[0] - x[1] + 0.5 * x[2] > 0 ? 1.0 : -1.0;
    x[0] += s.y[static_cast<std::size_t>(i)];
  }
  return s;
}

}  // namespace

TEST(a_clean_epoch_has_every_margin_near_the_bound) {
  const Sample s = separable();
  const Outcome out = run(s.dense(), s, {}, 1 << 20, 1 << 20);
  CHECK(out.stop == OnlineStop::clean && out.c.given_up == 0);
  const double q = simd::dot(out.a.data(), out.a.data(), s.d + 1);
  for (Index i = 0; i < s.n; ++i) {
    const double m = s.y[static_cast<std::size_t>(i)] * (dot(s.dense()[i], out.a.data()) + out.a.back());
    CHECK(m * out.c.t > 0.9 * q);
  }
}

TEST(rows_in_the_way_go_and_any_cut_gives_the_same) {
  const Sample s(60, 3, 11);  // labels at random
  MarginOptions o;
  o.patience = 4, o.most = 30, o.seed = 7;
  const Outcome whole = run(s.dense(), s, o, 60000, 60000);
  CHECK(whole.c.given_up > 5 && whole.c.given_up <= 30);
  for (const Index budget : {1, 7, 60, 1000}) CHECK(same(run(s.dense(), s, o, budget, 60000), whole));
}

TEST(without_leave_to_give_up_it_stalls) {
  const Sample s(60, 3, 11);
  MarginOptions o;
  o.patience = 4;
  const Outcome out = run(s.sparse(), s, o, 60000, 60000);
  CHECK(out.stop == OnlineStop::stalled && out.c.given_up == 0);
}
