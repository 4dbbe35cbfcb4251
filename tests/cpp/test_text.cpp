#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "feature/column_set.hpp"
#include "feature/html.hpp"
#include "feature/text_counts.hpp"
#include "feature/word_marks.hpp"
#include "levels.hpp"

using namespace widemargin;

namespace {

std::shared_ptr<const Letters> ascii() {
  auto made = std::make_shared<Letters>();
  made->small.resize(letters_end);
  made->kind.resize(letters_end);
  for (Letter c = 0; c < letters_end; ++c) {
    made->small[c] = c >= 'A' && c <= 'Z' ? c + 32 : c == 0x23a ? 0x2c65 : c;  // two bytes become three
    const bool letter = (made->small[c] >= 'a' && made->small[c] <= 'z') || c == '_' || c >= 0x100;
    const bool digit = c >= '0' && c <= '9';
    made->kind[c] = static_cast<std::uint8_t>((letter || digit ? 1 : 0) | (c == ' ' || c == '\n' ? 2 : 0) |
                                              (digit ? 4 : 0) | (made->small[c] != c ? 8 : 0));
  }
  return made;
}

TextCounter counter(TextKind kind, Index low, Index high, TextNumbers numbers = {}, int threads = 1) {
  static const auto letters = ascii();
  return TextCounter(letters, std::make_shared<Dictionary>(), {kind, true, low, high}, numbers, threads);
}

// Views of texts in allocations of exactly their size, so that the sanitizer sees every byte read too far.
struct Exact {
  std::vector<std::unique_ptr<char[]>> held;
  std::vector<std::string_view> views;
  void add(const std::string& text) {
    held.push_back(std::make_unique<char[]>(text.size()));
    std::memcpy(held.back().get(), text.data(), text.size());
    views.emplace_back(held.back().get(), text.size());
  }
};

}  // namespace

TEST(terms_have_the_order_of_their_bytes) {
  Exact texts;
  texts.add("bb Aa bb c zz");
  texts.add("");
  texts.add("aa");
  for (int threads : {1, 2, 7}) {
    TextCounter count = counter(TextKind::words, 1, 1, {}, threads);
    count.feed(texts.views);
    Dictionary terms;
    const TextRows rows = count.take(terms);
    CHECK(terms.size() == 3 && terms.term(0) == "aa" && terms.term(1) == "bb" && terms.term(2) == "zz");
    CHECK(terms.find("zz") == 2 && terms.find("c") == -1);
    CHECK(rows.ends.size() == 3 && rows.ends[0] == 3 && rows.ends[1] == 3 && rows.ends[2] == 4);
    CHECK(rows.columns[0] == 0 && rows.columns[1] == 1 && rows.counts[1] == 2 && rows.columns[3] == 0);
  }
}

TEST(a_dictionary_finds_what_was_added) {
  Dictionary d;
  for (Index i = 0; i < 5000; ++i) CHECK(d.add("term number " + std::to_string(i * i)) == i);
  for (Index i = 0; i < 5000; ++i) {
    CHECK(d.find("term number " + std::to_string(i * i)) == i);
    CHECK(d.add("term number " + std::to_string(i * i)) == i);
    CHECK(d.find(std::to_string(i)) == -1);
  }
  for (Index i = 0; i < 5000; ++i) {  // so many of one length and with the same ends that some meet in the table
    const std::string text = "first 8 bytes" + std::to_string(10000 + i) + "the last 8 bytes";
    CHECK(d.find(text) == -1 && d.add(text) == 5000 + i && d.find(text) == 5000 + i);
  }
  for (const char* text : {"", "a", "ab", "abc", "abcd", "abcdefgh", "abcdefghi"}) {
    const Index id = d.add(text);
    CHECK(d.find(text) == id && d.term(id) == text);
  }
}

