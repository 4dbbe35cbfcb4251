// Dual coordinate descent for all classes at once.
//
// Problem  min over W   1/2 sum_m |w_m|^2 + sum_i C_i max_m (e_im + z_im - z_iy),   z_im = w_m.x_i + c_m,
//          e_im = [m != y_i]
// Dual     max over b   -1/2 sum_m |w_m|^2 - sum_im e_im b_im   with w_m = sum_i b_im x_i,  b_im <= C_i [m = y_i],
//          sum_m b_im = 0;   for a free bias also sum_i b_im = 0 for all m
// Symbols  W has d + 1 lines of k numbers, the last is c; tau as in solver/dual_descent
// Stops    at the end of an epoch whose residuals, summed as the rows were visited, are below `aim` |dual|; after
//          `until_epoch` epochs; when the budget is spent. Any cut into calls gives the same state, bit for bit.
// Method   rows in random order, all variables of a row set to their optimum together [KeerthiEtAl08, sec. 3]; residual
//          of a row: sum_m a_m (max_l u_l - u_m), u = e + z, a_m = C [m = y] - b_m >= 0 [CrammerSinger01]. Rows
//          whose a lies all where u is largest, by more than the largest violation of the epoch before, are left out.
#pragma once

#include <vector>

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

struct ClassProblem {
  AnyRows rows;
  const Column* y;  // 0 .. k-1
  const double* C;
  Index k;
  double tau;
  bool free_bias;
  std::uint64_t seed;
};

struct ClassState {
  double* W;        // (d + 1) x k
  double* b;        // n x k
  Column* left_at;  // n: 1 + the epoch in which the row was left out, or 0
  Index epoch = 0, position = 0, visits = 0, updates = 0, active = 0;
  double residual = 0, last_residual = 0, dual = 0, aim = 0;
  double violation = 0;  // the largest of the epoch so far
  double bound = 0;      // of the epoch before; 0: leave out nothing
};

struct ClassSums {
  double loss = 0, residual = 0;
};

class ClassDescent {
 public:
  explicit ClassDescent(ClassProblem problem);
  bool advance(ClassState& s, Index budget, Index until_epoch, Poll poll = never);  // whether to look at all rows
  // Loss of W, residuals of W and b, and G = sum_i b_i [x_i, 1], (d + 1) x k.
  ClassSums walk(const double* W, const double* b, double* G, Poll poll = never) const;
  const ClassProblem& problem() const { return p_; }
  Index n() const { return n_; }
  Index d() const { return d_; }

 private:
  template <class Rows>
  void visit(const Rows& rows, ClassState& s, Index end);
  void solve_row(double A, double C, Index y, double* b);
  void set_order(const ClassState& s);
  void begin_epoch(ClassState& s) const;
  double dual(const ClassState& s) const;

  ClassProblem p_;
  Index n_, d_;
  std::vector<double> q_, u_, sorted_, fresh_;
  std::vector<Column> order_;
  Index order_of_ = -1;
};

}  // namespace widemargin
