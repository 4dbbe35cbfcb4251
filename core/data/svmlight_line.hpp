// The lines of one block of svmlight text, one after the other, into the places reserved for them.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "data/decimal.hpp"
#include "data/svmlight.hpp"

namespace widemargin {

struct BlockCount {
  Index rows = 0, entries = 0, labels = 0;
  BlockCount& operator+=(const BlockCount& o) {
    rows += o.rows, entries += o.entries, labels += o.labels;
    return *this;
  }
  bool operator==(const BlockCount&) const = default;
};

template <class T>
class SvmlightLines {
 public:
  SvmlightLines(const SvmlightOptions& options, SvmlightRows<T>& rows, BlockCount start, Index lines_before)
      : options_(options),
        rows_(rows),
        start_(start),
        at_(start),
        line_(lines_before),
        first_(options.first_index == FirstIndex::zero ? 0 : 1) {}

  // [p, end) ends with a newline, and decimal::overread bytes behind it may be read.
  void read(const char* p, const char* end) {
    while (p < end) {
      ++line_;
      p = blanks(p);
      if (!ends_line(*p)) p = row(p);
      if (*p == '#') p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      ++p;
    }
  }

  BlockCount found() const {
    return {at_.rows - start_.rows, at_.entries - start_.entries, at_.labels - start_.labels};
  }

  Column bottom = 0x7fffffff, top = -1;
  Index top_line = 0;

 private:
  static constexpr Index largest_index = 0x7ffffffe;

  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
  static bool ends_line(char c) { return c == '\n' || c == '#'; }
  static bool ends_token(char c) { return is_blank(c) || ends_line(c); }
  static const char* blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
  }

  static char byte(std::uint64_t loaded, int bit) { return static_cast<char>(((loaded >> bit) & 0xff) ^ 0x30); }

  const char* row(const char* p) {
    p = options_.multilabel ? many_labels(p) : one_label(p);
    p = query(blanks(p));
    const Index begin = at_.entries;
    p = entries(p);
    if (unsorted_) sort(begin);
    if (at_.entries > begin) {
      note(rows_.columns[begin], rows_.columns[at_.entries - 1]);
    }
    rows_.row_ends[at_.rows] = at_.entries;
    if (options_.multilabel) rows_.label_ends[at_.rows] = at_.labels;
    ++at_.rows;
    return p;
  }

  const char* one_label(const char* p) {
    double y = 0;
    const char* end = decimal::number(p, y);
    if (!end || !ends_token(*end)) bad_label(p);
    rows_.labels[at_.labels++] = y;
    return end;
  }

  // A line without labels is allowed here: it starts with index:value.
  const char* many_labels(const char* p) {
    const char* colon = p;
    while (!ends_token(*colon) && *colon != ':') ++colon;
    if (*colon == ':') return p;
    for (const char* start = p;; ++p) {
      double y = 0;
      p = decimal::number(p, y);
      if (!p || (*p != ',' && !ends_token(*p))) bad_label(start);
      rows_.labels[at_.labels++] = y;
      if (*p != ',') return p;
    }
  }

  [[noreturn]] void bad_label(const char* p) {
    const std::string label = token(p);
    if (label.find(':') != std::string::npos) fault("there is no label before " + label);
    if (!options_.multilabel && label.find(',') != std::string::npos)
      fault("there are several labels, " + label + ": pass multilabel=True");
    fault("the label " + label + " is not a number");
  }

  const char* query(const char* p) {
    if (std::memcmp(p, "qid:", 4) != 0) {
      if (options_.query_id) fault("there is no qid after the label, and query_id=True asks for one");
      return p;
    }
    const char *digit = p + 4 + (p[4] == '-'), *end = digit;
    std::uint64_t q = 0;
    end = decimal::digits(digit, q);
    if (end == digit || end - digit > 18 || !ends_token(*end))
      fault("the query number in " + token(p) + " is not an integer of at most 18 digits");
    if (options_.query_id) rows_.queries[at_.rows] = p[4] == '-' ? -static_cast<Index>(q) : static_cast<Index>(q);
    return end;
  }

