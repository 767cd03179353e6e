// Memory that each thread has of its own: zeros when it first asks, freed when it ends. (A thread_local with a
// destructor would end the process where its registration finds no memory.) An object stays until the process ends.
// engine/base/posix/ implements it. Safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace bert {

class ThreadMemory {
 public:
  explicit ThreadMemory(size_t bytes);
  // Aligned as by malloc; only the pages that are used take memory. Null without memory.
  void* of_this_thread() const noexcept;

 private:
  size_t bytes_;
  std::optional<uintptr_t> key_;  // the system's; none if it has no more
};

}  // namespace bert
