#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "levels.hpp"
#include "solver/node_column.hpp"

using namespace widemargin;

namespace {

// Values of some rows out of many, in columns of their own or beside others.
template <class T>
struct Sample {
  Index m, step;
  std::vector<T> at;
  std::vector<std::uint32_t> rows;

  Sample(Index m_, Index step_, std::uint32_t values) : m(m_), step(step_), at(static_cast<std::size_t>(3 * m * step)) {
    Random random(7, Purpose::start, static_cast<std::uint64_t>(m * step));
    for (T& x : at) x = static_cast<T>(random.below32(values));
    at.resize(at.size() + 8);
    for (Index i = 0; i < 3 * m; ++i)
      if (static_cast<Index>(rows.size()) < m &&
          (random.below32(3) == 0 || 3 * m - i <= m - static_cast<Index>(rows.size())))
        rows.push_back(static_cast<std::uint32_t>(i));
  }
  Codes<T> codes() const { return {at.data(), step}; }
  T value(std::size_t i) const { return at[rows[i] * static_cast<std::size_t>(step)]; }
};

template <class T>
void check_column(Index m, Index step, std::uint32_t values) {
  const Sample<T> s(m, step, values);
  std::vector<T> v(static_cast<std::size_t>(m + BEYOND));
  T low, high;
  gather_values(s.codes(), s.rows.data(), m, v.data(), low, high);
  T least = s.value(0), most = least;
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    CHECK(v[i] == s.value(i));
    least = std::min(least, s.value(i)), most = std::max(most, s.value(i));
  }
  CHECK(low == least && high == most);
  const auto cut = static_cast<T>(values / 3);
  const Index first[] = {0, m / 3, m / 3, m - m / 4, m};
  std::vector<std::uint64_t> words(static_cast<std::size_t>(m) / 64 + 2);
  const Sides sides = cut_sides(v.data(), m, cut, first, 4, words.data());
  Index left = 0, right = 0, go = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    Index l = 0;
    for (Index i = first[k]; i < first[k + 1]; ++i) l += s.value(static_cast<std::size_t>(i)) <= cut;
    const Index r = first[k + 1] - first[k] - l;
    left += l * l, right += r * r, go += l;
  }
  CHECK(sides.left == static_cast<double>(left) && sides.right == static_cast<double>(right) && sides.rows == go);
  std::vector<std::uint32_t> expected = s.rows, parted = s.rows, other(s.rows.size() + 16);
  std::stable_partition(expected.begin(), expected.end(),
                        [&](std::uint32_t row) { return s.at[row * static_cast<std::size_t>(step)] <= cut; });
  parted.insert(parted.end(), 20, 77u);  // rows of other nodes
  CHECK(part_rows(s.codes(), parted.data(), m, cut, other.data()) == go);
  CHECK(std::equal(expected.begin(), expected.end(), parted.begin()));
  CHECK(std::all_of(parted.begin() + m, parted.end(), [](std::uint32_t row) { return row == 77; }));
}

TEST(values_of_a_node_are_brought_together_and_its_rows_parted) {
  at_every_level([] {
    for (const Index m : {1, 2, 7, 15, 16, 17, 31, 32, 33, 64, 100, 129, 1000})
      for (const Index step : {1, 5}) {
        check_column<std::uint8_t>(m, step, 250);
        check_column<std::uint16_t>(m, step, 60000);
        check_column<std::uint32_t>(m, step, 4000000000u);
        check_column<float>(m, step, 1000);
      }
  });
}

}  // namespace
