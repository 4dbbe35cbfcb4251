#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "check.hpp"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace widemargin;

namespace {

Index sum_of_squares(Index tasks, int threads) {
  std::vector<Index> square(static_cast<std::size_t>(tasks));
  parallel_for(tasks, threads, [&](Index t) { square[static_cast<std::size_t>(t)] = t * t; });
  Index sum = 0;
  for (const Index s : square) sum += s;
  return sum;
}

constexpr Index expected_100 = 328350;  // 0 + 1 + 4 + ... + 99^2

}  // namespace

TEST(every_task_runs_exactly_once_whatever_the_number_of_threads) {
  for (const int threads : {-1, 0, 1, 2, 3, 8})
    for (const Index tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      parallel_for(tasks, threads, [&](Index t) { ++runs[static_cast<std::size_t>(t)]; });
      for (const auto& r : runs) CHECK(r == 1);
    }
}

TEST(blocks_cover_the_range_once_and_do_not_depend_on_threads) {
  for (const int threads : {1, 4}) {
    std::vector<int> seen(1001);
    parallel_blocks(1001, 64, threads, [&](Index begin, Index end) {
      CHECK(begin % 64 == 0 && (end - begin == 64 || end == 1001));
      for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const int s : seen) CHECK(s == 1);
  }
}

TEST(an_exception_in_a_task_reaches_the_caller_and_the_pool_lives_on) {
  for (const int threads : {1, 2, 4})
    for (const Index bad : {0, 50, 99}) {
      CHECK_THROWS(std::out_of_range, parallel_for(100, threads, [&](Index t) {
                     if (t == bad) throw std::out_of_range("planted");
                   }));
      CHECK(sum_of_squares(100, threads) == expected_100);
    }
}

TEST(exceptions_in_all_tasks_give_one_exception) {
  CHECK_THROWS(std::runtime_error, parallel_for(64, 4, [](Index) { throw std::runtime_error("planted"); }));
}

TEST(a_poll_that_throws_stops_the_work) {
  static std::atomic<Index> done;
  done = 0;
  CHECK_THROWS(std::domain_error, parallel_for(
                                      20000, 2,
                                      [](Index) {
                                        std::this_thread::sleep_for(std::chrono::microseconds(50));
                                        ++done;
                                      },
                                      [] {
                                        if (done > 10) throw std::domain_error("interrupted");
                                      }));
  CHECK(done < 20000);
  CHECK(sum_of_squares(100, 2) == expected_100);
}

TEST(nested_calls_run_in_the_calling_thread) {
  std::atomic<Index> sum{0};
  std::atomic<int> strangers{0};
  parallel_for(8, 4, [&](Index) {
    const auto self = std::this_thread::get_id();
    parallel_for(100, 4, [&](Index t) {
      if (std::this_thread::get_id() != self) ++strangers;
      sum += t * t;
    });
  });
  CHECK(sum == 8 * expected_100);
  CHECK(strangers == 0);
}

TEST(an_exception_of_a_nested_call_reaches_the_outer_caller) {
  CHECK_THROWS(std::out_of_range, parallel_for(4, 2, [](Index) {
                 parallel_for(4, 2, [](Index t) {
                   if (t == 3) throw std::out_of_range("planted");
                 });
               }));
}

TEST(concurrent_callers_all_get_their_result) {
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&] {
      for (int again = 0; again < 50; ++again) right += sum_of_squares(100, 3) == expected_100;
    });
  for (auto& c : callers) c.join();
  CHECK(right == 200);
}

TEST(the_pool_is_no_larger_than_was_ever_asked_for) {
  sum_of_squares(100, 4);
  CHECK(pool_size() <= 7);  // the largest wish in this file is 8 threads, the caller being one of them
}

#ifndef _WIN32
namespace {

bool child_can_work() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(sum_of_squares(100, 2) == expected_100 && pool_size() == 1 ? 0 : 1);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST(a_forked_child_makes_its_own_pool) {
  CHECK(sum_of_squares(100, 2) == expected_100);
  for (int again = 0; again < 20; ++again) CHECK(child_can_work());
}

TEST(a_child_forked_while_another_thread_works_can_work) {
  // The other thread allocates nothing: the address sanitizer of g++ 12 does not free its allocator's locks in a child.
  std::atomic<bool> stop{false};
  std::vector<std::atomic<Index>> runs(1000);
  std::thread busy([&] {
    while (!stop) parallel_for(1000, 2, [&](Index t) { ++runs[static_cast<std::size_t>(t)]; });
  });
  while (runs.back() == 0) std::this_thread::yield();
  for (int again = 0; again < 20; ++again) CHECK(child_can_work());
  stop = true;
  busy.join();
}
#endif
