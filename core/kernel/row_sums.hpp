// Sums of rows of kernel values, each times its step: how scores follow coefficients.
#pragma once

#include "base/types.hpp"

namespace widemargin {

// f[b] += sum_a step[a] rows[a][b] and, unless `spread` is null, spread[b] += sum_a |step[a]| rows[a][b]. Eight rows at
// a time are summed in float32, the sums in float64, so that f is off by at most sum_error 2^-24 times the sum of
// |step[a] rows[a][b]| more.
constexpr double sum_error = 10;
void accumulate(const float* const* rows, const double* step, Index m, Index n, double* f, double* spread);

// f[b] += sum_a step[a] rows[a][b]: eight rows at a time are summed in float32, which adds errors of the size that the
// values have themselves, the sums in float64.
void accumulate_fast(const float* const* rows, const double* step, Index m, Index n, double* f);

// f[c][b] += sum_a step[a * columns + c] rows[a][b] for each column c, n <= 512: every value is read once for all
// columns. 64 rows at a time are summed in float32, the sums in float64.
void accumulate_columns(const float* const* rows, const float* step, Index m, Index columns, Index n, double* const* f);

}  // namespace widemargin
