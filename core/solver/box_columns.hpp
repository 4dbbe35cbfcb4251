// Several box problems over the same items side by side, one a column: folds of one problem, whose kernel values they
// share.
//
// Problem  for each column c: min 1/2 b'Kb - t'b,  lower_c <= b <= upper_c,  the sum of b is 0; t is -1 or 1,
//          one bound of each box is 0; K and t are the same for
//          all columns. An item whose bounds are both 0 stands beside the problem: its score follows.
// Symbols  f = Kb,  F = f - t,  up: b < upper,  down: b > lower; the violation is max F over down - min F over up
// Stops    a column rests when its violation is <= tol and its relative duality gap <= gap_tol (see solver/box.hpp),
//          where P is that of the best multiple of the machine (w, bias): the dual is as near to its optimum as that
//          says, and the multiple is the machine that has the gap
// Method   as solver/box.hpp, with one working set for all columns that do not rest: the items whose violation, as a
//          share of their column's, is largest in any. So every column has its worst pair in it, and every kernel value
//          is fetched once for all of them.
#pragma once

#include <memory>
#include <vector>

#include "base/warm.hpp"
#include "kernel/row_source.hpp"
#include "kernel/row_store.hpp"
#include "solver/pair_ascent.hpp"

namespace widemargin {

struct ColumnsProblem {
  Index columns;
  const double* t;              // n
  const double *lower, *upper;  // columns x n; they may change between two calls
};

struct ColumnsOptions {
  double tol = 1e-3, gap_tol = 1e-4, least = 0;
  Index working = 256;
  Index most_steps = Index{1} << 60;  // pairwise steps of a column
  Index memory = 0;                   // bytes for rows of kernel values
  int threads = 1;
};

// Plain arrays and counters.
struct ColumnsState {
  double *b, *f;           // columns x n
  Column* work;            // `working` items of the last working set, -1 = none
  std::int64_t* counters;  // rounds, rows computed; for each column its steps and its ColumnStop
  double* figures;         // for each column violation, relative gap, primal, dual, bias

  static constexpr Index shared = 2, own = 2, a_column = 5;
};

enum class ColumnStop { running, converged, stalled, steps };

class BoxColumns {
 public:
  BoxColumns(RowSource& source, const ColumnsProblem& problem, const ColumnsOptions& options);
  BoxColumns(const BoxColumns&) = delete;
  // At most `budget` rounds; true when all columns rest.
  bool advance(ColumnsState& state, Index budget, Poll poll);
  // f + K change, columns x n: how scores follow variables that somebody else has moved.
  void shift(ColumnsState& state, const double* change, Poll poll);
  // Violation, gap and bias of a column.
  void judge(ColumnsState& state, Index c) const;

 private:
  struct Worth {
    double value;
    Column at;
  };
  void look(ColumnsState& s, Index c) const;
  double least_primal(const ColumnsState& s, Index c, double bKb) const;
  void measure(ColumnsState& s, Index c) const;
  // Whether a column whose violation is known is solved.
  bool good(ColumnsState& s, Index c) const;
  // Brings stops up to date; the columns that run on.
  void find_running(ColumnsState& s);
  void choose(ColumnsState& s);
  // How much each item violates in any column, as a share of that column's violation.
  void weigh(const ColumnsState& s);
  void take_extremes(const ColumnsState& s);
  void keep_some(const ColumnsState& s);
  void solve_chosen(ColumnsState& s);
  void solve_column(ColumnsState& s, Index c, PairAscent& ascent);
  void add_rows(ColumnsState& s, const Column* I, const float* step, Index m, Poll poll);

  RowSource& source_;
  ColumnsProblem p_;
  ColumnsOptions o_;
  Index n_, working_;
  RowStore store_;
  WarmMemory memory_;
  std::vector<std::unique_ptr<PairAscent>> ascent_;  // one, or with several threads one a column
  // All below is derived and lives for one round.
  std::vector<Index> running_;
  std::vector<Column> chosen_, items_, fresh_;
  std::vector<char> in_, seen_;
  std::vector<double> worth_;
  std::vector<float> step_;
  std::vector<Worth> order_;
  std::vector<float*> row_;
};

}  // namespace widemargin
