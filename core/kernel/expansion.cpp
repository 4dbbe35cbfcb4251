#include "kernel/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "kernel/products.hpp"

namespace widemargin {
namespace {

constexpr Index columns =
    240;  // of a tile, and its stride: no power of two, or rows would compete for places in the cache

// Roundings that a term goes through in the sum of a tile, its coefficient's own among them: at most 16 in a lane, two
// where lanes come together.
constexpr double tile_error = 20;

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

template <class T>
struct Scratch {
  static constexpr Index most = Panel<T>::most;
  Panel<T> panel;
  std::vector<T> values = std::vector<T>(z(most * columns));
  std::vector<T> sums;
  RowPointers<T> row{values.data(), columns};
};

// One for each thread, behind a pointer: there is little room for variables of threads.
template <class T>
Scratch<T>& scratch() {
  thread_local std::unique_ptr<Scratch<T>> mine;
  if (!mine) mine = std::make_unique<Scratch<T>>();
  return *mine;
}

// Coefficients of several parts, cut into the columns of the tiles and packed as one side of a product; of a single
// part, as they are.
template <class T>
class Coefficients {
 public:
  Coefficients(const double* c, Index parts, Index m) : parts_(parts), m_(m) {
    if (parts == 1) {
      c_.assign(c, c + m);
      return;
    }
    constexpr Index w = packed_width<T>;
    width_ = (parts + w - 1) / w * w;
    c_.assign(z((m + columns - 1) / columns * columns * width_), T{0});
    for (Index p = 0; p < parts; ++p)
      for (Index j = 0; j < m; ++j) c_[z(place(j, p))] = static_cast<T>(c[p * m + j]);
  }

  // out[p * n + a] += sum over the columns of a tile of value times coefficient.
  void add(const Scratch<T>& s, Index rows, Index first, Index count, double* out, Index n,
           std::vector<T>& sums) const {
    if (parts_ == 1) return row_dots<T>(s.row, rows, c_.data() + first, count, out);
    sums.resize(z(rows * width_));
    T* at[Panel<T>::most];
    for (Index a = 0; a < rows; ++a) at[a] = sums.data() + a * width_;
    // Columns beyond `count` have the coefficient 0, and the values there are finite: those of the tile before.
    packed_products<T>(s.values.data(), rows, c_.data() + first * width_, 0, width_, columns, at);
    (void)count;
    for (Index p = 0; p < parts_; ++p)
      for (Index a = 0; a < rows; ++a) out[p * n + a] += static_cast<double>(at[a][p]);
  }

 private:
  Index place(Index j, Index p) const {
    return j / columns * columns * width_ + packed_place<T>(p, j % columns, columns);
  }

  Index parts_, m_, width_ = 0;
  std::vector<T> c_;
};

// Rows that are asked for, and those that are summed over.
template <class T>
struct Sides {
  double scale;
  bool thin;  // a sum must not depend on those asked for beside
  KernelRows<T> x, z;

