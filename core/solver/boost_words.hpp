// AdaBoost.MH on stumps that ask whether a document holds a term.
//
// Problem  minimise sum_i u_i sum_l exp(-y_il F_l(x_i)); a round adds one number a label to documents that hold its
//          term, and another one to all others
// Symbols  n documents, k labels, y = +-1, u weights;  A_l sum of what was said where a term was not, G_il of what was
//          said more (or less) where it was: F = A + G. The weight of (i, l) is exp(-y A_l) times exp(-y G_il), and
//          only the second factor depends on the document.
//          S_tl+ and S_tl-: sums of u exp(-y G) over documents that hold t and have y_il = + or -; T over all
// Stops    after so many rounds, or when no term tells anything
// Method   [SchapireSinger00, sec. 4]: the term of least Z = 2 sum_l (sqrt(W+ W-) with it + sqrt(W+ W-) without it),
//          and c = 1/2 ln((W+ + eta) / (W- + eta)) on each side; with `abstain` 0 on the side without it.
//          A round changes G, and with it S, by the documents that hold the chosen term alone. Numbers are whole ones,
//          so sums have no rounding: they depend neither on the order nor on what was added and taken away before, and
//          a document that stands there twice is one of weight 2. Of equal terms the first wins.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

struct Documents {  // terms of document i: term[first[i] .. first[i+1]-1], each once
  const Index* first;
  const Column* term;
  Index n, terms;
};

struct WordRule {
  double rate = 1, eta = 0;  // eta: added to all weights, as a share of their sum
  bool abstain = false;
};

struct WordRounds {
  std::vector<std::int64_t> term;
  std::vector<double> absent, present;  // k a round
  std::vector<double> z;                // sum of weights after the round over that before it
  Index touched = 0;                    // documents whose weights were computed
  bool told_nothing = false;
};

class WordGround {
 public:
  // sign: n x k, 1 or -1; u: weights, or none. Arrays are copied as far as they are needed.
  WordGround(const Documents& docs, const std::int8_t* sign, Index k, const double* u, int threads, Poll poll);

  Index labels() const { return k_; }
  Index terms() const { return terms_; }

  void boost(const WordRule& rule, Index rounds, WordRounds& out, int threads, Poll poll);

  // A round that is known already; the number of documents that it touched.
  Index apply(Index term, const double* absent, const double* present, int threads, Poll poll);

 private:
  using Whole = std::int64_t;
  struct Group {  // (label, sign): the weight of (i, l) is exp(-y A) exp(shift) q / 2^bits
    double shift = 0;
    int bits = 0;
    Whole total = 0;
  };
  Whole whole(Index i, double v) const;
  Whole number(Index i, Index l) const;
  void weigh_all(int threads, Poll poll);
  double scale(Index l, int minus, double top) const;
  void factors(std::vector<double>& f) const;
  Index best_term(const std::vector<double>& f, bool abstain, double& gain, int threads, Poll poll) const;
  double votes(Index term, const WordRule& rule, const std::vector<double>& f, double* absent, double* present) const;
  int minus(Index i, Index l) const { return sign_[static_cast<std::size_t>(i * k_ + l)] < 0; }

  Index n_, terms_, k_;
  std::vector<Index> first_, begin_;  // of documents, of terms
  Buffer<Column> term_;               // of each document
  Buffer<std::uint32_t> holder_;      // documents that hold each term
  std::vector<std::int8_t> sign_;
  std::vector<double> u_;
  bool whole_ = true;          // all weights are whole numbers
  std::vector<double> a_, g_;  // k; n x k
  std::vector<Group> group_;   // 2 a label
  std::vector<Whole> q_, s_;   // n x k; terms x k x 2
};

}  // namespace widemargin
