// What is summed up on the left side of a cut, for any weights and any number of outputs: classes or numbers.
//
//   enter(rows, m)  the rows of a node;  begin()  all of them on the right;  add(i)  the i-th goes left
//   score(), weight()  of the split as it stands;  mean(i)  what categories are ordered by
//   left_value(), right_value()  what both sides say, for an order that columns may demand
//   note(tree, node)  what a node keeps that does not follow from its leaves
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "loss/impurity.hpp"
#include "solver/splitter.hpp"

namespace widemargin {

// Weights of rows: how often they were drawn times what they weigh.
class RowWeights {
 public:
  RowWeights(const Targets& targets, const std::uint32_t* times) : targets_(targets), times_(times) {}

 protected:
  double weight_of(std::uint32_t row) const {
    return (times_ ? times_[row] : 1.0) * (targets_.weight ? targets_.weight[row] : 1.0);
  }
  const Targets& targets_;
  const std::uint32_t* times_;
};

template <class Term, bool normalised>
class ClassStats : RowWeights {
 public:
  ClassStats(const Targets& targets, const std::uint32_t* times)
      : RowWeights(targets, times), outputs_(static_cast<std::size_t>(targets.outputs)) {
    std::size_t at = 0;
    for (const Index k : targets.classes) first_.push_back(at), at += static_cast<std::size_t>(k);
    first_.push_back(at);
    total_.resize(at), left_.resize(at);
    terms_left_.resize(outputs_), terms_right_.resize(outputs_), terms_.resize(outputs_);
  }

  NodeSum enter(const std::uint32_t* rows, Index m) {
    const auto size = static_cast<std::size_t>(m);
    weights_.resize(size), codes_.resize(size * outputs_);
    std::fill(total_.begin(), total_.end(), 0.0);
    w_ = 0;
    for (std::size_t i = 0; i < size; ++i) {
      weights_[i] = weight_of(rows[i]);
      w_ += weights_[i];
      for (std::size_t o = 0; o < outputs_; ++o) {
        const std::size_t c = first_[o] + static_cast<std::size_t>(targets_.codes[rows[i] * outputs_ + o]);
        codes_[i * outputs_ + o] = static_cast<std::uint32_t>(c);
        total_[c] += weights_[i];
      }
    }
    rows_ = m;
    double side = 0;
    bool pure = true;
    for (std::size_t o = 0; o < outputs_; ++o) {
      terms_[o] = 0;
      std::size_t present = 0;
      for (std::size_t c = first_[o]; c < first_[o + 1]; ++c)
        terms_[o] += Term::term(total_[c]), present += total_[c] > 0;
      side += Term::side(terms_[o], w_);
      pure = pure && present <= 1;
    }
    return {w_, side / static_cast<double>(outputs_), pure};
  }

  void begin() {
    std::fill(left_.begin(), left_.end(), 0.0);
    std::fill(terms_left_.begin(), terms_left_.end(), 0.0);
    terms_right_ = terms_;
    wl_ = 0;
  }

  void add(std::size_t i) {
    const double x = weights_[i];
    for (std::size_t o = 0; o < outputs_; ++o) {
      const std::size_t c = codes_[i * outputs_ + o];
      const double r = total_[c] - left_[c];
      terms_left_[o] += Term::term(left_[c] + x) - Term::term(left_[c]);
      terms_right_[o] += Term::term(std::max(0.0, r - x)) - Term::term(r);
      left_[c] += x;
    }
    wl_ += x;
  }

  double score() const {
    double sum = 0;
    const double wr = w_ - wl_;
    for (std::size_t o = 0; o < outputs_; ++o) {
      const double l = Term::side(terms_left_[o], wl_), r = Term::side(terms_right_[o], wr);
      sum += normalised ? normalised_gain(l, r, Term::side(terms_[o], w_), wl_, wr) : l + r;
    }
    return sum / static_cast<double>(outputs_);
  }

  double fall(double score, const NodeSum& node) const { return normalised ? score * node.weight : score - node.side; }
  // No split scores better than one with pure sides, where sums of whole weights are exact.
  double perfect() const {
    return normalised || !Term::whole ? std::numeric_limits<double>::infinity() : Term::perfect(w_);
  }
  bool allowed() const { return true; }
  double weight() const { return wl_; }
  double right_weight() const { return w_ - wl_; }
  // What both sides say, where there are two classes: the share of the second.
  double left_value() const { return left_.back() / wl_; }
  double right_value() const { return (total_.back() - left_.back()) / (w_ - wl_); }

  // The share of the class that the node has most of, in the first output.
  double mean(std::size_t i) const {
    const auto most = std::max_element(total_.begin(), total_.begin() + static_cast<std::ptrdiff_t>(first_[1]));
    return codes_[i * outputs_] == static_cast<std::uint32_t>(most - total_.begin()) ? 1.0 : 0.0;
  }
  double row_weight(std::size_t i) const { return weights_[i]; }

