// The bytes of all request bodies that are in memory, whatever the number of connections: one budget, of which each
// body takes its share before it is read. Safe to use from many threads.
#pragma once

#include <atomic>
#include <cstddef>

namespace bert::server {

class BodyBudget {
 public:
  // A body of at most so many bytes is small. An eighth of the budget is for small ones alone, so that clients that
  // send large ones slowly do not keep them out.
  static constexpr size_t kSmallBody = 16 * 1024;

  explicit BodyBudget(size_t bytes) : bytes_(bytes) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  size_t bytes() const { return bytes_; }
  size_t used() const { return used_; }
  // The largest body that the unused budget holds.
  size_t largest_body() const { return largest_body(bytes_); }
  static size_t largest_body(size_t budget_bytes) { return budget_bytes - budget_bytes / 8; }
  // The smallest budget that holds a body of so many bytes.
  static size_t budget_for(size_t body_bytes) { return body_bytes + body_bytes / 7 + 1; }

 private:
  friend class BodyShare;
  const size_t bytes_;
  std::atomic<size_t> used_{0};
};

// What one body has of a budget; given back at the end. Used by one thread at a time.
class BodyShare {
 public:
  explicit BodyShare(BodyBudget& budget) : budget_(budget) {}
  ~BodyShare() { release(); }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // Makes the share `bytes` if it is less. False, and no change, if the budget has too few left.
  bool grow_to(size_t bytes);
  void release();
  size_t bytes() const { return bytes_; }

 private:
  BodyBudget& budget_;
  size_t bytes_ = 0;
};

}  // namespace bert::server
