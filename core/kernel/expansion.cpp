#include "kernel/expansion.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr Index columns = 256;  // of a tile
constexpr Index stride =
    columns + 16;  // not a power of two, or all rows would compete for the same places in the cache
constexpr Index lanes = 16;

// sum_b k[b] c[b]: sixteen sums in the type of the values, so that the compiler may use vectors.
template <class T>
double dot_row(const T* k, const T* c, Index n) {
  T s[lanes] = {};
  Index b = 0;
  for (; b + lanes <= n; b += lanes)
    for (Index e = 0; e < lanes; ++e) s[e] += k[b + e] * c[b + e];
  double sum = 0;
  for (; b < n; ++b) sum += static_cast<double>(k[b] * c[b]);
  for (Index e = 0; e < lanes; ++e) sum += static_cast<double>(s[e]);
  return sum;
}

template <class T>
struct Scratch {
  Panel<T> panel;
  std::vector<T> values = std::vector<T>(static_cast<std::size_t>(Panel<T>::most * stride));
};

}  // namespace

template <class T>
void kernel_sums(const AnyRows& x_rows, const AnyRows& z_rows, const KernelSpec& spec, const double* c, Index parts,
                 double* out, int threads, Poll poll) {
  const double scale = common_scale(x_rows, z_rows, threads);
  const KernelRows<T> x(x_rows, spec, threads, false, scale), z(z_rows, spec, threads, true, scale);
  if (x.d() != z.d()) fail("the two sides have different numbers of features");
  if (x.sparse() != z.sparse()) fail("one side is sparse and the other is not");
  constexpr Index most = Panel<T>::most;
  const Index n = x.n(), m = z.n();
  std::vector<T> coef(c, c + parts * m);
  parallel_blocks(
      n, most, threads,
      [&](Index begin, Index end) {
        thread_local Scratch<T> scratch;
        Column rows[most];
        for (Index a = begin; a < end; ++a) rows[a - begin] = static_cast<Column>(a);
        scratch.panel.gather(x, rows, end - begin);
        for (Index p = 0; p < parts; ++p) std::fill(out + p * n + begin, out + p * n + end, 0.0);
        const RowPointers<T> at(scratch.values.data(), stride);
        for (Index first = 0; first < m; first += columns) {
          const Index count = std::min(columns, m - first);
          scratch.panel.against(z, first, count, at);
          for (Index p = 0; p < parts; ++p)
            for (Index a = 0; a < end - begin; ++a)
              out[p * n + begin + a] += dot_row(at.row[a], coef.data() + p * m + first, count);
        }
      },
      poll);
}

template <class T>
void kernel_expansion(const AnyRows& rows, const KernelSpec& spec, const Column* J, const double* c, Index m,
                      double* out, int threads, Poll poll) {
  const KernelRows<T> x(rows, spec, threads, false);
  constexpr Index most = Panel<T>::most;
  const Index n = x.n();
  std::vector<char> used(static_cast<std::size_t>(n), 0);
  for (Index j = 0; j < m; ++j) used[static_cast<std::size_t>(J[j])] = 1;
  std::vector<Column> rest;
  for (Index i = 0; i < n; ++i)
    if (!used[static_cast<std::size_t>(i)]) rest.push_back(static_cast<Column>(i));
  std::vector<T> coef(c, c + m);
  Picked<T> z;
  z.pick(x, J, m);

  // The square: a task is a fixed share of the panels, with sums of its own that are added up in the order of the tasks.
  const Index panels = (m + most - 1) / most, tasks = std::min<Index>(panels, 16);
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(tasks),
                                        std::vector<double>(static_cast<std::size_t>(m)));
  parallel_for(
      tasks, threads,
      [&](Index t) {
        thread_local Scratch<T> scratch;
        double* f = sums[static_cast<std::size_t>(t)].data();
        const RowPointers<T> at(scratch.values.data(), stride);
        std::vector<T> turned(static_cast<std::size_t>(columns));
        for (Index p = t; p < panels; p += tasks) {
          const Index begin = p * most, size = std::min(most, m - begin);
          scratch.panel.gather(x, J + begin, size);
          for (Index first = begin; first < m; first += columns) {
            const Index count = std::min(columns, m - first);
            scratch.panel.against(z, first, count, at);
            // Columns of the panel itself stand in its own rows already.
            const Index own = first == begin ? std::min(count, size) : 0;
            std::fill_n(turned.begin(), count, T{0});
            for (Index a = 0; a < size; ++a) {
              f[begin + a] += dot_row(at.row[a], coef.data() + first, count);
              const T ca = coef[static_cast<std::size_t>(begin + a)];
              for (Index b = own; b < count; ++b) turned[static_cast<std::size_t>(b)] += ca * at.row[a][b];
            }
            for (Index b = own; b < count; ++b)
              f[first + b] += static_cast<double>(turned[static_cast<std::size_t>(b)]);
          }
        }
      },
      poll);
  for (Index j = 0; j < m; ++j) {
    double sum = 0;
    for (const auto& f : sums) sum += f[static_cast<std::size_t>(j)];
    out[J[j]] = sum;
  }

  const Index n_rest = static_cast<Index>(rest.size());
  parallel_blocks(
      n_rest, most, threads,
      [&](Index begin, Index end) {
        thread_local Scratch<T> scratch;
        scratch.panel.gather(x, rest.data() + begin, end - begin);
        const RowPointers<T> at(scratch.values.data(), stride);
        double f[most] = {};
        for (Index first = 0; first < m; first += columns) {
          const Index count = std::min(columns, m - first);
          scratch.panel.against(z, first, count, at);
          for (Index a = 0; a < end - begin; ++a) f[a] += dot_row(at.row[a], coef.data() + first, count);
        }
        for (Index a = begin; a < end; ++a) out[rest[static_cast<std::size_t>(a)]] = f[a - begin];
      },
      poll);
}

template void kernel_sums<float>(const AnyRows&, const AnyRows&, const KernelSpec&, const double*, Index, double*, int,
                                 Poll);
template void kernel_sums<double>(const AnyRows&, const AnyRows&, const KernelSpec&, const double*, Index, double*, int,
                                  Poll);
template void kernel_expansion<float>(const AnyRows&, const KernelSpec&, const Column*, const double*, Index, double*,
                                      int, Poll);
template void kernel_expansion<double>(const AnyRows&, const KernelSpec&, const Column*, const double*, Index, double*,
                                       int, Poll);

}  // namespace widemargin
