#include "solver/lanes.hpp"

#include <algorithm>
#include <bit>

#include "base/gather.hpp"
#include "base/simd.hpp"

#ifdef WIDEMARGIN_X86
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx2,popcnt")))
#define AVX512DQ_INLINE __attribute__((target("avx512f,avx512dq,avx2,popcnt"), always_inline)) inline
#endif

namespace widemargin {
namespace {

constexpr auto C = static_cast<Index>(LANE_COLUMNS);

// One column after the other.
template <class T>
void plain_cuts(const SmallNode<T>& node, const LaneClasses& classes, const std::uint32_t* columns, LaneSpace& space,
                LaneCuts& out) {
  std::uint32_t* keys = space.keys;
  std::int32_t squares = 0;
  for (const std::int32_t t : classes.total) squares += t * t;
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    for (Index i = 0; i < node.m; ++i)
      keys[i] = static_cast<std::uint32_t>(node.at[node.rows[i] * node.stride + columns[c]]) << 16 | classes.payload[i];
    std::sort(keys, keys + node.m);
    std::int32_t l[32] = {}, left = 0, right = squares, n = 0;
    out.above[c] = -1, out.below[c] = 1;
    for (Index i = 0; i + 1 < node.m; ++i) {
      const std::size_t k = (keys[i] >> 8) & 255;
      const auto x = static_cast<std::int32_t>(keys[i] & 255);
      left += x * (2 * l[k] + x);
      right -= x * (2 * (classes.total[k] - l[k]) - x);
      l[k] += x;
      n += x;
      const std::int32_t rest = classes.w - n;
      const double above = left * rest + right * n, below = n * rest;
      if (keys[i] >> 16 == keys[i + 1] >> 16 || !(above * out.below[c] > out.above[c] * below)) continue;
      out.above[c] = above, out.below[c] = below;
      out.cut[c] = keys[i] >> 16, out.next[c] = keys[i + 1] >> 16;
    }
  }
}

#ifdef WIDEMARGIN_X86
AVX2_INLINE __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
AVX2_INLINE void store(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }

template <class T>
AVX2_INLINE __m256i codes_of(const SmallNode<T>& node, Index i, __m256i columns) {
  const T* row = node.at + node.rows[i] * node.stride;
  return gather8<sizeof(T)>(row, columns);
}

AVX2_INLINE void order(__m256i& a, __m256i& b) {
  const __m256i low = _mm256_min_epu32(a, b);
  b = _mm256_max_epu32(a, b);
  a = low;
}

// Eight vectors, lane by lane; 19 comparisons.
AVX2_INLINE void sort_eight(std::uint32_t* keys) {
  __m256i v[8];
  for (int i = 0; i < 8; ++i) v[i] = load(keys + i * 8);
  order(v[0], v[1]), order(v[2], v[3]), order(v[4], v[5]), order(v[6], v[7]);
  order(v[0], v[2]), order(v[1], v[3]), order(v[4], v[6]), order(v[5], v[7]);
  order(v[1], v[2]), order(v[5], v[6]);
  order(v[0], v[4]), order(v[1], v[5]), order(v[2], v[6]), order(v[3], v[7]);
  order(v[2], v[4]), order(v[3], v[5]);
  order(v[1], v[2]), order(v[3], v[4]), order(v[5], v[6]);
  for (int i = 0; i < 8; ++i) store(keys + i * 8, v[i]);
}

// The last three steps of a merge: places four, two and one apart.
AVX2_INLINE void merge_eight(std::uint32_t* keys) {
  __m256i v[8];
  for (int i = 0; i < 8; ++i) v[i] = load(keys + i * 8);
  order(v[0], v[4]), order(v[1], v[5]), order(v[2], v[6]), order(v[3], v[7]);
  order(v[0], v[2]), order(v[1], v[3]), order(v[4], v[6]), order(v[5], v[7]);
  order(v[0], v[1]), order(v[2], v[3]), order(v[4], v[5]), order(v[6], v[7]);
  for (int i = 0; i < 8; ++i) store(keys + i * 8, v[i]);
}

AVX2_INLINE void order(std::uint32_t* a, std::uint32_t* b) {
  __m256i x = load(a), y = load(b);
  order(x, y);
  store(a, x);
  store(b, y);
}

// Places k and k/2 apart, from a on.
AVX2_INLINE void order_four(std::uint32_t* a, Index k) {
  std::uint32_t *b = a + k / 2 * C, *c = b + k / 2 * C, *d = c + k / 2 * C;
  __m256i w = load(a), x = load(b), y = load(c), z = load(d);
  order(w, y), order(x, z), order(w, x), order(y, z);
  store(a, w), store(b, x), store(c, y), store(d, z);
}

// Runs of eight, then bitonic merges in which the smaller key always comes to the lower place: what would stand behind
// the last rows is larger than all keys and stays there, so that no room is needed for it beyond a multiple of eight.
AVX2 void sort_lanes(std::uint32_t* keys, Index m) {
  for (; m & 7; ++m) store(keys + m * C, _mm256_set1_epi32(-1));
  for (Index i = 0; i < m; i += 8) sort_eight(keys + i * C);
  for (Index p = 8; p < m; p *= 2) {
    for (Index b = 0; b + p < m; b += 2 * p)
      for (Index i = std::max<Index>(0, b + 2 * p - m); i < p; ++i)
        order(keys + (b + i) * C, keys + (b + 2 * p - 1 - i) * C);
    Index k = p / 2;
    for (; k >= 16; k /= 4)
      for (Index b = 0; b < m; b += 2 * k) {
        if (b + 2 * k <= m) {
          for (Index i = 0; i < k / 2; ++i) order_four(keys + (b + i) * C, k);
          continue;
        }
        for (Index i = b; i + k < m; ++i) order(keys + i * C, keys + (i + k) * C);
        for (Index i = b; i < b + k / 2 && i + k / 2 < m; ++i) order(keys + i * C, keys + (i + k / 2) * C);
        for (Index i = b + k; i + k / 2 < m; ++i) order(keys + i * C, keys + (i + k / 2) * C);
      }
    if (k == 8)
      for (Index b = 0; b < m; b += 16)
        for (Index i = b; i < b + 8 && i + 8 < m; ++i) order(keys + i * C, keys + (i + 8) * C);
    for (Index i = 0; i < m; i += 8) merge_eight(keys + i * C);
  }
}

struct BestHalf {
  __m256d above, below;
};

// Where the score is larger than the best one so far, and a cut is possible.
AVX2_INLINE __m256d better(BestHalf& best, __m128i above, __m128i below, __m128i valid) {
  const __m256d a = _mm256_cvtepi32_pd(above), b = _mm256_cvtepi32_pd(below);
  const __m256d more =
      _mm256_and_pd(_mm256_cmp_pd(_mm256_mul_pd(a, best.below), _mm256_mul_pd(best.above, b), _CMP_GT_OQ),
                    _mm256_castsi256_pd(_mm256_cvtepi32_epi64(valid)));
  best.above = _mm256_blendv_pd(best.above, a, more);
  best.below = _mm256_blendv_pd(best.below, b, more);
  return more;
}

// The codes on both sides of the best cuts, which lie behind these places.
template <class Int>
void name_codes(const std::uint32_t* keys, const Int* at, LaneCuts& out) {
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    const std::uint32_t* key = keys + static_cast<Index>(at[c]) * C + c;
    out.cut[c] = key[0] >> 16, out.next[c] = key[C] >> 16;
  }
}

