// Writes lines to a descriptor by a thread of its own, so that a reader that stalls delays nobody: what waits is
// bounded, and further lines are dropped. Safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace bert::server {

class LogWriter {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // Its thread gets no signals. The descriptor stays the caller's.
  explicit LogWriter(int descriptor, size_t max_bytes = kMaxBytes);
  // Waits for what is not written yet, half a second at most.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Adds a line, and its end. A line that has no room is dropped.
  void write(std::string_view line) noexcept;
  uint64_t dropped_lines() const;  // so far; with those of writes that failed

 private:
  struct State;
  std::shared_ptr<State> state_;  // the thread's too, which may be stuck in a write
};

}  // namespace bert::server
