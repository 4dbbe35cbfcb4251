// Large memory that one piece of work leaves to the next: pages that were never touched before cost as much as the
// kernel values that fill them.
//
// Some blocks are kept, and offered to the system while nobody uses them (MADV_FREE): whoever is short of memory gets
// them.
#pragma once

#include <vector>

#include "base/buffer.hpp"

namespace widemargin {

constexpr Index warm_block = Index{1} << 24;  // floats
constexpr std::size_t most_warm = 8;          // blocks kept for all

class WarmMemory {
 public:
  WarmMemory() = default;
  WarmMemory(WarmMemory&&) = default;
  WarmMemory& operator=(WarmMemory&&) = default;
  ~WarmMemory();

  std::size_t size() const { return blocks_.size(); }
  float* block(std::size_t k) { return blocks_[k].data(); }
  // One more block of at least `floats`, warm if there is one, else cold; false if there is no memory.
  bool grow(Index floats);
  // Only a warm one; false if there is none.
  bool grow_warm(Index floats);

 private:
  std::vector<Buffer<float>> blocks_;
};

}  // namespace widemargin
