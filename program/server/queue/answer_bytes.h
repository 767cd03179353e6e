// The memory that a text's outputs take until they are sent: themselves, and what they become in the largest form of an
// answer. Stateless.
#pragma once

#include <cstddef>

#include "program/server/queue/job.h"

namespace bert::server {

// Bytes for each byte of a name or word: an answer writes some as "\u0001", and is copied while it is made.
inline constexpr size_t kTextBytes = 8;

// keeps_encoding: the tokens are kept with the outputs.
size_t answer_bytes(const Job& job, const TextResult& result, bool keeps_encoding);
// Before the outputs are stored: what the function above says of them.
size_t answer_bytes(const Job& job, const OutputSize& size);

}  // namespace bert::server
