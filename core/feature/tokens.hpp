// A document as the terms that stand in it.
//
// Problem  words    maximal runs of two or more letters of words (the pattern \b\w\w+\b)
//          mail     words, also with an apostrophe inside; numbers, as they stand and as #k, k their digits; signs of
//                   money and percent; ! and !! (two or more); ^caps for a word of three or more capitals; url:host
//                   for an address, whose words count too
//          letters  all pieces of n letters, where two or more white spaces are one blank
//          inside   the same within words between white space, with a blank before and after each
// Symbols  n from low to high; terms of several words are joined by one blank
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "feature/dictionary.hpp"
#include "feature/letters.hpp"

namespace widemargin {

enum class TextKind : int { words, mail, letters, inside };

struct TextOptions {
  TextKind kind = TextKind::words;
  bool small = true;  // capitals become small letters first
  Index low = 1, high = 1;
};

// Holds the pieces of the last document.
class Tokens {
 public:
  Tokens(const Letters& letters, const Dictionary& stop_words, TextOptions options);

  void read(std::string_view document);

  // Calls take(term) for every term of the document.
  template <class Take>
  void each(Take&& take) const;

 private:
  Letter small(Letter c) const { return o_.small ? letters_.small[c] : c; }
  void read_words(TextCursor at);
  void read_mail(TextCursor at);
  void read_letters(TextCursor at);
  void begin_token() { text_.empty() ? void() : text_.push_back(' '); }
  void end_token(std::size_t begin);
  void put(std::string_view token);
  void word(TextCursor& at, Letter first);
  void number(TextCursor& at, Letter first);
  bool address(TextCursor& at);

  const Letters& letters_;
  const Dictionary& stop_words_;
  TextOptions o_;
  std::array<char, 256> plain_{};  // ASCII letters of words as they are written, 0 for all other bytes
  // Of words: the tokens with blanks between, and where each begins and ends. Of letters: the text, and where each
  // letter begins, with the end of the last.
  std::string text_;
  std::vector<std::size_t> begins_, ends_;
};

template <class Take>
void Tokens::each(Take&& take) const {
  const std::string_view text(text_);
  const auto piece = [&](std::size_t a, std::size_t b) { take(text.substr(a, b - a)); };
  if (o_.kind == TextKind::words || o_.kind == TextKind::mail) {
    const auto count = static_cast<Index>(begins_.size());
    for (Index n = o_.low; n <= std::min(o_.high, count); ++n)
      for (Index i = 0; i + n <= count; ++i)
        piece(begins_[static_cast<std::size_t>(i)], ends_[static_cast<std::size_t>(i + n - 1)]);
  } else if (o_.kind == TextKind::letters) {
    const auto count = static_cast<Index>(begins_.size()) - 1;
    for (Index n = o_.low; n <= std::min(o_.high, count); ++n)
      for (Index i = 0; i + n <= count; ++i)
        piece(begins_[static_cast<std::size_t>(i)], begins_[static_cast<std::size_t>(i + n)]);
  } else {
    // ends_ counts the letters before the end of each word, blanks included.
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const auto length = static_cast<Index>(end - begin);
      for (Index n = o_.low; n <= o_.high; ++n) {
        const Index size = std::min(n, length);  // a word too short for n letters counts once, whole
        for (Index i = 0; i + size <= length; ++i)
          piece(begins_[begin + static_cast<std::size_t>(i)], begins_[begin + static_cast<std::size_t>(i + size)]);
        if (length <= n) break;
      }
      begin = end;
    }
  }
}

}  // namespace widemargin
