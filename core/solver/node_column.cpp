#include "solver/node_column.hpp"

#include <algorithm>
#include <bit>

#include "base/gather.hpp"
#include "base/simd.hpp"

#ifdef WIDEMARGIN_X86
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx2,popcnt")))
#endif

namespace widemargin {
namespace {

// Bit i of the words says whether v[i] <= cut.
template <class T>
void plain_compare(const T* v, Index m, T cut, std::uint64_t* words) {
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); ++i) word |= static_cast<std::uint64_t>(v[i] <= cut) << (i - b);
    words[b >> 6] = word;
  }
}

template <class T>
void plain_extremes(const T* v, Index m, T& low, T& high) {
  low = high = v[0];
  for (Index i = 1; i < m; ++i) {
    low = v[i] < low ? v[i] : low;
    high = high < v[i] ? v[i] : high;
  }
}

// Bits from `begin` to before `end`.
template <class Count>
inline Index bits(const std::uint64_t* words, Index begin, Index end, Count count) {
  if (begin == end) return 0;
  const Index first = begin >> 6, last = (end - 1) >> 6;
  const std::uint64_t head = ~std::uint64_t{0} << (begin & 63), tail = ~std::uint64_t{0} >> (63 - ((end - 1) & 63));
  if (first == last) return count(words[first] & head & tail);
  Index sum = count(words[first] & head) + count(words[last] & tail);
  for (Index w = first + 1; w < last; ++w) sum += count(words[w]);
  return sum;
}

// Locals that nothing else points to: bytes could be anything, and the compiler would read all anew after each.
template <class T>
void plain_gather(Codes<T> codes, const std::uint32_t* __restrict rows, Index m, T* __restrict v) {
  const T* __restrict at = codes.at;
  const Index step = codes.step;
  if (step == 1)
    for (Index i = 0; i < m; ++i) v[i] = at[rows[i]];
  else
    for (Index i = 0; i < m; ++i) v[i] = at[static_cast<Index>(rows[i]) * step];
}

template <class Count>
inline Sides count_sides(const std::uint64_t* words, const Index* first, Index classes, Count count) {
  Index left = 0, right = 0, rows = 0;
  for (Index k = 0; k < classes; ++k) {
    const Index l = bits(words, first[k], first[k + 1], count), r = first[k + 1] - first[k] - l;
    left += l * l;
    right += r * r;
    rows += l;
  }
  return {static_cast<double>(left), static_cast<double>(right), rows};
}

Sides plain_sides(const std::uint64_t* words, const Index* first, Index classes) {
  return count_sides(words, first, classes, [](std::uint64_t w) { return static_cast<Index>(std::popcount(w)); });
}

// Behind the rows that go left, from row i on.
template <class T>
Index plain_part(Codes<T> codes, std::uint32_t* rows, Index i, Index m, T cut, Index l, std::uint32_t* other, Index r) {
  for (; i < m; ++i) {
    const std::uint32_t row = rows[i];
    const bool left = codes.at[static_cast<Index>(row) * codes.step] <= cut;
    rows[l] = row;
    other[r] = row;
    l += left;
    r += !left;
  }
  std::copy_n(other, r, rows + l);
  return l;
}

