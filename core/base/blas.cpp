#include "base/blas.hpp"

#include "base/error.hpp"

namespace widemargin::blas {
namespace {

Gemm<float> single = nullptr;
Gemm<double> twice = nullptr;

Gemm<float> gemm(float) { return single; }
Gemm<double> gemm(double) { return twice; }

}  // namespace

void set(Gemm<float> sgemm, Gemm<double> dgemm) { single = sgemm, twice = dgemm; }
bool ready() { return single != nullptr && twice != nullptr; }

template <class T>
void row_products(const T* a, Index lda, Index m, const T* b, Index ldb, Index n, Index d, T* c, Index ldc) {
  if (!ready()) fail("no BLAS was handed to the core");
  // Column-major BLAS sees c as its transpose: c' (n x m) = b (n x d) a' (d x m).
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), la = static_cast<int>(lda),
            lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  const T one = 1;
  for (Index k = 0; k < d; k += depth) {
    const int terms = static_cast<int>(std::min(depth, d - k));
    const T before = k == 0 ? T{0} : T{1};
    gemm(T{})("T", "N", &rows, &columns, &terms, &one, b + k, &lb, a + k, &la, &before, c, &lc);
  }
}

template void row_products(const float*, Index, Index, const float*, Index, Index, Index, float*, Index);
template void row_products(const double*, Index, Index, const double*, Index, Index, Index, double*, Index);

}  // namespace widemargin::blas
