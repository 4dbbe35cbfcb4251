// Terms and their numbers, in the order in which they came.
//
// Method  open addressing; terms lie one after the other in one text, so that a million of them are one allocation
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace widemargin {

// A term's first eight bytes, or all of a shorter one; with the length, the whole of what has at most eight.
inline std::uint64_t head_of(std::string_view term) {
  const auto load = [](const char* from, auto word) { return std::memcpy(&word, from, sizeof word), word; };
  const char* at = term.data();
  if (term.size() >= 8) return load(at, std::uint64_t{});
  if (term.size() >= 4)
    return std::uint64_t{load(at, std::uint32_t{})} << 32 | load(at + term.size() - 4, std::uint32_t{});
  std::uint64_t head = 0;
  for (const char c : term) head = head << 8 | static_cast<std::uint8_t>(c);
  return head;
}

// Only spread matters here: no result depends on it. The last bytes are read twice rather than one by one.
inline std::uint64_t spread(std::string_view term, std::uint64_t head) {
  const auto mix = [](std::uint64_t h) { return h ^= h >> 32, h *= 0xd6e8feb86659fd93u, h ^ (h >> 32); };
  std::uint64_t h = mix(head + term.size() * 0x9e3779b97f4a7c15u);
  for (std::size_t i = 8; i < term.size(); i += 8) h = mix(h ^ head_of(term.substr(std::min(i, term.size() - 8), 8)));
  return h;
}

class Dictionary {
 public:
  Index size() const { return static_cast<Index>(ends_.size()); }
  std::string_view term(Index id) const {
    const std::size_t begin = id ? ends_[static_cast<std::size_t>(id - 1)] : 0;
    return std::string_view(text_).substr(begin, ends_[static_cast<std::size_t>(id)] - begin);
  }

  // The number of a term, -1 if it is not known.
  Index find(std::string_view term) const {
    if (slots_.empty()) return -1;
    const std::uint64_t head = head_of(term);
    return slots_[slot_of(term, head, spread(term, head))].id;
  }

  // The number of a term, a new one if it is not known.
  Index add(std::string_view term) {
    if (2 * (ends_.size() + 1) > slots_.size()) grow();
    const std::uint64_t head = head_of(term);
    Slot& slot = slots_[slot_of(term, head, spread(term, head))];
    if (slot.id >= 0) return slot.id;
    if (size() >= 0x7fffffff) fail("a dictionary holds at most 2147483647 terms: use hashing, or fewer n-grams");
    text_.append(term);
    ends_.push_back(text_.size());
    slot = {head, static_cast<std::uint32_t>(term.size()), static_cast<std::int32_t>(size() - 1)};
    return slot.id;
  }

 private:
  struct Slot {  // tells most terms apart, and short ones for sure, without a look at the text
    std::uint64_t head = 0;
    std::uint32_t length = 0;
    std::int32_t id = -1;
  };

  // Where the term is, or would be.
  std::size_t slot_of(std::string_view term, std::uint64_t head, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& s = slots_[i];
      if (s.id < 0 || (s.head == head && s.length == static_cast<std::uint32_t>(term.size()) &&
                       (term.size() <= 8 || this->term(s.id) == term)))
        return i;
    }
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.id < 0) continue;
      const std::string_view term = this->term(s.id);
      slots_[slot_of(term, s.head, spread(term, s.head))] = s;
    }
  }

  std::string text_;
  std::vector<std::size_t> ends_;
  std::vector<Slot> slots_;
};

}  // namespace widemargin
