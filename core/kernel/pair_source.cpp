#include "kernel/pair_source.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "kernel/turn.hpp"

namespace widemargin {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ClassRows::ClassRows(const std::vector<AnyRows>& classes, const KernelSpec& spec, Index memory, int threads,
                     Poll poll) {
  double scale = 0;
  Index values = 0;
  for (const AnyRows& rows : classes) {
    const double here = common_scale(rows, rows, threads);
    scale = scale == 0 ? here : std::min(scale, here);
    values += count(rows) * count(rows);
  }
  const bool thin = mostly_zeros(classes);
  for (const AnyRows& rows : classes)
    rows_.push_back(std::make_unique<KernelRows<float>>(rows, spec, threads, true, scale, thin));
  picks_ = !narrow(32);
  // Wide vectors compute them faster.
  if (4 * values > memory || narrow(simd::level() == simd::Level::avx512 ? 16 : 8) || !make_room()) return;
  constexpr Index most = Panel<float>::most;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const KernelRows<float>& rows = *rows_[c];
    const Index n = rows.n();
    float* K = inside_[c];
    parallel_for((n + most - 1) / most, threads,
                 [&](Index p) {
                   thread_local std::unique_ptr<Panel<float>> panel;
                   if (!panel) panel = std::make_unique<Panel<float>>();
                   Column I[most];
                   const Index begin = p * most, m = std::min(most, n - begin);
                   for (Index a = 0; a < m; ++a) I[a] = static_cast<Column>(begin + a);
                   panel->gather(rows, I, m);
                   // The upper half is computed, the lower copied from it.
                   panel->against(rows, begin, n - begin, RowPointers<float>(K + begin * n + begin, n));
                   const Index end = begin + m;
                   turn_over(K + begin * n + end, n, m, n - end, K + end * n + begin, n);
                 },
                 poll);
  }
}

bool ClassRows::narrow(Index d) const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const auto& rows) { return !rows->sparse() && rows->d() <= d; });
}

bool ClassRows::make_room() {
  Index used = 0;  // of the last block
  for (const auto& rows : rows_) {
    const Index values = rows->n() * rows->n();
    if (memory_.size() == 0 || used + values > warm_block) {
      used = 0;
      if (!memory_.grow(values)) return inside_.clear(), false;
    }
    inside_.push_back(memory_.block(memory_.size() - 1) + used);
    used += values;
  }
  return true;
}

const float* ClassRows::inside(Index c, Index i) const {
  return inside_.empty() ? nullptr : inside_[z(c)] + i * rows(c).n();
}

PairSource::PairSource(const ClassRows& classes, Index a, Index b) : classes_(classes), class_{a, b} {
  if (a < 0 || b < 0 || a >= classes.size() || b >= classes.size()) fail("a class that is not there");
  split_ = of(0).n();
}

const float* PairSource::row(Index i, Index first) const {
  const int side = i >= split_;
  const float* values = side == (first >= split_) ? classes_.inside(class_[side], side ? i - split_ : i) : nullptr;
  return values ? values + (side ? first - split_ : first) : nullptr;
}

void PairSource::gather(const Column* I, Index m) {
  const Index panels = (m + panel - 1) / panel;
  if (static_cast<Index>(halves_.size()) < 2 * panels) halves_.resize(z(2 * panels));
  for (Index p = 0; p < panels; ++p) {
    Half* half = &halves_[z(2 * p)];
    half[0].size = half[1].size = 0;
    for (Index a = 0; a < std::min(panel, m - p * panel); ++a) {
      const Column i = I[p * panel + a];
      Half& mine = half[i >= split_];
      mine.item[mine.size] = static_cast<Column>(i < split_ ? i : i - split_);
      mine.place[mine.size++] = static_cast<Column>(a);
    }
    for (int side : {0, 1})
      if (half[side].size > 0) half[side].rows.gather(of(side), half[side].item, half[side].size);
  }
}

// Values of a half with columns first .. of class `side`, written from column `at` on.
void PairSource::across(const Half& half, int side, Index first, Index count, float* const* out, Index at) const {
  float* rows[panel];
  for (Index a = 0; a < half.size; ++a) rows[a] = out[half.place[a]] + at;
  half.rows.against(of(side), first, count, rows);
}

void PairSource::tile(Index p, Index first, Index count, float* const* out) const {
  const Index ends[2] = {std::clamp<Index>(split_ - first, 0, count), count};
  for (int own : {0, 1}) {
    const Half& half = halves_[z(2 * p + own)];
    if (half.size == 0) continue;
    for (int side : {0, 1}) {
      const Index at = side == 0 ? 0 : ends[0], n = ends[side] - at;
      if (n <= 0) continue;
      const Index begin = side == 0 ? first : first + at - split_;
      if (own != side || !classes_.inside(class_[side], 0)) {
        across(half, side, begin, n, out, at);
        continue;
      }
      for (Index a = 0; a < half.size; ++a) {
        float* to = out[half.place[a]];
        if (to) std::copy_n(classes_.inside(class_[side], half.item[a]) + begin, n, to + at);
      }
    }
  }
}

// Values inside of a class from place `begin` of the square on.
void PairSource::inside_square(int side, Index begin, float* out, Index ld) {
  const Picked<float>& columns = picked_[side];
  const Index count = columns.size();
  const std::vector<Column>& items = items_[side];
  float* corner = out + begin * ld + begin;
  if (!classes_.picks() || !classes_.inside(class_[side], 0)) {
    for (Index a = 0; a < count; a += panel) {
      const Index end = std::min(count, a + panel);
      panel_.gather(of(side), items.data() + a, end - a);
      panel_.against(columns, a, count - a, RowPointers<float>(corner + a * ld + a, ld));
      turn_over(corner + a * ld + end, ld, end - a, count - end, corner + end * ld + a, ld);
    }
    return;
  }
  for (Index a = 0; a < count; ++a) {
    const float* row = classes_.inside(class_[side], items[z(a)]);
    for (Index b = 0; b < count; ++b) corner[a * ld + b] = row[items[z(b)]];
  }
}

void PairSource::square(const Column* I, Index m, float* out, Index ld, int) {
  if (m == 0) return;
  const int one = I[0] >= split_, other = 1 - one;
  for (int side : {0, 1}) items_[side].clear();
  for (Index a = 0; a < m; ++a) {
    const int side = I[a] >= split_;
    if (side == one && !items_[other].empty()) fail("items of two classes that are mixed");
    items_[side].push_back(static_cast<Column>(side ? I[a] - split_ : I[a]));
  }
  for (int side : {0, 1}) picked_[side].pick(of(side), items_[side].data(), static_cast<Index>(items_[side].size()));
  const Index middle = picked_[one].size();
  inside_square(one, 0, out, ld);
  if (middle == m) return;
  inside_square(other, middle, out, ld);
  for (Index a = 0; a < middle; a += panel) {
    const Index here = std::min(panel, middle - a);
    panel_.gather(of(one), items_[one].data() + a, here);
    panel_.against(picked_[other], 0, m - middle, RowPointers<float>(out + a * ld + middle, ld));
    turn_over(out + a * ld + middle, ld, here, m - middle, out + middle * ld + a, ld);
  }
}

}  // namespace widemargin
