#include <algorithm>
#include <numeric>

#include "base/rng.hpp"
#include "check.hpp"

using namespace widemargin;

TEST(philox_gives_the_published_test_vectors) {
  // The known answers of the authors' own library for 10 rounds: all zero, all one, digits of pi.
  const Block zero = philox({0, 0, 0, 0}, 0, 0);
  CHECK((zero == Block{0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu}));
  const std::uint64_t ones = ~std::uint64_t{0};
  const Block one = philox({ones, ones, ones, ones}, ones, ones);
  CHECK((one == Block{0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u}));
  const Block pi = philox({0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u},
                          0x452821e638d01377u, 0xbe5466cf34e90c6cu);
  CHECK((pi == Block{0xa528f45403e61d95u, 0x38c72dbd566e9788u, 0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u}));
}

TEST(the_wide_product_is_the_schoolbook_one) {
  Random random(7, Purpose::sample, 0);
  for (int k = 0; k < 1000; ++k) {
    const std::uint64_t a = random.next(), b = random.next();
    const std::uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
    const auto [high, low] = wide_product(a, b);
    CHECK(low == a * b);
    CHECK(high == a1 * b1 + (middle >> 32) + (other >> 32));
  }
}

TEST(numbers_depend_on_every_part_of_the_key_and_on_nothing_else) {
  const std::uint64_t first = Random(1, Purpose::order, 2, 3).next();
  CHECK(Random(1, Purpose::order, 2, 3).next() == first);
  CHECK(Random(2, Purpose::order, 2, 3).next() != first);
  CHECK(Random(1, Purpose::start, 2, 3).next() != first);
  CHECK(Random(1, Purpose::order, 3, 3).next() != first);
  CHECK(Random(1, Purpose::order, 2, 4).next() != first);
}

TEST(below_stays_below_and_reaches_every_number) {
  Random random(3, Purpose::sample, 0);
  std::vector<int> seen(6);
  for (int k = 0; k < 6000; ++k) ++seen[random.below(6)];
  for (const int s : seen) CHECK(s > 800 && s < 1200);  // 7 standard deviations around 1000
  for (int k = 0; k < 100; ++k) CHECK(random.below(1) == 0);
}

TEST(uniform_lies_in_the_half_open_unit_interval) {
  Random random(5, Purpose::start, 1);
  double sum = 0;
  for (int k = 0; k < 10000; ++k) {
    const double u = random.uniform();
    CHECK(u >= 0 && u < 1);
    sum += u;
  }
  CHECK(sum > 4800 && sum < 5200);
}

TEST(a_shuffle_is_a_permutation_given_by_its_key) {
  for (const std::size_t n : {0, 1, 2, 1000}) {
    std::vector<Column> a(n), b(n);
    std::iota(a.begin(), a.end(), 0);
    b = a;
    const std::vector<Column> sorted = a;
    shuffle(a, Random(9, Purpose::order, 4));
    shuffle(b, Random(9, Purpose::order, 4));
    CHECK(a == b);
    CHECK(n < 3 || a != sorted);
    std::sort(a.begin(), a.end());
    CHECK(a == sorted);
  }
}
