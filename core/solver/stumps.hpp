// The best stump for weighted rows: the weak learner of boosting.
//
// Problem  among all h that say one thing where x_f <= t, another where x_f > t and a third where x_f is missing, the
//          one with the largest gain; h that say the same of all rows are among them
// Symbols  v[i k + c] number of row i in channel c;  u weights of rows;  s_jc sum of u v over side j (left, right,
//          missing) in channel c. The gain is
//            absolute  sum_j sum_c |s_jc|                 edge of signs, one for each channel
//            positive  sum_j sum_c max(0, s_jc)           edge of sets of labels
//            heaviest  sum_j max_c s_jc                   weight of the rows whose class a side names
//            squares   sum_j s_j1^2 / s_j0                fall of squared error; channel 0 holds weights
//            roots   - sum_j sum_c sqrt(s_j,2c s_j,2c+1)  minus half of Z; channels are pairs (for, against)
// Stops    after one pass over all columns
// Method   numbers become whole ones: sums are then the same in any order, for any number of threads, and for a row
//          that stands there twice or weighs 2. Columns are ranked once; a pass counts into the codes of a column.
//          One signed channel, rows of one sign first: coarse codes of a byte, then only those bins in which a bound
//          allows a larger gain are gone through in order. Of equal gains the first column and the lowest cut win.
#pragma once

#include <cmath>
#include <vector>

#include "data/ranks.hpp"

namespace widemargin {

enum class Gain { absolute, positive, heaviest, squares, roots };

struct Stump {
  Index column = 0, cut = 0;   // codes up to the cut go left
  bool constant = false;       // says the same of all rows
  double gain = 0, total = 0;  // total: of |u v| over all rows and channels
  std::vector<double> sums;    // 3 k: left, right, missing; three times those of all rows, if constant
};

class StumpGround {
 public:
  using Whole = std::int64_t;
  struct Found {  // the best cut of a column
    double gain = -HUGE_VAL;
    Index column = -1, cut = 0;
    std::vector<Whole> left, missing;
  };

  // x has d numbers a row. Row i here is row order[i] of x; the first `positives` rows count as +, the others as -,
  // where one channel is signed. u: weights, or none.
  StumpGround(const float* x, Index n, Index d, const std::uint32_t* order, Index positives, const double* u,
              int threads, Poll poll);

  Index rows() const { return ranks_.n; }
  Index columns() const { return ranks_.d; }
  Index positives() const { return positives_; }
  const RankedColumns& ranks() const { return ranks_; }

  // only: the channel of each row, where it has one; v then has one number a row.
  Stump best(Gain gain, const double* v, Index k, const std::int32_t* only, int threads, Poll poll) const;

  // Each side of a question must have this share of the sum of all |u v|; missing values count to the right.
  void set_least_share(double share) { least_share_ = share; }

  // One channel of signs, gain absolute: weights 0 <= w <= 1 of all rows; other ones of some rows, of which the first
  // `plus` are +; the best stump for these weights, which gets the share `error` of them wrong.
  void weigh(const double* w, int threads, Poll poll);
  void weigh_some(const std::uint32_t* rows, const double* w, Index plus, Index size, int threads, Poll poll);
  Stump best_edge(double& error, int threads, Poll poll);
  Whole weight(Index i) const { return q_[static_cast<std::size_t>(i)]; }
  Whole weights() const { return all_; }
  double most_weights() const;                                     // what their sum may grow to
  double rows_given(const std::uint32_t* rows, Index size) const;  // each as often as its weight of the fit says
  double rows_given() const { return weight_; }

  float threshold(Index column, Index cut) const;  // x <= threshold goes left
  Index cut_at(Index column, float threshold) const;
  void sides(Index column, Index cut, std::uint8_t* side) const;  // of all rows: 0 left, 1 right, 2 missing

 private:
  double unit_for(double most) const;
  Whole times(Index i, double number) const {
    if (u_.empty()) return static_cast<Whole>(number);
    const double w = u_[static_cast<std::size_t>(i)];
    return whole_ ? static_cast<Whole>(w) * static_cast<Whole>(number) : static_cast<Whole>(w * number);
  }
  Index code_of(Index f, Index i) const;
  bool allowed(Whole left) const { return left >= side_ && all_ - left >= side_; }
  void whole_numbers(const double* v, Index k, bool apart, std::vector<Whole>& q, std::vector<double>& unit) const;
  Stump first_of_best(Gain gain, std::vector<Found>& found, const std::vector<Whole>& total,
                      const std::vector<double>& unit, Whole all) const;
  void sort_columns(int threads, Poll poll);
  void gather_lanes(int threads, Poll poll);
  struct Cut;
  void part_columns(int threads, Poll poll);
  Whole* bins_of(Index f);
  struct Rare;
  void count_bins(Index begin, Index end, Whole* bins) const;
  void count_rare(const Rare& rare, Whole* bins) const;
  Whole missing_sum(Index f, const Whole* bins) const;
  void look_at_bins(Index f, const Whole* bins, Cut& best) const;
  void refine(Index f, const Whole* bins, Whole least, Cut& best) const;

  RankedColumns ranks_;
  Index positives_;
  std::vector<double> u_;
  double weight_;      // sum of u
  bool whole_ = true;  // all weights are whole numbers, and few bits are lost to them
  // Columns in which most rows have the same byte are counted by the others; bins of the rest come first.
  struct Rare {
    Index column = 0;
    std::uint8_t usual = 0;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint8_t> bytes;
    Index positives = 0;  // of the rows
  };
  std::vector<Rare> rare_;
  std::vector<Index> dense_, slot_;  // columns of the lanes; place of a column's bins
  Buffer<std::uint64_t> lanes_;      // the bytes of eight such columns in a word, row by row; then the next eight
  Buffer<std::uint32_t> sorted_;     // rows in the order of their codes, the last of a code marked; coarse columns only
  std::vector<Index> place_;         // where those of a column begin; -1: its bytes are the codes
  std::vector<std::uint32_t> begins_;  // 257 a coarse column: where the rows of a bin begin
  std::vector<Index> last_;            // 256 a coarse column: the last code of a bin, -1 for an empty one
  std::vector<std::uint8_t> several_;  // and whether it has several
  double least_share_ = 0;
  Whole all_ = 0, side_ = 0;  // weight of all rows, and what a side needs of it
  Whole total_ = 0;           // weight of + rows less that of - rows
  std::vector<Whole> q_;      // weights
  std::vector<Whole> more_;   // what some have changed by
  Buffer<Whole> bins_;
};

}  // namespace widemargin
