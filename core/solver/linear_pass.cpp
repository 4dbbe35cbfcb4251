#include "solver/linear_pass.hpp"

#include <algorithm>
#include <cmath>

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2")))
#else
#define AVX2
#endif

namespace widemargin {
namespace {

constexpr Index between_polls = 1 << 13, a_block = 1 << 8;

// What a row adds to the sums, its dual variable and curvature; compiled for each kind of variables.
struct Seen {
  double b, h, loss, residual, smooth;
};

template <Variables how, class L>
inline WIDEMARGIN_INLINE Seen seen(const L& loss, double k, double z, double b, double a, double t, double C) {
  const double cost = C * loss.value(z, t);
  if constexpr (how == Variables::given) return {b, 0, cost, loss.residual(z, b, t, C), cost};
  if constexpr (how == Variables::slope) return {-C * loss.slope(z, t), C * loss.curvature(z, t), cost, 0, cost};
  const double q = 1 / (k * C);
  b = loss.dual_step(a, z, q, t, C);
  const double smooth = loss.reward(b, t, C) - b * z - q / 2 * (b - a) * (b - a);
  return {b, loss.inside(b, C) ? k * C : 0.0, cost, loss.residual(z, b, t, C), smooth};
}

// Costs, residuals and smooth losses of a block of rows, one after the other.
using Figures = double[3 * a_block];

// No row depends on another here, and no choice needs a branch (-fno-trapping-math): the compiler makes vectors of it.
template <Variables how, class L>
inline WIDEMARGIN_INLINE void look(const L& loss, double k, Index m, const double* __restrict z,
                                   const double* __restrict t, const double* __restrict C, const double* __restrict a,
                                   double* __restrict b, double* __restrict h, double* __restrict figures) {
  for (Index i = 0; i < m; ++i) {
    const double centre = how == Variables::proximal ? a[i] : 0.0, given = how == Variables::given ? b[i] : 0.0;
    const Seen one = seen<how>(loss, k, z[i], given, centre, t[i], C[i]);
    b[i] = one.b;
    h[i] = one.h;
    figures[i] = one.loss;
    figures[i + a_block] = one.residual;
    figures[i + 2 * a_block] = one.smooth;
  }
}

template <Variables how, class L>
AVX2 void look_wide(const L& loss, double k, Index m, const double* __restrict z, const double* __restrict t,
                    const double* __restrict C, const double* __restrict a, double* __restrict b, double* __restrict h,
                    double* __restrict figures) {
  look<how>(loss, k, m, z, t, C, a, b, h, figures);
}

// The same sum whatever the length of a vector is.
double sum(const double* x, Index m) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Index i = 0;
  for (; i + 4 <= m; i += 4) s0 += x[i], s1 += x[i + 1], s2 += x[i + 2], s3 += x[i + 3];
  for (; i < m; ++i) s0 += x[i];
  return (s0 + s1) + (s2 + s3);
}

template <class T>
void scores(const SparseRows<T>& rows, Index first, Index m, const double* w, double* out) {
  constexpr Index few = 24;
  const Index* offset = rows.offset + first;
  if (offset[m] - offset[0] > few * m) return dots(rows, first, m, w, out);
  simd::sparse_dots(rows.x, rows.j, offset, m, w, out);
}
template <class T>
void scores(const DenseRows<T>& rows, Index first, Index m, const double* w, double* out) {
  dots(rows, first, m, w, out);
}

// Some rows at a time: all their scores, then what follows from them, then the sums of rows. Each of the three is a
// loop that the processor can look ahead in; together in one they would wait for each other's branches.
template <Variables how, class L, class Rows>
LinearSums walk(const L& loss, const Rows& rows, const LinearProblem& p, double k, PassArrays x, Poll poll) {
  LinearSums s;
  const Index d = rows.d;
  const bool wide = simd::level() >= simd::Level::avx2;
  if (x.g) std::fill(x.g, x.g + d + 1, 0.0);
  Index moved[a_block];
  Figures f;
  for (Index first = 0; first < rows.n; first += a_block) {
    const Index m = std::min(a_block, rows.n - first);
    if (first % between_polls == 0) poll();
    double *z = x.z + first, *b = x.b + first, *h = x.h + first;
    const double *t = p.t + first, *C = p.C + first, *a = how == Variables::proximal ? x.a + first : nullptr;
    if (x.w) {
      scores(rows, first, m, x.w, z);
      for (Index i = 0; i < m; ++i) z[i] += x.w[d];
    }
    wide ? look_wide<how>(loss, k, m, z, t, C, a, b, h, f) : look<how>(loss, k, m, z, t, C, a, b, h, f);
    s.loss += sum(f, m);
    s.residual += sum(f + a_block, m);
    s.smooth += sum(f + 2 * a_block, m);
    s.total += sum(b, m);
    if (!x.g) continue;
    Index many = 0;
    for (Index i = 0; i < m; ++i) moved[many] = first + i, many += b[i] != 0;
    for (Index r = 0; r < many; ++r) add(x.b[moved[r]], rows[moved[r]], x.g);
  }
  if (x.g) x.g[d] = s.total;
  return s;
}

template <Variables how, class L>
LinearSums line(const L& loss, const LinearProblem& p, double k, const double* z, const double* v, double s,
                const double* a, double& slope) {
  LinearSums sums;
  const Index n = count(p.rows);
  const bool wide = simd::level() >= simd::Level::avx2;
  double there[a_block], b[a_block], h[a_block];
  Figures f;
  slope = 0;
  for (Index first = 0; first < n; first += a_block) {
    const Index m = std::min(a_block, n - first);
    for (Index i = 0; i < m; ++i) there[i] = z[first + i] + s * v[first + i];
    const double *t = p.t + first, *C = p.C + first, *centre = how == Variables::proximal ? a + first : nullptr;
    wide ? look_wide<how>(loss, k, m, there, t, C, centre, b, h, f)
         : look<how>(loss, k, m, there, t, C, centre, b, h, f);
    sums.loss += sum(f, m);
    sums.smooth += sum(f + 2 * a_block, m);
    sums.total += sum(b, m);
    for (Index i = 0; i < m; ++i) there[i] = b[i] * v[first + i];
    slope -= sum(there, m);
  }
  return sums;
}

}  // namespace

LinearSums linear_pass(const LinearProblem& p, Variables how, double k, PassArrays arrays, Poll poll) {
  return with_loss(p.loss, p.eps, [&](const auto& loss) {
    return std::visit(
        [&](const auto& rows) {
          if (how == Variables::given) return walk<Variables::given>(loss, rows, p, k, arrays, poll);
          if (how == Variables::slope) return walk<Variables::slope>(loss, rows, p, k, arrays, poll);
          return walk<Variables::proximal>(loss, rows, p, k, arrays, poll);
        },
        p.rows);
  });
}

LinearSums along_line(const LinearProblem& p, Variables how, double k, const double* z, const double* v, double s,
                      const double* a, double& slope) {
  return with_loss(p.loss, p.eps, [&](const auto& loss) {
    if (how == Variables::slope) return line<Variables::slope>(loss, p, k, z, v, s, a, slope);
    return line<Variables::proximal>(loss, p, k, z, v, s, a, slope);
  });
}

Index unlike_rows(Index n, const double* h, const double* before, double unlike, Column* out) {
  Index many = 0;
  for (Index i = 0; i < n; ++i) {
    const double was = before ? before[i] : 0.0;
    out[many] = static_cast<Column>(i);
    many += std::abs(h[i] - was) > unlike * (h[i] + was);
  }
  return many;
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
