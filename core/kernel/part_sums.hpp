// Expansions over some of the items of a whole matrix of kernel values.
#pragma once

#include "base/types.hpp"

namespace widemargin {

// out_a = sum_b K(item a, item b) c_b over n items; c_b = 0 are skipped.
void part_sums(const double* K, Index stride, const Column* items, const double* c, Index n, double* out);

}  // namespace widemargin
