#include "data/svmlight.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "data/svmlight_line.hpp"

namespace widemargin {
namespace {

// Whole lines of the text: what they can hold at most, where that goes, and what they did hold.
struct Block {
  const char *begin, *end;
  BlockCount most{}, start{}, found{};
  Column bottom = 0x7fffffff, top = -1;
  Index top_line = 0;
  std::optional<SvmlightFault> fault = std::nullopt;
};

// Byte counters in the inner loop let the compiler use whole vectors.
BlockCount count_most(const char* p, const char* end, bool multilabel) {
  BlockCount c;
  while (p < end) {
    const char* stop = p + std::min<std::ptrdiff_t>(255, end - p);
    std::uint8_t lines = 0, colons = 0;
    for (const char* q = p; q < stop; ++q) {
      lines = static_cast<std::uint8_t>(lines + (*q == '\n'));
      colons = static_cast<std::uint8_t>(colons + (*q == ':'));
    }
    if (multilabel) c.labels += std::count(p, stop, ',');
    c.rows += lines;
    c.entries += colons;
    p = stop;
  }
  c.labels += c.rows;
  return c;
}

const char* after_newline(const char* p, const char* end) {
  const void* found = p < end ? std::memchr(p, '\n', static_cast<std::size_t>(end - p)) : nullptr;
  return found ? static_cast<const char*>(found) + 1 : end;
}

// The parser looks a few bytes ahead. So the last lines are copied to `tail`, which has room behind its end.
std::vector<Block> cut(const char* text, Index length, Index block_bytes, std::string& tail) {
  const char *end = text + length, *body_end = end - std::min<Index>(length, decimal::overread);
  while (body_end > text && body_end[-1] != '\n') --body_end;
  std::vector<Block> blocks;
  for (const char* p = text; p < body_end;) {
    const char* next = after_newline(p + std::min<Index>(block_bytes, body_end - p) - 1, body_end);
    blocks.push_back({p, next});
    p = next;
  }
  if (body_end == end) return blocks;
  tail.reserve(static_cast<std::size_t>(end - body_end) + 1 + decimal::overread);
  tail.assign(body_end, end);
  if (tail.back() != '\n') tail += '\n';
  const std::size_t size = tail.size();
  tail.append(decimal::overread, '\0');
  blocks.push_back({tail.data(), tail.data() + size});
  return blocks;
}

template <class T>
void make_room(SvmlightRows<T>& rows, BlockCount c, const SvmlightOptions& options) {
  rows.values.reserve(c.entries);
  rows.columns.reserve(c.entries);
  rows.row_ends.reserve(c.rows);
  rows.labels.reserve(c.labels);
  if (options.multilabel) rows.label_ends.reserve(c.rows);
  if (options.query_id) rows.queries.reserve(c.rows);
}

template <class T>
void read_block(Block& block, Index lines_before, const SvmlightOptions& options, SvmlightRows<T>& rows) {
  SvmlightLines<T> lines(options, rows, block.start, lines_before);
  try {
    lines.read(block.begin, block.end);
    block.found = lines.found();
    block.bottom = lines.bottom;
    block.top = lines.top;
    block.top_line = lines.top_line;
  } catch (SvmlightFault& fault) {
    block.fault = std::move(fault);
  }
}

template <class N>
void move_down(Buffer<N>& buffer, Index from, Index to, Index count) {
  if (from != to && count > 0) std::memmove(&buffer[to], &buffer[from], static_cast<std::size_t>(count) * sizeof(N));
}

// Comments, blank lines and qid leave gaps between the blocks. Closes them; `at` is where the block belongs.
template <class T>
void close_gap(const Block& block, BlockCount at, const SvmlightOptions& options, SvmlightRows<T>& rows) {
  const Index shift = block.start.entries - at.entries, label_shift = block.start.labels - at.labels;
  move_down(rows.values, block.start.entries, at.entries, block.found.entries);
  move_down(rows.columns, block.start.entries, at.entries, block.found.entries);
  move_down(rows.labels, block.start.labels, at.labels, block.found.labels);
  move_down(rows.row_ends, block.start.rows, at.rows, block.found.rows);
  if (options.multilabel) move_down(rows.label_ends, block.start.rows, at.rows, block.found.rows);
  if (options.query_id) move_down(rows.queries, block.start.rows, at.rows, block.found.rows);
  for (Index i = at.rows; i < at.rows + block.found.rows; ++i) {
    rows.row_ends[i] -= shift;
    if (options.multilabel) rows.label_ends[i] -= label_shift;
  }
}

template <class T>
void keep(const std::vector<Block>& blocks, BlockCount at, const SvmlightOptions& options, SvmlightRows<T>& rows) {
  for (const Block& block : blocks) {
    if (!(block.start == at)) close_gap(block, at, options, rows);
    at += block.found;
    rows.bottom = std::min(rows.bottom, block.bottom);
    if (block.top > rows.top) rows.top = block.top, rows.top_line = block.top_line;
  }
  rows.values.resize(at.entries);
  rows.columns.resize(at.entries);
  rows.row_ends.resize(at.rows);
  rows.labels.resize(at.labels);
  if (options.multilabel) rows.label_ends.resize(at.rows);
  if (options.query_id) rows.queries.resize(at.rows);
}

}  // namespace

template <class T>
std::optional<SvmlightFault> append_svmlight(const char* text, Index length, const SvmlightOptions& options,
                                             SvmlightRows<T>& rows, Poll poll) {
  std::string tail;
  std::vector<Block> blocks = cut(text, length, std::max<Index>(options.block_bytes, 1), tail);
  const auto block = [&](Index t) -> Block& { return blocks[static_cast<std::size_t>(t)]; };
  const auto tasks = static_cast<Index>(blocks.size());
  parallel_for(
      tasks, options.threads,
      [&](Index t) { block(t).most = count_most(block(t).begin, block(t).end, options.multilabel); }, poll);
  const BlockCount start{rows.size(), rows.columns.size(), rows.labels.size()};
  BlockCount end = start;
  for (Block& b : blocks) b.start = end, end += b.most;
  make_room(rows, end, options);
  const Index lines_before = rows.lines - start.rows;
  std::atomic<Index> first_bad{tasks};
  parallel_for(
      tasks, options.threads,
      [&](Index t) {
        if (t > first_bad) return;  // blocks before the first bad one are always read, so the first fault is found
        read_block(block(t), lines_before + block(t).start.rows, options, rows);
        if (!block(t).fault) return;
        for (Index seen = first_bad; t < seen && !first_bad.compare_exchange_weak(seen, t);) {
        }
      },
      poll);
  if (first_bad < tasks) return block(first_bad).fault;
  keep(blocks, start, options, rows);
  rows.lines = lines_before + end.rows;
  return std::nullopt;
}

template std::optional<SvmlightFault> append_svmlight(const char*, Index, const SvmlightOptions&, SvmlightRows<float>&,
                                                      Poll);
template std::optional<SvmlightFault> append_svmlight(const char*, Index, const SvmlightOptions&, SvmlightRows<double>&,
                                                      Poll);

}  // namespace widemargin
