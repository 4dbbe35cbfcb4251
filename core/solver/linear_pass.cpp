#include "solver/linear_pass.hpp"

#include <algorithm>

namespace widemargin {
namespace {

constexpr Index between_polls = 1 << 13;

// Dual variable, curvature and smooth value of one row.
struct Seen {
  double b, h, smooth;
};

template <class L>
Seen seen(const L& loss, Variables how, double k, double z, double given, double a, double t, double C) {
  if (how == Variables::given) return {given, 0, C * loss.value(z, t)};
  if (how == Variables::slope) return {-C * loss.slope(z, t), C * loss.curvature(z, t), C * loss.value(z, t)};
  const double q = 1 / (k * C), b = loss.dual_step(a, z, q, t, C);
  // Inside of its piece b follows z; the push of the next step tells: none is held.
  const Push push = loss.push(z + q * (b - a), b, t, C);
  const double reward = b == 0 ? 0.0 : -C * loss.conjugate(-b / C, t);
  return {b, push.slack > 0 ? 0.0 : k * C, reward - b * z - q / 2 * (b - a) * (b - a)};
}

template <class L, class Rows>
LinearSums walk(const L& loss, const Rows& rows, const LinearProblem& p, Variables how, double k, PassArrays x,
                Poll poll) {
  LinearSums s;
  const Index d = rows.d;
  std::fill(x.g, x.g + d + 1, 0.0);
  for (Index i = 0; i < rows.n; ++i) {
    if (i % between_polls == 0) poll();
    const auto row = rows[i];
    const double z = dot(row, x.w) + x.w[d], t = p.t[i], C = p.C[i];
    const Seen one = seen(loss, how, k, z, x.b[i], x.a ? x.a[i] : 0.0, t, C);
    x.z[i] = z;
    x.b[i] = one.b;
    x.h[i] = one.h;
    s.loss += C * loss.value(z, t);
    s.smooth += one.smooth;
    s.residual += loss.residual(z, one.b, t, C);
    s.total += one.b;
    if (one.b != 0) add(one.b, row, x.g);
  }
  x.g[d] = s.total;
  return s;
}

}  // namespace

LinearSums linear_pass(const LinearProblem& p, Variables how, double k, PassArrays arrays, Poll poll) {
  return with_loss(p.loss, p.eps, [&](const auto& loss) {
    return std::visit([&](const auto& rows) { return walk(loss, rows, p, how, k, arrays, poll); }, p.rows);
  });
}

LinearSums along_line(const LinearProblem& p, Variables how, double k, const double* z, const double* v, double s,
                      const double* a, double& slope) {
  return with_loss(p.loss, p.eps, [&](const auto& loss) {
    LinearSums sums;
    const Index n = count(p.rows);
    slope = 0;
    for (Index i = 0; i < n; ++i) {
      const double at = z[i] + s * v[i];
      const Seen one = seen(loss, how, k, at, 0.0, a ? a[i] : 0.0, p.t[i], p.C[i]);
      sums.loss += p.C[i] * loss.value(at, p.t[i]);
      sums.smooth += one.smooth;
      sums.total += one.b;
      slope -= one.b * v[i];
    }
    return sums;
  });
}

namespace {

template <class T>
void add_square(double h, DenseRow<T> row, double* H, Index d) {
  for (Index j = 0; j < d; ++j) simd::add(h * row.x[j], row.x, H + j * (d + 1), j + 1);
  simd::add(h, row.x, H + d * (d + 1), d);
}

template <class T>
void add_square(double h, SparseRow<T> row, double* H, Index d) {
  for (Index k = 0; k < row.size; ++k) {  // columns rise
    double* line = H + row.j[k] * (d + 1);
    const double v = h * row.x[k];
    for (Index l = 0; l <= k; ++l) line[row.j[l]] += v * row.x[l];
  }
  add(h, row, H + d * (d + 1));
}

template <class T>
void add_squares(double h, DenseRow<T> row, double* out) {
  for (Index j = 0; j < row.d; ++j) out[j] += h * row.x[j] * row.x[j];
}

template <class T>
void add_squares(double h, SparseRow<T> row, double* out) {
  for (Index k = 0; k < row.size; ++k) out[row.j[k]] += h * row.x[k] * row.x[k];
}

template <class Work>
void each(const AnyRows& rows, Span<const Column> among, Poll poll, Work work) {
  std::visit(
      [&](const auto& r) {
        Index k = 0;
        for (const Column i : among) {
          if (k++ % (between_polls / 16) == 0) poll();
          work(i, r[i], r.d);
        }
      },
      rows);
}

}  // namespace

void add_normal_matrix(const AnyRows& rows, Span<const Column> among, const double* h, double* H, Poll poll) {
  each(rows, among, poll, [&](Index i, const auto& row, Index d) {
    add_square(h[i], row, H, d);
    H[d * (d + 1) + d] += h[i];
  });
}

void normal_product(const AnyRows& rows, Span<const Column> among, const double* h, const double* v, double* out,
                    Poll poll) {
  std::fill(out, out + width(rows) + 1, 0.0);
  each(rows, among, poll, [&](Index i, const auto& row, Index d) {
    const double s = h[i] * (dot(row, v) + v[d]);
    add(s, row, out);
    out[d] += s;
  });
}

void normal_diagonal(const AnyRows& rows, Span<const Column> among, const double* h, double* out, Poll poll) {
  std::fill(out, out + width(rows) + 1, 0.0);
  each(rows, among, poll, [&](Index i, const auto& row, Index d) {
    add_squares(h[i], row, out);
    out[d] += h[i];
  });
}

}  // namespace widemargin
