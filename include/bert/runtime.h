// Threads and scratch memory that several models share: an embedder and a reranker on one runtime compute on its
// threads in turns, instead of on two sets of threads that compete for the same cores.
//
//   const bert::Runtime runtime({.threads = 2});
//   const bert::Model embedder = bert::Model::load("path/to/an-embedder", {.runtime = runtime});
//   const bert::Model reranker = bert::Model::load("path/to/a-reranker", {.runtime = runtime});
#pragma once

#include <cstddef>
#include <memory>

#include "bert/export.h"

namespace bert {

struct RuntimeOptions {
  static constexpr size_t kMaxThreads = 1024;
  size_t threads = 0;  // at most kMaxThreads; 0: the CPUs that the process may use (affinity and the container's limit)
  // The most scratch memory of all passes together; 0: no limit. Counted are the workspaces: activations of the tokens
  // of a pass and each thread's scratch (ForwardCost::workspace_bytes), those kept for the next pass too. Not counted
  // are weights, tokenizers, texts, and what a call returns, logits included.
  size_t memory_bytes = 0;
};

// A handle: copies are the same runtime, which lasts until the last of them and the last model on it are gone. Safe to
// use from many threads.
//
// Forward passes of all its models together use `threads` threads: a pass takes those that are free, and one that finds
// none, or whose scratch memory is not free, waits; passes start in the order of their calls. A pass that needs more
// than memory_bytes by itself is Error(kInvalidArgument).
class BERT_API Runtime {
 public:
  // Throws Error for too many threads, and where the system makes no more.
  explicit Runtime(const RuntimeOptions& options = {});

  size_t threads() const;
  size_t memory_bytes() const;  // 0: no limit

  class State;  // of the library's own

 private:
  friend class Backend;
  std::shared_ptr<State> state_;
};

}  // namespace bert
