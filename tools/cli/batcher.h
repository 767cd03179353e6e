// Groups sequences into batches of at most so many tokens, runs them, and hands the results on in the input's order. A
// sequence that fails keeps its place with its error, and the others of its batch are done: they are run again one by
// one, which gives the same bits. Used by one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bert/model.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

template <class Result>
class Batcher {
 public:
  using Run = std::function<std::vector<Result>(std::span<const TokenSequence>)>;
  using Emit = std::function<void(const Sequence&, const Result&)>;  // the sequence's error is empty, or no result

  Batcher(const Model& model, size_t max_tokens, Run run, Emit emit)
      : model_(model), max_tokens_(max_tokens), run_(std::move(run)), emit_(std::move(emit)) {}

  // True when a batch was run: results were handed on.
  bool add(Sequence sequence) {
    check(sequence);
    const size_t tokens = sequence.error.empty() ? sequence.encoding.size() : 0;
    const bool full = tokens_ + tokens > max_tokens_ || waiting_.size() >= kMaxWaiting;
    if (full) flush();
    tokens_ += tokens;
    waiting_.push_back(std::move(sequence));
    // No other fits: a text alone need not wait for the next one to be read.
    const bool complete = tokens_ >= max_tokens_;
    if (complete) flush();
    return full || complete;
  }

  void flush() {
    std::vector<TokenSequence> batch;
    for (const Sequence& sequence : waiting_) {
      if (sequence.error.empty()) batch.push_back(view(sequence));
    }
    std::vector<Result> results;
    if (!batch.empty()) {
      try {
        results = run_(batch);
      } catch (const Error&) {
        results = run_one_by_one();
      }
    }
    size_t next = 0;
    const Result none{};
    for (const Sequence& sequence : waiting_) {
      if (sequence.error.empty()) {
        emit_(sequence, results[next++]);
      } else {
        emit_(sequence, none);
      }
    }
    waiting_.clear();
    tokens_ = 0;
  }

 private:
  // Lines that cannot be read count no tokens; they must not pile up either.
  static constexpr size_t kMaxWaiting = 4096;

  // Ids that the input gave go as they are; only the model knows what it leaves out of an encoding.
  TokenSequence view(const Sequence& sequence) const {
    if (!sequence.from_text) return {sequence.encoding.ids, sequence.encoding.type_ids};
    return model_.sequence(sequence.encoding);
  }

  void check(Sequence& sequence) const {
    if (!sequence.error.empty()) return;
    try {
      model_.check(view(sequence));
    } catch (const Error& error) {
      sequence.error = error.what();
    }
  }

  std::vector<Result> run_one_by_one() {
    std::vector<Result> results;
    for (Sequence& sequence : waiting_) {
      if (!sequence.error.empty()) continue;
      try {
        const TokenSequence alone[] = {view(sequence)};
        results.push_back(std::move(run_(alone).at(0)));
      } catch (const Error& error) {
        sequence.error = error.what();
      }
    }
    return results;
  }

  const Model& model_;
  size_t max_tokens_;
  Run run_;
  Emit emit_;
  std::vector<Sequence> waiting_;
  size_t tokens_ = 0;  // of waiting_
};

}  // namespace bert::cli
