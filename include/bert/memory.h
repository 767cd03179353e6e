// How much memory this process may use, as the system and its container say, and what a model uses of it. Stateless;
// safe to call from many threads.
#pragma once

#include <cstddef>

#include "bert/export.h"

namespace bert {

// Bytes that the process may use in all: the least of the machine's memory, the limits of the process's cgroups (v1 and
// v2), and its limits of address space and data (RLIMIT_AS, RLIMIT_DATA).
BERT_API size_t usable_memory();

// Bytes of these that are free now. Pages of files that the system can drop at once count as free.
BERT_API size_t available_memory();

// When a model keeps the weights of its layers in the order in which products read them, in memory of the process:
// short texts, with 8-bit weights long ones too, then take less time, with the same bits. While passes fill this
// memory, others read the weights as they are stored. With OpenBLAS they are always read so. Packed weights in a file
// (bert/pack.h) are mapped and need no such memory: a model reads them whatever this says.
enum class Packing {
  // With LoadOptions::packed_bytes from the first pass on. Without it once a pass of at most 128 tokens (with 8-bit
  // weights: of any number) follows another pass, if half of the memory that is free then is enough. A process that
  // makes one pass, or only passes of many tokens with other weights, and processes forked from the one that loaded the
  // model use no such memory.
  kAutomatic,
  kNever,
  kAlways,  // from the first pass on
};

}  // namespace bert
