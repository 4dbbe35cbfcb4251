#include "feature/text_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "feature/column_set.hpp"

namespace widemargin {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
void append(Buffer<T>& values, T value) {
  values.resize(values.size() + 1);
  values[values.size() - 1] = value;
}

// At least so many counts; new ones are 0.
void widen(Buffer<std::int32_t>& counts, Index size) {
  const Index old = counts.size();
  if (size <= old) return;
  counts.resize(size);
  std::fill_n(counts.data() + old, size - old, 0);
}

// Items by eleven bits of what `key` says of them, those that are equal there as they stood.
template <class Item, class Key>
void deal_out(std::vector<Item>& items, std::vector<Item>& other, int shift, Key key) {
  std::array<std::size_t, 2049> next{};
  const auto digit = [&](const Item& item) { return static_cast<std::size_t>(key(item) >> shift & 2047); };
  other.resize(items.size());
  for (const Item& item : items) ++next[digit(item) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const Item& item : items) other[next[digit(item)]++] = item;
  items.swap(other);
}

// Terms by their bytes: the first eight are dealt out, and few terms have these in common.
std::vector<Index> in_order(const Dictionary& terms, Poll poll) {
  struct Item {
    std::uint64_t head;
    Index id;
  };
  std::vector<Item> items(at(terms.size())), other;
  for (Index id = 0; id < terms.size(); ++id) items[at(id)] = {terms.head(id), id};
  for (int shift = 0; shift < 64; shift += 11)
    deal_out(items, other, shift, [](const Item& item) { return item.head; });
  Index looks = 0;
  const auto before = [&](const Item& a, const Item& b) {
    if ((++looks & 0xffff) == 0) poll();
    return terms.term(a.id) < terms.term(b.id);
  };
  for (auto begin = items.begin(), end = begin; begin != items.end(); begin = end) {
    while (end != items.end() && end->head == begin->head) ++end;
    if (end - begin > 1) std::sort(begin, end, before);
  }
  std::vector<Index> order(items.size());
  std::transform(items.begin(), items.end(), order.begin(), [](const Item& item) { return item.id; });
  return order;
}

// Columns below `width` in order: many are dealt out, from the lowest bits on, few are compared.
void sort_columns(std::vector<Column>& columns, std::vector<Column>& other, Index width) {
  if (columns.size() < 256) return std::sort(columns.begin(), columns.end());
  for (int shift = 0; shift < 31 && (width - 1) >> shift; shift += 11)
    deal_out(columns, other, shift, [](Column c) { return static_cast<std::uint32_t>(c); });
}

// As scikit-learn's hasher: the absolute value of the signed hash.
Index bucket(std::string_view term, Index buckets) {
  const auto h = static_cast<std::uint32_t>(std::abs(Index{static_cast<std::int32_t>(murmur(term, 0))}));
  const auto n = static_cast<std::uint32_t>(buckets);
  return (n & (n - 1)) == 0 ? h & (n - 1) : h % n;
}

}  // namespace

std::uint32_t murmur(std::string_view text, std::uint32_t seed) {
  constexpr std::uint32_t a = 0xcc9e2d51, b = 0x1b873593;
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<std::uint8_t>(text[i])}; };
  const auto scramble = [&](std::uint32_t k) { return std::rotl(k * a, 15) * b; };
  std::uint32_t h = seed;
  std::size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const std::uint32_t k = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
    h = std::rotl(h ^ scramble(k), 13) * 5 + 0xe6546b64;
  }
  std::uint32_t rest = 0;
  for (std::size_t j = text.size(); j > i; --j) rest = rest << 8 | byte(j - 1);
  h ^= scramble(rest);
  h ^= static_cast<std::uint32_t>(text.size());
  h = (h ^ (h >> 16)) * 0x85ebca6b;
  h = (h ^ (h >> 13)) * 0xc2b2ae35;
  return h ^ (h >> 16);
}

