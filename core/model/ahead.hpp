// Asks for what comes next while there is other work: lines of the cache, a few at a time.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace widemargin {

class Ahead {
 public:
  // All of it when some() was called so many times.
  Ahead(const void* begin, const void* end, Index times)
      : at_(static_cast<const char*>(begin)), end_(static_cast<const char*>(end)) {
    each_ = ((end_ - at_) / 64 + times) / times * 64;
  }
  void some() {
    const char* stop = std::min(end_, at_ + each_);
    for (; at_ < stop; at_ += 64) __builtin_prefetch(at_);
  }

 private:
  const char *at_, *end_;
  Index each_;
};

}  // namespace widemargin