#ifdef WIDEMARGIN_X86
AVX2 void avx2_compare(const float* v, Index m, float cut, std::uint64_t* words) {
  const __m256 c = _mm256_set1_ps(cut);
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); i += 8) {
      const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(v + i), c, _CMP_LE_OQ)));
      word |= static_cast<std::uint64_t>(mask) << (i - b);
    }
    words[b >> 6] = word;
  }
}
AVX2 void avx2_compare(const std::uint8_t* v, Index m, std::uint8_t cut, std::uint64_t* words) {
  const __m256i c = _mm256_set1_epi8(static_cast<char>(cut));
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = b; i < std::min(m, b + 64); i += 32) {
      const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
      const auto mask = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(x, c), x)));
      word |= static_cast<std::uint64_t>(mask) << (i - b);
    }
    words[b >> 6] = word;
  }
}
// What stands behind the values becomes the first of them, so that whole vectors can be compared.
AVX2 void avx2_extremes(float* v, Index m, float& low, float& high) {
  const __m256 first = _mm256_set1_ps(v[0]);
  _mm256_storeu_ps(v + m, first);
  __m256 a = first, b = first;
  for (Index i = 0; i < m; i += 8) {
    const __m256 x = _mm256_loadu_ps(v + i);
    a = _mm256_min_ps(a, x);
    b = _mm256_max_ps(b, x);
  }
  __m128 c = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  __m128 d = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  c = _mm_min_ps(c, _mm_movehl_ps(c, c));
  d = _mm_max_ps(d, _mm_movehl_ps(d, d));
  low = _mm_cvtss_f32(_mm_min_ss(c, _mm_shuffle_ps(c, c, 1)));
  high = _mm_cvtss_f32(_mm_max_ss(d, _mm_shuffle_ps(d, d, 1)));
}
AVX2 void avx2_extremes(std::uint8_t* v, Index m, std::uint8_t& low, std::uint8_t& high) {
  const __m256i first = _mm256_set1_epi8(static_cast<char>(v[0]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(v + m), first);
  __m256i a = first, b = first;
  for (Index i = 0; i < m; i += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
    a = _mm256_min_epu8(a, x);
    b = _mm256_max_epu8(b, x);
  }
  const auto least = [](__m256i x) __attribute__((target("avx2"))) {
    __m128i y = _mm_min_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_min_epu8(y, _mm_srli_epi16(y, 8));
    return static_cast<std::uint8_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(y, _mm_set1_epi16(255)))));
  };
  low = least(a);
  high = static_cast<std::uint8_t>(~least(_mm256_xor_si256(b, _mm256_set1_epi8(-1))));
}
template <class T>
void avx2_extremes(const T* v, Index m, T& low, T& high) {
  plain_extremes(v, m, low, high);
}
template <class T>
void avx2_compare(const T* v, Index m, T cut, std::uint64_t* words) {
  plain_compare(v, m, cut, words);
}
AVX2 Sides avx2_sides(const std::uint64_t* words, const Index* first, Index classes) {
  return count_sides(words, first, classes, [](std::uint64_t w) __attribute__((target("avx2,popcnt"))) {
    return static_cast<Index>(_mm_popcnt_u64(w));
  });
}

// ---- sixteen rows at a time ---------------------------------------------------------------------------------------

// Values of sixteen rows, a word each; up to three bytes behind the last one of all are read.
template <class T>
AVX512_INLINE __m512i values16(Codes<T> codes, __m512i rows) {
  const __m512i at = codes.step == 1 ? rows : _mm512_mullo_epi32(rows, _mm512_set1_epi32(static_cast<int>(codes.step)));
  const __m512i words = gather16<sizeof(T)>(codes.at, at);
  return sizeof(T) == 4 ? words : _mm512_and_si512(words, _mm512_set1_epi32((1 << 8 * (sizeof(T) & 3)) - 1));
}
AVX512_INLINE __m512i load16(const std::uint32_t* rows) { return _mm512_loadu_si512(rows); }

template <class T>
AVX512_INLINE __mmask16 at_most(__m512i x, T cut) {
  if constexpr (std::is_floating_point_v<T>)
    return _mm512_cmp_ps_mask(_mm512_castsi512_ps(x), _mm512_set1_ps(cut), _CMP_LE_OQ);
  else
    return _mm512_cmple_epu32_mask(x, _mm512_set1_epi32(static_cast<int>(cut)));
}

AVX512_INLINE void keep(float* v, __m512i x) { _mm512_storeu_si512(v, x); }
AVX512_INLINE void keep(std::uint32_t* v, __m512i x) { _mm512_storeu_si512(v, x); }
AVX512_INLINE void keep(std::uint16_t* v, __m512i x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(v), _mm512_cvtepi32_epi16(x));
}
AVX512_INLINE void keep(std::uint8_t* v, __m512i x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(v), _mm512_cvtepi32_epi8(x));
}

template <class T>
struct Range {
  __m512i low, high;

  AVX512_INLINE void add(__m512i x) {
    if constexpr (std::is_floating_point_v<T>) {
      low = _mm512_castps_si512(_mm512_min_ps(_mm512_castsi512_ps(low), _mm512_castsi512_ps(x)));
      high = _mm512_castps_si512(_mm512_max_ps(_mm512_castsi512_ps(high), _mm512_castsi512_ps(x)));
    } else {
      low = _mm512_min_epu32(low, x);
      high = _mm512_max_epu32(high, x);
    }
  }
  AVX512_INLINE T least() const {
    if constexpr (std::is_floating_point_v<T>)
      return _mm512_reduce_min_ps(_mm512_castsi512_ps(low));
    else
      return static_cast<T>(_mm512_reduce_min_epu32(low));
  }
  AVX512_INLINE T most() const {
    if constexpr (std::is_floating_point_v<T>)
      return _mm512_reduce_max_ps(_mm512_castsi512_ps(high));
    else
      return static_cast<T>(_mm512_reduce_max_epu32(high));
  }
};

