// Memory that each thread has its own copy of: zeros on first use, freed when the thread ends. (A thread_local with a
// destructor would end the process if its registration finds no memory.) An object lives until the process ends.
// engine/base/posix/ and windows/ implement it. Safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace bert {

class ThreadMemory {
 public:
  explicit ThreadMemory(size_t bytes);
  // Returns this thread's memory, aligned as by malloc; only used pages take memory. Null if there is no memory.
  void* of_this_thread() const noexcept;

 private:
  size_t bytes_;
  std::optional<uintptr_t> key_;  // the system's key; nullopt if none is left
};

}  // namespace bert
