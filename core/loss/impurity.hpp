// How mixed a node is, as small functors over the classes' weights or the sums of targets.
//
// Problem  a split into L and R is the better the larger  score = side(L) + side(R);  n times the fall of the impurity
//          is score - side(L and R)
// Symbols  c_k weight of class k, w their sum;  s sum of weight times target
//            Gini           side = sum_k c_k^2 / w                 impurity = 1 - sum_k (c_k / w)^2
//            entropy        side = sum_k c_k log2 c_k - w log2 w   impurity = - sum_k (c_k / w) log2 (c_k / w)
//            squared error  side = s^2 / w                         impurity = mean of (y - s/w)^2
//            Poisson        side = s log (s / w)                   impurity = mean of y log (y / (s/w))
//            normalised information gain: 2 I(split; class) / (H(split) + H(class)), I the fall of entropy
// Method   [BreimanEtAl84, ch. 4], [GeurtsEtAl06, app. A]
#pragma once

#include <cmath>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

inline double plogp(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// Sums of terms over classes follow a move of weight w from one side to the other.
struct Gini {
  static constexpr bool whole = true;  // sums are whole numbers where weights are
  template <class Count>
  static Count term(Count c) {
    return c * c;
  }
  template <class Sum>
  static double side(Sum terms, double w) {
    return static_cast<double>(terms) / w;
  }
  static double perfect(double w) { return w; }  // the score of two pure sides
  static double impurity(double side, double w) { return 1.0 - side / w; }
};

struct Entropy {
  static constexpr bool whole = false;
  static double term(double c) { return plogp(c); }
  static double side(double terms, double w) { return terms - plogp(w); }
  static double perfect(double) { return 0.0; }
  static double impurity(double side, double w) { return -side / w; }
};

struct Squared {
  static double side(double s, double w) { return s * s / w; }
  static double own(double y) { return y * y; }  // what leaves sum up beside the targets
  static constexpr bool positive = false;        // whether sums must be above 0
};

// Half the deviance of counts, up to what all splits share.
struct Poisson {
  static double side(double s, double w) { return s > 0 ? s * std::log(s / w) : 0.0; }
  static double own(double y) { return y > 0 ? y * std::log(y) : 0.0; }
  static constexpr bool positive = true;
};

// The score of a split by normalised information gain, from the entropies' sides.
inline double normalised_gain(double left, double right, double parent, double wl, double wr) {
  const double w = wl + wr;
  const double information = (left + right - parent) / w, classes = -parent / w;
  const double split = -(plogp(wl) + plogp(wr) - plogp(w)) / w;
  return split + classes > 0 ? 2.0 * information / (split + classes) : 0.0;
}

}  // namespace widemargin
