#include "feature/tokens.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace widemargin {
namespace {

// ASCII: 32 for a capital, and 1 for a letter of words. Plain arithmetic on bytes: the compiler does many at once.
inline std::uint8_t within(std::uint8_t c, std::uint8_t from, std::uint8_t count, std::uint8_t yes) {
  return static_cast<std::uint8_t>(c - from) < count ? yes : 0;
}
inline std::uint8_t capital(std::uint8_t c) { return within(c, 'A', 26, 32); }
inline std::uint8_t of_word(std::uint8_t c) {
  return static_cast<std::uint8_t>(within(c | 32, 'a', 26, 1) | within(c, '0', 10, 1) | within(c, '_', 1, 1));
}

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
  std::uint8_t any = 0;
  for (const char c : text) any |= static_cast<std::uint8_t>(c);
  if (any < 0x80) return true;
  for (TextCursor at{text.data(), text.data() + text.size()}; !at.done();) {
    const Letter c = at.next();
    if (c >= 0x80 && letters.is(c, Letters::word)) return false;
  }
  return true;
}

// Copies 64 letters, capitals made small by adding `change`; bit i of the result says whether letter i is one of words.
std::uint64_t read_block(const char* from, char* to, std::uint8_t change) {
  std::uint8_t is[64];
  for (int i = 0; i < 64; ++i) {
    const auto c = static_cast<std::uint8_t>(from[i]);
    to[i] = static_cast<char>(c | (capital(c) & change));
    is[i] = of_word(c);
  }
  std::uint64_t mask = 0;
  for (int k = 0; k < 8; ++k) {  // eight bytes of 0 or 1 become eight bits
    std::uint64_t bytes;
    std::memcpy(&bytes, is + 8 * k, 8);
    if constexpr (std::endian::native == std::endian::big) bytes = reversed(bytes);
    mask |= (bytes * 0x0102040810204080u >> 56) << 8 * k;
  }
  return mask;
}

}  // namespace

Tokens::Tokens(const Letters& letters, const Dictionary& stop_words, TextOptions options)
    : letters_(letters), stop_words_(stop_words), o_(options) {
  for (Letter c = 0; c < 0x80; ++c) {
    const auto byte = static_cast<std::uint8_t>(c);
    usual_ = usual_ && small(c) == c + (o_.small ? capital(byte) : 0) && letters.is(c, Letters::word) == of_word(byte);
    if (letters.is(c, Letters::word) && small(c) < 0x80) plain_[c] = static_cast<char>(small(c));
  }
}

void Tokens::read(std::string_view document) {
  text_.clear();
  field_.clear();
  begins_.resize(0);
  ends_.resize(0);
  const TextCursor at{document.data(), document.data() + document.size()};
  if (o_.kind == TextKind::words) {
    usual_&& plain_words(document, letters_) ? read_plain_words(document) : read_words(at);
    keep_words();
    at_ = words_.data();
    return;
  }
  o_.kind == TextKind::mail ? read_mail(at) : read_letters(at);
  text_.append(text_margin, '\0');
  at_ = text_.data();
}

// A token was appended from `begin` on. Stop words go again.
void Tokens::end_token(std::size_t begin) {
  if (stop_words_.size() && stop_words_.find(std::string_view(text_).substr(begin)) >= 0) {
    text_.resize(begin ? begin - 1 : 0);
    return;
  }
  append(begins_, begin);
  append(ends_, text_.size());
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

// The most usual way: blocks of letters become bits, and changes of bits the ends of words.
void Tokens::read_plain_words(std::string_view document) {
  const auto size = static_cast<Index>(document.size()), blocks = size / 64 + 1;
  words_.reserve(blocks * 64 + Index{text_margin});
  begins_.resize(blocks * 32 + 1);
  ends_.resize(blocks * 32 + 1);
  std::size_t *begin = begins_.data(), *end = ends_.data();
  std::uint64_t before = 0;  // whether the last letter belongs to a word
  char rest[64] = {};
  for (Index at = 0; at <= size; at += 64) {
    const char* from = document.data() + at;
    if (at + 64 > size) {
      std::copy(from, document.data() + size, rest);
      from = rest;
    }
    const std::uint64_t within = read_block(from, words_.data() + at, o_.small ? 32 : 0);
    const std::uint64_t behind = within << 1 | before;
    const auto place = [at](std::uint64_t bits) { return static_cast<std::size_t>(at + std::countr_zero(bits)); };
    for (std::uint64_t starts = within & ~behind; starts; starts &= starts - 1) *begin++ = place(starts);
    for (std::uint64_t stops = ~within & behind; stops; stops &= stops - 1) *end++ = place(stops);
    before = within >> 63;
  }
  begins_.resize(end - ends_.data());
  ends_.resize(end - ends_.data());
}

// Words of any letters. It writes without looking for room: a small letter takes at most half as much again as its
// capital.
void Tokens::read_words(TextCursor at) {
  words_.reserve((at.end - at.at) * 3 / 2 + Index{text_margin});
  char* out = words_.data();
  const auto place = [&] { return static_cast<std::size_t>(out - words_.data()); };
  while (!at.done()) {
    append(begins_, place());
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
    append(ends_, place());
    if (!at.done()) at.next(), *out++ = ' ';
  }
}

// Of the runs of letters those stay that are words: two letters or more, and no stop word.
void Tokens::keep_words() {
  Index kept = 0;
  const bool all = stop_words_.size() == 0;
  for (Index i = 0; i < begins_.size(); ++i) {
    const std::size_t begin = begins_[i], end = ends_[i];
    begins_[kept] = begin;
    ends_[kept] = end;
    kept += several(words_.data() + begin, words_.data() + end) &&
            (all || stop_words_.find(std::string_view(words_.data() + begin, end - begin)) < 0);
  }
  begins_.resize(kept);
  ends_.resize(kept);
  if (o_.high == 1) return;
  char* out = words_.data();
  for (Index i = 0; i < kept; ++i) {  // terms of several words have one blank between
    const std::size_t begin = std::exchange(begins_[i], static_cast<std::size_t>(out - words_.data()));
    out = std::copy(words_.data() + begin, words_.data() + ends_[i], out);
    ends_[i] = static_cast<std::size_t>(out - words_.data());
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

void Tokens::read_letters(TextCursor at) {
  const bool inside = o_.kind == TextKind::inside;
  const auto put_letter = [&](Letter c) {
    append(begins_, text_.size());
    append_letter(text_, c);
  };
  const auto is_space = [&](Letter c) { return letters_.is(c, Letters::space); };
  bool within = false;  // a word, for `inside`
  while (!at.done()) {
    const Letter c = small(at.next());
    if (inside) {
      if (!is_space(c) && !within) put_letter(' ');
      if (!is_space(c)) put_letter(c);
      if (is_space(c) && within) put_letter(' '), append(ends_, static_cast<std::size_t>(begins_.size()));
      within = !is_space(c);
      continue;
    }
    bool several = false;
    for (TextCursor look = at; is_space(c) && !look.done();) {
      if (!is_space(small(look.next()))) break;
      several = true;
      at = look;
    }
    put_letter(several ? ' ' : c);
  }
  if (within) put_letter(' '), append(ends_, static_cast<std::size_t>(begins_.size()));
  append(begins_, text_.size());
}

}  // namespace widemargin
