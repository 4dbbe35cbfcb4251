#include "solver/kernel_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "base/parallel.hpp"
#include "kernel/finish.hpp"
#include "kernel/row_sums.hpp"

namespace widemargin {
namespace {

constexpr double unit = 0x1p-24;
constexpr Index chunk = 512;             // columns computed at once: 64 rows of them stay in the cache
constexpr Index stride = chunk + 16;     // not a power of two, or all rows would compete for the same places in it
constexpr std::int32_t never_seen = -1;  // and one less each time it comes
// Times that a row is computed before it is kept: memory that is touched for the first time costs as much as some rows
// of short products.
constexpr std::int32_t computed_short = 3, computed_long = 1;
constexpr Index long_rows = 128;

}  // namespace

KernelScores::KernelScores(const KernelRows<float>& rows, Index first, Index memory, int threads)
    : rows_(rows),
      first_(first),
      n_(rows.n() - first),
      threads_(threads),
      f_(static_cast<std::size_t>(n_)),
      spread_(static_cast<std::size_t>(n_)),
      rho_(static_cast<std::size_t>(n_)),
      kmax_(static_cast<std::size_t>(n_)),
      slot_of_(static_cast<std::size_t>(rows.n()), never_seen) {
  const KernelSpec& s = rows.spec();
  const double D = static_cast<double>(rows.roundings());
  const double R = rows.largest_norm(), p = s.degree;
  for (Index i = 0; i < n_; ++i) {
    const double r = rows.norm(first + i);
    double rho = 0, kmax = 0;
    if (s.kind == KernelKind::rbf) {
      kmax = 1 + s.gamma * (r + R) * (r + R);
      rho = rows.radial_error(first + i, R, rows.roundings()) + sum_error * unit;
    } else if (s.kind == KernelKind::linear) {
      kmax = s.gamma * r * R;
      rho = s.gamma * r * (D + 6 + sum_error) * unit;
    } else if (s.kind == KernelKind::tanh) {  // its slope is at most 1
      kmax = 1 + std::abs(s.gamma) * r * R + std::abs(s.offset);
      rho = ((D + 6) * (kmax - 1) + 2 * exp_error + sum_error) * unit;
    } else {
      kmax = std::pow(s.gamma * r * R + std::abs(s.offset), p);
      const double relative = (p * (D + 10) + sum_error) * unit;
      rho = relative < 0.01 ? relative * kmax : std::numeric_limits<double>::infinity();
    }
    rho_[static_cast<std::size_t>(i)] = 1.05 * rho;
    kmax_[static_cast<std::size_t>(i)] = kmax;
  }
  const double largest = s.kind == KernelKind::polynomial ? p * std::pow(s.gamma * (R + 1) + std::abs(s.offset), p)
                                                          : 1 + std::abs(s.gamma);
  tiny_ = 0x1p-90 * largest;
  room_ = std::min(memory / (4 * std::max<Index>(n_, 1)), rows.n());
  a_block_ = std::max<Index>(warm_block / std::max<Index>(n_, 1), 1);
}

float* KernelScores::kept(std::int32_t slot) {
  return kept_.block(static_cast<std::size_t>(slot / a_block_)) + slot % a_block_ * n_;
}

double KernelScores::length(Index j, double step) const {
  switch (rows_.spec().kind) {
    case KernelKind::rbf:
      return 0;
    case KernelKind::linear:
      return std::abs(step) * rows_.norm(j);
    default:
      return std::abs(step);
  }
}

void KernelScores::count(Index j, double step) {
  total_ += std::abs(step);
  length_ += length(j, step);
  ++steps_;
}

double KernelScores::error(Index i, double pending) const {
  const double spread = spread_[at(i)] + pending + length_;
  const double rest = (kmax_[at(i)] + 1) * (steps_ + static_cast<double>(rows_.d()) + 20) * 0x1p-52 + tiny_;
  return (spread > 0 ? rho_[at(i)] * spread : 0) + total_ * rest;
}

void KernelScores::set(Index i, double value, double pending, double pending_length) {
  f_[at(i)] = value;
  // The pending steps were taken off with one error and will be added with another.
  spread_[at(i)] = has_spread() ? pending : 2 * pending_length - length_;
}

void KernelScores::clear() {
  std::fill(f_.begin(), f_.end(), 0.0);
  std::fill(spread_.begin(), spread_.end(), 0.0);
  total_ = length_ = steps_ = 0;
}

void KernelScores::add(const Column* I, const double* step, Index m, Poll poll) {
  for (Index a = 0; a < m; a += Panel<float>::most)
    add_panel(I + a, step + a, std::min(Panel<float>::most, m - a), poll);
}

// Where to keep the values of row j, or null: kept already, seldom seen, or no room.
float* KernelScores::place_for(Index j) {
  std::int32_t& slot = slot_of_[static_cast<std::size_t>(j)];
  const bool cheap = !rows_.sparse() && rows_.d() < long_rows;
  if (slot < 0 && never_seen - slot < (cheap ? computed_short : computed_long)) {
    --slot;
    return nullptr;
  }
  if (slot >= 0 || kept_count_ == room_) return nullptr;
  if (kept_count_ == a_block_ * static_cast<Index>(kept_.size()) && !kept_.grow(n_)) {
    room_ = kept_count_;  // other rows are computed whenever they come
    return nullptr;
  }
  slot = static_cast<std::int32_t>(kept_count_++);
  return kept(slot);
}

void KernelScores::add_panel(const Column* I, const double* step, Index m, Poll poll) {
  constexpr Index most = Panel<float>::most;
  Column fresh[most];
  double steps[most];
  const float* known[most];
  float* place[most];
  Index n_fresh = 0, n_known = 0;
  for (Index a = 0; a < m; ++a) {
    const std::int32_t slot = slot_of_[static_cast<std::size_t>(I[a])];
    if (slot >= 0) known[n_known] = kept(slot), steps[n_fresh + n_known++] = step[a];
  }
  for (Index a = 0; a < m; ++a)
    if (slot_of_[static_cast<std::size_t>(I[a])] < 0) {
      steps[n_known + n_fresh] = step[a];
      fresh[n_fresh++] = I[a];
    }
  // A row twice in one panel: its place is given out once, and only as something to write to.
  for (Index a = 0; a < n_fresh; ++a) place[a] = place_for(fresh[a]);
  if (n_fresh > 0) panel_.gather(rows_, fresh, n_fresh);
  parallel_blocks(
      n_, chunk, threads_,
      [&](Index begin, Index end) {
        thread_local std::vector<float> values(static_cast<std::size_t>(most * stride));
        const float* row[most];
        for (Index a = 0; a < n_known; ++a) row[a] = known[a] + begin;
        float* out[most];
        for (Index a = 0; a < n_fresh; ++a)
          row[n_known + a] = out[a] = place[a] ? place[a] + begin : values.data() + a * stride;
        if (n_fresh > 0) panel_.against(rows_, first_ + begin, end - begin, out);
        accumulate(row, steps, n_known + n_fresh, end - begin, f_.data() + begin,
                   has_spread() ? spread_.data() + begin : nullptr);
      },
      poll);
}

}  // namespace widemargin
