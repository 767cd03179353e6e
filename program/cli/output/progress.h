// The progress bar: the finished part of the input, texts, tokens, the speed, the remaining time. Shown only on a
// terminal, after half a second, and not if the data goes to the same terminal. Used by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "program/cli/output/console.h"

namespace bert::cli {

class Progress {
 public:
  struct Amount {
    size_t texts = 0;
    size_t tokens = 0;
    uint64_t bytes = 0;  // bytes of the input
  };

  // before: done by an earlier run; the speed does not count it.
  Progress(Console& console, bool wanted, const Amount& before)
      : console_(console), wanted_(wanted && console.is_terminal()), before_(before) {}
  ~Progress() { console_.clear_status(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // done: texts and tokens of all runs, bytes of this run; bytes_total: of this run; 0: unknown, as for a pipe.
  void show(const Amount& done, uint64_t bytes_total);

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  bool wanted_;
  Amount before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace bert::cli
