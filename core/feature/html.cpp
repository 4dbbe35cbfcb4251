#include "feature/html.hpp"

#include <algorithm>
#include <array>

namespace widemargin {
namespace {

constexpr auto none = std::string_view::npos;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool is_letter(char c) { return small(c) >= 'a' && small(c) <= 'z'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether `text` begins with these small letters.
bool begins(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char w, char c) { return w == small(c); });
}

std::string name_of(std::string_view tag) {
  std::string name;
  for (const char c : tag.substr(tag.starts_with('/') ? 1 : 0)) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) break;
    name += small(c);
  }
  return name;
}

bool shapes_letters(std::string_view name) {
  static constexpr std::array<std::string_view, 20> names{"a",    "abbr",   "acronym", "b",   "big",  "code", "em",
                                                          "font", "i",      "ins",     "kbd", "mark", "s",    "small",
                                                          "span", "strike", "strong",  "sub", "sup",  "u"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Addresses among the attributes of a tag.
void append_addresses(std::string& out, std::string_view tag) {
  for (std::size_t at = 0; (at = tag.find('=', at)) != none; ++at) {
    std::size_t end = at;
    while (end && is_space(tag[end - 1])) --end;
    std::size_t begin = end;
    while (begin && is_letter(tag[begin - 1])) --begin;
    const std::string_view name = tag.substr(begin, std::min<std::size_t>(end - begin, 7));
    std::size_t from = at + 1;
    while (from < tag.size() && is_space(tag[from])) ++from;
    const char quote = from < tag.size() && (tag[from] == '"' || tag[from] == '\'') ? tag[from++] : ' ';
    std::size_t to = from;
    while (to < tag.size() && (quote == ' ' ? !is_space(tag[to]) : tag[to] != quote)) ++to;
    if (name.size() == end - begin && (begins(name, "href") || begins(name, "src") || begins(name, "action")))
      out.append(" ").append(tag.substr(from, to - from)).append(" ");
    at = std::max(at, std::min(to, tag.size() - 1));
  }
}

// Where the text behind </name> begins, or the end.
std::size_t behind(std::string_view html, std::size_t at, const std::string& name) {
  for (; (at = html.find("</", at)) != none; at += 2)
    if (begins(html.substr(at + 2), name)) {
      const std::size_t end = html.find('>', at);
      return end == none ? html.size() : end + 1;
    }
  return html.size();
}

}  // namespace

std::string html_text(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  std::size_t at = 0;
  while (at < html.size()) {
    const std::size_t open = std::min(html.find('<', at), html.size());
    out.append(html.substr(at, open - at));
    if (open + 1 >= html.size()) {
      out.append(html.substr(open));
      break;
    }
    const char first = html[open + 1];
    if (!is_letter(first) && first != '/' && first != '!' && first != '?') {
      out += '<';
      at = open + 1;
      continue;
    }
    const bool comment = html.substr(open).starts_with("<!--");
    const std::size_t end = comment ? html.find("-->", open + 4) : html.find('>', open);
    if (end == none) {  // a comment that does not end hides the rest; a tag that does not end is none
      if (!comment) out.append(html.substr(open));
      break;
    }
    at = end + (comment ? 3 : 1);
    if (comment) continue;
    const std::string_view tag = html.substr(open + 1, end - open - 1);
    const std::string name = name_of(tag);
    if (!shapes_letters(name)) out += ' ';
    append_addresses(out, tag);
    if (name == "script" || name == "style") at = first == '/' ? at : behind(html, at, name);
  }
  return out;
}

}  // namespace widemargin
