// How much memory this process may use, and how a model uses it. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>

#include "bert/export.h"

namespace bert {

// Returns how many bytes the process may use: the minimum of the machine's memory, the limits of the process's cgroups
// (v1 and v2), and its limits of address space and data (RLIMIT_AS, RLIMIT_DATA).
BERT_API size_t usable_memory();

// Returns how many of the usable bytes are free now. Pages of files that the system can drop at once count as free.
BERT_API size_t available_memory();

// When a model packs weights: it copies its layers' weights into memory, in the order in which matrix products read
// them. Short texts, and with 8-bit weights long ones too, then take less time, with the same bits. While some passes
// pack, others read the weights as they are stored. With OpenBLAS weights are never packed. Packed weights in a file
// (bert/pack.h) are mapped without such memory; a model uses them whatever its Packing.
enum class Packing {
  // If LoadOptions::packed_bytes is set, weights are packed in the first pass. Else they are packed when a pass of at
  // most 128 tokens (with 8-bit weights: of any length) follows another pass, if half of the memory that is then free
  // is enough. So a process that makes one pass, or only long passes without 8-bit weights, packs nothing, nor does a
  // process forked from the one that loaded the model.
  kAutomatic,
  kNever,
  kAlways,  // in the first pass
};

}  // namespace bert
