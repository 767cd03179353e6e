// The one place that makes threads. A pool runs loops: the caller and the workers take task numbers until none is left.
// Several threads may call run() at once: one of them gets the workers, the others do their loop alone, so no caller
// ever waits for another's work. Callers that are counted (set_callers) take the place of workers, so that size()
// threads compute and not more. Waiting workers spin for a moment, so that loops which follow each other start at once,
// and then sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace bert {

class ThreadPool {
 public:
  static constexpr size_t kMaxThreads = 1024;  // more than a machine of today has CPUs

  // `threads` counts the caller: 1 makes no thread. Throws Error for more than kMaxThreads, and where the system makes
  // no more threads; then none is left.
  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t size() const { return workers_.size() + 1; }

  // How many threads are between their first and their last run(): from the next loop on, all but one of them take the
  // place of a worker each.
  void set_callers(size_t callers) { callers_.store(callers, std::memory_order_relaxed); }

  // body(task, slot) for every task below `tasks`; slot < size() is the thread's own during the loop. Returns when all
  // are done. `body` must not throw and must not call run().
  template <class Body>
  void run(size_t tasks, const Body& body) {
    const auto call = [](const void* object, size_t task, size_t slot) {
      (*static_cast<const Body*>(object))(task, slot);
    };
    run_erased(tasks, call, &body);
  }

 private:
  ThreadPool() = default;

  using Call = void (*)(const void* object, size_t task, size_t slot);

  void run_erased(size_t tasks, Call call, const void* object);
  void work(size_t slot);
  bool take_and_run(size_t slot);
  size_t free_workers() const;

  // One word says which loop is on, how many tasks it has, and the next to take, so that taking a task and knowing that
  // it exists is one step: loop number in the upper 16 bits, then the count, then the next task, 24 bits each.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<size_t> done_{0};
  // Written before the ticket of their loop; read by those who hold a task of it, which keeps the loop from ending.
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> object_{nullptr};
  std::atomic<size_t> helpers_{0};  // workers that take tasks of it; a late one may read the next loop's, and do less
  std::atomic<size_t> callers_{1};
  std::atomic<bool> stop_{false};
  std::mutex busy_;
  std::vector<std::thread> workers_;
};

}  // namespace bert
