#include "data/ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/turn_codes.hpp"

namespace widemargin {
namespace {

using Bits = std::uint32_t;

// Whole numbers in the order of the floats; -0 is 0.
Bits ordered(float x) {
  const Bits b = std::bit_cast<Bits>(x + 0.0f);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
float number(Bits b) { return std::bit_cast<float>(b & 0x80000000u ? b & 0x7fffffffu : ~b); }

// What is learnt of one column before all codes are given a width.
struct Column1 {
  std::vector<Bits> low, high;       // ascending
  std::vector<std::uint32_t> codes;  // by row, only where there are many different numbers
  bool missing = false;
};

constexpr int SMALL = 256, SLOTS = 1024;

// The different numbers of a column, at most 256 of them, by hashing; each row gets its slot.
struct SmallTable {
  Bits key[SLOTS];
  std::int16_t slot[SLOTS];
  std::vector<Bits> seen;
  bool whole = true;           // all numbers so far were whole, 0 .. 255: they are slots themselves
  std::uint8_t met[256] = {};  // which of these there were
  bool all_met = false;

  void clear() { std::fill(slot, slot + SLOTS, std::int16_t{-1}); }

  // Whole numbers as they are; false, with nothing done, if one is not.
  bool take_whole(const float* __restrict v, Index rows, std::uint8_t* __restrict bytes) {
    std::int32_t odd = 0, some = 0;
    for (Index i = 0; i < rows; ++i) {
      const float x = std::min(std::max(-1.0f, v[i]), 256.0f);  // NaN becomes -1
      const auto w = static_cast<std::int32_t>(x);
      odd |= static_cast<std::int32_t>(static_cast<float>(w) != v[i]) | w >> 8;
      some |= w;
      bytes[i] = static_cast<std::uint8_t>(w);
    }
    if (odd) return false;
    if (all_met) return true;
    if (some == 0) {
      met[0] = 1;
      return true;
    }
    for (Index i = 0; i < rows; ++i) met[bytes[i]] = 1;
    all_met = std::memchr(met, 0, sizeof met) == nullptr;
    return true;
  }

  void name_met() {
    for (int w = 0; w < 256; ++w)
      if (met[w]) seen.push_back(ordered(static_cast<float>(w)));
  }

  // From now on slots are those of the hash; the bytes so far change over.
  void change(std::uint8_t* bytes, Index rows) {
    whole = false;
    std::uint8_t to[256] = {};
    for (int w = 0; w < 256; ++w)
      if (met[w]) to[w] = static_cast<std::uint8_t>(find(ordered(static_cast<float>(w))));
    for (Index i = 0; i < rows; ++i) bytes[i] = to[bytes[i]];
  }

  // The byte of a number that was seen.
  std::uint8_t byte(std::size_t k) const {
    return static_cast<std::uint8_t>(whole ? static_cast<std::size_t>(number(seen[k])) : k);
  }

  // -1 if it would be the 257th.
  int find(Bits k) {
    Bits h = (k * 0x9E3779B1u) >> 22;
    while (slot[h] >= 0 && key[h] != k) h = (h + 1) & (SLOTS - 1);
    if (slot[h] < 0) {
      if (seen.size() == SMALL) return -1;
      key[h] = k;
      slot[h] = static_cast<std::int16_t>(seen.size());
      seen.push_back(k);
    }
    return slot[h];
  }
};

using Pair = std::uint64_t;  // a number and its row

// Sorts by the number, three digits of 11 bits.
void radix_sort(std::vector<Pair>& pairs, std::vector<Pair>& spare) {
  spare.resize(pairs.size());
  std::uint32_t count[3][2049] = {};
  for (const Pair p : pairs)
    for (int digit = 0; digit < 3; ++digit) ++count[digit][((p >> (32 + 11 * digit)) & 2047) + 1];
  for (int digit = 0; digit < 3; ++digit) {
    for (int b = 1; b < 2049; ++b) count[digit][b] += count[digit][b - 1];
    for (const Pair p : pairs) spare[count[digit][(p >> (32 + 11 * digit)) & 2047]++] = p;
    pairs.swap(spare);
  }
}

// Codes of a column with many different numbers: each its own, or bins of about equally many rows.
void order_column(const float* x, Index n, int bins, Column1& c, std::vector<Pair>& pairs, std::vector<Pair>& spare) {
  pairs.clear();
  pairs.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    if (x[i] == x[i]) pairs.push_back(static_cast<Pair>(ordered(x[i])) << 32 | static_cast<Pair>(i));
  c.missing = static_cast<Index>(pairs.size()) < n;
  radix_sort(pairs, spare);
  std::size_t different = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) different += i == 0 || pairs[i] >> 32 != pairs[i - 1] >> 32;
  const double share = bins > 0 && different > static_cast<std::size_t>(bins)
                           ? static_cast<double>(pairs.size()) / static_cast<double>(bins)
                           : 0.0;
  c.codes.assign(static_cast<std::size_t>(n), static_cast<std::uint32_t>(-1));
  double filled = 0;  // rows up to which the last bin may reach
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto key = static_cast<Bits>(pairs[i] >> 32);
    if (c.low.empty() || (key != c.high.back() && static_cast<double>(i) >= filled)) {
      c.low.push_back(key);
      c.high.push_back(key);
      while (share > 0 && filled <= static_cast<double>(i)) filled += share;
    }
    c.high.back() = key;
    c.codes[static_cast<std::size_t>(pairs[i] & 0xffffffffu)] = static_cast<std::uint32_t>(c.low.size()) - 1;
  }
  for (std::uint32_t& code : c.codes)
    if (code == static_cast<std::uint32_t>(-1)) code = static_cast<std::uint32_t>(c.low.size());
}

// Bytes become codes in the order of their numbers.
void settle(const SmallTable& table, std::uint8_t* bytes, Index n, Column1& c) {
  const std::vector<Bits>& seen = table.seen;
  std::vector<std::uint16_t> order(seen.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::uint16_t>(k);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return seen[a] < seen[b]; });
  std::uint8_t code[SMALL] = {};
  for (std::size_t k = 0; k < order.size(); ++k) {
    code[table.byte(order[k])] = static_cast<std::uint8_t>(k);
    c.low.push_back(seen[order[k]]);
  }
  c.high = c.low;
  // A missing value has the slot 255: 256 different numbers beside it would not fit into a byte anyway.
  if (c.missing) code[255] = static_cast<std::uint8_t>(order.size());
  if (!c.missing && table.whole && seen.back() == ordered(static_cast<float>(seen.size() - 1))) return;  // 0, 1, 2 ...
  for (Index i = 0; i < n; ++i) bytes[i] = code[bytes[i]];
}

