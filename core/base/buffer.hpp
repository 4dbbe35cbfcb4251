// A growable array that neither clears nor copies what it need not: new entries are not initialised, growth goes
// through realloc (which remaps large blocks instead of copying), and large blocks ask for huge pages, because the
// first touch of fresh pages otherwise costs as much as parsing the text that fills them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/types.hpp"

namespace widemargin {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  Index size() const { return size_; }
  T& operator[](Index i) { return data_[i]; }
  const T& operator[](Index i) const { return data_[i]; }

  // Room for n entries. The first request is met exactly, later ones with room to grow.
  void reserve(Index n) {
    if (n <= capacity_) return;
    reallocate(std::max(n, capacity_ + capacity_ / 2));
  }

  // n entries; those that were not there before hold anything.
  void resize(Index n) {
    reserve(n);
    size_ = n;
  }

  // The system may take the pages until they are written again; until then the entries hold anything.
  void offer() {
#if defined(__linux__) && defined(MADV_FREE)
    const auto address = reinterpret_cast<std::uintptr_t>(data_);
    const std::uintptr_t end = address + static_cast<std::size_t>(capacity_) * sizeof(T);
    const std::uintptr_t first = (address + page - 1) & ~(page - 1), last = end & ~(page - 1);
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_FREE);  // advice: may fail
#endif
  }

  // Gives back room that is not used, if it is worth it.
  void fit() {
    if (capacity_ - size_ > size_ / 16 + 1024) reallocate(std::max<Index>(size_, 1));
  }

 private:
  static constexpr std::uintptr_t page = 1 << 16;  // or a part of it
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  void reallocate(Index n) {
    if (n < 0 || n > static_cast<Index>(PTRDIFF_MAX / sizeof(T))) throw std::bad_alloc();
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    void* fresh = std::realloc(data_, bytes);
    if (!fresh) throw std::bad_alloc();
    data_ = static_cast<T*>(fresh);
    capacity_ = n;
    advise(bytes);
  }

  void advise([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    if (bytes < 2 * huge_page) return;
    const auto address = reinterpret_cast<std::uintptr_t>(data_);
    const std::uintptr_t begin = (address + huge_page - 1) & ~(huge_page - 1),
                         end = (address + bytes) & ~(huge_page - 1);
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: may fail
#endif
  }

  T* data_ = nullptr;
  Index size_ = 0, capacity_ = 0;
};

}  // namespace widemargin
