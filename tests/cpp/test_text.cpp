#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "check.hpp"
#include "feature/text_counts.hpp"

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
    std::vector<std::string_view> terms;
    const TextRows rows = count.take(terms);
    CHECK((terms == std::vector<std::string_view>{"aa", "bb", "zz"}));
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
  for (const char* text : {"", "a", "ab", "abc", "abcd", "abcdefgh", "abcdefghi"}) {
    const Index id = d.add(text);
    CHECK(d.find(text) == id && d.term(id) == text);
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
    std::vector<std::string_view> terms;
    const TextRows rows = count.take(terms);
    CHECK(rows.ends.size() == 300);
    for (Index e = 0; e < rows.columns.size(); ++e) CHECK(rows.columns[e] < static_cast<Index>(terms.size()));
  }
}

TEST(murmur_is_appleby_s) {
  CHECK(murmur("", 0) == 0 && murmur("", 1) == 0x514e28b7u && murmur("test", 0) == 0xba6bd213u);
  CHECK(murmur("Hello, world!", 0) == 0xc0363e43u);
}
