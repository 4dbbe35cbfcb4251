#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "solver/box_scan.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

struct Box {
  std::vector<double> b, f, t, lower, upper;
  explicit Box(Index n) {
    Random random(static_cast<std::uint64_t>(n), Purpose::sample, 0);
    for (Index i = 0; i < n; ++i) {
      lower.push_back(-1), upper.push_back(static_cast<double>(random.below(3)));
      b.push_back(static_cast<double>(random.below(5)) / 2 - 1);
      f.push_back(static_cast<double>(random.below(1000)) / 64), t.push_back(static_cast<double>(random.below(3)));
    }
  }
  BoxView view() const {
    return {b.data(), f.data(), t.data(), lower.data(), upper.data(), static_cast<Index>(b.size())};
  }
};

}  // namespace

TEST(extremes_are_those_of_a_plain_loop) {
  at_every_level([] {
    for (const Index n : {0, 1, 7, 8, 21, 500}) {
      const Box box(n);
      Extremes plain;
      for (Index i = 0; i < n; ++i) {
        const double F = box.f[z(i)] - box.t[z(i)];
        const bool up = box.b[z(i)]<box.upper[z(i)], down = box.b[z(i)]> box.lower[z(i)];
        if (up) plain.least = std::min(plain.least, F);
        if (down) plain.most = std::max(plain.most, F);
        if (up && down) plain.free_sum += F, ++plain.free;
      }
      const Extremes found = extremes(box.view());
      CHECK(found.least == plain.least && found.most == plain.most && found.free == plain.free);
      CHECK(found.free_sum == plain.free_sum);  // all are multiples of 1/64
    }
  });
}

TEST(who_violates_more_has_no_later_place) {
  at_every_level([] {
    const Index n = 301;
    const Box box(n);
    const Extremes e = extremes(box.view());
    std::vector<std::uint16_t> up(z(n)), down(z(n));
    const Index found = violations(box.view(), e, up.data(), down.data());
    Index candidates = 0;
    for (Index i = 0; i < n; ++i) {
      const double F = box.f[z(i)] - box.t[z(i)];
      const bool rises = box.b[z(i)] < box.upper[z(i)] && F < e.most;
      const bool falls = box.b[z(i)] > box.lower[z(i)] && F > e.least;
      CHECK((up[z(i)] < bins) == rises && (down[z(i)] < bins) == falls);
      candidates += rises || falls;
      for (Index j = 0; j < n; ++j) {
        const double G = box.f[z(j)] - box.t[z(j)];
        if (up[z(i)] < bins && up[z(j)] < bins && F < G) CHECK(up[z(i)] <= up[z(j)]);
        if (down[z(i)] < bins && down[z(j)] < bins && F > G) CHECK(down[z(i)] <= down[z(j)]);
      }
    }
    CHECK(candidates > 0 && found == candidates);
  });
}

TEST(without_two_sides_nobody_violates) {
  Box box(20);
  box.upper = box.b;  // none can rise
  const Extremes e = extremes(box.view());
  std::vector<std::uint16_t> up(20, 7), down(20, 7);
  CHECK(violations(box.view(), e, up.data(), down.data()) == 0);
  for (std::size_t i = 0; i < 20; ++i) CHECK(up[i] == bins && down[i] == bins);
  CHECK(e.free == 0 && e.bias() == -e.most);
}
