// How often each term stands in each document: sparse rows, and the dictionary that they made or were made by.
//
// Method  Documents are dealt out to parts, each with a dictionary of its own; at the end all terms are put in order
//         (that of their bytes, so of their letters): neither threads nor the order of documents shows.
//         Many terms: each has a count, 0 between documents, and a row is the terms whose count left 0; a set of bits
//         puts them in order. Few terms: rows are sorted, and equal ones added up.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "feature/tokens.hpp"

namespace widemargin {

struct TextRows {
  Buffer<Column> columns;
  Buffer<std::int64_t> counts;
  Buffer<Index> ends;  // of each row
};

// What terms become: numbers of a dictionary that grows, of one that is given, or of hash values.
struct TextNumbers {
  std::shared_ptr<const Dictionary> known;  // null: the dictionary grows
  Index buckets = 0;                        // > 0: hash values below it, and no dictionary
};

class TextCounter {
 public:
  TextCounter(std::shared_ptr<const Letters> letters, std::shared_ptr<const Dictionary> stop_words, TextOptions options,
              TextNumbers numbers, int threads);

  TextCounter(TextCounter&&) = default;  // and no copies

  // Appends a row for each document.
  void feed(Span<const std::string_view> documents, Poll poll = never);

  // The terms of one document, as they stand there.
  std::vector<std::string> terms(std::string_view document);

  // All rows, columns rising, and the terms in order (none where they were given or hashed). Ends the counting.
  TextRows take(Dictionary& terms, Poll poll = never);

 private:
  struct Part {
    Tokens tokens;
    Dictionary terms;
    Buffer<std::int32_t> counts;  // of each term in the document in hand, behind one for all terms that do not count
    TextRows rows;                // not in order yet
    Index groups;                 // of terms, so far: from time to time somebody must listen for Ctrl-C
  };
  struct Group;
  struct Stretch {
    std::size_t part;
    Index rows;
  };

  void number(Part& part, Group& group) const;
  void count(Part& part, Group& group) const;
  void count(Part& part, std::string_view document, Poll poll) const;
  void end_row(Part& part) const;
  std::vector<std::vector<Column>> order_terms(Poll poll);
  template <class Write>
  TextRows join_rows(Write&& write, Poll poll);
  TextRows sorted_rows(Poll poll);
  TextRows ordered_rows(const std::vector<std::vector<Column>>& columns, Index width, Poll poll);

  std::shared_ptr<const Letters> letters_;
  std::shared_ptr<const Dictionary> stop_words_;
  TextNumbers numbers_;
  int threads_;
  Index width_ = 0;    // columns, where they are known beforehand
  bool many_ = false;  // terms, compared with columns
  std::vector<Part> parts_;
  std::vector<Stretch> stretches_;  // in the order of the documents
};

// Appleby's MurmurHash3 for 32 bits, the hash that scikit-learn's HashingVectorizer takes.
std::uint32_t murmur(std::string_view text, std::uint32_t seed);

}  // namespace widemargin