  void leave(GrownTree& tree) const {
    const auto most = std::max_element(total_.begin(), total_.end());
    const bool pure = outputs_ == 1 && *most == w_;
    const auto only = pure ? static_cast<std::int32_t>(most - total_.begin()) : -1;
    tree.leaves.push_back({static_cast<std::uint32_t>(rows_), only, w_});
    if (!pure) tree.stats.insert(tree.stats.end(), total_.begin(), total_.end());
  }
  void note(GrownTree&, std::uint32_t) const {}

 private:
  std::size_t outputs_;
  std::vector<std::size_t> first_;  // class 0 of each output
  std::vector<double> total_, left_, terms_, terms_left_, terms_right_, weights_;
  std::vector<std::uint32_t> codes_;
  double w_ = 0, wl_ = 0;
  Index rows_ = 0;
};

template <class Side>
class NumberStats : RowWeights {
 public:
  NumberStats(const Targets& targets, const std::uint32_t* times)
      : RowWeights(targets, times), outputs_(static_cast<std::size_t>(targets.outputs)) {
    sum_.resize(outputs_), squares_.resize(outputs_), left_.resize(outputs_);
    above_.resize(outputs_), above_left_.resize(outputs_);
  }

  NodeSum enter(const std::uint32_t* rows, Index m) {
    const auto size = static_cast<std::size_t>(m);
    weights_.resize(size), y_.resize(size * outputs_);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    std::fill(above_.begin(), above_.end(), 0);
    w_ = 0;
    bool same = true;
    for (std::size_t i = 0; i < size; ++i) {
      const double w = weight_of(rows[i]);
      weights_[i] = w;
      w_ += w;
      for (std::size_t o = 0; o < outputs_; ++o) {
        const double y = targets_.numbers[rows[i] * outputs_ + o];
        y_[i * outputs_ + o] = w * y;
        sum_[o] += w * y;
        if (Side::positive) above_[o] += y > 0;
        squares_[o] += w * Side::own(y);
        same = same && y == targets_.numbers[rows[0] * outputs_ + o];
      }
    }
    rows_ = m;
    double side = 0, spread = 0;
    for (std::size_t o = 0; o < outputs_; ++o) {
      side += Side::side(sum_[o], w_);
      spread += squares_[o] / w_ - (sum_[o] / w_) * (sum_[o] / w_);
    }
    const bool pure = same || (!Side::positive && spread <= std::numeric_limits<double>::epsilon());
    return {w_, side / static_cast<double>(outputs_), pure};
  }

  void begin() {
    std::fill(left_.begin(), left_.end(), 0.0);
    std::fill(above_left_.begin(), above_left_.end(), 0);
    wl_ = 0;
  }
  void add(std::size_t i) {
    for (std::size_t o = 0; o < outputs_; ++o) left_[o] += y_[i * outputs_ + o];
    if (Side::positive)
      for (std::size_t o = 0; o < outputs_; ++o) above_left_[o] += y_[i * outputs_ + o] > 0;
    wl_ += weights_[i];
  }
  double score() const {
    double sum = 0;
    for (std::size_t o = 0; o < outputs_; ++o)
      sum += Side::side(left_[o], wl_) + Side::side(sum_[o] - left_[o], w_ - wl_);
    return sum / static_cast<double>(outputs_);
  }
  double fall(double score, const NodeSum& node) const { return score - node.side; }
  double perfect() const { return std::numeric_limits<double>::infinity(); }
  // Counts of 0 alone are told apart by counting, not by sums, which are rounded.
  bool allowed() const {
    if (Side::positive)
      for (std::size_t o = 0; o < outputs_; ++o)
        if (above_left_[o] == 0 || above_left_[o] == above_[o]) return false;
    return true;
  }
  double weight() const { return wl_; }
  double right_weight() const { return w_ - wl_; }
  double left_value() const { return left_[0] / wl_; }
  double right_value() const { return (sum_[0] - left_[0]) / (w_ - wl_); }
  double mean(std::size_t i) const { return y_[i * outputs_] / weights_[i]; }
  double row_weight(std::size_t i) const { return weights_[i]; }

  void leave(GrownTree& tree) const {
    tree.leaves.push_back({static_cast<std::uint32_t>(rows_), -1, w_});
    tree.stats.push_back(w_);
    tree.stats.insert(tree.stats.end(), sum_.begin(), sum_.end());
    tree.stats.insert(tree.stats.end(), squares_.begin(), squares_.end());
  }
  void note(GrownTree&, std::uint32_t) const {}

 private:
  std::size_t outputs_;
  std::vector<double> sum_, squares_, left_, weights_, y_;
  std::vector<Index> above_, above_left_;  // rows whose target is not 0
  double w_ = 0, wl_ = 0;
  Index rows_ = 0;
};

}  // namespace widemargin
