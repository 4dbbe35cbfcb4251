#include "base/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace widemargin {
namespace {

thread_local bool inside_task = false;

struct Job {
  Index tasks;
  const std::function<void(Index)>* work;
  std::atomic<Index> next{0};
  std::atomic<bool> stop{false};
  int wanted = 0;   // helpers still to join, guarded by the pool's mutex
  int working = 0;  // helpers inside, guarded by the pool's mutex
  std::exception_ptr error;
  std::mutex error_mutex;

  void keep_error() {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::current_exception();
    stop = true;
  }

  void run(Poll poll) {
    inside_task = true;
    try {
      for (Index t; !stop && (t = next++) < tasks;) {
        (*work)(t);
        poll();
      }
    } catch (...) {
      keep_error();
    }
    inside_task = false;
  }
};

class Pool {
 public:
  std::unique_lock<std::mutex> try_enter() { return std::unique_lock(entry_, std::try_to_lock); }

  void run(Job& job, int helpers, Poll poll) {
    {
      std::unique_lock lock(mutex_);
      grow(helpers, lock);
      job.wanted = std::min(helpers, size_);
      job_ = &job;
    }
    wake_.notify_all();
    job.run(poll);
    std::unique_lock lock(mutex_);
    job.wanted = 0;
    job_ = nullptr;
    done_.wait(lock, [&] { return job.working == 0; });
  }

  int size() {
    const std::lock_guard lock(mutex_);
    return size_;
  }

 private:
  void grow(int helpers, std::unique_lock<std::mutex>& lock) {
    try {
      while (size_ < helpers) {
        std::vector<char> reserve(1 << 20);
        std::thread([this] { serve(); }).detach();
        ++size_;
        std::vector<char>().swap(reserve);
        begun_.wait(lock, [&] { return ready_ == size_; });
      }
    } catch (const std::exception&) {
      // No more threads or memory to be had: the work is done by those we have, the result is the same.
    }
  }

  void serve() {
    touch_thread();
    std::unique_lock lock(mutex_);
    ++ready_;
    begun_.notify_all();
    for (;;) {
      wake_.wait(lock, [&] { return job_ && job_->wanted > 0; });
      Job& job = *job_;
      --job.wanted;
      ++job.working;
      lock.unlock();
      job.run(never);
      lock.lock();
      if (--job.working == 0) done_.notify_all();
    }
  }

  std::mutex entry_, mutex_;
  std::condition_variable wake_, done_, begun_;
  Job* job_ = nullptr;
  int size_ = 0, ready_ = 0;
};

// The pool is never destroyed: its sleeping threads end with the process. After fork the child has none of them, and
// the locks may be in any state, so the child forgets the pool and makes another when it needs one.
std::atomic<Pool*> the_pool{nullptr};

#ifndef _WIN32
// When the library is loaded, not at the first use: a fork in the middle of that would leave the child waiting for ever
// for a thread that it does not have to finish it.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  the_pool.store(nullptr);
  inside_task = false;
});
#endif

Pool& pool() {
  if (Pool* p = the_pool.load()) return *p;
  Pool* fresh = new Pool;
  Pool* none = nullptr;
  if (the_pool.compare_exchange_strong(none, fresh)) return *fresh;
  delete fresh;
  return *none;
}

}  // namespace

void touch_thread() {
  try {
    throw 0;
  } catch (int) {
  }
}

void parallel_for(Index tasks, int threads, const std::function<void(Index)>& work, Poll poll) {
  Job job;
  job.tasks = tasks;
  job.work = &work;
  const int helpers = static_cast<int>(std::min<Index>(threads, tasks)) - 1;
  const auto alone = [&] {
    const bool was_inside = inside_task;
    job.run(poll);
    inside_task = was_inside;
  };
  if (helpers <= 0 || inside_task) {
    alone();
  } else {
    Pool& p = pool();
    const auto entered = p.try_enter();
    entered ? p.run(job, helpers, poll) : alone();
  }
  if (job.error) std::rethrow_exception(job.error);
}

int pool_size() {
  Pool* p = the_pool.load();
  return p ? p->size() : 0;
}

}  // namespace widemargin
