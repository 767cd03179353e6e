#include "models/encoder/runtime.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/cpu.h"

namespace bert {

static_assert(RuntimeOptions::kMaxThreads == ThreadPool::kMaxThreads);

Runtime::Runtime(const RuntimeOptions& options) : state_(std::make_shared<State>(options, 0)) {}
size_t Runtime::threads() const { return state_->threads(); }
size_t Runtime::memory_bytes() const { return state_->memory_bytes(); }

Runtime::State::State(const RuntimeOptions& options, size_t most_passes)
    : wanted_threads_(options.threads == 0 ? std::min(available_cores(), ThreadPool::kMaxThreads) : options.threads),
      pool_(wanted_threads_, options.threads == 0 ? ThreadPool::Missing::kIsAccepted : ThreadPool::Missing::kIsError),
      memory_bytes_(options.memory_bytes),
      most_passes_(most_passes == 0 ? pool_.size() : most_passes) {}

size_t Runtime::State::waiting() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return arrived_ - admitted_;
}

Runtime::State::Loan::Loan(State& state, size_t bytes) : state_(state), scratch_(state.borrow(bytes)) {}

Runtime::State::Scratch Runtime::State::borrow(size_t bytes) {
  if (exceeds(bytes)) {
    throw Error(ErrorCode::kInvalidArgument, "the pass needs " + std::to_string(bytes) +
                                                 " bytes of scratch memory, expected at most the runtime's " +
                                                 std::to_string(memory_bytes_));
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t turn = arrived_++;
  changed_.wait(lock, [&] { return turn == admitted_ && passes_ < most_passes_ && !exceeds(lent_bytes_ + bytes); });
  ++admitted_;
  changed_.notify_all();
  Scratch scratch = take_idle(bytes);
  if (!scratch.workspace) {
    idle_.reserve(made_ + 1);
    scratch = {std::make_unique<Workspace>(), bytes};
    ++made_;
  }
  lent_bytes_ += scratch.bytes;
  pool_.set_callers(++passes_);
  return scratch;
}

// Returns an idle workspace: the smallest that is large enough, then the most recently used. If none is large enough,
// returns the largest, which grows; if there is none, an empty one. Frees others if their memory is needed.
Runtime::State::Scratch Runtime::State::take_idle(size_t bytes) {
  const auto is_better = [&](const Scratch& a, const Scratch& b) {
    const bool a_fits = a.bytes >= bytes && !exceeds(lent_bytes_ + a.bytes);
    const bool b_fits = b.bytes >= bytes && !exceeds(lent_bytes_ + b.bytes);
    if (a_fits != b_fits) return a_fits;
    return a_fits ? a.bytes < b.bytes : a.bytes > b.bytes;
  };
  const auto remove = [&](std::vector<Scratch>::iterator at) {
    Scratch scratch = std::move(*at);
    idle_bytes_ -= scratch.bytes;
    idle_.erase(at);
    return scratch;
  };
  const auto best = std::min_element(idle_.rbegin(), idle_.rend(), is_better);
  if (best == idle_.rend()) return {};
  Scratch scratch = remove(std::prev(best.base()));
  if (scratch.bytes < bytes) scratch.bytes = bytes;
  if (exceeds(lent_bytes_ + scratch.bytes)) scratch = {std::make_unique<Workspace>(), bytes};  // too large to lend
  while (!idle_.empty() && exceeds(lent_bytes_ + idle_bytes_ + scratch.bytes)) {
    remove(idle_.end() - 1);
    --made_;
  }
  return scratch;
}

void Runtime::State::give_back(Scratch scratch) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    lent_bytes_ -= scratch.bytes;
    idle_bytes_ += scratch.bytes;
    idle_.push_back(std::move(scratch));
    pool_.set_callers(--passes_);
  }
  changed_.notify_all();
}

}  // namespace bert