constexpr Index SOME = 16, MORE = 64;  // columns that share cache lines in the rows: of narrow rows, of wide ones
constexpr Index CHUNK = 512;           // rows at a time
constexpr Index PITCH = CHUNK + 16;    // between their copies, so that these do not all fall on one set of the cache
constexpr Index LONG = 1 << 18;        // numbers that are copied at once to be sorted

struct Reader {
  const float* x;
  Index n, stride;
  const std::uint32_t* order;
  int bins;

  Index row(Index i) const { return (order ? static_cast<Index>(order[i]) : i) * stride; }

  // Columns with few different numbers become codes; the others are marked as long.
  void read(Index begin, Index end, std::uint8_t* bytes, std::vector<Column1>& found,
            std::vector<std::uint8_t>& is_long) const {
    std::vector<SmallTable> table(static_cast<std::size_t>(end - begin));
    std::vector<std::uint8_t> few(table.size(), 1);
    for (SmallTable& t : table) t.clear();
    std::vector<float> copy(static_cast<std::size_t>(PITCH * (end - begin)));
    for (Index i0 = 0; i0 < n; i0 += CHUNK) {
      if (std::none_of(few.begin(), few.end(), [](auto b) { return b; })) break;
      const Index rows = std::min(CHUNK, n - i0);
      for (Index i = 0; i < rows; ++i) {
        const float *from = x + row(i0 + i), *later = x + row(std::min(i0 + i + 16, n - 1));
        for (Index f = begin; f < end; f += 16) __builtin_prefetch(later + f);
        for (Index f = begin; f < end; ++f) copy[static_cast<std::size_t>((f - begin) * PITCH + i)] = from[f];
      }
      for (Index f = begin; f < end; ++f) {
        const auto k = static_cast<std::size_t>(f - begin);
        const float* v = copy.data() + (f - begin) * PITCH;
        if (!few[k]) continue;
        if (table[k].whole && table[k].take_whole(v, rows, bytes + f * n + i0)) continue;
        if (table[k].whole) table[k].change(bytes + f * n, i0);
        few[k] = look(v, rows, bytes + f * n + i0, table[k], found[static_cast<std::size_t>(f)]);
      }
    }
    for (Index f = begin; f < end; ++f) {
      const auto k = static_cast<std::size_t>(f - begin);
      Column1& c = found[static_cast<std::size_t>(f)];
      const auto most = static_cast<std::size_t>(bins > 0 ? std::min(bins, SMALL) : SMALL) - c.missing;
      if (table[k].whole) table[k].name_met();
      if (few[k] && table[k].seen.size() <= most)
        settle(table[k], bytes + f * n, n, c);
      else
        is_long[static_cast<std::size_t>(f)] = 1;
    }
  }

