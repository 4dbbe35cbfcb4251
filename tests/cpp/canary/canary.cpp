// canary oob | ub | race | leak: one planted fault each, inside or through the core's library. A sanitizer job that
// does not stop here is blind, and its silence about the real tests is worth nothing.
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "data/scan.hpp"

using namespace widemargin;

namespace {

double read_past_the_end() {
  const std::vector<double> x(10, 1.0), w(10, 1.0);
  return simd::dot(x.data(), w.data(), 11);
}

double overflow_a_number_of_rows() {
  const double x[] = {1.0, 2.0, 3.0};
  std::uint64_t hash[3] = {};
  row_hashes(DenseRows<double>{x, std::numeric_limits<Index>::max(), 1, 1}, hash, 1);
  return static_cast<double>(hash[0]);
}

double race_for_a_counter() {
  Index counter = 0;
  parallel_for(100000, 4, [&](Index) { ++counter; });
  return static_cast<double>(counter);
}

double lose_an_array() {
  double* volatile lost = new double[100]{};
  lost = nullptr;
  return lost == nullptr ? 0.0 : 1.0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  double value = 0;
  if (!std::strcmp(fault, "oob")) value = read_past_the_end();
  if (!std::strcmp(fault, "ub")) value = overflow_a_number_of_rows();
  if (!std::strcmp(fault, "race")) value = race_for_a_counter();
  if (!std::strcmp(fault, "leak")) value = lose_an_array();
  std::printf("survived %s: %g\n", fault, value);
  return 0;
}
