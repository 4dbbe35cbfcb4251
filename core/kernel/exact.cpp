#include "kernel/exact.hpp"

#include <type_traits>

#include "data/scan.hpp"
#include "kernel/finish.hpp"

namespace widemargin {
namespace {

template <class T>
void set(DenseRow<T> row, double* w, bool on) {
  for (Index j = 0; j < row.d && on; ++j) w[j] = row.x[j];
}
template <class T>
void set(SparseRow<T> row, double* w, bool on) {
  for (Index k = 0; k < row.size; ++k) w[row.j[k]] = on ? row.x[k] : 0.0;
}

}  // namespace

ExactScore::ExactScore(const AnyRows& rows, const KernelSpec& spec, int threads)
    : rows_(rows), spec_(spec), w_(static_cast<std::size_t>(width(rows))) {
  if (spec.kind != KernelKind::rbf) return;
  gq_.resize(static_cast<std::size_t>(count(rows)));
  squared_norms(rows, gq_.data(), threads);
  for (double& q : gq_) q *= spec.gamma * log2_e;
}

double ExactScore::operator()(Index i, Span<const Column> support, const double* c, double one) {
  const Index s = static_cast<Index>(support.size());
  k_.resize(support.size());
  std::visit(
      [&](const auto& rows) {
        set(rows[i], w_.data(), true);
        for (Index a = 0; a < s; ++a) {
          if (a + 4 < s) rows.prefetch(support[static_cast<std::size_t>(a + 4)]);
          k_[static_cast<std::size_t>(a)] = dot(rows[support[static_cast<std::size_t>(a)]], w_.data());
        }
        set(rows[i], w_.data(), false);
      },
      rows_);
  double gi = 0;
  if (!gq_.empty()) {
    gi = gq_[static_cast<std::size_t>(i)];
    gq_of_.resize(support.size());
    for (std::size_t a = 0; a < support.size(); ++a) gq_of_[a] = gq_[static_cast<std::size_t>(support[a])];
  }
  double* const k = k_.data();
  finish(spec_, &k, 1, s, &gi, gq_of_.data());
  double u[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
  for (std::size_t a = 0; a < support.size(); ++a) u[a & 3] += c[support[a]] * k_[a], b[a & 3] += c[support[a]];
  return ((u[0] + u[1]) + (u[2] + u[3])) + one * ((b[0] + b[1]) + (b[2] + b[3]));
}

}  // namespace widemargin
