#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "check.hpp"
#include "data.hpp"
#include "data/scan.hpp"

using namespace widemargin;

TEST(the_digest_does_not_depend_on_storage_or_threads) {
  const Sample s(9000, 5, 1);  // more than two blocks
  const std::uint64_t digest = scan(s.dense(), 0, 1).digest;
  for (const int threads : {1, 2, 4}) {
    CHECK(scan(s.dense(), 0, threads).digest == digest);
    CHECK(scan(s.dense32(), 0, threads).digest == digest);
    CHECK(scan(s.sparse(), 0, threads).digest == digest);
  }
}

TEST(digests_of_consecutive_pieces_add_up) {
  const Sample s(100, 4, 2);
  const DenseRows<double> all = s.dense(), head{all.x, 37, 4, 4}, tail{all.x + 37 * 4, 63, 4, 4};
  CHECK(scan(head, 0, 1).digest + scan(tail, 37, 1).digest == scan(all, 0, 1).digest);
}

TEST(the_digest_tells_a_changed_number_and_a_changed_order) {
  Sample s(50, 4, 3);
  const std::uint64_t digest = scan(s.dense(), 0, 1).digest;
  s.x[17] += 1e-9;
  CHECK(scan(s.dense(), 0, 1).digest != digest);
  s = Sample(50, 4, 3);
  for (std::size_t j = 0; j < 4; ++j) std::swap(s.x[j], s.x[4 + j]);
  CHECK(scan(s.dense(), 0, 1).digest != digest);
}

TEST(the_first_value_that_is_not_finite_is_named) {
  Sample s(9000, 5, 4);
  s.x[5000 * 5 + 3] = std::numeric_limits<double>::infinity();
  s.x[8500 * 5 + 1] = std::nan("");  // in another block
  for (const int threads : {1, 2}) {
    const Scan found = scan(s.dense(), 0, threads);
    CHECK(found.bad_row == 5000 && found.bad_column == 3);
  }
}

TEST(a_finite_row_whose_square_overflows_is_not_bad) {
  const double huge = 1e300;
  const Scan found = scan(DenseRows<double>{&huge, 1, 1, 1}, 0, 1);
  CHECK(found.bad_row == -1);
  CHECK(std::isinf(found.max_squared_norm));
}

TEST(norms_are_those_of_the_rows) {
  const Sample s(5000, 5, 5);
  std::vector<double> dense(5000), sparse(5000);
  squared_norms(s.dense(), dense.data(), 2);
  squared_norms(s.sparse(), sparse.data(), 1);
  CHECK(dense == sparse);  // multiples of 1/64: exact
  double largest = 0;
  for (const double q : dense) largest = std::max(largest, q);
  CHECK(scan(s.dense(), 0, 2).max_squared_norm == largest);
}

TEST(equal_rows_have_equal_hashes) {
  const Sample s(300, 3, 6);
  std::vector<std::uint64_t> dense(300), sparse(300);
  row_hashes(s.dense(), dense.data(), 2);
  row_hashes(s.sparse(), sparse.data(), 2);
  CHECK(dense == sparse);
}

TEST(broken_sparse_arrays_are_refused) {
  const Column columns[] = {0, 1, 2};
  const Index good[] = {0, 1, 3}, falls[] = {0, 4, 3}, starts[] = {1, 1, 3}, ends[] = {0, 1, 2};
  check_sparse(good, columns, 2, 3, 3, 1);
  CHECK_THROWS(Error, check_sparse(falls, columns, 2, 3, 3, 1));
  CHECK_THROWS(Error, check_sparse(starts, columns, 2, 3, 3, 1));
  CHECK_THROWS(Error, check_sparse(ends, columns, 2, 3, 3, 1));
  CHECK_THROWS(Error, check_sparse(good, columns, 2, 3, 2, 1));
  const Column negative[] = {0, -1, 2};
  CHECK_THROWS(Error, check_sparse(good, negative, 2, 3, 3, 1));
}
