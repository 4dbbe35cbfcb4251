// How often each term stands in each document: sparse rows, and the dictionary that they made or were made by.
//
// Method  Documents are dealt out to parts, each with a dictionary of its own; at the end all terms are put in order
//         (that of their bytes, so of their letters): neither threads nor the order of documents shows.
//         Many terms: a term finds its place in the row that is being made by one look, `place` says where it last
//         went; rows come into order by way of their columns. Few terms: rows are sorted, and equal ones added up.
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
  Buffer<std::int32_t> counts;
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

  // All rows, columns rising, and the terms in order (none where they were given or hashed), which live as long as the
  // counter. Ends the counting.
  TextRows take(std::vector<std::string_view>& terms, Poll poll = never);

 private:
  struct Entry {
    Column column;
    std::int32_t count;
  };
  struct Part {
    Tokens tokens;
    Dictionary terms;
    Buffer<Entry> entries;
    Buffer<Index> ends;
    Buffer<Index> place;
    Index groups;  // of terms, so far: from time to time somebody must listen for Ctrl-C
  };
  struct Group;
  struct Stretch {
    std::size_t part;
    Index rows;
  };

  void number(Part& part, Group& group) const;
  void count(Part& part, Group& group, Index begin) const;
  void count(Part& part, std::string_view document, Poll poll) const;
  std::vector<std::vector<Column>> order_terms(std::vector<Index>& order, Poll poll);
  template <class Take>
  void each_row(Take&& take, Poll poll) const;
  void sort_rows(TextRows& out, Poll poll) const;
  void turn_rows(TextRows& out, const std::vector<std::vector<Column>>& columns, Index width, Poll poll) const;

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
