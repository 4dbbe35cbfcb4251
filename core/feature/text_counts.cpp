#include "feature/text_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
void append(Buffer<T>& values, T value) {
  values.resize(values.size() + 1);
  values[values.size() - 1] = value;
}

std::vector<Index> in_order(const Dictionary& terms, Poll poll) {
  struct Item {
    std::uint64_t head;
    Index id;
  };
  std::vector<Item> items(at(terms.size()));
  for (Index id = 0; id < terms.size(); ++id) items[at(id)] = {head_of(terms.term(id)), id};
  Index looks = 0;
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if ((++looks & 0xffff) == 0) poll();
    return a.head != b.head ? a.head < b.head : terms.term(a.id) < terms.term(b.id);
  });
  std::vector<Index> order(items.size());
  std::transform(items.begin(), items.end(), order.begin(), [](const Item& item) { return item.id; });
  return order;
}

// Columns below `width` in order: many are dealt out by eleven bits at a time, from the lowest, few are compared.
void sort_columns(std::vector<Column>& columns, std::vector<Column>& other, Index width) {
  constexpr int bits = 11;
  if (columns.size() < 256) return std::sort(columns.begin(), columns.end());
  other.resize(columns.size());
  for (int shift = 0; shift < 31 && (width - 1) >> shift; shift += bits) {
    std::array<std::size_t, (1 << bits) + 1> next{};
    const auto digit = [shift](Column c) { return at(c >> shift & ((1 << bits) - 1)); };
    for (const Column c : columns) ++next[digit(c) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const Column c : columns) other[next[digit(c)]++] = c;
    columns.swap(other);
  }
}

