// One pass over the rows for what every fit needs: are all values finite, how long is the longest row, and a digest
// that is the same for the same numbers, however they are stored (dense or sparse, float32 or float64, any strides).
//
// Digest  row i:  h_i = sum_j lo(v_ij) k_j + hi(v_ij) k'_j  mod 2^64  with v as float64 bits, -0 taken as 0, and keys
//         from the column number; absent = 0 adds nothing. Rows: sum_i mix(h_i + mix(first + i)) mod 2^64.
//         It tells other data from these with error about 2^-32; it is no defence against a forger.
#pragma once

#include "base/poll.hpp"
#include "data/rows.hpp"

namespace widemargin {

struct Scan {
  Index bad_row = -1, bad_column = -1;  // first value that is not finite, or -1
  double max_squared_norm = 0;
  std::uint64_t digest = 0;
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
