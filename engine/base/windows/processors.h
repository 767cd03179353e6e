// The machine's processors as Windows describes them. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/base/windows/system.h"

namespace bert {

// Calls `use` with each description of this kind; with none if the system gives none.
void for_each_processor_relation(LOGICAL_PROCESSOR_RELATIONSHIP kind,
                                 const std::function<void(const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX&)>& use);

// Returns the numbers of these processors: 64 for each group before theirs, plus their bit.
std::vector<size_t> numbers_of(const GROUP_AFFINITY& processors);

}  // namespace bert
