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

template <class T>
void dots_of_several_rows_are_those_of_each() {
  const Restore restore;
  constexpr Index most = 11, stride = 40;
  const auto x = numbers<T>(most * stride, 3);
  const auto w = numbers<double>(stride, 4);
  for (Index n = 0; n <= most; ++n)
    for (Index d = 0; d < stride; ++d)
      for (const auto level : {simd::Level::scalar, simd::Level::avx2, simd::Level::avx512}) {
        simd::set_level(level);
        std::vector<double> out(static_cast<std::size_t>(n) + 1, 7.0);
        simd::dots(x.data(), stride, n, w.data(), d, out.data());
        for (Index i = 0; i < n; ++i)
          CHECK(std::abs(out[static_cast<std::size_t>(i)] - simd::dot(x.data() + i * stride, w.data(), d)) <= 1e-14);
        CHECK(out.back() == 7.0);
      }
}

}  // namespace

TEST(dots_of_several_rows_are_those_of_each_in_float64) { dots_of_several_rows_are_those_of_each<double>(); }
TEST(dots_of_several_rows_are_those_of_each_in_float32) { dots_of_several_rows_are_those_of_each<float>(); }
TEST(vector_loops_agree_with_plain_ones_in_float64) { dot_and_add_agree_at_every_length<double>(); }
TEST(vector_loops_agree_with_plain_ones_in_float32) { dot_and_add_agree_at_every_length<float>(); }

TEST(the_level_never_rises_above_the_cpu) {
  const Restore restore;
  simd::set_level(simd::Level::avx512);
  CHECK(simd::level() <= simd::detected());
  simd::set_level(simd::Level::scalar);
  CHECK(simd::level() == simd::Level::scalar);
}
