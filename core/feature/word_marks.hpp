// Where the words of a text begin and end, as far as they are of ASCII letters: many bytes become bits, and changes of
// bits the ends of words.
#pragma once

#include "base/types.hpp"

namespace widemargin {

struct WordMarks {
  Index count;  // of edges: two for each word
  bool ascii;   // all bytes are
};

// Edges that `size` bytes may have, and bytes of the copy of them.
inline Index most_edges(Index size) { return (size / 64 + 1) * 44; }
inline Index room_for_copy(Index size) { return (size / 64 + 1) * 64; }

// Copies the text, capitals made small if asked. Of every run of two letters, digits and _ or more: the place of its
// second one, and that behind its last one.
WordMarks mark_words(const char* text, Index size, bool small, char* copy, std::size_t* edges);

}  // namespace widemargin
