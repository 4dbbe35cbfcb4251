// From dot products to kernel values, in place, while the tile is in the cache.
//
// exp  for x <= 0 only: x = n ln 2 + r, |r| <= ln 2 / 2, Taylor in r (degree 7 in float32, 13 in float64), 2^n by its
//      bits; below the range of normal numbers the result is 0. Largest relative error measured on 18 million points:
//      7.9e-8 and 1.4e-16 with vectors, 1.1e-7 and 1.9e-16 without; `exp_error` is what bounds may rest on.
// tanh |x| = (1 - e) / (1 + e) with e = exp(-2 |x|); below 0.35, where 1 - e would cancel, the seventh convergent of
//      Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))).
// rbf  by powers of two, one product less than by powers of e: a polynomial of degree 5 (relative error 9.2e-8, 1.6e-7
//      with its roundings) in float32, of degree 11 (1.8e-17) in float64
#pragma once

#include "base/types.hpp"
#include "kernel/spec.hpp"

namespace widemargin {

constexpr double exp_error = 8;  // units of roundoff (2^-24 or 2^-53)
constexpr double log2_e = 0x1.71547652b82fep+0;

// k[a][b], a < m and b < n, holds x_a . z_b and becomes the kernel value. `ga`, `gb`: gamma |x_a|^2, gamma |z_b|^2
// times log2_e (rbf only).
template <class T>
void finish(const KernelSpec& spec, T* const* k, Index m, Index n, const T* ga, const T* gb);

// x[i] = exp(x[i]) for x[i] <= 0.
template <class T>
void exp_nonpositive(T* x, Index n);

// x[i] = tanh(x[i]).
template <class T>
void tanh_all(T* x, Index n);

}  // namespace widemargin
