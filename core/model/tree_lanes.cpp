#include "model/tree_lanes.hpp"

#include <algorithm>
#include <bit>

#include "base/gather.hpp"
#include "base/simd.hpp"
#include "model/ahead.hpp"

#ifdef WIDEMARGIN_X86
#define AVX512 __attribute__((target("avx512f,avx2,popcnt")))
#endif

namespace widemargin {
namespace {

constexpr Index LANES = 16, VECTORS = 4;  // vectors in step: one need not wait for another's memory

#ifdef WIDEMARGIN_X86
constexpr Index FEWEST = 64;         // rows for which the upper levels are worth looking up
constexpr Index NEAR = 1 << 13;      // nodes of a tree that stays close, on average, where gathers are slow
constexpr int UPPER = 5, STEPS = 4;  // levels in registers; levels between two looks at who has arrived

struct Ground {
  const std::uint32_t* tree;
  const float* x;
  __m512i stride, columns;  // bytes of a row; bits of a word that name a column, in bytes
  __m128i shift;
};

// Rows that are falling, or have come to a leaf.
struct Ranks {
  std::uint32_t *row, *at;
  std::uint32_t *came, *leaf, *line;
  Index waiting, arrived;
};

AVX512_INLINE __m512i load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
AVX512_INLINE __m512i all(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }

AVX512_INLINE __m512i nodes(const Ground& g, __m256i at) { return gather_pairs<8>(g.tree, at); }
AVX512_INLINE __m512 numbers(const Ground& g, __m512i row, __m512i word) {
  return _mm512_castsi512_ps(gather16<1>(g.x, _mm512_add_epi32(row, _mm512_and_si512(word, g.columns))));
}

// Adds 1 where a number is larger than the threshold, or missing and sent right. No number is larger than a NaN, so
// nothing leaves a leaf.
template <bool missing>
AVX512_INLINE __m512i child(__m512i left, __m512 x, __m512 threshold, __m512i word) {
  __mmask16 right = _mm512_cmp_ps_mask(x, threshold, _CMP_GT_OQ);
  if constexpr (missing) right |= _mm512_mask_test_epi32_mask(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), word, all(FAR));
  return _mm512_mask_add_epi32(left, right, left, all(1));
}

// `row`: in bytes. The keys of the nodes that are left.
template <bool missing>
AVX512_INLINE __m512i step(const Ground& g, __m512i row, __m512i& at) {
  const __m512i low = nodes(g, _mm512_castsi512_si256(at)), high = nodes(g, _mm512_extracti64x4_epi64(at, 1));
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i key = _mm512_permutex2var_epi32(low, even, high);
  const __m512i word = _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, all(1)), high);
  const __m512 x = numbers(g, row, word);
  // number_of(key): key ^ (~sign | 2^31)
  const __m512i number = _mm512_ternarylogic_epi32(key, _mm512_srai_epi32(key, 31), all(0x80000000u), 0x4B);
  at = child<missing>(_mm512_srl_epi32(word, g.shift), x, _mm512_castsi512_ps(number), word);
  return key;
}

// Who has arrived leaves the ranks, the others close up: onto places that have been read before. A leaf is left for
// itself; its key does not tell, since a node that asks only whether a number is there has that of infinity.
AVX512_INLINE void close_up(Ranks& r, __mmask16 there, __m512i row, __m512i before, __m512i at, __m512i key) {
  const __mmask16 leaf = _mm512_mask_cmpeq_epi32_mask(there, before, at);
  const auto still = static_cast<__mmask16>(there & ~leaf);
  _mm512_storeu_si512(r.row + r.waiting, _mm512_maskz_compress_epi32(still, row));
  _mm512_storeu_si512(r.at + r.waiting, _mm512_maskz_compress_epi32(still, at));
  r.waiting += std::popcount(static_cast<unsigned>(still));
  _mm512_storeu_si512(r.came + r.arrived, _mm512_maskz_compress_epi32(leaf, row));
  _mm512_storeu_si512(r.leaf + r.arrived, _mm512_maskz_compress_epi32(leaf, at));
  _mm512_storeu_si512(r.line + r.arrived, _mm512_maskz_compress_epi32(leaf, _mm512_sub_epi32(key, all(LEAF_KEY))));
  r.arrived += std::popcount(static_cast<unsigned>(leaf));
}

// Some steps of the rows at place i and behind it, of which `left` are there. Behind them stand others that have been
// in this tree: they may fall along.
template <bool missing, int vectors>
AVX512_INLINE void some_steps(const Ground& g, Ranks& r, Index i, Index left) {
  __m512i at[vectors], row[vectors], start[vectors], key[vectors], before[vectors];
  for (int v = 0; v < vectors; ++v) {
    at[v] = load(r.at + i + v * LANES);
    row[v] = load(r.row + i + v * LANES);
    start[v] = _mm512_mullo_epi32(row[v], g.stride);
  }
  for (int s = 0; s < STEPS; ++s)
    for (int v = 0; v < vectors; ++v) {
      before[v] = at[v];
      key[v] = step<missing>(g, start[v], at[v]);
    }
  for (int v = 0; v < vectors; ++v) {
    const Index there = std::clamp<Index>(left - v * LANES, 0, LANES);
    close_up(r, static_cast<__mmask16>((1u << there) - 1), row[v], before[v], at[v], key[v]);
  }
}

