// Computes the memory of a text's outputs until they are sent: the outputs themselves, and their part of an answer in
// its largest form. Stateless.
#pragma once

#include <cstddef>

#include "program/server/queue/job.h"

namespace bert::server {

// Bytes per byte of a name or word: an answer writes some as "\u0001", and is copied while it is made.
inline constexpr size_t kTextBytes = 8;

// keeps_encoding: the tokens are kept with the outputs.
size_t answer_bytes(const Job& job, const TextResult& result, bool keeps_encoding);
// Returns the bytes before the outputs are stored.
size_t answer_bytes(const Job& job, const OutputSize& size);

}  // namespace bert::server