  // Columns with many different numbers, a few at a time: they share cache lines in the rows.
  void sort_columns(const Index* columns, std::size_t size, std::vector<Column1>& found) const {
    std::vector<float> copy(static_cast<std::size_t>(n) * size);
    for (Index i = 0; i < n; ++i)
      for (std::size_t k = 0; k < size; ++k)
        copy[k * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] = x[row(i) + columns[k]];
    std::vector<Pair> pairs, spare;
    for (std::size_t k = 0; k < size; ++k) {
      Column1& c = found[static_cast<std::size_t>(columns[k])];
      order_column(copy.data() + k * static_cast<std::size_t>(n), n, bins > 0 ? bins - c.missing : 0, c, pairs, spare);
    }
  }

  static std::uint8_t look(const float* v, Index rows, std::uint8_t* bytes, SmallTable& table, Column1& c) {
    float last = std::numeric_limits<float>::quiet_NaN();
    int slot = 0;
    for (Index i = 0; i < rows; ++i) {
      if (v[i] != last) {  // many columns have long runs of the same number
        if (v[i] != v[i]) {
          c.missing = true;
          bytes[i] = 255;
          continue;
        }
        slot = table.find(ordered(v[i]));
        if (slot < 0) return 0;
        last = v[i];
      }
      bytes[i] = static_cast<std::uint8_t>(slot);
    }
    return 1;
  }
};

template <class Code>
void widen(const std::vector<Column1>& found, const Buffer<std::uint8_t>& bytes, RankedColumns& out, int threads,
           Poll poll) {
  const Index n = out.n;
  out.columns.resize((n * out.d + 8) * static_cast<Index>(sizeof(Code)));
  auto* codes = reinterpret_cast<Code*>(out.columns.data());
  if (sizeof(Code) > 1) out.coarse.resize(n * out.d + 64);
  const auto work = [&](Index f) {
    const Column1& c = found[static_cast<std::size_t>(f)];
    Code* to = codes + f * n;
    for (Index i = 0; i < n; ++i)
      to[i] = static_cast<Code>(c.codes.empty() ? bytes[f * n + i] : c.codes[static_cast<std::size_t>(i)]);
    if (sizeof(Code) == 1) return;
    std::uint8_t* rough = out.coarse.data() + f * n;
    const Index k = static_cast<Index>(c.low.size()) + c.missing;
    out.fits[static_cast<std::size_t>(f)] = k <= 256;
    if (k <= 256) {
      for (Index i = 0; i < n; ++i) rough[i] = static_cast<std::uint8_t>(to[i]);
      return;
    }
    // Bins with about equally many rows: a code's bin follows from the rows below it.
    std::vector<Index> below(static_cast<std::size_t>(k) + 1, 0);
    for (Index i = 0; i < n; ++i) ++below[static_cast<std::size_t>(to[i]) + 1];
    for (std::size_t t = 1; t < below.size(); ++t) below[t] += below[t - 1];
    for (Index i = 0; i < n; ++i)
      rough[i] = static_cast<std::uint8_t>(below[static_cast<std::size_t>(to[i])] * 256 / n);
  };
  parallel_for(out.d, threads, work, poll);
}

template <class Code>
void transpose(RankedColumns& out, int threads, Poll poll) {
  const Index n = out.n, d = out.d;
  out.rows.resize((n * d + 8) * static_cast<Index>(sizeof(Code)));
  const auto* from = reinterpret_cast<const Code*>(out.columns.data());
  auto* to = reinterpret_cast<Code*>(out.rows.data());
  constexpr Index B = 64;
  parallel_blocks(
      n, 1024, threads,
      [&](Index begin, Index end) {
        for (Index f0 = 0; f0 < d; f0 += B)
          for (Index i0 = begin; i0 < end; i0 += B)
            turn_block(from, n, to, d, i0, std::min(end, i0 + B), f0, std::min(d, f0 + B));
      },
      poll);
}

RankedColumns unranked(const float* x, Index n, Index d, Index stride) {
  RankedColumns out;
  out.n = n;
  out.d = d;
  out.width = 4;
  out.missing.assign(static_cast<std::size_t>(d), 0);
  std::uint8_t* missing = out.missing.data();
  for (Index i = 0; i < n; ++i) {
    const float* v = x + i * stride;
    for (Index f = 0; f < d; ++f) missing[f] |= static_cast<std::uint8_t>(v[f] != v[f]);
  }
  return out;
}

}  // namespace