// WORDS: in which the counts of a lane stand. A shift by more than a word gives 0, so each class finds its own.
template <int WORDS>
AVX2 void walk_lanes(const std::uint32_t* keys, Index m, const LaneClasses& classes, LaneCuts& out) {
  const __m256i bytes = _mm256_set1_epi32(255), even = _mm256_set1_epi64x(0xffffffff);
  const __m256i total = load(classes.total), w = _mm256_set1_epi32(classes.w);
  const __m128i bits = _mm_cvtsi32_si128(std::countr_zero(static_cast<unsigned>(classes.bits())));
  const __m256i mask = _mm256_set1_epi64x((1 << classes.bits()) - 1);
  std::int32_t squares = 0;
  for (const std::int32_t t : classes.total) squares += t * t;
  __m256i left = _mm256_setzero_si256(), n = left, at = left, word0[WORDS], word1[WORDS];
  for (int v = 0; v < WORDS; ++v) word0[v] = word1[v] = left;
  __m256i right = _mm256_set1_epi32(squares);
  BestHalf low{_mm256_set1_pd(-1), _mm256_set1_pd(1)}, high = low;
  __m256i next = load(keys);
  for (Index i = 0; i + 1 < m; ++i) {
    const __m256i key = next;
    next = load(keys + (i + 1) * C);
    const __m256i x = _mm256_and_si256(key, bytes), k = _mm256_and_si256(_mm256_srli_epi32(key, 8), bytes);
    const __m256i x0 = _mm256_and_si256(x, even), x1 = _mm256_srli_epi64(x, 32), place = _mm256_sll_epi32(k, bits);
    __m256i place0 = _mm256_and_si256(place, even), place1 = _mm256_srli_epi64(place, 32);
    __m256i l0 = _mm256_setzero_si256(), l1 = l0;
    for (int v = 0; v < WORDS; ++v) {
      l0 = _mm256_or_si256(l0, _mm256_srlv_epi64(word0[v], place0));
      l1 = _mm256_or_si256(l1, _mm256_srlv_epi64(word1[v], place1));
      word0[v] = _mm256_add_epi64(word0[v], _mm256_sllv_epi64(x0, place0));
      word1[v] = _mm256_add_epi64(word1[v], _mm256_sllv_epi64(x1, place1));
      place0 = _mm256_sub_epi64(place0, _mm256_set1_epi64x(64));
      place1 = _mm256_sub_epi64(place1, _mm256_set1_epi64x(64));
    }
    const __m256i l = _mm256_or_si256(_mm256_and_si256(l0, mask), _mm256_slli_epi64(_mm256_and_si256(l1, mask), 32));
    const __m256i all =
        WORDS == 1 ? _mm256_permutevar8x32_epi32(total, k) : _mm256_i32gather_epi32(classes.total, k, 4);
    const __m256i r = _mm256_sub_epi32(all, l);
    left = _mm256_add_epi32(left, _mm256_madd_epi16(x, _mm256_add_epi32(_mm256_add_epi32(l, l), x)));
    right = _mm256_sub_epi32(right, _mm256_madd_epi16(x, _mm256_sub_epi32(_mm256_add_epi32(r, r), x)));
    n = _mm256_add_epi32(n, x);
    const __m256i rest = _mm256_sub_epi32(w, n);
    const __m256i above = _mm256_add_epi32(_mm256_mullo_epi32(left, rest), _mm256_mullo_epi32(right, n));
    const __m256i below = _mm256_madd_epi16(n, rest);
    // Codes differ where the larger key does not begin like the smaller one.
    const __m256i valid = _mm256_cmpgt_epi32(_mm256_srli_epi32(next, 16), _mm256_srli_epi32(key, 16));
    const __m256d more0 =
        better(low, _mm256_castsi256_si128(above), _mm256_castsi256_si128(below), _mm256_castsi256_si128(valid));
    const __m256d more1 = better(high, _mm256_extracti128_si256(above, 1), _mm256_extracti128_si256(below, 1),
                                 _mm256_extracti128_si256(valid, 1));
    const __m256i more = _mm256_permute4x64_epi64(
        _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(more0), _mm256_castpd_ps(more1), 0x88)), 0xD8);
    at = _mm256_blendv_epi8(at, _mm256_set1_epi32(static_cast<int>(i)), more);
  }
  _mm256_storeu_pd(out.above, low.above), _mm256_storeu_pd(out.above + 4, high.above);
  _mm256_storeu_pd(out.below, low.below), _mm256_storeu_pd(out.below + 4, high.below);
  std::uint32_t place[LANE_COLUMNS];
  store(place, at);
  name_codes(keys, place, out);
}

