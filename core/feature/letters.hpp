// What is known of each code point: its small letter, and whether it belongs to a word, is white space or a digit.
//
// The tables come from outside (Python's own str and re), so that words are the same words in both languages, whatever
// the version of Unicode. Text is UTF-8; bytes that are not read as U+FFFD. Reading never goes past the end.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

using Letter = std::uint32_t;
inline constexpr Letter letters_end = 0x110000;

struct Letters {
  enum Kind : std::uint8_t { word = 1, space = 2, digit = 4, upper = 8 };
  std::vector<Letter> small;       // letters_end entries
  std::vector<std::uint8_t> kind;  // letters_end entries, sums of Kind
  bool is(Letter c, Kind k) const { return kind[c] & k; }
};

// A place in a text. `next` reads one letter and steps over it.
struct TextCursor {
  const char* at;
  const char* end;

  bool done() const { return at == end; }
  std::uint8_t byte() const { return static_cast<std::uint8_t>(*at); }

  Letter next() {
    const std::uint8_t first = byte();
    ++at;
    if (first < 0x80) return first;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (more == 0 || end - at < more) return 0xfffd;
    Letter c = first & (0x3fu >> more);
    for (int i = 0; i < more; ++i) {
      if ((static_cast<std::uint8_t>(at[i]) & 0xc0) != 0x80) return 0xfffd;
      c = (c << 6) | (static_cast<std::uint8_t>(at[i]) & 0x3f);
    }
    at += more;
    return c < letters_end ? c : 0xfffd;
  }
};

// Writes one letter, at most four bytes; returns where it ends.
inline char* put_letter(char* out, Letter c) {
  const auto put = [&](Letter byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6)), put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3f)), put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3f)), put(0x80 | ((c >> 6) & 0x3f)), put(0x80 | (c & 0x3f));
  }
  return out;
}

inline void append_letter(std::string& text, Letter c) {
  char bytes[4];
  text.append(bytes, put_letter(bytes, c));
}

}  // namespace widemargin
