#include "solver/random_lanes.hpp"

#include <algorithm>
#include <bit>

#include "base/gather.hpp"
#include "base/simd.hpp"
#include "solver/random_splitter.hpp"

#ifdef WIDEMARGIN_X86
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,popcnt")))
#endif

namespace widemargin {
namespace {

constexpr auto C = static_cast<Index>(LANE_COLUMNS);

float* numbers(LaneSpace& space) { return reinterpret_cast<float*>(space.keys); }
const float* numbers(const LaneSpace& space) { return reinterpret_cast<const float*>(space.keys); }

template <class T>
void plain_extremes(const SmallNode<T>& node, const std::uint32_t* columns, LaneSpace& space, float* low, float* high) {
  float* v = numbers(space);
  for (Index i = 0; i < node.m; ++i)
    for (Index c = 0; c < C; ++c) {
      const auto x = static_cast<float>(node.at[node.rows[i] * node.stride + columns[c]]);
      v[i * C + c] = x;
      low[c] = i && low[c] <= x ? low[c] : x;
      high[c] = i && high[c] >= x ? high[c] : x;
    }
}

void plain_thresholds(unsigned useful, const double* shares, const float* low, const float* high, float* threshold) {
  double u[LANE_COLUMNS];
  for (unsigned c = 0, k = 0; c < LANE_COLUMNS; k += useful >> c++ & 1) u[c] = shares[k];
  for (Index c = 0; c < C; ++c) threshold[c] = random_threshold(low[c], high[c], u[c]);
}

void plain_sides(const LaneSpace& space, const Index* first, Index classes, const float* cut, LaneSides& out) {
  const float* v = numbers(space);
  out = {};
  for (Index k = 0; k < classes; ++k)
    for (Index c = 0; c < C; ++c) {
      std::int32_t l = 0;
      for (Index i = first[k]; i < first[k + 1]; ++i) l += v[i * C + c] <= cut[c];
      const std::int32_t r = static_cast<std::int32_t>(first[k + 1] - first[k]) - l;
      out.left[c] += l * l, out.right[c] += r * r, out.rows[c] += l;
    }
}

int plain_choice(unsigned useful, const LaneSides& s, const LaneTest& test, double& best) {
  double score[LANE_COLUMNS];
  int chosen = -1;
  for (int c = 0; c < LANE_COLUMNS; ++c)
    score[c] = static_cast<double>(s.left[c]) / s.rows[c] + static_cast<double>(s.right[c]) / (test.m - s.rows[c]);
  for (int c = 0; c < LANE_COLUMNS; ++c) {
    const auto least = static_cast<double>(std::min(s.rows[c], test.m - s.rows[c]));
    const bool better = (useful >> c & 1) & (least >= test.fewest) & (score[c] > best + test.slack);
    best = better ? score[c] : best;
    chosen = better ? c : chosen;
  }
  return chosen;
}

#ifdef WIDEMARGIN_X86
AVX2_INLINE __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
AVX2_INLINE void store(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }

template <class T>
AVX2 void avx2_extremes(const SmallNode<T>& node, const std::uint32_t* columns, LaneSpace& space, float* low,
                        float* high) {
  const __m256i column = load(columns);
  __m256 least{}, most{};
  float* v = numbers(space);
  for (Index i = 0; i < node.m; ++i) {
    const __m256i code = gather8<sizeof(T)>(node.at + node.rows[i] * node.stride, column);
    __m256 x = _mm256_castsi256_ps(code);
    if constexpr (sizeof(T) == 1) x = _mm256_cvtepi32_ps(_mm256_and_si256(code, _mm256_set1_epi32(255)));
    _mm256_storeu_ps(v + i * C, x);
    least = i ? _mm256_min_ps(least, x) : x;
    most = i ? _mm256_max_ps(most, x) : x;
  }
  _mm256_storeu_ps(low, least);
  _mm256_storeu_ps(high, most);
}

AVX2 void avx2_sides(const LaneSpace& space, const Index* first, Index classes, const float* cut, LaneSides& out) {
  const float* v = numbers(space);
  const __m256 c = _mm256_loadu_ps(cut);
  __m256i left = _mm256_setzero_si256(), right = left, rows = left;
  for (Index k = 0; k < classes; ++k) {
    __m256i l = _mm256_setzero_si256();
    for (Index i = first[k]; i < first[k + 1]; ++i)
      l = _mm256_sub_epi32(l, _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(v + i * C), c, _CMP_LE_OQ)));
    const __m256i r = _mm256_sub_epi32(_mm256_set1_epi32(static_cast<int>(first[k + 1] - first[k])), l);
    left = _mm256_add_epi32(left, _mm256_madd_epi16(l, l));
    right = _mm256_add_epi32(right, _mm256_madd_epi16(r, r));
    rows = _mm256_add_epi32(rows, l);
  }
  store(out.left, left), store(out.right, right), store(out.rows, rows);
}

