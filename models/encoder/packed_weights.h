// Where the products of an encoder's layers keep their weights' panels (engine/kernels/gemm/packed_weight.h).
#pragma once

#include <cstddef>
#include <deque>

#include "engine/checkpoint/checkpoint.h"
#include "engine/kernels/gemm/packed_weight.h"
#include "engine/kernels/kernels.h"
#include "models/encoder/plan.h"

namespace bert {

// The bytes of all panels; 0 if the backend keeps none.
size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm);

// Gives each weight of the layers a place for its panels. Keep it as long as the plan; it may be moved. Weights that
// lie in the checkpoint's mapped files leave this process when their panels are whole.
std::deque<PackedWeight> keep_panels(EncoderPlan& plan, const Checkpoint& checkpoint);

}  // namespace bert
