// Words used everywhere in the core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace widemargin {

using Index = std::int64_t;   // rows, features, offsets: never int, so n * n cannot overflow
using Column = std::int32_t;  // feature numbers inside sparse rows: half the memory traffic

template <class T>
using Span = std::span<T>;

}  // namespace widemargin
