// For a process that must survive damage to its mapped weight files: a function for its handler of SIGBUS. Without such
// a handler, a mapped file that is truncated, or whose disk fails, ends the process.
#pragma once

#include "bert/export.h"

namespace bert {

// Replaces the pages of a mapped weight file by zeros, from the page of `address` (the signal's si_addr) to the end.
// Later results may be wrong; Model::check_files then throws, and the model has to be loaded again. Returns false if no
// mapped file contains the address, or if the process has more than 4,096 mapped files. Async-signal-safe.
BERT_API bool replace_missing_pages(const void* address) noexcept;

}  // namespace bert