AVX512DQ_INLINE __m512i all(std::int64_t v) { return _mm512_set1_epi64(v); }

// The same with words of 64 bits for all that belongs to a column: nothing has to be split in two.
template <int WORDS>
AVX512 void walk_wide(const std::uint32_t* keys, Index m, const LaneClasses& classes, LaneCuts& out) {
  const int bits = classes.bits();
  const __m512i bytes = all(255), w = all(classes.w), mask = all((1 << bits) - 1), code = all(0xffff0000);
  const __m512i shift = all(bits == 8 ? 5 : 4), places = all(bits == 8 ? 255 << 3 : 255 << 4);
  const __m512i total0 = _mm512_loadu_si512(classes.total), total1 = _mm512_loadu_si512(classes.total + 16);
  std::int32_t squares = 0;
  for (const std::int32_t t : classes.total) squares += t * t;
  __m512i left = _mm512_setzero_si512(), n = left, at = left, right = all(squares), word[WORDS];
  for (int v = 0; v < WORDS; ++v) word[v] = left;
  __m512d above = _mm512_set1_pd(-1), below = _mm512_set1_pd(1);
  __m512i next = _mm512_cvtepu32_epi64(load(keys));
  for (Index i = 0; i + 1 < m; ++i) {
    const __m512i key = next;
    next = _mm512_cvtepu32_epi64(load(keys + (i + 1) * C));
    const __m512i x = _mm512_and_si512(key, bytes);
    __m512i place = _mm512_and_si512(_mm512_srlv_epi64(key, shift), places), l = _mm512_setzero_si512();
    for (int v = 0; v < WORDS; ++v) {
      l = _mm512_or_si512(l, _mm512_srlv_epi64(word[v], place));
      word[v] = _mm512_add_epi64(word[v], _mm512_sllv_epi64(x, place));
      place = _mm512_sub_epi64(place, all(64));
    }
    l = _mm512_and_si512(l, mask);
    // Only the lower halves of what is multiplied count.
    const __m512i k = _mm512_and_si512(_mm512_srli_epi64(key, 8), bytes),
                  r = _mm512_sub_epi64(_mm512_permutex2var_epi32(total0, k, total1), l);
    left = _mm512_add_epi64(left, _mm512_mul_epu32(x, _mm512_add_epi64(_mm512_add_epi64(l, l), x)));
    right = _mm512_sub_epi64(right, _mm512_mul_epu32(x, _mm512_sub_epi64(_mm512_add_epi64(r, r), x)));
    n = _mm512_add_epi64(n, x);
    const __m512i rest = _mm512_sub_epi64(w, n);
    const __m512d a = _mm512_cvtepu64_pd(_mm512_add_epi64(_mm512_mul_epu32(left, rest), _mm512_mul_epu32(right, n)));
    const __m512d b = _mm512_cvtepu64_pd(_mm512_mul_epu32(n, rest));
    const __mmask8 more = _mm512_mask_cmp_pd_mask(_mm512_test_epi64_mask(_mm512_xor_si512(key, next), code),
                                                  _mm512_mul_pd(a, below), _mm512_mul_pd(above, b), _CMP_GT_OQ);
    above = _mm512_mask_mov_pd(above, more, a);
    below = _mm512_mask_mov_pd(below, more, b);
    at = _mm512_mask_mov_epi64(at, more, all(i));
  }
  std::int64_t place[LANE_COLUMNS];
  _mm512_storeu_pd(out.above, above), _mm512_storeu_pd(out.below, below), _mm512_storeu_si512(place, at);
  name_codes(keys, place, out);
}

