// The text format of SVM-light, LIBSVM and LIBLINEAR.
//
// Problem  lines  label[,label...] [qid:q] index:value ... [# comment]  ->  labels, and rows in compressed sparse form
// Method   A first pass counts lines and colons in blocks of whole lines, so that the second writes every number once,
//          into its final place, in parallel. Blocks are cut by the text alone: any number of threads, same result.
// Promise  any bytes give either rows whose columns rise strictly, or a fault with the number of the first bad line.
#pragma once

#include <optional>
#include <string>

#include "base/buffer.hpp"
#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

enum class FirstIndex { found, zero, one };  // found: one, unless an index 0 occurs

struct SvmlightOptions {
  FirstIndex first_index = FirstIndex::found;
  bool multilabel = false;
  bool query_id = false;  // keep the numbers after qid:, and demand one on every line
  Index block_bytes = Index{1} << 18;
  int threads = 1;
};

struct SvmlightFault {
  Index line;  // from 1
  std::string what;
};

// What has been read so far. Column numbers are indices minus one, except with FirstIndex::zero.
template <class T>
struct SvmlightRows {
  Buffer<double> labels;
  Buffer<Index> label_ends;  // multilabel only: where the labels of each row end
  Buffer<Index> queries;     // query_id only
  Buffer<T> values;
  Buffer<Column> columns;
  Buffer<Index> row_ends;
  Index lines = 0;  // including comments and blank lines
  Column bottom = 0x7fffffff, top = -1;
  Index top_line = 0;  // the first line with column `top`

  Index size() const { return row_ends.size(); }
};

// Appends the rows of a text of whole lines (the last may lack its newline). With a fault nothing is appended.
template <class T>
std::optional<SvmlightFault> append_svmlight(const char* text, Index length, const SvmlightOptions& options,
                                             SvmlightRows<T>& rows, Poll poll = never);

// One line of text for each row, with the fewest digits that read back as the same numbers.
template <class T>
struct SvmlightView {
  const T* values;
  const Column* columns;
  const Index* row_offsets;  // count + 1
  const double* labels;
  const Index* label_offsets;  // count + 1, or null: one label a row
  const Index* queries;        // or null
  Index count;
};
template <class T>
std::string format_svmlight(const SvmlightView<T>& rows, Index first_index);

}  // namespace widemargin
