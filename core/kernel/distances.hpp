// Kernels of a distance between rows that is no function of dot products.
//
//   laplacian    exp(-gamma sum_j |x_j - z_j|)
//   chi_squared  exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)), where a feature with x_j + z_j = 0 adds nothing
#pragma once

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

enum class DistanceKind : int { laplacian, chi_squared };

// out[i * n_b + j] = k(a_i, b_j). Both sides are dense, or both are sparse.
void distance_block(const AnyRows& a, const AnyRows& b, DistanceKind kind, double gamma, double* out, int threads,
                    Poll poll);

}  // namespace widemargin
