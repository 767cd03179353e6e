// Releases and takes the interpreter's lock around the engine's work, as nanobind's classes of the same purpose do, but
// safely while the interpreter ends. At that time CPython ends a daemon thread that waits for the lock, and C++ frames
// do not survive this. Here such a thread waits until the process is gone.
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

// Holds the lock for its lifetime; for a thread that has released it.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// Call when the interpreter begins to end. From then on only the calling thread takes the lock. Waits a short time for
// threads that are about to take it.
void end_other_threads();

}  // namespace bert::python
