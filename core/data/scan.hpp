// One look at every row for what a fit needs: are all values finite, how long is the longest row, and a digest that is
// the same for the same numbers, however they are stored (dense or sparse, float32 or float64, any strides).
//
// Digest  row i:  h_i = sum_j lo(v_ij) k_j + hi(v_ij) k'_j  mod 2^64  with v as float64 bits, -0 taken as 0, and keys
//         from the column number; absent = 0 adds nothing. Rows: sum_i mix(h_i + mix(first + i)) mod 2^64.
//         It tells other data from these with error about 2^-32; it is no defence against a forger.
//         Both sums are free of order, so rows may be scanned while a solver visits them in any order.
#pragma once

#include <cmath>
#include <vector>

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

struct Scan {
  Index bad_row = -1, bad_column = -1;  // a value that is not finite (the first, if rows come in order), or -1
  double max_squared_norm = 0;
  std::uint64_t digest = 0;
};

inline std::uint64_t mix(std::uint64_t z) {  // the finaliser of SplitMix64 [SteeleEtAl14]
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

class RowScan {
 public:
  explicit RowScan(const AnyRows& rows, Index first = 0);

  template <class Row>
  void add(Index i, Row row) {
    double q;
    const std::uint64_t h = hash(row, q);
    if (!std::isfinite(q) && seen.bad_row < 0) find_bad(i, row);
    if (!(q <= seen.max_squared_norm)) seen.max_squared_norm = q;
    seen.digest += mix(h + mix(static_cast<std::uint64_t>(first_) + static_cast<std::uint64_t>(i)));
  }

  template <class T>
  std::uint64_t hash(DenseRow<T> row, double& q) const {
    if (row.d > 2) return simd::hash_and_norm(row.x, keys_.data(), row.d, q);
    std::uint64_t h = q = 0;  // labels and weights, for which the call would cost more than the work
    for (Index k = 0; k < row.d; ++k) {
      const double v = row.x[k];
      q += v * v;
      h += simd::hash_term(v, keys_[static_cast<std::size_t>(k)]);
    }
    return h;
  }
  template <class T>
  std::uint64_t hash(SparseRow<T> row, double& q) const {
    return simd::hash_and_norm(row.x, row.j, row.size, q);
  }

  Scan seen;

 private:
  // A finite row whose squares overflow is not bad; only a value that is not finite is.
  template <class T>
  void find_bad(Index i, DenseRow<T> row) {
    for (Index k = 0; k < row.d && seen.bad_row < 0; ++k)
      if (!std::isfinite(row.x[k])) seen.bad_row = i, seen.bad_column = k;
  }
  template <class T>
  void find_bad(Index i, SparseRow<T> row) {
    for (Index k = 0; k < row.size && seen.bad_row < 0; ++k)
      if (!std::isfinite(row.x[k])) seen.bad_row = i, seen.bad_column = row.j[k];
  }

  Index first_;
  std::vector<std::uint64_t> keys_;  // of the columns of dense rows
};

// `first` is the number of the first row in the whole data set: digests of consecutive pieces simply add up.
Scan scan(const AnyRows& rows, Index first, int threads, Poll poll = never);

// Squared norms of the rows.
void squared_norms(const AnyRows& rows, double* out, int threads);

// The 64-bit hash of each row by itself (equal rows, equal hash).
void row_hashes(const AnyRows& rows, std::uint64_t* out, int threads);

// Throws unless offsets rise from 0 to nnz and all columns lie in 0 .. d-1.
void check_sparse(const Index* offset, const Column* j, Index n, Index nnz, Index d, int threads);

}  // namespace widemargin
