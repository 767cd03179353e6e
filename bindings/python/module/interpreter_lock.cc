#include "bindings/python/module/interpreter_lock.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace bert::python {
namespace {

constexpr std::chrono::seconds kLongest{1};

std::atomic<bool> ending = false;
std::atomic<size_t> takers = 0;  // threads that wait for the lock, or hold it in a Locked
std::thread::id last_thread;     // set before `ending` is

void begin_to_take() {
  ++takers;
  if (!ending || std::this_thread::get_id() == last_thread) return;
  --takers;
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

Unlocked::Unlocked() : state_(PyEval_SaveThread()) {}

Unlocked::~Unlocked() {
  begin_to_take();
  PyEval_RestoreThread(state_);
  --takers;
}

Locked::Locked() {
  begin_to_take();
  state_ = PyGILState_Ensure();
}

Locked::~Locked() {
  PyGILState_Release(state_);
  --takers;
}

void end_other_threads() {
  last_thread = std::this_thread::get_id();
  ending = true;
  PyThreadState* state = PyEval_SaveThread();
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (takers > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  PyEval_RestoreThread(state);
}

}  // namespace bert::python
