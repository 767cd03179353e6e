// The progress bar: the part of the input that is done, the speed, the remaining time. Shown on a terminal only, after
// half a second, and not if the data goes to the same terminal. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tools/cli/console.h"

namespace bert::cli {

class Progress {
 public:
  Progress(Console& console, bool wanted) : console_(console), wanted_(wanted && console.is_terminal()) {}
  ~Progress() { console_.clear_status(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `bytes_total` 0: unknown, as for a pipe.
  void show(size_t texts, uint64_t bytes_read, uint64_t bytes_total);

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  bool wanted_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace bert::cli
