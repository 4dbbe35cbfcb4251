// Kernels of rows that the core computes itself, all functions of x.z, |x|^2 and |z|^2:
//   linear      x.z
//   polynomial  (gamma x.z + offset)^degree
//   rbf         exp(-gamma |x - z|^2)
//   tanh        tanh(gamma x.z + offset), not positive semidefinite in general
#pragma once

#include "base/types.hpp"

namespace widemargin {

enum class KernelKind : int { linear, polynomial, rbf, tanh };

struct KernelSpec {
  KernelKind kind = KernelKind::linear;
  double gamma = 1;
  double offset = 0;
  int degree = 1;
};

}  // namespace widemargin
