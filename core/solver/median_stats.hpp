// The absolute error of both sides of a cut about their medians, for any weights and any number of outputs.
//
// Problem  score = - sum of w_i |y_i - median| on the left and on the right
// Symbols  places: the targets of a node in order of size;  two sums a side by place, of weights and weighted targets
// Method   Fenwick trees over the places: a row changes sides, and the median of a side is found, in log m steps.
//          Where half the weight lies exactly below a target, the median is the mean of it and the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/node_stats.hpp"

namespace widemargin {

// Weights and weighted targets of one side, by place.
class SideSums {
 public:
  void clear(std::size_t m) {
    weight_.assign(m + 1, 0.0), sum_.assign(m + 1, 0.0);
    w_ = s_ = 0;
  }

  void fill(const std::vector<double>& weight, const std::vector<double>& y) {
    clear(weight.size());
    for (std::size_t i = 1; i < weight_.size(); ++i) {
      weight_[i] += weight[i - 1], sum_[i] += weight[i - 1] * y[i - 1];
      w_ += weight[i - 1], s_ += weight[i - 1] * y[i - 1];
      const std::size_t above = i + (i & (~i + 1));
      if (above < weight_.size()) weight_[above] += weight_[i], sum_[above] += sum_[i];
    }
  }

  void add(std::size_t place, double weight, double y) {
    for (std::size_t i = place + 1; i < weight_.size(); i += i & (~i + 1)) weight_[i] += weight, sum_[i] += weight * y;
    w_ += weight, s_ += weight * y;
  }

  // The sum of weight times distance from the median; y are the targets by place.
  double error(const std::vector<double>& y) const {
    std::size_t at = 0;
    double below = 0, sum = 0;
    for (std::size_t step = std::bit_floor(weight_.size() - 1); step > 0; step /= 2)
      if (at + step < weight_.size() && below + weight_[at + step] < w_ / 2)
        at += step, below += weight_[at], sum += sum_[at];
    const double median = y[std::min(at, y.size() - 1)];
    return median * below - sum + (s_ - sum) - median * (w_ - below);
  }

 private:
  std::vector<double> weight_, sum_;
  double w_ = 0, s_ = 0;
};

class MedianStats : RowWeights {
 public:
  MedianStats(const Targets& targets, const std::uint32_t* times)
      : RowWeights(targets, times), outputs_(static_cast<std::size_t>(targets.outputs)), by_output_(outputs_) {}

  NodeSum enter(const std::uint32_t* rows, Index m) {
    const auto size = static_cast<std::size_t>(m);
    weights_.resize(size), y_.resize(size);
    w_ = 0;
    for (std::size_t i = 0; i < size; ++i) weights_[i] = weight_of(rows[i]), w_ += weights_[i];
    rows_ = m;
    double error = 0;
    for (std::size_t o = 0; o < outputs_; ++o) {
      Output& out = by_output_[o];
      for (std::size_t i = 0; i < size; ++i) y_[i] = targets_.numbers[rows[i] * outputs_ + o];
      out.sort(y_, weights_);
      out.all.fill(out.weight, out.y);
      out.error = std::max(0.0, out.all.error(out.y));
      error += out.error;
    }
    error /= static_cast<double>(outputs_);
    return {w_, -error, error <= w_ * std::numeric_limits<double>::epsilon()};
  }

  void begin() {
    for (Output& out : by_output_) out.right = out.all, out.left.clear(out.y.size());
    wl_ = 0;
  }
  void add(std::size_t i) {
    for (Output& out : by_output_) {
      const std::size_t place = out.place[i];
      out.left.add(place, weights_[i], out.y[place]);
      out.right.add(place, -weights_[i], out.y[place]);
    }
    wl_ += weights_[i];
  }
  double score() const {
    double sum = 0;
    for (const Output& out : by_output_) sum -= out.left.error(out.y) + out.right.error(out.y);
    return sum / static_cast<double>(outputs_);
  }
  double fall(double score, const NodeSum& node) const { return score - node.side; }
  double perfect() const { return std::numeric_limits<double>::infinity(); }
  bool allowed() const { return true; }
  double weight() const { return wl_; }
  double right_weight() const { return w_ - wl_; }
  double left_value() const { return 0; }  // an order of medians is not offered
  double right_value() const { return 0; }
  double mean(std::size_t i) const { return by_output_[0].y[by_output_[0].place[i]]; }
  double row_weight(std::size_t i) const { return weights_[i]; }

  void leave(GrownTree& tree) const {
    tree.leaves.push_back({static_cast<std::uint32_t>(rows_), -1, w_});
    tree.stats.push_back(w_);
    for (const Output& out : by_output_) tree.stats.push_back(out.median());
    for (const Output& out : by_output_) tree.stats.push_back(out.error);
  }

  // Medians do not follow from those below: every node keeps its own.
  void note(GrownTree& tree, std::uint32_t node) const {
    const std::size_t width = 2 * outputs_;
    if (tree.centres.size() < (node + 1) * width) tree.centres.resize((node + 1) * width);
    double* at = tree.centres.data() + node * width;
    for (const Output& out : by_output_) *at++ = out.median();
    for (const Output& out : by_output_) *at++ = out.error;
  }

 private:
  struct Output {
    std::vector<double> y, weight;     // by place
    std::vector<std::uint32_t> place;  // of each row of the node
    SideSums all, left, right;
    double error = 0;

    void sort(const std::vector<double>& target, const std::vector<double>& weights) {
      std::vector<std::uint32_t> order(target.size());
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return target[a] < target[b]; });
      y.resize(order.size()), weight.resize(order.size()), place.resize(order.size());
      for (std::size_t k = 0; k < order.size(); ++k) {
        y[k] = target[order[k]], weight[k] = weights[order[k]];
        place[order[k]] = static_cast<std::uint32_t>(k);
      }
    }
    double median() const {
      const double half = std::accumulate(weight.begin(), weight.end(), 0.0) / 2;
      double below = 0;
      std::size_t k = 0;
      while (k + 1 < y.size() && below + weight[k] < half) below += weight[k++];
      const bool split = below + weight[k] == half && k + 1 < y.size();
      return split ? y[k] / 2 + y[k + 1] / 2 : y[k];
    }
  };
  std::size_t outputs_;
  std::vector<Output> by_output_;
  std::vector<double> weights_, y_;
  double w_ = 0, wl_ = 0;
  Index rows_ = 0;
};

}  // namespace widemargin
