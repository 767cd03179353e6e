// The interpreter's lock around the engine's work, as nanobind's classes of these names, but safe while the interpreter
// ends. Then CPython ends a daemon thread where it waits for the lock, which no C++ frame survives; such a thread waits
// here instead, until the process is gone.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

// Releases the lock for its lifetime.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the lock for its lifetime, in a thread that released it.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// To call when the interpreter begins to end: from now on other threads than this one do not take the lock. Waits a
// little for those that are about to.
void end_other_threads();

}  // namespace bert::python
