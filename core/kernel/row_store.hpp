// Rows of kernel values that were computed once and may be wanted again, in a fixed amount of memory.
//
// The memory itself is lent, so that problems solved one after the other can use the same.
//
// Method  slots of equal length, in a list ordered by last use; the row that was not used for longest makes room. A row
//         that was touched since the last call of `turn` is never given away. Memory that was never touched costs more
//         than values computed again, so at first only a little of it is used, and twice as much whenever all was given
//         out sixteen times; what others have left warm is used at once.
#pragma once

#include <vector>

#include "base/warm.hpp"

namespace widemargin {

class RowStore {
 public:
  // Rows of `length` values for the items 0 .. n-1 in at most `memory` bytes.
  RowStore(Index n, Index length, Index memory);
  // Rows go into that memory from now on, which grows as they come; what was kept is forgotten.
  void use(WarmMemory& memory);

  // The rows of another store, in its memory, cut down to some items: item i there is to[i] here, -1 = left out, in
  // rising order; columns are items.
  void inherit(const RowStore& other, const std::vector<Column>& to);

  void turn() { ++now_; }
  // The kept row of item i, now used; null if there is none.
  float* find(Index i);
  // A place for the row of item i, which is not kept yet; null if there is no room.
  float* place(Index i);
  void clear();

 private:
  float* at(std::int32_t slot) const {
    return memory_->block(static_cast<std::size_t>(slot / a_block_)) + slot % a_block_ * stride_;
  }
  // One more slot, if there is memory.
  bool grow();
  void unlink(std::int32_t slot);
  void to_front(std::int32_t slot);

  Index stride_, most_, a_block_, soft_, given_ = 0;  // rows: at most, in a block, at most for now, given out since
  std::int32_t used_ = 0, front_ = -1, back_ = -1;
  Index now_ = 0;
  WarmMemory* memory_ = nullptr;
  std::vector<std::int32_t> slot_of_;  // per item, -1 = not kept
  std::vector<std::int32_t> item_of_, before_, after_;
  std::vector<Index> touched_;
};

}  // namespace widemargin
