// The least value of 1/2 b'Kb - t'b in a box with fixed sums, by trying every face: slow, short, obviously right.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/types.hpp"

namespace widemargin {

struct TinyBox {
  int n, groups;
  std::vector<double> K, t, lower, upper, total;
  std::vector<int> group;

  double value(const std::vector<double>& b) const {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      double f = 0;
      for (int j = 0; j < n; ++j) f += K[at(i * n + j)] * b[at(j)];
      sum += b[at(i)] * (f / 2 - t[at(i)]);
    }
    return sum;
  }

  bool feasible(const std::vector<double>& b) const {
    std::vector<double> left = total;
    for (int i = 0; i < n; ++i) {
      if (b[at(i)] < lower[at(i)] - 1e-9 || b[at(i)] > upper[at(i)] + 1e-9) return false;
      left[at(group[at(i)])] -= b[at(i)];
    }
    return std::all_of(left.begin(), left.end(), [](double v) { return std::abs(v) < 1e-9; });
  }

  // Each variable is at its lower bound, at its upper one, or free; the free ones solve linear equations.
  double least() const {
    double best = std::numeric_limits<double>::infinity();
    int faces = 1;
    for (int i = 0; i < n; ++i) faces *= 3;
    for (int face = 0; face < faces; ++face) {
      std::vector<double> b(at(n));
      std::vector<int> free;
      for (int i = 0, code = face; i < n; ++i, code /= 3) {
        if (code % 3 == 2)
          free.push_back(i);
        else
          b[at(i)] = code % 3 ? upper[at(i)] : lower[at(i)];
      }
      if (on_face(b, free) && feasible(b)) best = std::min(best, value(b));
    }
    return best;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // K_SS b_S + A o = t_S - K_S. b_rest and A'b_S = what is left of the totals, by elimination; false if singular.
  bool on_face(std::vector<double>& b, const std::vector<int>& free) const {
    const int s = static_cast<int>(free.size()), size = s + groups;
    std::vector<std::vector<double>> M(at(size), std::vector<double>(at(size + 1)));
    for (int g = 0; g < groups; ++g) M[at(s + g)][at(size)] = total[at(g)];
    for (int i = 0; i < n; ++i) M[at(s + group[at(i)])][at(size)] -= b[at(i)];
    for (int r = 0; r < s; ++r) {
      const int i = free[at(r)];
      for (int c = 0; c < s; ++c) M[at(r)][at(c)] = K[at(i * n + free[at(c)])];
      M[at(r)][at(s + group[at(i)])] = M[at(s + group[at(i)])][at(r)] = 1;
      M[at(r)][at(size)] = t[at(i)];
      for (int j = 0; j < n; ++j) M[at(r)][at(size)] -= K[at(i * n + j)] * b[at(j)];
    }
    for (int g = 0; g < groups; ++g) {  // a group without free variables has no equation
      const auto& row = M[at(s + g)];
      if (std::all_of(row.begin(), row.end() - 1, [](double v) { return v == 0; })) M[at(s + g)][at(s + g)] = 1;
    }
    for (int c = 0; c < size; ++c) {
      int p = c;
      for (int r = c; r < size; ++r)
        if (std::abs(M[at(r)][at(c)]) > std::abs(M[at(p)][at(c)])) p = r;
      if (std::abs(M[at(p)][at(c)]) < 1e-10) return false;
      std::swap(M[at(c)], M[at(p)]);
      for (int r = 0; r < size; ++r) {
        const double f = M[at(r)][at(c)] / M[at(c)][at(c)];
        for (int k = c; k <= size && r != c; ++k) M[at(r)][at(k)] -= f * M[at(c)][at(k)];
      }
    }
    for (int r = 0; r < s; ++r) b[at(free[at(r)])] = M[at(r)][at(size)] / M[at(r)][at(r)];
    return true;
  }
};

}  // namespace widemargin
