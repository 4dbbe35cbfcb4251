// Online learners of a linear function u(x) = w.x + b that take the rows one by one and correct themselves.
//
// Problem  perceptron          if y u <= 0:            w += eta s y x          (a mistake, one step)   [Rosenblatt58]
//          passive-aggressive  l = (1 - y u)+:         w += tau y x            tau = min(C, l/q)  or  l/(q + 1/2C)
//          ... for regression  l = (|y - u| - eps)+:   w += tau sign(y - u) x                 [CrammerEtAl06, sec. 3-5]
// Symbols  w has d + 1 entries, the last is b (the row is extended by a constant 1, or by 0 without an intercept);
//          s the step of the row (its weight), q = |x|^2 (+1), t the number of visits so far
// Stops    when an epoch had no update (then w separates the rows), after `until_epoch` epochs, when the weight of
//          an epoch's updates has not fallen for max(patience, epochs until then) epochs, or when the budget of visits
//          is spent. Any cut into calls gives the same state, bit for bit.
// Method   the average of all w is kept lazily: sum over t ticks of w = t w - a, a += t' delta [Collins02, Daume12]
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"
#include "data/rows.hpp"
#include "data/scan.hpp"

namespace widemargin {

enum class OnlineRule : int { perceptron, pa1, pa2, pa1_regression, pa2_regression };
enum class Shuffle : int { never, once, every_epoch };
enum class OnlineStop : int { budget, epoch, clean, stalled };

struct OnlineOptions {
  OnlineRule rule = OnlineRule::perceptron;
  double eta = 1.0;      // perceptron: step;  passive-aggressive: C
  double epsilon = 0.1;  // regression: width of the tube
  double decay = 0.0;    // L2 penalty: w *= 1 - eta decay at every visit (never b)
  bool intercept = true;
  Shuffle shuffle = Shuffle::every_epoch;
  std::uint64_t seed = 0;
  int birth = 1;       // survival time of a new w: 1 (Freund and Schapire) or 0
  Index patience = 0;  // 0: never stop as stalled
};

struct OnlineProblem {
  AnyRows rows;
  const double* y;            // +1, -1, or the target
  Span<const double> step;    // per row, empty = 1
  Span<const Column> visits;  // rows of an epoch in the given order, empty = 0 .. n-1
};

// Plain numbers, so that a state can be saved and taken up again. Arrays live beside it.
struct OnlineCounters {
  Index epoch = 0;     // epochs done
  Index position = 0;  // visits done in the current one
  Index visits = 0;
  Index updates = 0;
  Index epoch_updates = 0;  // in the current epoch, or in the last one if position = 0
  Index best_updates = -1;  // updates of the best epoch so far, the one with the lightest, -1 before the first
  Index best_epoch = 0;
  double epoch_loss = 0;  // perceptron: sum of s (-y u)+;  passive-aggressive: sum of l
  double loss = 0;
  double squared_loss = 0;
  double scale = 1;         // w stands for scale * w (penalty only)
  double epoch_weight = 0;  // weight of the rows that caused the updates of the current epoch
  double best_weight = 0;   // ... of the best epoch
};

struct OnlineArrays {
  double* w;           // d + 1
  double* a;           // d + 1 or null: no averaging
  Column* updates_of;  // n or null: updates caused by each row
};

struct Mistake {
  Index visit;  // number of visits before it
  Column row;
  double step;  // signed: w += step x
};

class OnlineSolver {
 public:
  OnlineSolver(OnlineProblem problem, OnlineOptions options);
  // `log` receives the updates if given. Touches only the state.
  OnlineStop advance(OnlineCounters& c, OnlineArrays state, Index budget, Index until_epoch, std::vector<Mistake>* log);
  // Scans the rows while the first epoch visits them, which spares a pass over the data. Only if it visits all.
  void scan_first_epoch(Index first);
  const Scan* scanned() const { return scan_ ? &scan_->seen : nullptr; }
  Index visits_per_epoch() const { return m_; }

 private:
  void set_order(Index epoch);
  template <class Rows, class Rule>
  OnlineStop run(const Rows& rows, const Rule& rule, OnlineCounters& c, OnlineArrays state, Index budget,
                 Index until_epoch, std::vector<Mistake>* log);
  template <bool scanning, class Rows, class Rule>
  void visit(const Rows& rows, const Rule& rule, OnlineCounters& c, OnlineArrays state, Index begin, Index end,
             std::vector<Mistake>* log);

  OnlineProblem p_;
  OnlineOptions o_;
  Index m_;
  std::vector<Column> order_;  // derived from (seed, epoch): a cache, not state
  Index order_of_ = -1;
  std::optional<RowScan> scan_;
};

}  // namespace widemargin
