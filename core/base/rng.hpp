// Random numbers by key, not by stream: the same (seed, purpose, index) gives the same numbers whatever was drawn
// before, on any number of threads, after any resume.
//
// Method  Philox4x64-10, a block cipher on a counter  [SalmonEtAl11, sec. 3.3]
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

// What the numbers are for: part of the key, so two uses never share numbers, and of saved states, so append only.
enum class Purpose : std::uint64_t { order = 7, start = 2, sample = 3, split = 4 };

inline std::pair<std::uint64_t, std::uint64_t> wide_product(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide p = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
  const std::uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid & 0xffffffffu);
  return {a1 * b1 + (mid >> 32) + (mid2 >> 32), (mid2 << 32) | (low & 0xffffffffu)};
#endif
}

using Block = std::array<std::uint64_t, 4>;

inline Block philox(Block c, std::uint64_t key0, std::uint64_t key1) {
  for (int round = 0; round < 10; ++round) {
    const auto [hi0, lo0] = wide_product(0xD2E7470EE14C6C93u, c[0]);
    const auto [hi1, lo1] = wide_product(0xCA5A826395121157u, c[2]);
    c = {hi1 ^ c[1] ^ key0, lo1, hi0 ^ c[3] ^ key1, lo0};
    key0 += 0x9E3779B97F4A7C15u;
    key1 += 0xBB67AE8584CAA73Bu;
  }
  return c;
}

// A short-lived sequence of numbers for one key.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t sub = 0)
      : seed_(seed), purpose_(static_cast<std::uint64_t>(purpose)), index_(index), sub_(sub) {}

  std::uint64_t next() {
    if (at_ == 4) {
      block_ = philox({counter_++, index_, sub_, 0}, seed_, purpose_);
      at_ = 0;
    }
    return block_[at_++];
  }

  // Uniform on 0 .. bound-1 without bias [Lemire19, alg. 5].
  std::uint64_t below(std::uint64_t bound) {
    auto [hi, lo] = wide_product(next(), bound);
    if (lo < bound) {
      const std::uint64_t reject = (0 - bound) % bound;
      while (lo < reject) std::tie(hi, lo) = wide_product(next(), bound);
    }
    return hi;
  }

  // The same for bounds below 2^32, two to a word: orders of rows are drawn by the million.
  std::uint32_t below32(std::uint32_t bound) {
    std::uint64_t p = next32() * static_cast<std::uint64_t>(bound);
    if (static_cast<std::uint32_t>(p) < bound) {
      const std::uint32_t reject = (0 - bound) % bound;
      while (static_cast<std::uint32_t>(p) < reject) p = next32() * static_cast<std::uint64_t>(bound);
    }
    return static_cast<std::uint32_t>(p >> 32);
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

 private:
  std::uint64_t next32() {
    if (half_) {
      half_ = false;
      return word_ >> 32;
    }
    word_ = next();
    half_ = true;
    return word_ & 0xffffffffu;
  }

  std::uint64_t seed_, purpose_, index_, sub_, counter_ = 0;
  Block block_{};
  int at_ = 4;
  std::uint64_t word_ = 0;
  bool half_ = false;
};

template <class Int>
void shuffle(std::vector<Int>& items, Random random) {
  std::size_t i = items.size();
  for (; i > 0xffffffffu; --i) std::swap(items[i - 1], items[random.below(i)]);
  for (; i > 1; --i) std::swap(items[i - 1], items[random.below32(static_cast<std::uint32_t>(i))]);
}

// A random order that suits the memory. Up to 2^16 items every order is equally likely. Beyond, blocks of 64 neighbours
// are drawn at random and mixed 16 at a time: rows that are visited together then lie on few pages, and a pass over a
// large data set costs half of what jumping about at random would, while neighbours in the data are still far apart.
template <class Int>
void visiting_order(std::vector<Int>& items, Random random) {
  constexpr std::size_t block = 64, mixed = 16;
  const std::size_t n = items.size();
  if (n <= std::size_t{1} << 16) return shuffle(items, random);
  std::vector<std::uint32_t> blocks((n + block - 1) / block);
  for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k] = static_cast<std::uint32_t>(k);
  const auto draw = [&](std::size_t bound) { return random.below32(static_cast<std::uint32_t>(bound)); };
  for (std::size_t k = blocks.size(); k > 1; --k) std::swap(blocks[k - 1], blocks[draw(k)]);
  const std::vector<Int> source = items;
  std::size_t out = 0;
  for (std::size_t first = 0; first < blocks.size(); first += mixed) {
    const std::size_t begin = out;
    for (std::size_t k = first; k < std::min(first + mixed, blocks.size()); ++k)
      for (std::size_t i = blocks[k] * block; i < std::min((blocks[k] + 1) * block, n); ++i) items[out++] = source[i];
    for (std::size_t k = out - begin; k > 1; --k) std::swap(items[begin + k - 1], items[begin + draw(k)]);
  }
}

}  // namespace widemargin
