// Handles the signals of a server's process in a separate thread, so that the second SIGTERM or SIGINT ends the process
// whatever its other threads do. SIGBUS for a weight file that can no longer be read does not end the process: zeros
// replace the missing pages, and Model::check_files reports it.
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

  // Blocks the signals in this thread and in the threads that it starts. before_end: called once before a signal ends
  // the process: status 0 on a first SIGTERM or SIGINT while nothing is being served, 1 on a second. Throws Error.
  explicit ProcessSignals(std::function<void()> before_end);
  ~ProcessSignals();
  ProcessSignals(const ProcessSignals&) = delete;
  ProcessSignals& operator=(const ProcessSignals&) = delete;

  // Makes the first SIGTERM or SIGINT an event from now on.
  void may_drain();
  // Waits for the next event. kDrain is the last one.
  Event wait();

 private:
  void take_signals();

  const std::function<void()> before_end_;
  sigset_t before_ = {};
  struct sigaction bus_before_ = {};
  int signals_ = -1, end_ = -1;  // descriptors of a signalfd and an eventfd
  std::mutex mutex_;             // guards the members below
  std::condition_variable changed_;
  bool reload_ = false, drain_ = false, may_drain_ = false;
  std::thread thread_;
};

}  // namespace bert::server
