// Where a model keeps what an InterventionScope changes in its passes. Safe to use from many threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "bert/explain.h"

namespace bert {

class InterventionSlot {
 public:
  // nullptr: nothing is changed, which costs a pass one load.
  std::shared_ptr<const Interventions> get() const {
    if (!is_set_.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(mutex_);
    return current_;
  }

  // Whether the slot was empty; if not, nothing changes.
  bool set(std::shared_ptr<const Interventions> interventions) {
    const std::lock_guard lock(mutex_);
    if (current_) return false;
    current_ = std::move(interventions);
    is_set_.store(true, std::memory_order_release);
    return true;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    is_set_.store(false, std::memory_order_release);
    current_.reset();
  }

 private:
  std::atomic<bool> is_set_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const Interventions> current_;
};

}  // namespace bert
