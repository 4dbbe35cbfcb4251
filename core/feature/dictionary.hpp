// Terms and their numbers, in the order in which they came.
//
// Method  open addressing; terms lie one after the other in one text, so that a million of them are one allocation
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace widemargin {

// A term's first eight bytes as a number whose order is theirs, zeros behind a shorter one. With the length it is the
// whole of what has at most eight. Only bytes of the term are read.
inline std::uint64_t head_of(std::string_view term) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) head = head << 8 | (i < term.size() ? static_cast<std::uint8_t>(term[i]) : 0);
  return head;
}

// Eight bytes behind every text that is cut into terms may be read, whatever they hold: heads then need no loop.
inline constexpr std::size_t text_margin = 8;

inline std::uint64_t reversed(std::uint64_t word) {
  word = (word & 0x00ff00ff00ff00ffu) << 8 | (word >> 8 & 0x00ff00ff00ff00ffu);
  word = (word & 0x0000ffff0000ffffu) << 16 | (word >> 16 & 0x0000ffff0000ffffu);
  return word << 32 | word >> 32;
}

inline std::uint64_t load_eight(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  return std::endian::native == std::endian::little ? reversed(word) : word;
}

// A term of a text with that margin.
struct Term {
  const char* at = nullptr;
  std::size_t size = 0;
  std::uint64_t head = 0;

  Term() = default;
  Term(const char* at, std::size_t size)
      : at(at), size(size), head(size >= 8 ? load_eight(at) : load_eight(at) & ~(~std::uint64_t{0} >> 8 * size)) {}
  std::string_view text() const { return {at, size}; }
};

class Dictionary {
 public:
  Index size() const { return static_cast<Index>(begins_.size()) - 1; }
  std::string_view term(Index id) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(id)];
    return {text_.data() + begin, begins_[static_cast<std::size_t>(id) + 1] - begin};
  }

  // Only spread matters here: no result depends on it. The last bytes are read twice rather than one by one.
  static std::uint64_t hash(const Term& term) {
    const auto mix = [](std::uint64_t h) { return h *= 0xd6e8feb86659fd93u, h ^ (h >> 32); };
    std::uint64_t h = mix(term.head + term.size * 0x9e3779b97f4a7c15u);
    for (std::size_t i = 8; i < term.size; i += 8) h = mix(h ^ load_eight(term.at + std::min(i, term.size - 8)));
    return h;
  }

  // Says that a term of this hash is wanted soon: memory is slow.
  void fetch(std::uint64_t hash) const { __builtin_prefetch(slots_.data() + (hash & mask_)); }

  // The number of a term, -1 if it is not known.
  Index find(const Term& term, std::uint64_t hash) const {
    return slots_.empty() ? -1 : slots_[slot_of(term, hash)].id;
  }

  // The number of a term, a new one if it is not known.
  Index add(const Term& term, std::uint64_t hash) {
    if (3 * begins_.size() > 2 * slots_.size()) grow();
    Slot& slot = slots_[slot_of(term, hash)];
    return slot.id >= 0 ? slot.id : enter(slot, term);
  }

  // The same for a text without a margin.
  Index find(std::string_view term) const {
    const std::string padded = with_margin(term);
    const Term found(padded.data(), term.size());
    return find(found, hash(found));
  }
  Index add(std::string_view term) {
    const std::string padded = with_margin(term);
    const Term added(padded.data(), term.size());
    return add(added, hash(added));
  }

 private:
  struct Slot {  // tells most terms apart, and short ones for sure, without a look at the text
    std::uint64_t head = 0;
    std::uint32_t length = 0;
    std::int32_t id = -1;
  };

  static std::string with_margin(std::string_view term) { return std::string(term).append(text_margin, '\0'); }

  // Where the term is, or would be.
  std::size_t slot_of(const Term& term, std::uint64_t hash) const {
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& s = slots_[i];
      if (s.id < 0 || (s.head == term.head && s.length == static_cast<std::uint32_t>(term.size) &&
                       (term.size <= 8 || same_rest(s.id, term))))
        return i;
    }
  }

  bool same_rest(std::int32_t id, const Term& term) const {
    const char* other = text_.data() + begins_[static_cast<std::size_t>(id)];
    for (std::size_t i = 8; i < term.size; i += 8) {
      const std::size_t from = std::min(i, term.size - 8);
      if (load_eight(term.at + from) != load_eight(other + from)) return false;
    }
    return true;
  }

  Index enter(Slot& slot, const Term& term) {
    if (size() >= 0x7fffffff) fail("a dictionary holds at most 2147483647 terms: use hashing, or fewer n-grams");
    text_.resize(begins_.back());  // the margin goes and comes
    text_.append(term.text());
    begins_.push_back(text_.size());
    text_.append(text_margin, '\0');
    slot = {term.head, static_cast<std::uint32_t>(term.size), static_cast<std::int32_t>(size() - 1)};
    return slot.id;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& s : old) {
      if (s.id < 0) continue;
      const Term term(text_.data() + begins_[static_cast<std::size_t>(s.id)], s.length);
      slots_[slot_of(term, hash(term))] = s;
    }
  }

  std::string text_;
  std::vector<std::size_t> begins_{0};  // and the end of the last
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace widemargin
