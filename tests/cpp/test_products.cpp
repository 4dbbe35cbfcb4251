#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "kernel/products.hpp"
#include "kernel/row_sums.hpp"
#include "kernel/sparse_products.hpp"
#include "kernel/turn.hpp"
#include "levels.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

template <class T>
std::vector<T> numbers(Index n, std::uint64_t seed) {
  Random random(seed, Purpose::sample, 1);
  std::vector<T> v;
  for (Index j = 0; j < n; ++j) v.push_back(static_cast<T>(2 * random.uniform() - 1));
  return v;
}

template <class T>
std::vector<T> packed(const std::vector<T>& x, Index n, Index d) {
  constexpr Index w = packed_width<T>;
  std::vector<T> out(z((n + w - 1) / w * w * d));
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < d; ++k) out[z(packed_place<T>(j, k, d))] = x[z(j * d + k)];
  return out;
}

template <class T>
std::vector<T*> rows_of(std::vector<T>& x, Index n, Index d) {
  std::vector<T*> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(x.data() + i * d);
  return rows;
}

// All products of n rows with themselves, taken in blocks of m rows and columns from `first` on.
template <class T>
std::vector<T> all_products(const std::vector<T>& x, Index n, Index d, Index m, Index columns) {
  const std::vector<T> other = packed(x, n, d);
  std::vector<T> out(z(n * n));
  for (Index i = 0; i < n; i += m)
    for (Index first = 0; first < n; first += columns) {
      std::vector<T*> at;
      for (Index a = i; a < std::min(n, i + m); ++a) at.push_back(out.data() + a * n + first);
      packed_products(x.data() + i * d, static_cast<Index>(at.size()), other.data(), first,
                      std::min(columns, n - first), d, at.data());
    }
  return out;
}

template <class T>
void products_are_right_and_the_same_wherever_they_stand() {
  const Index n = 45;
  for (const Index d : {1, 7, 63, 64, 65, 130}) {
    const std::vector<T> x = numbers<T>(n * d, 3), K = all_products(x, n, d, n, n);
    const double unit = std::numeric_limits<T>::epsilon();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        long double exact = 0;
        for (Index k = 0; k < d; ++k) exact += static_cast<long double>(x[z(i * d + k)]) * x[z(j * d + k)];
        const double off = std::abs(static_cast<double>(K[z(i * n + j)] - exact));
        CHECK(off <= unit * static_cast<double>(packed_roundings(d) * d));
        CHECK(K[z(i * n + j)] == K[z(j * n + i)]);
      }
    for (const Index m : {1, 2, 5, 7, 13}) CHECK(all_products(x, n, d, m, 16) == K);
    CHECK(all_products(x, n, d, 4, 11) == K);  // groups that are cut
  }
}

template <class T>
void sums_of_rows_are_right() {
  for (const Index n : {0, 1, 15, 64, 77, 240}) {
    const Index m = 5;
    std::vector<T> x = numbers<T>(m * n, 4);
    const std::vector<T> by_column = numbers<T>(n, 5), by_row = numbers<T>(m, 6);
    const auto rows = rows_of(x, m, n);
    std::vector<double> dots(z(m), 0.5);
    row_dots<T>(rows.data(), m, by_column.data(), n, dots.data());
    std::vector<T> added(z(n), T{1});
    add_rows<T>(rows.data(), m, by_row.data(), n, added.data());
    const double near = 16 * static_cast<double>(n + 2) * std::numeric_limits<T>::epsilon();
    for (Index a = 0; a < m; ++a) {
      double exact = 0.5;
      for (Index b = 0; b < n; ++b) exact += static_cast<double>(x[z(a * n + b)]) * by_column[z(b)];
      CHECK(std::abs(dots[z(a)] - exact) <= near);
    }
    for (Index b = 0; b < n; ++b) {
      double exact = 1;
      for (Index a = 0; a < m; ++a) exact += static_cast<double>(x[z(a * n + b)]) * by_row[z(a)];
      CHECK(std::abs(added[z(b)] - exact) <= near);
    }
  }
}

