// For a process that must outlive its weight files: what its handler of SIGBUS may call, with the signal's si_addr. A
// mapped file that is truncated, or whose disk fails, ends a process without such a handler.
#pragma once

#include "bert/export.h"

namespace bert {

// Puts zeros in the place of a mapped weight file from the page of `address` on. What is computed from then on may be
// wrong, which Model::check_files says; the model has to be loaded again. False if no mapped file has the address, or
// the process has more than 4,096. Async-signal-safe.
BERT_API bool replace_missing_pages(const void* address) noexcept;

}  // namespace bert
