// The score of one row in float64, always computed in the same way: the referee where float32 leaves a sign open.
//
//   u(x_i) = sum_j c_j k(x_i, x_j) + one * sum_j c_j   over j in support, in the order of the rows
#pragma once

#include <vector>

#include "data/rows.hpp"
#include "kernel/spec.hpp"

namespace widemargin {

class ExactScore {
 public:
  ExactScore(const AnyRows& rows, const KernelSpec& spec, int threads);
  double operator()(Index i, Span<const Column> support, const double* c, double one);

 private:
  AnyRows rows_;
  KernelSpec spec_;
  std::vector<double> gq_;             // gamma |x|^2 log2_e, rbf only
  std::vector<double> w_, k_, gq_of_;  // row i spread out, kernel values, norms of the support
};

}  // namespace widemargin
