// Where a kernel solver gets its values from: rows of kernel values between the items of one problem, in float32.
//
// A value depends on its two items alone, never on the place in a tile, on threads or on what was asked before: k_ij
// and k_ji are the same bits. So a solver may keep values or compute them again as memory allows, with one result.
#pragma once

#include <memory>

#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

class RowSource {
 public:
  static constexpr Index panel = 64;  // items prepared together
  static constexpr Index grain = 16;  // tiles begin at multiples of it

  virtual ~RowSource() = default;
  virtual Index n() const = 0;
  virtual double diag(Index i) const = 0;

  // Prepares the items I[0 .. m), any m; what was prepared before is forgotten.
  virtual void gather(const Column* I, Index m) = 0;
  // out[a][b] = k(item p * panel + a of those prepared, item first + b), for all a of panel p and b < count.
  // Any number of threads may call this at once. Where `row` shows these values, out[a] may be null: not wanted.
  virtual void tile(Index p, Index first, Index count, float* const* out) const = 0;
  // out[a * ld + b] = k(I[a], I[b]), where items of one class stand together if the source knows of classes.
  virtual void square(const Column* I, Index m, float* out, Index ld, int threads) = 0;
  // A source of some of the items, which must not outlive this one; null if there is none that is cheaper.
  virtual std::unique_ptr<RowSource> subset(const Column*, Index) { return nullptr; }
  virtual bool has_subsets() const { return false; }
  // The values of item i with the columns from `first` to the end of their part, where they lie in memory, to be read
  // only and never kept twice; null if they do not. Most sources have one part.
  virtual const float* row(Index, Index) const { return nullptr; }
  virtual Index part_end(Index) const { return n(); }
  const float* whole_row(Index i) const { return part_end(0) == n() ? row(i, 0) : nullptr; }
};

}  // namespace widemargin