// Rows I of a sample spread out, as a panel is, with or without slots; products with the rows J.
template <class T>
std::vector<T> spread_products(const Sample& s, const std::vector<Column>& I, const std::vector<Column>& J,
                               bool slots) {
  const Index m = static_cast<Index>(I.size()), width = (m + 15) / 16 * 16, first = slots ? 1 : 0;
  std::vector<T> x(z((s.d + 1) * width));
  std::vector<std::int32_t> slot(z(s.d));
  for (Index k = 0; k < s.d; ++k) {
    if (k == s.d / 2) continue;  // a column that no row of the panel uses
    slot[z(k)] = static_cast<std::int32_t>(k + 1);
    for (Index a = 0; a < m; ++a) x[z((k + first) * width + a)] = static_cast<T>(s.x[z(I[z(a)] * s.d + k)]);
  }
  const SparseRows<double> given = s.sparse();
  const std::vector<T> entries(given.x, given.x + given.offset[given.n]);
  const SparseRows<T> others{entries.data(), given.j, given.offset, given.n, given.d};
  std::vector<T> out(I.size() * J.size());
  auto rows = rows_of(out, m, static_cast<Index>(J.size()));
  const SpreadPanel<T> panel{x.data(), slots ? slot.data() : nullptr, m, width};
  sparse_products(panel, others, J.data(), 0, static_cast<Index>(J.size()), rows.data());
  return out;
}

template <class T>
void sparse_products_are_exact() {
  const Sample s(40, 30, 5);
  for (const std::size_t m : {1u, 16u, 17u, 40u})
    for (const Column count : {3, 16, 37, 40}) {
      std::vector<Column> I, J;
      for (std::size_t a = 0; a < m; ++a) I.push_back(static_cast<Column>(7 * a % 40));
      for (Column j = 0; j < count; ++j) J.push_back(39 - j);
      for (const bool slots : {true, false}) {
        const auto out = spread_products<T>(s, I, J, slots);
        for (std::size_t a = 0; a < I.size(); ++a)
          for (std::size_t b = 0; b < J.size(); ++b) {
            double exact = 0;
            for (Index k = 0; k < s.d; ++k)
              if (k != s.d / 2) exact += s.x[z(I[a] * s.d + k)] * s.x[z(J[b] * s.d + k)];
            CHECK(out[a * J.size() + b] == static_cast<T>(exact));
          }
      }
    }
}

}  // namespace

TEST(packed_products_are_the_same_bits_wherever_they_stand) {
  at_every_level([] {
    products_are_right_and_the_same_wherever_they_stand<float>();
    products_are_right_and_the_same_wherever_they_stand<double>();
  });
}

TEST(sums_over_rows_and_columns_agree_with_plain_ones) {
  at_every_level([] {
    sums_of_rows_are_right<float>();
    sums_of_rows_are_right<double>();
  });
}

TEST(sparse_products_are_exact_where_sums_are) {
  at_every_level([] {
    sparse_products_are_exact<float>();
    sparse_products_are_exact<double>();
  });
}

TEST(rows_are_turned_into_columns) {
  at_every_level([] {
    for (const Index rows : {0, 1, 15, 16, 40})
      for (const Index columns : {0, 1, 16, 33}) {
        const std::vector<float> from = numbers<float>(rows * (columns + 3), 9);
        std::vector<float> to(z(columns * (rows + 2)), -7.0f);
        turn_over(from.data(), columns + 3, rows, columns, to.data(), rows + 2);
        for (Index b = 0; b < columns; ++b)
          for (Index a = 0; a < rows + 2; ++a)
            CHECK(to[z(b * (rows + 2) + a)] == (a < rows ? from[z(a * (columns + 3) + b)] : -7.0f));
      }
  });
}

TEST(sums_of_kernel_rows_do_not_depend_on_the_chunk) {
  at_every_level([] {
    const Index n = 173;
    for (const Index m : {0, 1, 7, 8, 19}) {
      std::vector<float> x = numbers<float>(m * n, 7);
      const std::vector<double> step = numbers<double>(m, 8);
      const auto rows = rows_of(x, m, n);
      std::vector<double> f(z(n), 0.25), fast = f, spread(z(n)), in_chunks = f, fast_chunks = f;
      accumulate(rows.data(), step.data(), m, n, f.data(), spread.data());
      accumulate_fast(rows.data(), step.data(), m, n, fast.data());
      for (Index b = 0; b < n; ++b) {
        double exact = 0.25, sizes = 0;
        for (Index a = 0; a < m; ++a) {
          exact += step[z(a)] * x[z(a * n + b)];
          sizes += std::abs(step[z(a)] * x[z(a * n + b)]);
        }
        CHECK(std::abs(f[z(b)] - exact) <= sum_error * 0x1p-24 * sizes + 1e-15);
        CHECK(std::abs(fast[z(b)] - exact) <= 1e-6);
      }
      for (Index begin = 0; begin < n; begin += 32) {
        const Index here = std::min<Index>(32, n - begin);
        std::vector<const float*> at;
        for (const float* row : rows) at.push_back(row + begin);
        accumulate(at.data(), step.data(), m, here, in_chunks.data() + begin, nullptr);
        accumulate_fast(at.data(), step.data(), m, here, fast_chunks.data() + begin);
      }
      CHECK(f == in_chunks);
      CHECK(fast == fast_chunks);
    }
  });
}
