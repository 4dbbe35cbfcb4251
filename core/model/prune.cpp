#include "model/prune.hpp"

#include <algorithm>
#include <queue>

namespace widemargin {
namespace {

struct Link {
  double alpha;
  std::int64_t node, age;
  bool operator<(const Link& b) const { return alpha != b.alpha ? alpha > b.alpha : node > b.node; }
};

class Pruner {
 public:
  Pruner(const std::int64_t* left, const std::int64_t* right, const double* cost, Index nodes)
      : left_(left), right_(right), cost_(cost), n_(static_cast<std::size_t>(nodes)) {
    parent_.assign(n_, -1), leaves_.assign(n_, 1), age_.assign(n_, 0), gone_.assign(n_, false);
    below_.assign(cost, cost + n_);
    for (std::size_t t = n_; t-- > 0;) {
      if (left_[t] < 0) continue;
      const auto l = static_cast<std::size_t>(left_[t]), r = static_cast<std::size_t>(right_[t]);
      parent_[l] = parent_[r] = static_cast<std::int64_t>(t);
      below_[t] = below_[l] + below_[r];
      leaves_[t] = leaves_[l] + leaves_[r];
      offer(t);
    }
  }

  PrunePath run() {
    PrunePath path;
    path.step.assign(n_, 0);
    path.alphas.push_back(0.0), path.costs.push_back(below_[0]);
    while (!links_.empty()) {
      const Link link = links_.top();
      links_.pop();
      const auto t = static_cast<std::size_t>(link.node);
      if (gone_[t] || link.age != age_[t]) continue;
      path.step[t] = static_cast<std::int64_t>(path.alphas.size());
      cut(t);
      path.alphas.push_back(link.alpha), path.costs.push_back(below_[0]);
    }
    return path;
  }

 private:
  void offer(std::size_t t) {
    links_.push({(cost_[t] - below_[t]) / static_cast<double>(leaves_[t] - 1), static_cast<std::int64_t>(t), age_[t]});
  }

  void cut(std::size_t t) {
    const double more = cost_[t] - below_[t];
    const std::int64_t fewer = leaves_[t] - 1;
    std::vector<std::size_t> stack{t};
    while (!stack.empty()) {  // what lies below cannot be cut any more
      const std::size_t s = stack.back();
      stack.pop_back();
      if (gone_[s]) continue;
      gone_[s] = true;
      if (left_[s] >= 0)
        stack.push_back(static_cast<std::size_t>(left_[s])), stack.push_back(static_cast<std::size_t>(right_[s]));
    }
    below_[t] = cost_[t];
    leaves_[t] = 1;
    for (std::int64_t p = parent_[t]; p >= 0; p = parent_[static_cast<std::size_t>(p)]) {
      const auto a = static_cast<std::size_t>(p);
      below_[a] += more;
      leaves_[a] -= fewer;
      ++age_[a];
      offer(a);
    }
  }

  const std::int64_t *left_, *right_;
  const double* cost_;
  std::size_t n_;
  std::vector<std::int64_t> parent_, leaves_, age_;
  std::vector<bool> gone_;
  std::vector<double> below_;
  std::priority_queue<Link> links_;
};

}  // namespace

PrunePath prune_path(const std::int64_t* left, const std::int64_t* right, const double* cost, Index nodes) {
  return Pruner(left, right, cost, nodes).run();
}

}  // namespace widemargin
