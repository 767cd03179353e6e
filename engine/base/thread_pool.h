// The threads of forward passes. A pool runs loops: the caller and the workers take task numbers until none is left.
// Several threads may call run() at once: one of them gets the workers, the others run their loops alone, so no caller
// waits for another's work. set_callers() tells how many threads call; further callers replace workers, so that at most
// size() threads compute. Waiting workers spin briefly, so that consecutive loops start at once, and then sleep.
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

  // Creates the threads. `threads` counts the caller: 1 creates none. Throws Error for more than kMaxThreads, or if the
  // system cannot create all of them; those already created are then stopped. With kIsAccepted the pool keeps the
  // threads that the system could create.
  explicit ThreadPool(size_t threads, Missing missing = Missing::kIsError);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t size() const { return workers_.size() + 1; }
  // Returns how many threads a loop of the calling thread would have now: the caller, and the workers that no other
  // caller replaces.
  size_t threads_of_a_caller() const { return free_workers() + 1; }

  // Sets how many threads are between their first and their last run(). From the next loop on, each of them but one
  // replaces a worker.
  void set_callers(size_t callers) { callers_.store(callers, std::memory_order_relaxed); }

  // Calls body(task, slot) for every task below `tasks`; slot < size() belongs to one thread during the loop. Returns
  // when all tasks are done; if one threw, rethrows its exception. `body` must not call run().
  template <class Body>
  void run(size_t tasks, const Body& body) {
    const auto call = [](const void* object, size_t task, size_t slot) {
      (*static_cast<const Body*>(object))(task, slot);
    };
    run_erased(tasks, call, &body);
  }

  // Calls body(first, count) for all of `rows` in groups of `rows_per_task`, which is small enough to balance the
  // threads and large enough to be worth a task.
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

  // The current loop, its number of tasks and the next task in one word, so that one atomic step takes a task and
  // checks that it exists: loop number in the upper 16 bits, then the count, then the next task, 24 bits each.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<size_t> done_{0};
  // Written before the ticket of their loop; read by threads that hold one of its tasks, so the loop cannot end.
  std::atomic<Call> call_{nullptr};
  std::atomic<const void*> object_{nullptr};
  std::atomic<size_t> helpers_{0};  // workers in the loop; a late worker may read the next loop's value, and then does
                                    // less
  std::atomic<size_t> callers_{1};
  std::atomic<bool> stop_{false};
  std::mutex busy_;
  std::mutex failing_;
  std::exception_ptr failure_;  // the loop's first exception
  std::vector<std::thread> workers_;
};

}  // namespace bert
