// Stochastic subgradients of the linear machine with the hinge, a few rows at a time: Pegasos and plain descent.
//
// Problem  min over w (and c)   lambda/2 |w|^2 + 1/W sum_i s_i (1 - y_i (w.x_i + c))+,   W = sum_i s_i
// Rules    pegasos  k rows A, active ones A+ = {y (w.x + c) <= 1};  with s = 1 and n the number of the step:
//                   w <- (1 - 1/n) w + 1/(lambda n k) sum_{A+} y x,  then into the ball |w| <= 1/sqrt(lambda)
//          sgd      one row, active if y (w.x + c) < 1;  eta = m / (e + n) in epoch e = 1, 2, ...
//                   w <- (1 - eta lambda) w [+ eta y x],  c <- c [+ eta y]
// Symbols  the last entry of w is c, 0 without an intercept.  t the weight of all visits so far: Pegasos' n is t/k, so
//          that rows of any weight, and the rest of an epoch that does not fill a batch, count for what they are:
//          w <- (t w + 1/lambda sum_{A+} s y x) / (t + sum_A s).
//          w = f u, where f takes up shrinking and projections: a sparse step costs the non-zeros.  f = p/(lambda t)
//          for Pegasos, f = p for sgd.  c of Pegasos moves by sum_{A+} s y / (lambda t), and stays where the best one
//          lies: |c| <= 1 + R/sqrt(lambda), R the longest active row so far.
// Proof    let a_i be the share of row i's visits at which it was active, a visit in epoch e of weight e^2 (e where
//          rows are drawn with replacement, which needs a longer memory). 0 <= a_i <= 1, so that
//          b_i = y_i a_i s_i / (lambda W) is always a feasible point of the dual of 1/2 |w|^2 + sum_i C_i l_i with
//          C_i = s_i / (lambda W): no model is better than it says, whatever was projected on the way. It is near the
//          best one: with equal weights of all epochs, Pegasos' own w is sum_i b_i x_i as long as nothing was
//          projected, and with growing ones what the first epochs got wrong is forgotten sooner. With a bias, the
//          heavier class is scaled down until sum_i b_i = 0; the whole is then scaled to where its value is largest.
// Average  sum_n t_n w_n, the later the heavier, is lift u + h, kept lazily [LacosteJulienEtAl12]
// Stops    after `until_epoch` epochs, or when the budget of visits is spent; a step is never cut. Any cut into calls
//          gives the same state, bit for bit.
// Method   [ShalevShwartzEtAl11, fig. 1-2]; its steps are those of a conditional gradient on the dual [Bach15]
#pragma once

#include <vector>

#include "base/types.hpp"
#include "data/rows.hpp"
#include "solver/online.hpp"

namespace widemargin {

enum class GradientRule : int { pegasos, sgd };
enum class Drawing : int { never, once, every_epoch, replace };  // the order of the rows; replace: drawn, at random

struct GradientOptions {
  GradientRule rule = GradientRule::pegasos;
  double lambda = 1e-4;
  Index batch = 1;              // k, of Pegasos
  double scale = 1, delay = 0;  // m and n of the step m / (e + n), of sgd
  double gain = 1;              // factor on the steps of the rows, of sgd: 1 / (their mean weight)
  bool intercept = false;
  Drawing drawing = Drawing::every_epoch;
  std::uint64_t seed = 0;
};

// Plain numbers, so that a state can be saved and taken up again. Arrays live beside it.
struct GradientCounters {
  Index epoch = 0;     // epochs done
  Index position = 0;  // visits done in the current one
  Index visits = 0;
  Index steps = 0;
  Index rounds = 0;   // epochs done, those on earlier batches of a stream included
  Index updates = 0;  // active visits
  Index epoch_updates = 0;
  Index projections = 0;
  double epoch_loss = 0;  // sum of s (1 - y (w.x + c))+ at the visits
  double p = 1;
  double t = 0;
  double squared_norm = 0;  // of u without c; summed afresh at the start of every epoch, carried along inside
  double squared_radius = 0;
  double lift = 0;
  double mass = 0;       // sum of the weights of the average
  double mean_bias = 0;  // the sum of c, so weighted
};

struct GradientArrays {
  double* u;           // d + 1
  double* h;           // d or null: no averaging
  double* active_of;   // n or null: the weight of the visits at which a row was active,
  double* visited_of;  // n or null: ... of all its visits
};

class GradientSolver {
 public:
  GradientSolver(OnlineProblem problem, GradientOptions options);
  OnlineStop advance(GradientCounters& c, GradientArrays state, Index budget, Index until_epoch);
  Index visits_per_epoch() const { return m_; }

 private:
  struct Active {
    Index i;
    double s, product;  // u.x before the step
  };

  void set_order(Index epoch);
  double weight_of(Index i) const { return p_.step.empty() ? 1.0 : p_.step[static_cast<std::size_t>(i)]; }
  template <class Rows, class Rule>
  double look(const Rows& rows, const Rule& rule, GradientCounters& c, GradientArrays state, Index end);
  template <class Rows, class Rule>
  void step(const Rows& rows, const Rule& rule, GradientCounters& c, GradientArrays state, Index end);
  template <class Rows, class Rule>
  OnlineStop run(const Rows& rows, const Rule& rule, GradientCounters& c, GradientArrays state, Index budget,
                 Index until_epoch);
  void fold(GradientCounters& c, GradientArrays state) const;

  OnlineProblem p_;
  GradientOptions o_;
  Index n_, d_, m_;
  std::vector<Active> active_;
  std::vector<Column> order_;  // derived from (seed, epoch): a cache, not state
  Index order_of_ = -1;
};

}  // namespace widemargin