TEST(a_dictionary_in_another_order_finds_the_same_terms) {
  Dictionary d;
  std::vector<std::string> texts;
  std::vector<Index> order;
  for (Index i = 0; i < 3000; ++i) {
    texts.push_back(std::string(static_cast<std::size_t>(i % 23), 'x') + std::to_string(i));  // of any length
    CHECK(d.add(texts.back()) == i);
    order.push_back((i * 7 + 5) % 3000);
  }
  d.renumber(order);
  for (Index i = 0; i < 3000; ++i) {
    const std::string& text = texts[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    CHECK(d.term(i) == text && d.find(text) == i);
  }
  CHECK(d.size() == 3000 && d.find("y") == -1 && d.add("y") == 3000 && d.find("y") == 3000);
}

TEST(words_of_ascii_are_marked_at_every_level) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    std::string text;
    const std::uint64_t length = philox({i, 8, 0, 0}, 7, 0)[0] % 300, kind = i % 3;
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::uint64_t draw = philox({i, 9, k, 0}, 7, 0)[0];
      const auto byte = static_cast<std::uint8_t>(draw >> 8);  // any; ASCII; letters and a few others
      text += static_cast<char>(kind == 0 ? byte : kind == 1 ? byte & 127 : "aZz_09 Ab.@`{/:["[byte % 16]);
    }
    Exact exact;
    exact.add(text);
    const auto of_word = [&](std::size_t at) {
      const char c = at < text.size() ? text[at] : ' ';
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::vector<std::size_t> wanted;
    std::string small = text;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const bool last = at >= 1 && of_word(at - 1), last_but_one = at >= 2 && of_word(at - 2);
      if (last && of_word(at) != last_but_one) wanted.push_back(at);
      if (at < text.size() && text[at] >= 'A' && text[at] <= 'Z') small[at] = static_cast<char>(text[at] + 32);
    }
    at_every_level([&] {
      for (const bool make_small : {true, false}) {
        const auto size = static_cast<Index>(text.size());
        std::string copy(static_cast<std::size_t>(room_for_copy(size)), '?');
        std::vector<std::size_t> edges(static_cast<std::size_t>(most_edges(size)));
        const WordMarks marks = mark_words(exact.views[0].data(), size, make_small, copy.data(), edges.data());
        edges.resize(static_cast<std::size_t>(marks.count));
        CHECK(edges == wanted && copy.substr(0, text.size()) == (make_small ? small : text));
        CHECK(marks.ascii == std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; }));
      }
    });
  }
}

TEST(most_edges_are_not_too_few) {
  for (Index size = 1; size < 400; ++size) {
    std::string text;
    while (static_cast<Index>(text.size()) < size) text += "ab ";
    text.resize(static_cast<std::size_t>(size));
    std::string copy(static_cast<std::size_t>(room_for_copy(size)), '?');
    std::vector<std::size_t> edges(static_cast<std::size_t>(2 * most_edges(size)));
    CHECK(mark_words(text.data(), size, true, copy.data(), edges.data()).count <= most_edges(size));
  }
}

TEST(a_set_of_columns_gives_them_in_order) {
  for (const Index width : {1, 64, 65, 5000, 300000, 20000000}) {
    ColumnSet set(width);
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::vector<Column> wanted, found;
      for (std::uint64_t k = 0; k < 200; ++k)
        wanted.push_back(static_cast<Column>(philox({round, 10, k, 0}, 7, 0)[0] % static_cast<std::uint64_t>(width)));
      wanted.push_back(static_cast<Column>(width - 1));
      for (const Column c : wanted) set.insert(c);
      std::sort(wanted.begin(), wanted.end());
      wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
      set.empty([&](Column c) { found.push_back(c); });
      CHECK(found == wanted);
    }
  }
}

