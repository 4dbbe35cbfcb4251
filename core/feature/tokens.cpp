#include "feature/tokens.hpp"

#include <algorithm>

namespace widemargin {

Tokens::Tokens(const Letters& letters, const Dictionary& stop_words, TextOptions options)
    : letters_(letters), stop_words_(stop_words), o_(options) {
  for (Letter c = 0; c < 0x80; ++c)
    if (letters.is(c, Letters::word) && small(c) < 0x80) plain_[c] = static_cast<char>(small(c));
}

void Tokens::read(std::string_view document) {
  text_.clear();
  begins_.clear();
  ends_.clear();
  const TextCursor at{document.data(), document.data() + document.size()};
  if (o_.kind == TextKind::words)
    read_words(at);
  else if (o_.kind == TextKind::mail)
    read_mail(at);
  else
    read_letters(at);
}

// A token was appended from `begin` on. Stop words go again.
void Tokens::end_token(std::size_t begin) {
  if (stop_words_.size() && stop_words_.find(std::string_view(text_).substr(begin)) >= 0) {
    text_.resize(begin ? begin - 1 : 0);
    return;
  }
  begins_.push_back(begin);
  ends_.push_back(text_.size());
}

void Tokens::put(std::string_view token) {
  begin_token();
  const std::size_t begin = text_.size();
  text_.append(token);
  end_token(begin);
}

// The most usual way, so it writes without looking for room: a small letter takes at most half as much again as
// its capital.
void Tokens::read_words(TextCursor at) {
  text_.resize(static_cast<std::size_t>(at.end - at.at) * 3 / 2 + 8);
  char* out = text_.data();
  while (!at.done()) {
    char* const begin = out;
    std::size_t count = 0;
    while (!at.done()) {
      if (const char plain = plain_[at.byte()]) {
        *out++ = plain;
        ++at.at;
      } else {
        if (at.byte() < 0x80) break;
        const TextCursor before = at;
        const Letter c = at.next();
        if (!letters_.is(c, Letters::word)) {
          at = before;
          break;
        }
        out = put_letter(out, small(c));
      }
      ++count;
    }
    const std::string_view token(begin, static_cast<std::size_t>(out - begin));
    if (count >= 2 && !(stop_words_.size() && stop_words_.find(token) >= 0)) {
      begins_.push_back(static_cast<std::size_t>(begin - text_.data()));
      ends_.push_back(static_cast<std::size_t>(out - text_.data()));
      *out++ = ' ';
    } else {
      out = begin;
    }
    if (!at.done()) at.next();
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
  begin_token();
  const std::size_t begin = text_.size();
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
    }
  }
}

void Tokens::read_letters(TextCursor at) {
  const bool inside = o_.kind == TextKind::inside;
  const auto put_letter = [&](Letter c) {
    begins_.push_back(text_.size());
    append_letter(text_, c);
  };
  const auto is_space = [&](Letter c) { return letters_.is(c, Letters::space); };
  bool within = false;  // a word, for `inside`
  while (!at.done()) {
    const Letter c = small(at.next());
    if (inside) {
      if (!is_space(c) && !within) put_letter(' ');
      if (!is_space(c)) put_letter(c);
      if (is_space(c) && within) put_letter(' '), ends_.push_back(begins_.size());
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
  if (within) put_letter(' '), ends_.push_back(begins_.size());
  begins_.push_back(text_.size());
}

}  // namespace widemargin