  // Most entries are short: index:integer and what follows in one word of eight bytes. The index goes to the lower and
  // the value to the upper half of a word, and both are turned from digits into numbers at once.
  const char* entries(const char* p) {
    T* values = rows_.values.data();
    Column* columns = rows_.columns.data();
    Index k = at_.entries;
    Column last = -2;
    unsorted_ = false;
    for (;;) {
      const std::uint64_t v = decimal::load(p), other = decimal::non_digits(v), rest = other & (other - 1);
      const int colon = std::countr_zero(other) & ~7, stop = std::countr_zero(rest) & ~7;  // in bits; 64 if none
      const int width = stop - colon - 8;
      bool last_of_line = false;
      if (static_cast<unsigned>(colon - 8) <= 24 && static_cast<unsigned>(width - 8) <= 24 && stop < 64 &&
          byte(v, colon) == ':' && (byte(v, stop) == ' ' || byte(v, stop) == '\n')) {
        std::uint64_t both = ((v << (32 - colon)) & 0xffffffffu) | (((v >> (colon + 8)) << (32 - width)) << 32);
        both = (both * 10 + (both >> 8)) & 0x00ff00ff00ff00ffu;
        both = both * 100 + (both >> 16);
        columns[k] = static_cast<Column>(both & 0xffff) - first_;
        values[k] = static_cast<T>(static_cast<std::int32_t>((both >> 32) & 0xffff));
        last_of_line = byte(v, stop) == '\n';
        p += stop >> 3;
      } else {
        p = blanks(p);
        if (ends_line(*p)) break;
        Column column = 0;
        double x = 0;
        p = entry(p, column, x);
        columns[k] = column;
        values[k] = static_cast<T>(x);
        last_of_line = ends_line(*p);
      }
      unsorted_ |= columns[k] <= last;
      last = columns[k++];
      if (last_of_line) break;
      ++p;
    }
    at_.entries = k;
    return p;
  }

  const char* entry(const char* p, Column& column, double& x) {
    std::uint64_t index = 0;
    const char* colon = decimal::digits(p, index);
    if (*colon != ':' || colon == p) fault(token(p) + " is not of the form index:value");
    if (colon - p > 18 || static_cast<Index>(index) > largest_index)
      fault("the index in " + token(p) + " is larger than " + std::to_string(largest_index));
    const char* end = decimal::number(colon + 1, x);
    if (!end || !ends_token(*end)) fault("the value in " + token(p) + " is not a number");
    column = static_cast<Column>(static_cast<Index>(index) - first_);
    return end;
  }

  void sort(Index begin) {
    order_.clear();
    for (Index k = begin; k < at_.entries; ++k) order_.emplace_back(rows_.columns[k], rows_.values[k]);
    std::sort(order_.begin(), order_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i > 0 && order_[i].first == order_[i - 1].first)
        fault("the index " + std::to_string(static_cast<Index>(order_[i].first) + first_) + " occurs more than once");
      rows_.columns[begin + static_cast<Index>(i)] = order_[i].first;
      rows_.values[begin + static_cast<Index>(i)] = order_[i].second;
    }
  }

  void note(Column lowest, Column highest) {
    if (lowest < 0 && options_.first_index == FirstIndex::one)
      fault("there is an index 0, but zero_based=False says that indices start at 1: pass zero_based=True");
    bottom = std::min(bottom, lowest);
    if (highest > top) top = highest, top_line = line_;
  }

  [[noreturn]] void fault(std::string what) const { throw SvmlightFault{line_, std::move(what)}; }

  // The token at p as a message may show it.
  static std::string token(const char* p) {
    constexpr char hex[] = "0123456789abcdef";
    std::string shown = "'";
    for (int length = 0; !ends_token(*p); ++p) {
      if (++length > 40) return shown + "...'";
      const auto c = static_cast<unsigned char>(*p);
      if (c >= 0x20 && c < 0x7f)
        shown += *p;
      else
        (shown += "\\x").append({hex[c >> 4], hex[c & 15]});
    }
    return shown + "'";
  }

  const SvmlightOptions& options_;
  SvmlightRows<T>& rows_;
  BlockCount start_, at_;
  Index line_;
  Column first_;
  bool unsorted_ = false;
  std::vector<std::pair<Column, T>> order_;
};

}  // namespace widemargin
