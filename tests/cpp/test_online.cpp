#include <cstring>

#include "check.hpp"
#include "data.hpp"
#include "solver/online.hpp"

using namespace widemargin;

namespace {

struct Outcome {
  std::vector<double> w, a;
  std::vector<Column> updates_of;
  OnlineCounters c;
  std::vector<Mistake> log;
  OnlineStop stop = OnlineStop::budget;
};

// Runs five epochs in calls of `budget` visits, with a new solver every `renew` calls as after a resume.
Outcome run(const AnyRows& rows, const Sample& s, const OnlineOptions& o, Index budget, int renew) {
  const OnlineProblem problem{rows, s.y.data(), {}, {}};
  const auto size = static_cast<std::size_t>(s.d + 1);
  Outcome out{std::vector<double>(size), std::vector<double>(size), std::vector<Column>(s.y.size()), {}, {}};
  OnlineSolver solver(problem, o);
  for (int call = 0; out.stop == OnlineStop::budget || out.c.epoch < 5; ++call) {
    if (renew && call % renew == 0) solver = OnlineSolver(problem, o);
    out.stop = solver.advance(out.c, {out.w.data(), out.a.data(), out.updates_of.data()}, budget, 5, &out.log);
    if (out.stop == OnlineStop::clean || out.stop == OnlineStop::stalled) break;
  }
  return out;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same(const Outcome& a, const Outcome& b) {
  bool logs = a.log.size() == b.log.size();
  for (std::size_t k = 0; logs && k < a.log.size(); ++k)
    logs = a.log[k].visit == b.log[k].visit && a.log[k].row == b.log[k].row && a.log[k].step == b.log[k].step;
  return logs && same_bits(a.w, b.w) && same_bits(a.a, b.a) && same_bits(a.updates_of, b.updates_of) &&
         a.stop == b.stop && a.c.epoch == b.c.epoch && a.c.visits == b.c.visits && a.c.updates == b.c.updates &&
         a.c.loss == b.c.loss && a.c.scale == b.c.scale;
}

}  // namespace

TEST(single_steps_equal_one_long_call_bit_for_bit) {
  const Sample s(60, 7, 11);
  for (const auto rule : {OnlineRule::perceptron, OnlineRule::pa1, OnlineRule::pa2, OnlineRule::pa1_regression,
                          OnlineRule::pa2_regression})
    for (const auto order : {Shuffle::never, Shuffle::once, Shuffle::every_epoch})
      for (const double decay : {0.0, 0.01}) {
        OnlineOptions o;
        o.rule = rule, o.shuffle = order, o.decay = decay, o.seed = 5, o.eta = 0.5;
        const Outcome whole = run(s.dense(), s, o, 1000000, 0);
        CHECK(whole.c.updates > 0);
        for (const Index budget : {1, 7, 60})
          for (const int renew : {0, 1, 3}) CHECK(same(run(s.dense(), s, o, budget, renew), whole));
      }
}

TEST(dense_and_sparse_rows_make_the_same_mistakes) {
  const Sample s(60, 7, 12);
  const OnlineOptions o;
  const Outcome dense = run(s.dense(), s, o, 1000, 0), sparse = run(s.sparse(), s, o, 1000, 0);
  CHECK(same(dense, sparse));  // multiples of 1/8 and steps of 1: every sum is exact
  CHECK(same(dense, run(s.dense32(), s, o, 1000, 0)));
}

TEST(w_is_the_sum_of_the_logged_updates) {
  const Sample s(60, 7, 13);
  const Outcome out = run(s.dense(), s, {}, 17, 2);
  std::vector<double> w(8);
  for (const Mistake& m : out.log) {
    for (std::size_t j = 0; j < 7; ++j) w[j] += m.step * s.x[static_cast<std::size_t>(m.row) * 7 + j];
    w[7] += m.step;
  }
  CHECK(same_bits(w, out.w));
  CHECK(static_cast<Index>(out.log.size()) == out.c.updates);
}

TEST(no_rows_are_clean_at_once) {
  const Sample s(0, 3, 14);
  const Outcome out = run(s.dense(), s, {}, 10, 0);
  CHECK(out.stop == OnlineStop::clean && out.c.visits == 0);
}
