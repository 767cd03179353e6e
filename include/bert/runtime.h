// Threads and scratch memory that several models share: an embedder and a reranker with one runtime take turns on its
// threads, instead of competing for the same cores with two sets of threads.
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
  // At most kMaxThreads; 0: the cores that affinity and the container's limit allow, or fewer if the system cannot
  // create more threads.
  size_t threads = 0;
  // The maximum scratch memory of all forward passes together; 0: no limit. It includes all workspaces, also those kept
  // for the next pass: the activations of a pass and each thread's scratch (ForwardCost::workspace_bytes). It does not
  // include weights, tokenizers, texts, and results of calls, such as logits.
  size_t memory_bytes = 0;
};

// A handle: copies share one runtime, which exists as long as a copy or a model that uses it. Safe to use from many
// threads.
//
// The forward passes of all models of a runtime share `threads` threads: a pass uses the free threads, and waits if no
// thread or too little scratch memory is free; passes start in the order of their calls. A pass that alone needs more
// than memory_bytes throws Error(kInvalidArgument).
class BERT_API Runtime {
 public:
  // Throws Error for too many threads, and if the system cannot create them.
  explicit Runtime(const RuntimeOptions& options = {});

  size_t threads() const;
  size_t memory_bytes() const;  // 0: no limit

  class State;  // internal

 private:
  friend class Backend;
  std::shared_ptr<State> state_;
};

}  // namespace bert
