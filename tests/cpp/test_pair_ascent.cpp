#include <cmath>

#include "check.hpp"
#include "exact_box.hpp"
#include "levels.hpp"
#include "solver/pair_ascent.hpp"
#include "tiny_boxes.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// At most so many steps from the start; what was reached.
std::vector<double> ascended(const TinyBox& box, const std::vector<double>& start, double epsilon, Index most,
                             PairAscent& ascent, Index* steps = nullptr) {
  ascent.begin();
  std::vector<int> order;
  for (int g = 0; g < box.groups; ++g) {
    for (int v = 0; v < box.n; ++v) {
      if (box.group[z(v)] != g) continue;
      double F = -box.t[z(v)];
      for (int u = 0; u < box.n; ++u) F += box.K[z(v * box.n + u)] * start[z(u)];
      ascent.add(start[z(v)], box.lower[z(v)], box.upper[z(v)], F, box.K[z(v * box.n + v)]);
      order.push_back(v);
    }
    ascent.end_group();
  }
  std::fill_n(ascent.K(), ascent.places() * ascent.stride(), 0.0f);
  for (Index a = 0; a < ascent.size(); ++a)
    for (Index b = 0; b < ascent.size(); ++b)
      ascent.K()[ascent.place(a) * ascent.stride() + ascent.place(b)] =
          static_cast<float>(box.K[z(order[z(a)] * box.n + order[z(b)])]);
  const Index made = ascent.run(epsilon, most);
  if (steps) *steps = made;
  std::vector<double> b(z(box.n));
  for (Index a = 0; a < ascent.size(); ++a) b[z(order[z(a)])] = ascent.beta(a);
  return b;
}

}  // namespace

TEST(pairwise_steps_reach_the_least_value_of_all_faces) {
  at_every_level([] {
    PairAscent ascent(6);
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const int groups : {1, 2}) {
        std::vector<double> start;
        const TinyBox box = tiny_box(seed, groups, start);
        std::vector<double> b = start;
        // Each time the gradient is known to 1e-4 of what was wrong with it.
        for (int again = 0; again < 4; ++again) b = ascended(box, b, 1e-9, 100000, ascent);
        const double least = box.least();
        CHECK(box.feasible(b));
        CHECK(std::abs(box.value(b) - least) <= 1e-6 * (1 + std::abs(least)));
      }
  });
}

TEST(no_pairwise_step_raises_the_objective) {
  at_every_level([] {
    PairAscent ascent(6);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      std::vector<double> start;
      const TinyBox box = tiny_box(seed, 2, start);
      double before = box.value(start);
      for (Index most = 1; most < 12; ++most) {
        Index steps = 0;
        const std::vector<double> b = ascended(box, start, 0.0, most, ascent, &steps);
        CHECK(steps <= most && box.feasible(b));
        CHECK(box.value(b) <= before + 1e-7);
        before = box.value(b);
      }
    }
  });
}

TEST(no_step_is_made_where_none_is_asked_for_or_none_can_be) {
  PairAscent ascent(6);
  std::vector<double> start;
  TinyBox box = tiny_box(3, 1, start);
  CHECK(ascended(box, start, 1e-9, 0, ascent) == start);
  CHECK(ascended(box, start, 1e9, 100, ascent) == start);
  box.lower = box.upper = start;
  CHECK(ascended(box, start, 1e-9, 100, ascent) == start);
}
