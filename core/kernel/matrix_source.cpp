#include "kernel/matrix_source.hpp"

#include <numeric>

#include "base/parallel.hpp"
#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

namespace widemargin {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

#ifdef WIDEMARGIN_X86
AVX2 Index avx2_pick(const float* row, const Column* I, Index m, float* out) {
  Index b = 0;
  for (; b + 8 <= m; b += 8) {
    const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(I + b));
    _mm256_storeu_ps(out + b, _mm256_i32gather_ps(row, at, 4));
  }
  return b;
}
#endif

// out[b] = row[I[b]]
void pick(const float* row, const Column* I, Index m, float* out) {
  Index b = 0;
#ifdef WIDEMARGIN_X86
  if (simd::level() >= simd::Level::avx2) b = avx2_pick(row, I, m, out);
#endif
  for (; b < m; ++b) out[b] = row[I[b]];
}

// Each value is fetched once: what lies on the other side of the diagonal is copied.
void pick_square(const float* K, Index columns, const Column* I, Index m, float* out, Index ld) {
  constexpr Index block = 16;
  for (Index first = 0; first < m; first += block) {
    const Index last = std::min(m, first + block);
    for (Index a = first; a < last; ++a) pick(K + I[a] * columns, I + first, m - first, out + a * ld + first);
    for (Index b = last; b < m; ++b)
      for (Index a = first; a < last; ++a) out[b * ld + a] = out[a * ld + b];
  }
}

}  // namespace

void fill_matrix(RowSource& source, float* K, int threads, Poll poll) {
  constexpr Index panel = RowSource::panel, together = 8 * panel, chunk = 512;
  const Index n = source.n();
  std::vector<Column> items;
  for (Index first = 0; first < n; first += together) {
    const Index m = std::min(together, n - first);
    items.resize(z(m));
    std::iota(items.begin(), items.end(), static_cast<Column>(first));
    source.gather(items.data(), m);
    parallel_blocks(
        n, chunk, threads,
        [&](Index begin, Index end) {
          for (Index a = 0; a < m; a += panel) {
            float* out[panel];
            for (Index e = 0; e < std::min(panel, m - a); ++e) out[e] = K + (first + a + e) * n + begin;
            source.tile(a / panel, begin, end - begin, out);
          }
        },
        poll);
  }
}

void MatrixSource::tile(Index p, Index first, Index count, float* const* out) const {
  const Index m = std::min(panel, static_cast<Index>(items_.size()) - p * panel);
  for (Index a = 0; a < m; ++a) std::copy_n(K_ + items_[z(p * panel + a)] * n_ + first, count, out[a]);
}

void MatrixSource::square(const Column* I, Index m, float* out, Index ld, int) { pick_square(K_, n_, I, m, out, ld); }

SubmatrixSource::SubmatrixSource(const float* K, const double* diag, Index columns, const Column* of, Index n)
    : K_(K), diag_(diag), columns_(columns), of_(of, of + n), run_(z(n)) {
  for (std::size_t j = z(n); j-- > 0;) run_[j] = j + 1 < z(n) && of_[j + 1] == of_[j] + 1 ? run_[j + 1] + 1 : 1;
}

void SubmatrixSource::tile(Index p, Index first, Index count, float* const* out) const {
  const Index m = std::min(panel, static_cast<Index>(items_.size()) - p * panel);
  for (Index a = 0; a < m; ++a) {
    const float* row = K_ + at(items_[z(p * panel + a)]) * columns_;
    for (Index b = 0; b < count;) {
      const Index length = std::min(count - b, run_[z(first + b)]);
      std::copy_n(row + at(first + b), length, out[a] + b);
      b += length;
    }
  }
}

void SubmatrixSource::square(const Column* I, Index m, float* out, Index ld, int) {
  picked_.resize(z(m));
  for (Index a = 0; a < m; ++a) picked_[z(a)] = at(I[a]);
  pick_square(K_, columns_, picked_.data(), m, out, ld);
}

}  // namespace widemargin