  Sides(const AnyRows& x_rows, const AnyRows& z_rows, const KernelSpec& spec, int threads)
      : scale(common_scale(x_rows, z_rows, threads)),
        thin(x_rows.index() < 2 && mostly_zeros({z_rows})),
        x(x_rows, spec, threads, false, scale, thin),
        z(z_rows, spec, threads, true, scale, thin) {
    if (x.d() != z.d()) fail("the two sides have different numbers of features");
    if (x.sparse() != z.sparse()) fail("one side is sparse and the other is not");
  }
};

}  // namespace

template <class T>
void kernel_sums(const AnyRows& x_rows, const AnyRows& z_rows, const KernelSpec& spec, const double* c, Index parts,
                 double* out, int threads, Poll poll) {
  const Sides<T> sides(x_rows, z_rows, spec, threads);
  const KernelRows<T>&x = sides.x, &other = sides.z;
  const Index n = x.n(), m = other.n();
  const Coefficients<T> coef(c, parts, m);
  parallel_blocks(
      n, Panel<T>::most, threads,
      [&](Index begin, Index end) {
        Scratch<T>& s = scratch<T>();
        Column rows[Panel<T>::most];
        for (Index a = begin; a < end; ++a) rows[a - begin] = static_cast<Column>(a);
        s.panel.gather(x, rows, end - begin);
        for (Index p = 0; p < parts; ++p) std::fill(out + p * n + begin, out + p * n + end, 0.0);
        std::fill(s.values.begin(), s.values.end(), T{0});
        for (Index first = 0; first < m; first += columns) {
          const Index count = std::min(columns, m - first);
          s.panel.against(other, first, count, s.row);
          coef.add(s, end - begin, first, count, out + begin, n, s.sums);
        }
      },
      poll);
}

void radial_sums(const AnyRows& x_rows, const AnyRows& z_rows, const KernelSpec& spec, const double* c, double* out,
                 double* error, int threads, Poll poll) {
  using T = float;
  if (spec.kind != KernelKind::rbf) fail("the errors of a radial kernel alone are known");
  const Sides<T> sides(x_rows, z_rows, spec, threads);
  const KernelRows<T>&x = sides.x, &other = sides.z;
  const Index m = other.n(), D = std::max(x.roundings(), other.roundings());
  const std::vector<T> coef(c, c + m);
  std::vector<T> size(z(m));
  for (Index j = 0; j < m; ++j) size[z(j)] = std::abs(coef[z(j)]);
  const double L = std::accumulate(c, c + m, 0.0, [](double sum, double v) { return sum + std::abs(v); });
  const double R = other.largest_norm(), gamma = x.spec().gamma;
  parallel_blocks(
      x.n(), Panel<T>::most, threads,
      [&](Index begin, Index end) {
        Scratch<T>& s = scratch<T>();
        Column rows[Panel<T>::most];
        double spread[Panel<T>::most] = {};
        for (Index a = begin; a < end; ++a) rows[a - begin] = static_cast<Column>(a);
        s.panel.gather(x, rows, end - begin);
        std::fill(out + begin, out + end, 0.0);
        for (Index first = 0; first < m; first += columns) {
          const Index count = std::min(columns, m - first);
          s.panel.against(other, first, count, s.row);
          row_dots<T>(s.row, end - begin, coef.data() + first, count, out + begin);
          row_dots<T>(s.row, end - begin, size.data() + first, count, spread);
        }
        for (Index a = begin; a < end; ++a) {
          const double rho = 1.05 * (x.radial_error(a, R, D) + tile_error * 0x1p-24);
          const double reach = x.norm(a) + R, most = 2 + gamma * reach * reach;
          const double of_double = most * static_cast<double>(m + x.d() + 20) * 0x1p-52;
          error[a] = rho * spread[a - begin] + L * (of_double + 0x1p-90 * (1 + gamma));
          if (!(error[a] >= 0)) error[a] = std::numeric_limits<double>::infinity();
        }
      },
      poll);
}

// The square of the rows J: f_j for each. A task is a fixed share of the panels, with sums of its own that are added up
// in the order of the tasks.
template <class T>
static std::vector<double> square_sums(const KernelRows<T>& x, const Picked<T>& others, const Column* J,
                                       const std::vector<T>& c, int threads, Poll poll) {
  constexpr Index most = Panel<T>::most;
  const Index m = others.size(), panels = (m + most - 1) / most, tasks = std::min<Index>(panels, 16);
  std::vector<std::vector<double>> sums(z(tasks), std::vector<double>(z(m)));
  parallel_for(
      tasks, threads,
      [&](Index t) {
        Scratch<T>& s = scratch<T>();
        double* f = sums[z(t)].data();
        T turned[columns];
        for (Index p = t; p < panels; p += tasks) {
          const Index begin = p * most, size = std::min(most, m - begin);
          s.panel.gather(x, J + begin, size);
          for (Index first = begin; first < m; first += columns) {
            const Index count = std::min(columns, m - first);
            s.panel.against(others, first, count, s.row);
            row_dots<T>(s.row, size, c.data() + first, count, f + begin);
            // The panel's own columns stand in its rows already.
            const Index own = first == begin ? size : 0;
            std::fill_n(turned, count, T{0});
            add_rows<T>(s.row, size, c.data() + begin, count, turned);
            for (Index b = own; b < count; ++b) f[first + b] += static_cast<double>(turned[b]);
          }
        }
      },
      poll);
  std::vector<double> all(z(m));
  for (const auto& f : sums)
    for (Index j = 0; j < m; ++j) all[z(j)] += f[z(j)];
  return all;
}

// One expansion over n items; the rows used stand at `place` among them, in rising order.
template <class T>
static void expand(const KernelRows<T>& x, const Column* items, Index n, const std::vector<Column>& place,
                   const std::vector<T>& c, double* out, int threads, Poll poll) {
  const Index m = static_cast<Index>(place.size());
  std::vector<Column> used, rest, at;
  for (Index i = 0, j = 0; i < n; ++i) {
    if (j < m && place[z(j)] == i)
      used.push_back(items[i]), ++j;
    else
      rest.push_back(items[i]), at.push_back(static_cast<Column>(i));
  }
  Picked<T> others;
  others.pick(x, used.data(), m);
  const std::vector<double> square = square_sums(x, others, used.data(), c, threads, poll);
  for (Index j = 0; j < m; ++j) out[place[z(j)]] = square[z(j)];
  parallel_blocks(
      static_cast<Index>(rest.size()), Panel<T>::most, threads,
      [&](Index begin, Index end) {
        Scratch<T>& s = scratch<T>();
        s.panel.gather(x, rest.data() + begin, end - begin);
        double f[Panel<T>::most] = {};
        for (Index first = 0; first < m; first += columns) {
          const Index count = std::min(columns, m - first);
          s.panel.against(others, first, count, s.row);
          row_dots<T>(s.row, end - begin, c.data() + first, count, f);
        }
        for (Index a = begin; a < end; ++a) out[at[z(a)]] = f[a - begin];
      },
      poll);
}

template <class T>
void kernel_expansion(const AnyRows& rows, const KernelSpec& spec, const Column* J, const double* coef, Index m,
                      double* out, int threads, Poll poll) {
  const KernelRows<T> x(rows, spec, threads, false, 0, mostly_zeros({rows}));
  std::vector<Column> all(z(x.n()));
  std::iota(all.begin(), all.end(), 0);
  expand<T>(x, all.data(), x.n(), {J, J + m}, {coef, coef + m}, out, threads, poll);
}

void kernel_expansions(const AnyRows& rows, const KernelSpec& spec, const Column* items, const Index* ends, Index parts,
                       const double* c, double* out, int threads, Poll poll) {
  const KernelRows<double> x(rows, spec, threads, false, 0, mostly_zeros({rows}));
  parallel_for(
      parts, threads,
      [&](Index p) {
        const Index first = p > 0 ? ends[p - 1] : 0, n = ends[p] - first;
        std::vector<Column> place;
        std::vector<double> coef;
        for (Index i = 0; i < n; ++i)
          if (c[first + i] != 0) place.push_back(static_cast<Column>(i)), coef.push_back(c[first + i]);
        expand<double>(x, items + first, n, place, coef, out + first, 1, never);
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
