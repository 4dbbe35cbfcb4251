#include "data/scan.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr Index rows_per_block = 4096;

}  // namespace

RowScan::RowScan(const AnyRows& rows, Index first) : first_(first) {
  const bool dense = rows.index() < 2;
  keys_.resize(dense ? static_cast<std::size_t>(width(rows)) : 0);
  for (std::size_t j = 0; j < keys_.size(); ++j) keys_[j] = simd::column_key(j);
}

Scan scan(const AnyRows& any, Index first, int threads, Poll poll) {
  const RowScan fresh(any, first);
  return std::visit(
      [&](const auto& rows) {
        const Index blocks = (rows.n + rows_per_block - 1) / rows_per_block;
        std::vector<Scan> part(static_cast<std::size_t>(blocks));
        parallel_for(
            blocks, threads,
            [&](Index t) {
              RowScan scan = fresh;
              const Index end = std::min(rows.n, (t + 1) * rows_per_block);
              for (Index i = t * rows_per_block; i < end; ++i) scan.add(i, rows[i]);
              part[static_cast<std::size_t>(t)] = scan.seen;
            },
            poll);
        Scan all;
        for (const Scan& s : part) {
          if (all.bad_row < 0) all.bad_row = s.bad_row, all.bad_column = s.bad_column;
          if (!(s.max_squared_norm <= all.max_squared_norm)) all.max_squared_norm = s.max_squared_norm;
          all.digest += s.digest;
        }
        return all;
      },
      any);
}

void squared_norms(const AnyRows& any, double* out, int threads) {
  std::visit(
      [&](const auto& rows) {
        parallel_blocks(rows.n, rows_per_block, threads, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) out[i] = squared_norm(rows[i]);
        });
      },
      any);
}

void row_hashes(const AnyRows& any, std::uint64_t* out, int threads) {
  std::visit(
      [&](const auto& rows) {
        const RowScan scan(any);
        parallel_blocks(rows.n, rows_per_block, threads, [&](Index begin, Index end) {
          double q;
          for (Index i = begin; i < end; ++i) out[i] = mix(scan.hash(rows[i], q));
        });
      },
      any);
}

void check_sparse(const Index* offset, const Column* j, Index n, Index nnz, Index d, int threads) {
  if (offset[0] != 0 || offset[n] != nnz)
    fail("row offsets of a sparse matrix must run from 0 to its number of values");
  for (Index i = 0; i < n; ++i)
    if (offset[i + 1] < offset[i]) fail("row offsets of a sparse matrix must not fall: row " + std::to_string(i));
  std::atomic<bool> outside{false};
  parallel_blocks(nnz, Index{1} << 20, threads, [&](Index begin, Index end) {
    // The sign bit of j or of d - 1 - j is set where j lies outside; no branch, so that it goes at memory speed.
    const auto last = static_cast<std::uint32_t>(d - 1);
    std::uint32_t signs = 0;
    for (Index k = begin; k < end; ++k) {
      const auto c = static_cast<std::uint32_t>(j[k]);
      signs |= c | (last - c);
    }
    if (signs >> 31) outside = true;
  });
  if (outside) fail("a column number of the sparse matrix lies outside 0 .. " + std::to_string(d - 1));
}

}  // namespace widemargin
