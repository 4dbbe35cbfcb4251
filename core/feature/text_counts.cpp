#include "feature/text_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "base/parallel.hpp"

namespace widemargin {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The first eight bytes as a number: it decides most comparisons.
std::uint64_t head(std::string_view term) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | (i < term.size() ? static_cast<std::uint8_t>(term[i]) : 0);
  return key;
}

std::vector<Index> in_order(const Dictionary& terms, Poll poll) {
  struct Item {
    std::uint64_t head;
    Index id;
  };
  std::vector<Item> items(at(terms.size()));
  for (Index id = 0; id < terms.size(); ++id) items[at(id)] = {head(terms.term(id)), id};
  Index looks = 0;
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if ((++looks & 0xffff) == 0) poll();
    return a.head != b.head ? a.head < b.head : terms.term(a.id) < terms.term(b.id);
  });
  std::vector<Index> order(items.size());
  std::transform(items.begin(), items.end(), order.begin(), [](const Item& item) { return item.id; });
  return order;
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
  const Index fixed = numbers_.known ? numbers_.known->size() : numbers_.buckets;
  for (int t = 0; t < threads_; ++t)
    parts_.push_back({Tokens(*letters_, *stop_words_, options), {}, {}, {}, std::vector<Index>(at(fixed), -1)});
}

void TextCounter::count(Part& part, std::string_view document, Poll poll) const {
  Buffer<Entry>& entries = part.entries;
  const Index begin = entries.size();
  Index visits = 0;
  part.tokens.read(document);
  part.tokens.each([&](std::string_view term) {
    if ((++visits & 0xffff) == 0) poll();
    const Index id = numbers_.buckets ? bucket(term, numbers_.buckets)
                     : numbers_.known ? numbers_.known->find(term)
                                      : part.terms.add(term);
    if (id < 0) return;
    if (id == static_cast<Index>(part.place.size())) part.place.push_back(-1);
    Index& place = part.place[at(id)];
    if (place >= begin) {
      ++entries[place].count;
      return;
    }
    place = entries.size();
    entries.resize(place + 1);
    entries[place] = {static_cast<Column>(id), 1};
  });
  part.ends.resize(part.ends.size() + 1);
  part.ends[part.ends.size() - 1] = entries.size();
}

void TextCounter::feed(Span<const std::string_view> documents, Poll poll) {
  const auto n = static_cast<Index>(documents.size());
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
  parts_[0].tokens.each([&](std::string_view term) { found.emplace_back(term); });
  return found;
}

// For each part, the column of each of its terms.
std::vector<std::vector<Column>> TextCounter::order_terms(std::vector<std::string>& terms, Poll poll) {
  Dictionary& all = parts_[0].terms;
  std::vector<std::vector<Column>> columns(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Dictionary& own = parts_[p].terms;
    columns[p].resize(at(own.size()));
    for (Index id = 0; id < own.size(); ++id) columns[p][at(id)] = static_cast<Column>(p ? all.add(own.term(id)) : id);
  }
  const std::vector<Index> order = in_order(all, poll);
  std::vector<Column> rank(order.size());
  terms.reserve(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    rank[at(order[r])] = static_cast<Column>(r);
    terms.emplace_back(all.term(order[r]));
  }
  for (auto& part : columns)
    for (Column& c : part) c = rank[at(c)];
  return columns;
}

TextRows TextCounter::take(std::vector<std::string>& terms, Poll poll) {
  const bool fixed = numbers_.known || numbers_.buckets;
  std::vector<std::vector<Column>> columns;
  if (!fixed) columns = order_terms(terms, poll);
  TextRows out;
  Index entries = 0;
  for (const Part& part : parts_) entries += part.entries.size();
  out.columns.resize(entries);
  out.counts.resize(entries);
  std::vector<Index> row(parts_.size(), 0), entry(parts_.size(), 0);
  std::vector<std::uint64_t> keys;
  Index written = 0;
  for (const Stretch& s : stretches_) {
    const Part& from = parts_[s.part];
    for (Index i = 0; i < s.rows; ++i) {
      const Index end = from.ends[row[s.part]++];
      keys.clear();
      for (Index& e = entry[s.part]; e < end; ++e) {
        const auto [id, count] = from.entries[e];
        const Column c = fixed ? id : columns[s.part][at(id)];
        keys.push_back(std::uint64_t{static_cast<std::uint32_t>(c)} << 32 | static_cast<std::uint32_t>(count));
      }
      std::sort(keys.begin(), keys.end());
      for (const std::uint64_t key : keys) {
        out.columns[written] = static_cast<Column>(key >> 32);
        out.counts[written++] = static_cast<std::int32_t>(key & 0xffffffff);
      }
      out.ends.resize(out.ends.size() + 1);
      out.ends[out.ends.size() - 1] = written;
    }
    poll();
  }
  return out;
}

}  // namespace widemargin
