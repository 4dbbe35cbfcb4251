#include <atomic>
#include <chrono>

#include "arrays.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "base/simd.hpp"

#if defined(_WIN32)
#define WIDEMARGIN_EXPORT extern "C" __declspec(dllexport)
#else
#define WIDEMARGIN_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// By these two names threadpoolctl knows our pool; 0 means no limit. Python asks for it before every fit.
static std::atomic<int> thread_limit{0};
WIDEMARGIN_EXPORT int widemargin_get_num_threads() { return thread_limit; }
WIDEMARGIN_EXPORT void widemargin_set_num_threads(int threads) { thread_limit = threads; }

namespace widemargin {
namespace {
constexpr const char* simd_names[] = {"scalar", "avx2", "avx512"};  // as simd::Level
}  // namespace

void poll_signals() {
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point last = Clock::now();
  const auto now = Clock::now();
  if (now - last < std::chrono::milliseconds(20)) return;
  last = now;
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_base(nb::module_& m) {
  m.def("touch_thread", &touch_thread, "To be called in a new thread while memory is at hand.");
  m.def("pool_size", &pool_size, "Threads alive in the pool of this process.");
  m.def("thread_limit", &widemargin_get_num_threads, "The limit set through threadpoolctl, 0 = none.");
  m.def(
      "spin",
      [](Index tasks, int threads, Index length) {
        nb::gil_scoped_release free;
        parallel_for(
            tasks, threads,
            [&](Index t) {
              volatile double x = static_cast<double>(t);
              for (Index i = 0; i < length; ++i) x = x * 0.999 + 1.0;
            },
            poll_signals);
      },
      "tasks"_a, "threads"_a, "length"_a, "Busy work on the pool, for the tests of threads and interruption.");
  m.def(
      "simd_level", [] { return simd_names[static_cast<std::size_t>(simd::level())]; },
      "Vector instructions in use: avx512, avx2 or scalar.");
  m.def(
      "set_simd_level",
      [](const std::string& wish) {
        const auto found = std::find(std::begin(simd_names), std::end(simd_names), wish);
        if (found == std::end(simd_names)) fail("known vector instructions are scalar, avx2 and avx512, not " + wish);
        simd::set_level(static_cast<simd::Level>(found - std::begin(simd_names)));
      },
      "wish"_a, "Use these instead, if the CPU has them; before any fit.");
  m.def(
      "philox",
      [](std::uint64_t key0, std::uint64_t key1, std::uint64_t c0, std::uint64_t c1, std::uint64_t c2,
         std::uint64_t c3) {
        const Block b = philox({c0, c1, c2, c3}, key0, key1);
        return std::vector<std::uint64_t>(b.begin(), b.end());
      },
      "key0"_a, "key1"_a, "c0"_a, "c1"_a, "c2"_a, "c3"_a, "One block of Philox4x64-10.");
  m.def(
      "permutation",
      [](Index n, std::uint64_t seed, std::uint64_t index) {
        if (n < 0) fail("there are no orders of " + std::to_string(n) + " rows");
        std::vector<Index> order(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
        visiting_order(order, Random(seed, Purpose::order, index));
        return to_numpy(std::move(order));
      },
      "n"_a, "seed"_a, "index"_a, "The order of epoch `index`, as the solvers use it.");
  m.def(
      "uniform",
      [](Index n, std::uint64_t seed, std::uint64_t index) {
        if (n < 0) fail("there are no " + std::to_string(n) + " numbers");
        Random random(seed, Purpose::start, index);
        std::vector<double> u(static_cast<std::size_t>(n));
        for (double& v : u) v = random.uniform();
        return to_numpy(std::move(u));
      },
      "n"_a, "seed"_a, "index"_a, "n numbers in [0, 1) for the key (seed, start, index).");
}

}  // namespace widemargin
