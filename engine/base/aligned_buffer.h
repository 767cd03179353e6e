// Memory for numbers: 64-byte aligned (a cache line, and the widest vector register), not initialised.
// One owner, movable; not thread-safe. engine/base/posix/ and windows/ implement it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace bert {

inline constexpr size_t kAlignment = 64;

// Allocates memory that is not initialised; its size is a multiple of kAlignment. A large buffer uses huge pages if
// available, because a matrix's rows lie on more pages than the first-level TLB has entries. Throws std::bad_alloc.
void* allocate_aligned(size_t bytes);
void free_aligned(void* memory) noexcept;

constexpr size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size) : size_(size) {
    if (size == 0) return;
    if (size > static_cast<size_t>(-1) / sizeof(T) - kAlignment) throw std::bad_alloc();
    data_.reset(static_cast<T*>(allocate_aligned(size * sizeof(T))));
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* memory) const { free_aligned(memory); }
  };
  std::unique_ptr<T[], Free> data_;
  size_t size_ = 0;
};

}  // namespace bert
