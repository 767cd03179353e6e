// Counts what the program allocates, operator new and posix_memalign, in all threads, and limits it. Not in sanitizer
// builds, which bring allocators of their own.
#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

namespace bert::test {

size_t allocations();  // since the program began

// While it lives, posix_memalign fails for more than so many bytes.
class LargestAllocation {
 public:
  explicit LargestAllocation(size_t bytes);
  ~LargestAllocation();
  LargestAllocation(const LargestAllocation&) = delete;
  LargestAllocation& operator=(const LargestAllocation&) = delete;
};

}  // namespace bert::test
