// The losses of linear machines, each of a score z and a target t (for classes t = +1 or -1), priced by C.
//
// Symbols  l*(s) = sup_z (s z - l(z));  b a signed dual variable, whose reward is D(b) = -C l*(-b / C)
// A loss   value, slope (dl/dz; at a kink one of its slopes), curvature (of the smooth ones), conjugate,
//          reward     D(b) for a b inside of its bounds
//          residual   C l(z) - D(b) + b z >= 0, 0 exactly where b belongs to z [BoydVandenberghe04, sec. 3.3.2]: no
//                     figures that cancel are subtracted in it
//          dual_step  the b' that maximises D(b') - z (b' - b) - q/2 (b' - b)^2
//          inside     whether b may move a little both ways along one piece of D
//          push       how far b is from where z pushes it (violation), or how firmly it is held at a kink (slack)
// A loss of one's own: a struct with these functions, and a line in `with_loss`.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "base/error.hpp"

namespace widemargin {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Push {
  double violation = 0, slack = 0;
};

template <class L>
concept Loss = requires(const L l, double v) {
  { l.value(v, v) } -> std::same_as<double>;
  { l.slope(v, v) } -> std::same_as<double>;
  { l.curvature(v, v) } -> std::same_as<double>;
  { l.conjugate(v, v) } -> std::same_as<double>;
  { l.reward(v, v, v) } -> std::same_as<double>;
  { l.residual(v, v, v, v) } -> std::same_as<double>;
  { l.dual_step(v, v, v, v, v) } -> std::same_as<double>;
  { l.inside(v, v) } -> std::same_as<bool>;
  { l.push(v, v, v, v) } -> std::same_as<Push>;
};

namespace detail {
inline Push held_below(double g) { return g > 0 ? Push{g, 0} : Push{0, -g}; }  // g: slope of the reward minus z
inline double soft(double u, double by) { return u > by ? u - by : u < -by ? u + by : 0.0; }
inline double divided(double g, double q) { return g == 0 ? 0.0 : g / q; }  // a row of zeros has q = 0
}  // namespace detail

// l(z) = max(0, 1 - t z),   D(b) = t b on 0 <= t b <= C.   [CortesVapnik95]
struct Hinge {
  double value(double z, double t) const { return std::max(0.0, 1 - t * z); }
  double slope(double z, double t) const { return t * z < 1 ? -t : 0.0; }
  double curvature(double, double) const { return 0; }
  double conjugate(double s, double t) const { return -1 <= t * s && t * s <= 0 ? t * s : infinity; }
  double reward(double b, double t, double) const { return t * b; }
  double residual(double z, double b, double t, double C) const {
    const double r = 1 - t * z, a = t * b;
    return r > 0 ? (C - a) * r : -a * r;
  }
  double dual_step(double b, double z, double q, double t, double C) const {
    return t * std::clamp(t * b + detail::divided(1 - t * z, q), 0.0, C);
  }
  bool inside(double b, double C) const { return b != 0 && std::abs(b) < C; }
  Push push(double z, double b, double t, double C) const {
    const double g = 1 - t * z, a = t * b;
    if (a <= 0) return detail::held_below(g);
    if (a >= C) return detail::held_below(-g);
    return {std::abs(g), 0};
  }
};

// l(z) = max(0, 1 - t z)^2,   D(b) = t b - b^2 / (4 C) for t b >= 0.
struct SquaredHinge {
  double value(double z, double t) const {
    const double r = std::max(0.0, 1 - t * z);
    return r * r;
  }
  double slope(double z, double t) const { return -2 * t * std::max(0.0, 1 - t * z); }
  double curvature(double z, double t) const { return t * z < 1 ? 2.0 : 0.0; }
  double conjugate(double s, double t) const { return t * s <= 0 ? t * s + s * s / 4 : infinity; }
  double reward(double b, double t, double C) const { return t * b - b * b / (4 * C); }
  double residual(double z, double b, double t, double C) const {
    const double r = 1 - t * z, a = t * b;
    return r > 0 ? C * (r - a / (2 * C)) * (r - a / (2 * C)) : a * a / (4 * C) - a * r;
  }
  double dual_step(double b, double z, double q, double t, double C) const {
    const double a = t * b, ridge = 1 / (2 * C);
    return t * std::max(0.0, a + (1 - t * z - a * ridge) / (q + ridge));
  }
  bool inside(double b, double) const { return b != 0; }
  Push push(double z, double b, double t, double C) const {
    const double a = t * b, g = 1 - t * z - a / (2 * C);
    return a <= 0 ? detail::held_below(g) : Push{std::abs(g), 0};
  }
};

// l(z) = log(1 + exp(-t z)),   D(b) = -a log(a / C) - (C - a) log(1 - a / C) with a = t b in [0, C].   [YuHuangLin11]
struct Logistic {
  static double share(double m) { return m > 0 ? std::exp(-m) / (1 + std::exp(-m)) : 1 / (1 + std::exp(m)); }
  static double times_log(double p, double of) { return p > 0 ? p * std::log(p / of) : 0.0; }
  double value(double z, double t) const {
    const double m = t * z;
    return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
  }
  double slope(double z, double t) const { return -t * share(t * z); }
  double curvature(double z, double t) const {
    const double p = share(t * z);
    return p * (1 - p);
  }
  double conjugate(double s, double t) const {
    const double a = -t * s;
    return 0 <= a && a <= 1 ? times_log(a, 1) + times_log(1 - a, 1) : infinity;
  }
  double reward(double b, double t, double C) const { return -C * conjugate(-b / C, t); }
  // C times the relative entropy of a / C and the share that z asks for.
  double residual(double z, double b, double t, double C) const {
    const double p = t * b / C, m = t * z;
    const double log_share = m > 0 ? -m - std::log1p(std::exp(-m)) : -std::log1p(std::exp(m));
    const double entropy =
        (p > 0 ? p * (std::log(p) - log_share) : 0) + (p < 1 ? (1 - p) * (std::log1p(-p) - log_share - m) : 0);
    return std::max(0.0, C * entropy);
  }
  // a = C share(v) has log((C - a) / a) = v = m + q (a - a0): one equation in v whose left side rises at least as v.
  double dual_step(double b, double z, double q, double t, double C) const {
    const double a0 = t * b, m = t * z;
    double low = m - q * a0, high = m + q * (C - a0), v = std::clamp(m, low, high);
    for (int turn = 0; turn < 60; ++turn) {
      const double p = share(v), h = v - m - q * (C * p - a0);
      (h > 0 ? high : low) = v;
      const double next = v - h / (1 + q * C * p * (1 - p));
      const double to = next > low && next < high ? next : (low + high) / 2;
      if (std::abs(to - v) <= 1e-13 * (1 + std::abs(v))) break;
      v = to;
    }
    return t * std::clamp(C * share(v), 0.0, C);
  }
  bool inside(double, double) const { return true; }
  Push push(double, double, double, double) const { return {}; }  // every b is inside: nothing can be left out
};

// l(z) = max(0, |t - z| - eps),   D(b) = t b - eps |b| on |b| <= C.   [DruckerEtAl97]
struct Tube {
  double eps;
  double value(double z, double t) const { return std::max(0.0, std::abs(t - z) - eps); }
  double slope(double z, double t) const { return std::abs(t - z) > eps ? (z > t ? 1.0 : -1.0) : 0.0; }
  double curvature(double, double) const { return 0; }
  double conjugate(double s, double t) const { return std::abs(s) <= 1 ? t * s + eps * std::abs(s) : infinity; }
  double reward(double b, double t, double) const { return t * b - eps * std::abs(b); }
  double residual(double z, double b, double t, double C) const {
    const double u = b < 0 ? z - t : t - z, a = std::abs(b);  // u along b
    if (u > eps) return (C - a) * (u - eps);
    return C * std::max(0.0, -u - eps) + a * (eps - u);
  }
  double dual_step(double b, double z, double q, double t, double C) const {
    if (q <= 0) return std::abs(t - z) > eps ? (t > z ? C : -C) : b;
    return std::clamp(detail::soft(b + (t - z) / q, eps / q), -C, C);
  }
  bool inside(double b, double C) const { return b != 0 && std::abs(b) < C; }
  Push push(double z, double b, double t, double C) const {
    const double g = t - z;
    if (b == 0) return detail::held_below(std::abs(g) - eps);
    const double along = (b > 0 ? g : -g) - eps;
    if (std::abs(b) >= C) return detail::held_below(-along);
    return {std::abs(along), 0};
  }
};

// l(z) = max(0, |t - z| - eps)^2,   D(b) = t b - eps |b| - b^2 / (4 C).   [HoLin12]
struct SquaredTube {
  double eps;
  double over(double z, double t) const { return std::max(0.0, std::abs(t - z) - eps); }
  double value(double z, double t) const { return over(z, t) * over(z, t); }
  double slope(double z, double t) const { return 2 * over(z, t) * (z > t ? 1.0 : -1.0); }
  double curvature(double z, double t) const { return std::abs(t - z) > eps ? 2.0 : 0.0; }
  double conjugate(double s, double t) const { return t * s + eps * std::abs(s) + s * s / 4; }
  double reward(double b, double t, double C) const { return t * b - eps * std::abs(b) - b * b / (4 * C); }
  double residual(double z, double b, double t, double C) const {
    const double u = b < 0 ? z - t : t - z, a = std::abs(b), half = a / (2 * C);
    if (u > eps) return C * (u - eps - half) * (u - eps - half);
    const double beyond = std::max(0.0, -u - eps);
    return C * beyond * beyond + a * a / (4 * C) + a * (eps - u);
  }
  double dual_step(double b, double z, double q, double t, double C) const {
    const double ridge = 1 / (2 * C), k = q + ridge;
    return detail::soft(b + (t - z - b * ridge) / k, eps / k);
  }
  bool inside(double b, double) const { return b != 0; }
  Push push(double z, double b, double t, double C) const {
    const double g = t - z - b / (2 * C);
    if (b == 0) return detail::held_below(std::abs(g) - eps);
    return {std::abs((b > 0 ? g : -g) - eps), 0};
  }
};

static_assert(Loss<Hinge> && Loss<SquaredHinge> && Loss<Logistic> && Loss<Tube> && Loss<SquaredTube>);

enum class LossKind { hinge, squared_hinge, logistic, tube, squared_tube };

// Calls work(loss) once, so that loops are compiled for every loss and nothing is asked inside of them.
template <class Work>
auto with_loss(LossKind kind, double eps, Work&& work) {
  switch (kind) {
    case LossKind::hinge:
      return work(Hinge{});
    case LossKind::squared_hinge:
      return work(SquaredHinge{});
    case LossKind::logistic:
      return work(Logistic{});
    case LossKind::tube:
      return work(Tube{eps});
    case LossKind::squared_tube:
      return work(SquaredTube{eps});
  }
  fail("this loss is not known");
}

}  // namespace widemargin
