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
    if (!gq_.empty()) gq_[i] = static_cast<T>(norm_[i] * spec.gamma);
    norm_[i] = std::sqrt(norm_[i]) * scale;
  }
  std::visit(
      [&](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, DenseRows<float>> || std::is_same_v<R, DenseRows<double>>) {
          rows_ = dense_side<T>(r, scale, copy_);
          terms_ = d_;
        } else {
          rows_ = r;
          for (Index i = 0; i < n_; ++i) terms_ = std::max(terms_, r[i].size);
        }
      },
      rows);
  if constexpr (std::is_same_v<T, float>) {
    const bool wide = simd::level() >= simd::Level::avx2 && d_ <= blas::depth;
    if (const auto* r = std::get_if<DenseRows<float>>(&rows_); r && wide)
      pack_rows(n_, d_, [&](Index j) { return (*r)[j].x; }, packed_);
  }
}

template <class T>
Index KernelRows<T>::roundings() const {
  if (sparse()) return terms_;
  return packed_.empty() ? std::min(d_, blas::depth) + d_ / blas::depth + 1 : packed_roundings(d_);
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
          for (Index a = 0; a < m; ++a) std::copy_n(r[I[a]].x, d_, x_.data() + a * d_);
        } else {
          spread(r, I, rows.scale_);
        }
      },
      rows.rows_);
}

template <class T>
template <class V>
void Panel<T>::spread(const SparseRows<V>& rows, const Column* I, double scale) {
  slot_.resize(static_cast<std::size_t>(d_), -1);
  for (const Column j : used_) slot_[static_cast<std::size_t>(j)] = -1;
  used_.clear();
  width_ = (m_ + 7) / 8 * 8;
  x_.clear();
  for (Index a = 0; a < m_; ++a) {
    const auto row = rows[I[a]];
    for (Index k = 0; k < row.size; ++k) {
      std::int32_t& slot = slot_[static_cast<std::size_t>(row.j[k])];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(used_.size());
        used_.push_back(row.j[k]);
        x_.resize(x_.size() + static_cast<std::size_t>(width_), T{0});
      }
      x_[static_cast<std::size_t>(slot * width_ + a)] = static_cast<T>(row.x[k] * scale);
    }
  }
}

template <class T>
template <class V, class Which>
void Panel<T>::sparse_products(const SparseRows<V>& rows, double scale, Index count, T* out, Index ld,
                               Which which) const {
  T sum[most];
  for (Index b = 0; b < count; ++b) {
    std::fill_n(sum, width_, T{0});
    const auto row = rows[which(b)];
    for (Index k = 0; k < row.size; ++k) {
      const std::int32_t slot = slot_[static_cast<std::size_t>(row.j[k])];
      if (slot < 0) continue;
      const T v = static_cast<T>(row.x[k] * scale);
      const T* x = x_.data() + slot * width_;
      for (Index a = 0; a < width_; a += 8)
        for (Index e = 0; e < 8; ++e) sum[a + e] += v * x[a + e];
    }
    for (Index a = 0; a < m_; ++a) out[a * ld + b] = sum[a];
  }
}

template <class T>
void Panel<T>::against(const KernelRows<T>& other, Index first, Index count, T* out, Index ld) const {
  const Index step = blas::tile_columns(m_, d_);
  for (Index b = 0; b < count; b += step) {
    const Index n = std::min(step, count - b), begin = first + b;
    std::visit(
        [&](const auto& r) {
          if constexpr (std::is_same_v<std::decay_t<decltype(r)>, DenseRows<T>>) {
            if constexpr (std::is_same_v<T, float>)
              if (!other.packed_.empty()) {
                if (begin % packed_width == 0)
                  return packed_products(x_.data(), m_, other.packed_.data() + begin * d_, n, d_, out + b, ld);
                // Not at the beginning of a group: pack anew. BLAS would round more often than roundings() says.
                thread_local std::vector<float> packed;
                pack_rows(n, d_, [&](Index k) { return r[begin + k].x; }, packed);
                return packed_products(x_.data(), m_, packed.data(), n, d_, out + b, ld);
              }
            blas::row_products(x_.data(), d_, m_, r[begin].x, std::max(r.stride, d_), n, d_, out + b, ld);
          } else
            sparse_products(r, other.scale_, n, out + b, ld, [&](Index j) { return begin + j; });
        },
        other.rows_);
    const T* gb = other.gq_.empty() ? nullptr : other.gq_.data() + begin;
    finish(other.spec_, out + b, ld, m_, n, ga_.data(), gb);
  }
}

template <class T>
void Panel<T>::against(const KernelRows<T>& other, const Column* J, Index count, T* out, Index ld) {
  std::visit(
      [&](const auto& r) {
        if constexpr (std::is_same_v<std::decay_t<decltype(r)>, DenseRows<T>>) {
          other_.resize(static_cast<std::size_t>(count * d_));
          for (Index b = 0; b < count; ++b) std::copy_n(r[J[b]].x, d_, other_.data() + b * d_);
          if constexpr (std::is_same_v<T, float>)
            if (!other.packed_.empty()) {
              pack_rows(count, d_, [&](Index j) { return other_.data() + j * d_; }, packed_);
              return packed_products(x_.data(), m_, packed_.data(), count, d_, out, ld);
            }
          const Index step = blas::tile_columns(m_, d_);
          for (Index b = 0; b < count; b += step)
            blas::row_products(x_.data(), d_, m_, other_.data() + b * d_, d_, std::min(step, count - b), d_, out + b,
                               ld);
        } else {
          sparse_products(r, other.scale_, count, out, ld, [&](Index j) { return Index{J[j]}; });
        }
      },
      other.rows_);
  T gb[most];
  for (Index b = 0; b < count && !other.gq_.empty(); ++b) gb[b] = other.gq_[static_cast<std::size_t>(J[b])];
  finish(other.spec_, out, ld, m_, count, ga_.data(), gb);
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
          panel.against(b, first, std::min(chunk, n - first), out + begin * n + first, n);
        }
      },
      poll);
}

template class KernelRows<float>;
template class KernelRows<double>;
template class Panel<float>;
template class Panel<double>;

}  // namespace widemargin
