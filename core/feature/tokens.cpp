#include "feature/tokens.hpp"

#include <algorithm>
#include <utility>

#include "feature/word_marks.hpp"

namespace widemargin {
namespace {

// ASCII as mark_words knows it.
bool capital(Letter c) { return c >= 'A' && c <= 'Z'; }
bool of_word(Letter c) { return capital(c & ~Letter{32}) || (c >= '0' && c <= '9') || c == '_'; }

void append(Buffer<std::size_t>& places, std::size_t place) {
  places.resize(places.size() + 1);
  places[places.size() - 1] = place;
}

// Whether there are two letters or more.
bool several(const char* at, const char* end) {
  if (at == end) return false;
  do ++at;
  while (at < end && (static_cast<std::uint8_t>(*at) & 0xc0) == 0x80);
  return at < end;
}

// Whether all letters of words are ASCII: then bytes tell words from what lies between.
bool plain_words(std::string_view text, const Letters& letters) {
  for (TextCursor at{text.data(), text.data() + text.size()}; !at.done();) {
    const Letter c = at.next();
    if (c >= 0x80 && letters.is(c, Letters::word)) return false;
  }
  return true;
}

}  // namespace

Tokens::Tokens(const Letters& letters, const Dictionary& stop_words, TextOptions options)
    : letters_(letters), stop_words_(stop_words), o_(options) {
  for (Letter c = 0; c < 0x80; ++c) {
    usual_ = usual_ && small(c) == (o_.small && capital(c) ? c + 32 : c) && letters.is(c, Letters::word) == of_word(c);
    if (letters.is(c, Letters::word) && small(c) < 0x80) plain_[c] = static_cast<char>(small(c));
  }
}

void Tokens::read(std::string_view document) {
  text_.clear();
  field_.clear();
  edges_.resize(0);
  begins_.resize(0);
  ends_.resize(0);
  const TextCursor at{document.data(), document.data() + document.size()};
  if (o_.kind == TextKind::words) {
    const bool plain = read_plain_words(document);
    if (!plain) read_words(at);
    if (!plain || stop_words_.size() || o_.high > 1) keep_words();
    at_ = words_.data();
    return;
  }
  if (o_.kind != TextKind::mail) {
    read_letters(at);
    at_ = words_.data();
    return;
  }
  read_mail(at);
  text_.append(text_margin, '\0');
  at_ = text_.data();
}

// A token was appended from `begin` on. Stop words go again.
void Tokens::end_token(std::size_t begin) {
  if (stop_words_.size() && stop_words_.find(std::string_view(text_).substr(begin)) >= 0) {
    text_.resize(begin ? begin - 1 : 0);
    return;
  }
  append(edges_, begin + 1);
  append(edges_, text_.size());
}

std::size_t Tokens::begin_token() {
  if (!text_.empty()) text_.push_back(' ');
  const std::size_t begin = text_.size();
  text_ += field_;
  return begin;
}

void Tokens::put(std::string_view token) {
  const std::size_t begin = begin_token();
  text_.append(token);
  end_token(begin);
}

// The most usual way, where bytes tell words from what lies between. Whether it could be gone.
bool Tokens::read_plain_words(std::string_view document) {
  if (!usual_) return false;
  const auto size = static_cast<Index>(document.size());
  words_.reserve(room_for_copy(size) + Index{text_margin});
  edges_.reserve(most_edges(size));
  const WordMarks marks = mark_words(document.data(), size, o_.small, words_.data(), edges_.data());
  if (!marks.ascii && !plain_words(document, letters_)) return false;
  edges_.resize(marks.count);
  return true;
}

// Words of any letters. It writes without looking for room: a small letter takes at most half as much again as its
// capital.
void Tokens::read_words(TextCursor at) {
  words_.reserve((at.end - at.at) * 3 / 2 + Index{text_margin});
  char* out = words_.data();
  const auto place = [&] { return static_cast<std::size_t>(out - words_.data()); };
  while (!at.done()) {
    append(edges_, place() + 1);
    while (!at.done()) {
      if (const char plain = plain_[at.byte()]) {
        *out++ = plain;
        ++at.at;
        continue;
      }
      if (at.byte() < 0x80) break;
      const TextCursor before = at;
      const Letter c = at.next();
      if (!letters_.is(c, Letters::word)) {
        at = before;
        break;
      }
      out = put_letter(out, small(c));
    }
    append(edges_, place());
    if (!at.done()) at.next(), *out++ = ' ';
  }
}

// Of the runs of letters those stay that are words: two letters or more, and no stop word.
void Tokens::keep_words() {
  Index kept = 0;
  const bool all = stop_words_.size() == 0;
  for (Index i = 0; i < edges_.size(); i += 2) {
    const std::size_t begin = edges_[i] - 1, end = edges_[i + 1];
    edges_[kept] = begin + 1;
    edges_[kept + 1] = end;
    if (several(words_.data() + begin, words_.data() + end) &&
        (all || stop_words_.find(std::string_view(words_.data() + begin, end - begin)) < 0))
      kept += 2;
  }
  edges_.resize(kept);
  if (o_.high == 1) return;
  char* out = words_.data();
  for (Index i = 0; i < kept; i += 2) {  // terms of several words have one blank between
    const auto begin = words_.data() + (edges_[i] - 1);
    edges_[i] = static_cast<std::size_t>(out - words_.data()) + 1;
    out = std::copy(begin, words_.data() + edges_[i + 1], out);
    edges_[i + 1] = static_cast<std::size_t>(out - words_.data());
    *out++ = ' ';
  }
}

namespace {

bool one_of(Letter c, std::string_view set) { return c < 0x80 && set.find(static_cast<char>(c)) != set.npos; }
bool apostrophe(Letter c) { return c == '\'' || c == 0x2019; }
bool money(Letter c) { return c == '$' || c == '%' || (c >= 0xa2 && c <= 0xa5) || (c >= 0x20a0 && c <= 0x20cf); }

// Whether the text goes on with these ASCII letters, large or small.
bool goes_on(const TextCursor& at, std::string_view word) {
  if (at.end - at.at < static_cast<std::ptrdiff_t>(word.size())) return false;
  return std::equal(word.begin(), word.end(), at.at, [](char w, char c) {
    return w == (c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
  });
}

}  // namespace

// url:host for http://host/..., https://..., www.host; what follows the host is read as any other text.
bool Tokens::address(TextCursor& at) {
  bool found = false;
  for (const std::string_view scheme : {"http://", "https://"})
    if (goes_on(at, scheme)) at.at += scheme.size(), found = true;
  if (goes_on(at, "www.")) at.at += 4, found = true;
  if (!found) return false;
  std::string host = "url:";
  for (TextCursor look = at; !look.done();) {
    const Letter c = look.next();
    if (letters_.is(c, Letters::space) || one_of(c, "/?#:<>\"'()[]{},;|\\")) break;
    append_letter(host, small(c));
  }
  while (host.back() == '.') host.pop_back();
  put(host);
  return true;
}

// Digits, also with a point, comma or colon between two of them.
void Tokens::number(TextCursor& at, Letter first) {
  std::string token;
  append_letter(token, first);
  std::size_t digits = 1;
  while (!at.done()) {
    TextCursor look = at;
    Letter c = look.next();
    std::string joined;
    if (one_of(c, ".,:") && !look.done()) {
      append_letter(joined, c);
      c = look.next();
    }
    if (!letters_.is(c, Letters::digit)) break;
    append_letter(joined, c);
    token += joined;
    ++digits;
    at = look;
  }
  put(token);
  std::string shape(1, '#');
  shape += std::to_string(digits);
  put(shape);
}

// Letters of words, also with an apostrophe between two of them; a single letter is no word.
void Tokens::word(TextCursor& at, Letter first) {
  const std::size_t begin = begin_token();
  append_letter(text_, small(first));
  std::size_t count = 1, capitals = letters_.is(first, Letters::upper);
  while (!at.done()) {
    TextCursor look = at;
    Letter c = look.next();
    const bool joint = apostrophe(c) && !look.done();
    if (joint) c = look.next();
    if (!letters_.is(c, Letters::word)) break;
    if (joint) text_.push_back('\'');
    append_letter(text_, small(c));
    ++count;
    capitals += letters_.is(c, Letters::upper);
    at = look;
  }
  if (count < 2) {
    text_.resize(begin ? begin - 1 : 0);
    return;
  }
  end_token(begin);
  if (capitals == count && count >= 3) put("^caps");
}

void Tokens::field(TextCursor& at) {
  field_.clear();
  while (!at.done()) {
    const Letter c = at.next();
    if (c == 0x1f) break;
    append_letter(field_, c);
  }
}

void Tokens::read_mail(TextCursor at) {
  while (!at.done()) {
    if (one_of(at.byte(), "hHwW") && address(at)) continue;
    const Letter c = at.next();
    if (letters_.is(c, Letters::digit)) {
      number(at, c);
    } else if (letters_.is(c, Letters::word)) {
      word(at, c);
    } else if (money(c)) {
      std::string sign;
      append_letter(sign, c);
      put(sign);
    } else if (c == '!') {
      const char* begin = at.at;
      while (!at.done() && at.byte() == '!') ++at.at;
      put(at.at == begin ? "!" : "!!");
    } else if (c == 0x1e) {
      field(at);
    }
  }
}

// Room is made beforehand: for each byte at most one letter and two blanks, and a small letter takes at most half as
// much again as its capital.
void Tokens::read_letters(TextCursor at) {
  const bool inside = o_.kind == TextKind::inside;
  const Index size = at.end - at.at;
  words_.reserve(3 * size + Index{text_margin} + 2);
  begins_.reserve(3 * size + 3);
  ends_.reserve(size + 1);
  char* out = words_.data();
  std::size_t *begin = begins_.data(), *end = ends_.data();
  const auto place = [&] { return static_cast<std::size_t>(out - words_.data()); };
  const auto put = [&](Letter c) {
    *begin++ = place();
    out = put_letter(out, c);
  };
  const auto is_space = [&](Letter c) { return letters_.is(c, Letters::space); };
  const auto end_word = [&] {
    put(' ');
    *end++ = static_cast<std::size_t>(begin - begins_.data());
  };
  bool within = false;  // a word, for `inside`
  while (!at.done()) {
    const Letter c = small(at.next());
    const bool space = is_space(c);
    if (inside) {
      if (!space && !within) put(' ');
      if (!space) put(c);
      if (space && within) end_word();
      within = !space;
      continue;
    }
    bool several = false;
    for (TextCursor look = at; space && !look.done();) {
      if (!is_space(small(look.next()))) break;
      several = true;
      at = look;
    }
    put(several ? ' ' : c);
  }
  if (within) end_word();
  *begin++ = place();
  begins_.resize(begin - begins_.data());
  ends_.resize(end - ends_.data());
}

}  // namespace widemargin