template <bool missing>
AVX512 void fall_on(const Ground& g, Ranks& r) {
  while (r.waiting > 0) {
    const Index m = std::exchange(r.waiting, 0);
    Index i = 0;
    for (; i + 2 * LANES < m; i += VECTORS * LANES) some_steps<missing, VECTORS>(g, r, i, m - i);
    for (; i < m; i += LANES) some_steps<missing, 1>(g, r, i, m - i);
  }
}

// The upper levels as if all their leaves lay below them: a leaf is its own child on the left.
struct Upper {
  alignas(64) float threshold[1 << UPPER] = {};
  alignas(64) std::uint32_t word[1 << UPPER] = {}, node[2 << UPPER] = {};

  Upper(const std::uint32_t* tree, int shift) {
    for (std::size_t h = 1; h < 1 << UPPER; ++h) {
      const std::uint32_t* w = tree + std::size_t{2} * node[h];
      const std::uint32_t left = w[1] >> shift;
      threshold[h] = number_of(w[0]);
      word[h] = w[1];
      node[2 * h] = left;
      node[2 * h + 1] = left + (left != node[h]);
    }
  }
};

template <bool missing>
AVX512 void fall_through_upper(const Ground& g, const Upper& upper, Ahead ahead, Ranks& r) {
  __m512 threshold[2];
  __m512i word[2], node[2];
  for (int k = 0; k < 2; ++k) {
    threshold[k] = _mm512_load_ps(upper.threshold + k * LANES);
    word[k] = load(upper.word + k * LANES);
    node[k] = load(upper.node + (k + 2) * LANES);
  }
  const __m512i last = all(static_cast<std::uint32_t>(r.waiting) - 1);
  __m512i next = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (Index i = 0; i < r.waiting; i += VECTORS * LANES) {
    ahead.some();
    __m512i h[VECTORS], start[VECTORS];
    for (Index v = 0; v < VECTORS; ++v) {
      const __m512i row = _mm512_min_epu32(next, last);
      next = _mm512_add_epi32(next, all(LANES));
      _mm512_storeu_si512(r.row + i + v * LANES, row);
      start[v] = _mm512_mullo_epi32(row, g.stride);
      h[v] = all(1);
    }
    for (int s = 0; s < UPPER; ++s)
      for (Index v = 0; v < VECTORS; ++v) {
        const __m512i w = _mm512_permutexvar_epi32(h[v], word[s == UPPER - 1]);
        const __m512 x = numbers(g, start[v], w);
        const __m512 t = _mm512_permutexvar_ps(h[v], threshold[s == UPPER - 1]);
        h[v] = child<missing>(_mm512_add_epi32(h[v], h[v]), x, t, w);
      }
    for (Index v = 0; v < VECTORS; ++v)
      _mm512_storeu_si512(r.at + i + v * LANES, _mm512_permutex2var_epi32(node[0], h[v], node[1]));
  }
}

template <bool missing>
AVX512 void fall_512(const ForestView& forest, const std::uint32_t* tree, const float* x, Index stride, Ahead ahead,
                     Ranks& r) {
  const auto bytes = static_cast<std::uint32_t>(stride * static_cast<Index>(sizeof(float)));
  const Ground g{tree, x, all(bytes), all((std::uint32_t{1} << forest.shift) - 4), _mm_cvtsi32_si128(forest.shift)};
  fall_through_upper<missing>(g, Upper(tree, forest.shift), ahead, r);
  fall_on<missing>(g, r);
}
#endif

}  // namespace

bool LaneWalk::suits([[maybe_unused]] const ForestView& forest, [[maybe_unused]] const RowsView& rows,
                     [[maybe_unused]] Index n) {
#ifdef WIDEMARGIN_X86
  const Index bytes = n * rows.stride * static_cast<Index>(sizeof(float));
  if (simd::level() != simd::Level::avx512 || forest.words != 2 || forest.categorical) return false;
  const bool near = simd::swift_gathers() || forest.first[forest.trees] <= NEAR * forest.trees;
  return near && n >= FEWEST && bytes < (Index{1} << 31);
#else
  return false;
#endif
}

LaneWalk::LaneWalk(const ForestView& forest, const RowsView& rows, Index from, Index to)
    : forest_(forest), x_(rows.x + from * rows.stride), n_(to - from), stride_(rows.stride), missing_(rows.missing) {
  for (Buffer<std::uint32_t>* list : {&row_, &at_, &came_, &leaf_, &line_}) list->resize(n_ + VECTORS * LANES);
}

LaneWalk::Arrived LaneWalk::fall([[maybe_unused]] Index tree, [[maybe_unused]] bool more) {
#ifdef WIDEMARGIN_X86
  const auto begin = [&](Index t) { return forest_.nodes + 2 * forest_.first[t]; };
  const Ahead ahead(begin(tree + 1), begin(tree + 1 + more), (n_ + VECTORS * LANES - 1) / (VECTORS * LANES));
  Ranks r{row_.data(), at_.data(), came_.data(), leaf_.data(), line_.data(), n_, 0};
  const auto go = missing_ ? fall_512<true> : fall_512<false>;
  go(forest_, begin(tree), x_, stride_, ahead, r);
#endif
  return {came_.data(), leaf_.data(), line_.data()};
}

}  // namespace widemargin