TEST(any_bytes_are_read) {
  for (const TextKind kind : {TextKind::words, TextKind::mail, TextKind::letters, TextKind::inside}) {
    TextCounter count = counter(kind, 1, 3);
    Exact texts;
    for (std::uint64_t i = 0; i < 300; ++i) {
      std::string text;
      const std::string_view parts[] = {"\xc8\xba", "http://w", "www.", "1,2",      "!", "don't",
                                        " ",        "A",        "\xff", "\xf0\x9f", "$"};
      const std::uint64_t length = philox({i, 1, 0, 0}, 7, 0)[0] % 30;
      for (std::uint64_t k = 0; k < length; ++k) {
        const std::uint64_t draw = philox({i, 2, k, 0}, 7, 0)[0];
        if (draw % 3 == 0)
          text += static_cast<char>(draw >> 8);
        else
          text += parts[(draw >> 8) % 11];
      }
      texts.add(text);
    }
    count.feed(texts.views);
    Dictionary terms;
    const TextRows rows = count.take(terms);
    CHECK(rows.ends.size() == 300);
    for (Index e = 0; e < rows.columns.size(); ++e) CHECK(rows.columns[e] < terms.size());
  }
}

TEST(murmur_is_appleby_s) {
  CHECK(murmur("", 0) == 0 && murmur("", 1) == 0x514e28b7u && murmur("test", 0) == 0xba6bd213u);
  CHECK(murmur("Hello, world!", 0) == 0xc0363e43u);
}

TEST(many_and_few_terms_give_the_same_rows) {
  Exact texts;
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string text;
    const std::uint64_t length = philox({i, 3, 0, 0}, 7, 0)[0] % 40;
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::uint64_t draw = philox({i, 4, k, 0}, 7, 0)[0];
      text += std::string(1 + draw % 12, static_cast<char>('a' + (draw >> 8) % 5)) + (draw >> 16 & 1 ? " " : "_x ");
    }
    texts.add(text);
  }
  TextCounter many = counter(TextKind::words, 1, 2, {nullptr, 64});          // fewer columns than bytes
  TextCounter few = counter(TextKind::words, 1, 2, {nullptr, 64 * 100003});  // the other way round
  many.feed(texts.views);
  few.feed(texts.views);
  Dictionary none;
  const TextRows a = many.take(none), b = few.take(none);
  CHECK(none.size() == 0 && a.ends.size() == 200 && b.ends.size() == 200);
  for (Index row = 0, first = 0, other = 0; row < 200; first = a.ends[row], other = b.ends[row], ++row) {
    std::vector<Index> sums(64), hashed(64);
    for (Index e = first; e < a.ends[row]; ++e) {
      CHECK(e == first || a.columns[e] > a.columns[e - 1]);
      sums[static_cast<std::size_t>(a.columns[e])] += a.counts[e];
    }
    for (Index e = other; e < b.ends[row]; ++e) {
      CHECK(e == other || b.columns[e] > b.columns[e - 1]);
      hashed[static_cast<std::size_t>(b.columns[e] % 64)] += b.counts[e];
    }
    CHECK(sums == hashed);
  }
}

TEST(fields_name_the_words_of_mails) {
  TextCounter count = counter(TextKind::mail, 1, 1);
  CHECK((count.terms("\x1esubject:\x1f"
                     "Buy 5!\x1e\x1fnow ok") ==
         std::vector<std::string>{"subject:buy", "subject:5", "subject:#1", "subject:!", "now", "ok"}));
  CHECK((count.terms("new text") == std::vector<std::string>{"new", "text"}));
}

TEST(any_html_is_read) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    std::string html;
    const std::string_view parts[] = {"<",  ">",      "<!--",    "-->", "<a href=", "\"", "'",
                                      "</", "script", "<style>", "=",   " ",        "x"};
    const std::uint64_t length = philox({i, 5, 0, 0}, 7, 0)[0] % 20;
    for (std::uint64_t k = 0; k < length; ++k) html += parts[philox({i, 6, k, 0}, 7, 0)[0] % 13];
    Exact exact;
    exact.add(html);
    CHECK(html_text(exact.views[0]).size() <= 3 * html.size());
  }
  CHECK(html_text("a<b>b</b><p>c") == "ab c");
}
