#include "solver/kernel_perceptron.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace widemargin {

KernelPerceptron::KernelPerceptron(const KernelPerceptronProblem& problem, const KernelPerceptronOptions& options)
    : p_(problem),
      o_(options),
      m_(p_.visits.empty() ? p_.rows.n() - o_.first : static_cast<Index>(p_.visits.size())),
      exact_(p_.exact_rows, p_.kernel, o_.threads),
      scores_(p_.rows, o_.first, o_.memory, o_.threads),
      known_(static_cast<std::size_t>(p_.rows.n())),
      pair_(static_cast<std::size_t>(block * block)) {}

void KernelPerceptron::set_order(Index epoch) {
  const Index key = o_.shuffle == Shuffle::every_epoch ? epoch : 0;
  if (key == order_of_) return;
  order_.resize(static_cast<std::size_t>(m_));
  for (Index i = 0; i < m_; ++i)
    order_[static_cast<std::size_t>(i)] =
        p_.visits.empty() ? static_cast<Column>(o_.first + i) : p_.visits[static_cast<std::size_t>(i)];
  if (o_.shuffle != Shuffle::never) shuffle(order_, Random(o_.seed, Purpose::order, static_cast<std::uint64_t>(key)));
  order_of_ = key;
}

// Brings the scores to the given c, if that is not the one of the last call.
void KernelPerceptron::follow(const double* c, Poll poll) {
  if (std::equal(known_.begin(), known_.end(), c)) return;
  flush(poll);
  support_.clear();
  bias_ = 0;
  std::vector<Column> rows;
  std::vector<double> steps;
  for (Index i = 0; i < p_.rows.n(); ++i) {
    const double change = c[i] - known_[static_cast<std::size_t>(i)];
    if (c[i] != 0) support_.push_back(static_cast<Column>(i));
    bias_ += c[i];
    if (change == 0) continue;
    rows.push_back(static_cast<Column>(i));
    steps.push_back(change);
    scores_.count(i, change);
  }
  scores_.add(rows.data(), steps.data(), static_cast<Index>(rows.size()), poll);
  std::copy_n(c, p_.rows.n(), known_.begin());
}

// After an interruption the scores stand for nothing: begin again at c = 0.
void KernelPerceptron::forget() {
  scores_.clear();
  std::fill(known_.begin(), known_.end(), 0.0);
  pending_.clear();
  pending_step_.clear();
  pending_length_ = 0;
}

void KernelPerceptron::flush(Poll poll) {
  scores_.add(pending_.data(), pending_step_.data(), static_cast<Index>(pending_.size()), poll);
  pending_.clear();
  pending_step_.clear();
  pending_length_ = 0;
}

// What the pending steps add to the scores of the block.
void KernelPerceptron::score_block(const Column* rows, Index size) {
  std::fill_n(u_, size, 0.0);
  std::fill_n(size_, size, 0.0);
  pair_ready_ = false;
  if (pending_.empty()) return;
  const Index m = static_cast<Index>(pending_.size());
  panel_.gather(p_.rows, pending_.data(), m);
  block_.pick(p_.rows, rows, size);
  panel_.against(block_, 0, size, RowPointers<float>(pair_.data(), block));
  for (Index a = 0; a < m; ++a) {
    const double step = pending_step_[static_cast<std::size_t>(a)];
    const float* k = pair_.data() + a * block;
    for (Index p = 0; p < size; ++p) u_[p] += step * k[p], size_[p] += std::abs(step * k[p]);
  }
}

bool KernelPerceptron::wrong(Index p, const Column* rows, const double* c) {
  const Index i = rows[p];
  const double one = o_.intercept ? 1.0 : 0.0, pending = scores_.has_spread() ? size_[p] : 0.0;
  double u = scores_.score(i) + u_[p] + one * bias_;
  if (!(std::abs(u) > scores_.error(i, pending))) {
    ++asked_;
    u = exact_(i, {support_.data(), support_.size()}, c, one);
    scores_.set(i, u - one * bias_ - u_[p], pending, pending_length_);
  }
  return p_.y[i] * u <= 0;
}

void KernelPerceptron::update(Index p, const Column* rows, Index size, double step, double* c) {
  const Column i = rows[p];
  c[i] += step;
  known_[static_cast<std::size_t>(i)] = c[i];
  const auto place = std::lower_bound(support_.begin(), support_.end(), i);
  const bool present = place != support_.end() && *place == i;
  if (c[i] != 0 && !present) support_.insert(place, i);
  if (c[i] == 0 && present) support_.erase(place);
  bias_ += step;
  pending_.push_back(i);
  pending_step_.push_back(step);
  pending_length_ += scores_.length(i, step);
  scores_.count(i, step);
  if (p + 1 == size) return;
  if (!pair_ready_) {
    panel_.gather(p_.rows, rows, size);
    block_.pick(p_.rows, rows, size);
    panel_.against(block_, 0, size, RowPointers<float>(pair_.data(), block));
    pair_ready_ = true;
  }
  const float* k = pair_.data() + p * block;
  for (Index q = p + 1; q < size; ++q) u_[q] += step * k[q], size_[q] += std::abs(step * k[q]);
}

void KernelPerceptron::run_block(OnlineCounters& c, KernelPerceptronArrays state, const Column* rows, Index size,
                                 std::vector<Mistake>* log) {
  score_block(rows, size);
  for (Index p = 0; p < size; ++p) {
    const Index i = rows[p];
    ++c.visits;
    if (!wrong(p, rows, state.c)) continue;
    const double s = p_.step.empty() ? 1.0 : p_.step[static_cast<std::size_t>(i)], step = o_.eta * s * p_.y[i];
    ++c.updates;
    ++c.epoch_updates;
    c.epoch_weight += s;
    update(p, rows, size, step, state.c);
    if (state.a) state.a[i] += static_cast<double>(c.visits - o_.birth) * step;
    if (state.updates_of) ++state.updates_of[i];
    if (log) log->push_back({c.visits - 1, static_cast<Column>(i), step});
  }
}

OnlineStop KernelPerceptron::advance(OnlineCounters& c, KernelPerceptronArrays state, Index budget, Index until_epoch,
                                     std::vector<Mistake>* log, Poll poll) {
  if (m_ == 0) return OnlineStop::clean;
  try {
    follow(state.c, poll);
    return run(c, state, budget, until_epoch, log, poll);
  } catch (...) {
    forget();
    throw;
  }
}

OnlineStop KernelPerceptron::run(OnlineCounters& c, KernelPerceptronArrays state, Index budget, Index until_epoch,
                                 std::vector<Mistake>* log, Poll poll) {
  while (budget > 0) {
    set_order(c.epoch);
    if (c.position == 0) c.epoch_updates = 0, c.epoch_weight = 0;
    const Index size = std::min({block, budget, m_ - c.position});
    run_block(c, state, order_.data() + c.position, size, log);
    budget -= size;
    c.position += size;
    if (static_cast<Index>(pending_.size()) >= block) flush(poll);
    if (c.position < m_) continue;

    c.position = 0;
    ++c.epoch;
    if (c.best_updates < 0 || c.epoch_weight < c.best_weight)
      c.best_updates = c.epoch_updates, c.best_weight = c.epoch_weight, c.best_epoch = c.epoch;
    if (c.epoch_updates == 0) return OnlineStop::clean;
    if (o_.patience > 0 && c.epoch - c.best_epoch >= std::max(o_.patience, c.best_epoch)) return OnlineStop::stalled;
    if (c.epoch >= until_epoch) return OnlineStop::epoch;
  }
  return OnlineStop::budget;
}

}  // namespace widemargin
