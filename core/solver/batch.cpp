#include "solver/batch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

// hi + lo += v, where hi + lo is far more exact than a double.
inline void add_exactly(double v, double& hi, double& lo) {
  const double sum = hi + v, part = sum - hi;
  lo += (hi - (sum - part)) + (v - part);
  hi = sum;
}

// The same for s v, whose product may need two doubles as well.
inline void add_product(double s, double v, double& hi, double& lo) {
  const double product = s * v;
  lo += std::fma(s, v, -product);
  add_exactly(product, hi, lo);
}

struct Sums {
  std::vector<double> hi, lo;
  BatchPass pass;
  explicit Sums(Index d) : hi(static_cast<std::size_t>(d)), lo(static_cast<std::size_t>(d)) {}
};

template <class T>
void add_row(double s, DenseRow<T> row, double* hi, double* lo) {
  if (std::abs(s) == 1)
    for (Index j = 0; j < row.d; ++j) add_exactly(s * row.x[j], hi[j], lo[j]);
  else
    for (Index j = 0; j < row.d; ++j) add_product(s, row.x[j], hi[j], lo[j]);
}

template <class T>
void add_row(double s, SparseRow<T> row, double* hi, double* lo) {
  if (std::abs(s) == 1)
    for (Index k = 0; k < row.size; ++k) add_exactly(s * row.x[k], hi[row.j[k]], lo[row.j[k]]);
  else
    for (Index k = 0; k < row.size; ++k) add_product(s, row.x[k], hi[row.j[k]], lo[row.j[k]]);
}

template <class Rows>
void visit_rows(const Rows& rows, const BatchProblem& p, const double* w, Index begin, Index end, Sums& sums) {
  const double one = p.intercept ? 1.0 : 0.0;
  for (Index k = begin; k < end; ++k) {
    const Index i = p.among.empty() ? k : p.among[static_cast<std::size_t>(k)];
    const auto row = rows[i];
    const double m = p.y[i] * (dot(row, w) + one * w[rows.d]);
    if (m > 0) continue;  // what overflowed to NaN is not right
    const double s = p.weight.empty() ? 1.0 : p.weight[static_cast<std::size_t>(i)];
    add_row(s * p.y[i], row, sums.hi.data(), sums.lo.data());
    add_exactly(one * s * p.y[i], sums.hi.back(), sums.lo.back());
    ++sums.pass.wrong;
    sums.pass.wrong_weight += s;
    sums.pass.loss -= s * m;
  }
}

// How many partial sums: enough for a few threads, but never more memory than a fraction of the rows themselves.
// It depends on the data alone, so the result does not depend on the threads.
Index groups_of(Index m, Index values, Index d) {
  return std::clamp<Index>(std::min(m / 1024, values / (8 * (d + 1))), 1, 8);
}

template <class T>
Index values_in(const DenseRows<T>& rows) {
  return rows.n * rows.d;
}
template <class T>
Index values_in(const SparseRows<T>& rows) {
  return rows.offset[rows.n];
}

}  // namespace

BatchPass batch_pass(const BatchProblem& p, const double* w, double* g, int threads, Poll poll) {
  return std::visit(
      [&](const auto& rows) {
        const Index m = p.among.empty() ? rows.n : static_cast<Index>(p.among.size());
        const Index groups = groups_of(m, values_in(rows), rows.d);
        std::vector<Sums> sums(static_cast<std::size_t>(groups), Sums(rows.d + 1));
        parallel_for(
            groups, threads,
            [&](Index t) {
              visit_rows(rows, p, w, m * t / groups, m * (t + 1) / groups, sums[static_cast<std::size_t>(t)]);
            },
            poll);
        Sums& all = sums[0];
        for (std::size_t t = 1; t < sums.size(); ++t) {
          for (std::size_t j = 0; j < all.hi.size(); ++j) {
            add_exactly(sums[t].hi[j], all.hi[j], all.lo[j]);
            all.lo[j] += sums[t].lo[j];
          }
          all.pass.wrong += sums[t].pass.wrong;
          all.pass.wrong_weight += sums[t].pass.wrong_weight;
          all.pass.loss += sums[t].pass.loss;
        }
        for (std::size_t j = 0; j < all.hi.size(); ++j) g[j] = all.hi[j] + all.lo[j];
        return all.pass;
      },
      p.rows);
}

}  // namespace widemargin
