#include "model/voted.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

template <class T, class Use>
void each(DenseRow<T> row, Use use) {
  for (Index j = 0; j < row.d; ++j)
    if (row.x[j] != 0) use(j, static_cast<double>(row.x[j]));
}
template <class T, class Use>
void each(SparseRow<T> row, Use use) {
  for (Index k = 0; k < row.size; ++k) use(row.j[k], static_cast<double>(row.x[k]));
}

// The columns that occur in a block of rows, each with its b values side by side.
struct Panel {
  Index b;
  std::vector<Column> slot;  // of each column, -1 if it does not occur
  std::vector<double> value;

  template <class Rows>
  Panel(const Rows& z, Index begin, Index b) : b(b), slot(static_cast<std::size_t>(z.d), -1) {
    Column slots = 0;
    for (Index k = 0; k < b; ++k)
      each(z[begin + k], [&](Index j, double) {
        Column& s = slot[static_cast<std::size_t>(j)];
        if (s < 0) s = slots++;
      });
    value.resize(static_cast<std::size_t>(slots * b));
    for (Index k = 0; k < b; ++k)
      each(z[begin + k],
           [&](Index j, double v) { value[static_cast<std::size_t>(slot[static_cast<std::size_t>(j)] * b + k)] = v; });
  }

  template <class Row>
  void product(Row row, double* out) const {
    std::fill(out, out + b, 0.0);
    each(row, [&](Index j, double v) {
      const Column s = slot[static_cast<std::size_t>(j)];
      if (s >= 0) simd::add(v, value.data() + s * b, out, b);
    });
  }
};

}  // namespace

void products(const AnyRows& x, const AnyRows& z, Index begin, Index b, double* out, int threads, Poll poll) {
  const Panel panel = std::visit([&](const auto& rows) { return Panel(rows, begin, b); }, z);
  std::visit(
      [&](const auto& rows) {
        parallel_blocks(
            rows.n, 1024, threads,
            [&](Index from, Index to) {
              for (Index i = from; i < to; ++i) panel.product(rows[i], out + i * b);
            },
            poll);
      },
      x);
}

void cast_votes(const Mistakes& m, const double* products, Index b, double* u, double* vote, double* score) {
  const double one = m.intercept ? 1.0 : 0.0;
  for (std::size_t n = 0; n < m.life.size(); ++n) {
    const double c = m.life[n];
    if (c != 0)
      for (Index k = 0; k < b; ++k) {
        vote[k] += c * (static_cast<double>(u[k] > 0) - static_cast<double>(u[k] < 0));
        score[k] += c * u[k];
      }
    if (n == m.at.size()) break;
    const double s = m.step[n];
    const double* g = products + m.at[n] * b;
    for (Index k = 0; k < b; ++k) u[k] += s * (g[k] + one);
  }
}

}  // namespace widemargin
