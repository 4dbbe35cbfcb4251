#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "data.hpp"
#include "kernel/expansion.hpp"
#include "levels.hpp"

using namespace widemargin;

namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }
constexpr KernelSpec spec{KernelKind::rbf, 0.03, 0, 1};

double value(const Sample& a, Index i, const Sample& b, Index j) {
  double apart = 0;
  for (Index k = 0; k < a.d; ++k) apart += std::pow(a.x[z(i * a.d + k)] - b.x[z(j * b.d + k)], 2);
  return std::exp(-spec.gamma * apart);
}

std::vector<double> coefficients(Index n) {
  Random random(3, Purpose::sample, 4);
  std::vector<double> c;
  for (Index j = 0; j < n; ++j) c.push_back(2 * random.uniform() - 1);
  return c;
}

bool near(const std::vector<double>& a, const std::vector<double>& b, double most) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= most)) return false;
  return a.size() == b.size();
}

}  // namespace

TEST(sums_of_kernel_values_are_those_of_the_matrix) {
  const Sample x(70, 11, 1), other(259, 11, 2);  // more than one panel, more than one tile, neither whole
  at_every_level([&] {
    for (const Index parts : {1, 2, 19}) {
      const std::vector<double> c = coefficients(parts * other.n);
      std::vector<double> exact(z(parts * x.n)), out(exact.size()), single(exact.size()), again(exact.size());
      for (Index p = 0; p < parts; ++p)
        for (Index i = 0; i < x.n; ++i)
          for (Index j = 0; j < other.n; ++j) exact[z(p * x.n + i)] += c[z(p * other.n + j)] * value(x, i, other, j);
      for (const bool sparse : {false, true}) {
        const AnyRows a = sparse ? AnyRows(x.sparse()) : AnyRows(x.dense());
        const AnyRows b = sparse ? AnyRows(other.sparse()) : AnyRows(other.dense());
        kernel_sums<double>(a, b, spec, c.data(), parts, out.data(), 1, never);
        kernel_sums<double>(a, b, spec, c.data(), parts, again.data(), 3, never);
        kernel_sums<float>(a, b, spec, c.data(), parts, single.data(), 2, never);
        CHECK(near(out, exact, 1e-12) && out == again);
        CHECK(near(single, exact, 1e-4));
      }
    }
  });
}

TEST(an_expansion_counts_every_pair_once) {
  const Sample x(300, 11, 5);
  at_every_level([&] {
    for (const Index step : {1, 3, 299, 1000}) {
      std::vector<Column> J;
      for (Index j = step == 1000 ? x.n : 0; j < x.n; j += step) J.push_back(static_cast<Column>(j));
      const Index m = static_cast<Index>(J.size());
      const std::vector<double> c = coefficients(m);
      std::vector<double> exact(z(x.n)), out(z(x.n), -1), again(z(x.n), -1), single(z(x.n), -1);
      for (Index i = 0; i < x.n; ++i)
        for (Index a = 0; a < m; ++a) exact[z(i)] += c[z(a)] * value(x, i, x, J[z(a)]);
      kernel_expansion<double>(x.sparse(), spec, J.data(), c.data(), m, out.data(), 1, never);
      CHECK(near(out, exact, 1e-12));
      kernel_expansion<double>(x.dense(), spec, J.data(), c.data(), m, out.data(), 1, never);
      kernel_expansion<double>(x.dense(), spec, J.data(), c.data(), m, again.data(), 4, never);
      kernel_expansion<float>(x.dense32(), spec, J.data(), c.data(), m, single.data(), 2, never);
      CHECK(near(out, exact, 1e-12) && out == again);
      CHECK(near(single, exact, 1e-4));
    }
  });
}

TEST(expansions_of_parts_are_those_of_each_part_alone) {
  const Sample x(90, 7, 5);
  std::vector<Column> items;
  std::vector<Index> ends;
  for (const Index step : {1, 2, 100, 4}) {  // 100: a part of one item
    for (Index i = x.n - 1; i >= 0; i -= step) items.push_back(static_cast<Column>(i));
    ends.push_back(static_cast<Index>(items.size()));
  }
  ends.push_back(ends.back());  // and one of none
  std::vector<double> c = coefficients(ends.back());
  for (std::size_t a = 0; a < c.size(); a += 3) c[a] = 0;
  std::vector<double> exact(c.size());
  for (std::size_t p = 0; p < ends.size(); ++p)
    for (Index a = p ? ends[p - 1] : 0; a < ends[p]; ++a)
      for (Index b = p ? ends[p - 1] : 0; b < ends[p]; ++b)
        exact[z(a)] += c[z(b)] * value(x, items[z(a)], x, items[z(b)]);
  at_every_level([&] {
    for (const AnyRows& rows : {AnyRows(x.dense()), AnyRows(x.sparse())}) {
      std::vector<double> out(c.size(), -1), again(c.size(), -1);
      const Index parts = static_cast<Index>(ends.size());
      kernel_expansions(rows, spec, items.data(), ends.data(), parts, c.data(), out.data(), 1, never);
      kernel_expansions(rows, spec, items.data(), ends.data(), parts, c.data(), again.data(), 3, never);
      CHECK(near(out, exact, 1e-12) && out == again);
    }
  });
}

TEST(sides_that_do_not_fit_are_refused) {
  const Sample a(5, 3, 1), b(5, 4, 1);
  std::vector<double> c(5), out(5);
  CHECK_THROWS(Error, kernel_sums<double>(a.dense(), b.dense(), spec, c.data(), 1, out.data(), 1, never));
  CHECK_THROWS(Error, kernel_sums<double>(a.dense(), a.sparse(), spec, c.data(), 1, out.data(), 1, never));
}

TEST(sums_in_float32_err_by_no_more_than_they_say) {
  at_every_level([&] {
    for (const double gamma : {1e-4, 0.03, 2.0})
      for (const Index d : {3, 90}) {
        const Sample x(70, d, 1), other(531, d, 2);
        const KernelSpec radial{KernelKind::rbf, gamma, 0, 1};
        const std::vector<double> c = coefficients(other.n);
        std::vector<double> exact(z(x.n)), out(z(x.n)), error(z(x.n)), again(z(x.n)), error_again(z(x.n));
        for (const bool sparse : {false, true}) {
          const AnyRows a = sparse ? AnyRows(x.sparse()) : AnyRows(x.dense());
          const AnyRows b = sparse ? AnyRows(other.sparse()) : AnyRows(other.dense());
          kernel_sums<double>(a, b, radial, c.data(), 1, exact.data(), 1, never);
          radial_sums(a, b, radial, c.data(), out.data(), error.data(), 1, never);
          radial_sums(a, b, radial, c.data(), again.data(), error_again.data(), 3, never);
          CHECK(out == again && error == error_again);
          double sum = 0;
          for (const double v : c) sum += std::abs(v);
          for (Index i = 0; i < x.n; ++i) {
            CHECK(std::abs(out[z(i)] - exact[z(i)]) <= error[z(i)]);
            CHECK(error[z(i)] <= 1e-3 * sum);
          }
        }
      }
  });
}
