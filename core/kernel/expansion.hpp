// Sums of kernel values without the matrix: what a kernel machine says of rows.
//
// Problem  out[p * n + i] = sum_j c[p * m + j] k(x_i, z_j) for all rows x_i of one side and p = 0 .. parts-1
// Method   tiles of 64 rows and 256 others are computed, summed in the type of the rows, added up in float64, and
//          forgotten
#pragma once

#include "base/poll.hpp"
#include "kernel/panel.hpp"

namespace widemargin {

template <class T>
void kernel_sums(const AnyRows& x, const AnyRows& z, const KernelSpec& spec, const double* c, Index parts, double* out,
                 int threads, Poll poll);

// The same of one part in float32 for a radial kernel, with |out[i] - exact| <= error[i], which is infinite where
// nothing is known, and otherwise                                                               [Higham02, sec. 3.1]
//   rho_i sum_j |c_j| k(x_i, z_j) + L ((2 + gamma (|x_i| + R)^2) (m + d + 20) 2^-52 + 2^-90 (1 + gamma)),
// L = sum |c_j|, R the longest |z_j|, rho_i the error of a value (panel.hpp) and of the sum of a tile.
void radial_sums(const AnyRows& x, const AnyRows& z, const KernelSpec& spec, const double* c, double* out,
                 double* error, int threads, Poll poll);

// out[i] = sum_j c_j k(x_i, x_j) over j in J, without repetitions: rows J with each other only once, since
// k(x_i, x_j) = k(x_j, x_i).
template <class T>
void kernel_expansion(const AnyRows& x, const KernelSpec& spec, const Column* J, const double* c, Index m, double* out,
                      int threads, Poll poll);

// The same in float64 for many expansions, each over its own items: those of part p end at ends[p], and item a of it
// has the coefficient c[a] and the sum out[a].
void kernel_expansions(const AnyRows& x, const KernelSpec& spec, const Column* items, const Index* ends, Index parts,
                       const double* c, double* out, int threads, Poll poll);

}  // namespace widemargin
