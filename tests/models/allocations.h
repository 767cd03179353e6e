// Counts allocations by operator new and posix_memalign in all threads, and limits them. Not in sanitizer builds, which
// have allocators of their own, nor on Windows, whose C library's cannot be replaced.
#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

#if BERT_SANITIZED || defined(_WIN32)
#define BERT_COUNTS_ALLOCATIONS 0
#else
#define BERT_COUNTS_ALLOCATIONS 1
#endif

namespace bert::test {

size_t allocations();  // number since the program began

// For its lifetime, posix_memalign fails for more than a given number of bytes.
class LargestAllocation {
 public:
  explicit LargestAllocation(size_t bytes);
  ~LargestAllocation();
  LargestAllocation(const LargestAllocation&) = delete;
  LargestAllocation& operator=(const LargestAllocation&) = delete;
};

}  // namespace bert::test
