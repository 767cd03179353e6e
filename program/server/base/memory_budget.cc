#include "program/server/base/memory_budget.h"

namespace bert::server {

bool MemoryShare::grow_to(size_t bytes) {
  if (bytes <= bytes_) return true;
  const size_t more = bytes - bytes_;
  const size_t most = bytes <= MemoryBudget::kSmall ? budget_.bytes_ : budget_.largest_share();
  size_t used = budget_.used_;
  do {
    if (more > most || used > most - more) return false;
  } while (!budget_.used_.compare_exchange_weak(used, used + more));
  bytes_ = bytes;
  return true;
}

void MemoryShare::release() {
  budget_.used_ -= bytes_;
  bytes_ = 0;
}

}  // namespace bert::server
