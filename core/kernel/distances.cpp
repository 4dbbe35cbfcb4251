#include "kernel/distances.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "kernel/finish.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin {
namespace {

// A task is 16 rows, which stay in the cache, against as many others as there are in about 2^16 numbers.
constexpr Index tile_rows = 16, tile_numbers = 1 << 16, most_columns = 256;

struct Manhattan {
  static double term(double x, double z) { return std::abs(x - z); }
#ifdef WIDEMARGIN_X86
  AVX2 static inline __m256d add(__m256d sum, __m256d x, __m256d z) {
    return _mm256_add_pd(sum, _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(x, z)));
  }
#endif
};

struct ChiSquared {
  static double term(double x, double z) { return x + z != 0 ? (x - z) * (x - z) / (x + z) : 0.0; }
#ifdef WIDEMARGIN_X86
  AVX2 static inline __m256d add(__m256d sum, __m256d x, __m256d z) {
    const __m256d difference = _mm256_sub_pd(x, z), both = _mm256_add_pd(x, z);
    const __m256d term = _mm256_div_pd(_mm256_mul_pd(difference, difference), both);
    return _mm256_add_pd(sum, _mm256_and_pd(term, _mm256_cmp_pd(both, _mm256_setzero_pd(), _CMP_NEQ_UQ)));
  }
#endif
};

template <class Term>
double plain_distance(const double* x, const double* z, Index d) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Index j = 0;
  for (; j + 4 <= d; j += 4) {
    s0 += Term::term(x[j], z[j]);
    s1 += Term::term(x[j + 1], z[j + 1]);
    s2 += Term::term(x[j + 2], z[j + 2]);
    s3 += Term::term(x[j + 3], z[j + 3]);
  }
  for (; j < d; ++j) s0 += Term::term(x[j], z[j]);
  return (s0 + s1) + (s2 + s3);
}

#ifdef WIDEMARGIN_X86
template <class Term>
AVX2 double avx2_distance(const double* x, const double* z, Index d) {
  __m256d s0 = _mm256_setzero_pd(), s1 = s0;
  Index j = 0;
  for (; j + 8 <= d; j += 8) {
    s0 = Term::add(s0, _mm256_loadu_pd(x + j), _mm256_loadu_pd(z + j));
    s1 = Term::add(s1, _mm256_loadu_pd(x + j + 4), _mm256_loadu_pd(z + j + 4));
  }
  for (; j + 4 <= d; j += 4) s0 = Term::add(s0, _mm256_loadu_pd(x + j), _mm256_loadu_pd(z + j));
  const __m256d s = _mm256_add_pd(s0, s1);
  const __m128d h = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  double sum = _mm_cvtsd_f64(_mm_add_sd(h, _mm_unpackhi_pd(h, h)));
  for (; j < d; ++j) sum += Term::term(x[j], z[j]);
  return sum;
}
#else
template <class Term>
double avx2_distance(const double* x, const double* z, Index d) {
  return plain_distance<Term>(x, z, d);
}
#endif

// Row i in float64: itself, or a copy in `place`.
const double* in_double(const DenseRows<double>& rows, Index i, double*) { return rows[i].x; }
const double* in_double(const DenseRows<float>& rows, Index i, double* place) {
  std::copy_n(rows[i].x, rows.d, place);
  return place;
}

// Distances between rows of a and of b: `begin`, `end` on either side.
struct Tile {
  Index a0, a1, b0, b1, ld;
  double* out;
};

template <class Term, class A, class B>
void distances(const DenseRows<A>& a, const DenseRows<B>& b, const Tile& t) {
  const auto distance = simd::level() != simd::Level::scalar ? avx2_distance<Term> : plain_distance<Term>;
  thread_local std::vector<double> copy;
  copy.resize(static_cast<std::size_t>((tile_rows + 1) * a.d));
  const double* x[tile_rows];
  for (Index i = t.a0; i < t.a1; ++i) x[i - t.a0] = in_double(a, i, copy.data() + (i - t.a0 + 1) * a.d);
  for (Index j = t.b0; j < t.b1; ++j) {
    const double* z = in_double(b, j, copy.data());
    for (Index i = t.a0; i < t.a1; ++i) t.out[i * t.ld + j] = distance(x[i - t.a0], z, a.d);
  }
}

template <class Term, class A, class B>
double merged_distance(SparseRow<A> x, SparseRow<B> z) {
  double sum = 0;
  Index p = 0, q = 0;
  while (p < x.size && q < z.size) {
    if (x.j[p] == z.j[q])
      sum += Term::term(x.x[p++], z.x[q++]);
    else if (x.j[p] < z.j[q])
      sum += Term::term(x.x[p++], 0);
    else
      sum += Term::term(0, z.x[q++]);
  }
  for (; p < x.size; ++p) sum += Term::term(x.x[p], 0);
  for (; q < z.size; ++q) sum += Term::term(0, z.x[q]);
  return sum;
}

template <class Term, class A, class B>
void distances(const SparseRows<A>& a, const SparseRows<B>& b, const Tile& t) {
  for (Index i = t.a0; i < t.a1; ++i)
    for (Index j = t.b0; j < t.b1; ++j) t.out[i * t.ld + j] = merged_distance<Term>(a[i], b[j]);
}

template <class Term, class A, class B>
void distances(const A&, const B&, const Tile&) {
  fail("one side is sparse and the other is not");
}

template <class Term>
void kernel_tile(const AnyRows& a, const AnyRows& b, double gamma, const Tile& t) {
  std::visit([&](const auto& left, const auto& right) { distances<Term>(left, right, t); }, a, b);
  for (Index i = t.a0; i < t.a1; ++i) {
    double* row = t.out + i * t.ld + t.b0;
    for (Index j = 0; j < t.b1 - t.b0; ++j) row[j] *= -gamma;
    exp_nonpositive(row, t.b1 - t.b0);
  }
}

}  // namespace

void distance_block(const AnyRows& a, const AnyRows& b, DistanceKind kind, double gamma, double* out, int threads,
                    Poll poll) {
  if (width(a) != width(b)) fail("the two sides have different numbers of features");
  if (!(gamma >= 0)) fail("gamma must not be negative");
  const Index m = count(a), n = count(b);
  const Index length = std::max<Index>((n ? stored(b) / n : 0) + (m ? stored(a) / m : 0), 1);
  const Index tile_columns = std::clamp<Index>(tile_numbers / length, 1, most_columns);
  const Index down = (m + tile_rows - 1) / tile_rows, across = (n + tile_columns - 1) / tile_columns;
  parallel_for(
      down * across, threads,
      [&](Index t) {
        const Index i = t / across * tile_rows, j = t % across * tile_columns;
        const Tile tile{i, std::min(m, i + tile_rows), j, std::min(n, j + tile_columns), n, out};
        kind == DistanceKind::laplacian ? kernel_tile<Manhattan>(a, b, gamma, tile)
                                        : kernel_tile<ChiSquared>(a, b, gamma, tile);
      },
      poll);
}

}  // namespace widemargin
