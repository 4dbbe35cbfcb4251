#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "base/simd.hpp"
#include "check.hpp"
#include "levels.hpp"

using namespace widemargin;

namespace {

template <class T>
std::vector<T> numbers(Index d, std::uint64_t seed) {
  Random random(seed, Purpose::sample, 1);
  std::vector<T> v;
  for (Index j = 0; j < d; ++j) v.push_back(static_cast<T>(2 * random.uniform() - 1));
  return v;
}

template <class T>
void dot_and_add_agree_at_every_length() {
  const Restore restore;
  for (Index d = 0; d < 70; ++d) {
    const auto x = numbers<T>(d, 1);
    const auto w = numbers<double>(d, 2);
    long double exact = 0, size = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      exact += static_cast<long double>(x[j]) * w[j];
      size += std::abs(static_cast<long double>(x[j]) * w[j]);
    }
    std::vector<std::vector<double>> sums;
    for (const auto level : {simd::Level::scalar, simd::Level::avx2, simd::Level::avx512}) {
      simd::set_level(level);
      CHECK(std::abs(static_cast<double>(simd::dot(x.data(), w.data(), d) - exact)) <=
            1e-14 * static_cast<double>(size));
      std::vector<double> sum = w;
      simd::add(0.3, x.data(), sum.data(), d);
      for (std::size_t j = 0; j < x.size(); ++j) CHECK(std::abs(sum[j] - (w[j] + 0.3 * x[j])) <= 1e-15);
      sums.push_back(sum);
    }
    CHECK(sums[0] == sums[1]);  // one product and one sum an entry, never fused: no rounding may differ
  }
}

}  // namespace

TEST(vector_loops_agree_with_plain_ones_in_float64) { dot_and_add_agree_at_every_length<double>(); }
TEST(vector_loops_agree_with_plain_ones_in_float32) { dot_and_add_agree_at_every_length<float>(); }

TEST(the_level_never_rises_above_the_cpu) {
  const Restore restore;
  simd::set_level(simd::Level::avx512);
  CHECK(simd::level() <= simd::detected());
  simd::set_level(simd::Level::scalar);
  CHECK(simd::level() == simd::Level::scalar);
}
