// A document as the terms that stand in it.
//
// Problem  words    maximal runs of two or more letters of words (the pattern \b\w\w+\b)
//          mail     words, also with an apostrophe inside; numbers, as they stand and as #k, k their digits; signs of
//                   money and percent; ! and !! (two or more); ^caps for a word of three or more capitals; url:host
//                   for an address, whose words count too. U+001E name U+001F puts the name before all that follow
//          letters  all pieces of n letters, where two or more white spaces are one blank
//          inside   the same within words between white space, with a blank before and after each
// Symbols  n from low to high; terms of several words are joined by one blank
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
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
  bool read_plain_words(std::string_view document);
  void keep_words();
  void read_mail(TextCursor at);
  void read_letters(TextCursor at);
  std::size_t begin_token();
  void end_token(std::size_t begin);
  void put(std::string_view token);
  void field(TextCursor& at);
  void word(TextCursor& at, Letter first);
  void number(TextCursor& at, Letter first);
  bool address(TextCursor& at);

  const Letters& letters_;
  const Dictionary& stop_words_;
  TextOptions o_;
  bool usual_ = true;              // the table says of ASCII what it says everywhere
  std::array<char, 256> plain_{};  // ASCII letters of words as they are written, 0 for all other bytes
  // Of words: a text with the tokens in it (one blank between them where terms have several), and two edges of each:
  // behind its first byte and behind its last. Of letters: the text, and where each letter begins, with the end of the
  // last. A margin is behind both.
  const char* at_ = nullptr;
  Buffer<char> words_;  // the text, where its size is known beforehand
  std::string text_;    // or where it is not
  std::string field_;
  Buffer<std::size_t> edges_, begins_, ends_;
};

template <class Take>
void Tokens::each(Take&& take) const {
  const auto piece = [&](std::size_t a, std::size_t b) { take(Term(at_ + a, b - a)); };
  if (o_.kind == TextKind::words || o_.kind == TextKind::mail) {
    const auto count = edges_.size() / 2;
    for (Index n = o_.low; n <= std::min(o_.high, count); ++n)
      for (Index i = 0; i + n <= count; ++i) piece(edges_[2 * i] - 1, edges_[2 * (i + n) - 1]);
  } else if (o_.kind == TextKind::letters) {
    const auto count = begins_.size() - 1;
    for (Index n = o_.low; n <= std::min(o_.high, count); ++n)
      for (Index i = 0; i + n <= count; ++i) piece(begins_[i], begins_[i + n]);
  } else {
    // ends_ counts the letters before the end of each word, blanks included.
    Index begin = 0;
    for (Index w = 0; w < ends_.size(); ++w) {
      const auto end = static_cast<Index>(ends_[w]), length = end - begin;
      for (Index n = o_.low; n <= o_.high; ++n) {
        const Index size = std::min(n, length);  // a word too short for n letters counts once, whole
        for (Index i = begin; i + size <= end; ++i) piece(begins_[i], begins_[i + size]);
        if (length <= n) break;
      }
      begin = end;
    }
  }
}

}  // namespace widemargin
