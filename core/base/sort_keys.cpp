#include "base/sort_keys.hpp"

#include <algorithm>

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2"), always_inline)) inline
#endif

namespace widemargin {
namespace {

template <class Key>
void insertion_sort(Key* keys, Index m) {
  for (Index i = 1; i < m; ++i) {
    const Key k = keys[i];
    Index j = i;
    for (; j > 0 && keys[j - 1] > k; --j) keys[j] = keys[j - 1];
    keys[j] = k;
  }
}

// Bytes from the given bit on; those that all keys share are passed over.
template <class Key>
void radix_sort(Key* keys, Index m, Key* spare, unsigned shift) {
  Key any = 0, all = ~Key{0};
  for (Index i = 0; i < m; ++i) any |= keys[i], all &= keys[i];
  const Key differs = any & ~all;
  Key *from = keys, *to = spare;
  for (; shift < 8 * sizeof(Key); shift += 8) {
    if (!((differs >> shift) & 255)) continue;
    Index count[257] = {};
    for (Index i = 0; i < m; ++i) ++count[((from[i] >> shift) & 255) + 1];
    for (int b = 1; b < 257; ++b) count[b] += count[b - 1];
    for (Index i = 0; i < m; ++i) to[count[(from[i] >> shift) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + m, keys);
}

template <class Key>
void plain_sort(Key* keys, Index m, Key* spare, unsigned from) {
  if (m <= 24) return insertion_sort(keys, m);
  if (m <= 192) return std::sort(keys, keys + m);
  radix_sort(keys, m, spare, from);
}

#ifdef WIDEMARGIN_X86
// Compares lanes with those that `p` names; lanes in `mask` keep the larger.
#define STAGE(v, p, mask)                                                                 \
  do {                                                                                    \
    const __m256i other = _mm256_permutevar8x32_epi32(v, p);                              \
    v = _mm256_blend_epi32(_mm256_min_epu32(v, other), _mm256_max_epu32(v, other), mask); \
  } while (0)
#define SWAP1 _mm256_setr_epi32(1, 0, 3, 2, 5, 4, 7, 6)
#define SWAP2 _mm256_setr_epi32(2, 3, 0, 1, 6, 7, 4, 5)
#define SWAP4 _mm256_setr_epi32(4, 5, 6, 7, 0, 1, 2, 3)
#define TURN4 _mm256_setr_epi32(3, 2, 1, 0, 7, 6, 5, 4)
#define TURN8 _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)

AVX2 __m256i sorted8(__m256i v) {
  STAGE(v, SWAP1, 0xAA);
  STAGE(v, TURN4, 0xCC);
  STAGE(v, SWAP1, 0xAA);
  STAGE(v, TURN8, 0xF0);
  STAGE(v, SWAP2, 0xCC);
  STAGE(v, SWAP1, 0xAA);
  return v;
}

AVX2 __m256i merged8(__m256i v) {
  STAGE(v, SWAP4, 0xF0);
  STAGE(v, SWAP2, 0xCC);
  STAGE(v, SWAP1, 0xAA);
  return v;
}

AVX2 void order(__m256i& a, __m256i& b) {
  const __m256i low = _mm256_min_epu32(a, b);
  b = _mm256_max_epu32(a, b);
  a = low;
}

// v[0 .. V) holds two sorted halves; afterwards all is sorted.
template <int V>
AVX2 void merge(__m256i* v) {
  for (int i = 0; i < V / 2; ++i) {
    __m256i b = _mm256_permutevar8x32_epi32(v[V - 1 - i], TURN8);
    order(v[i], b);
    v[V - 1 - i] = b;
  }
  for (int gap = V / 4; gap >= 1; gap /= 2)
    for (int i = 0; i < V; i += 2 * gap)
      for (int j = i; j < i + gap; ++j) order(v[j], v[j + gap]);
  for (int i = 0; i < V; ++i) v[i] = merged8(v[i]);
}

template <int V>
AVX2 void sort_vectors(__m256i* v) {
  if constexpr (V == 1) {
    v[0] = sorted8(v[0]);
  } else {
    sort_vectors<V / 2>(v);
    sort_vectors<V / 2>(v + V / 2);
    merge<V>(v);
  }
}

template <int V>
__attribute__((target("avx2"))) void network(std::uint32_t* keys, Index m) {
  for (Index i = m; i < 8 * V; ++i) keys[i] = ~0u;
  __m256i v[V];
  for (int i = 0; i < V; ++i) v[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys) + i);
  sort_vectors<V>(v);
  for (int i = 0; i < V; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys) + i, v[i]);
}
#endif

}  // namespace

void sort_keys(std::uint32_t* keys, Index m, std::uint32_t* spare, unsigned from) {
#ifdef WIDEMARGIN_X86
  if (m <= 512 && simd::level() != simd::Level::scalar) {
    if (m <= 8) return network<1>(keys, m);
    if (m <= 16) return network<2>(keys, m);
    if (m <= 32) return network<4>(keys, m);
    if (m <= 64) return network<8>(keys, m);
    if (m <= 128) return network<16>(keys, m);
    if (m <= 256) return network<32>(keys, m);
    return network<64>(keys, m);
  }
#endif
  plain_sort(keys, m, spare, from);
}

void sort_keys(std::uint64_t* keys, Index m, std::uint64_t* spare, unsigned from) { plain_sort(keys, m, spare, from); }

}  // namespace widemargin
