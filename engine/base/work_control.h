// Whether the long work of a thread goes on. A caller that may leave says what is asked; work whose steps take long
// asks between them. A control is of the thread that makes it.
#pragma once

#include <functional>

namespace bert {

class WorkControl {
 public:
  // Until it is destroyed, check() of this thread asks `goes_on`, which must live as long and throws nothing; an empty
  // one always goes on.
  explicit WorkControl(const std::function<bool()>& goes_on);
  ~WorkControl();  // what was asked before is asked again
  WorkControl(const WorkControl&) = delete;
  WorkControl& operator=(const WorkControl&) = delete;

  // Throws Error(kCancelled) if the work of this thread does not go on.
  static void check();

 private:
  const std::function<bool()>* const before_;
};

}  // namespace bert
