// Gathers that do not wait for each other.
//
// A gather keeps what its register held in lanes that are not asked for, so it waits for whoever wrote there last. All
// lanes are asked for here, by a mask that the compiler cannot see through: otherwise it would leave out the clearing
// of the register, and gathers for different rows would come one after the other.
#pragma once

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#if !defined(__clang__)  // what GCC's own header leaves open on purpose, it takes for an oversight of ours
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#define AVX2_INLINE __attribute__((target("avx2,popcnt"), always_inline)) inline
#define AVX512_INLINE __attribute__((target("avx512f,avx2,popcnt"), always_inline)) inline

namespace widemargin {

// Words at `scale` bytes times `at` behind `base`.
template <int scale>
AVX2_INLINE __m256i gather8(const void* base, __m256i at) {
  __m256i lanes = _mm256_set1_epi32(-1);
  asm("" : "+x"(lanes));
  return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), static_cast<const int*>(base), at, lanes, scale);
}

template <int scale>
AVX512_INLINE __m512i gather16(const void* base, __m512i at) {
  __mmask16 lanes = 0xffff;
  asm("" : "+Yk"(lanes));
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, at, base, scale);
}

// Eight pairs of words.
template <int scale>
AVX512_INLINE __m512i gather_pairs(const void* base, __m256i at) {
  __mmask8 lanes = 0xff;
  asm("" : "+Yk"(lanes));
  return _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), lanes, at, base, scale);
}

}  // namespace widemargin
#endif