// As scikit-learn's hasher: the absolute value of the signed hash.
Index bucket(std::string_view term, Index buckets) {
  const auto h = static_cast<std::int32_t>(murmur(term, 0));
  return std::abs(Index{h}) % buckets;
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
  for (int t = 0; t < threads_; ++t) parts_.push_back({Tokens(*letters_, *stop_words_, options), {}, {}, {}, {}, 0});
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

void TextCounter::count(Part& part, Group& g, Index begin) const {
  number(part, g);
  Buffer<Entry>& entries = part.entries;
  Index used = entries.size();
  entries.reserve(used + g.size);
  if (!many_) {
    for (int k = 0; k < g.size; ++k)
      if (g.ids[k] >= 0) entries[used++] = {static_cast<Column>(g.ids[k]), 1};
    entries.resize(used);
    return;
  }
  if (!width_)
    while (part.place.size() < part.terms.size()) append(part.place, Index{-1});
  for (int k = 0; k < g.size; ++k) __builtin_prefetch(part.place.data() + std::max(g.ids[k], Index{0}));
  for (int k = 0; k < g.size; ++k) {
    if (g.ids[k] < 0) continue;
    Index& last = part.place[g.ids[k]];
    const bool again = last >= begin;  // no branch: nobody could guess it
    last = again ? last : used;
    entries[last] = {static_cast<Column>(g.ids[k]), (again ? entries[last].count : 0) + 1};
    used += !again;
  }
  entries.resize(used);
}

void TextCounter::count(Part& part, std::string_view document, Poll poll) const {
  const Index begin = part.entries.size();
  Group g;
  part.tokens.read(document);
  part.tokens.each([&](const Term& term) {
    g.terms[g.size++] = term;
    if (g.size < Group::most) return;
    count(part, g, begin);
    g.size = 0;
    if ((++part.groups & 0x3ff) == 0) poll();
  });
  count(part, g, begin);
  append(part.ends, part.entries.size());
  if ((++part.groups & 0x3ff) == 0) poll();
}

void TextCounter::feed(Span<const std::string_view> documents, Poll poll) {
  const auto n = static_cast<Index>(documents.size());
  if (stretches_.empty()) {
    Index bytes = 0;
    for (const std::string_view document : documents) bytes += static_cast<Index>(document.size());
    many_ = bytes >= width_;
    for (Part& part : parts_) {
      part.place.resize(many_ ? width_ : 0);
      std::fill_n(part.place.data(), part.place.size(), Index{-1});
    }
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

// For each part, the column of each of its terms.
std::vector<std::vector<Column>> TextCounter::order_terms(std::vector<Index>& order, Poll poll) {
  Dictionary& all = parts_[0].terms;
  std::vector<std::vector<Column>> columns(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Dictionary& own = parts_[p].terms;
    columns[p].resize(at(own.size()));
    for (Index id = 0; id < own.size(); ++id) columns[p][at(id)] = static_cast<Column>(p ? all.add(own.term(id)) : id);
  }
  order = in_order(all, poll);
  std::vector<Column> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[at(order[r])] = static_cast<Column>(r);
  for (auto& part : columns)
    for (Column& c : part) c = rank[at(c)];
  return columns;
}

// take(part, first entry, end) for every row, in the order of the documents.
template <class Take>
void TextCounter::each_row(Take&& take, Poll poll) const {
  std::vector<Index> row(parts_.size(), 0), entry(parts_.size(), 0);
  for (const Stretch& s : stretches_) {
    for (Index i = 0; i < s.rows; ++i) {
      const Index end = parts_[s.part].ends[row[s.part]++];
      take(s.part, std::exchange(entry[s.part], end), end);
    }
    poll();
  }
}

void TextCounter::sort_rows(TextRows& out, Poll poll) const {
  std::vector<Column> columns, other;
  Index written = 0;
  each_row(
      [&](std::size_t p, Index begin, Index end) {
        columns.clear();
        for (Index e = begin; e < end; ++e) columns.push_back(parts_[p].entries[e].column);
        sort_columns(columns, other, width_);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          if (i && columns[i] == columns[i - 1]) {
            ++out.counts[written - 1];
            continue;
          }
          out.columns[written] = columns[i];
          out.counts[written++] = 1;
        }
        append(out.ends, written);
      },
      poll);
  out.columns.resize(written);
  out.counts.resize(written);
}

// Rows to columns and back again: whoever goes through the columns in order fills all rows in order.
void TextCounter::turn_rows(TextRows& out, const std::vector<std::vector<Column>>& columns, Index width,
                            Poll poll) const {
  struct Item {
    std::int32_t row, count;
  };
  const auto column = [&](std::size_t p, Index e) {
    const Column id = parts_[p].entries[e].column;
    return columns.empty() ? id : columns[p][at(id)];
  };
  std::vector<Index> next(at(width) + 1, 0), begins;
  Index entries = 0, row = 0;
  each_row(
      [&](std::size_t p, Index begin, Index end) {
        for (Index e = begin; e < end; ++e) ++next[at(column(p, e)) + 1];
        begins.push_back(entries);
        append(out.ends, entries += end - begin);
      },
      poll);
  std::partial_sum(next.begin(), next.end(), next.begin());
  Buffer<Item> items;
  items.resize(entries);
  each_row(
      [&](std::size_t p, Index begin, Index end) {
        for (Index e = begin; e < end; ++e)
          items[next[at(column(p, e))]++] = {static_cast<std::int32_t>(row), parts_[p].entries[e].count};
        ++row;
      },
      poll);
  for (Index c = 0, i = 0; c < width; ++c)
    for (; i < next[at(c)]; ++i) {
      const Index to = begins[at(items[i].row)]++;
      out.columns[to] = static_cast<Column>(c);
      out.counts[to] = items[i].count;
    }
}

TextRows TextCounter::take(std::vector<std::string_view>& terms, Poll poll) {
  TextRows out;
  Index entries = 0, rows = 0;
  for (const Part& part : parts_) entries += part.entries.size(), rows += part.ends.size();
  if (rows > 0x7fffffff) fail("at most 2147483647 documents at a time: there are " + std::to_string(rows));
  out.columns.resize(entries);
  out.counts.resize(entries);
  if (!many_ && width_) {
    sort_rows(out, poll);
    return out;
  }
  std::vector<std::vector<Column>> columns;
  if (!width_) {
    std::vector<Index> order;
    columns = order_terms(order, poll);
    for (const Index id : order) terms.push_back(parts_[0].terms.term(id));
  }
  turn_rows(out, columns, width_ ? width_ : static_cast<Index>(terms.size()), poll);
  return out;
}

}  // namespace widemargin
