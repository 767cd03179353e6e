// How much memory this process may use, as the system and its container say. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>

#include "bert/export.h"

namespace bert {

// Bytes that the process may use in all: the least of the machine's memory, the limits of the process's cgroups (v1 and
// v2), and its limits of address space and data (RLIMIT_AS, RLIMIT_DATA).
BERT_API size_t usable_memory();

// Bytes of these that are free now. Pages of files that the system can drop at once count as free.
BERT_API size_t available_memory();

}  // namespace bert
