// One text for all instruction sets, as in kernel/products.cpp.
#include "kernel/turn.hpp"

#include "base/simd.hpp"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define WIDEMARGIN_X86 1
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx2")))
#endif

namespace widemargin {
namespace {

template <class T>
void one_by_one(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld) {
  for (Index b = 0; b < columns; ++b)
    for (Index a = 0; a < rows; ++a) to[b * to_ld + a] = from[a * ld + b];
}

#if defined(__GNUC__)
template <class T>
struct Strided {
  T* to;
  Index ld;
  WIDEMARGIN_INLINED T* operator()(Index a) const { return to + a * ld; }
};

template <int Bytes, class T>
WIDEMARGIN_INLINED void turned(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld) {
  constexpr Index W = Bytes / sizeof(T);
  Index a = 0;
  for (; a + W <= rows; a += W) {
    Index b = 0;
    for (; b + W <= columns; b += W)
      Square<T, Bytes>::turn(from + a * ld + b, ld, W, Strided<T>{to + b * to_ld + a, to_ld});
    one_by_one(from + a * ld + b, ld, W, columns - b, to + b * to_ld + a, to_ld);
  }
  one_by_one(from + a * ld, ld, rows - a, columns, to + a, to_ld);
}
#endif

#ifdef WIDEMARGIN_X86
template <class T>
AVX2 void avx2_turned(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld) {
  turned<32>(from, ld, rows, columns, to, to_ld);
}
template <class T>
AVX512 void avx512_turned(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld) {
  turned<64>(from, ld, rows, columns, to, to_ld);
}
#endif

}  // namespace

template <class T>
void turn_over(const T* from, Index ld, Index rows, Index columns, T* to, Index to_ld) {
#ifdef WIDEMARGIN_X86
  if (simd::level() == simd::Level::avx512) return avx512_turned(from, ld, rows, columns, to, to_ld);
  if (simd::level() == simd::Level::avx2) return avx2_turned(from, ld, rows, columns, to, to_ld);
#endif
#if defined(__GNUC__)
  turned<16>(from, ld, rows, columns, to, to_ld);
#else
  one_by_one(from, ld, rows, columns, to, to_ld);
#endif
}

template void turn_over(const float*, Index, Index, Index, float*, Index);
template void turn_over(const double*, Index, Index, Index, double*, Index);

}  // namespace widemargin
