#include "program/server/base/log_writer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "program/common/system_files.h"

namespace bert::server {
namespace {

constexpr std::chrono::milliseconds kLastLines{500};

}  // namespace

struct LogWriter::State {
  void run();

  int descriptor = -1;
  size_t max_bytes = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;
  size_t writing = 0;    // bytes that the thread has taken
  uint64_t dropped = 0;  // number of lines
  bool ends = false, has_ended = false;
};

void LogWriter::State::run() {
  std::string lines;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ends || !waiting.empty(); });
    if (waiting.empty()) break;
    lines.swap(waiting);
    writing = lines.size();
    lock.unlock();
    const bool is_written = common::write_all(descriptor, lines);
    lock.lock();
    if (!is_written) dropped += static_cast<uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    lines.clear();
    writing = 0;
  }
  has_ended = true;
  changed.notify_all();
}

LogWriter::LogWriter(int descriptor, size_t max_bytes) : state_(std::make_shared<State>()) {
  state_->descriptor = descriptor;
  state_->max_bytes = max_bytes;
  sigset_t all = {}, before = {};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([state = state_] { state->run(); }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LogWriter::~LogWriter() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->ends = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kLastLines, [&] { return state_->has_ended; });
}

void LogWriter::write(std::string_view line) noexcept {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::string& waiting = state_->waiting;
  const size_t before = waiting.size();
  try {
    if (state_->writing + before + line.size() < state_->max_bytes) {
      waiting.append(line) += '\n';
      state_->changed.notify_all();
      return;
    }
  } catch (const std::bad_alloc&) {
    waiting.resize(before);
  }
  ++state_->dropped;
}

uint64_t LogWriter::dropped_lines() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->dropped;
}

}  // namespace bert::server
