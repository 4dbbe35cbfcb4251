// Rounds on the terms of documents against weights of all documents, made anew in every round.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/rng.hpp"
#include "check.hpp"
#include "solver/boost_words.hpp"

using namespace widemargin;

namespace {

const auto at = [](auto i) { return static_cast<std::size_t>(i); };

struct Texts {
  Index n, terms, k;
  std::vector<Index> first{0};
  std::vector<Column> term;
  std::vector<std::int8_t> sign;
  std::vector<double> u;

  // Each document holds about `share` of the terms.
  Texts(Index documents, Index words, Index labels, double share, std::uint64_t seed)
      : n(documents), terms(words), k(labels) {
    Random random(seed, Purpose::sample, 0);
    for (Index i = 0; i < n; ++i) {
      for (Column t = 0; t < terms; ++t)
        if (random.uniform() < share) term.push_back(t);
      first.push_back(static_cast<Index>(term.size()));
      for (Index l = 0; l < k; ++l) sign.push_back(holds(i, l) != (random.below(6) == 0) ? 1 : -1);
      u.push_back(0.25 + random.uniform());
    }
  }
  bool holds(Index i, Index t) const {
    return std::binary_search(term.begin() + first[at(i)], term.begin() + first[at(i) + 1], static_cast<Column>(t));
  }
  WordGround ground(bool weights = false) const {
    return WordGround({first.data(), term.data(), n, terms}, sign.data(), k, weights ? u.data() : nullptr, 1, never);
  }
};

// [with the term][against the label] of each label, from all weights.
using Shares = std::vector<std::array<std::array<double, 2>, 2>>;

Shares shares(const Texts& s, const std::vector<double>& w, Index t) {
  Shares out(at(s.k), {{{0, 0}, {0, 0}}});
  for (Index i = 0; i < s.n; ++i)
    for (Index l = 0; l < s.k; ++l) out[at(l)][s.holds(i, t)][s.sign[at(i * s.k + l)] < 0] += w[at(i * s.k + l)];
  return out;
}

double least_z(const Shares& all, bool abstain) {
  double z = 0;
  for (const auto& label : all)
    for (const bool with : {false, true})
      z += abstain && !with ? label[0][0] + label[0][1] : 2 * std::sqrt(label[with][0] * label[with][1]);
  return z;
}

void check_rounds(const Texts& s, const WordRule& rule, bool weights, Index rounds) {
  WordGround ground = s.ground(weights);
  WordRounds out;
  ground.boost(rule, rounds, out, 1, never);
  CHECK(out.term.size() > 3 || out.told_nothing);
  std::vector<double> F(at(s.n * s.k), 0.0);
  Index touched = 0;
  for (std::size_t r = 0; r < out.term.size(); ++r) {
    std::vector<double> w;
    double sum = 0, after = 0, best = HUGE_VAL;
    for (Index i = 0; i < s.n * s.k; ++i) {
      w.push_back((weights ? s.u[at(i / s.k)] : 1.0) * std::exp(-s.sign[at(i)] * F[at(i)]));
      sum += w.back();
    }
    for (double& v : w) v /= sum;
    for (Index t = 0; t < s.terms; ++t) best = std::min(best, least_z(shares(s, w, t), rule.abstain));
    const Shares chosen = shares(s, w, out.term[r]);
    CHECK(least_z(chosen, rule.abstain) < best + 1e-12);
    for (Index l = 0; l < s.k; ++l)
      for (const bool with : {false, true}) {
        const auto& side = chosen[at(l)][with];
        const bool silent = (rule.abstain && !with) || side[0] + side[1] == 0;
        const double vote = silent ? 0 : 0.5 * rule.rate * std::log((side[0] + rule.eta) / (side[1] + rule.eta));
        CHECK(std::abs((with ? out.present : out.absent)[r * at(s.k) + at(l)] - vote) < 1e-9);
        after += side[0] * std::exp(-vote) + side[1] * std::exp(vote);
      }
    CHECK(std::abs(out.z[r] - after) < 1e-9);
    for (Index i = 0; i < s.n; ++i) {
      const bool with = s.holds(i, out.term[r]);
      touched += with;
      for (Index l = 0; l < s.k; ++l) F[at(i * s.k + l)] += (with ? out.present : out.absent)[r * at(s.k) + at(l)];
    }
  }
  CHECK(out.touched == touched);
}

bool same(const WordRounds& a, const WordRounds& b) {
  return a.term == b.term && a.absent == b.absent && a.present == b.present && a.z == b.z;
}

}  // namespace

