#include "feature/word_marks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#endif
#if defined(__GNUC__)
#define INLINED [[gnu::always_inline]] inline
#else
#define INLINED inline
#endif

namespace widemargin {
namespace {

struct Bits {                 // of 64 bytes, the first one lowest
  std::uint64_t word, other;  // letters of words; what is not ASCII
};

inline std::uint8_t within(std::uint8_t c, std::uint8_t from, std::uint8_t count, std::uint8_t yes) {
  return static_cast<std::uint8_t>(c - from) < count ? yes : 0;
}

// Eight bytes of 0 or 1 become eight bits.
inline std::uint64_t gathered(const std::uint8_t* is) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 8; ++k) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) bytes |= std::uint64_t{is[8 * k + i]} << 8 * i;
    bits |= (bytes * 0x0102040810204080u >> 56) << 8 * k;
  }
  return bits;
}

// Plain arithmetic on bytes: the compiler does many at once.
struct PlainBlock {
  std::uint8_t change;  // 32 where capitals become small
  Bits operator()(const char* from, char* to) const {
    std::uint8_t is[64], any = 0;
    for (int i = 0; i < 64; ++i) {
      const auto c = static_cast<std::uint8_t>(from[i]);
      to[i] = static_cast<char>(c | (within(c, 'A', 26, 32) & change));
      is[i] = static_cast<std::uint8_t>(within(c | 32, 'a', 26, 1) | within(c, '0', 10, 1) | within(c, '_', 1, 1));
      any |= c;
    }
    return {gathered(is), any & 0x80u};
  }
};

// A word of one letter leaves no mark: marks stand where two letters of words lie behind each other.
template <class Block>
INLINED WordMarks marked(const char* text, Index size, char* copy, std::size_t* edges, Block block) {
  std::size_t* edge = edges;
  std::uint64_t before = 0, other = 0;  // bits of the last two letters
  char rest[64] = {};
  for (Index at = 0; at <= size; at += 64) {
    const char* from = text + at;
    if (at + 64 > size) {
      std::copy(from, text + size, rest);
      from = rest;
    }
    const Bits bits = block(from, copy + at);
    const std::uint64_t last = bits.word << 1 | before >> 1, last_but_one = bits.word << 2 | before;
    for (std::uint64_t marks = last & (bits.word ^ last_but_one); marks; marks &= marks - 1)
      *edge++ = static_cast<std::size_t>(at + std::countr_zero(marks));
    before = bits.word >> 62;
    other |= bits.other;
  }
  return {static_cast<Index>(edge - edges), other == 0};
}

WordMarks plain_marked(const char* text, Index size, bool small, char* copy, std::size_t* edges) {
  return marked(text, size, copy, edges, PlainBlock{static_cast<std::uint8_t>(small ? 32 : 0)});
}

#ifdef WIDEMARGIN_X86
struct Avx2Block {
  char change;
  // The last of a range goes to 127, so that one comparison of signed bytes knows the range.
  AVX2 static __m256i within(__m256i c, char last, char count) {
    const char add = static_cast<char>(127 - last), least = static_cast<char>(127 - count);
    return _mm256_cmpgt_epi8(_mm256_add_epi8(c, _mm256_set1_epi8(add)), _mm256_set1_epi8(least));
  }
  AVX2 std::uint64_t half(const char* from, char* to, std::uint64_t& other) const {
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i letter = within(_mm256_or_si256(c, _mm256_set1_epi8(32)), 'z', 26);
    const __m256i digit = within(c, '9', 10);
    const __m256i line = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('_'));
    const __m256i made = _mm256_or_si256(c, _mm256_and_si256(letter, _mm256_set1_epi8(change)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), made);
    other |= static_cast<std::uint32_t>(_mm256_movemask_epi8(c));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(letter, _mm256_or_si256(digit, line))));
  }
  AVX2 Bits operator()(const char* from, char* to) const {
    Bits bits{0, 0};
    bits.word = half(from, to, bits.other);
    bits.word |= half(from + 32, to + 32, bits.other) << 32;
    return bits;
  }
};

AVX2 WordMarks avx2_marked(const char* text, Index size, bool small, char* copy, std::size_t* edges) {
  return marked(text, size, copy, edges, Avx2Block{static_cast<char>(small ? 32 : 0)});
}
#endif

}  // namespace

WordMarks mark_words(const char* text, Index size, bool small, char* copy, std::size_t* edges) {
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) return avx2_marked(text, size, small, copy, edges);
#endif
  return plain_marked(text, size, small, copy, edges);
}

}  // namespace widemargin
