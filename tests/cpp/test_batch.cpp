#include "check.hpp"
#include "data.hpp"
#include "solver/batch.hpp"

using namespace widemargin;

namespace {

struct Step {
  BatchPass pass;
  std::vector<double> g;
};

Step step(const AnyRows& rows, const std::vector<double>& y, const std::vector<double>& w, Span<const double> weight,
          Span<const Column> among, int threads) {
  Step out{{}, std::vector<double>(w.size())};
  out.pass = batch_pass({rows, y.data(), weight, among, true}, w.data(), out.g.data(), threads);
  return out;
}

}  // namespace

TEST(a_pass_sums_the_rows_on_the_wrong_side) {
  const Sample s(3000, 6, 1);
  const std::vector<double> w = {1, -0.5, 0, 2, -1, 0.25, 0.5};
  const Step dense = step(s.dense(), s.y, w, {}, {}, 1);
  std::vector<double> slow(w.size());
  Index wrong = 0;
  for (Index i = 0; i < s.n; ++i) {
    double u = w.back();
    for (Index j = 0; j < s.d; ++j) u += s.x[static_cast<std::size_t>(i * s.d + j)] * w[static_cast<std::size_t>(j)];
    const double y = s.y[static_cast<std::size_t>(i)];
    if (y * u > 0) continue;
    ++wrong;
    for (Index j = 0; j < s.d; ++j) slow[static_cast<std::size_t>(j)] += y * s.x[static_cast<std::size_t>(i * s.d + j)];
    slow.back() += y;
  }
  CHECK(dense.pass.wrong == wrong && wrong > 0);
  CHECK(dense.g == slow);
  for (const int threads : {1, 2, 5}) {
    CHECK(step(s.sparse(), s.y, w, {}, {}, threads).g == slow);
    CHECK(step(s.dense32(), s.y, w, {}, {}, threads).g == slow);
  }
}

TEST(a_weight_is_a_number_of_rows_bit_for_bit) {
  Sample s(50, 4, 2);
  for (double& v : s.x) v = v * 0.1 + 1e-3;  // products that are not exact any more
  const std::vector<double> w(5), weight(50, 3.0);
  std::vector<Column> thrice;
  for (Column k = 0; k < 150; ++k) thrice.push_back(k % 50);
  CHECK(step(s.dense(), s.y, w, weight, {}, 1).g == step(s.dense(), s.y, w, {}, thrice, 1).g);
}
