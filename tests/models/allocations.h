// Counts what the program allocates: operator new and aligned_alloc, in all threads. Not in sanitizer builds, which
// bring allocators of their own.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BERT_COUNTS_ALLOCATIONS 0
#else
#define BERT_COUNTS_ALLOCATIONS 1
#endif

namespace bert::test {

size_t allocations();  // since the program began

}  // namespace bert::test
