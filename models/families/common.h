// What several families share: how training tools and old checkpoints spell names.
#pragma once

#include "models/family.h"

namespace bert {

inline constexpr std::string_view kTrainingWrappers[] = {"module.", "_orig_mod."};
inline constexpr WeightNames::Ending kLayerNormEndings[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                                            {"LayerNorm.beta", "LayerNorm.bias"}};

}  // namespace bert
