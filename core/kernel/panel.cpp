#include "kernel/panel.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/blas.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/scan.hpp"
#include "kernel/finish.hpp"
#include "kernel/products.hpp"
#include "kernel/sparse_products.hpp"

namespace widemargin {
namespace {

// 1 / (a power of two just above the largest norm); 1 if there is nothing to scale.
double unit_scale(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

template <class T, class V>
DenseRows<T> dense_side(const DenseRows<V>& rows, double scale, std::vector<T>& copy) {
  if constexpr (std::is_same_v<T, V>)
    if (scale == 1 && rows.stride >= rows.d && rows.stride < (Index{1} << 31)) return rows;
  copy.resize(static_cast<std::size_t>(rows.n * rows.d));
  for (Index i = 0; i < rows.n; ++i)
    for (Index j = 0; j < rows.d; ++j)
      copy[static_cast<std::size_t>(i * rows.d + j)] = static_cast<T>(static_cast<double>(rows[i].x[j]) * scale);
  return {copy.data(), rows.n, rows.d, rows.d};
}

}  // namespace

template <class T>
KernelRows<T>::KernelRows(const AnyRows& rows, const KernelSpec& spec, int threads)
    : n_(count(rows)), d_(width(rows)), spec_(spec), norm_(static_cast<std::size_t>(n_)) {
  if (d_ >= (Index{1} << 31)) fail("more than 2^31 - 1 columns");
  squared_norms(rows, norm_.data(), threads);
  for (const double q : norm_) largest_ = std::max(largest_, q);
  largest_ = std::sqrt(largest_);
  const double scale = std::is_same_v<T, float> ? unit_scale(largest_) : 1.0;
  scale_ = scale;
  largest_ *= scale;
  spec_.gamma = spec.gamma / scale / scale;
  gq_.resize(spec.kind == KernelKind::rbf ? norm_.size() : 0);
  for (std::size_t i = 0; i < norm_.size(); ++i) {
    if (!gq_.empty()) gq_[i] = static_cast<T>(norm_[i] * spec.gamma * exponent_unit<T>);
    norm_[i] = std::sqrt(norm_[i]) * scale;
  }
  std::visit(
      [&](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, DenseRows<float>> || std::is_same_v<R, DenseRows<double>>) {
          if constexpr (std::is_same_v<T, float>) {
            pack_rows(
                n_, d_, [&](Index i, Index k) { return static_cast<float>(static_cast<double>(r[i].x[k]) * scale); },
                packed_);
            rows_ = DenseRows<T>{nullptr, n_, d_, d_};
          } else {
            rows_ = dense_side<T>(r, scale, copy_);
          }
          terms_ = d_;
        } else {
          rows_ = r;
          for (Index i = 0; i < n_; ++i) terms_ = std::max(terms_, r[i].size);
        }
      },
      rows);
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
void KernelRows<T>::copy_row(Index i, T* out) const {
  if constexpr (std::is_same_v<T, float>) {
    const float* p = packed_.data() + i / packed_width * packed_width * d_ + i % packed_width;
    for (Index k = 0; k < d_; ++k) out[k] = p[k * packed_width];
  } else {
    std::copy_n(std::get<DenseRows<T>>(rows_)[i].x, d_, out);
  }
}

template <class T>
Index KernelRows<T>::roundings() const {
  if (sparse()) return terms_;
  return std::is_same_v<T, float> ? packed_roundings(d_) : std::min(d_, blas::depth) + d_ / blas::depth + 1;
}

template <class T>
void Panel<T>::gather(const KernelRows<T>& rows, const Column* I, Index m) {
  m_ = m, d_ = rows.d_;
  ga_.assign(static_cast<std::size_t>(m), 0);
  for (Index a = 0; a < m && !rows.gq_.empty(); ++a)
    ga_[static_cast<std::size_t>(a)] = rows.gq_[static_cast<std::size_t>(I[a])];
  std::visit(
      [&](const auto& r) {
        if constexpr (std::is_same_v<std::decay_t<decltype(r)>, DenseRows<T>>) {
          x_.resize(static_cast<std::size_t>(m * d_));
          for (Index a = 0; a < m; ++a) rows.copy_row(I[a], x_.data() + a * d_);
        } else {
          spread(r, I, rows.scale_);
        }
      },
      rows.rows_);
}

template <class T>
template <class V>
void Panel<T>::spread(const SparseRows<V>& rows, const Column* I, double scale) {
  slot_.resize(static_cast<std::size_t>(d_), 0);
  for (const Column j : used_) slot_[static_cast<std::size_t>(j)] = 0;
  used_.clear();
  width_ = (m_ + 7) / 8 * 8;
  x_.assign(static_cast<std::size_t>(width_), T{0});
  for (Index a = 0; a < m_; ++a) {
    const auto row = rows[I[a]];
    for (Index k = 0; k < row.size; ++k) {
      std::int32_t& slot = slot_[static_cast<std::size_t>(row.j[k])];
      if (slot == 0) {
        used_.push_back(row.j[k]);
        slot = static_cast<std::int32_t>(used_.size());
        x_.resize(x_.size() + static_cast<std::size_t>(width_), T{0});
      }
      x_[static_cast<std::size_t>(slot * width_ + a)] = static_cast<T>(row.x[k] * scale);
    }
  }
}

template <class T>
template <class V>
void Panel<T>::products(const SparseRows<V>& rows, double scale, const Column* J, Index first, Index count,
                        T* const* out) const {
  if constexpr (std::is_same_v<T, float>) {
    sparse_products({x_.data(), slot_.data(), m_, width_}, rows, scale, J, first, count, out);
  } else {
    T sum[most];
    for (Index b = 0; b < count; ++b) {
      std::fill_n(sum, width_, T{0});
      const auto row = rows[J ? Index{J[b]} : first + b];
      for (Index k = 0; k < row.size; ++k) {
        const std::int32_t slot = slot_[static_cast<std::size_t>(row.j[k])];
        if (slot == 0) continue;
        const T v = static_cast<T>(row.x[k] * scale);
        const T* x = x_.data() + slot * width_;
        for (Index a = 0; a < width_; a += 8)
          for (Index e = 0; e < 8; ++e) sum[a + e] += v * x[a + e];
      }
      for (Index a = 0; a < m_; ++a) out[a][b] = sum[a];
    }
  }
}

template <class T>
void Panel<T>::against(const KernelRows<T>& other, Index first, Index count, T* const* out) const {
  const Index step = blas::tile_columns(m_, d_);
  for (Index b = 0; b < count; b += step) {
    const Index n = std::min(step, count - b), begin = first + b;
    T* at[most];
    for (Index a = 0; a < m_; ++a) at[a] = out[a] + b;
    std::visit(
        [&](const auto& r) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(r)>, DenseRows<T>>)
            products(r, other.scale_, nullptr, begin, n, at);
          else if constexpr (std::is_same_v<T, float>)
            packed_products(x_.data(), m_, other.packed_.data(), begin, n, d_, at);
          else
            blas::row_products(x_.data(), d_, m_, r[begin].x, std::max(r.stride, d_), n, d_, at[0],
                               m_ > 1 ? at[1] - at[0] : n);
        },
        other.rows_);
    const T* gb = other.gq_.empty() ? nullptr : other.gq_.data() + begin;
    for (Index a = 0; a < m_; ++a) finish(other.spec_, at[a], n, ga_[static_cast<std::size_t>(a)], gb);
  }
}

