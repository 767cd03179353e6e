// A memory budget of which shares are taken before memory is used: for the bodies of all requests, whatever the number
// of connections, and for the answers that are being made or not sent yet. Safe to use from many threads.
#pragma once

#include <atomic>
#include <cstddef>

namespace bert::server {

class MemoryBudget {
 public:
  // A share of at most this many bytes is small. An eighth of the budget is reserved for small shares, so that clients
  // that send or receive large bodies slowly do not block them.
  static constexpr size_t kSmall = 16 * 1024;

  explicit MemoryBudget(size_t bytes) : bytes_(bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t bytes() const { return bytes_; }
  size_t used() const { return used_; }
  // Returns the largest share that the unused budget can give.
  size_t largest_share() const { return largest_share(bytes_); }
  static size_t largest_share(size_t budget_bytes) { return budget_bytes - budget_bytes / 8; }
  // Returns the smallest budget that can give a share of this many bytes.
  static size_t budget_for(size_t share_bytes) { return share_bytes + share_bytes / 7 + 1; }

 private:
  friend class MemoryShare;
  const size_t bytes_;
  std::atomic<size_t> used_{0};
};

// A share of a budget, returned on destruction. Used by one thread at a time.
class MemoryShare {
 public:
  explicit MemoryShare(MemoryBudget& budget) : budget_(budget) {}
  ~MemoryShare() { release(); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Makes the share at least `bytes`. Returns false, without a change, if the budget has too few bytes left.
  bool grow_to(size_t bytes);
  void release();
  size_t bytes() const { return bytes_; }

 private:
  MemoryBudget& budget_;
  size_t bytes_ = 0;
};

}  // namespace bert::server
