// Counts what the program allocates: operator new and posix_memalign, in all threads. Not in sanitizer builds, which
// bring allocators of their own.
#pragma once

#include <cstddef>

#include "tests/support/sanitizers.h"

namespace bert::test {

size_t allocations();  // since the program began

}  // namespace bert::test
