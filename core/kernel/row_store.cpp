#include "kernel/row_store.hpp"

#include <algorithm>

namespace widemargin {

RowStore::RowStore(Index n, Index length, Index memory)
    : stride_((length + 15) / 16 * 16),
      wanted_(std::min(memory / std::max<Index>(4 * stride_, 1), n)),
      slot_of_(static_cast<std::size_t>(n), -1) {}

void RowStore::use(Buffer<float>& values) {
  // What the machine does not give is done without: values are computed again.
  for (slots_ = wanted_; slots_ > 0; slots_ /= 2) {
    try {
      values.resize(slots_ * stride_);
      break;
    } catch (const std::bad_alloc&) {
    }
  }
  values_ = values.data();
  const auto slots = static_cast<std::size_t>(slots_);
  item_of_.resize(slots), before_.resize(slots), after_.resize(slots), touched_.resize(slots);
  clear();
}

void RowStore::unlink(std::int32_t slot) {
  const auto s = static_cast<std::size_t>(slot);
  (before_[s] < 0 ? front_ : after_[static_cast<std::size_t>(before_[s])]) = after_[s];
  (after_[s] < 0 ? back_ : before_[static_cast<std::size_t>(after_[s])]) = before_[s];
}

void RowStore::to_front(std::int32_t slot) {
  const auto s = static_cast<std::size_t>(slot);
  before_[s] = -1, after_[s] = front_;
  (front_ < 0 ? back_ : before_[static_cast<std::size_t>(front_)]) = slot;
  front_ = slot;
  touched_[s] = now_;
}

float* RowStore::find(Index i) {
  const std::int32_t slot = slot_of_[static_cast<std::size_t>(i)];
  if (slot < 0) return nullptr;
  if (slot != front_) {
    unlink(slot);
    to_front(slot);
  }
  touched_[static_cast<std::size_t>(slot)] = now_;
  return at(slot);
}

float* RowStore::place(Index i) {
  std::int32_t slot;
  if (used_ < slots_) {
    slot = used_++;
  } else {
    slot = back_;
    if (slot < 0 || touched_[static_cast<std::size_t>(slot)] == now_) return nullptr;
    slot_of_[static_cast<std::size_t>(item_of_[static_cast<std::size_t>(slot)])] = -1;
    unlink(slot);
  }
  item_of_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(i);
  slot_of_[static_cast<std::size_t>(i)] = slot;
  to_front(slot);
  return at(slot);
}

void RowStore::clear() {
  std::fill(slot_of_.begin(), slot_of_.end(), -1);
  used_ = 0, front_ = back_ = -1;
}

}  // namespace widemargin
