// Kernel values of two classes at a time, where each class meets all the others.
//
// ClassRows   the rows of every class, packed, and the values among the rows of one class, which all its pairs share
// PairSource  the rows of class a, then those of class b: values inside of a class are read, those across computed
#pragma once

#include <memory>
#include <vector>

#include "base/warm.hpp"
#include "kernel/panel.hpp"
#include "kernel/row_source.hpp"

namespace widemargin {

class ClassRows {
 public:
  // Views of the rows of each class. Values inside of classes are kept if they take at most `memory` bytes in all, the
  // machine has them, and whole rows of them cost more to compute than to fetch.
  ClassRows(const std::vector<AnyRows>& classes, const KernelSpec& spec, Index memory, int threads, Poll poll);

  Index size() const { return static_cast<Index>(rows_.size()); }
  const KernelRows<float>& rows(Index c) const { return *rows_[static_cast<std::size_t>(c)]; }
  // Row i of the values inside of class c; null if they are not kept.
  const float* inside(Index c, Index i) const;
  // Whether values here and there cost more to compute than to fetch one by one.
  bool picks() const { return picks_; }

 private:
  // Whether rows are dense and have at most d columns.
  bool narrow(Index d) const;
  // Whether there is memory for the values inside of all classes.
  bool make_room();

  std::vector<std::unique_ptr<KernelRows<float>>> rows_;
  WarmMemory memory_;
  std::vector<float*> inside_;  // in that memory; none: values are not kept
  bool picks_ = false;
};

class PairSource final : public RowSource {
 public:
  PairSource(const ClassRows& classes, Index a, Index b);

  Index n() const override { return split_ + of(1).n(); }
  double diag(Index i) const override { return i < split_ ? of(0).diag(i) : of(1).diag(i - split_); }
  void gather(const Column* I, Index m) override;
  void tile(Index p, Index first, Index count, float* const* out) const override;
  // Items of one class stand together in I.
  void square(const Column* I, Index m, float* out, Index ld, int threads) override;
  // The classes are the parts of a row.
  const float* row(Index i, Index first) const override;
  Index part_end(Index first) const override { return first < split_ ? split_ : n(); }

 private:
  // The items of a panel that belong to one class.
  struct Half {
    Panel<float> rows;
    Index size = 0;
    Column item[panel], place[panel];
  };

  const KernelRows<float>& of(int side) const { return classes_.rows(class_[side]); }
  void inside_square(int side, Index begin, float* out, Index ld);
  void across(const Half& half, int side, Index first, Index count, float* const* out, Index at) const;

  const ClassRows& classes_;
  Index class_[2], split_;
  std::vector<Half> halves_;  // two a panel
  std::vector<Column> items_[2];
  Picked<float> picked_[2];
  Panel<float> panel_;
};

}  // namespace widemargin
