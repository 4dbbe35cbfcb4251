#include "solver/boost_stumps.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/finish.hpp"

namespace widemargin {

double edge_step(double error, double rate) {
  const double e = std::max(error, least_error);
  return 0.5 * rate * std::log((1.0 - e) / e);
}

void edge_signs(const Stump& stump, double* values) {
  const double all = stump.constant ? stump.sums[0] : stump.sums[0] + stump.sums[1] + stump.sums[2];
  for (int j = 0; j < 3; ++j) {
    const double s = stump.sums[static_cast<std::size_t>(j)];
    values[j] = (s != 0 ? s : all) >= 0 ? 1.0 : -1.0;
  }
}

StumpBooster::StumpBooster(StumpGround& ground)
    : ground_(ground),
      m_(static_cast<std::size_t>(ground.rows()), 0.0),
      w_((m_.size() + 7) / 8 * 8),
      side_(m_.size()),
      rows_(m_.size()) {}

// Numbers w[0 .. size-1] and some beyond: the last ones then go the way of all others, to the same bits.
static void exp_some(std::vector<double>& w, Index size) {
  const Index whole = (size + 7) / 8 * 8;
  std::fill(w.begin() + size, w.begin() + whole, 0.0);
  exp_nonpositive(w.data(), whole);
}

void StumpBooster::weigh_all(int threads, Poll poll) {
  level_ = *std::min_element(m_.begin(), m_.end());
  for (std::size_t i = 0; i < m_.size(); ++i) w_[i] = level_ - m_[i];
  exp_some(w_, ground_.rows());
  ground_.weigh(w_.data(), threads, poll);
  begun_ = static_cast<double>(ground_.weights());
}

// The rows that are wrong, or right, in their order, and how many of them are +.
Index StumpBooster::pick(const bool (*wrong)[3], bool which, Index& plus) {
  Index size = 0;
  const auto look = [&](const bool* is, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      rows_[static_cast<std::size_t>(size)] = static_cast<std::uint32_t>(i);
      size += is[side_[static_cast<std::size_t>(i)]] == which;
    }
  };
  look(wrong[0], 0, ground_.positives());
  plus = size;
  look(wrong[1], ground_.positives(), ground_.rows());
  return size;
}

void StumpBooster::take(Index column, Index cut, const double* values, double step, int threads, Poll poll) {
  const Index n = ground_.rows();
  bool wrong[2][3];
  double move[2][3];
  for (int j = 0; j < 3; ++j)
    for (int minus = 0; minus < 2; ++minus) {
      wrong[minus][j] = (values[j] < 0) != (minus == 1);
      move[minus][j] = wrong[minus][j] ? -step : step;
    }
  ground_.sides(column, cut, side_.data());
  for (Index i = 0; i < n; ++i)
    m_[static_cast<std::size_t>(i)] += move[i >= ground_.positives()][side_[static_cast<std::size_t>(i)]];
  Index plus = 0, size = pick(wrong, true, plus);
  const bool raised = 2 * ground_.rows_given(rows_.data(), size) <= ground_.rows_given();
  if (!raised) size = pick(wrong, false, plus);
  level_ += raised ? step : -step;
  StumpGround::Whole before = 0;
  for (Index j = 0; j < size; ++j) before += ground_.weight(rows_[static_cast<std::size_t>(j)]);
  const double grown = std::exp(raised ? 2 * step : -2 * step);
  const double after = static_cast<double>(ground_.weights() - before) + static_cast<double>(before) * grown;
  if (!(after < 0.99 * ground_.most_weights()) || after < begun_ / 8) return weigh_all(threads, poll);
  double top = 0;
  for (Index j = 0; j < size; ++j) {
    w_[static_cast<std::size_t>(j)] = level_ - m_[rows_[static_cast<std::size_t>(j)]];
    top = std::max(top, w_[static_cast<std::size_t>(j)]);
  }
  for (Index j = 0; j < size; ++j) w_[static_cast<std::size_t>(j)] -= top;
  exp_some(w_, size);
  const double factor = std::exp(top);
  for (Index j = 0; j < size; ++j) w_[static_cast<std::size_t>(j)] *= factor;
  ground_.weigh_some(rows_.data(), w_.data(), plus, size, threads, poll);
}

void StumpBooster::apply(Index column, float threshold, const double* values, double step, int threads, Poll poll) {
  if (begun_ == 0) weigh_all(threads, poll);
  take(column, ground_.cut_at(column, threshold), values, step, threads, poll);
}

void StumpBooster::boost(double rate, Index rounds, StumpRounds& out, int threads, Poll poll) {
  if (begun_ == 0) weigh_all(threads, poll);
  for (Index t = 0; t < rounds; ++t) {
    poll();
    double error = 0, values[3];
    const Stump stump = ground_.best_edge(error, threads, poll);
    if (!(error < 0.5)) {
      out.stop = BoostStop::no_edge;
      return;
    }
    edge_signs(stump, values);
    const double step = edge_step(error, rate);
    out.column.push_back(static_cast<std::int32_t>(stump.column));
    out.threshold.push_back(ground_.threshold(stump.column, stump.cut));
    out.values.insert(out.values.end(), values, values + 3);
    out.error.push_back(error);
    out.step.push_back(step);
    take(stump.column, stump.cut, values, step, threads, poll);
    if (error == 0) {
      out.stop = BoostStop::perfect;
      return;
    }
  }
}

}  // namespace widemargin
