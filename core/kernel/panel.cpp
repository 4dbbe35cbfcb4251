#include "kernel/panel.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/scan.hpp"
#include "kernel/finish.hpp"
#include "kernel/products.hpp"
#include "kernel/sparse_products.hpp"
#include "kernel/turn.hpp"

namespace widemargin {
namespace {

// 1 / (a power of two just above the largest norm); 1 if there is nothing to scale.
double unit_scale(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

// How many columns to take at once so that the products of m rows with them, and what they come from, stay in the
// cache.
Index tile_columns(Index m, Index d) {
  const Index most = (Index{1} << 18) / (std::max<Index>(m, 16) * std::clamp<Index>(d, 1, 256));
  return std::clamp<Index>(most / 16 * 16, 16, 256);
}

}  // namespace

double common_scale(const AnyRows& a, const AnyRows& b, int threads) {
  double largest = 0;
  for (const AnyRows* rows : {&a, &b}) {
    std::vector<double> q(static_cast<std::size_t>(count(*rows)));
    squared_norms(*rows, q.data(), threads);
    for (const double v : q) largest = std::max(largest, v);
  }
  return unit_scale(std::sqrt(largest));
}

bool mostly_zeros(const std::vector<AnyRows>& sets) {
  constexpr Index least_columns = 64, sampled = 1024;
  Index n = 0, seen = 0, filled = 0;
  for (const AnyRows& rows : sets) n += count(rows);
  const auto look = [&](const auto& rows) {
    const Index step = std::max<Index>(n / sampled, 1);
    for (Index i = 0; i < rows.n; i += step) {
      const auto row = rows[i];
      for (Index k = 0; k < row.d; ++k) filled += row.x[k] != 0;
      seen += row.d;
    }
  };
  for (const AnyRows& rows : sets) {
    if (rows.index() >= 2 || width(rows) < least_columns) return false;
    rows.index() == 0 ? look(std::get<0>(rows)) : look(std::get<1>(rows));
  }
  return seen > 0 && 4 * filled <= seen;
}

template <class T>
KernelRows<T>::KernelRows(const AnyRows& rows, const KernelSpec& spec, int threads, bool packed, double scale,
                          bool thin)
    : n_(count(rows)),
      d_(width(rows)),
      sparse_(thin || rows.index() >= 2),
      spec_(spec),
      norm_(static_cast<std::size_t>(n_)),
      rows_(rows) {
  if (d_ >= (Index{1} << 31)) fail("more than 2^31 - 1 columns");
  squared_norms(rows, norm_.data(), threads);
  for (const double q : norm_) largest_ = std::max(largest_, q);
  largest_ = std::sqrt(largest_);
  scale_ = sizeof(T) == 8 ? 1.0 : scale > 0 ? scale : unit_scale(largest_);
  largest_ *= scale_;
  spec_.gamma = spec.gamma / scale_ / scale_;
  gq_.resize(spec.kind == KernelKind::rbf ? norm_.size() : 0);
  for (std::size_t i = 0; i < norm_.size(); ++i) {
    if (!gq_.empty()) gq_[i] = static_cast<T>(norm_[i] * spec.gamma * log2_e);
    norm_[i] = std::sqrt(norm_[i]) * scale_;
  }
  terms_ = d_;
  if (sparse()) {
    compress();
  } else if (packed) {
    pack(nullptr, n_, packed_);
  }
}

// Entries in type T and scaled, so that no product has to do it again.
template <class T>
void KernelRows<T>::compress() {
  if (const auto* same = std::get_if<SparseRows<T>>(&rows_); same && scale_ == 1) {
    entries_ = *same;
  } else {
    offset_.assign(1, 0);
    offset_.reserve(static_cast<std::size_t>(n_ + 1));
    const auto entry = [&](double v, Index k) {
      x_.push_back(static_cast<T>(v * scale_));
      j_.push_back(static_cast<Column>(k));
    };
    const auto of_dense = [&](const auto& rows) {
      for (Index i = 0; i < n_; ++i) {
        const auto row = rows[i];
        for (Index k = 0; k < d_; ++k)
          if (row.x[k] != 0) entry(static_cast<double>(row.x[k]), k);
        offset_.push_back(static_cast<Index>(x_.size()));
      }
    };
    const auto of_sparse = [&](const auto& rows) {
      x_.reserve(static_cast<std::size_t>(rows.offset[n_]));
      j_.reserve(x_.capacity());
      for (Index i = 0; i < n_; ++i) {
        const auto row = rows[i];
        for (Index k = 0; k < row.size; ++k) entry(static_cast<double>(row.x[k]), row.j[k]);
        offset_.push_back(static_cast<Index>(x_.size()));
      }
    };
    switch (rows_.index()) {
      case 0:
        of_dense(std::get<0>(rows_));
        break;
      case 1:
        of_dense(std::get<1>(rows_));
        break;
      case 2:
        of_sparse(std::get<2>(rows_));
        break;
      default:
        of_sparse(std::get<3>(rows_));
    }
    entries_ = {x_.data(), j_.data(), offset_.data(), n_, d_};
  }
  terms_ = 0;
  for (Index i = 0; i < n_; ++i) terms_ = std::max<Index>(terms_, entries_.offset[i + 1] - entries_.offset[i]);
}

template <class T>
void KernelRows<T>::copy_row(Index i, T* out) const {
  const auto copy = [&](const auto* x) {
    for (Index k = 0; k < d_; ++k) out[k] = static_cast<T>(static_cast<double>(x[k]) * scale_);
  };
  rows_.index() == 0 ? copy(std::get<0>(rows_)[i].x) : copy(std::get<1>(rows_)[i].x);
}

template <class T>
void KernelRows<T>::pack(const Column* J, Index count, std::vector<T>& out) const {
  constexpr Index w = packed_width<T>;
  thread_local std::vector<T> rows;
  rows.resize(static_cast<std::size_t>(w * d_));
  out.resize(static_cast<std::size_t>((count + w - 1) / w * w * d_));
  for (Index b = 0; b < count; b += w) {
    const Index here = std::min(w, count - b);
    T* group = out.data() + packed_place<T>(b, 0, d_);
    for (Index e = 0; e < here; ++e) copy_row(J ? J[b + e] : b + e, rows.data() + e * d_);
    if (here < w) std::fill_n(group, w * d_, T{0});
    turn_over(rows.data(), d_, here, d_, group, w);
  }
}

template <class T>
double KernelRows<T>::diag(Index i) const {
  const double q = norm(i) * norm(i);
  switch (spec_.kind) {
    case KernelKind::linear:
      return spec_.gamma * q;
    case KernelKind::polynomial:
      return std::pow(spec_.gamma * q + spec_.offset, spec_.degree);
    case KernelKind::tanh:
      return std::tanh(spec_.gamma * q + spec_.offset);
    default:
      return 1;
  }
}

template <class T>
Index KernelRows<T>::roundings() const {
  return sparse() ? terms_ : packed_roundings(d_);
}

// Each norm is rounded once, their sum once, the exponent (at most 2 gamma (r^2 + R^2)) and what it is the difference
// of once each.
template <class T>
double KernelRows<T>::radial_error(Index i, double R, Index D) const {
  constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const double r = norm(i), terms = 2 * (static_cast<double>(D) + 4) * r * R + 7 * (r * r + R * R);
  const double error = (spec_.gamma * terms + exp_error) * unit;
  return error <= 0.01 ? error : std::numeric_limits<double>::infinity();
}

template <class T>
void Panel<T>::gather(const KernelRows<T>& rows, const Column* I, Index m) {
  m_ = m, d_ = rows.d_;
  ga_.assign(static_cast<std::size_t>(m), 0);
  for (Index a = 0; a < m && !rows.gq_.empty(); ++a)
    ga_[static_cast<std::size_t>(a)] = rows.gq_[static_cast<std::size_t>(I[a])];
  if (rows.sparse()) return spread(rows.entries_, I);
  x_.resize(static_cast<std::size_t>(m * d_));
  for (Index a = 0; a < m; ++a) rows.copy_row(I[a], x_.data() + a * d_);
}

template <class T>
void Panel<T>::spread(const SparseRows<T>& rows, const Column* I) {
  width_ = (m_ + 15) / 16 * 16;
  for (const Column j : used_) slot_[static_cast<std::size_t>(j)] = 0;
  used_.clear();
  x_.assign(static_cast<std::size_t>(direct() ? d_ * width_ : width_), T{0});
  if (!direct()) slot_.resize(static_cast<std::size_t>(d_), 0);
  for (Index a = 0; a < m_; ++a) {
    const auto row = rows[I[a]];
    for (Index k = 0; k < row.size; ++k) {
      Index place = row.j[k];
      if (!direct()) {
        std::int32_t& slot = slot_[static_cast<std::size_t>(row.j[k])];
        if (slot == 0) {
          used_.push_back(row.j[k]);
          slot = static_cast<std::int32_t>(used_.size());
          x_.resize(x_.size() + static_cast<std::size_t>(width_), T{0});
        }
        place = slot;
      }
      x_[static_cast<std::size_t>(place * width_ + a)] = row.x[k];
    }
  }
}

// The dot products with rows first .. of `other`, or of the picked rows J, which are packed in `packed` then.
template <class T>
void Panel<T>::products(const KernelRows<T>& other, const T* packed, const Column* J, Index first, Index count,
                        T* const* out) const {
  if (!other.sparse()) return packed_products(x_.data(), m_, packed, first, count, d_, out);
  const SpreadPanel<T> panel{x_.data(), direct() ? nullptr : slot_.data(), m_, width_};
  sparse_products(panel, other.entries_, J ? J + first : nullptr, first, count, out);
}

template <class T>
void Panel<T>::tiles(const KernelRows<T>& other, const T* packed, const Column* J, const std::vector<T>& norms,
                     Index first, Index count, T* const* out) const {
  const Index step = tile_columns(m_, d_);
  for (Index b = 0; b < count; b += step) {
    const Index n = std::min(step, count - b);
    T* at[most];
    for (Index a = 0; a < m_; ++a) at[a] = out[a] + b;
    products(other, packed, J, first + b, n, at);
    const T* gb = norms.empty() ? nullptr : norms.data() + first + b;
    finish(other.spec_, at, m_, n, ga_.data(), gb);
  }
}

template <class T>
void Panel<T>::against(const KernelRows<T>& other, Index first, Index count, T* const* out) const {
  tiles(other, other.packed_.data(), nullptr, other.gq_, first, count, out);
}

template <class T>
void Picked<T>::pick(const KernelRows<T>& rows, const Column* J, Index count) {
  rows_ = &rows;
  J_.assign(J, J + count);
  gb_.resize(rows.gq_.empty() ? 0 : J_.size());
  for (std::size_t b = 0; b < gb_.size(); ++b) gb_[b] = rows.gq_[static_cast<std::size_t>(J[b])];
  if (rows.sparse()) return;
  rows.pack(J, count, x_);
}

template <class T>
void Panel<T>::against(const Picked<T>& other, Index first, Index count, T* const* out) const {
  tiles(*other.rows_, other.x_.data(), other.J_.data(), other.gb_, first, count, out);
}

namespace {

// out[j, i] = out[i, j] for rows i of a panel and columns j that begin behind it; a few columns at a time, whose lines
// stay in the cache.
void mirror(double* out, Index n, Index begin, Index m, Index first, Index count) {
  constexpr Index few = 8;
  for (Index from = std::max(first, begin + m), end = first + count; from < end; from += few) {
    const Index to = std::min(from + few, end);
    for (Index i = begin; i < begin + m; ++i)
      for (Index j = from; j < to; ++j) out[j * n + i] = out[i * n + j];
  }
}

}  // namespace

void kernel_block(const KernelRows<double>& a, const KernelRows<double>& b, double* out, int threads, Poll poll) {
  if (a.d() != b.d()) fail("the two sides have different numbers of features");
  if (a.sparse() != b.sparse()) fail("one side is sparse and the other is not");
  constexpr Index chunk = 1024;
  const bool same = &a == &b;
  const Index n = b.n(), panels = (a.n() + Panel<double>::most - 1) / Panel<double>::most;
  parallel_for(
      panels, threads,
      [&](Index p) {
        thread_local Panel<double> panel;
        Column rows[Panel<double>::most];
        const Index begin = p * Panel<double>::most, m = std::min(Panel<double>::most, a.n() - begin);
        for (Index i = 0; i < m; ++i) rows[i] = static_cast<Column>(begin + i);
        panel.gather(a, rows, m);
        for (Index first = same ? begin : 0; first < n; first += chunk) {
          const Index count = std::min(chunk, n - first);
          panel.against(b, first, count, RowPointers<double>(out + begin * n + first, n));
          if (same) mirror(out, n, begin, m, first, count);
        }
      },
      poll);
}

template class KernelRows<float>;
template class KernelRows<double>;
template class Picked<float>;
template class Picked<double>;
template class Panel<float>;
template class Panel<double>;

}  // namespace widemargin
