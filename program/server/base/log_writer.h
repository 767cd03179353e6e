// Writes lines to a descriptor in its own thread, so that a slow reader delays nobody. Waiting lines are bounded, and
// further lines are dropped. Safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace bert::server {

class LogWriter {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // Its thread gets no signals. The caller owns the descriptor.
  explicit LogWriter(int descriptor, size_t max_bytes = kMaxBytes);
  // Waits at most half a second for lines that are not written yet.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Adds a line with a line end. A line for which there is no room is dropped.
  void write(std::string_view line) noexcept;
  uint64_t dropped_lines() const;  // so far, including lines whose write failed

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may be stuck in a write
};

}  // namespace bert::server