TextCounter::TextCounter(std::shared_ptr<const Letters> letters, std::shared_ptr<const Dictionary> stop_words,
                         TextOptions options, TextNumbers numbers, int threads)
    : letters_(std::move(letters)),
      stop_words_(std::move(stop_words)),
      numbers_(std::move(numbers)),
      threads_(std::clamp(threads, 1, 256)) {
  width_ = numbers_.known ? numbers_.known->size() : numbers_.buckets;
  for (int t = 0; t < threads_; ++t) parts_.push_back({Tokens(*letters_, *stop_words_, options), {}, {}, {}, 0});
}

// Counts so many terms at a time that what each of them needs of memory is on its way while the others are looked at.
struct TextCounter::Group {
  static constexpr int most = 32;
  int size = 0;
  Term terms[most];
  std::uint64_t hashes[most];
  Index ids[most];
};

void TextCounter::number(Part& part, Group& g) const {
  if (numbers_.buckets) {
    for (int k = 0; k < g.size; ++k) g.ids[k] = bucket(g.terms[k].text(), numbers_.buckets);
    return;
  }
  const Dictionary& wanted = numbers_.known ? *numbers_.known : part.terms;
  for (int k = 0; k < g.size; ++k) wanted.fetch(g.hashes[k] = Dictionary::hash(g.terms[k]));
  for (int k = 0; k < g.size; ++k)
    g.ids[k] = numbers_.known ? wanted.find(g.terms[k], g.hashes[k]) : part.terms.add(g.terms[k], g.hashes[k]);
}

void TextCounter::count(Part& part, Group& g) const {
  number(part, g);
  Buffer<Column>& row = part.rows.columns;
  Index used = row.size();
  row.reserve(used + g.size);
  if (!many_) {
    for (int k = 0; k < g.size; ++k) {
      row[used] = static_cast<Column>(g.ids[k]);
      used += g.ids[k] >= 0;
    }
    row.resize(used);
    return;
  }
  if (!width_) widen(part.counts, part.terms.size() + 1);
  for (int k = 0; k < g.size; ++k) {
    const Index id = g.ids[k];
    row[used] = static_cast<Column>(id);
    used += part.counts[id + 1]++ == 0 && id >= 0;  // no branch: nobody could guess it
  }
  row.resize(used);
}

void TextCounter::count(Part& part, std::string_view document, Poll poll) const {
  Group g;
  part.tokens.read(document);
  part.tokens.each([&](const Term& term) {
    g.terms[g.size++] = term;
    if (g.size < Group::most) return;
    count(part, g);
    g.size = 0;
    if ((++part.groups & 0x3ff) == 0) poll();
  });
  count(part, g);
  end_row(part);
  if ((++part.groups & 0x3ff) == 0) poll();
}

void TextCounter::end_row(Part& part) const {
  TextRows& rows = part.rows;
  const Index begin = rows.counts.size(), end = rows.columns.size();
  append(rows.ends, end);
  if (!many_) return;
  rows.counts.resize(end);
  for (Index e = begin; e < end; ++e) rows.counts[e] = std::exchange(part.counts[rows.columns[e] + 1], 0);
  part.counts[0] = 0;
}

void TextCounter::feed(Span<const std::string_view> documents, Poll poll) {
  const auto n = static_cast<Index>(documents.size());
  if (stretches_.empty()) {
    Index bytes = 0;
    for (const std::string_view document : documents) bytes += static_cast<Index>(document.size());
    many_ = bytes >= width_;
    if (many_)
      for (Part& part : parts_) widen(part.counts, width_ + 1);
  }
  const Index share = (n + threads_ - 1) / threads_;
  parallel_for(
      threads_, threads_,
      [&](Index t) {
        for (Index i = std::min(n, t * share); i < std::min(n, (t + 1) * share); ++i)
          count(parts_[at(t)], documents[at(i)], poll);
      },
      poll);
  for (Index t = 0; t < threads_; ++t)
    stretches_.push_back({at(t), std::min(n, (t + 1) * share) - std::min(n, t * share)});
}

std::vector<std::string> TextCounter::terms(std::string_view document) {
  std::vector<std::string> found;
  parts_[0].tokens.read(document);
  parts_[0].tokens.each([&](const Term& term) { found.emplace_back(term.text()); });
  return found;
}

