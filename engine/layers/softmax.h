// Softmax of a row of numbers. It has the same bits on every instruction set. Stateless.
#pragma once

#include <cstddef>

#include "engine/kernels/kernel_table.h"

namespace bert {

// logits and probabilities: [count], different memory; scratch: attention_scratch_floats(count, 1) floats.
void softmax_row(const float* logits, float* probabilities, size_t count, float* scratch, const KernelTable& kernels);

}  // namespace bert