template <class T>
AVX2 void avx2_cuts(const SmallNode<T>& node, const LaneClasses& classes, const std::uint32_t* columns,
                    LaneSpace& space, LaneCuts& out) {
  const __m256i column = load(columns);
  for (Index i = 0; i < node.m; ++i) {
    __m256i code = codes_of(node, i, column);
    if (sizeof(T) == 1) code = _mm256_and_si256(code, _mm256_set1_epi32(255));
    store(space.keys + i * C, _mm256_or_si256(_mm256_slli_epi32(code, 16), _mm256_set1_epi32(classes.payload[i])));
  }
  sort_lanes(space.keys, node.m);
  const Index words = classes.words();
  const auto walk = simd::level() == simd::Level::avx512 ? (words == 1   ? walk_wide<1>
                                                            : words == 2 ? walk_wide<2>
                                                                         : walk_wide<4>)
                                                         : (words == 1   ? walk_lanes<1>
                                                            : words == 2 ? walk_lanes<2>
                                                                         : walk_lanes<4>);
  walk(space.keys, node.m, classes, out);
}

#endif

}  // namespace

template <class T>
void best_cuts(const SmallNode<T>& node, const LaneClasses& classes, const std::uint32_t* columns, LaneSpace& space,
               LaneCuts& out) {
#ifdef WIDEMARGIN_X86
  if (simd::level() != simd::Level::scalar) return avx2_cuts(node, classes, columns, space, out);
#endif
  plain_cuts(node, classes, columns, space, out);
}

template void best_cuts(const SmallNode<std::uint8_t>&, const LaneClasses&, const std::uint32_t*, LaneSpace&,
                        LaneCuts&);
template void best_cuts(const SmallNode<std::uint16_t>&, const LaneClasses&, const std::uint32_t*, LaneSpace&,
                        LaneCuts&);
}  // namespace widemargin
