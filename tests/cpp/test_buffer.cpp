#include <new>
#include <utility>

#include "base/buffer.hpp"
#include "check.hpp"

using namespace widemargin;

TEST(buffer_keeps_what_it_holds_when_it_grows_and_shrinks) {
  Buffer<int> b;
  for (int i = 0; i < 3000000; ++i) {
    b.resize(i + 1);
    b[i] = i;
  }
  b.resize(1500000);
  b.fit();
  bool same = true;
  for (int i = 0; i < 1500000; ++i) same = same && b[i] == i;
  CHECK(same);
  Buffer<int> other = std::move(b);
  CHECK(other.size() == 1500000 && b.size() == 0 && b.data() == nullptr);
  CHECK_THROWS(std::bad_alloc, other.reserve(INT64_MAX));
  CHECK(other.size() == 1500000);
}