// Puts the terms in order. For each part, the column of each of its terms.
std::vector<std::vector<Column>> TextCounter::order_terms(Poll poll) {
  Dictionary& all = parts_[0].terms;
  std::vector<std::vector<Column>> columns(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Dictionary& own = parts_[p].terms;
    columns[p].resize(at(own.size()));
    for (Index id = 0; id < own.size(); ++id) columns[p][at(id)] = static_cast<Column>(p ? all.add(own.term(id)) : id);
  }
  const std::vector<Index> order = in_order(all, poll);
  std::vector<Column> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[at(order[r])] = static_cast<Column>(r);
  for (auto& part : columns)
    for (Column& c : part) c = rank[at(c)];
  all.renumber(order);
  return columns;
}

// All rows in the order of the documents. write(part, columns, counts, size, ...) puts one of them where it is told and
// says its new size; that may be where it came from, or before it.
template <class Write>
TextRows TextCounter::join_rows(Write&& write, Poll poll) {
  TextRows out;
  std::vector<const TextRows*> from;
  Index entries = 0, rows = 0, written = 0;
  for (const Part& part : parts_) {
    from.push_back(&part.rows);
    entries += part.rows.columns.size(), rows += part.rows.ends.size();
  }
  if (rows > 0x7fffffff) fail("at most 2147483647 documents at a time: there are " + std::to_string(rows));
  if (parts_.size() == 1) out = std::move(parts_[0].rows), from[0] = &out;
  out.columns.resize(entries);
  out.counts.resize(entries);
  std::vector<Index> row(parts_.size(), 0), entry(parts_.size(), 0);
  Buffer<Index> ends;
  ends.reserve(rows);
  for (const Stretch& s : stretches_) {
    const TextRows& own = *from[s.part];
    for (Index i = 0; i < s.rows; ++i) {
      const Index end = own.ends[row[s.part]++], begin = std::exchange(entry[s.part], end);
      written += write(s.part, own.columns.data() + begin, own.counts.data() + begin, end - begin,
                       out.columns.data() + written, out.counts.data() + written);
      append(ends, written);
    }
    poll();
  }
  out.columns.resize(written);
  out.counts.resize(written);
  out.ends = std::move(ends);
  return out;
}

// Rows of columns as they came: sorted, and equal ones added up.
TextRows TextCounter::sorted_rows(Poll poll) {
  std::vector<Column> row, other;
  const auto write = [&](std::size_t, const Column* columns, const std::int64_t*, Index size, Column* to,
                         std::int64_t* counts) {
    row.assign(columns, columns + size);
    sort_columns(row, other, width_);
    Index written = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i && row[i] == row[i - 1]) {
        ++counts[written - 1];
        continue;
      }
      to[written] = row[i];
      counts[written++] = 1;
    }
    return written;
  };
  return join_rows(write, poll);
}

// Rows of terms, each once.
TextRows TextCounter::ordered_rows(const std::vector<std::vector<Column>>& columns, Index width, Poll poll) {
  ColumnSet set(width);
  std::vector<std::int32_t> count(at(width));
  const auto write = [&](std::size_t p, const Column* ids, const std::int64_t* from, Index size, Column* to,
                         std::int64_t* counts) {
    for (Index e = 0; e < size; ++e) {
      const Column c = columns.empty() ? ids[e] : columns[p][at(ids[e])];
      count[at(c)] = static_cast<std::int32_t>(from[e]);
      set.insert(c);
    }
    set.empty([&](Column c) {
      *to++ = c;
      *counts++ = count[at(c)];
    });
    return size;
  };
  return join_rows(write, poll);
}

TextRows TextCounter::take(Dictionary& terms, Poll poll) {
  if (width_) return many_ ? ordered_rows({}, width_, poll) : sorted_rows(poll);
  const std::vector<std::vector<Column>> columns = order_terms(poll);
  terms = std::move(parts_[0].terms);
  return ordered_rows(columns, terms.size(), poll);
}

}  // namespace widemargin
