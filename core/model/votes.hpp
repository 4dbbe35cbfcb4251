// The voted perceptron's answer: sum over its vectors n of survival_n sgn(u_n(x)), where u_n is the sum of the first n steps.
#pragma once

#include "base/types.hpp"

namespace widemargin {

// k: m rows of kernel values with the support (leading dimension ld); step t is step[t] (k[., at[t]] + one).
void votes(const double* k, Index ld, Index m, Span<const Column> at, const double* step, const double* survival, double one,
           double* out, int threads);

}  // namespace widemargin
