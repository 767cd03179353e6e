// Counts and limits the allocations of all threads by operator new and posix_memalign. Has no effect in sanitizer
// builds, which replace these functions, nor on Windows, where they cannot be replaced.
#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

#if BERT_SANITIZED || defined(_WIN32)
#define BERT_COUNTS_ALLOCATIONS 0
#else
#define BERT_COUNTS_ALLOCATIONS 1
#endif

namespace bert::test {

size_t allocations();  // returns the number of allocations since the program's start

// While an object of this class exists, posix_memalign fails for more than the given number of bytes.
class LargestAllocation {
 public:
  explicit LargestAllocation(size_t bytes);
  ~LargestAllocation();
  LargestAllocation(const LargestAllocation&) = delete;
  LargestAllocation& operator=(const LargestAllocation&) = delete;
};

}  // namespace bert::test
