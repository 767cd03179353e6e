// Shared by several families: the tensor names of training tools and old checkpoints.
#pragma once

#include "models/config/family.h"

namespace bert {

inline constexpr std::string_view kTrainingWrappers[] = {"module.", "_orig_mod."};
inline constexpr WeightNames::Ending kLayerNormEndings[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                                            {"LayerNorm.beta", "LayerNorm.bias"}};

}  // namespace bert
