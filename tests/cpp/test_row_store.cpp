#include <atomic>
#include <cstdlib>
#include <thread>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "check.hpp"
#include "kernel/row_store.hpp"

using namespace widemargin;

TEST(a_store_keeps_what_was_used_last) {
  RowStore store(10, 5, 3 * 16 * 4);  // three rows of 16 values
  WarmMemory memory;
  store.use(memory);
  float* at[10];
  for (Index i : {0, 1, 2}) {
    store.turn();
    CHECK(!store.find(i));
    at[i] = store.place(i);
    CHECK(at[i] != nullptr);
    at[i][4] = static_cast<float>(i);
  }
  store.turn();
  CHECK(store.find(0) == at[0]);  // so 1 was used least recently
  store.turn();
  CHECK(store.place(7) == at[1]);
  CHECK(!store.find(1));
  CHECK(store.find(0) == at[0] && store.find(2) == at[2] && store.find(2)[4] == 2);
  store.clear();
  CHECK(!store.find(0) && !store.find(7));
}

TEST(a_row_in_use_is_not_given_away) {
  RowStore store(10, 16, 2 * 16 * 4);
  WarmMemory memory;
  store.use(memory);
  store.turn();
  float *first = store.place(3), *second = store.place(4);
  CHECK(first && second && first != second);
  CHECK(!store.place(5));  // both were touched in this turn
  CHECK(store.find(3) == first);
  store.turn();
  CHECK(store.place(5) == second);  // 4 was used before 3
  CHECK(store.place(6) == first);
  CHECK(!store.place(7));
}

TEST(a_store_without_memory_keeps_nothing) {
  for (const Index memory : {0, 63}) {
    RowStore store(4, 16, memory);
    WarmMemory values;
    store.use(values);
    store.turn();
    CHECK(!store.place(1) && !store.find(1));
  }
  RowStore all(4, 16, Index{1} << 40);  // never more than there are rows
  WarmMemory values;
  all.use(values);
  all.turn();
  for (Index i = 0; i < 4; ++i) CHECK(all.place(i) != nullptr);
  CHECK(values.size() == 1);
}

TEST(a_store_forgets_when_it_is_lent_other_memory) {
  RowStore store(4, 16, 4096);
  WarmMemory one, two;
  store.use(one);
  store.place(2);
  store.use(two);
  CHECK(!store.find(2));
}

TEST(rows_of_fewer_items_are_cut_down_where_they_lie) {
  constexpr Index n = 5000;  // so that rows do not all lie in one block
  RowStore all(n, n, Index{1} << 30);
  WarmMemory memory;
  all.use(memory);
  for (Index i = 0; i < n; i += 1) {
    all.turn();
    float* row = all.place(i);
    if (!row) continue;
    for (Index j = 0; j < n; ++j) row[j] = static_cast<float>((i * 31 + j * 7) % 1009);
  }
  std::vector<char> kept(n);
  for (Index i = 0; i < n; ++i) kept[static_cast<std::size_t>(i)] = all.find(i) != nullptr;
  std::vector<Column> to(n, -1);
  Column m = 0;
  for (Index i = 0; i < n; ++i)
    if (i % 3 != 1) to[static_cast<std::size_t>(i)] = m++;
  RowStore some(m, m, Index{1} << 30);
  some.inherit(all, to);
  Index seen = 0, wrong = 0;
  for (Index i = 0; i < n; ++i) {
    const Column here = to[static_cast<std::size_t>(i)];
    if (here < 0) continue;
    const float* row = some.find(here);
    wrong += (row != nullptr) != static_cast<bool>(kept[static_cast<std::size_t>(i)]);
    for (Index j = 0; row && j < n; ++j)
      if (to[static_cast<std::size_t>(j)] >= 0)
        wrong += row[to[static_cast<std::size_t>(j)]] != static_cast<float>((i * 31 + j * 7) % 1009);
    seen += row != nullptr;
  }
  CHECK(wrong == 0 && seen > 100 && memory.size() > 1);
}

TEST(rows_longer_than_a_block_have_blocks_of_their_own) {
  RowStore store(3, warm_block + 1, Index{1} << 28);
  WarmMemory memory;
  store.use(memory);
  store.turn();
  float *one = store.place(0), *two = store.place(1);
  CHECK(one && two && std::abs(two - one) > warm_block && memory.size() == 2);
}

TEST(memory_that_was_left_is_taken_up_again) {
  float* block;
  {
    WarmMemory one;
    CHECK(one.grow(100));
    block = one.block(0);
    block[0] = 1;
  }
  WarmMemory other;
  CHECK(other.grow(100) && other.block(0) == block);
  WarmMemory third;
  CHECK(third.grow(100) && third.block(0) != block);
}

TEST(warm_memory_is_used_at_once) {
  constexpr Index rows = 24;  // four a block: more than a store takes of memory that nobody has touched
  {
    WarmMemory left;
    for (Index k = 0; k < rows / 4; ++k) CHECK(left.grow(1));
  }
  RowStore store(rows, warm_block / 4, Index{1} << 34);
  WarmMemory memory;
  store.use(memory);
  for (Index i = 0; i < rows; ++i) {
    store.turn();
    CHECK(store.place(i) != nullptr);
  }
  for (Index i = 0; i < rows; ++i) CHECK(store.find(i) != nullptr);
}

#ifndef _WIN32
TEST(a_child_forked_while_another_thread_asks_for_warm_memory_can_ask) {
  WarmMemory all, none;
  while (all.grow_warm(1)) continue;
  std::atomic<bool> stop{false};
  std::atomic<Index> asked{0};
  std::thread busy([&] {  // nothing is left: it allocates nothing, as in test_parallel.cpp
    for (; !stop; ++asked) none.grow_warm(1);
  });
  while (asked == 0) std::this_thread::yield();
  for (int again = 0; again < 20; ++again) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      WarmMemory own;
      _exit(own.grow_warm(1) ? 1 : 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  busy.join();
}
#endif
