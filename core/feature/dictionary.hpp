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

// Eight bytes behind every text that is cut into terms may be read, whatever they hold: words of them need no loop.
inline constexpr std::size_t text_margin = 8;

inline std::uint64_t reversed(std::uint64_t word) {
  word = (word & 0x00ff00ff00ff00ffu) << 8 | (word >> 8 & 0x00ff00ff00ff00ffu);
  word = (word & 0x0000ffff0000ffffu) << 16 | (word >> 16 & 0x0000ffff0000ffffu);
  return word << 32 | word >> 32;
}

// The first byte is the lowest.
inline std::uint64_t load_eight(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  return std::endian::native == std::endian::little ? word : reversed(word);
}

// A term of a text with that margin. Its first and last eight bytes, which are the same ones with zeros behind where it
// has fewer: with the size they are the whole of what has at most sixteen.
struct Term {
  const char* at;
  std::size_t size;
  std::uint64_t head, tail;

  Term() = default;  // anything: many are made and few are used
  Term(const char* at, std::size_t size) : at(at), size(size) {
    const std::uint64_t own = size < 8 ? (std::uint64_t{1} << 8 * size) - 1 : ~std::uint64_t{0};
    head = load_eight(at) & own;
    tail = load_eight(at + (std::max<std::size_t>(size, 8) - 8)) & own;
  }
  std::string_view text() const { return {at, size}; }
};

class Dictionary {
 public:
  Index size() const { return static_cast<Index>(begins_.size()) - 1; }
  std::string_view term(Index id) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(id)];
    return {text_.data() + begin, begins_[static_cast<std::size_t>(id) + 1] - begin};
  }

  // The first eight bytes as a number whose order is theirs.
  std::uint64_t head(Index id) const {
    const std::string_view text = term(id);
    return reversed(Term(text.data(), text.size()).head);
  }

  // Only spread matters here: no result depends on it. The highest bits are the best ones: every byte reaches them.
  static std::uint64_t hash(const Term& term) {
    const auto mix = [](std::uint64_t h) { return h *= 0xd6e8feb86659fd93u, h ^ (h >> 32); };
    std::uint64_t h = mix(term.head + term.size * 0x9e3779b97f4a7c15u);
    for (std::size_t i = 8; i + 8 < term.size; i += 8) h = mix(h ^ load_eight(term.at + i));
    return (h ^ term.tail) * 0x9e3779b97f4a7c15u;
  }

  // Says that a term of this hash is wanted soon: memory is slow.
  void fetch(std::uint64_t hash) const { __builtin_prefetch(slots_.data() + home(hash)); }

  // The number of a term, -1 if it is not known.
  Index find(const Term& term, std::uint64_t hash) const { return slots_[slot_of(term, hash)].id; }

  // The number of a term, a new one if it is not known.
  Index add(const Term& term, std::uint64_t hash) {
    const std::int32_t id = slots_[slot_of(term, hash)].id;
    return id >= 0 ? id : enter(term, hash);
  }

  // The terms in another order: what was order[i] becomes i.
  void renumber(const std::vector<Index>& order) {
    std::vector<std::int32_t> rank(order.size());
    std::string text;
    std::vector<std::size_t> begins{0};
    text.reserve(text_.size());
    begins.reserve(begins_.size());
    for (const Index id : order) {
      rank[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(begins.size() - 1);
      text.append(term(id));
      begins.push_back(text.size());
    }
    text.append(text_margin, '\0');
    for (Slot& s : slots_)
      if (s.id >= 0) s.id = rank[static_cast<std::size_t>(s.id)];
    text_.swap(text);
    begins_.swap(begins);
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
  struct Slot {  // tells most terms apart, and those of at most sixteen bytes for sure, without a look at the text
    std::uint64_t head = 0, tail = 0;
    std::uint32_t length = 0;
    std::int32_t id = -1;
  };

  static std::string with_margin(std::string_view term) { return std::string(term).append(text_margin, '\0'); }

  std::size_t home(std::uint64_t hash) const { return hash >> shift_; }

  // Where the term is, or would be.
  std::size_t slot_of(const Term& term, std::uint64_t hash) const {
    for (std::size_t i = home(hash);; i = (i + 1) & mask_) {
      const Slot& s = slots_[i];
      const std::uint64_t differ =
          (s.head ^ term.head) | (s.tail ^ term.tail) | (s.length ^ static_cast<std::uint32_t>(term.size));
      if ((differ == 0 && (term.size <= 16 || same_middle(s.id, term))) || s.id < 0) return i;
    }
  }

  bool same_middle(std::int32_t id, const Term& term) const {
    const char* other = text_.data() + begins_[static_cast<std::size_t>(id)];
    return std::equal(term.at + 8, term.at + (term.size - 8), other + 8);
  }

  [[gnu::noinline]] Index enter(const Term& term, std::uint64_t hash) {
    if (size() >= 0x7fffffff) fail("a dictionary holds at most 2147483647 terms: use hashing, or fewer n-grams");
    text_.resize(begins_.back());  // the margin goes and comes
    text_.append(term.text());
    begins_.push_back(text_.size());
    text_.append(text_margin, '\0');
    if (3 * begins_.size() > 2 * slots_.size()) grow();  // a third of the slots stays free
    Slot& slot = slots_[slot_of(term, hash)];
    slot = {term.head, term.tail, static_cast<std::uint32_t>(term.size), static_cast<std::int32_t>(size() - 1)};
    return slot.id;
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = std::countl_zero(mask_);
    for (const Slot& s : old) {
      if (s.id < 0) continue;
      const Term term(text_.data() + begins_[static_cast<std::size_t>(s.id)], s.length);
      slots_[slot_of(term, hash(term))] = s;
    }
  }

  std::string text_;
  std::vector<std::size_t> begins_{0};  // and the end of the last
  std::vector<Slot> slots_ = std::vector<Slot>(2);
  std::size_t mask_ = 1;
  int shift_ = 63;  // of a hash, so that its highest bits are a slot's number
};

}  // namespace widemargin
