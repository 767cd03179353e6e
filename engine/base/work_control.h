// Lets a caller cancel the long work of its thread: the caller installs a callback, and the work calls check() between
// its steps. A WorkControl belongs to the thread that creates it.
#pragma once

#include <functional>

namespace bert {

class WorkControl {
 public:
  // Until its destruction, check() in this thread calls `goes_on`, which must live as long and must not throw. An empty
  // `goes_on` never cancels.
  explicit WorkControl(const std::function<bool()>& goes_on);
  ~WorkControl();  // restores the previous callback
  WorkControl(const WorkControl&) = delete;
  WorkControl& operator=(const WorkControl&) = delete;

  // Throws Error(kCancelled) if this thread's callback returns false.
  static void check();

 private:
  const std::function<bool()>* const before_;
};

}  // namespace bert