AVX512 void wide_thresholds(unsigned useful, const double* shares, const float* low, const float* high,
                            float* threshold) {
  const __m256 least = _mm256_loadu_ps(low);
  const __m512d u = _mm512_maskz_expandloadu_pd(static_cast<__mmask8>(useful), shares), a = _mm512_cvtps_pd(least),
                b = _mm512_cvtps_pd(_mm256_loadu_ps(high));
  const __m512d exact = _mm512_add_pd(a, _mm512_mul_pd(u, _mm512_sub_pd(b, a)));
  const __m256 near = _mm512_cvtpd_ps(exact);
  const __m256i bits = _mm256_castps_si256(near),
                up = _mm256_or_si256(_mm256_srai_epi32(bits, 31), _mm256_set1_epi32(1));
  const __mmask8 above = _mm512_cmp_pd_mask(_mm512_cvtps_pd(near), exact, _CMP_GT_OQ);
  const __m256 t = _mm256_castsi256_ps(_mm256_mask_sub_epi32(bits, above, bits, up));
  const __m512d d = _mm512_cvtps_pd(t);
  const __mmask8 outside = _mm512_cmp_pd_mask(d, b, _CMP_GE_OQ) | _mm512_cmp_pd_mask(d, a, _CMP_LT_OQ);
  _mm256_storeu_ps(threshold, _mm256_mask_mov_ps(t, outside, least));
}

// Of lanes that are clearly behind the largest score none is ever the best but one before it. Where all others have
// just that score, the first of them is chosen; where some differ from it by rounding, lanes are looked at one by one.
AVX512 int wide_choice(unsigned useful, const LaneSides& s, const LaneTest& test, double& best) {
  const __m256i l = load(s.rows), r = _mm256_sub_epi32(_mm256_set1_epi32(test.m), l);
  const __m512d scores = _mm512_add_pd(_mm512_div_pd(_mm512_cvtepi32_pd(load(s.left)), _mm512_cvtepi32_pd(l)),
                                       _mm512_div_pd(_mm512_cvtepi32_pd(load(s.right)), _mm512_cvtepi32_pd(r)));
  const __mmask8 may =
      _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(useful), _mm512_cvtepi32_pd(_mm256_min_epi32(l, r)),
                              _mm512_set1_pd(test.fewest), _CMP_GE_OQ);
  const __m512d score = _mm512_mask_mov_pd(_mm512_set1_pd(-1), may, scores);
  const double top = _mm512_reduce_max_pd(score);
  if (!(top > best + test.slack) || top < 0) return -1;
  const __mmask8 equal = _mm512_cmp_pd_mask(score, _mm512_set1_pd(top), _CMP_EQ_OQ),
                 near = _mm512_cmp_pd_mask(score, _mm512_set1_pd(top - 2 * test.slack), _CMP_GE_OQ);
  if (equal != near) return plain_choice(useful, s, test, best);
  best = top;
  return std::countr_zero(static_cast<unsigned>(equal));
}

bool vectors() { return simd::level() != simd::Level::scalar; }
bool wide() { return simd::level() == simd::Level::avx512; }
#endif

}  // namespace

template <class T>
void lane_extremes(const SmallNode<T>& node, const std::uint32_t* columns, LaneSpace& space, float* low, float* high) {
#ifdef WIDEMARGIN_X86
  if (vectors()) return avx2_extremes(node, columns, space, low, high);
#endif
  plain_extremes(node, columns, space, low, high);
}

void lane_thresholds(unsigned useful, const double* shares, const float* low, const float* high, float* threshold) {
#ifdef WIDEMARGIN_X86
  if (wide()) return wide_thresholds(useful, shares, low, high, threshold);
#endif
  plain_thresholds(useful, shares, low, high, threshold);
}

void lane_sides(const LaneSpace& space, const Index* first, Index classes, const float* cut, LaneSides& out) {
#ifdef WIDEMARGIN_X86
  if (vectors()) return avx2_sides(space, first, classes, cut, out);
#endif
  plain_sides(space, first, classes, cut, out);
}

int lane_choice(unsigned useful, const LaneSides& sides, const LaneTest& test, double& best) {
#ifdef WIDEMARGIN_X86
  if (wide()) return wide_choice(useful, sides, test, best);
#endif
  return plain_choice(useful, sides, test, best);
}

template void lane_extremes(const SmallNode<std::uint8_t>&, const std::uint32_t*, LaneSpace&, float*, float*);
template void lane_extremes(const SmallNode<float>&, const std::uint32_t*, LaneSpace&, float*, float*);

}  // namespace widemargin
