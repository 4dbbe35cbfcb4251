// The box problems of all pairs of classes, solved side by side on kernel values that pairs share.
//
// Problem  of every pair (a, b) of classes the one of box.hpp, of the items of class a before those of class b, one
//          variable an item
// Symbols  variables, scores and what else there is of pair p stand behind those of pair p - 1 and end at ends[p]
// Stops    each pair as its own BoxSolver does; its result depends on nothing beside it
// Method   a thread takes one pair after the other to its end. A solver is made when its pair begins, and what it has
//          kept of kernel values goes to the next: as many are there at a time as there are threads
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/poll.hpp"
#include "kernel/pair_source.hpp"
#include "solver/box.hpp"

namespace widemargin {

struct BoxPairsProblem {
  Index pairs;
  const Column* of_class;  // two a pair
  const Index* ends;
  const double *t, *lower, *upper;
  const std::int8_t* group;  // null: one group
  int groups;
  const double* total;  // one a pair and group
  const double* least;  // of the denominator of each pair's relative gap
  const Index *working, *most_steps, *memory;
};

// As BoxState, of all pairs: counters and figures of one behind those of the other.
struct BoxPairsState {
  double *b, *f;
  Column* work;
  std::int64_t* counters;
  double* figures;
  std::int8_t* stop;  // BoxStop of each pair; budget: under way, or not begun
};

class BoxPairs {
 public:
  static constexpr int counters = 5, figures = 6;  // of a pair; a group has one figure more

  BoxPairs(const ClassRows& classes, const BoxPairsProblem& problem, double tol, double gap_tol);
  ~BoxPairs();
  Index variables() const { return p_.pairs > 0 ? p_.ends[p_.pairs - 1] : 0; }
  Index working() const { return work_.empty() ? 0 : work_.back(); }

  // On with all pairs that have not ended, until over(); `poll` is called by the calling thread alone.
  void advance(const BoxPairsState& s, const std::function<bool()>& over, int threads, Poll poll);
  // Violation, gap and biases of the pairs that `which` tells; scores are made of those that have not begun.
  void judge(const BoxPairsState& s, const std::int8_t* which, int threads, Poll poll);

 private:
  struct UnderWay;

  Index first(Index p) const { return p > 0 ? p_.ends[p - 1] : 0; }
  BoxState state(const BoxPairsState& s, Index p) const;
  std::unique_ptr<UnderWay> begun(const BoxPairsState& s, Index p);
  std::unique_ptr<BoxWorkspace> workspace();

  const ClassRows& classes_;
  BoxPairsProblem p_;
  double tol_, gap_tol_;
  std::vector<Index> work_;  // where the working sets of the pairs end
  std::vector<std::unique_ptr<UnderWay>> under_way_;
  std::vector<std::unique_ptr<BoxWorkspace>> unused_;
  std::mutex mutex_;
};

}  // namespace widemargin
