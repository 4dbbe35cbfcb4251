// The bound on the error of float32 scores, against sums in long double: what it says must hold, and not by a factor
// that would let a wrong constant pass.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "solver/kernel_scores.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

long double value(const KernelSpec& s, const float* x, const float* y, Index d) {
  long double xy = 0, apart = 0;
  for (Index k = 0; k < d; ++k) {
    const long double a = x[k], b = y[k];
    xy += a * b, apart += (a - b) * (a - b);
  }
  if (s.kind == KernelKind::linear) return xy;
  if (s.kind == KernelKind::rbf) return std::exp(-static_cast<long double>(s.gamma) * apart);
  const long double inner = static_cast<long double>(s.gamma) * xy + static_cast<long double>(s.offset);
  return s.kind == KernelKind::tanh ? std::tanh(inner) : std::pow(inner, static_cast<long double>(s.degree));
}

// Rows about a point `away` from the origin: there the exponent is a small difference of large numbers.
std::vector<float> cloud(Index n, Index d, double away, std::uint64_t seed) {
  Random random(seed, Purpose::sample, 1);
  std::vector<float> x;
  for (Index i = 0; i < n * d; ++i)
    x.push_back(static_cast<float>(away + static_cast<double>(random.below(1000001)) / 500000 - 1));
  return x;
}

// The largest share of its bound that an error takes. All steps alike, so that roundings do not cancel by sign.
double worst_share(const KernelSpec& spec, Index d, double away, std::uint64_t seed) {
  const Index n = 96;
  const std::vector<float> x = cloud(n, d, away, seed);
  const KernelRows<float> rows(DenseRows<float>{x.data(), n, d, d}, spec, 1);
  double worst = 0;
  for (Index j = 0; j < 24; ++j) {  // one step at a time: the sum would average the errors
    KernelScores scores(rows, 0, 0, 1);
    const Column one = static_cast<Column>(j);
    const double step = 1;
    scores.count(j, step);
    scores.add(&one, &step, 1, never);
    for (Index i = 0; i < n; ++i) {
      const long double exact = value(spec, x.data() + i * d, x.data() + j * d, d);
      const double error = static_cast<double>(std::abs(static_cast<long double>(scores.score(i)) - exact));
      worst = std::max(worst, error / scores.error(i, 0));
    }
  }
  return worst;
}

double worst_of(const KernelSpec& spec) {
  double worst = 0;
  for (const double away : {0.0, 3.0, 30.0})
    for (const Index d : {1, 2, 7, 50})
      for (std::uint64_t seed = 0; seed < 4; ++seed) worst = std::max(worst, worst_share(spec, d, away, seed));
  return worst;
}

}  // namespace

TEST(scores_in_float32_err_by_no_more_than_their_bound) {
  const KernelSpec specs[] = {{KernelKind::linear, 1, 0, 1},
                              {KernelKind::polynomial, 0.1, 1, 3},
                              {KernelKind::rbf, 0.02, 0, 1},
                              {KernelKind::rbf, 0.5, 0, 1},
                              {KernelKind::tanh, 0.02, -0.1, 1}};
  at_every_level([&] {
    for (const KernelSpec& spec : specs) {
      const double worst = worst_of(spec);
      CHECK(worst <= 1);
      CHECK(worst >= 0.04);  // seen: 0.05 (tanh) to 0.23 (rbf)
    }
  });
}
