#include "check.hpp"
#include "data.hpp"
#include "model/voted.hpp"

using namespace widemargin;

TEST(products_are_those_of_all_pairs_in_any_storage) {
  const Sample x(37, 9, 1), z(20, 9, 2);
  std::vector<double> slow;
  for (Index i = 0; i < x.n; ++i)
    for (Index k = 5; k < 12; ++k) slow.push_back(dot(x.dense()[i], z.x.data() + k * z.d));
  for (const int threads : {1, 3})
    for (const AnyRows& a : {AnyRows(x.dense()), AnyRows(x.dense32()), AnyRows(x.sparse())})
      for (const AnyRows& b : {AnyRows(z.dense()), AnyRows(z.sparse())}) {
        std::vector<double> out(slow.size(), -1.0);
        products(a, b, 5, 7, out.data(), threads);
        CHECK(out == slow);
      }
}

TEST(votes_count_lives_and_abstain_at_zero) {
  // w_0 = 0 (life 2), w_1 = x_1 (life 3), w_2 = x_1 - x_0 (life 1), for z with x_0.z = 2, x_1.z = 1, and for z = 0.
  const std::vector<Column> at = {1, 0};
  const std::vector<double> step = {1, -1}, life = {2, 3, 1}, products = {2, 0, 1, 0};
  std::vector<double> u(2), vote(2), score(2);
  cast_votes({at, step, life, false}, products.data(), 2, u.data(), vote.data(), score.data());
  CHECK((vote == std::vector<double>{2, 0}) && (score == std::vector<double>{2, 0}) &&
        (u == std::vector<double>{-1, 0}));
  u = {0, 0}, vote = {0, 0}, score = {0, 0};
  cast_votes({at, step, life, true}, products.data(), 2, u.data(), vote.data(), score.data());
  CHECK((vote == std::vector<double>{2, 3}) && (score == std::vector<double>{5, 3}));
}
