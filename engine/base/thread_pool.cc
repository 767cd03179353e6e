#include "engine/base/thread_pool.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "engine/base/floating_point.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bert {
namespace {

constexpr int kTaskBits = 24;
constexpr uint64_t kTaskMask = (uint64_t{1} << kTaskBits) - 1;
// Half of the range of the task's bits, because each thread counts one past the last task when none is left.
constexpr size_t kMaxTasks = size_t{1} << (kTaskBits - 1);
// About 50 µs: longer than the gaps between the loops of a forward pass, too short for the user or the scheduler to
// notice.
constexpr int kSpins = 2000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // waits about as long as x86's pause; YIELD does nothing on most CPUs
#else
  std::this_thread::yield();
#endif
}

uint64_t loop_of(uint64_t ticket) { return ticket >> (2 * kTaskBits); }

}  // namespace

// The delegated constructor completes first, so an exception here runs the destructor, which stops the workers.
ThreadPool::ThreadPool(size_t threads, Missing missing) : ThreadPool() {
  if (threads > kMaxThreads) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(threads) + " threads requested, expected at most " + std::to_string(kMaxThreads));
  }
  try {
    for (size_t slot = 1; slot < threads; ++slot) workers_.emplace_back([this, slot] { work(slot); });
  } catch (const std::system_error& error) {
    if (missing == Missing::kIsAccepted) return;
    throw Error(ErrorCode::kIo, "created " + std::to_string(size()) + " of " + std::to_string(threads) +
                                    " threads: " + error.code().message());
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  // A loop without tasks wakes the sleeping workers. They compare all bits, and no other loop has these: a loop has two
  // or more tasks, and a pool begins with 0.
  ticket_.store((loop_of(ticket_.load()) + 1) << (2 * kTaskBits) | 1);
  ticket_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(size_t tasks, Call call, const void* object) {
  if (tasks > kMaxTasks) {  // then several tasks per group
    const size_t group = (tasks + kMaxTasks - 1) / kMaxTasks;
    run((tasks + group - 1) / group, [&](size_t index, size_t slot) {
      for (size_t task = index * group; task < std::min(tasks, (index + 1) * group); ++task) call(object, task, slot);
    });
    return;
  }
  std::unique_lock<std::mutex> alone(busy_, std::defer_lock);
  const size_t helpers = tasks < 2 ? 0 : free_workers();
  if (helpers == 0 || !alone.try_lock()) {
    for (size_t task = 0; task < tasks; ++task) call(object, task, 0);
    return;
  }
  done_.store(0, std::memory_order_relaxed);
  call_.store(call, std::memory_order_relaxed);
  object_.store(object, std::memory_order_relaxed);
  helpers_.store(helpers, std::memory_order_relaxed);
  const uint64_t loop = loop_of(ticket_.load(std::memory_order_relaxed)) + 1;
  ticket_.store(loop << (2 * kTaskBits) | static_cast<uint64_t>(tasks) << kTaskBits, std::memory_order_release);
  ticket_.notify_all();
  while (take_and_run(0)) {
  }
  // The remaining tasks run in other threads. The system may have descheduled one of them; then this thread yields.
  for (int spin = 0; done_.load(std::memory_order_acquire) != tasks; ++spin) {
    spin < kSpins ? pause() : std::this_thread::yield();
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::keep_failure() {
  const std::lock_guard<std::mutex> lock(failing_);
  if (!failure_) failure_ = std::current_exception();
}

size_t ThreadPool::free_workers() const {
  const size_t callers = std::max<size_t>(callers_.load(std::memory_order_relaxed), 1);
  return workers_.size() - std::min(workers_.size(), callers - 1);
}

bool ThreadPool::take_and_run(size_t slot) {
  const uint64_t ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
  const uint64_t task = ticket & kTaskMask;
  if (task >= (ticket >> kTaskBits & kTaskMask)) return false;
  try {
    call_.load(std::memory_order_relaxed)(object_.load(std::memory_order_relaxed), task, slot);
  } catch (...) {
    keep_failure();
  }
  done_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void ThreadPool::work(size_t slot) {
  const DefaultFloatingPoint mode;  // overrides the mode of the creating thread
  uint64_t seen = 0;
  while (true) {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    // The loop's number wraps after 65,536; a worker that slept through that many loops must still see the stop.
    for (int spin = 0; loop_of(ticket) == seen && !stop_.load(); ++spin) {
      if (spin < kSpins) {
        pause();
      } else {
        ticket_.wait(ticket, std::memory_order_acquire);
      }
      ticket = ticket_.load(std::memory_order_acquire);
    }
    if (stop_.load()) return;
    seen = loop_of(ticket);
    if (slot > helpers_.load(std::memory_order_relaxed)) continue;
    while (take_and_run(slot)) {
    }
  }
}

}  // namespace bert
