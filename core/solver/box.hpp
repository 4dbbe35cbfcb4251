// The quadratic problem that support vector machines are, in signed variables.
//
// Problem  min 1/2 b'Kb - t'b,  lower_v <= b_v <= upper_v,  the sum of b over each group fixed
//          variables v = 0 .. N-1, N = n or 2n; variable v stands for item v mod n, K_vw = k(item of v, item of w)
// Symbols  f_i = sum_v k(i, item of v) b_v,  F_v = f_(item of v) - t_v,  up: b < upper,  down: b > lower
// Stops    when the violation max F over down - min F over up is <= tol in every group and the relative duality gap
//          (P - D) / max(|P|, |D|, least) is <= gap_tol, where D = t'b - 1/2 b'Kb and, with s_v = t_v - f_v - bias,
//          P = 1/2 b'Kb + sum_v (upper_v max(s_v, 0) + lower_v min(s_v, 0)) + sum_g bias_g total_g
//          Infinite bounds are a hard margin: P = 1/2 b'Kb / m^2, m the least t_v (f_v + bias), if that is positive.
//          Where there is no such margin, D grows without end: sqrt(b'Kb) / sum |b| bounds every margin from above, and
//          once it is tiny beside the longest item the problem is called unbounded.
// Method   two levels [Joachims99; FanChenLin05]: the variables that violate most, and some of those before them, form
//          a small problem that is solved with all its kernel values at hand (pair_ascent); then f follows with whole
//          rows, only of items whose b has changed. Rows are kept as memory allows. Values are float32, b and f
//          float64. Once all that violate fit into a small problem, it is solved as closely as the gap asks.
// Shrinks  now and then, items whose variables are at a bound and far from leaving it are left out: their f is not
//          known from then on (NaN), and they add nothing to the gap. A solution found so has to be looked at as a
//          whole.
#pragma once

#include <memory>
#include <vector>

#include "base/warm.hpp"
#include "kernel/row_source.hpp"
#include "kernel/row_store.hpp"
#include "solver/box_scan.hpp"
#include "solver/pair_ascent.hpp"

namespace widemargin {

struct BoxProblem {
  Index N;
  const double *t, *lower, *upper;
  const std::int8_t* group;  // null: one group
  int groups = 1;
  double total[2] = {0, 0};
};

struct BoxOptions {
  double tol = 1e-3, gap_tol = 1e-4;
  double least = 0;                   // of the denominator of the relative gap
  Index working = 512;                // variables of a small problem
  Index most_steps = Index{1} << 60;  // pairwise steps in all
  Index memory = 0;                   // bytes for rows of kernel values
  int threads = 1;
  bool part = false;    // of a larger problem
  bool shrink = false;  // leave out items that stay at their bounds
};

// Plain arrays and counters: all that there is to say about a fit under way.
struct BoxState {
  double* b;               // N
  double* f;               // n; NaN: not known, the item is left out
  Column* work;            // `working` variables of the last small problem, -1 = none
  std::int64_t* counters;  // rounds, steps, rows computed; rounds since the gap, steps when the violation was halved
  double* figures;         // violation, relative gap, primal, dual, bias of each group; violation and gap to be halved
};

enum class BoxStop { budget, converged, stalled, steps, unbounded };

class BoxSolver;

// What a solver needs for its work and leaves to the next one: memory for kernel values.
struct BoxWorkspace {
  const BoxSolver* last = nullptr;
  WarmMemory rows;
  std::unique_ptr<PairAscent> ascent;
};

class BoxSolver {
 public:
  BoxSolver(RowSource& source, const BoxProblem& problem, const BoxOptions& options);
  BoxSolver(const BoxSolver&) = delete;
  ~BoxSolver();
  BoxStop advance(BoxState& state, Index budget, Poll poll) { return advance(state, budget, poll, own_); }
  BoxStop advance(BoxState& state, Index budget, Poll poll, BoxWorkspace& place);
  // f + K change: how scores follow variables that somebody else has moved.
  void shift(BoxState& state, const double* change, Poll poll);
  // f anew from b.
  void rescore(BoxState& state, Poll poll);
  // Violation, gap and biases of the state.
  void judge(BoxState& state);

 private:
  struct Side {
    double value;
    Column at;
  };
  void work_in(BoxWorkspace& place);
  // Works where `other` has, with the rows that it has kept, cut down to the items that are left: item i of the other
  // is to[i] here, -1 = nowhere.
  void take_over(const BoxSolver& other, const std::vector<Column>& to, BoxWorkspace& place);
  void look(BoxState& s);
  void measure(BoxState& s);
  // Items left out, and the solver of the others.
  struct Shrunk;
  bool leave_out(BoxState& s);
  // Whether items are left out, now that more may have been.
  bool shrinks(BoxState& s, BoxWorkspace& place);
  void pack(const BoxState& s, BoxWorkspace& place);
  BoxStop advance_shrunk(BoxState& s, Index& budget, Poll poll, BoxWorkspace& place);
  BoxStop round(BoxState& s, Poll poll);
  bool no_margin(const BoxState& s) const;
  bool no_progress(BoxState& s) const;
  void choose(BoxState& s);
  void keep_some(const BoxState& s);
  // Those of a group that violate most, at most so many; `keys` are those of one side (box_scan.hpp).
  void take_worst(const BoxState& s, int g, std::vector<std::uint16_t>& keys, double sign, Index most);
  // look(view, first variable, group) for one stretch of variables after the other.
  template <class Look>
  void each_stretch(const BoxState& s, Look look) const;
  double close_enough(BoxState& s);
  Index solve_chosen(BoxState& s);
  void add_rows(BoxState& s, Poll poll);
  void add_rows(BoxState& s, const Column* I, const double* step, Index m, Poll poll);

  // Whether a variable of the item is off its bounds.
  bool inside(const BoxState& s, Index i) const;
  Index item(Index v) const { return v < n_ ? v : v - n_; }
  int group(Index v) const { return p_.group ? p_.group[v] : 0; }

  RowSource& source_;
  BoxProblem p_;
  BoxOptions o_;
  Index n_, working_;
  bool hard_ = false, part_ = false;  // part: of a larger problem, so the dual objective follows its steps
  bool all_ = false;                  // whether all that violate are chosen
  std::unique_ptr<Shrunk> shrunk_;
  double longest_ = 0;  // largest diagonal value, for a hard margin
  RowStore store_;
  BoxWorkspace own_;
  PairAscent* ascent_ = nullptr;
  // All below is derived and lives for one round.
  std::vector<Column> chosen_, items_, changed_, moved_, fresh_;  // moved: the variables of the changed items
  std::vector<float*> row_;
  std::vector<char> seen_, in_;
  std::vector<double> step_;
  Extremes extremes_[2];                  // of each group
  std::vector<std::uint16_t> up_, down_;  // who violates
  std::vector<Column> order_;             // those of one side
  std::vector<Side> worst_;
};

}  // namespace widemargin
