// The resources of passes: the threads, and workspaces up to a memory limit. Belongs to one model, or is shared by
// several. Safe to use from many threads.
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
    size_t bytes = 0;  // limit of the workspace's growth
  };

 public:
  // most_passes: how many passes may run at once; others wait. 0: as many as threads.
  State(const RuntimeOptions& options, size_t most_passes);

  // A workspace for one pass, which counts as one of the pool's callers while it lives.
  class Loan {
   public:
    // Waits for this pass's turn, until fewer than most_passes are running and `bytes` are free. Throws
    // Error(kInvalidArgument) if so many bytes can never be free.
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
  size_t wanted_threads() const {
    return wanted_threads_;
  }  // the system may have created fewer if the default was
     // used
  size_t memory_bytes() const { return memory_bytes_; }
  size_t waiting();  // number of waiting passes

 private:
  Scratch borrow(size_t bytes);
  void give_back(Scratch scratch);
  Scratch take_idle(size_t bytes);
  bool exceeds(size_t bytes) const { return memory_bytes_ > 0 && bytes > memory_bytes_; }

  const size_t wanted_threads_;
  ThreadPool pool_;
  const size_t memory_bytes_;  // 0: no limit
  const size_t most_passes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t arrived_ = 0, admitted_ = 0;  // numbers of passes, in the order of their calls
  size_t passes_ = 0;                    // running passes
  size_t lent_bytes_ = 0;
  size_t idle_bytes_ = 0;
  std::vector<Scratch> idle_;
  size_t made_ = 0;  // an upper bound, so that returning a workspace cannot fail
};

}  // namespace bert
