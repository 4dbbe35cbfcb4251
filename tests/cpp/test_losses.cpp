#include <cmath>
#include <vector>

#include "check.hpp"
#include "loss/losses.hpp"

using namespace widemargin;

namespace {

// Every loss at a grid of scores, targets, prices and variables.
template <class Work>
void everywhere(Work work) {
  for (const LossKind kind :
       {LossKind::hinge, LossKind::squared_hinge, LossKind::logistic, LossKind::tube, LossKind::squared_tube})
    for (const double eps : {0.0, 0.4})
      for (const double t : {-1.0, 1.0})
        for (const double C : {0.1, 3.0})
          for (double z = -2.6; z < 2.7; z += 0.65)
            with_loss(kind, eps, [&](const auto& loss) {
              const bool classes = kind < LossKind::tube,
                         open = kind == LossKind::squared_hinge || kind == LossKind::squared_tube;
              for (const double share : {0.0, 0.25, 0.7, 1.0}) {
                const double a = share * C * (open ? 4 : 1);
                work(loss, z, t, C, t * a);
                if (!classes) work(loss, z, t, C, -t * a);
              }
            });
}

template <class L>
double reward(const L& loss, double b, double t, double C) {
  return -C * loss.conjugate(-b / C, t);
}

}  // namespace

// Fenchel and Young's inequality, and the residual that is free of cancellation.
TEST(the_residual_is_what_is_left_of_fenchels_inequality) {
  everywhere([](const auto& loss, double z, double t, double C, double b) {
    const double plain = C * loss.value(z, t) - reward(loss, b, t, C) + b * z, r = loss.residual(z, b, t, C);
    CHECK(r >= 0);
    CHECK(std::abs(r - plain) <= 1e-12 * (1 + std::abs(plain) + C * 20));
  });
}

TEST(the_reward_is_minus_the_conjugate) {
  everywhere([](const auto& loss, double, double t, double C, double b) {
    CHECK(std::abs(loss.reward(b, t, C) - reward(loss, b, t, C)) <= 1e-12 * (1 + C));
  });
}

TEST(the_slope_has_no_residual) {
  everywhere([](const auto& loss, double z, double t, double C, double) {
    CHECK(loss.residual(z, -C * loss.slope(z, t), t, C) <= 1e-12 * C);
  });
}

TEST(a_dual_step_is_the_best_of_all_steps) {
  everywhere([](const auto& loss, double z, double t, double C, double b) {
    for (const double q : {0.05, 1.0, 20.0}) {
      const auto gain = [&](double to) { return reward(loss, to, t, C) - z * (to - b) - q / 2 * (to - b) * (to - b); };
      const double best = loss.dual_step(b, z, q, t, C), reached = gain(best);
      CHECK(std::isfinite(reached));
      for (const double off : {-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0}) {
        const double other = gain(best + off * C);
        CHECK(!(other > reached + 1e-9 * (1 + std::abs(reached))));
      }
    }
  });
}

TEST(a_row_of_zeros_goes_where_its_score_sends_it) {
  CHECK(Hinge{}.dual_step(0, 0.5, 0, 1, 2) == 2);
  CHECK(Hinge{}.dual_step(1, 1.0, 0, 1, 2) == 1);
  CHECK(Tube{0.1}.dual_step(0, 0, 0, 1, 2) == 2);
  CHECK(Tube{0.1}.dual_step(0.5, 1, 0, 1, 2) == 0.5);
}

// Held at a kink: the step changes nothing, and the residual is 0.
TEST(what_is_held_does_not_move) {
  everywhere([](const auto& loss, double z, double t, double C, double b) {
    const Push push = loss.push(z, b, t, C);
    CHECK(push.violation >= 0 && push.slack >= 0 && push.violation * push.slack == 0);
    if (push.slack > 0) {
      CHECK(loss.dual_step(b, z, 0.7, t, C) == b);
      CHECK(loss.residual(z, b, t, C) <= 1e-15);
    }
  });
}

TEST(the_curvature_is_the_slope_of_the_slope) {
  everywhere([](const auto& loss, double z, double t, double, double) {
    const double h = 1e-5, numeric = (loss.slope(z + h, t) - loss.slope(z - h, t)) / (2 * h);
    if (loss.curvature(z + h, t) == loss.curvature(z - h, t)) CHECK(std::abs(numeric - loss.curvature(z, t)) < 1e-4);
    if (std::abs(loss.curvature(z + h, t) - loss.curvature(z - h, t)) < 1e-3 && loss.curvature(z, t) > 0)
      CHECK(std::abs(numeric - loss.curvature(z, t)) < 1e-3);
  });
}