void RankedColumns::make_cells() {
  cells.assign(static_cast<std::size_t>(d * (CELLS + 1)), 0);
  for (Index f = 0; f < d; ++f) {
    const Index k = codes(f);
    const float* v = low.data() + first[static_cast<std::size_t>(f)];
    const float way = k > 0 ? v[k - 1] - v[0] : 0.0f, share = static_cast<float>(CELLS) / way;
    per_cell.push_back(std::isfinite(way) && std::isfinite(share) ? share : 0.0f);
    std::uint8_t* cell = cells.data() + f * (CELLS + 1);
    Index below = 0;
    for (Index c = 0; c <= CELLS; ++c) {
      while (below < k && (c == CELLS || cell_of(f, v[below]) < c)) ++below;
      cell[c] = static_cast<std::uint8_t>(std::max<Index>(below - 1, 0));
    }
  }
}

RankedColumns rank_columns(const float* x, Index n, Index d, Index stride, const std::uint32_t* order, int bins,
                           int threads, Poll poll, Ranking wanted) {
  if (n < 1 || d < 1) fail("ranks need at least one row and one column");
  if (n >= (Index{1} << 31)) fail("trees take at most 2^31 rows");
  if (bins < 0 || bins == 1) fail("bins must be 0 or at least 2");
  RankedColumns out;
  out.n = n;
  out.d = d;
  std::vector<Column1> found(static_cast<std::size_t>(d));
  Buffer<std::uint8_t> bytes;
  bytes.resize(n * d + 64);
  const Reader reader{x, n, stride, order, bins};
  const Index some = d >= MORE * 2 * threads ? MORE : SOME;
  std::vector<std::uint8_t> is_long(static_cast<std::size_t>(d), 0);
  parallel_blocks(d, some, threads, [&](Index a, Index b) { reader.read(a, b, bytes.data(), found, is_long); }, poll);
  std::vector<Index> longer;
  for (Index f = 0; f < d; ++f)
    if (is_long[static_cast<std::size_t>(f)]) longer.push_back(f);
  if (wanted == Ranking::if_short && bins == 0 && !longer.empty()) return unranked(x, n, d, stride);
  parallel_blocks(
      static_cast<Index>(longer.size()), std::max<Index>(1, std::min<Index>(4, LONG / n)), threads,
      [&](Index a, Index b) { reader.sort_columns(longer.data() + a, static_cast<std::size_t>(b - a), found); }, poll);
  Index most = 0;
  out.first.push_back(0);
  bool small = true;
  for (const Column1& c : found) {
    most = std::max<Index>(most, static_cast<Index>(c.low.size()) + c.missing);
    small = small && c.codes.empty();
    out.first.push_back(out.first.back() + static_cast<Index>(c.low.size()));
    for (const Bits b : c.low) out.low.push_back(number(b));
    for (const Bits b : c.high) out.high.push_back(number(b));
    out.missing.push_back(c.missing);
  }
  out.fits.assign(static_cast<std::size_t>(d), 1);
  out.width = most <= 256 ? 1 : most <= 65536 ? 2 : 4;
  if (out.width == 1 && small)
    out.columns = std::move(bytes);
  else if (out.width == 1)
    widen<std::uint8_t>(found, bytes, out, threads, poll);
  else if (out.width == 2)
    widen<std::uint16_t>(found, bytes, out, threads, poll);
  else
    widen<std::uint32_t>(found, bytes, out, threads, poll);
  if (wanted == Ranking::if_short && out.width == 1) out.make_cells();
  if (wanted == Ranking::columns) return out;
  if (out.width == 1)
    transpose<std::uint8_t>(out, threads, poll);
  else if (out.width == 2)
    transpose<std::uint16_t>(out, threads, poll);
  else
    transpose<std::uint32_t>(out, threads, poll);
  return out;
}

int number_kinds(const float* x, Index size) {
  constexpr Bits top = 0x7f800000u;
  std::uint32_t odd = 0, infinite = 0;
  for (Index i = 0; i < size; ++i) {
    Bits b;
    std::memcpy(&b, x + i, 4);
    odd |= static_cast<std::uint32_t>((b & 0x7fffffffu) >= top);
    infinite |= static_cast<std::uint32_t>((b & 0x7fffffffu) == top);
  }
  return infinite ? 2 : odd ? 1 : 0;
}

}  // namespace widemargin