template <class T>
AVX512 void gather_512(Codes<T> codes, const std::uint32_t* rows, Index m, T* v, T& low, T& high) {
  const __m512i first = values16(codes, _mm512_set1_epi32(static_cast<int>(rows[0])));
  Range<T> a{first, first}, b = a;
  Index i = 0;
  for (; i + 32 <= m; i += 32) {
    const __m512i x = values16(codes, load16(rows + i)), y = values16(codes, load16(rows + i + 16));
    keep(v + i, x), keep(v + i + 16, y);
    a.add(x), b.add(y);
  }
  for (; i < m; i += 16) {
    const auto there = static_cast<__mmask16>((1u << std::min<Index>(m - i, 16)) - 1);
    const __m512i x =
        values16(codes, _mm512_mask_loadu_epi32(_mm512_set1_epi32(static_cast<int>(rows[0])), there, rows + i));
    keep(v + i, x);
    a.add(x);
  }
  a.add(b.low), a.add(b.high);
  low = a.least(), high = a.most();
}

AVX512 void compare_512(const float* v, Index m, float cut, std::uint64_t* words) {
  for (Index b = 0; b < m; b += 64) {
    std::uint64_t word = 0;
    for (Index i = 0; i < 64; i += 16)
      word |= static_cast<std::uint64_t>(at_most(_mm512_loadu_si512(v + b + i), cut)) << i;
    words[b >> 6] = word;
  }
}

template <class T>
AVX512 Index part_512(Codes<T> codes, std::uint32_t* rows, Index m, T cut, std::uint32_t* other) {
  Index l = 0, r = 0, i = 0;
  for (; i + 16 <= m; i += 16) {
    const __m512i row = load16(rows + i);
    const __mmask16 left = at_most(values16(codes, row), cut);
    _mm512_storeu_si512(rows + l, _mm512_maskz_compress_epi32(left, row));  // where rows have been read
    _mm512_storeu_si512(other + r, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~left), row));
    const int count = std::popcount(static_cast<unsigned>(left));
    l += count;
    r += 16 - count;
  }
  return plain_part(codes, rows, i, m, cut, l, other, r);
}

// Whether places of values fit into the lanes: rows of a copy are few.
template <class T>
bool lanes_hold(const Codes<T>& codes) {
  return simd::level() == simd::Level::avx512 && codes.step < (1 << 18);
}
#endif

}  // namespace

template <class T>
void gather_values(Codes<T> codes, const std::uint32_t* rows, Index m, T* v, T& low, T& high) {
#ifdef WIDEMARGIN_X86
  if (simd::swift_gathers() && lanes_hold(codes)) return gather_512(codes, rows, m, v, low, high);
#endif
  plain_gather(codes, rows, m, v);
#ifdef WIDEMARGIN_X86
  if (simd::level() != simd::Level::scalar) return avx2_extremes(v, m, low, high);
#endif
  plain_extremes(v, m, low, high);
}

template <class T>
Sides cut_sides(const T* v, Index m, T cut, const Index* first, Index classes, std::uint64_t* words) {
#ifdef WIDEMARGIN_X86
  if (simd::level() != simd::Level::scalar) {
    if constexpr (std::is_floating_point_v<T>)
      simd::level() == simd::Level::avx512 ? compare_512(v, m, cut, words) : avx2_compare(v, m, cut, words);
    else
      avx2_compare(v, m, cut, words);
    return avx2_sides(words, first, classes);
  }
#endif
  plain_compare(v, m, cut, words);
  return plain_sides(words, first, classes);
}

template <class T>
Index part_rows(Codes<T> codes, std::uint32_t* rows, Index m, T cut, std::uint32_t* other) {
#ifdef WIDEMARGIN_X86
  if (m >= 16 && lanes_hold(codes)) return part_512(codes, rows, m, cut, other);
#endif
  return plain_part(codes, rows, 0, m, cut, 0, other, 0);
}

#define FOR(T)                                                                       \
  template void gather_values(Codes<T>, const std::uint32_t*, Index, T*, T&, T&);    \
  template Sides cut_sides(const T*, Index, T, const Index*, Index, std::uint64_t*); \
  template Index part_rows(Codes<T>, std::uint32_t*, Index, T, std::uint32_t*);
FOR(std::uint8_t)
FOR(std::uint16_t)
FOR(std::uint32_t)
FOR(float)
#undef FOR

}  // namespace widemargin
