#include "base/warm.hpp"

#include <mutex>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace widemargin {
namespace {

std::mutex door;
std::vector<Buffer<float>>& kept() {
  static auto* blocks = new std::vector<Buffer<float>>;  // outlives every static that might still use it
  return *blocks;
}

#ifndef _WIN32
// Nobody is inside at a fork: the child has not the thread that would come out again. See base/parallel.cpp.
void close_door() { door.lock(); }
void open_door() { door.unlock(); }
[[maybe_unused]] const int registered = pthread_atfork(close_door, open_door, open_door);
#endif

}  // namespace

bool WarmMemory::grow_warm(Index floats) {
  const std::lock_guard lock(door);
  if (floats > warm_block || kept().empty()) return false;
  try {
    blocks_.push_back(std::move(kept().back()));
  } catch (const std::bad_alloc&) {
    return false;
  }
  kept().pop_back();
  return true;
}

bool WarmMemory::grow(Index floats) {
  if (grow_warm(floats)) return true;
  try {
    blocks_.emplace_back();
    blocks_.back().resize(std::max(floats, warm_block));
  } catch (const std::bad_alloc&) {
    if (!blocks_.empty() && blocks_.back().size() == 0) blocks_.pop_back();
    return false;
  }
  return true;
}

WarmMemory::~WarmMemory() {
  const std::lock_guard lock(door);
  for (Buffer<float>& block : blocks_) {
    if (block.size() != warm_block || kept().size() >= most_warm) continue;
    block.offer();
    try {
      kept().push_back(std::move(block));
    } catch (const std::bad_alloc&) {  // then it goes back to the system
    }
  }
}

}  // namespace widemargin
