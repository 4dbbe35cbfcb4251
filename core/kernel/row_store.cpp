#include "kernel/row_store.hpp"

#include <algorithm>

namespace widemargin {

RowStore::RowStore(Index n, Index length, Index memory)
    : stride_(std::max<Index>((length + 15) / 16 * 16, 16)),
      most_(std::min(memory / (4 * stride_), n)),
      a_block_(std::max<Index>(warm_block / stride_, 1)),
      soft_(std::min(most_, std::max<Index>(2 * a_block_, 1))),
      slot_of_(static_cast<std::size_t>(n), -1) {}

void RowStore::use(WarmMemory& memory) {
  memory_ = &memory;
  clear();
}

// Rows become shorter, so that each goes to a place that was its own or has been read already.
void RowStore::inherit(const RowStore& other, const std::vector<Column>& to) {
  use(*other.memory_);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] >= 0) columns.push_back(static_cast<Column>(i));
  std::vector<std::int32_t> now_at(static_cast<std::size_t>(other.used_), -1);
  soft_ = std::min(most_, std::max<Index>(soft_, other.used_));
  for (std::int32_t slot = 0; slot < other.used_ && used_ < soft_; ++slot) {
    const Column i = to[static_cast<std::size_t>(other.item_of_[static_cast<std::size_t>(slot)])];
    if (i < 0) continue;
    const float* from = other.at(slot);
    float* row = at(used_);
    for (const Column j : columns) *row++ = from[j];
    item_of_.resize(std::max(item_of_.size(), static_cast<std::size_t>(used_ + 1)));
    item_of_[static_cast<std::size_t>(used_)] = i;
    slot_of_[static_cast<std::size_t>(i)] = used_;
    now_at[static_cast<std::size_t>(slot)] = used_++;
  }
  before_.resize(item_of_.size()), after_.resize(item_of_.size()), touched_.resize(item_of_.size());
  for (std::int32_t slot = other.back_; slot >= 0; slot = other.before_[static_cast<std::size_t>(slot)])
    if (now_at[static_cast<std::size_t>(slot)] >= 0) to_front(now_at[static_cast<std::size_t>(slot)]);
}

bool RowStore::grow() {
  if (++given_ > 16 * soft_) soft_ = std::min(most_, 2 * soft_), given_ = 0;
  if (used_ >= soft_) {
    const auto room = [&] { return static_cast<Index>(memory_->size()) * a_block_; };
    if (used_ >= most_ || (room() <= used_ && !memory_->grow_warm(stride_))) return false;
    soft_ = std::min(most_, room());
  }
  if (static_cast<Index>(memory_->size()) * a_block_ <= used_ && !memory_->grow(stride_)) {
    most_ = soft_ = used_;  // what the machine does not give is done without: values are computed again
    return false;
  }
  ++used_;
  if (static_cast<std::int32_t>(item_of_.size()) < used_)
    for (auto* v : {&item_of_, &before_, &after_}) v->resize(static_cast<std::size_t>(used_));
  touched_.resize(static_cast<std::size_t>(used_));
  return true;
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
  if (grow()) {
    slot = used_ - 1;
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
