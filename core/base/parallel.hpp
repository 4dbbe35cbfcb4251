// A thread pool of our own.
//
// Why not OpenMP: its threads spin at barriers (a busy neighbour then costs 15x), it hangs after fork, and two copies
// of its runtime in one process crash. Here idle threads sleep, a forked child starts a new pool, a nested or a
// second concurrent call runs in the calling thread, and an exception in a task is rethrown to the caller.
//
// Bit-equal results for any number of threads are the caller's duty and easy to keep: cut the work into tasks by the
// size of the data, never by the number of threads, write to disjoint places, and add up in the order of the tasks.
#pragma once

#include <algorithm>
#include <functional>

#include "base/poll.hpp"
#include "base/types.hpp"

namespace widemargin {

// Calls work(task) for task = 0 .. tasks-1 on at most `threads` threads, the caller being one of them.
void parallel_for(Index tasks, int threads, const std::function<void(Index)>& work, Poll poll = never);

// How many threads of the pool are alive in this process (for tests and wm doctor).
int pool_size();

// Takes up what the C++ library keeps for each thread that throws. It gets memory for that at the first throw and ends
// the process if there is none: call it in a new thread while memory is at hand.
void touch_thread();

// Splits 0 .. n-1 into blocks of `block` and calls work(begin, end) for each.
inline void parallel_blocks(Index n, Index block, int threads, const std::function<void(Index, Index)>& work,
                            Poll poll = never) {
  const Index tasks = (n + block - 1) / block;
  parallel_for(tasks, threads, [&](Index t) { work(t * block, std::min(n, (t + 1) * block)); }, poll);
}

}  // namespace widemargin
