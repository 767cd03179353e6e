// The signals of a server's process. A thread of their own takes them, so that the second SIGTERM or SIGINT ends the
// process whatever its other threads do. SIGBUS for a weight file that can no longer be read does not end it: zeros
// take the place of what is missing, and Model::check_files tells.
#pragma once

#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace bert::server {

class ProcessSignals {
 public:
  enum class Event { kReload, kDrain };  // SIGHUP; SIGTERM or SIGINT

  // Blocks the signals in this thread and in those that it starts. before_end: called before the process ends by a
  // signal: with status 0 by the first SIGTERM or SIGINT until may_drain(), when there is nothing to answer; with
  // status 1 by the second. Throws Error.
  explicit ProcessSignals(std::function<void()> before_end);
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  // From now on the first SIGTERM or SIGINT is an event.
  void may_drain();
  // Waits for the next event. After kDrain there is none.
  Event wait();

 private:
  void take_signals();

  const std::function<void()> before_end_;
  sigset_t before_ = {};
  struct sigaction bus_before_ = {};
  int signals_ = -1, end_ = -1;  // descriptors of a signalfd and an eventfd
  std::mutex mutex_;             // guards what follows
  std::condition_variable changed_;
  bool reload_ = false, drain_ = false, may_drain_ = false;
  std::thread thread_;
};

}  // namespace bert::server
