// The threads of forward passes. A pool runs loops: the caller and the workers take task numbers until none is left.
// Several threads may call run() at once: one of them gets the workers, the others run their loop alone, so no
// caller waits for another's work. Counted callers (set_callers) replace workers, so that no more than size() threads
// compute. Waiting workers spin briefly, so that consecutive loops start at once, and then sleep.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bert {

class ThreadPool {
 public:
  static constexpr size_t kMaxThreads = 1024;  // more than the CPUs of today's machines

  enum class Missing { kIsError, kIsAccepted };

  // `threads` counts the caller: 1 creates no thread. Throws Error for more than kMaxThreads, or if the system does not
  // create them all; those created are then stopped. With kIsAccepted the pool has those that the system creates.
  explicit ThreadPool(size_t threads, Missing missing = Missing::kIsError);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t size() const { return workers_.size() + 1; }
  // The threads that a loop of the calling thread has now: the caller, and the workers that no other caller replaces.
  size_t threads_of_a_caller() const { return free_workers() + 1; }

  // How many threads are between their first and their last run(): from the next loop on, each of them but one replaces
  // a worker.
  void set_callers(size_t callers) { callers_.store(callers, std::memory_order_relaxed); }

  // body(task, slot) for every task below `tasks`; slot < size() is the thread's own during the loop. Returns when all
  // are done; if one threw, with its exception. `body` must not call run().
  template <class Body>
  void run(size_t tasks, const Body& body) {
    const auto call = [](const void* object, size_t task, size_t slot) {
      (*static_cast<const Body*>(object))(task, slot);
    };
    run_erased(tasks, call, &body);
  }

  // body(first, count) for all of `rows` in groups of `rows_per_task`: few enough to balance, enough to be worth a
  // task.
  template <class Body>
  void run_rows(size_t rows, const Body& body, size_t rows_per_task = 16) {
    run((rows + rows_per_task - 1) / rows_per_task, [&](size_t task, size_t) {
      const size_t first = task * rows_per_task;
      body(first, std::min(rows_per_task, rows - first));
    });
  }

 private:
  ThreadPool() = default;

  using Call = void (*)(const void* object, size_t task, size_t slot);

  void run_erased(size_t tasks, Call call, const void* object);
  void work(size_t slot);
  bool take_and_run(size_t slot);
  void keep_failure();
  size_t free_workers() const;

  // The current loop, its number of tasks and the next task in one word, so that one step takes a task and checks that
  // it exists: loop number in the upper 16 bits, then the count, then the next task, 24 bits each.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<size_t> done_{0};
  // Written before the ticket of their loop; read by threads that hold one of its tasks, so the loop cannot end.
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> object_{nullptr};
  std::atomic<size_t> helpers_{0};  // workers in the loop; a late one may read the next loop's value, and do less
  std::atomic<size_t> callers_{1};
  std::atomic<bool> stop_{false};
  std::mutex busy_;
  std::mutex failing_;
  std::exception_ptr failure_;  // the loop's first
  std::vector<std::thread> workers_;
};

}  // namespace bert
