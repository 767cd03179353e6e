// What passes compute in: the threads, and workspaces up to a ceiling of memory. Of one model, or shared by several.
// Safe to use from many threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bert/runtime.h"
#include "engine/base/thread_pool.h"
#include "engine/layers/workspace.h"

namespace bert {

class Runtime::State {
  struct Scratch {
    std::unique_ptr<Workspace> workspace;
    size_t bytes = 0;  // that it may grow to
  };

 public:
  // most_passes: at once; further ones wait. 0: as many as threads.
  State(const RuntimeOptions& options, size_t most_passes);

  // A workspace for one pass, which counts as one of the pool's callers meanwhile.
  class Loan {
   public:
    // Waits until it is this pass's turn, fewer than most_passes are on, and `bytes` are free. Throws
    // Error(kInvalidArgument) where they can never be.
    Loan(State& state, size_t bytes);
    ~Loan() { state_.give_back(std::move(scratch_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    Workspace& workspace() const { return *scratch_.workspace; }

   private:
    State& state_;
    Scratch scratch_;
  };

  ThreadPool& pool() { return pool_; }
  size_t threads() const { return pool_.size(); }
  size_t memory_bytes() const { return memory_bytes_; }
  size_t waiting();  // passes that have to wait at this moment

 private:
  Scratch borrow(size_t bytes);
  void give_back(Scratch scratch);
  Scratch take_idle(size_t bytes);
  bool exceeds(size_t bytes) const { return memory_bytes_ > 0 && bytes > memory_bytes_; }

  ThreadPool pool_;
  const size_t memory_bytes_;  // 0: no limit
  const size_t most_passes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t arrived_ = 0, admitted_ = 0;  // passes, in the order of their calls
  size_t passes_ = 0;                    // that are on
  size_t lent_bytes_ = 0;
  size_t idle_bytes_ = 0;
  std::vector<Scratch> idle_;
  size_t made_ = 0;  // at most, so that giving back cannot fail
};

}  // namespace bert
