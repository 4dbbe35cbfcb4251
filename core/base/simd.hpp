// The few loops over contiguous numbers that are worth explicit vector instructions, chosen once at run time.
// Sums are kept in four (plain) or four vectors of (AVX2) partial sums: the compiler may not reorder additions by itself.
#pragma once

#include "base/types.hpp"

namespace widemargin::simd {

enum class Level { scalar, avx2 };

Level detected();            // what this CPU can do
Level level();               // what is in use
void set_level(Level wish);  // never above detected(); call before any fit

double dot(const double* x, const double* w, Index d);
double dot(const float* x, const double* w, Index d);
void add(double s, const double* x, double* w, Index d);  // w += s x
void add(double s, const float* x, double* w, Index d);

}  // namespace widemargin::simd
