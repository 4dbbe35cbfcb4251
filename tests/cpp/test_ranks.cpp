#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "check.hpp"
#include "data/ranks.hpp"

using namespace widemargin;

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// Columns of many kinds: whole numbers with and without gaps, few and many others, constant, with missing values.
std::vector<float> numbers_of(Index n, Index d, bool many) {
  Random random(3, Purpose::start, 0);
  std::vector<float> x(static_cast<std::size_t>(n * d));
  for (Index i = 0; i < n; ++i)
    for (Index f = 0; f < d; ++f) {
      const auto u = static_cast<float>(random.uniform());
      const float kinds[] = {std::floor(u * 256),
                             std::floor(u * 5),
                             std::floor(u * 4) * 60,
                             0,
                             std::floor(u * 9) - 4.5f,
                             u < 0.3f ? missing : std::floor(u * 7),
                             many ? u : std::floor(u * 200) / 7,
                             std::exp(std::floor(u * 100) - 50)};
      x[static_cast<std::size_t>(i * d + f)] = i == 0 && f % 8 == 0 ? 255.0f : kinds[f % 8];
    }
  return x;
}

}  // namespace

TEST(ranks_keep_the_order_of_numbers_by_column_and_by_row) {
  for (const Index n : {1, 7, 8, 70, 1500})
    for (const Index d : {1, 8, 19})
      for (const bool many : {false, true}) {
        const std::vector<float> x = numbers_of(n, d, many);
        std::vector<std::uint32_t> turned(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = static_cast<std::uint32_t>(turned.size() - 1 - i);
        const RankedColumns r = rank_columns(x.data(), n, d, d, turned.data(), 0, 1);
        const auto code = [&](Index i, Index f, bool by_row) -> Index {
          if (r.width == 1) return by_row ? r.row_major<std::uint8_t>()[i * d + f] : r.column<std::uint8_t>(f)[i];
          return by_row ? r.row_major<std::uint16_t>()[i * d + f] : r.column<std::uint16_t>(f)[i];
        };
        CHECK(r.width == (many && n > 1000 && d > 6 ? 2 : 1));
        for (Index f = 0; f < d; ++f)
          for (Index i = 0; i < n; ++i) {
            const float v = x[static_cast<std::size_t>((n - 1 - i) * d + f)];
            const Index c = code(i, f, false);
            CHECK(code(i, f, true) == c);
            CHECK(std::isnan(v) ? c == r.codes(f)
                                : c < r.codes(f) &&
                                      r.low[static_cast<std::size_t>(r.first[static_cast<std::size_t>(f)] + c)] == v);
          }
        for (Index f = 0; f < d; ++f)
          for (Index c = 1; c < r.codes(f); ++c) {
            const float* low = r.low.data() + r.first[static_cast<std::size_t>(f)];
            CHECK(low[c - 1] < low[c]);
          }
      }
}

// Cells only say where to look: at the ends of the range of floats, for numbers far apart and side by side.
TEST(a_number_is_found_among_the_codes_with_cells_and_without) {
  constexpr float top = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  std::vector<std::vector<float>> columns = {{0, 1, 2, 3, 255},
                                             {-top, 0, 1, top},
                                             {0, least, 2 * least, 5 * least},
                                             {7},
                                             {1, std::nextafter(1.0f, 2.0f), 1e30f}};
  for (std::vector<float>& v : columns) {
    const auto n = static_cast<Index>(v.size());
    const RankedColumns with = rank_columns(v.data(), n, 1, 1, nullptr, 0, 1, never, Ranking::if_short);
    const RankedColumns without = rank_columns(v.data(), n, 1, 1, nullptr, 0, 1);
    CHECK(!with.cells.empty() && without.cells.empty());
    for (Index c = 0; c < n; ++c) {
      const float here = v[static_cast<std::size_t>(c)];
      const float next = c + 1 < n ? v[static_cast<std::size_t>(c) + 1] : top;
      for (const float t : {here, here / 2 + next / 2, std::nextafter(next, here)})
        if (t >= here && (t < next || c + 1 == n)) CHECK(with.code_at(0, t) == c && without.code_at(0, t) == c);
    }
  }
}