TEST(every_term_has_the_least_z_of_all) {
  for (const bool abstain : {false, true})
    for (const Index k : {1, 3}) {
      const Texts s(120, 30, k, 0.15, static_cast<std::uint64_t>(k));
      check_rounds(s, {1.0, 0.01, abstain}, false, 15);
      check_rounds(s, {0.5, 0.001, abstain}, true, 15);
    }
}

TEST(rounds_on_words_are_the_same_cut_or_told_or_on_threads) {
  const Texts s(150, 5000, 2, 0.01, 4);  // terms of more than one task
  const WordRule rule{1.0, 0.002, false};
  WordGround whole = s.ground(), parts = s.ground(), told = s.ground();
  WordRounds one, many, rest;
  whole.boost(rule, 30, one, 1, never);
  for (int r = 0; r < 30; ++r) parts.boost(rule, 1, many, 3, never);
  CHECK(one.term.size() == 30 && same(one, many) && one.touched == many.touched);
  Index touched = 0;
  for (std::size_t r = 0; r < 12; ++r)
    touched += told.apply(one.term[r], one.absent.data() + 2 * r, one.present.data() + 2 * r, 1, never);
  told.boost(rule, 18, rest, 1, never);
  CHECK(touched + rest.touched == one.touched);
  for (std::size_t r = 0; r < 18; ++r) CHECK(rest.term[r] == one.term[r + 12] && rest.z[r] == one.z[r + 12]);
}

TEST(of_equal_terms_the_first_wins_in_every_block) {
  Texts s(60, 3, 1, 0.3, 5);
  Texts twice = s;  // term t of s stands there as t, 1000 + t and 4000 + t
  twice.terms = 6000;
  twice.term.clear();
  twice.first = {0};
  for (Index i = 0; i < s.n; ++i) {
    for (const Column base : {0, 1000, 4000})
      for (Index j = s.first[at(i)]; j < s.first[at(i) + 1]; ++j) twice.term.push_back(base + s.term[at(j)]);
    twice.first.push_back(static_cast<Index>(twice.term.size()));
  }
  WordRounds one, two;
  s.ground().boost({1.0, 0.01, false}, 8, one, 1, never);
  twice.ground().boost({1.0, 0.01, false}, 8, two, 3, never);
  CHECK(one.term.size() > 2 && same(one, two));
}

TEST(words_that_tell_nothing_end_the_rounds) {
  Texts s(8, 2, 1, 0.0, 6);
  s.sign = {1, 1, 1, 1, -1, -1, -1, -1};
  s.first = {0, 1, 2, 2, 2, 3, 4, 4, 4};
  s.term = {0, 0, 0, 0};  // half of both classes
  WordRounds out;
  s.ground().boost({1.0, 0.01, false}, 5, out, 1, never);
  CHECK(out.told_nothing && out.term.empty() && out.touched == 0);
}

TEST(weights_of_words_are_made_anew_before_they_leave_their_range) {
  const Texts s(40, 6, 1, 0.4, 7);
  WordGround ground = s.ground();
  const double far = 25, none = 0;
  Index anew = 0;
  for (int r = 0; r < 24; ++r) {  // votes of 25 to and fro: exp(-25) is 36 bits
    const double vote = r / 6 % 2 ? -far : far;
    anew += ground.apply(r % 6, &none, &vote, 1, never) == s.n;
  }
  CHECK(anew > 2);
  WordRounds back, fresh;  // every term was voted up and down as often: the weights are those of the beginning
  ground.boost({1.0, 0.01, false}, 5, back, 1, never);
  s.ground().boost({1.0, 0.01, false}, 5, fresh, 1, never);
  CHECK(back.term == fresh.term);
  for (std::size_t r = 0; r < fresh.z.size(); ++r) CHECK(std::abs(back.z[r] - fresh.z[r]) < 1e-12);
}
