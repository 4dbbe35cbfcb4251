#include "data/scan.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace widemargin {
namespace {

constexpr Index rows_per_block = 4096;

inline std::uint64_t mix(std::uint64_t z) {  // the finaliser of SplitMix64 [SteeleEtAl14]
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Two odd 32-bit keys of a column in one word, cheap enough to make again at each visit.
inline std::uint64_t column_key(std::uint64_t j) {
  const std::uint64_t z = (j + 0x632BE59BD9B4E019u) * 0xD6E8FEB86659FD93u;
  return (z ^ (z >> 32)) | 0x0000000100000001u;
}

inline std::uint64_t term(double v, std::uint64_t key) {
  const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);
  return (bits & 0xffffffffu) * (key & 0xffffffffu) + (bits >> 32) * (key >> 32);
}

template <class T>
std::uint64_t row_hash(DenseRow<T> row, const std::uint64_t* keys) {
  std::uint64_t h = 0;
  for (Index j = 0; j < row.d; ++j) h += term(row.x[j], keys[j]);
  return h;
}

template <class T>
std::uint64_t row_hash(SparseRow<T> row, const std::uint64_t*) {
  std::uint64_t h = 0;
  for (Index k = 0; k < row.size; ++k) h += term(row.x[k], column_key(static_cast<std::uint64_t>(row.j[k])));
  return h;
}

template <class T>
Index column(DenseRow<T>, Index k) {
  return k;
}
template <class T>
Index column(SparseRow<T> row, Index k) {
  return row.j[k];
}
template <class T>
Index stored(DenseRow<T> row) {
  return row.d;
}
template <class T>
Index stored(SparseRow<T> row) {
  return row.size;
}

template <class T>
std::vector<std::uint64_t> keys_for(const DenseRows<T>& rows) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows.d));
  for (std::size_t j = 0; j < keys.size(); ++j) keys[j] = column_key(j);
  return keys;
}
template <class T>
std::vector<std::uint64_t> keys_for(const SparseRows<T>&) {
  return {};
}

template <class Rows>
Scan scan_block(const Rows& rows, const std::uint64_t* keys, Index first, Index begin, Index end) {
  Scan s;
  for (Index i = begin; i < end; ++i) {
    const auto row = rows[i];
    const double q = squared_norm(row);
    if (!std::isfinite(q) && s.bad_row < 0) {
      // A finite row whose squares overflow is not bad here; only a non-finite value is.
      for (Index k = 0; k < stored(row); ++k)
        if (!std::isfinite(row.x[k])) {
          s.bad_row = i;
          s.bad_column = column(row, k);
          break;
        }
    }
    if (!(q <= s.max_squared_norm)) s.max_squared_norm = q;
    s.digest += mix(row_hash(row, keys) + mix(static_cast<std::uint64_t>(first + i)));
  }
  return s;
}

}  // namespace

Scan scan(const AnyRows& any, Index first, int threads, Poll poll) {
  return std::visit(
      [&](const auto& rows) {
        const auto keys = keys_for(rows);
        const Index blocks = (rows.n + rows_per_block - 1) / rows_per_block;
        std::vector<Scan> part(static_cast<std::size_t>(blocks));
        parallel_for(
            blocks, threads,
            [&](Index t) {
              const Index begin = t * rows_per_block;
              part[static_cast<std::size_t>(t)] =
                  scan_block(rows, keys.data(), first, begin, std::min(rows.n, begin + rows_per_block));
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
        const auto keys = keys_for(rows);
        parallel_blocks(rows.n, rows_per_block, threads, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) out[i] = mix(row_hash(rows[i], keys.data()));
        });
      },
      any);
}

void check_sparse(const Index* offset, const Column* j, Index n, Index nnz, Index d, int threads) {
  if (offset[0] != 0 || offset[n] != nnz) fail("row offsets of a sparse matrix must run from 0 to its number of values");
  for (Index i = 0; i < n; ++i)
    if (offset[i + 1] < offset[i]) fail("row offsets of a sparse matrix must not fall: row " + std::to_string(i));
  std::atomic<bool> outside{false};
  parallel_blocks(nnz, Index{1} << 20, threads, [&](Index begin, Index end) {
    std::uint32_t top = 0;
    for (Index k = begin; k < end; ++k) top = std::max(top, static_cast<std::uint32_t>(j[k]));
    if (begin < end && static_cast<Index>(top) >= d) outside = true;
  });
  if (outside) fail("a column number of the sparse matrix lies outside 0 .. " + std::to_string(d - 1));
}

}  // namespace widemargin