template <class T>
void Picked<T>::pick(const KernelRows<T>& rows, const Column* J, Index count) {
  rows_ = &rows;
  J_.assign(J, J + count);
  gb_.resize(rows.gq_.empty() ? 0 : J_.size());
  for (std::size_t b = 0; b < gb_.size(); ++b) gb_[b] = rows.gq_[static_cast<std::size_t>(J[b])];
  if (rows.sparse()) return;
  const Index d = rows.d_;
  if constexpr (std::is_same_v<T, float>) {
    pack_rows(
        count, d, [&](Index b, Index k) { return rows.packed_[static_cast<std::size_t>(packed_place(J[b], k, d))]; },
        x_);
  } else {
    x_.resize(static_cast<std::size_t>(count * d));
    for (Index b = 0; b < count; ++b) rows.copy_row(J[b], x_.data() + b * d);
  }
}

template <class T>
void Panel<T>::against(const Picked<T>& other, T* const* out) const {
  const Index count = static_cast<Index>(other.J_.size());
  std::visit(
      [&](const auto& r) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(r)>, DenseRows<T>>) {
          products(r, other.rows_->scale_, other.J_.data(), 0, count, out);
        } else if constexpr (std::is_same_v<T, float>) {
          packed_products(x_.data(), m_, other.x_.data(), 0, count, d_, out);
        } else {
          const Index step = blas::tile_columns(m_, d_), ld = m_ > 1 ? out[1] - out[0] : count;
          for (Index b = 0; b < count; b += step)
            blas::row_products(x_.data(), d_, m_, other.x_.data() + b * d_, d_, std::min(step, count - b), d_,
                               out[0] + b, ld);
        }
      },
      other.rows_->rows_);
  for (Index a = 0; a < m_; ++a)
    finish(other.rows_->spec_, out[a], count, ga_[static_cast<std::size_t>(a)], other.gb_.data());
}

void kernel_block(const KernelRows<double>& a, const KernelRows<double>& b, double* out, int threads, Poll poll) {
  if (a.d() != b.d()) fail("the two sides have different numbers of features");
  if (a.sparse() != b.sparse()) fail("one side is sparse and the other is not");
  constexpr Index chunk = 1024;
  const Index n = b.n(), pieces = (n + chunk - 1) / chunk,
              panels = (a.n() + Panel<double>::most - 1) / Panel<double>::most;
  parallel_for(
      panels, threads,
      [&](Index p) {
        thread_local Panel<double> panel;
        Column rows[Panel<double>::most];
        const Index begin = p * Panel<double>::most, m = std::min(Panel<double>::most, a.n() - begin);
        for (Index i = 0; i < m; ++i) rows[i] = static_cast<Column>(begin + i);
        panel.gather(a, rows, m);
        for (Index c = 0; c < pieces; ++c) {
          const Index first = c * chunk;
          panel.against(b, first, std::min(chunk, n - first), RowPointers<double>(out + begin * n + first, n));
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
